# SPDX-License-Identifier: Apache-2.0
"""MuJoCo tasks against the original EnvPool, a C loop, MuJoCo's own batches; images; memory.

The goals are ratios of CPU time. "bound" has thread_affinity_offset=0 on both sides. Images are 84
x 84 by the model's own camera, drawn by Mesa without a graphics card, with one thread per frame on
all sides (LP_NUM_THREADS=0, which ours sets itself); the original needs `LD_PRELOAD=libEGL.so.1` to
draw without a display, so all sides have it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import compiling
from comparison import (
    ENVPOOL,
    ENVPOOL_NAME,
    Comparison,
    Figure,
    Figures,
    Python,
    Row,
    Side,
    answers,
    mode,
    pools,
)  # fmt: skip
from envpool_mujoco import _locomotion

HERE = Path(__file__).parent


class Robot(NamedTuple):
    """A Gymnasium task, for the loops without tasks.

    Attributes:
        model: Name of Gymnasium's model, without ".xml".
        frame_skip: Steps of the simulation in an action.
        forces: Whether forces on bodies are computed.
        noise: Noise of positions and velocities at the start of an episode.
        normal: True if the velocities' noise is normal, not uniform.
        upright: Positions and ranges that a robot leaves when it falls.
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
GOALS = dict.fromkeys(ROBOTS, 1.25) | {"CheetahRun-v1": 2.0, "WalkerWalk-v1": 1.25}
EPISODE = 1001  # steps of an episode that ends by the time limit, and its start
MAKE = """
envpool.make("Ant-v5", num_envs=1).close()
start = time.perf_counter()
pool = envpool.make("Ant-v5", num_envs=64)
print((time.perf_counter() - start) * 1e3)
"""
MEMORY = """
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
DRAWN = """
pool = envpool.make("Ant-v5", env_type="gymnasium", **{options})
pool.reset()
space = pool.action_space
for _ in range(3):
    pool.step(numpy.zeros(({options}["num_envs"], *space.shape), space.dtype))
print(rss() / 1e6)
"""
# The same camera: Gymnasium's free camera, which is ours, shows more floor than the original's.
PICTURE = {"from_pixels": True, "render_width": 84, "render_height": 84, "render_camera_id": 0}
MESA = {"LD_PRELOAD": "libEGL.so.1", "LP_NUM_THREADS": "0"}


def whole(task: str) -> int:
    """The number of steps that belong together; 0 if episodes may end at any time."""
    return 0 if task in ROBOTS and ROBOTS[task].upright else EPISODE


def pool_rows() -> Iterator[Row]:
    """Every way to step each task; two threads are bound to CPUs, on both sides."""
    for task, goal in GOALS.items():
        for num_envs in (8, 64):
            for threads in (1, 2):
                for rows in (num_envs, num_envs // 2):
                    bound = {"num_threads": threads, "thread_affinity_offset": threads - 2}
                    yield Row(
                        (task, str(num_envs), mode(num_envs, rows), ("1", "2 bound")[threads - 1]),
                        rows,
                        pools(task, num_envs, rows, **bound),
                        goal,
                        whole=whole(task) * num_envs // rows,
                    )


def _package(name: str) -> Path:
    found = find_spec(name)
    assert found is not None and found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def model(robot: Robot) -> str:
    """The file of Gymnasium's model."""
    return str(_package("gymnasium") / "envs" / "mujoco" / "assets" / f"{robot.model}.xml")


def loop(robot: Robot) -> Callable[[], list[str]]:
    """A C loop with the flags of the wheels and MuJoCo's library."""

    def command() -> list[str]:
        mujoco, family = _package("mujoco"), HERE.parent
        (library,) = mujoco.glob("libmujoco.so.*")
        headers = (f"-isystem{mujoco / 'include'}", f"-I{family / 'include'}")
        built = compiling.program(
            HERE / "bare_mujoco.cc", "-O3", "-DNDEBUG", *headers,
            others=[family / "cpp" / "shared" / "listed_pairs.cc"],
            link=[str(library), f"-Wl,-rpath,{mujoco}"],
        )  # fmt: skip
        numbers = (64, robot.frame_skip, int(robot.forces), robot.noise, int(robot.normal))
        limits = (number for limit in robot.upright for number in limit)
        return [str(built), model(robot), *map(str, (*numbers, *limits))]

    return command


def loop_rows() -> Iterator[Row]:
    """64 environments and one thread against sides without environments."""
    for task, robot in ROBOTS.items():
        own: dict[str, Any] = {
            "model": model(robot), "num_envs": 64, "frame_skip": robot.frame_skip, "num_threads": 1,
        }  # fmt: skip
        sides = [
            pools(task, 64, num_threads=1)[0],
            Side("C loop", program=loop(robot)),
            *(Side(f"mujoco.{n}", own, n, HERE / "speed_sides.py") for n in ("batch", "rollout")),
        ]
        yield Row((task,), 64, sides, {"C loop": 0.95}, whole=whole(task))


def own_model_rows() -> Iterator[Row]:
    """64 simulations of one XML under the same controls, with and without the closing forward."""
    for name in ("ant", "half_cheetah", "humanoid"):
        for quick in (False, True):
            for stage in ("none", "all"):
                for threads in (1, 2):
                    options: dict[str, Any] = {
                        "model": model(Robot(name, 5, False, 0.0)),
                        "num_envs": 64,
                        "frame_skip": 5,
                        "num_threads": threads,
                        "stage": stage,
                    }
                    own = {**options, "quick_contacts": quick}
                    yield Row(
                        (name, "quick" if quick else "as MuJoCo", stage, str(threads)),
                        64,
                        [
                            Side("ours", own, "own_model", HERE / "speed_sides.py"),
                            Side("mujoco.batch", options, "staged_batch", HERE / "speed_sides.py"),
                        ],
                        1 / 0.9,
                    )


