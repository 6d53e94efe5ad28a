# SPDX-License-Identifier: Apache-2.0
"""Compares tasks with dm_control, array by array and step by step, in a process of its own.

    compared = compare(["WalkerRun-v1"], steps=LONG, envs=4)
    for name, difference in compared["WalkerRun-v1"].items():
        print(name, difference)

    python dm_control_reference.py --steps 1000 WalkerRun-v1    # or all tasks

Environment i of a pool with seed s is compared with `suite.load(..., {"random": s + i})`, or with
an environment of `dm_control.locomotion.examples` with `random_state=s + i`, both under the same
random actions, over several episodes.

NumPy computes exp, log1p, arcsinh, tanh and others with the processor's vector instructions, each
kind with its own roundings. Here it is set to call the C library, as without such instructions. On
aarch64 this setting does not exist, and NumPy adds the squares of a norm in an order that depends
on the length of the CPU's vectors: there, `tanh` and `norm` are replaced.
"""

from __future__ import annotations

import copy
import functools
import json
import math
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import locomotion_reference
from locomotion_reference import LOCOMOTION, SOCCER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STEPS = 100  # quick
LONG = 1000  # the fields of a report on fidelity
SEED = 7
_EPISODES = 3  # in a comparison, at least
_TIMEOUT = 3600
# The names in NumPy 2.4 and newer, and in older versions; NumPy ignores unknown names.
_NO_SIMD = (
    "X86_V3 X86_V4 AVX512_ICL AVX512_SPR "
    "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
)


class Difference(NamedTuple):
    """The differences of an array from the reference.

    Attributes:
        values: Number of compared values.
        differing: Number of values with different bytes.
        largest: The largest difference, relative to values larger than 1.
        first: The first step with a difference; -1: none.
    """

    values: int
    differing: int
    largest: float
    first: int


def compare(
    task_ids: Sequence[str], steps: int = STEPS, envs: int = 2, frame_skip: int = 0
) -> dict[str, dict[str, Difference]]:
    """Plays tasks in both, and returns how the arrays of each task differ.

    Args:
        task_ids: The tasks.
        steps: How many rows of each environment are compared, starts of episodes among them.
        envs: How many environments.
        frame_skip: How many steps of the simulation an action lasts; 0: as the task says.
    """
    sizes = (f"--steps={steps}", f"--envs={envs}", f"--frame-skip={frame_skip}")
    answer = _in_own_process("--json", *sizes, *task_ids)
    return {
        task: {name: Difference(*numbers) for name, numbers in arrays.items()}
        for task, arrays in answer.items()
    }


def compare_starts(task_id: str, seeds: Sequence[int]) -> list[int]:
    """The seeds whose first observation has other bytes than dm_control's."""
    found: list[int] = _in_own_process("--starts", ",".join(map(str, seeds)), task_id)
    return found


def _in_own_process(*arguments: str) -> Any:
    """This program's output in a process in which NumPy computes like the C library."""
    environment = {
        **os.environ,
        "MUJOCO_GL": "disable",  # nothing is drawn
        "NPY_DISABLE_CPU_FEATURES": _NO_SIMD,
    }
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False
    )
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _compare_starts(task_id: str, seeds: Sequence[int]) -> list[int]:
    import envpool
    import numpy as np

    differing = []
    with envpool.make(task_id, "dm", num_envs=len(seeds), seed=list(seeds)) as pool:
        ours = flat(pool.reset().observation)
        for i, seed in enumerate(seeds):
            theirs = load(task_id, seed).reset().observation
            same = (
                np.asarray(theirs[name]).tobytes() == ours[name][i].tobytes() for name in theirs
            )
            if not all(same):
                differing.append(seed)
    return differing


def load(task_id: str, seed: int) -> Any:
    """dm_control's task; a suite task with a model that is compiled only once."""
    if kind := SOCCER.get(task_id):
        return locomotion_reference.load_soccer(kind, seed)
    if name := LOCOMOTION.get(task_id):
        return locomotion_reference.load(name, seed)
    from dm_control import suite
    from dm_control.mujoco.wrapper import core
    from envpool_mujoco import _dm_control

    compile_model = core._get_model_ptr_from_xml
    core._get_model_ptr_from_xml = functools.partial(_compiled, compile_model)
    try:
        task = _dm_control.TASKS[task_id]
        env = suite.load(task.domain, task.task, task_kwargs={"random": seed})
    finally:
        core._get_model_ptr_from_xml = compile_model
    # It draws nothing, so a new terrain need not be sent to a renderer.
    physics = type(env.physics)
    env.physics.__class__ = type(
        physics.__name__, (physics,), {"contexts": property(lambda _: None)}
    )
    return env


_models: dict[tuple[Any, ...], Any] = {}


def _compiled(compile_model: Any, xml_string: Any, assets: Any) -> Any:
    key = (xml_string, *sorted(assets))
    if key not in _models:
        _models[key] = compile_model(xml_string=xml_string, assets=assets)
    return copy.copy(_models[key])


def random_actions(spec: Any, steps: int, envs: int) -> NDArray[np.float64]:
    """Actions for all environments, for motors without bounds between -1 and 1."""
    import numpy as np

    players = (len(spec),) if isinstance(spec, list) else ()
    one = spec[0] if players else spec
    low, high = (np.clip(bound, -2, 2) for bound in (one.minimum, one.maximum))
    return np.random.default_rng(1).uniform(low, high, (steps, envs, *players, *one.shape))


