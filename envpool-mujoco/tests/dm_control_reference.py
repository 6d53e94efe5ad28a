# SPDX-License-Identifier: Apache-2.0
"""Compares tasks with dm_control, array by array and step by step.

    for name, found in compare("WalkerRun-v1", steps=1000, envs=2).items():
        print(name, found)

Environment i of a pool with seed s is compared with `suite.load(..., {"random": s + i})`, both under
the same random actions, over several episodes.
"""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

os.environ.setdefault("MUJOCO_GL", "disable")  # nothing is drawn

import envpool
import numpy as np
from dm_control import suite
from dm_control.mujoco.wrapper import core
from envpool_mujoco import _dm_control
from numpy.typing import NDArray

SEED = 7
EPISODES = 3  # in a comparison, at least


class Difference(NamedTuple):
    """How an array differs from the reference.

    Attributes:
        values: How many values were compared.
        differing: How many of them have other bytes.
        largest: The largest difference, relative to the value where that is larger than 1.
        first: The first step that has one; -1 if there is none.
    """

    values: int
    differing: int
    largest: float
    first: int


@functools.cache
def _compiled(xml: bytes | str, files: tuple[str, ...]) -> Any:
    return _compile(xml_string=xml, assets=_files[files])


_compile = core._get_model_ptr_from_xml
_files: dict[tuple[str, ...], Any] = {}


def _cached(xml_path: Any = None, xml_string: Any = None, assets: Any = None) -> Any:
    """Compiles each model once, as dm_control does not."""
    files = tuple(sorted(assets or {}))
    _files[files] = assets
    return copy.copy(_compiled(xml_string, files))


core._get_model_ptr_from_xml = _cached


def load(task_id: str, seed: int) -> Any:
    """The task as dm_control has it."""
    task = _dm_control.TASKS[task_id]
    env = suite.load(task.domain, task.task, task_kwargs={"random": seed})
    # It draws nothing, so terrain need not be sent to a renderer.
    type(env.physics).contexts = property(lambda physics: None)
    return env


def random_actions(spec: Any, steps: int, envs: int) -> NDArray[np.float64]:
    """Actions for all environments: most within the bounds."""
    low, high = (np.clip(bound, -1, 1) for bound in (spec.minimum, spec.maximum))
    return np.random.default_rng(1).uniform(low, high, (steps, envs, *spec.shape))


def rows(task_id: str, seed: int, actions: Any, episode: int) -> Iterator[dict[str, Any]]:
    """What dm_control shows to an agent that starts again after `episode` steps."""
    env = load(task_id, seed)
    elapsed = episode
    for action in actions:
        if elapsed == episode:
            step, elapsed = env.reset(), 0
        else:
            step, elapsed = env.step(action), elapsed + 1
        yield {
            **{f"obs:{name}": np.asarray(value) for name, value in step.observation.items()},
            "reward": np.float32(step.reward or 0.0),
            "discount": np.float32(1.0 if step.discount is None else step.discount),
        }


def compare(task_id: str, steps: int = 100, envs: int = 2) -> dict[str, Difference]:
    """Plays a task in both, and returns how each array differs."""
    episode = steps // EPISODES
    spec = load(task_id, 0).action_spec()
    actions = random_actions(spec, steps, envs)
    reference = zip(*(rows(task_id, SEED + i, actions[:, i], episode) for i in range(envs)))
    found: dict[str, list[Any]] = {}
    with envpool.make(
        task_id, "dm", num_envs=envs, seed=SEED, max_episode_steps=episode, num_threads=1
    ) as pool:
        for number, wanted in enumerate(reference):
            step = pool.reset() if number == 0 else pool.step(actions[number])
            got = {f"obs:{name}": value for name, value in _observations(step.observation)}
            got |= {"reward": step.reward, "discount": step.discount}
            assert set(got) == set(wanted[0]), (set(got), set(wanted[0]))
            for name, values in got.items():
                right = np.stack([row[name] for row in wanted])
                if name == "discount":  # at an end by time dm_control goes on here
                    right = right.astype(values.dtype)
                _note(found.setdefault(name, [0, 0, 0.0, -1]), number, values, right)
    return {name: Difference(*numbers) for name, numbers in found.items()}


def _observations(observation: Any) -> Iterator[tuple[str, Any]]:
    for name, value in observation._asdict().items():
        if name not in ("env_id", "mujoco_warning", "players"):
            yield name, value


def _note(found: list[Any], number: int, values: Any, right: Any) -> None:
    assert values.shape == right.shape and values.dtype == right.dtype, (values, right)
    found[0] += right.size
    bits = np.uint64 if right.dtype == np.float64 else np.uint32
    differs = values.view(bits) != right.view(bits)
    if differs.any():
        found[1] += int(differs.sum())
        away = np.abs(values - right) / np.maximum(1, np.abs(right))
        found[2] = max(found[2], float(np.where(np.isnan(away), np.inf, away).max()))
        if found[3] < 0:
            found[3] = number
