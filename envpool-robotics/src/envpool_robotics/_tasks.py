# SPDX-License-Identifier: Apache-2.0
"""The ids of Gymnasium-Robotics, with descriptions, and the meaning of their options.

An id of the old mujoco_py classes, as FetchReach-v1, is another name of the newest version, as in
EnvPool 1.2.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from envpool import Task
from envpool_mujoco import family

from ._maps import MAPS

MODULE = "envpool_robotics._robotics"

_COMMON = {
    "xml_file": "the model: a name in the package's assets, or a path that begins with '.', '~' "
    "or '/'",
    "frame_skip": "steps of the simulation that an action lasts",
    "frame_stack": "observations in one, the newest last",
    **family.OPTION_DOCS,
    **family.FIELD_DOCS,
}
_REWARD = {"reward_type": "'sparse' or 'dense'"}
_FETCH = {
    **_COMMON,
    **_REWARD,
    "distance_threshold": "metres within which a goal is reached",
    "has_object": "whether there is an object, which is to be at the goal",
    "block_gripper": "whether the gripper stays closed",
    "target_in_the_air": "whether half of the goals are above the table",
    "gripper_extra_height": "metres by which the gripper starts higher above the table",
    "target_offset_x": "metres by which goals are further away",
    "target_offset_y": "metres by which goals are further to the left",
    "target_offset_z": "has no effect, as in EnvPool: the height is the object's",
    "obj_range": "metres from the gripper within which the object starts, each way",
    "target_range": "metres from the gripper within which goals are, each way",
    **{f"initial_slide{i}": f"where slide {i} of the robot stands, in metres" for i in range(3)},
    **{f"initial_object_{axis}": "where the object is put down first, in metres" for axis in "xyz"},
}
_HAND_REACH = {
    **_COMMON,
    **_REWARD,
    "distance_threshold": "metres, the norm of all five fingertips' distances, within which the "
    "goal is reached",
}
_HAND_MANIPULATE = {
    **_COMMON,
    **_REWARD,
    "target_position": "'random', 'fixed': where the object is, or 'ignore': it does not count",
    "target_rotation": "'xyz': any, 'z': about the vertical, or 'parallel': that, with a side up",
    **{
        f"target_position_{end}{i}": f"metres from the object, the {end} end of axis {i}"
        for i in range(3)
        for end in ("low", "high")
    },
    "randomize_initial_position": "whether the object starts a few millimetres elsewhere each time",
    "randomize_initial_rotation": "whether it starts turned",
    "ignore_z_target_rotation": "whether the last Euler angle does not count",
    "distance_threshold": "metres within which the place is right",
    "rotation_threshold": "rad within which the rotation is right",
    "touch_get_obs": "'off', or what is observed of 92 touch sensors: 'sensordata', 'boolean', "
    "'log'",
}
_ADROIT = {**_COMMON, **_REWARD, "adroit_task": "'door', 'hammer', 'pen' or 'relocate'"}
_MAZE = {
    **_COMMON,
    **_REWARD,
    "maze_map": "a map by name, or rows of cells: 1 wall, 0 free, 'r' start, 'g' goal, 'c' both",
    "continuing_task": "whether an episode goes on when the goal is reached",
    "reset_target": "whether there is a new goal then",
    "position_noise_range": "part of a cell by which goals and starts are beside its middle",
}
_ANT = {
    "version": "whose rules: that of the task id",
    "forward_reward_weight": "of the info reward_forward; no weight changes the reward",
    "ctrl_cost_weight": "of the info reward_ctrl",
    "contact_cost_weight": "of the info reward_contact",
    "healthy_reward": "the info reward_survive of a healthy ant",
    "healthy_z_range": "heights of a healthy ant, in metres",
    "contact_force_range": "forces on bodies are clipped to this range",
}
_KITCHEN = {
    **_COMMON,
    "tasks_to_complete": "what is to be done, of seven things",
    "terminate_on_tasks_completed": "whether the episode ends when all is done",
    "remove_task_when_completed": "whether each is rewarded once",
    "robot_noise_ratio": "noise of the observed positions and velocities of the robot",
    "object_noise_ratio": "the same of what is in the kitchen",
}

# The family derives these from the map.
_MAZE_FIXED = (
    "cell_size",
    "least_distance",
    "camera_distance",
    "goal_cells",
    "start_cells",
    "map_rows",
)


class _Fetch(NamedTuple):
    """A task of the arm."""

    description: str
    options: dict[str, Any]


_OBJECT = {"has_object": True, "initial_slide0": 0.405}
# Options that only tasks with an object read.
_OF_OBJECT = (
    *("has_object", "target_in_the_air", "obj_range"),
    *(f"{what}_{axis}" for what in ("target_offset", "initial_object") for axis in "xyz"),
)
FETCH = {
    "Reach": _Fetch("Move a gripper to a goal.", {"xml_file": "fetch/reach.xml"}),
    "Push": _Fetch(
        "Push a box to a goal on a table.",
        {
            **_OBJECT,
            "xml_file": "fetch/push.xml",
            "target_in_the_air": False,
            "gripper_extra_height": 0.0,
        },
    ),
    "Slide": _Fetch(
        "Hit a puck so that it slides to a goal out of reach.",
        {
            **_OBJECT,
            "xml_file": "fetch/slide.xml",
            "target_in_the_air": False,
            "gripper_extra_height": -0.02,
            "target_offset_x": 0.4,
            "obj_range": 0.1,
            "target_range": 0.3,
            "initial_slide0": 0.05,
            "initial_object_x": 1.7,
            "initial_object_y": 1.1,
            "initial_object_z": 0.41,
        },
    ),
    "PickAndPlace": _Fetch(
        "Grasp a box and bring it to a goal, which may be in the air.",
        {**_OBJECT, "xml_file": "fetch/pick_and_place.xml", "block_gripper": False},
    ),
}
_ANY = {"target_position": "random", "target_rotation": "xyz"}
_TURN = {"target_position": "ignore"}
_PEN = {
    "randomize_initial_rotation": False,
    "ignore_z_target_rotation": True,
    "distance_threshold": 0.05,
}
# By object and by the middle of the id: the task with the object.
MANIPULATE: dict[str, dict[str, dict[str, Any]]] = {
    "Block": {
        "": _ANY,
        "RotateZ": {**_TURN, "target_rotation": "z"},
        "RotateParallel": {**_TURN, "target_rotation": "parallel"},
        "RotateXYZ": {**_TURN, "target_rotation": "xyz"},
    },
    "Egg": {"": _ANY, "Rotate": {**_TURN, "target_rotation": "xyz"}},
    "Pen": {"": {**_ANY, **_PEN}, "Rotate": {**_TURN, "target_rotation": "xyz", **_PEN}},
}
TOUCH = {"": "off", "_BooleanTouchSensors": "boolean", "_ContinuousTouchSensors": "sensordata"}
ADROIT = {
    "Door": "Undo a latch and open a door.",
    "Hammer": "Drive a nail into a board.",
    "Pen": "Turn a pen in the hand.",
    "Relocate": "Carry a ball to a place in the air.",
}


def tasks() -> Iterator[Task]:
    """153 tasks, 64 of which have a second id."""
    yield from _fetch()
    yield from _hand_reach()
    yield from _hand_manipulate()
    yield from _adroit()
    yield from _mazes()
    yield Task(
        "FrankaKitchen-v1",
        f"{MODULE}:Kitchen",
        description="Do up to seven things in a kitchen with an arm.",
        options=family.OPTIONS,
        config_docs=_KITCHEN,
        render_fps=12.5,
        max_episode_steps=280,
    )


def _rewards() -> Iterator[tuple[str, str]]:
    yield "", "sparse"
    yield "Dense", "dense"


def _fetch() -> Iterator[Task]:
    for name, (description, options) in FETCH.items():
        fixed = () if "has_object" in options else _OF_OBJECT
        for suffix, reward in _rewards():
            yield Task(
                f"Fetch{name}{suffix}-v4",
                f"{MODULE}:Fetch",
                description=description,
                aliases=(f"Fetch{name}{suffix}-v1",),
                options=family.OPTIONS,
                fixed=fixed,
                config_docs={k: v for k, v in _FETCH.items() if k not in fixed},
                render_fps=25,
                max_episode_steps=50,
                reward_type=reward,
                **options,
            )


def _hand_reach() -> Iterator[Task]:
    for suffix, reward in _rewards():
        yield Task(
            f"HandReach{suffix}-v3",
            f"{MODULE}:HandReach",
            description="Bring the five fingertips of a hand to five places.",
            aliases=(f"HandReach{suffix}-v0",),
            options=family.OPTIONS,
            config_docs=_HAND_REACH,
            render_fps=25,
            max_episode_steps=50,
            reward_type=reward,
        )


def _hand_manipulate() -> Iterator[Task]:
    for thing, kinds in MANIPULATE.items():
        for kind, options in kinds.items():
            for touch, observed in TOUCH.items():
                file = f"hand/manipulate_{thing.lower()}"
                for suffix, reward in _rewards():
                    name = f"HandManipulate{thing}{kind}{touch}{suffix}"
                    aliases = [f"{name}-v0"]
                    if not kind and not touch:
                        aliases += [f"HandManipulate{thing}Full{suffix}-v{v}" for v in (0, 1)]
                    yield Task(
                        f"{name}-v1",
                        f"{MODULE}:HandManipulate",
                        description=f"Turn {'an' if thing == 'Egg' else 'a'} {thing.lower()} in "
                        "the hand until it is as the goal says.",
                        aliases=aliases,
                        options=family.OPTIONS,
                        config_docs=_HAND_MANIPULATE,
                        render_fps=25,
                        max_episode_steps=100,
                        reward_type=reward,
                        xml_file=f"{file}_touch_sensors.xml" if touch else f"{file}.xml",
                        touch_get_obs=observed,
                        **options,
                    )


def _adroit() -> Iterator[Task]:
    for name, description in ADROIT.items():
        for suffix, reward in (("", "dense"), ("Sparse", "sparse")):
            yield Task(
                f"AdroitHand{name}{suffix}-v1",
                f"{MODULE}:Adroit",
                description=description,
                options=family.OPTIONS,
                config_docs=_ADROIT,
                render_fps=100,
                max_episode_steps=200,
                reward_type=reward,
                adroit_task=name.lower(),
                xml_file=f"adroit_hand/adroit_{name.lower()}.xml",
            )


def _mazes() -> Iterator[Task]:
    options = {**family.OPTIONS, "maze_map": None}
    point_steps = {"UMaze": 300, "Open": 300, "Medium": 600, "Large": 800}
    for maze in MAPS:
        size = maze.split("_")[0]
        for suffix, reward in _rewards():
            yield Task(
                f"PointMaze_{maze}{suffix}-v3",
                f"{MODULE}:PointMaze",
                description="Push a ball through a maze to a goal.",
                options=options,
                fixed=_MAZE_FIXED,
                config_docs=_MAZE,
                render_fps=100,
                max_episode_steps=point_steps[size],
                reward_type=reward,
                maze_map=maze,
            )
            for version in (3, 4, 5):
                yield Task(
                    f"AntMaze_{maze}{suffix}-v{version}",
                    f"{MODULE}:AntMaze",
                    description="Walk on four legs through a maze to a goal.",
                    options=options,
                    fixed=_MAZE_FIXED,
                    config_docs={**_MAZE, **_ANT},
                    render_fps=20,
                    max_episode_steps=700 if size in ("UMaze", "Open") else 1000,
                    reward_type=reward,
                    maze_map=maze,
                    version=version,
                )
