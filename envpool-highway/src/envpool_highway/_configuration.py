# SPDX-License-Identifier: Apache-2.0
"""Converts highway-env's configuration, a dict with dicts in it, to an environment's options.

A key of the dict "observation" or "action" becomes an option with this word before it, so that
{"observation": {"type": "Kinematics", "absolute": True}} is observation_type="Kinematics",
observation_absolute=True. As in the package, a given dict replaces the whole default dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import pi
from typing import Any

# The options of observations and actions, with the defaults of the package's classes.
OBSERVATION_DEFAULTS: Mapping[str, object] = {
    "observation_type": "Kinematics",
    "observation_features": [],
    "observation_vehicles_count": 5,
    "observation_features_range": {},
    "observation_absolute": False,
    "observation_order": "sorted",
    "observation_normalize": True,
    "observation_clip": True,
    "observation_see_behind": False,
    "observation_observe_intentions": False,
    "observation_include_obstacles": True,
    "observation_grid_size": [[-27.5, 27.5], [-27.5, 27.5]],
    "observation_grid_step": [5, 5],
    "observation_align_to_vehicle_axes": False,
    "observation_as_image": False,
    "observation_horizon": 10,
    "observation_cells": 16,
    "observation_maximum_range": 60,
    "observation_scales": [],
    "observation_attributes": ["state", "derivative", "reference_state"],
    "observation_shape": [84, 84],
    "observation_stack_size": 4,
    "observation_weights": [0.2989, 0.5870, 0.1140],
    "observation_scaling": 0.0,
    "observation_centering_position": [],
    "observation_configs": [],
}
ACTION_DEFAULTS: Mapping[str, object] = {
    "action_type": "DiscreteMetaAction",
    "action_longitudinal": True,
    "action_lateral": True,
    "action_target_speeds": [20, 25, 30],
    "action_acceleration_range": [-5, 5],
    "action_steering_range": [-pi / 4, pi / 4],
    "action_speed_range": [],
    "action_dynamical": False,
    "action_clip": True,
    "action_actions_per_axis": 3,
}

_TABLE = "features vehicles_count features_range absolute order normalize clip see_behind "
# The keys that each kind of observation and action reads.
KEYS_OF_TYPE: Mapping[str, frozenset[str]] = {
    name: frozenset(keys.split())
    for name, keys in {
        "Kinematics": _TABLE + "observe_intentions include_obstacles",
        "ExitObservation": _TABLE + "observe_intentions",
        "OccupancyGrid": "features grid_size grid_step features_range absolute "
        "align_to_vehicle_axes clip as_image",
        "TimeToCollision": "horizon",
        "KinematicsGoal": "features scales",
        "AttributesObservation": "attributes",
        "LidarObservation": "cells maximum_range normalize",
        "GrayscaleObservation": "shape stack_size weights scaling centering_position",
        "TupleObservation": "configs",
        "DiscreteMetaAction": "longitudinal lateral target_speeds",
        "ContinuousAction": "acceleration_range steering_range speed_range longitudinal lateral "
        "dynamical clip",
        "DiscreteAction": "acceleration_range steering_range longitudinal lateral dynamical clip "
        "actions_per_axis",
    }.items()
}
# Keys that the package has but does not read, or that concern its own window, with the values that
# describe the actual behavior.
WITHOUT_EFFECT: Mapping[str, tuple[object, ...]] = {
    "show_trajectories": (False,),
    "render_agent": (True,),
    "offscreen_rendering": (True, None),
    "manual_control": (False,),
    "real_time_rendering": (False,),
}
# Keys of the dict "observation" in kinds that do not read them, with the same meaning of values.
WITHOUT_EFFECT_IN_PART: Mapping[str, tuple[object, ...]] = {
    "observation_flatten": (False,),
    "observation_normalize": (False,),  # for a KinematicsGoal
}
# The values that represent the package's None.
NONE_OF: Mapping[str, object] = {
    "initial_lane_id": -1,
    "incoming_vehicle_destination": -1,
    "destination": "",
    "observation_features": [],
    "observation_features_range": {},
    "observation_scaling": 0.0,
    "observation_centering_position": [],
    "action_speed_range": [],
    "action_acceleration_range": ACTION_DEFAULTS["action_acceleration_range"],
    "action_steering_range": ACTION_DEFAULTS["action_steering_range"],
    "action_target_speeds": ACTION_DEFAULTS["action_target_speeds"],
}
# EnvPool 1.2.5's names of the items of lists: it has no lists.
UPSTREAM_NAMES: Mapping[str, tuple[str, int]] = {
    "reward_speed_low": ("reward_speed_range", 0),
    "reward_speed_high": ("reward_speed_range", 1),
    "centering_position_x": ("centering_position", 0),
    "centering_position_y": ("centering_position", 1),
}
_MULTI = {"observation": "MultiAgentObservation", "action": "MultiAgentAction"}


def flat_options(config: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a configuration of the package.

    Keys that the package does not read are left out; `_prepare` handles them.
    """
    options: dict[str, Any] = {}
    for key, value in config.items():
        if key in _MULTI:
            options |= flat_part(key, value)
        elif key not in WITHOUT_EFFECT:
            options[key] = NONE_OF[key] if value is None and key in NONE_OF else value
    if "other_vehicles_type" in options:
        options["other_vehicles_type"] = str(options["other_vehicles_type"]).rpartition(".")[2]
    if options.get("multi_agent"):
        options["max_num_players"] = options.get("controlled_vehicles", 1)
    return options


