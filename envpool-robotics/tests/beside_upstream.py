# SPDX-License-Identifier: Apache-2.0
"""Steps, resets, memory and making of robots beside EnvPool 1.2.5, by turns.

    python envpool-robotics/tests/beside_upstream.py --upstream /path/to/python --rounds 5

`--upstream` is the Python of an environment with `envpool==1.2.5`; without it, it is left out. Rows
are medians of the rounds, each side in a process of its own: microseconds of CPU time a step or a
reset, CPU time since it is steadier than wall time where others work, too; seconds of CPU time for
making a pool, and for its first reset, after another pool has loaded the model; and megabytes that
each environment of the first such pool has added to the process. Actions are random. Tasks of
Meta-World need envpool-metaworld.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TASKS = (
    "FetchReach-v4",
    "FetchPush-v4",
    "HandReach-v3",
    "HandManipulateBlock-v1",
    "AdroitHandDoor-v1",
    "PointMaze_UMaze-v3",
    "FrankaKitchen-v1",
    "MetaWorld/Reach-v3",
    "MetaWorld/Push-v3",
)
WHAT = ("step", "reset", "make", "memory")


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--upstream", help="the Python of envpool 1.2.5")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--only", default="", help="tasks whose id contains this")
    parser.add_argument("--what", nargs="*", choices=WHAT, default=WHAT)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.num_envs)
        return
    sides = {"ours": sys.executable}
    if options.upstream:
        sides["1.2.5"] = options.upstream
    print(f"| task, {options.num_envs} environments | | {' | '.join(sides)} | 1.2.5 / ours |")
    print("|---" * (3 + len(sides)) + "|")
    for task in TASKS:
        if options.only not in task:
            continue
        found = _measure(task, sides, options)
        for what in options.what:
            medians = [statistics.median(found[name][what]) for name in sides]
            ratio = f"{medians[-1] / medians[0]:.3g}" if medians[0] else ""
            numbers = " | ".join(f"{median:.3g}" for median in medians)
            print(f"| {task} | {what} | {numbers} | {ratio} |", flush=True)


def _measure(
    task: str, sides: dict[str, str], options: argparse.Namespace
) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {name: {w: [] for w in WHAT} for name in sides}
    processes = {name: _start(python, options) for name, python in sides.items()}
    for _ in range(options.rounds):
        for what in options.what:
            for name, process in processes.items():
                assert process.stdin
                assert process.stdout
                process.stdin.write(f"{task} {what}\n")
                process.stdin.flush()
                found[name][what].append(float(process.stdout.readline()))
    for process in processes.values():
        process.communicate("\n", timeout=60)
    return found


def _start(python: str, options: argparse.Namespace) -> subprocess.Popen[str]:
    command = [python, __file__, "--serve", "--num-envs", str(options.num_envs)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def serve(num_envs: int) -> None:
    """Answers lines "task what" with a number, until an empty one."""
    env: Any = None
    added = 0.0
    for line in sys.stdin:
        if not line.strip():
            break
        task, what = line.split()
        if env is None:
            first = _pool(task, 1)  # it loads the model
            before = _resident()
            env = _pool(task, num_envs)
            added = (_resident() - before) / num_envs
        if what == "memory":
            print(added, flush=True)
        elif what == "make":
            begin = time.process_time()
            more = _pool(task, num_envs)
            print(time.process_time() - begin, flush=True)
            more.close()
        else:
            print(_microseconds(env, what, num_envs), flush=True)
    if env is not None:
        env.close()
        first.close()


def _pool(task: str, num_envs: int) -> Any:
    import envpool

    env = envpool.make(task, env_type="gymnasium", num_envs=num_envs, num_threads=1, seed=1)
    env.reset()
    return env


def _resident() -> float:
    """Megabytes of this process."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _microseconds(env: Any, what: str, num_envs: int) -> float:
    import numpy as np

    space = env.action_space
    actions = np.random.default_rng(0).uniform(-1, 1, (10, num_envs, *space.shape))
    turns = actions.astype(space.dtype) if what == "step" else [None] * 3
    begin = time.process_time()
    for action in turns:
        if action is None:
            env.reset()
        else:
            env.step(action)
    return 1e6 * (time.process_time() - begin) / (len(turns) * num_envs)


if __name__ == "__main__":
    main()