def locomotion_rows() -> tuple[list[Row], list[Row]]:
    """Resets, for which dm_control compiles a model, and steps; without cameras."""
    file = HERE / "locomotion_sides.py"
    resets, steps = [], []
    for task in _locomotion.TASKS.values():
        one: dict[str, Any] = {"task_id": task.ids[0]}
        sides = [Side("", one, "ours", file), Side("dm_control", one, "theirs", file)]
        resets.append(Row(task.ids[:1], 1, sides, 50))
        # From a start after which no robot falls soon.
        some = {**one, "steps": 10}
        sides = [Side("", some, "our_steps", file), Side("dm_control", some, "their_steps", file)]
        steps.append(Row(task.ids[:1], 10, sides, 1))
    return resets, steps


RESETS, STEPS = locomotion_rows()
FIELDS = """
draws = {
    "body_mass": ("scale", 0.8, 1.2),
    "geom_friction": ("scale", 0.5, 1.5),
    "dof_damping": ("scale", 0.5, 2),
}
def use(count, **options):
    pool = envpool.make("Humanoid-v5", num_envs=count, num_threads=2, **options)
    pool.reset()
    space = pool.action_space
    for _ in range(3):
        pool.step(numpy.zeros((count, *space.shape), space.dtype))
    return pool
# The first thousand go into memory that is free already.
first = use(2), use(2, randomize=draws), use(1000)
before = rss()
plain = use(1000)
between = rss()
random = use(1000, randomize=draws)
print((rss() - between - (between - before)) / 1e6)
"""


def image_rows() -> Iterator[Row]:
    """8 environments that draw their observations, in both qualities of ours."""
    for task in ("Ant-v5", "HalfCheetah-v5", "CheetahRun-v1"):
        for threads in (1, 2):
            for quality, goal in (("fast", 5.0), ("full", None)):
                ours, theirs = pools(task, 8, num_threads=threads, **PICTURE)
                ours = dataclasses.replace(
                    ours, options={**ours.options, "render_quality": quality}, variables=MESA
                )
                theirs = dataclasses.replace(theirs, variables=MESA)
                yield Row((task, quality, str(threads)), 8, [ours, theirs], goal)


def drawing(name: str, quality: str, most: tuple[float | None, float | None]) -> Figure:
    """The memory that an environment and a drawing thread add to a process."""

    def resident(num_envs: int, num_threads: int, python: str | Python, **own: str) -> float:
        options = {"num_envs": num_envs, "num_threads": num_threads, **PICTURE, **own}
        return answers(DRAWN.replace("{options}", repr(options)), python, **MESA)[0]

    def ours() -> list[float]:
        python, own = Side("").python, {"render_quality": quality}
        few, many, threads = (resident(*n, python, **own) for n in ((8, 1), (40, 1), (8, 2)))
        return [(many - few) / 32, threads - few]

    def theirs() -> list[float]:
        return [(resident(6, 1, ENVPOOL) - resident(2, 1, ENVPOOL)) / 4]

    if not quality:
        return Figure([f"an environment, {name}"], theirs, ["MB"], [None])
    names = [f"an environment, {name}", f"a thread that draws, {name}"]
    return Figure(names, ours, ["MB", "MB"], most)


TABLES = [
    Comparison(
        "MuJoCo",
        ("task", "envs", "mode", "threads"),
        [*pool_rows()],
        rounds=20,
        seconds=0.1,
        judged="CPU ratio",
    ),
    Comparison(
        "64 environments, 1 thread",
        ("task",),
        [*loop_rows()],
        rounds=20,
        seconds=0.1,
        judged="CPU ratio",
    ),
    Comparison(
        "MujocoXml-v0, 64 simulations beside mujoco.batch",
        ("model", "contacts", "stage", "threads"),
        [*own_model_rows()],
        rounds=20,
        seconds=0.1,
        judged="CPU ratio",
    ),
    Comparison(
        "Images of 84 x 84, 8 environments",
        ("task", "quality", "threads"),
        [*image_rows()],
        rounds=5,
        seconds=0.5,
        judged="CPU ratio",
    ),
    Comparison(
        "Resets of locomotion, 1 environment",
        ("task",),
        RESETS,
        rounds=5,
        seconds=0.5,
        unit="resets/s",
        judged="CPU ratio",
    ),
    Comparison(
        "Steps of locomotion, 1 environment",
        ("task",),
        STEPS,
        rounds=5,
        seconds=0.5,
        judged="CPU ratio",
    ),
    Figures(
        "Start and memory",
        [
            Figure(["make of 64 Ant-v5"], MAKE, ["ms"], [200]),
            *(
                Figure(
                    [f"memory of an environment, {t}"], MEMORY.replace("{task}", t), ["kB"], [200]
                )
                for t in ("Ant-v5", "CheetahRun-v1")
            ),
            Figure(
                ["1,000 Humanoids with three fields, above those without"], FIELDS, ["MB"], [12]
            ),
            drawing("fast", "fast", (2, 25)),
            drawing("full", "full", (None, None)),
            drawing(ENVPOOL_NAME, "", (None, None)),
        ],
    ),
]