def flat_part(part: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the dict "observation" or "action", with defaults for missing keys."""
    options: dict[str, Any] = {}
    if config.get("type") == _MULTI[part]:
        options["multi_agent"] = True
        config = config[f"{part}_config"]
    options |= OBSERVATION_DEFAULTS if part == "observation" else ACTION_DEFAULTS
    for name, value in config.items():
        key = option_name(part, name)
        if key in options:
            options[key] = NONE_OF[key] if value is None and key in NONE_OF else value
    if part == "observation":
        parts = options["observation_configs"]
        options["observation_configs"] = [encoded_observation(config) for config in parts]
    return options


def encoded_observation(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """One observation of a TupleObservation as the compiled option: numbers and words."""
    numbers: dict[str, Any] = {}
    words: dict[str, Any] = {}
    for name, value in flat_part("observation", config).items():
        key = name.removeprefix("observation_")
        if value == OBSERVATION_DEFAULTS[name]:
            continue
        if isinstance(value, Mapping):
            numbers |= {f"{key}.{feature}": list(of) for feature, of in value.items()}
            continue
        items = list(value) if isinstance(value, (list, tuple)) else [value]
        if items and isinstance(items[0], (list, tuple)):
            items = [number for row in items for number in row]
        (words if isinstance(items[0], str) else numbers)[key] = items
    return numbers, words


def option_name(part: str, name: str) -> str:
    """The option's name for a key of the dict `part`."""
    return name if name.startswith(f"{part}_") else f"{part}_{name}"


def applying(options: Mapping[str, Any]) -> set[str]:
    """The options of observations and actions that have an effect with these types."""
    names: set[str] = set()
    for part in _MULTI:
        keys: Iterable[str] = KEYS_OF_TYPE.get(options[f"{part}_type"], frozenset())
        names |= {f"{part}_type", *(f"{part}_{key}" for key in keys)}
    return names


DOCS: Mapping[str, str] = {
    "config": "highway-env's configuration, as gymnasium.make takes it; keys replace whole",
    "observation": "its key observation: a dict with a type and that type's options",
    "action": "its key action: a dict with a type and that type's options",
    "scenario": "the road, of which the id is a choice of options",
    "duration": "seconds after which an episode is truncated; 0: never",
    "simulation_frequency": "steps of the simulation in a second",
    "policy_frequency": "decisions in a second",
    "other_vehicles_type": "who drives the other cars: IDMVehicle, LinearVehicle, "
    "AggressiveVehicle or DefensiveVehicle",
    "neighbour_vehicles_connected_lanes": "whether drivers see cars past the end of their lane",
    "multi_agent": "whether each of the controlled vehicles is a player with a row of its own",
    "own_rewards": "whether each player is paid what its own car earns, and not what all get",
    "screen_width": "of frames, in pixels",
    "screen_height": "of frames, in pixels",
    "scaling": "of frames, in pixels per metre",
    "centering_position": "where the first agent's car is in a frame, as shares of its size",
    "collision_reward": "weight of a crash in the reward",
    "high_speed_reward": "weight of speed in the reward",
}
ITEM_DOCS: Mapping[str, str] = {
    name: f"EnvPool 1.2.5's name of {'the second' if place else 'the first'} item of {option}"
    for name, (option, place) in UPSTREAM_NAMES.items()
}
