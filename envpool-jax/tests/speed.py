# SPDX-License-Identifier: Apache-2.0
"""Steps a second of pools, of the libraries' own wrappers that reset, and of EnvPool 1.2.5.

    python envpool-jax/tests/speed.py
    python envpool-jax/tests/speed.py --upstream /path/to/venv/bin/python --num-envs 64 1024

A side is a program that serves rounds of calls, each ending with the arrays of the result in NumPy;
sides take turns, a table has the medians. CPU seconds are of the whole process: XLA has threads.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

TASKS = {  # ours, and upstream's id
    "gymnax/CartPole-v1": "CartPole-v1",
    "pgx/tic_tac_toe": "TicTacToe-v1",
    "jumanji/Game2048-v1": "Game2048-v1",
}
SIDES = ("cond", "chunks", "select", "library", "upstream")
BATCHES = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--num-envs", type=int, nargs="+", default=[64, 1024, 16384])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a round")
    parser.add_argument("--upstream", help="a Python that has envpool 1.2.5")
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        _serve(*arguments.serve)
        return
    sides = [side for side in SIDES if side != "upstream" or arguments.upstream]
    print(f"| task | environments | {' | '.join(sides)} | best of ours / library |")
    print("|---|---:|" + "---:|" * (len(sides) + 1))
    for task in arguments.tasks:
        for num_envs in arguments.num_envs:
            _print_row(task, num_envs, sides, arguments)


def _print_row(task: str, num_envs: int, sides: list[str], arguments: Any) -> None:
    programs = {}
    for side in sides:
        python = arguments.upstream if side == "upstream" else sys.executable
        command = [python, __file__, "--serve", task, str(num_envs), side]
        programs[side] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    found: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
    for program in programs.values():
        assert program.stdout is not None
        program.stdout.readline()  # compiled
    for _ in range(arguments.rounds):
        for side, program in programs.items():
            assert program.stdin is not None and program.stdout is not None
            program.stdin.write(f"{arguments.seconds}\n")
            program.stdin.flush()
            calls, wall, cpu = json.loads(program.stdout.readline())
            found[side].append((calls * num_envs / wall, calls * num_envs / cpu))
    for program in programs.values():
        program.communicate(timeout=60)
    medians = {
        side: [statistics.median(column) for column in zip(*rounds, strict=True)]
        for side, rounds in found.items()
    }
    cells = [f"{_short(wall)} / {_short(cpu)}" for wall, cpu in medians.values()]
    ours = [max(medians[side][k] for side in SIDES[:3]) for k in (0, 1)]
    ratio = " / ".join(f"{ours[k] / medians['library'][k]:.2f}" for k in (0, 1))
    print(f"| {task} | {num_envs:,} | {' | '.join(cells)} | {ratio} |", flush=True)


def _short(number: float) -> str:
    if number >= 1e6:
        return f"{number / 1e6:.2f} M"
    return f"{number / 1e3:.0f} k" if number >= 1e4 else f"{number / 1e3:.1f} k"


def _serve(task: str, number: str, side: str) -> None:
    """Each line is a number of seconds; the answer how many calls, wall and CPU seconds."""
    call = {"library": _library, "upstream": _upstream}.get(side, _pool)(task, int(number), side)
    for _ in range(50):
        call()
    print("ready", flush=True)
    for line in sys.stdin:
        calls, wall, cpu = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < float(line):
            call()
            calls += 1
        taken = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps([calls, *taken]), flush=True)


def _actions(task: str, num_envs: int) -> list[Any]:
    choices = {"gymnax/CartPole-v1": 2, "pgx/tic_tac_toe": 9, "jumanji/Game2048-v1": 4}[task]
    rng = np.random.default_rng(0)
    return [rng.integers(0, choices, num_envs).astype(np.int32) for _ in range(BATCHES)]


def _pool(task: str, num_envs: int, side: str) -> Callable[[], Any]:
    import envpool

    pool = envpool.make(f"jax:{task}", num_envs=num_envs, resets=side)
    pool.reset()
    return _by_turns(pool.step, _actions(task, num_envs))


def _upstream(task: str, num_envs: int, side: str) -> Callable[[], Any]:
    import envpool

    pool: Any = envpool.make(TASKS[task], env_type="gymnasium", num_envs=num_envs, num_threads=2)
    pool.reset()
    if task != "pgx/tic_tac_toe":
        return _by_turns(pool.step, _actions(task, num_envs))
    actions = _actions(task, num_envs)  # which has two players, of whom one moves
    ids = np.arange(num_envs, dtype=np.int32)
    players = np.repeat(ids, 2)
    dicts = [
        {"action": np.repeat(a, 2), "env_id": ids, "players": {"env_id": players}} for a in actions
    ]
    return _by_turns(pool.step, dicts)


def _by_turns(function: Callable[[Any], Any], actions: list[Any]) -> Callable[[], Any]:
    turn = 0

    def call() -> Any:
        nonlocal turn
        turn = (turn + 1) % BATCHES
        return function(actions[turn])

    return call


def _library(task: str, num_envs: int, side: str) -> Callable[[], Any]:
    """The library's own wrapper, mapped and compiled, its results copied as a pool's are."""
    import jax

    step, state = {"gymnax": _gymnax, "pgx": _pgx, "jumanji": _jumanji}[task.partition("/")[0]](
        task.partition("/")[2], num_envs
    )
    compiled = jax.jit(step, donate_argnums=0)
    carry: Any = (jax.random.PRNGKey(0), state)

    def call(action: Any) -> Any:
        nonlocal carry
        carry, seen = compiled(carry, action)
        return [np.array(leaf) for leaf in jax.tree.leaves(seen)]

    return _by_turns(call, _actions(task, num_envs))


def _gymnax(name: str, num_envs: int) -> Any:
    import gymnax  # type: ignore[import-not-found,unused-ignore]
    import jax

    env, params = gymnax.make(name)
    keys = jax.random.split(jax.random.PRNGKey(1), num_envs)
    _, state = jax.vmap(env.reset, (0, None))(keys, params)

    def step(carry: Any, action: Any) -> Any:
        key, state = carry
        key, some = jax.random.split(key)
        keys = jax.random.split(some, num_envs)
        obs, state, reward, terminated, truncated, _ = jax.vmap(env.step, (0, 0, 0, None))(
            keys, state, action, params
        )
        return (key, state), (obs, reward, terminated, truncated)

    return step, state


def _pgx(name: str, num_envs: int) -> Any:
    import jax
    import pgx  # type: ignore[import-not-found,unused-ignore]
    from pgx.experimental import auto_reset  # type: ignore[import-not-found,unused-ignore]

    env = pgx.make(name)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), num_envs))
    advance = jax.vmap(auto_reset(env.step, env.init))

    def step(carry: Any, action: Any) -> Any:
        key, state = carry
        key, some = jax.random.split(key)
        state = advance(state, action, jax.random.split(some, num_envs))
        seen = state.observation, state.rewards, state.terminated, state.truncated
        return (key, state), (*seen, state.current_player, state.legal_action_mask)

    return step, state


def _jumanji(name: str, num_envs: int) -> Any:
    import jax
    import jumanji  # type: ignore[import-not-found,unused-ignore]
    from jumanji.wrappers import VmapAutoResetWrapper  # type: ignore[import-not-found,unused-ignore]

    env = VmapAutoResetWrapper(jumanji.make(name))
    state, _ = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(1), num_envs))

    def step(carry: Any, action: Any) -> Any:
        key, state = carry
        state, seen = env.step(state, action)
        return (key, state), (seen.observation, seen.reward, seen.discount, seen.step_type)

    return step, state


if __name__ == "__main__":
    main()
