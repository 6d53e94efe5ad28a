# SPDX-License-Identifier: Apache-2.0
"""Steps and levels beside EnvPool 1.2.5 and minigrid's own, each in its own process, by turns.

    python envpool-minigrid/tests/speed.py --upstream /path/to/python --rounds 5

`--upstream` is the Python of an environment with `envpool==1.2.5`; without it, it is left out. The
table has microseconds of CPU time a step, or a level, of all threads and processes of a side,
medians of the rounds: CPU time, since it is steadier than wall time where others work, too. Actions
are random, so that levels are made when episodes end. Levels are resets of all environments.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NUM_ENVS = 64
TASKS = (
    "MiniGrid-Empty-8x8-v0",
    "MiniGrid-DoorKey-8x8-v0",
    "MiniGrid-MultiRoom-N6-v0",
    "BabyAI-GoToLocal-v0",
    "BabyAI-BossLevel-v0",
)


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--upstream", help="the Python of envpool 1.2.5")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--num-envs", type=int, default=NUM_ENVS)
    parser.add_argument("--serve", choices=("pool", "async"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.threads, options.num_envs)
        return
    sides = {"ours": (sys.executable, "pool"), "minigrid": (sys.executable, "async")}
    if options.upstream:
        sides["1.2.5"] = (options.upstream, "pool")
    print(
        f"| task | | {' | '.join(sides)} | "
        + " | ".join(f"{s} / ours" for s in [*sides][1:])
        + " |"
    )
    print("|---" * (1 + 2 * len(sides)) + "|")
    for task in TASKS:
        for what in ("step", "level"):
            found: dict[str, list[float]] = {name: [] for name in sides}
            processes = {name: _start(*side, options) for name, side in sides.items()}
            for _ in range(options.rounds):
                for name, process in processes.items():
                    assert process.stdin and process.stdout
                    process.stdin.write(f"{task} {what}\n")
                    process.stdin.flush()
                    found[name].append(float(process.stdout.readline()))
            for process in processes.values():
                process.communicate("\n", timeout=60)
            medians = {name: statistics.median(times) for name, times in found.items()}
            ratios = [f"{medians[name] / medians['ours']:.0f}" for name in [*sides][1:]]
            numbers = [f"{medians[name]:.3g}" for name in sides]
            print(f"| {task} | {what} | {' | '.join(numbers + ratios)} |", flush=True)


def _start(python: str, kind: str, options: argparse.Namespace) -> subprocess.Popen[str]:
    command = [python, __file__, "--serve", kind, "--threads", str(options.threads)]
    command += ["--num-envs", str(options.num_envs)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def serve(kind: str, threads: int, num_envs: int) -> None:
    """Answers lines "task what" with microseconds of CPU time, until an empty one."""
    out = sys.stdout
    sys.stdout = sys.stderr  # minigrid prints of levels that it draws again
    made: dict[str, tuple[Any, Any]] = {}
    for line in sys.stdin:
        if not line.strip():
            break
        task, what = line.split()
        if task not in made:
            made[task] = (
                _pool(task, threads, num_envs) if kind == "pool" else _async(task, num_envs)
            )
        env, cpu = made[task]
        print(_measured(env, cpu, what, kind, num_envs), file=out, flush=True)
    for env, _ in made.values():
        env.close()


def _pool(task: str, threads: int, num_envs: int) -> tuple[Any, Any]:
    import envpool

    env = envpool.make(task, env_type="gymnasium", num_envs=num_envs, num_threads=threads, seed=1)
    env.reset()
    return env, time.process_time


def _async(task: str, num_envs: int) -> tuple[Any, Any]:
    import os

    import gymnasium
    import minigrid  # noqa: F401 - registers the ids

    env = gymnasium.vector.AsyncVectorEnv(
        [lambda: gymnasium.make(task, disable_env_checker=True)] * num_envs, shared_memory=False
    )
    env.reset(seed=1)
    ticks = os.sysconf("SC_CLK_TCK")

    def cpu() -> float:
        total = time.process_time()
        for process in env.processes:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / ticks
        return total

    return env, cpu


def _measured(env: Any, cpu: Any, what: str, kind: str, num_envs: int) -> float:
    import numpy as np

    rng = np.random.default_rng(0)
    steps = 20 if kind == "async" else 400
    actions = rng.integers(0, 7, (steps, num_envs)).astype(np.int32)
    begin = cpu()
    count = 0
    if what == "step":
        for action in actions:
            env.step(action)
            count += num_envs
    else:
        for _ in range(8 if kind == "async" else 50):  # CPU time of processes has steps of 10 ms
            env.reset()
            count += num_envs
    return 1e6 * (cpu() - begin) / count


if __name__ == "__main__":
    main()
