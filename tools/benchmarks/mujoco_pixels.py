# SPDX-License-Identifier: Apache-2.0
"""Images of MuJoCo tasks as observations, against the original EnvPool.

    python tools/benchmarks/mujoco_pixels.py [--rounds 5] [--seconds 0.5] [--json tables.json]
    python tools/benchmarks/mujoco_pixels.py --tasks Ant-v5 --json tables.json

The second one measures a task, and leaves what else is in the file as it was.

84 x 84, the model's own camera, random actions, Mesa without a graphics card. The sides take turns,
as in mujoco_tasks.py. The original needs `LD_PRELOAD=libEGL.so.1` to draw at all without a screen,
so that it has it. Mesa draws a frame with one thread on all sides (LP_NUM_THREADS=0), which ours
asks for by itself: it costs less CPU time. What memory an environment and a thread that draws take
is the difference of processes that have more of them. Needs what mujoco_tasks.py needs, and
libegl1, libgl1-mesa-dri.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from _report import Report, figure, finish, keep_others
from cartpole import PEER, Worker, peer_python
from mujoco_tasks import pool_command
from rich.console import Console
from rich.progress import track

TASKS = ("Ant-v5", "HalfCheetah-v5", "CheetahRun-v1")
NUM_ENVS = 8
GOAL = 5.0
# The same camera: Gymnasium's free one, which is ours, sees more of the floor than the original's.
PICTURE = {"from_pixels": True, "render_width": 84, "render_height": 84, "render_camera_id": 0}
ENV_MB, THREAD_MB = 2, 25
"""What an environment, and a thread that draws, may take with "fast"."""
MEMORY = """
import json, sys
import numpy
import envpool
work = json.loads(sys.argv[1])
pool = envpool.make(work.pop("task"), env_type="gymnasium", **work)
pool.reset()
space = pool.action_space
for _ in range(3):
    pool.step(numpy.zeros((work["num_envs"], *space.shape), space.dtype))
print(int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6)
"""


class Side(NamedTuple):
    """Who draws, and what it is asked for."""

    name: str
    python: str
    options: Mapping[str, object]

    def command(self, *arguments: str) -> list[str]:
        """How its Python is started."""
        return ["env", "LD_PRELOAD=libEGL.so.1", "LP_NUM_THREADS=0", self.python, *arguments]


def sides() -> tuple[Side, ...]:
    """Ours in both qualities, and the original."""
    fast, full = ({**PICTURE, "render_quality": quality} for quality in ("fast", "full"))
    return (
        Side("fast", sys.executable, fast),
        Side("full", sys.executable, full),
        Side(PEER.replace("==", " "), peer_python(), PICTURE),
    )


def speed(task: str, threads: int, rounds: int, seconds: float) -> tuple[list[float], list[float]]:
    """CPU milliseconds for a frame, and frames per second, of each side."""
    workers = []
    for side in sides():
        work = {"num_envs": NUM_ENVS, "batch_size": NUM_ENVS, "num_threads": threads}
        _, *arguments = pool_command(side.python, task, {**work, **side.options})
        workers.append(Worker(side.command(*arguments)))
    # As long for each, since they differ by a factor of ten.
    calls = [one.calls_for(seconds) for one in workers]
    cpu, wall = [0.0] * len(workers), [0.0] * len(workers)
    for _ in range(rounds):
        for i, one in enumerate(workers):
            call_wall, call_cpu = one.run(calls[i])
            cpu[i] += call_cpu / rounds
            wall[i] += call_wall / rounds
    for one in workers:
        one.close()
    return (
        [microseconds / NUM_ENVS / 1e3 for microseconds in cpu],
        [NUM_ENVS * 1e6 / microseconds for microseconds in wall],
    )


def resident(side: Side, num_envs: int, num_threads: int) -> float:
    """MB of a process with such a pool."""
    work = {"task": "Ant-v5", "num_envs": num_envs, "num_threads": num_threads, **side.options}
    done = subprocess.run(
        side.command("-c", MEMORY, json.dumps(work)),
        capture_output=True,
        text=True,
        check=True,
        cwd=tempfile.gettempdir(),
    )
    return float(done.stdout.split()[-1])


def drawn(tasks: Sequence[str], rounds: int, seconds: float) -> Report:
    """The table of speeds."""
    names = [side.name for side in sides()]
    columns = ("task", "threads", *(f"{name}, CPU ms" for name in names), "ratio", "goal")
    report = Report(
        f"{NUM_ENVS} environments, images of 84 x 84",
        (*columns, *(f"{name}, frames/s" for name in names), "ratio"),
    )
    works = [(task, threads) for task in tasks for threads in (1, 2)]
    for task, threads in track(works, description="images", console=Console(stderr=True)):
        cpu, frames = speed(task, threads, rounds, seconds)
        ratio = cpu[-1] / cpu[0]
        report.add(
            task,
            str(threads),
            *map(figure, (*cpu, ratio)),
            f"{GOAL:g}" + ("" if ratio >= GOAL else " missed"),
            *map(figure, (*frames, frames[0] / frames[-1])),
        )
    report.notes.append(
        "fast and full are values of our option render_quality; the ratio is that of fast"
    )
    return report


def memory() -> Report:
    """What environments and threads take."""
    fast, full, peer = sides()
    report = Report("Memory of images, Ant-v5", ("figure", "measured", "at most"))
    for side in (fast, full):
        few, many, threads = (resident(side, *sizes) for sizes in ((8, 1), (40, 1), (8, 2)))
        for what, used, most in (
            ("an environment", (many - few) / 32, ENV_MB),
            ("a thread that draws", threads - few, THREAD_MB),
        ):
            limit = f"{most} MB" + ("" if used <= most else " missed")
            report.add(f"{what}, {side.name}", f"{figure(used)} MB", limit if side is fast else "")
    few, many = (resident(peer, number, 1) for number in (2, 6))
    report.add(f"an environment, {peer.name}", f"{figure((many - few) / 4)} MB", "")
    return report


def main() -> None:
    """Measures and prints the tables; the exit code is 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--tasks", nargs="*", default=[*TASKS])
    parser.add_argument("--json", type=Path, help="a file for the tables")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    options, _ = parser.parse_known_args()
    reports = [drawn(options.tasks, options.rounds, options.seconds), memory()]
    passed = "missed" not in str(reports)
    keep_others(reports, options.json, TASKS)
    finish(reports, options.json, passed)


if __name__ == "__main__":
    main()
