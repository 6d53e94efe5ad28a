# SPDX-License-Identifier: Apache-2.0
"""Every option of highway-env's configuration with another value: alone, and in random pairs.

`ALONE` and `PAIRS` have an id and a configuration each, as `gymnasium.make` takes them. The tests
compare the keys of these tables with the package's keys, so that no key is forgotten.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Config = Mapping[str, Any]

# Keys of every id.
OF_ALL: Config = {
    "simulation_frequency": 20,
    "policy_frequency": 4,
    "other_vehicles_type": "highway_env.vehicle.behavior.AggressiveVehicle",
    "neighbour_vehicles_connected_lanes": True,
}
_ROAD: Config = {
    "lanes_count": 5,
    "vehicles_count": 8,
    "controlled_vehicles": 2,
    "duration": 4,
    "ego_spacing": 1.25,
    "vehicles_density": 1.3,
    "collision_reward": -2.5,
    "right_lane_reward": 0.3,
    "high_speed_reward": 0.7,
    "reward_speed_range": [12, 27],
    "normalize_reward": False,
}
_MERGE: Config = {
    "collision_reward": -2.5,
    "right_lane_reward": 0.3,
    "high_speed_reward": 0.7,
    "reward_speed_range": [12, 27],
    "merging_speed_reward": -0.8,
    "lane_change_reward": -0.15,
}
_ROUNDABOUT: Config = {
    "incoming_vehicle_destination": 2,
    "collision_reward": -2.5,
    "high_speed_reward": 0.7,
    "lane_change_reward": -0.15,
    "duration": 4,
    "normalize_reward": False,
}
_PARKING: Config = {
    "reward_weights": [0.7, 0.5, 0.1, 0.1, 0.05, 0.2],
    "success_goal_reward": 0.4,
    "collision_reward": -2.5,
    "duration": 4,
    "controlled_vehicles": 2,
    "vehicles_count": 8,
    "add_walls": False,
}
_INTERSECTION: Config = {
    "duration": 4,
    "destination": "o3",
    "controlled_vehicles": 2,
    "initial_vehicle_count": 6,
    "spawn_probability": 0.9,
    "collision_reward": -2.5,
    "high_speed_reward": 0.7,
    "arrived_reward": 1.5,
    "reward_speed_range": [2.0, 8.0],
    "normalize_reward": True,
    "offroad_terminal": True,
}
_RACETRACK: Config = {
    "duration": 4,
    "collision_reward": -2.5,
    "lane_centering_cost": 2.5,
    "lane_centering_reward": 0.6,
    "action_reward": -0.1,
    "controlled_vehicles": 2,
    "other_vehicles": 4,
    "terminate_off_road": False,
}
# Keys of a task, by its id.
OF_TASKS: Mapping[str, Config] = {
    "highway-fast-v0": {**_ROAD, "initial_lane_id": 1, "offroad_terminal": True},
    "exit-v0": {**_ROAD, "goal_reward": 2.0},
    "merge-v0": _MERGE,
    "merge-generic-v0": {
        **_MERGE,
        "lanes_count": 3,
        "vehicles_count": 6,
        "before_merge_length": 90,
        "converge_merge_length": 60,
        "parallel_merge_length": 110,
        "after_merge_length": 170,
    },
    "roundabout-v0": _ROUNDABOUT,
    "roundabout-generic-v0": {
        **_ROUNDABOUT,
        "roundabout_lanes": 3,
        "roundabout_radius": 27,
        "vehicles_count": 8,
    },
    "parking-v0": _PARKING,
    "intersection-v0": _INTERSECTION,
    "racetrack-v0": _RACETRACK,
    "racetrack-oval-v0": {
        **_RACETRACK,
        "length": 130,
        "no_lanes": 4,
        "block_lane": True,
        "force_decision": True,
    },
    "two-way-v0": {"left_lane_reward": 0.5, "high_speed_reward": 0.3},
    "u-turn-v0": {
        "collision_reward": -2.5,
        "left_lane_reward": 0.5,
        "high_speed_reward": 0.3,
        "reward_speed_range": [4, 20],
        "duration": 4,
        "normalize_reward": False,
    },
    "lane-keeping-v0": {"state_noise": 0.2, "derivative_noise": 0.1},
}
# Keys of the package without an effect in these tasks; ours refuses them.
_DRIVERS = frozenset({"other_vehicles_type"})
_NOBODY = _DRIVERS | {"neighbour_vehicles_connected_lanes"}
UNREAD: Mapping[str, frozenset[str]] = {
    "highway-fast-v0": frozenset({"lane_change_reward"}),
    "exit-v0": frozenset({"lane_change_reward", "initial_lane_id", "offroad_terminal"}),
    "roundabout-v0": frozenset({"right_lane_reward"}),
    "roundabout-generic-v0": frozenset({"right_lane_reward"}),
    "parking-v0": _NOBODY | {"steering_range"},
    "racetrack-v0": _DRIVERS | {"speed_limit"},
    "racetrack-oval-v0": _DRIVERS | {"speed_limit"},
    "two-way-v0": frozenset({"collision_reward", "left_lane_constraint"}),
    "u-turn-v0": frozenset({"offroad_terminal"}),
    "lane-keeping-v0": _NOBODY,
}
# Keys of frames, and of the package's own window.
OF_FRAMES: Config = {
    "screen_width": 333,
    "screen_height": 222,
    "centering_position": [0.2, 0.6],
    "scaling": 3.3,
}
OF_WINDOWS = frozenset(
    {"show_trajectories", "render_agent", "offscreen_rendering", "manual_control"}
    | {"real_time_rendering"}
)

_FEATURES = [
    *("presence", "x", "y", "vx", "vy", "heading", "cos_h", "sin_h", "cos_d", "sin_d"),
    *("long_off", "lat_off", "ang_off"),
]
_RANGES = {"x": [-50, 60], "y": [-10, 20], "vx": [-10, 30], "vy": [-5, 5]}
_TABLE: Config = {
    "features": _FEATURES,
    "vehicles_count": 9,
    "features_range": _RANGES,
    "absolute": True,
    "order": "shuffled",
    "normalize": False,
    "clip": False,
    "see_behind": True,
    "observe_intentions": True,
    "include_obstacles": False,
}
_CARS = {key: value for key, value in _TABLE.items() if key != "include_obstacles"}
# Keys of each kind of observation and action, with ids that have it and the configuration that it
# requires.
OBSERVATIONS: Mapping[str, tuple[tuple[str, ...], Config, Config]] = {
    "Kinematics": (("highway-fast-v0", "merge-v0", "roundabout-v0"), {}, _TABLE),
    "ExitObservation": (
        ("exit-v0",),
        {},
        {k: v for k, v in _TABLE.items() if k != "include_obstacles"},
    ),
    "OccupancyGrid": (
        ("highway-fast-v0", "racetrack-v0", "roundabout-v0"),
        {},
        {
            "features": ["presence", "x", "vx", "cos_h", "on_road"],
            "grid_size": [[-30, 30], [-12, 12]],
            "grid_step": [4, 3],
            "features_range": _RANGES,
            "align_to_vehicle_axes": True,
            "clip": False,
            "as_image": True,
        },
    ),
    "TimeToCollision": (("highway-fast-v0", "two-way-v0", "u-turn-v0"), {}, {"horizon": 7}),
    "KinematicsGoal": (
        ("parking-v0",),
        {
            "features": ["x", "y", "vx", "vy", "cos_h", "sin_h"],
            "scales": [100, 100, 5, 5, 1, 1],
        },
        {"features": ["y", "x", "vy", "vx", "sin_h", "cos_h"], "scales": [50, 60, 7, 5, 2, 1]},
    ),
    "AttributesObservation": (
        ("lane-keeping-v0",),
        {"attributes": ["state"]},
        {"attributes": ["derivative", "state"]},
    ),
    "LidarObservation": (
        ("highway-fast-v0", "merge-v0", "parking-v0"),
        {},
        {"cells": 37, "maximum_range": 45, "normalize": False},
    ),
}
_PEDALS: Config = {
    "acceleration_range": [-3, 2],
    "steering_range": [-0.2, 0.3],
    "longitudinal": False,
    "lateral": False,
    "dynamical": True,
    "clip": False,
}
ACTIONS: Mapping[str, tuple[tuple[str, ...], Config, Config]] = {
    "ContinuousAction": (
        ("highway-fast-v0", "racetrack-v0", "parking-v0"),
        {},
        {**_PEDALS, "speed_range": [-2, 14]},
    ),
    "DiscreteAction": (
        ("highway-fast-v0", "roundabout-v0"),
        {},
        {**_PEDALS, "actions_per_axis": 6},
    ),
    "DiscreteMetaAction": (
        ("highway-fast-v0", "roundabout-v0", "merge-v0"),
        {},
        {"longitudinal": False, "lateral": False, "target_speeds": [10, 16, 20, 24]},
    ),
}
# Keys that raise an error in the package, or that it does not read: ours refuses them.
REFUSED = frozenset({("OccupancyGrid", "absolute"), ("ExitObservation", "include_obstacles")})


def _parts() -> Iterator[tuple[str, Config]]:
    """Observations and actions: each kind with its defaults, and with one other key."""
    for part, kinds in (("observation", OBSERVATIONS), ("action", ACTIONS)):
        for kind, (ids, needed, keys) in kinds.items():
            written = {"type": kind, **needed}
            for number, config in enumerate([written, *({**written, k: keys[k]} for k in keys)]):
                yield ids[number % len(ids)], {part: config}


def _alone() -> Iterator[tuple[str, Config]]:
    for task_id, keys in OF_TASKS.items():
        for key, value in {**OF_ALL, **keys}.items():
            yield task_id, {key: value}
    yield from _parts()


def _pairs(count: int) -> Iterator[tuple[str, Config]]:
    """Two different keys of one id; the same pairs on every machine."""
    draw = random.Random(2024)
    ids = sorted({task_id for task_id, _ in _LISTED})
    for _ in range(count):
        chosen = draw.choice(ids)
        configs = [config for task_id, config in _LISTED if task_id == chosen]
        one = draw.choice(configs)
        two = draw.choice([config for config in configs if config.keys() != one.keys()])
        yield chosen, {**one, **two}


def _read(cases: Iterable[tuple[str, Config]]) -> tuple[tuple[str, Config], ...]:
    """The cases whose keys the package reads."""
    return tuple((i, config) for i, config in cases if not config.keys() & UNREAD.get(i, set()))


_LISTED = tuple(_alone())
ALONE = _read(_LISTED)
PAIRS = _read(_pairs(80))
