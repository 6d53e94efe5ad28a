# SPDX-License-Identifier: Apache-2.0
"""Ids, options, arrays and spaces: EnvPool 1.2.5's ids, Gymnasium's options and spaces."""

from __future__ import annotations

import inspect
import math
from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool_box2d import FAMILY

# EnvPool 1.2.5's ids, with its limits and thresholds.
_UPSTREAM = {
    "BipedalWalker-v3": (1600, 300),
    "BipedalWalkerHardcore-v3": (2000, 300),
    "CarRacing-v2": (1000, 900),
    "CarRacing-v3": (1000, 900),
    "LunarLander-v2": (1000, 200),
    "LunarLander-v3": (1000, 200),
    "LunarLanderContinuous-v2": (1000, 200),
    "LunarLanderContinuous-v3": (1000, 200),
}


def test_ids_limits_and_thresholds() -> None:
    names = {name for task in FAMILY.envpool_tasks() for name in task.names}
    assert names == set(_UPSTREAM)
    for name, wanted in _UPSTREAM.items():
        spec = envpool.make_spec(name)
        assert (spec.max_episode_steps, spec.reward_threshold) == wanted


@pytest.mark.needs_box2d
@pytest.mark.parametrize("name", [name for name in _UPSTREAM if name.endswith("-v3")])
def test_options_and_spaces_are_gymnasiums(name: str) -> None:
    env = gymnasium.make(name, disable_env_checker=True)
    spec = envpool.make_spec(name)
    assert spec.observation_space == env.observation_space
    assert spec.action_space == env.action_space
    arguments = inspect.signature(type(env.unwrapped).__init__).parameters
    given: dict[str, Any] = {
        key: value.default
        for key, value in arguments.items()
        if key not in ("self", "render_mode", "verbose")
    }
    assert env.spec is not None
    given |= env.spec.kwargs
    config = {**spec.config._asdict(), **spec.options}
    assert {key: config[key] for key in given} == given


@pytest.mark.parametrize(
    ("name", "continuous", "space"),
    [
        ("LunarLander-v3", True, gymnasium.spaces.Box(-1, 1, (2,))),
        ("LunarLanderContinuous-v3", False, gymnasium.spaces.Discrete(4)),
        ("CarRacing-v3", False, gymnasium.spaces.Discrete(5)),
    ],
)
def test_continuous(name: str, continuous: bool, space: gymnasium.Space[Any]) -> None:
    assert envpool.make_spec(name, continuous=continuous).action_space == space


@pytest.mark.parametrize("gravity", [0.0, 1.0, -12.0, float("nan")])
def test_impossible_gravity(gravity: float) -> None:
    with pytest.raises(ConfigError, match="gravity"):
        envpool.make_spec("LunarLander-v3", gravity=gravity)


def test_much_wind_warns() -> None:
    with pytest.warns(UserWarning, match="wind_power"):
        envpool.make("LunarLander-v3", wind_power=25.0).close()


def test_a_seed_begins_with_a_new_world() -> None:
    """A seed removes the traces that earlier episodes leave in a world."""
    with envpool.make("BipedalWalkerHardcore-v3", num_envs=2, seed=1, num_threads=1) as pool:
        first = [pool.reset()[0].copy() for _ in range(3)]
        assert not np.array_equal(first[0], first[1])  # episode after episode
        again = pool.reset(seed=1)[0]
        np.testing.assert_array_equal(again, first[0])  # a seed begins with a new world


@pytest.mark.needs_box2d
def test_colors_are_kept_if_a_reset_says_so() -> None:
    """No numbers are drawn for them: the tracks are Gymnasium's as well."""
    env = gymnasium.make("CarRacing-v3", domain_randomize=True, disable_env_checker=True)
    most = []  # the commonest color that is not black, the frame's edge
    with envpool.make("CarRacing-v3", num_envs=1, domain_randomize=True) as pool:
        keeps = {"randomize": False}
        for seed, options in ((5, None), (None, keeps), (None, None), (4, keeps), (4, None)):
            theirs = env.reset(seed=seed, options=options)[0]
            ours = pool.reset(seed=seed, options=options)[0][0]
            np.testing.assert_array_equal(ours, theirs)
            colored = ours[ours.any(axis=-1)]
            colors, counts = np.unique(colored, axis=0, return_counts=True)
            most.append(colors[counts.argmax()].tolist())
    assert most[0] == most[1] != most[2] == most[3] != most[4]  # a seed alone changes no color


def test_what_is_no_truth_value_says_nothing_of_colors() -> None:
    with envpool.make("CarRacing-v3", num_envs=1, domain_randomize=True) as pool:
        pool.reset()
        for wrong in (3, None, math.nan, "no", [True]):
            with pytest.raises(ConfigError, match="randomize"):
                pool.reset(options={"randomize": wrong})
