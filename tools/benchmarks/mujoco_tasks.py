# SPDX-License-Identifier: Apache-2.0
"""MuJoCo tasks against their peers: the original EnvPool, a C loop, MuJoCo's own batches.

    python tools/benchmarks/mujoco_tasks.py [--rounds 20] [--seconds 0.1] [--json tables.json]
    python tools/benchmarks/mujoco_tasks.py --tasks Ant-v5 --parts loops --json tables.json

The second one measures a part, and leaves what else is in the file as it was.

Random actions, episodes that end begin again. The processes of a comparison take turns round by
round on the same machine, so that all see the same noise. All make the same number of calls: whole
episodes where all environments begin and end theirs together, since the parts of an episode differ
in cost, and a start may cost as much as hundreds of steps. Quoted are CPU microseconds per
environment step and steps per second over all rounds, and their ratios. "bound" has
thread_affinity_offset=0 on both sides. Needs the packages of this checkout in the running Python,
mujoco==3.17.0 and dm_control, a C++ compiler, and `pip install envpool==1.2.5` (done once, kept in
.nox/peer).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from _report import Report, figure, finish, keep_others
from cartpole import PEER, ROOT, Worker, peer_python
from footprint import answers
from rich.console import Console
from rich.progress import track


class Robot(NamedTuple):
    """A task of Gymnasium's, for the loops that know nothing of tasks.

    Attributes:
        model: Of Gymnasium's, without ".xml".
        frame_skip: Steps of the simulation in an action.
        forces: Whether forces on bodies are computed.
        noise: Of positions and velocities at the start of an episode.
        normal: Whether that of velocities is normal, not uniform.
        upright: Positions whose ranges a robot leaves when it has fallen.
    """

    model: str
    frame_skip: int
    forces: bool
    noise: float
    normal: bool = False
    upright: tuple[tuple[int, float, float], ...] = ()


ROBOTS = {
    "Ant-v5": Robot("ant", 5, True, 0.1, True, ((2, 0.2, 1.0),)),
    "HalfCheetah-v5": Robot("half_cheetah", 5, False, 0.1, True),
    "Hopper-v5": Robot("hopper", 4, False, 5e-3, False, ((1, 0.7, math.inf), (2, -0.2, 0.2))),
    "Humanoid-v5": Robot("humanoid", 5, True, 1e-2, False, ((2, 1.0, 2.0),)),
    "Walker2d-v5": Robot("walker2d_v5", 4, False, 5e-3, False, ((1, 0.8, 2.0), (2, -1.0, 1.0))),
}
CPU_GOALS = dict.fromkeys(ROBOTS, 1.25) | {"CheetahRun-v1": 2.0, "WalkerWalk-v1": 1.25}
WALL_GOAL = 1.4
"""Steps per second with two threads, bound to CPUs, against the original's."""
PARTS = ("pools", "loops", "start")
BARE_GOAL = 0.95
MOST = 200
"""Milliseconds to make 64 environments, and kilobytes of one."""
EPISODE = 1001
"""Steps of an episode that ends by the time limit, and its start."""
MAKE = """
import time
import envpool
envpool.make("Ant-v5", num_envs=1).close()
start = time.perf_counter()
pool = envpool.make("Ant-v5", num_envs=64)
print(time.perf_counter() - start)
"""
MEMORY = """
import numpy
import envpool
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def use(count):
    pool = envpool.make("{task}", num_envs=count, num_threads=1)
    pool.reset()
    space = pool.action_space
    for _ in range(20):
        pool.step(numpy.zeros((count, *space.shape), space.dtype))
    return pool
first = use(2)
before = rss()
pool = use(256)
print((rss() - before) / 256 / 1e3)
"""


class Row(NamedTuple):
    """One workload: CPU microseconds per environment step, and steps per second, of each side."""

    task: str
    num_envs: int
    batch_size: int
    threads: int
    bound: bool
    cpu: tuple[float, ...]
    speed: tuple[float, ...]


def episode(task: str) -> int:
    """How many steps of all environments belong together."""
    return 1 if task in ROBOTS and ROBOTS[task].upright else EPISODE


