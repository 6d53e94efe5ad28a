# SPDX-License-Identifier: Apache-2.0
"""The reference of every task: highway-env's environment of the same id and configuration.

The package's intersections change the class of the drivers for all environments of the process.
`Reference` restores the class before each call, so that environments of several kinds can coexist.
"""

from __future__ import annotations

import numpy_rounding  # noqa: F401 (before NumPy)

# isort: split
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import gymnasium
import highway_env
import numpy as np
from envpool_highway import FAMILY
from highway_env.envs.common.observation import MultiAgentObservation
from highway_env.envs.intersection_env import IntersectionEnv
from highway_env.vehicle import behavior
from matrix import ALONE, OBSERVATIONS, OF_FRAMES, PAIRS

_CLASSES = [
    getattr(behavior, name)
    for name in ("IDMVehicle", "LinearVehicle", "AggressiveVehicle", "DefensiveVehicle")
]
_PARAMETERS = ("DISTANCE_WANTED", "COMFORT_ACC_MAX", "COMFORT_ACC_MIN")
_ORIGINAL = [{name: vars(c)[name] for name in _PARAMETERS if name in vars(c)} for c in _CLASSES]


@dataclass(frozen=True)
class Case:
    """One task with some configuration, and its reference.

    Attributes:
        task_id: The task, by the name that both have.
        config: The configuration, as `gymnasium.make(task_id, config=...)` and ours take it.
        frames: True if frames are compared, too.
        steps: Steps of each of four environments, over resets without a new seed.
        theirs: Additional configuration of the reference: a control, whose difference must show.
        limit: Steps after which an episode is cut short, for tasks that seldom end.
    """

    task_id: str
    config: Mapping[str, Any] = field(default_factory=dict)
    frames: bool = False
    steps: int = 500
    theirs: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None

    @property
    def own_rewards(self) -> bool:
        """True if each player has its own reward, which is among the infos."""
        return self.task_id in ("intersection-multi-agent-v1", "intersection-multi-agent-v2")

    def __str__(self) -> str:
        """The task and its special configuration, as the name of the test."""
        words = [f"{key}={value}" for key, value in self.config.items()]
        words += ["frames"] if self.frames else []
        words += [f"control: there {key}={value}" for key, value in self.theirs.items()]
        return f"{self.task_id}({', '.join(words)})" if words else self.task_id

    @property
    def reference(self) -> str:
        """The package and its version."""
        return f"highway-env {version('highway-env')}"


