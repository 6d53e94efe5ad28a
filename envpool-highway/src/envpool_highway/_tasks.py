# SPDX-License-Identifier: Apache-2.0
"""The ids of highway-env 1.12.1, as data: the configuration of each, in the package's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import pi
from typing import Any, NamedTuple

from envpool import Keys, Task, pixels

from ._configuration import DOCS, ITEM_DOCS, KEYS_OF_TYPE, UPSTREAM_NAMES, flat_options

MODULE = "envpool_highway._highway"
Config = Mapping[str, Any]

META_KEYS = Keys({"": 1, "up": 0, "down": 2, "right": 3, "left": 4})
LONGITUDINAL_KEYS = Keys({"": 1, "left": 0, "right": 2})
# Three values per axis: the pedals, then the wheel.
_BOTH_AXES = {"": 4, "up": 7, "down": 1, "left": 3, "right": 5}
_WHEEL = {"": 1, "left": 0, "right": 2}

# The configuration of the package's tasks, unless a task overrides it.
COMMON: Config = {
    "observation": {"type": "Kinematics"},
    "action": {"type": "DiscreteMetaAction"},
    "simulation_frequency": 15,
    "policy_frequency": 1,
    "other_vehicles_type": "highway_env.vehicle.behavior.IDMVehicle",
    "screen_width": 600,
    "screen_height": 150,
    "centering_position": [0.3, 0.5],
    "scaling": 5.5,
    "show_trajectories": False,
    "render_agent": True,
    "offscreen_rendering": True,
    "manual_control": False,
    "real_time_rendering": False,
    "neighbour_vehicles_connected_lanes": False,
}
_HIGHWAY: Config = {
    "lanes_count": 4,
    "vehicles_count": 50,
    "controlled_vehicles": 1,
    "initial_lane_id": None,
    "duration": 40,
    "ego_spacing": 2,
    "vehicles_density": 1,
    "collision_reward": -1,
    "right_lane_reward": 0.1,
    "high_speed_reward": 0.4,
    "lane_change_reward": 0,
    "reward_speed_range": [20, 30],
    "normalize_reward": True,
    "offroad_terminal": False,
}
_FAST: Config = {
    **_HIGHWAY,
    "simulation_frequency": 5,
    "lanes_count": 3,
    "vehicles_count": 20,
    "duration": 30,
    "ego_spacing": 1.5,
}
_DIRECTIONS = ["presence", "x", "y", "vx", "vy", "cos_h", "sin_h"]
_EXIT: Config = {
    **_HIGHWAY,
    "observation": {
        "type": "ExitObservation",
        "vehicles_count": 15,
        "features": _DIRECTIONS,
        "clip": False,
    },
    "action": {"type": "DiscreteMetaAction", "target_speeds": [18, 24, 30]},
    "simulation_frequency": 5,
    "scaling": 5,
    "lanes_count": 6,
    "vehicles_count": 20,
    "duration": 18,
    "vehicles_density": 1.5,
    "collision_reward": 0,
    "right_lane_reward": 0,
    "high_speed_reward": 0.1,
    "goal_reward": 1,
}
_MERGE: Config = {
    "collision_reward": -1,
    "right_lane_reward": 0.1,
    "high_speed_reward": 0.2,
    "reward_speed_range": [20, 30],
    "merging_speed_reward": -0.5,
    "lane_change_reward": -0.05,
}
_MERGE_GENERIC: Config = {
    **_MERGE,
    "lanes_count": 2,
    "vehicles_count": 3,
    "before_merge_length": 150,
    "converge_merge_length": 80,
    "parallel_merge_length": 80,
    "after_merge_length": 150,
}
_ROUNDABOUT: Config = {
    "observation": {
        "type": "Kinematics",
        "absolute": True,
        "features_range": {"x": [-100, 100], "y": [-100, 100], "vx": [-15, 15], "vy": [-15, 15]},
    },
    "action": {"type": "DiscreteMetaAction", "target_speeds": [0, 8, 16]},
    "screen_height": 600,
    "centering_position": [0.5, 0.6],
    "incoming_vehicle_destination": None,
    "collision_reward": -1,
    "high_speed_reward": 0.2,
    "right_lane_reward": 0,
    "lane_change_reward": -0.05,
    "duration": 11,
    "normalize_reward": True,
}
_ROUNDABOUT_GENERIC: Config = {
    **_ROUNDABOUT,
    "duration": 17,
    "roundabout_radius": 20,
    "roundabout_lanes": 2,
    "vehicles_count": 5,
}
_PARKING: Config = {
    "observation": {
        "type": "KinematicsGoal",
        "features": ["x", "y", "vx", "vy", "cos_h", "sin_h"],
        "scales": [100, 100, 5, 5, 1, 1],
        "normalize": False,
    },
    "action": {"type": "ContinuousAction"},
    "policy_frequency": 5,
    "screen_height": 300,
    "centering_position": [0.5, 0.5],
    "scaling": 7,
    "reward_weights": [1, 0.3, 0, 0, 0.02, 0.02],
    "success_goal_reward": 0.12,
    "collision_reward": -5,
    "steering_range": pi / 4,
    "duration": 100,
    "controlled_vehicles": 1,
    "vehicles_count": 0,
    "add_walls": True,
}
_CROSSING_RANGES = {"x": [-100, 100], "y": [-100, 100], "vx": [-20, 20], "vy": [-20, 20]}
_CROSSING_VIEW: Config = {
    "type": "Kinematics",
    "vehicles_count": 15,
    "features": _DIRECTIONS,
    "features_range": _CROSSING_RANGES,
    "absolute": True,
    "flatten": False,
    "observe_intentions": False,
}
_CROSSING_ACTION: Config = {
    "type": "DiscreteMetaAction",
    "longitudinal": True,
    "lateral": False,
    "target_speeds": [0, 4.5, 9],
}
_INTERSECTION: Config = {
    "observation": _CROSSING_VIEW,
    "action": _CROSSING_ACTION,
    "screen_height": 600,
    "centering_position": [0.5, 0.6],
    "scaling": 5.5 * 1.3,
    "duration": 13,
    "destination": "o1",
    "controlled_vehicles": 1,
    "initial_vehicle_count": 10,
    "spawn_probability": 0.6,
    "collision_reward": -5,
    "high_speed_reward": 1,
    "arrived_reward": 1,
    "reward_speed_range": [7.0, 9.0],
    "normalize_reward": False,
    "offroad_terminal": False,
}
_INTERSECTION_CONTINUOUS: Config = {
    **_INTERSECTION,
    "observation": {
        **_CROSSING_VIEW,
        "vehicles_count": 5,
        "features": ["presence", "x", "y", "vx", "vy", "long_off", "lat_off", "ang_off"],
    },
    "action": {
        "type": "ContinuousAction",
        "steering_range": [-pi / 3, pi / 3],
        "longitudinal": True,
        "lateral": True,
        "dynamical": True,
        "target_speeds": [0, 4.5, 9],
    },
}
_INTERSECTION_AGENTS: Config = {
    **_INTERSECTION,
    "observation": {"type": "MultiAgentObservation", "observation_config": _CROSSING_VIEW},
    "action": {"type": "MultiAgentAction", "action_config": _CROSSING_ACTION},
    "controlled_vehicles": 2,
}
_RACETRACK: Config = {
    "observation": {
        "type": "OccupancyGrid",
        "features": ["presence", "on_road"],
        "grid_size": [[-18, 18], [-18, 18]],
        "grid_step": [3, 3],
        "as_image": False,
        "align_to_vehicle_axes": True,
    },
    "action": {
        "type": "ContinuousAction",
        "longitudinal": False,
        "lateral": True,
        "target_speeds": [0, 5, 10],
    },
    "policy_frequency": 5,
    "screen_height": 600,
    "centering_position": [0.5, 0.5],
    "duration": 300,
    "collision_reward": -1,
    "lane_centering_cost": 4,
    "lane_centering_reward": 1,
    "action_reward": -0.3,
    "controlled_vehicles": 1,
    "other_vehicles": 1,
    "speed_limit": 10.0,
    "terminate_off_road": True,
}
_RACETRACK_OVAL: Config = {
    **_RACETRACK,
    "length": 100,
    "no_lanes": 3,
    "block_lane": False,
    "force_decision": False,
}
_TWO_WAY: Config = {
    "observation": {"type": "TimeToCollision", "horizon": 5},
    "collision_reward": 0,
    "left_lane_constraint": 1,
    "left_lane_reward": 0.2,
    "high_speed_reward": 0.8,
}
_U_TURN: Config = {
    "observation": {"type": "TimeToCollision", "horizon": 16},
    "action": {"type": "DiscreteMetaAction", "target_speeds": [8, 16, 24]},
    "screen_width": 789,
    "screen_height": 289,
    "duration": 10,
    "collision_reward": -1.0,
    "left_lane_reward": 0.1,
    "high_speed_reward": 0.4,
    "reward_speed_range": [8, 24],
    "normalize_reward": True,
    "offroad_terminal": False,
}
_LANE_KEEPING: Config = {
    "observation": {
        "type": "AttributesObservation",
        "attributes": ["state", "derivative", "reference_state"],
    },
    "action": {
        "type": "ContinuousAction",
        "steering_range": [-pi / 3, pi / 3],
        "longitudinal": False,
        "lateral": True,
        "dynamical": True,
    },
    "simulation_frequency": 10,
    "policy_frequency": 10,
    "screen_height": 250,
    "centering_position": [0.4, 0.5],
    "scaling": 7,
    "state_noise": 0.05,
    "derivative_noise": 0.05,
}

# Scenarios whose lists have items with EnvPool 1.2.5's own names.
NAMES_ITEMS = frozenset({"highway"})
# Keys of a scenario's configuration without an effect in the package: its racetracks have one kind
# of drivers, and tasks without traffic ignore the drivers' class.
_DRIVERS = frozenset({"other_vehicles_type"})
_ALONE = _DRIVERS | {"neighbour_vehicles_connected_lanes"}
UNUSED: Mapping[str, frozenset[str]] = {
    "highway": frozenset({"lane_change_reward"}),
    "exit": frozenset({"lane_change_reward", "initial_lane_id", "offroad_terminal"}),
    "roundabout": frozenset({"right_lane_reward"}),
    "roundabout_generic": frozenset({"right_lane_reward"}),
    "parking": _ALONE | {"steering_range"},
    "racetrack": _DRIVERS | {"speed_limit"},
    "racetrack_large": _DRIVERS,
    "racetrack_oval": _DRIVERS | {"speed_limit"},
    "two_way": frozenset({"collision_reward", "left_lane_constraint"}),
    "u_turn": frozenset({"offroad_terminal"}),
    "lane_keeping": _ALONE,
}


class Row(NamedTuple):
    """One id.

    Attributes:
        id: As the package registers it.
        alias: EnvPool 1.2.5's other spelling; empty if there is none.
        scenario: The road.
        config: The package's configuration, where it differs from COMMON.
        description: One sentence for people.
        ours: Options that the package lacks.
        limit: Steps after which an episode is truncated; 0: the number of steps of its duration.
    """

    id: str
    alias: str
    scenario: str
    config: Config
    description: str
    ours: Mapping[str, Any] = {}
    limit: int = 0


_CONNECTED = {"neighbour_vehicles_connected_lanes": True}
_SEES = ", among drivers who see cars past the end of their lane"


def _pair(
    name: str,
    alias: str,
    scenario: str,
    config: Config,
    text: str,
    versions: tuple[int, int] = (0, 1),
) -> list[Row]:
    """An id, and its variant whose drivers see cars on connected lanes."""
    first, second = (f"{name}-v{version}" for version in versions)
    return [
        Row(first, alias, scenario, config, f"{text}."),
        Row(second, "", scenario, {**config, **_CONNECTED}, f"{text}{_SEES}."),
    ]


_CROSS = "Cross an intersection where others have the right of way"
ROWS: tuple[Row, ...] = (
    Row(
        "highway-v0",
        "Highway-v0",
        "highway",
        _HIGHWAY,
        "Drive fast, and to the right, on a highway with 50 other cars.",
    ),
    Row(
        "highway-fast-v0",
        "HighwayFast-v0",
        "highway",
        _FAST,
        "The same with three lanes, 20 cars and fewer steps of simulation.",
        {"other_vehicles_check_collisions": False},
    ),
    *_pair("exit", "Exit-v0", "exit", _EXIT, "Get across six lanes to the exit of a highway"),
    *_pair("merge", "Merge-v0", "merge", _MERGE, "Make room for a car that comes up a ramp"),
    *_pair(
        "merge-generic",
        "",
        "merge_generic",
        _MERGE_GENERIC,
        "Make room for a car that comes up a ramp, on a road whose parts have options",
    ),
    *_pair("roundabout", "Roundabout-v0", "roundabout", _ROUNDABOUT, "Drive through a roundabout"),
    *_pair(
        "roundabout-generic",
        "",
        "roundabout_generic",
        _ROUNDABOUT_GENERIC,
        "Drive through a roundabout whose size and traffic have options",
    ),
    Row(
        "parking-v0",
        "Parking-v0",
        "parking",
        _PARKING,
        "Park in a given spot, in the right direction.",
    ),
    Row(
        "parking-ActionRepeat-v0",
        "ParkingActionRepeat-v0",
        "parking",
        {**_PARKING, "policy_frequency": 1, "duration": 20},
        "Park in a given spot, with one decision in a second.",
    ),
    Row(
        "parking-parked-v0",
        "ParkingParked-v0",
        "parking",
        {**_PARKING, "vehicles_count": 10},
        "Park in a given spot between ten cars.",
    ),
    *_pair("intersection", "Intersection-v0", "intersection", _INTERSECTION, _CROSS, (0, 2)),
    Row(
        "intersection-v1",
        "Intersection-v1",
        "intersection",
        _INTERSECTION_CONTINUOUS,
        "Drive through an intersection by pedals and wheel, in a car that slips.",
    ),
    Row(
        "intersection-multi-agent-v0",
        "IntersectionMultiAgent-v0",
        "intersection",
        _INTERSECTION_AGENTS,
        "Two cars cross an intersection; each is paid the mean.",
    ),
    Row(
        "intersection-multi-agent-v1",
        "IntersectionMultiAgent-v1",
        "intersection",
        _INTERSECTION_AGENTS,
        "Two cars cross an intersection; each is paid its own reward.",
        {"own_rewards": True},
    ),
    Row(
        "intersection-multi-agent-v2",
        "",
        "intersection",
        {**_INTERSECTION_AGENTS, **_CONNECTED},
        f"Two cars cross an intersection{_SEES}; each is paid its own reward.",
        {"own_rewards": True},
    ),
    *_pair("racetrack", "Racetrack-v0", "racetrack", _RACETRACK, "Steer around a track"),
    *_pair(
        "racetrack-large",
        "RacetrackLarge-v0",
        "racetrack_large",
        _RACETRACK,
        "Steer around a large track of three lanes",
    ),
    *_pair(
        "racetrack-oval",
        "RacetrackOval-v0",
        "racetrack_oval",
        _RACETRACK_OVAL,
        "Steer around an oval, whose lanes have options",
    ),
    Row(
        "two-way-v0",
        "TwoWay-v0",
        "two_way",
        _TWO_WAY,
        "Overtake on a road with oncoming traffic.",
        limit=15,
    ),
    *_pair("u-turn", "UTurn-v0", "u_turn", _U_TURN, "Overtake slow cars through a U-turn"),
    Row(
        "lane-keeping-v0",
        "LaneKeeping-v0",
        "lane_keeping",
        _LANE_KEEPING,
        "Steer a car that slips along a winding lane, from noisy measurements.",
        limit=200,
    ),
)


def _keys(action: Config) -> Keys:
    """The effect of keys, as in the package: wheel and pedals are fully at one side or at 0."""
    action = action.get("action_config", action)
    if action["type"] == "DiscreteMetaAction":
        return META_KEYS if action.get("lateral", True) else LONGITUDINAL_KEYS
    read = {key: action[key] for key in action if key in KEYS_OF_TYPE["DiscreteAction"]}
    actions = _BOTH_AXES if action.get("longitudinal", True) else _WHEEL
    return Keys(actions, {"action": {**read, "type": "DiscreteAction"}})


def tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    for row in ROWS:
        config = {**COMMON, **row.config}
        unused = UNUSED.get(row.scenario, frozenset())
        named = row.scenario in NAMES_ITEMS
        options = flat_options({key: v for key, v in config.items() if key not in unused})
        items = {name: float(options[key][i]) for name, (key, i) in UPSTREAM_NAMES.items() if named}
        limit: dict[str, Any] = {"max_episode_steps": row.limit} if row.limit else {}
        yield Task(
            row.id,
            f"{MODULE}:Highway",
            aliases=(row.alias,) if row.alias else (),
            description=row.description,
            config_docs={**DOCS, **(ITEM_DOCS if named else {})},
            fixed=("observation_configs",),
            keys=_keys(config["action"]),
            options={
                "config": {},
                "observation": {},
                "action": {},
                "render_agent": True,
                **items,
                **pixels.options(),
            },
            render_fps=2.0 * config["policy_frequency"],
            scenario=row.scenario,
            **options,
            **row.ours,
            **limit,
        )