def measure(
    commands: Sequence[list[str]], batch_size: int, whole: int, rounds: int, seconds: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """CPU microseconds per environment step, and steps per second, the sides taking turns.

    Args:
        commands: Of the sides.
        batch_size: Environments in a call.
        whole: Of how many calls the sum is a multiple, but for a part of a round.
        rounds: About how many there are.
        seconds: Of a round of the first side.
    """
    workers = [Worker(command) for command in commands]
    calls = workers[0].calls_for(seconds)
    # A robot that has just been put up costs less than one that is about to fall, so all sides are
    # as far in their episodes.
    for one in workers[1:]:
        one.run(workers[0].calls)
    rounds = math.ceil(whole * max(1, round(rounds * calls / whole)) / calls)
    walls: list[list[float]] = [[] for _ in workers]
    cpus: list[list[float]] = [[] for _ in workers]
    for _ in range(rounds):
        for one, wall, cpu in zip(workers, walls, cpus, strict=True):
            result = one.run(calls)
            wall.append(result[0])
            cpu.append(result[1])
    for one in workers:
        one.close()
    return (
        tuple(statistics.mean(cpu) / batch_size for cpu in cpus),
        tuple(batch_size * 1e6 / statistics.mean(wall) for wall in walls),
    )


def pool_command(python: str, task: str, row: dict[str, object]) -> list[str]:
    """A worker that steps a pool."""
    worker = str(ROOT / "tools" / "benchmarks" / "_mujoco_worker.py")
    return [python, worker, json.dumps({"side": "envpool", "task": task, **row})]


def works(tasks: Sequence[str]) -> Iterator[tuple[str, dict[str, object]]]:
    """Every way to step each task; two threads are bound to CPUs, on both sides."""
    for task in tasks:
        for num_envs in (8, 64):
            for threads in (1, 2):
                for batch_size in (num_envs, num_envs // 2):
                    yield (
                        task,
                        {
                            "num_envs": num_envs,
                            "batch_size": batch_size,
                            "num_threads": threads,
                            "thread_affinity_offset": threads - 2,  # 0: bound from CPU 0 on
                        },
                    )


def against_peer(tasks: Sequence[str], rounds: int, seconds: float) -> list[Row]:
    """All works, ours and the original's."""
    rows = []
    for task, work in track([*works(tasks)], description="pools", console=Console(stderr=True)):
        commands = [pool_command(python, task, work) for python in (sys.executable, peer_python())]
        size = int(str(work["batch_size"]))
        num_envs = int(str(work["num_envs"]))
        whole = episode(task) * num_envs // size
        cpu, speed = measure(commands, size, whole, rounds, seconds)
        bound = work["thread_affinity_offset"] == 0
        rows.append(
            Row(
                task,
                num_envs,
                size,
                int(str(work["num_threads"])),
                bound,
                cpu,
                speed,
            )
        )
    return rows


def models() -> Path:
    """The folder of Gymnasium's models."""
    found = find_spec("gymnasium")
    assert found is not None and found.submodule_search_locations
    return Path(found.submodule_search_locations[0], "envs", "mujoco", "assets")


def bare_loop(folder: str) -> str:
    """Compiles the C loop with the flags of the wheels, and MuJoCo's library."""
    found = find_spec("mujoco")
    assert found is not None and found.submodule_search_locations
    mujoco = Path(found.submodule_search_locations[0])
    (library,) = mujoco.glob("libmujoco.so.*")
    ours = ROOT / "envpool-mujoco"
    program = str(Path(folder) / "bare_mujoco")
    subprocess.run(
        [
            os.environ.get("CXX", "g++"),
            *("-std=c++20", "-O3", "-DNDEBUG", f"-I{mujoco / 'include'}"),
            f"-I{ours / 'include'}",
            str(ROOT / "tools" / "benchmarks" / "bare_mujoco.cc"),
            str(ours / "cpp" / "shared" / "listed_pairs.cc"),
            *(str(library), f"-Wl,-rpath,{mujoco}", "-o", program),
        ],
        check=True,
    )
    return program


def against_loops(tasks: Sequence[str], rounds: int, seconds: float) -> Report:
    """64 environments and one thread against what knows nothing of environments."""
    columns = (
        "task",
        "ours",
        "C loop",
        "mujoco.batch",
        "mujoco.rollout",
        "share of C loop",
        "goal",
    )
    title = "64 environments, 1 thread, CPU microseconds per environment step"
    report = Report(title, columns)
    with tempfile.TemporaryDirectory() as folder:
        program = bare_loop(folder)
        for task in track(tasks, description="loops", console=Console(stderr=True)):
            robot = ROBOTS[task]
            model = str(models() / f"{robot.model}.xml")
            work: dict[str, object] = {"num_envs": 64, "batch_size": 64, "num_threads": 1}
            worker = str(ROOT / "tools" / "benchmarks" / "_mujoco_worker.py")
            own = {
                "model": model,
                "num_envs": 64,
                "frame_skip": robot.frame_skip,
                "num_threads": 1,
            }
            numbers = (robot.frame_skip, int(robot.forces), robot.noise, int(robot.normal))
            limits = (number for limit in robot.upright for number in limit)
            commands = [
                pool_command(sys.executable, task, work),
                [program, model, "64", *map(str, (*numbers, *limits))],
                *(
                    [sys.executable, worker, json.dumps({"side": side, **own})]
                    for side in ("batch", "rollout")
                ),
            ]
            cpu, _ = measure(commands, 64, episode(task), rounds, seconds)
            share = cpu[1] / cpu[0]
            goal = f"{BARE_GOAL:g}" + ("" if share >= BARE_GOAL else " missed")
            report.add(task, *(figure(value) for value in (*cpu, share)), goal)
    report.notes.append(
        "MuJoCo's own, mujoco.batch and mujoco.rollout, never begin an episode anew: a humanoid "
        "stays on the floor"
    )
    return report


def table(rows: Sequence[Row]) -> Report:
    """Ours beside the original's."""
    peer = PEER.replace("==", " ")
    columns = ("task", "envs", "mode", "threads", "CPU µs", peer, "ratio", "goal", "steps/s")
    report = Report(
        "MuJoCo, CPU µs per environment step and steps per second",
        (*columns, peer, "ratio", "goal"),
        texts=3,
    )
    for row in rows:
        mode = "sync" if row.batch_size == row.num_envs else f"async {row.batch_size}"
        cpu, speed = row.cpu[1] / row.cpu[0], row.speed[0] / row.speed[1]
        cpu_goal = CPU_GOALS[row.task]
        wall_goal = WALL_GOAL if row.bound else None
        report.add(
            row.task,
            str(row.num_envs),
            mode,
            f"{row.threads}{' bound' if row.bound else ''}",
            *(figure(value) for value in (*row.cpu, cpu)),
            f"{cpu_goal:g}" + ("" if cpu >= cpu_goal else " missed"),
            *(f"{value:,.0f}" for value in row.speed),
            figure(speed),
            ""
            if wall_goal is None
            else f"{wall_goal:g}" + ("" if speed >= wall_goal else " missed"),
        )
    return report


def start(tasks: Sequence[str]) -> Report:
    """How long 64 environments take to make, and what an environment takes."""
    report = Report("Start and memory", ("figure", "measured", "at most"))

    def add(what: str, value: float, unit: str) -> None:
        limit = f"{MOST} {unit}" + ("" if value <= MOST else " missed")
        report.add(what, f"{value:.1f} {unit}", limit)

    if "Ant-v5" in tasks:
        add("make of 64 Ant-v5", answers(MAKE)[0] * 1e3, "ms")
    for task in ("Ant-v5", "CheetahRun-v1"):
        if task in tasks:
            add(f"memory of an environment, {task}", answers(MEMORY.format(task=task))[0], "kB")
    return report


def main() -> None:
    """Measures and prints the tables; the exit code is 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--tasks", nargs="*", choices=CPU_GOALS, default=[*CPU_GOALS])
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=[*PARTS])
    parser.add_argument("--json", type=Path, help="a file for the tables")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    options, _ = parser.parse_known_args()
    chosen = {part: options.tasks if part in options.parts else [] for part in PARTS}
    robots = [task for task in chosen["loops"] if task in ROBOTS]
    loops = against_loops(robots, options.rounds, options.seconds)
    pools = table(against_peer(chosen["pools"], options.rounds, options.seconds))
    reports = [pools, loops, start(chosen["start"])]
    passed = "missed" not in str(reports)
    keep_others(reports, options.json, [*CPU_GOALS])
    finish(reports, options.json, passed)


if __name__ == "__main__":
    main()