class Reference:
    """A reference environment, with the players of a pool as rows."""

    def __init__(self, case: Case) -> None:
        """Makes it."""
        options: dict[str, Any] = {"render_mode": "rgb_array"} if case.frames else {}
        config = {**case.config, **case.theirs}
        if config:
            options["config"] = config
        if case.limit is not None:
            options["max_episode_steps"] = case.limit
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ids with a newer version warn
            self._restore(None)
            self.env = gymnasium.make(case.task_id, disable_env_checker=True, **options)
        self.action_space = self.env.action_space
        self.info: Mapping[str, Any] = {}
        self.reward: Any = 0.0

    @property
    def world(self) -> Any:
        """The package's own environment."""
        return self.env.unwrapped

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        observation, self.info = self._call("reset", seed=seed)
        return self._rows(observation), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step; the reward and the infos are compared by themselves."""
        observation, reward, terminated, truncated, self.info = self._call("step", action)
        # The wrapper of agents returns tuples, of which the environment's own end is in the world.
        if isinstance(terminated, tuple):
            reward = self.world._reward(action)
            terminated = self.world._is_terminated()
        self.reward = reward
        return self._rows(observation), None, bool(terminated), truncated, {}

    def _rows(self, observation: Any) -> Any:
        """A row for each agent; of one array alone a pool makes no dict."""
        has_agents = isinstance(self.world.observation_type, MultiAgentObservation)
        rows = _stacked(observation if has_agents else (observation,))
        return next(iter(rows.values())) if isinstance(rows, dict) and len(rows) == 1 else rows

    def render(self) -> Any:
        """The frame."""
        return self.env.render()

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        self._restore(self.env.unwrapped)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of NaN in grids, and of unused routes
            return getattr(self.env, name)(*args, **kwargs)

    @staticmethod
    def _restore(world: Any) -> None:
        for kind, original in zip(_CLASSES, _ORIGINAL, strict=True):
            for name in _PARAMETERS:
                if name in vars(kind):
                    delattr(kind, name)
            for name, value in original.items():
                setattr(kind, name, value)
        if isinstance(world, IntersectionEnv):
            kind = highway_env.utils.class_from_path(world.config["other_vehicles_type"])
            for name, value in zip(_PARAMETERS, (7, 6, -3), strict=True):
                setattr(kind, name, value)


def _stacked(agents: Sequence[Any]) -> Any:
    """Observations of agents, each an array, or a dict or a tuple of such, as rows of one."""
    first = agents[0]
    if isinstance(first, tuple):
        return _stacked([{str(k): part for k, part in enumerate(agent)} for agent in agents])
    if isinstance(first, Mapping):
        return {key: _stacked([agent[key] for agent in agents]) for key in first}
    return np.stack(agents)


ID_CASES = tuple(Case(task.id) for task in FAMILY.envpool_tasks())


def _cases(task_id: str, *configs: Mapping[str, Any], steps: int = 60) -> tuple[Case, ...]:
    return tuple(Case(task_id, config, steps=steps) for config in configs)


def _drivers(name: str) -> dict[str, Any]:
    return {"other_vehicles_type": f"highway_env.vehicle.behavior.{name}"}


def _agents(observation: Mapping[str, Any], action: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "controlled_vehicles": 2,
        "observation": {"type": "MultiAgentObservation", "observation_config": observation},
        "action": {"type": "MultiAgentAction", "action_config": action},
    }


def _parts(*configs: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "TupleObservation", "observation_configs": list(configs)}


_FAST = "highway-fast-v0"
_ALL_FEATURES = [
    *("presence", "x", "y", "vx", "vy", "heading", "cos_h", "sin_h", "cos_d", "sin_d"),
    *("long_off", "lat_off", "ang_off"),
]
_TABLE = {"type": "Kinematics", "vehicles_count": 8}
_GRID = {"type": "OccupancyGrid"}
_GOAL = {"type": "KinematicsGoal", **OBSERVATIONS["KinematicsGoal"][1]}
_RANGES = {"x": [-50, 60], "y": [-10, 20], "vx": [-10, 30], "vy": [-5, 5]}
OPTION_CASES = (
    # Drivers.
    *_cases(_FAST, *(_drivers(f"{name}Vehicle") for name in ("Linear", "Aggressive", "Defensive"))),
    *_cases("intersection-v0", _drivers("LinearVehicle"), _drivers("DefensiveVehicle"), steps=40),
    *_cases("roundabout-v1", _drivers("AggressiveVehicle")),
    # Roads, traffic, time.
    *_cases(
        _FAST,
        {"lanes_count": 2, "vehicles_count": 7, "vehicles_density": 2, "ego_spacing": 1},
        {"initial_lane_id": 1, "duration": 5, "offroad_terminal": True},
        {"simulation_frequency": 10, "policy_frequency": 2, "controlled_vehicles": 2},
        {"simulation_frequency": 15, "policy_frequency": 4},
        {"neighbour_vehicles_connected_lanes": True},
        {"normalize_reward": False, "collision_reward": -3, "high_speed_reward": 1.5},
        {"reward_speed_range": [10, 28], "right_lane_reward": 0.7},
    ),
    *_cases(
        "exit-v0",
        {"lanes_count": 4, "vehicles_count": 9, "vehicles_density": 1, "goal_reward": 2},
        {"normalize_reward": False, "right_lane_reward": 0.25, "controlled_vehicles": 2},
    ),
    *_cases(
        "merge-generic-v0",
        {"lanes_count": 3, "vehicles_count": 6, "before_merge_length": 90},
        {"converge_merge_length": 50, "parallel_merge_length": 120, "after_merge_length": 95},
        {"lanes_count": 1, "merging_speed_reward": -1, "lane_change_reward": -0.2},
    ),
    *_cases(
        "roundabout-generic-v0",
        {"roundabout_lanes": 3, "roundabout_radius": 30, "vehicles_count": 8},
        {"roundabout_lanes": 1, "incoming_vehicle_destination": 3},
    ),
    *_cases("roundabout-v0", {"incoming_vehicle_destination": 1, "normalize_reward": False}),
    *_cases(
        "intersection-v0",
        {"destination": None, "initial_vehicle_count": 14, "spawn_probability": 0.9},
        {"normalize_reward": True, "offroad_terminal": True, "duration": 6},
        {"controlled_vehicles": 2, "simulation_frequency": 8},
        steps=40,
    ),
    *_cases(
        "parking-v0",
        {"vehicles_count": 30, "add_walls": False, "success_goal_reward": 0.4},
        {"reward_weights": [0.5, 1, 0.1, 0.1, 0.1, 0.2], "controlled_vehicles": 2},
    ),
    *_cases(
        "racetrack-v0",
        {"other_vehicles": 6, "lane_centering_cost": 2, "terminate_off_road": False},
        {"other_vehicles": 0, "action_reward": -0.7, "collision_reward": -2},
        {"controlled_vehicles": 2},
    ),
    *_cases("racetrack-large-v0", {"speed_limit": 14.0, "other_vehicles": 4}),
    *_cases(
        "racetrack-oval-v0",
        {"no_lanes": 5, "length": 160, "other_vehicles": 5},
        {"no_lanes": 2, "block_lane": True},
        {"force_decision": True, "other_vehicles": 3},
    ),
    *_cases("two-way-v0", {"left_lane_reward": 0.5, "high_speed_reward": 0.1}),
    *_cases("u-turn-v0", {"reward_speed_range": [4, 20], "normalize_reward": False}),
    *_cases("lane-keeping-v0", {"state_noise": 0.2, "derivative_noise": 0.0}),
    # Observations.
    *_cases(
        _FAST,
        {"observation": {**_TABLE, "features": _ALL_FEATURES, "see_behind": True}},
        {"observation": {**_TABLE, "absolute": True, "normalize": False}},
        {"observation": {**_TABLE, "order": "shuffled", "features_range": _RANGES}},
        {"observation": {**_TABLE, "clip": False, "include_obstacles": False}},
        {"observation": {"type": "TimeToCollision"}, "policy_frequency": 2},
        {"observation": {"type": "LidarObservation"}},
        {"observation": {"type": "LidarObservation", "cells": 37, "normalize": False}},
        {"observation": _GRID},
        {"observation": {**_GRID, "features": ["presence", "x", "vx", "cos_h"], "clip": False}},
        {"observation": {**_GRID, "as_image": True, "grid_step": [4, 2]}},
        {"observation": {**_GRID, "align_to_vehicle_axes": True, "features_range": _RANGES}},
    ),
    *_cases(
        "merge-v0",
        {"observation": {**_TABLE, "features": _ALL_FEATURES}},
        {"observation": {"type": "LidarObservation", "maximum_range": 40}},
    ),
    *_cases(
        "roundabout-v0",
        {"observation": {**_TABLE, "observe_intentions": True, "features": _ALL_FEATURES}},
        {"observation": {**_GRID, "features": ["on_road", "cos_d", "sin_d", "lat_off"]}},
        {"observation": {"type": "LidarObservation", "cells": 90}},
    ),
    *_cases("parking-v0", {"observation": {"type": "LidarObservation"}}),
    *_cases("exit-v0", {"observation": {"type": "ExitObservation", "order": "shuffled"}}),
    *_cases(
        "lane-keeping-v0",
        {"observation": {"type": "AttributesObservation", "attributes": ["derivative", "state"]}},
        {"observation": {"type": "Kinematics"}},
    ),
    # Several observations.
    *_cases(
        _FAST,
        {"observation": _parts(_TABLE, {"type": "TimeToCollision"}, _GRID)},
        {"observation": _parts(_GRID, {**_TABLE, "features_range": _RANGES, "order": "shuffled"})},
    ),
    *_cases("parking-v0", {"observation": _parts(_GOAL, {"type": "LidarObservation", "cells": 8})}),
    *_cases(
        "lane-keeping-v0",
        {"observation": _parts(_TABLE, {"type": "AttributesObservation", "attributes": ["state"]})},
    ),
    *_cases("exit-v0", {"observation": _parts({"type": "ExitObservation"})}),
    # Actions.
    *_cases(
        _FAST,
        {"action": {"type": "ContinuousAction"}},
        {"action": {"type": "ContinuousAction", "dynamical": True, "steering_range": [-0.2, 0.3]}},
        {"action": {"type": "ContinuousAction", "lateral": False, "acceleration_range": [-3, 2]}},
        {"action": {"type": "ContinuousAction", "speed_range": [10, 26], "clip": False}},
        {"action": {"type": "DiscreteAction"}},
        {"action": {"type": "DiscreteAction", "actions_per_axis": 6, "longitudinal": False}},
        {"action": {"type": "DiscreteMetaAction", "longitudinal": False}},
        {"action": {"type": "DiscreteMetaAction", "lateral": False}},
        {"action": {"type": "DiscreteMetaAction", "target_speeds": [15, 20, 25, 30, 35]}},
    ),
    *_cases("racetrack-v0", {"action": {"type": "ContinuousAction"}}),
    *_cases("roundabout-v0", {"action": {"type": "DiscreteAction", "lateral": False}}),
    # Agents.
    *_cases(_FAST, _agents(_TABLE, {"type": "DiscreteMetaAction"})),
    *_cases("racetrack-v0", _agents(_GRID, {"type": "ContinuousAction", "longitudinal": False})),
    *_cases(
        "intersection-multi-agent-v0",
        _agents({"type": "LidarObservation"}, {"type": "ContinuousAction"}),
        steps=40,
    ),
)
_GREY = {"type": "GrayscaleObservation", "observation_shape": (84, 60), "stack_size": 3}
_GREY |= {"weights": [0.2989, 0.5870, 0.1140]}
GREY_CASES = (
    *_cases(_FAST, {"observation": {**_GREY, "scaling": 1.75}}, steps=60),
    *_cases(_FAST, {"observation": _parts(_TABLE, {**_GREY, "scaling": 2})}, steps=60),
    *_cases(
        "roundabout-v0",
        {"observation": {**_GREY, "centering_position": [0.4, 0.7]}, "scaling": 3},
        steps=60,
    ),
)
# These environments of the package take no render_mode.
_FRAMELESS = ("parking-ActionRepeat-v0", "parking-parked-v0", "lane-keeping-v0")
FRAME_CASES = (
    *(Case(c.task_id, frames=True, steps=40) for c in ID_CASES if c.task_id not in _FRAMELESS),
    *(Case("merge-v0", {key: value}, frames=True, steps=40) for key, value in OF_FRAMES.items()),
    *(
        Case(task_id, config, frames=True, steps=40)
        for task_id, config in (
            (_FAST, {"observation": {"type": "LidarObservation"}}),
            (_FAST, {"action": {"type": "ContinuousAction"}}),
            (_FAST, _drivers("LinearVehicle")),
            (_FAST, {"screen_width": 333, "screen_height": 222, "scaling": 3.3}),
            ("merge-v0", {"observation": {"type": "LidarObservation", "cells": 9}}),
            ("parking-v0", {"vehicles_count": 12, "controlled_vehicles": 2}),
            ("racetrack-oval-v0", {"block_lane": True, "centering_position": [0.2, 0.6]}),
        )
    ),
)
ALONE_CASES = tuple(Case(task_id, config, steps=60) for task_id, config in ALONE)
PAIR_CASES = tuple(Case(task_id, config, steps=60) for task_id, config in PAIRS)
CASES = ID_CASES + ALONE_CASES + PAIR_CASES + OPTION_CASES + GREY_CASES + FRAME_CASES
CONTROLS = (
    Case(_FAST, theirs={"vehicles_density": 1.001}),
    Case("parking-v0", theirs={"reward_weights": [1, 0.3, 0, 0, 0.02, 0.0201]}),
    Case("racetrack-v0", theirs={"lane_centering_cost": 4.001}),
    Case("lane-keeping-v0", theirs={"state_noise": 0.0500001}),
)
