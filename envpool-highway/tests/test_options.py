# SPDX-License-Identifier: Apache-2.0
"""Ids, spaces, configurations and refusals: highway-env's, and EnvPool 1.2.5's spellings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

# isort: off
import matrix
from references import Case, Reference

# isort: on
import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError, SavedStateError
from envpool_highway import FAMILY
from gymnasium import spaces
from highway_env.envs.common import action, observation

# EnvPool 1.2.5's ids that the package lacks.
_UPSTREAM = (
    *("Highway-v0", "HighwayFast-v0", "Exit-v0", "Merge-v0", "Roundabout-v0", "Parking-v0"),
    *("ParkingActionRepeat-v0", "ParkingParked-v0", "Intersection-v0", "Intersection-v1"),
    *("IntersectionMultiAgent-v0", "IntersectionMultiAgent-v1", "Racetrack-v0"),
    *("RacetrackLarge-v0", "RacetrackOval-v0", "TwoWay-v0", "UTurn-v0", "LaneKeeping-v0"),
)


def _parts(*configs: Any) -> dict[str, Any]:
    return {"type": "TupleObservation", "observation_configs": list(configs)}


def test_ids_are_the_packages_and_upstreams() -> None:
    theirs = {
        spec.id for spec in gymnasium.registry.values() if "highway_env" in str(spec.entry_point)
    }
    ours = {name for task in FAMILY.envpool_tasks() for name in task.names}
    assert ours == theirs | set(_UPSTREAM)
    assert len(theirs) == 31


@pytest.mark.parametrize("task_id", [task.id for task in FAMILY.envpool_tasks()])
def test_spaces_and_limits_are_the_packages(task_id: str) -> None:
    env = Reference(Case(task_id)).env
    spec = envpool.make_spec(task_id)
    observation, action = env.observation_space, env.action_space
    if isinstance(observation, spaces.Tuple):  # a row for each agent
        assert isinstance(action, spaces.Tuple)
        observation, action = observation[0], action[0]
    assert spec.observation_space == observation
    assert spec.action_space == action
    assert env.spec is not None
    limit = env.spec.max_episode_steps
    assert spec.config.max_episode_steps == (2**31 - 1 if limit is None else limit)


def test_defaults_of_types_are_the_compiled_ones() -> None:
    """The defaults of a dict "observation" or "action" equal the defaults in C++."""
    plain = envpool.make_spec("highway-v0").config._asdict()
    given: Any = {"observation": {"type": "Kinematics"}, "action": {"type": "DiscreteMetaAction"}}
    written = envpool.make_spec("highway-v0", **given).config._asdict()
    for key, value in plain.items():
        if key.startswith(("observation_", "action_")):
            assert written[key] == value, key


@pytest.mark.parametrize("task_id", [task.id for task in FAMILY.envpool_tasks()])
def test_no_key_of_the_package_is_forgotten(task_id: str) -> None:
    """tests/matrix.py gives every key another value."""
    keys = set(Reference(Case(task_id)).world.default_config()) - {"observation", "action"}
    own = keys - matrix.OF_ALL.keys() - matrix.OF_FRAMES.keys() - matrix.OF_WINDOWS
    assert len(keys - own) == 13
    known = [{*matrix.OF_TASKS[i], *matrix.UNREAD.get(i, ())} for i in matrix.OF_TASKS]
    assert own in [keys - matrix.OF_ALL.keys() for keys in known]


@pytest.mark.parametrize(
    ("module", "kind", "keys"),
    [
        (module, kind, {*needed, *keys})
        for module, kinds in ((observation, matrix.OBSERVATIONS), (action, matrix.ACTIONS))
        for kind, (_, needed, keys) in kinds.items()
    ],
)
def test_no_key_of_a_type_is_forgotten(module: Any, kind: str, keys: set[str]) -> None:
    names = {"Kinematics": "KinematicObservation", "OccupancyGrid": "OccupancyGridObservation"}
    names |= {"TimeToCollision": "TimeToCollisionObservation"}
    names |= {"KinematicsGoal": "KinematicsGoalObservation"}
    found = set(inspect.signature(getattr(module, names.get(kind, kind)).__init__).parameters)
    refused = {key for of, key in matrix.REFUSED if of == kind}
    assert found - {"self", "env", "kwargs"} <= keys | refused
    for key in refused:
        task_id, given = matrix.OBSERVATIONS[kind][0][0], {"type": kind, key: key == "absolute"}
        with pytest.raises(ConfigError, match=key):
            envpool.make(task_id, observation=given)


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ({"config": {"lanes_count": 3}}, {"lanes_count": 3}),
        (
            {"config": {"observation": {"type": "Kinematics", "absolute": True}}},
            {"observation_absolute": True},
        ),
        ({"config": {"initial_lane_id": None}}, {}),
        ({"config": {"other_vehicles_type": "highway_env.vehicle.behavior.IDMVehicle"}}, {}),
        ({"config": {"other_vehicles_type": "IDMVehicle"}}, {}),
        ({"reward_speed_low": 22}, {"reward_speed_range": [22, 30]}),
        (
            {"reward_speed_high": 26, "centering_position_y": 0.2},
            {"reward_speed_range": [20, 26], "centering_position": [0.3, 0.2]},
        ),
        ({"config": {"lane_change_reward": 0, "offscreen_rendering": True}}, {}),
    ],
)
def test_a_configuration_is_options(options: Mapping[str, Any], same: Mapping[str, Any]) -> None:
    episodes, lists = [], []
    for given in (options, same):
        with envpool.make("highway-v0", num_envs=2, seed=5, vehicles_count=9, **given) as pool:
            pool.reset()
            steps = [pool.step(np.array([3, 0])) for _ in range(3)]
            config = pool.spec.config
            episodes.append([np.append(obs.ravel(), reward) for obs, reward, *_ in steps])
        lists.append((config.reward_speed_range, config.centering_position))
    np.testing.assert_array_equal(episodes[0], episodes[1])
    assert lists[0] == lists[1]


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("highway-v0", {"config": {"lane_count": 3}}, "lanes_count"),
        ("highway-v0", {"config": 3}, "a dict"),
        ("highway-v0", {"config": {"lanes_count": 3}, "lanes_count": 3}, "two values"),
        ("highway-v0", {"config": {"manual_control": True}}, "would do nothing"),
        ("highway-v0", {"lane_change_reward": -1.0}, "would do nothing"),
        ("highway-v0", {"config": {"lane_change_reward": -1.0}}, "would do nothing"),
        ("highway-v0", {"goal_reward": 2.0}, "an option that this task does not read"),
        ("merge-v0", {"duration": 10}, "does not read"),
        ("racetrack-v0", {"other_vehicles_type": "LinearVehicle"}, "would do nothing"),
        ("parking-v0", {"neighbour_vehicles_connected_lanes": True}, "would do nothing"),
        ("highway-v0", {"observation": {"type": "Kinematic"}}, "Kinematics"),
        ("highway-v0", {"observation": {"type": "Kinematics", "feature": ["x"]}}, "features"),
        ("highway-v0", {"observation": {"type": "Kinematics", "horizon": 5}}, "does not read"),
        ("highway-v0", {"observation_horizon": 5}, "does not read"),
        ("highway-v0", {"observation_features": ["x", "yy"]}, "features"),
        ("highway-v0", {"observation": {"type": "KinematicsGoal"}}, "parking"),
        ("highway-v0", {"observation": {"type": "TupleObservation"}}, "observation_configs"),
        ("highway-v0", {"observation_type": "TupleObservation"}, "a list of observations"),
        ("highway-v0", {"observation_configs": []}, "computes it"),
        ("highway-v0", {"observation": _parts(3)}, "a dict"),
        ("highway-v0", {"observation": _parts({"type": "Kinematic"})}, "Kinematics"),
        ("highway-v0", {"observation": _parts({"type": "TupleObservation"})}, "one kind each"),
        (
            "highway-v0",
            {"observation": _parts({"type": "Kinematics", "vehicles_count": "3"})},
            "whole number",
        ),
        (
            "highway-v0",
            {"observation": _parts({"type": "Kinematics", "vehicles_count": 0})},
            "1 .. 1000",
        ),
        ("highway-v0", {"reward_speed_low": 1.0, "reward_speed_range": [0, 2]}, "two values"),
        ("highway-v0", {"reward_speed_low": 1.0, "config": {"reward_speed_range": 1}}, "two"),
        ("highway-v0", {"reward_speed_high": 20.0}, "low, high"),
        ("merge-v0", {"reward_speed_low": 20.0}, "reward_speed_range"),
        ("highway-v0", {"action": {"type": "MultiAgentAction"}}, "action_config"),
        (
            "highway-v0",
            {"action": {"type": "MultiAgentAction", "action_config": {"type": "DiscreteAction"}}},
            "for one of the two",
        ),
        ("highway-v0", {"action": {"type": "ContinuousAction", "clip_": True}}, "clip"),
        ("two-way-v0", {"action": {"type": "ContinuousAction"}}, "DiscreteMetaAction"),
        ("highway-v0", {"policy_frequency": 30}, "policy_frequency"),
        ("highway-v0", {"reward_speed_range": [30, 20]}, "low, high"),
        ("highway-v0", {"other_vehicles_type": "BadVehicle"}, "IDMVehicle"),
        ("exit-v0", {"lanes_count": 1}, "lanes_count"),
        ("merge-generic-v0", {"after_merge_length": 50}, "after_merge_length"),
        ("parking-v0", {"reward_weights": [1.0]}, "reward_weights"),
        ("intersection-v0", {"destination": "o7"}, "o1"),
        ("lane-keeping-v0", {"derivative_noise": -1.0}, "0 or more"),
        ("lane-keeping-v0", {"state_noise": -1.0}, "0 or more"),
    ],
)
def test_what_cannot_be_is_refused(task_id: str, options: Mapping[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        envpool.make(task_id, num_envs=1, **options)


def test_agents_are_players() -> None:
    with envpool.make("intersection-multi-agent-v1", num_envs=3, seed=1) as pool:
        obs, _ = pool.reset()
        assert obs.shape == (6, 15, 7)
        _, reward, _, _, info = pool.step(np.array([0, 2] * 3))
        assert reward.shape == info["agents_rewards"].shape == (6,)
        np.testing.assert_array_equal(reward, info["agents_rewards"].astype(np.float32))
        assert reward[0] != reward[1]
        assert info["agents_terminated"].shape == (6,)


def test_each_agent_has_several_observations() -> None:
    """Each is of the agent's own car; in the package all agents get the first car's."""
    table = {"type": "Kinematics", "vehicles_count": 8}
    lidar = {"type": "LidarObservation"}
    both = {"type": "TupleObservation", "observation_configs": [lidar, table]}
    seen = []
    for seen_by_each in (lidar, table, both):
        config = {
            "controlled_vehicles": 2,
            "observation": {
                "type": "MultiAgentObservation",
                "observation_config": seen_by_each,
            },
            "action": {
                "type": "MultiAgentAction",
                "action_config": {"type": "DiscreteMetaAction"},
            },
        }
        with envpool.make("highway-fast-v0", num_envs=3, seed=1, config=config) as pool:
            pool.reset()
            seen.append(pool.step(np.array([0, 3] * 3))[0])
    np.testing.assert_array_equal(seen[2]["0"], seen[0])
    np.testing.assert_array_equal(seen[2]["1"], seen[1])
    assert not np.array_equal(seen[1][0], seen[1][1])


def test_an_intersection_leaves_other_drivers_alone() -> None:
    """In the package an intersection changes them for the whole process."""

    def played() -> Any:
        with envpool.make("highway-fast-v0", num_envs=1, seed=3) as pool:
            pool.reset()
            return [pool.step(np.array([1]))[0].copy() for _ in range(4)]

    before = played()
    with envpool.make("intersection-v0", num_envs=1) as pool:
        pool.reset()
    np.testing.assert_array_equal(before, played())


def test_an_oval_may_be_drawn_for_each_episode() -> None:
    """It is drawn from the environment's generator; the package's generator has no seed."""
    options: Any = {"length": 0, "no_lanes": 0}
    starts = []
    for _ in range(2):
        with envpool.make("racetrack-oval-v0", num_envs=4, seed=7, **options) as pool:
            starts.append([pool.reset()[0].copy() for _ in range(3)])
    np.testing.assert_array_equal(starts[0], starts[1])
    assert not np.array_equal(starts[0][0], starts[0][1])


def test_rewards_of_goals_are_the_packages_on_batches() -> None:
    weights = [1, 0.3, 0.1, 0.2, 0.02, 0.02]
    reference = Reference(Case("parking-v0", {"reward_weights": weights}))
    rng = np.random.default_rng(0)
    achieved, desired = rng.normal(size=(2, 40, 5, 6))
    with envpool.make("parking-v0", num_envs=2, reward_weights=weights) as pool:
        got = pool.compute_reward(achieved, desired, {})
        assert got.shape == (40, 5)
        # No tolerance: the same products are added in the same order.
        for i, row in enumerate(got):
            for k, reward in enumerate(row):
                theirs = reference.world.compute_reward(achieved[i, k], desired[i, k], {})
                assert reward == theirs
        pool.reset()
        obs, reward, *_ = pool.step(np.zeros((2, 2), np.float32))
        paid = pool.compute_reward(obs["achieved_goal"], obs["desired_goal"], {})
        np.testing.assert_array_equal(paid.astype(np.float32), reward)
        with pytest.raises(ConfigError, match="shape"):
            pool.compute_reward(np.zeros(5), np.zeros(6), {})
        with pytest.raises(ConfigError, match="do not match"):
            pool.compute_reward(np.zeros((3, 6)), np.zeros((2, 6)), {})
    assert not hasattr(envpool.make("highway-v0", num_envs=1), "compute_reward")


def test_images_are_the_packages_frames() -> None:
    reference = Reference(Case("highway-fast-v0", frames=True))
    reference.reset(seed=3)
    size = {"render_width": 600, "render_height": 150}
    with envpool.make("highway-fast-v0", num_envs=1, seed=3, from_pixels=True, **size) as pool:
        obs, _ = pool.reset()
        np.testing.assert_array_equal(obs[0].transpose(1, 2, 0), reference.render())


def test_frames_may_differ_between_saving_and_loading() -> None:
    """Other options may not differ, and a grey observation's view is one of those."""
    sizes: Any = {"screen_width": 300, "screen_height": 80, "scaling": 2.5}
    sizes["centering_position"] = [0.5, 0.4]
    grey: Any = {"type": "GrayscaleObservation"}
    for view in (
        {"type": "Kinematics"},
        {**grey, "scaling": 2, "centering_position": [0, 0]},
    ):
        with (
            envpool.make("merge-v0", num_envs=1, seed=1, observation=view) as pool,
            envpool.make("merge-v0", num_envs=1, observation=view, **sizes) as other,
        ):
            pool.reset()
            pool.step(np.array([1]))
            other.load_state(pool.save_state())
            action = np.array([3])
            np.testing.assert_array_equal(pool.step(action)[0], other.step(action)[0])
    for view in (grey, _parts(grey, {"type": "Kinematics"})):
        with (
            envpool.make("merge-v0", num_envs=1, observation=view) as pool,
            envpool.make("merge-v0", num_envs=1, observation=view, **sizes) as other,
        ):
            pool.reset()
            with pytest.raises(SavedStateError, match="observation_"):
                other.load_state(pool.save_state())


def test_a_loaded_state_goes_on() -> None:
    """Past the end of episodes, with observations that keep a state and cars that come and go."""
    grey: Any = {"observation": {"type": "GrayscaleObservation"}}
    for task_id, options in (("intersection-v0", {}), ("lane-keeping-v0", {}), ("merge-v1", grey)):
        with (
            envpool.make(task_id, num_envs=2, seed=1, **options) as pool,
            envpool.make(task_id, num_envs=2, seed=9, **options) as other,
        ):
            pool.reset()
            other.reset()
            rng = np.random.default_rng(0)
            shape = (24, 2, *getattr(pool.action_space, "shape", ()))
            actions = rng.integers(0, 2, shape)
            for action in actions[:9]:
                pool.step(action)
            states = pool.save_state()
            other.load_state(states)
            assert other.save_state() == states
            for action in actions:
                expected, got = pool.step(action), other.step(action)
                for one, two in zip(expected[:4], got[:4], strict=True):
                    if isinstance(one, dict):
                        for key in one:
                            np.testing.assert_array_equal(one[key], two[key])
                    else:
                        np.testing.assert_array_equal(one, two)
