# SPDX-License-Identifier: Apache-2.0
"""What a step costs, beside EnvPool 1.2.5 and Gymnasium's AsyncVectorEnv of 8 environments.

    python envpool-box2d/tests/speed.py --upstream /path/to/python

`--upstream` is the Python of an environment with `envpool==1.2.5`; without it, it is left out. Each
side has a process of its own, and they take turns. The table has microseconds of CPU time a step of
one environment, of all threads and processes of a side, medians of the rounds: CPU time, since it
is steadier than wall time where others work, too. Actions are random; resets are a part of it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TASKS = ("LunarLander-v3", "BipedalWalker-v3", "CarRacing-v3")
SHAPES = [(envs, threads) for threads in (1, 2) for envs in (1, 8, 64) if threads <= envs]
ASYNC_ENVS = 8


def main() -> None:
    """Prints two Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--upstream", help="the Python of envpool 1.2.5")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of CPU, each time")
    parser.add_argument("--only", default="", help="tasks whose id begins so")
    parser.add_argument("--serve", choices=("pool", "async"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        _serve(options.serve, options.seconds)
        return
    tasks = [task for task in TASKS if task.startswith(options.only)]
    if options.upstream:
        lines = [(task, *shape) for task in tasks for shape in SHAPES]
        sides = {"ours": (sys.executable, "pool"), "1.2.5": (options.upstream, "pool")}
        _compare(lines, sides, options)
    lines = [(task, ASYNC_ENVS, 1) for task in tasks]
    sides = {"ours": (sys.executable, "pool"), "AsyncVectorEnv": (sys.executable, "async")}
    _compare(lines, sides, options)


def _compare(
    lines: list[tuple[str, int, int]],
    sides: dict[str, tuple[str, str]],
    options: argparse.Namespace,
) -> None:
    ours, other = sides
    print(f"| task | environments | threads | {ours} | {other} | {other} / {ours} |")
    print("|---" * 6 + "|", flush=True)
    for line in lines:
        processes = {
            name: subprocess.Popen(
                [python, __file__, "--serve", kind, "--seconds", str(options.seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for name, (python, kind) in sides.items()
        }
        found: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(options.rounds):
            for name, process in processes.items():
                assert process.stdin and process.stdout
                process.stdin.write(" ".join(map(str, line)) + "\n")
                process.stdin.flush()
                found[name].append(float(process.stdout.readline()))
        for process in processes.values():
            process.communicate("\n", timeout=60)
        medians = [statistics.median(found[name]) for name in sides]
        cells = [*map(str, line), *(f"{m:.3g}" for m in medians), f"{medians[1] / medians[0]:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def _serve(kind: str, seconds: float) -> None:
    """Answers lines "task environments threads" with what a step costs, until an empty one."""
    measure: Callable[[], float] | None = None
    for line in sys.stdin:
        if not line.strip():
            break
        if measure is None:
            task, envs, threads = line.split()
            if kind == "pool":
                measure = _pool(task, int(envs), int(threads), seconds)
            else:
                measure = _async(task, int(envs), seconds)
        print(measure(), flush=True)
    os._exit(0)  # without asking the environments


def _pool(task: str, num_envs: int, threads: int, seconds: float) -> Callable[[], float]:
    import envpool

    env = envpool.make(task, env_type="gymnasium", num_envs=num_envs, num_threads=threads, seed=1)
    env.reset()
    return _measure(env, time.process_time, num_envs, seconds)


def _async(task: str, num_envs: int, seconds: float) -> Callable[[], float]:
    import gymnasium

    env = gymnasium.vector.AsyncVectorEnv(
        [lambda: gymnasium.make(task, disable_env_checker=True)] * num_envs
    )
    env.reset(seed=1)
    ticks = os.sysconf("SC_CLK_TCK")

    def cpu() -> float:
        total = time.process_time()
        for process in env.processes:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / ticks
        return total

    # Its processes' times have steps of 10 ms.
    return _measure(env, cpu, num_envs, max(seconds, 2.0))


def _measure(
    env: Any, cpu: Callable[[], float], num_envs: int, seconds: float
) -> Callable[[], float]:
    import numpy as np

    rng = np.random.default_rng(0)
    space = getattr(env, "single_action_space", None) or env.action_space
    if hasattr(space, "n"):
        actions = rng.integers(0, space.n, (128, num_envs)).astype(np.int32)
    else:
        low, high = space.low, space.high
        actions = rng.uniform(low, high, (128, num_envs, *space.shape)).astype(np.float32)

    def measured() -> float:
        begin, steps = cpu(), 0
        while cpu() - begin < seconds:
            for action in actions:
                env.step(action)
            steps += len(actions)
        return 1e6 * (cpu() - begin) / (steps * num_envs)

    measured()  # until the first episodes are over, or at least begun
    return measured


if __name__ == "__main__":
    main()