def rows(
    task_id: str, seed: int, actions: Any, episode: int, frame_skip: int = 0
) -> Iterator[dict[str, Any]]:
    """dm_control's results for an agent that starts again after `episode` steps."""
    env = load(task_id, seed)
    env._n_sub_steps = frame_skip or env._n_sub_steps
    step, elapsed = None, episode
    for action in actions:
        if elapsed == episode or step.last():
            step, elapsed = env.reset(), 0
        else:
            step, elapsed = env.step(action), elapsed + 1
        yield row_of(step)


def row_of(step: Any) -> dict[str, Any]:
    """Arrays of a step of dm_control's; with several players, they have a row for each."""
    import numpy as np

    discount = np.float32(1.0 if step.discount is None else step.discount)
    if isinstance(players := step.observation, list):
        rewards = [np.float32(0)] * len(players) if step.reward is None else step.reward
        return {
            # Observations there have the last one only, in an array of one.
            **{name: np.stack([player[name][0] for player in players]) for name in players[0]},
            "reward": np.array(rewards),
            "discount": np.repeat(discount, len(players)),
        }
    return {
        **{name: np.asarray(value) for name, value in players.items()},
        "reward": np.float32(step.reward or 0.0),
        "discount": discount,
    }


def _compare(task_id: str, steps: int, envs: int, frame_skip: int) -> dict[str, Difference]:
    import envpool
    import numpy as np

    episode = max(1, steps // _EPISODES)
    actions = random_actions(load(task_id, 0).action_spec(), steps, envs)
    references = [rows(task_id, SEED + i, actions[:, i], episode, frame_skip) for i in range(envs)]
    options = {"num_envs": envs, "seed": SEED, "max_episode_steps": episode, "num_threads": 1}
    if frame_skip:
        options["frame_skip"] = frame_skip
    found: dict[str, Difference] = {}
    with envpool.make(task_id, "dm", **options) as pool:
        for number, wanted in enumerate(zip(*references, strict=True)):
            rows_of_all = actions[number].reshape(-1, actions.shape[-1])
            step = pool.reset() if number == 0 else pool.step(rows_of_all)
            got = dict(flat(step.observation), reward=step.reward, discount=step.discount)
            joined = np.concatenate if task_id in SOCCER else np.stack
            for name in wanted[0]:
                right = joined([row[name] for row in wanted])
                before = found.get(name, Difference(0, 0, 0.0, -1))
                found[name] = _joined(before, number, got[name], right)
            unknown = set(got) - set(wanted[0]) - {"env_id", "players", "mujoco_warning"}
            assert not unknown, f"dm_control has no {unknown}"
    return found


def flat(observation: Any) -> dict[str, Any]:
    """Observations by dm_control's names."""
    flat: dict[str, Any] = {}
    for name, value in observation._asdict().items():
        parts = value._asdict() if name == "walker" else {}
        flat |= {f"{name}/{part}": array for part, array in parts.items()} or {name: value}
    return flat


def _replace_in_numpy() -> None:
    """Makes NumPy call the C library and add in order, on CPUs without a setting for it."""
    import numpy as np

    norm = np.linalg.norm

    def in_order(x: Any, *args: Any, **options: Any) -> Any:
        if args or options or np.ndim(x) != 1:
            return norm(x, *args, **options)
        squared = 0.0
        for value in np.asarray(x, np.float64).tolist():
            squared += value * value
        return np.float64(math.sqrt(squared))

    np.linalg.norm = in_order
    np.tanh = np.vectorize(math.tanh, otypes=[np.float64])  # type: ignore[assignment]


def _joined(before: Difference, number: int, values: Any, right: Any) -> Difference:
    import numpy as np

    assert values.shape == right.shape, (values.shape, right.shape)
    assert values.dtype == right.dtype, (values.dtype, right.dtype)
    if right.dtype == bool:
        values, right = values.view(np.uint8), right.view(np.uint8)
    bits = f"u{right.dtype.itemsize}"
    differing = int(np.count_nonzero(values.view(bits) != right.view(bits)))
    if not differing:
        return before._replace(values=before.values + right.size)
    away = np.abs(values.astype(float) - right) / np.maximum(1, np.abs(right))
    return Difference(
        before.values + right.size,
        before.differing + differing,
        max(before.largest, float(np.where(np.isfinite(away), away, np.inf).max())),
        number if before.first < 0 else before.first,
    )


def _main() -> None:
    import argparse

    parser = argparse.ArgumentParser(description="Compares tasks with dm_control.")
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--envs", type=int, default=2)
    parser.add_argument("--frame-skip", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--starts", help="seeds, of which only first observations are compared")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if platform.machine() == "aarch64":
        _replace_in_numpy()
    from envpool_mujoco import _dm_control

    tasks = arguments.tasks or [*_dm_control.TASKS, *LOCOMOTION, *SOCCER]
    if arguments.starts:
        seeds = [int(seed) for seed in arguments.starts.split(",")]
        print(json.dumps([seed for task in tasks for seed in _compare_starts(task, seeds)]))
        return
    sizes = (arguments.steps, arguments.envs, arguments.frame_skip)
    if arguments.json:
        print(json.dumps({task: _compare(task, *sizes) for task in tasks}))
        return
    for task in tasks:
        compared = compare([task], *sizes)[task]
        other = {name: found for name, found in compared.items() if found.differing}
        print(f"{task:28} {other or 'the same bytes'}", flush=True)


if __name__ == "__main__":
    _main()
