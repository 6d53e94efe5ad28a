# SPDX-License-Identifier: Apache-2.0
"""The tasks of dm_control's locomotion, and their models, which dm_control composes.

dm_control composes and compiles a model for each episode. Here it is composed once, when a pool is
made; values that differ between episodes are written into it in C++.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from envpool import Task

if TYPE_CHECKING:
    from types import ModuleType

DOMAIN = "locomotion"


class LocomotionTask(NamedTuple):
    """A task of dm_control's locomotion.

    Attributes:
        name: Of the function in `dm_control.locomotion.examples` that makes it.
        frame_skip: How many steps of the simulation an action lasts.
        fps: How many actions there are in a second.
        max_episode_steps: How many actions there are in its time limit.
        description: The goal, for people.
        compose: Returns the task of dm_control, whose model is not compiled yet.
        most_platforms: Of an episode, where their number is drawn.
    """

    name: str
    frame_skip: int
    fps: float
    max_episode_steps: int
    description: str
    compose: Callable[[], Any]
    most_platforms: int = 0

    @property
    def ids(self) -> tuple[str, str]:
        """Its id, and the other one that EnvPool 1.2.7 has for it."""
        words = "".join(word.capitalize() for word in self.name.split("_"))
        return f"Dmc{words}-v1", f"dm_control/{DOMAIN}/{self.name}"


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"dm_control.locomotion.{name}")


def _random() -> Any:
    import numpy as np

    return np.random.RandomState(1)


def _go_to_target() -> Any:
    walker = _module("walkers.cmu_humanoid").CMUHumanoidPositionControlled()
    return _module("tasks.go_to_target").GoToTarget(
        walker, _module("arenas.floors").Floor(), **_HUMANOID_STEPS
    )


def _run_corridor(walker: Any, arena: Any, **options: Any) -> Any:
    return _module("tasks.corridors").RunThroughCorridor(walker=walker, arena=arena, **options)


def _run_walls() -> Any:
    walker = _module("walkers.cmu_humanoid").CMUHumanoidPositionControlled()
    arena = _module("arenas.corridors").WallsCorridor(
        wall_gap=4.0,
        wall_width=_uniform(1, 7),
        wall_height=3.0,
        corridor_width=10,
        corridor_length=100,
        include_initial_padding=False,
    )
    return _run_corridor(walker, arena, **_HUMANOID_STEPS)


def _run_gaps() -> Any:
    walker = _module("walkers.cmu_humanoid").CMUHumanoidPositionControlled()
    arena = _module("arenas.corridors").GapsCorridor(
        platform_length=_uniform(0.3, 2.5),
        gap_length=_uniform(0.5, 1.25),
        corridor_width=10,
        corridor_length=100,
    )
    return _run_corridor(walker, arena, **_HUMANOID_STEPS)


def _rodent_run_gaps() -> Any:
    arena = _module("arenas.corridors").GapsCorridor(
        platform_length=_uniform(0.4, 0.8),
        gap_length=_uniform(0.05, 0.2),
        corridor_width=2,
        corridor_length=40,
        aesthetic="outdoor_natural",
    )
    return _run_corridor(_rodent(), arena, **_RODENT_STEPS)


def _uniform(low: float, high: float) -> Any:
    distributions = importlib.import_module("dm_control.composer.variation.distributions")
    return distributions.Uniform(low, high)


_HUMANOID_STEPS = {"physics_timestep": 0.005, "control_timestep": 0.03}


def _heterogeneous_forage() -> Any:
    fixed_maze = importlib.import_module("labmaze.fixed_maze")
    mazes, textures = _module("arenas.mazes"), _module("arenas.labmaze_textures")
    arena = mazes.MazeWithTargets(
        maze=fixed_maze.FixedMazeWithRandomGoals(
            entity_layer=_ROOM, num_spawns=1, num_objects=6, random_state=_random()
        ),
        xy_scale=3.0,
        z_height=2.0,
        skybox_texture=textures.SkyBox(style="sky_03"),
        wall_textures=textures.WallTextures(style="style_01"),
        floor_textures=textures.FloorTextures(style="style_01"),
    )
    sphere = functools.partial(_module("props.target_sphere").TargetSphere, radius=0.4)
    return _module("tasks.random_goal_maze").ManyHeterogeneousGoalsMaze(
        walker=_module("walkers.cmu_humanoid").CMUHumanoidPositionControlled(),
        maze_arena=arena,
        target_builders=[
            functools.partial(sphere, rgb1=(0, 0.4, 0), rgb2=(0, 0.7, 0)),
            functools.partial(sphere, rgb1=(0.4, 0, 0), rgb2=(0.7, 0, 0)),
        ],
        target_type_rewards=[30.0, -10.0],
        target_type_proportions=[1, 1],
        randomize_spawn_rotation=False,
        shuffle_target_builders=True,
        control_timestep=0.03,
    )


# A wall around 5 x 5 cells, in which the walker starts at P, and one target is always at G.
_ROOM = f"{'*' * 7}\n*     *\n*  P  *\n*     *\n*  G  *\n*     *\n{'*' * 7}\n"


def _rodent() -> Any:
    return _module("walkers.rodent").Rat()


_RODENT_STEPS = {"physics_timestep": 0.001, "control_timestep": 0.02}


def _two_touch() -> Any:
    spheres = _module("props.target_sphere")
    return _module("tasks.reach").TwoTouch(
        walker=_rodent(),
        arena=_module("arenas.floors").Floor(size=(10.0, 10.0), aesthetic="outdoor_natural"),
        target_builders=[functools.partial(spheres.TargetSphereTwoTouch, radius=0.025)],
        target_type_rewards=[25.0],
        target_area=(1.5, 1.5),
        **_RODENT_STEPS,
    )


def _escape_bowl() -> Any:
    arena = _module("arenas.bowl").Bowl(size=(20.0, 20.0), aesthetic="outdoor_natural")
    return _module("tasks.escape").Escape(walker=_rodent(), arena=arena, **_RODENT_STEPS)


TASKS: Mapping[str, LocomotionTask] = {
    task.name: task
    for task in (
        LocomotionTask(
            "cmu_humanoid_go_to_target", 6, 1 / 0.03, 1001,  # 30 s, as sums round
            "Walk to a mark on the floor, with the body of the CMU humanoid.",
            _go_to_target,
        ),
        LocomotionTask(
            "cmu_humanoid_heterogeneous_forage", 30, 1 / 0.03, 834,
            "Collect good targets and avoid bad ones, with the body of the CMU humanoid.",
            _heterogeneous_forage,
        ),
        LocomotionTask(
            "cmu_humanoid_run_gaps", 6, 1 / 0.03, 1001,
            "Run along a corridor with gaps in its floor, with the body of the CMU humanoid.",
            _run_gaps, 1 + 118,
        ),
        LocomotionTask(
            "cmu_humanoid_run_walls", 6, 1 / 0.03, 1001,
            "Run along a corridor with walls in the way, with the body of the CMU humanoid.",
            _run_walls,
        ),
        LocomotionTask(
            "rodent_escape_bowl", 20, 50, 1000,
            "Climb out of a bowl with bumps, with the body of a rodent.",
            _escape_bowl,
        ),
        LocomotionTask(
            "rodent_run_gaps", 20, 50, 1500,
            "Run along a corridor with gaps in its floor, with the body of a rodent.",
            _rodent_run_gaps, 1 + 76,
        ),
        LocomotionTask(
            "rodent_two_touch", 20, 50, 1500,
            "Touch an orb twice, 0.8 seconds apart, with the body of a rodent.",
            _two_touch,
        ),
    )
}  # fmt: skip
"""All of them, by name."""


def tasks(env: str, **common: Any) -> Iterator[Task]:
    """All of them, as EnvPool wants to know them.

    Args:
        env: The compiled environment, which is that of the suite.
        common: Options and files that they share with the tasks of the suite.
    """
    for task in TASKS.values():
        task_id, alias = task.ids
        yield Task(
            task_id,
            env,
            description=task.description,
            aliases=[alias],
            render_fps=task.fps,
            max_episode_steps=task.max_episode_steps,
            domain=DOMAIN,
            task_name=task.name,
            frame_skip=task.frame_skip,
            **common,
        )


def _add_platforms(ground: Any, most: int) -> None:
    """Adds platforms to those of an episode, until there are as many as any episode has."""
    for number in range(len(ground.geom) if most else 0, most):
        like = ground.geom[-1].get_attributes()
        x, y, z = like.pop("pos")
        ground.add("geom", **{**like, "name": f"spare_{number}", "pos": (x + 1, y, z)})


@functools.cache
def compose(name: str) -> tuple[str, dict[str, bytes]]:
    """The text of a model, as of an episode, and the files that it names.

    Raises:
        ImportError: dm_control is not installed, or lacks parts that the task needs.
    """
    with warnings.catch_warnings():
        # It looks for a screen, which nothing here needs.
        warnings.simplefilter("ignore")
        task = TASKS[name].compose()
    # The things that an episode draws are not at the origin, where MuJoCo would take a frame for
    # that of its body, also after it was moved.
    task.initialize_episode_mjcf(_random())
    root = task.root_entity.mjcf_model
    _add_platforms(root.find("body", "ground"), TASKS[name].most_platforms)
    return root.to_xml_string(), root.get_assets()
