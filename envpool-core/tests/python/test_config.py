# SPDX-License-Identifier: Apache-2.0
"""Options: defaults, conversions, ranges, and messages about wrong ones."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import envpool
import gymnasium
import numpy as np
import pytest
from envpool._specs.options import (
    AUTORESET_MODES,
    POOL_OPTIONS,
    check_documented,
    check_reset_options,
    check_types,
    complete,
    known_options,
)
from envpool.cli._option_docs import COMMON
from envpool.errors import ConfigError, PluginError
from fake_family import COUNTER
from hypothesis import given
from hypothesis import strategies as st


def options(**given_options):
    known = known_options(COUNTER.default_config(), {"goal": 5}, "Counter-v0")
    return complete(known, given_options, COUNTER.option_ranges, "make('Counter-v0', ")


@pytest.mark.parametrize("name", ["make", "make_gymnasium", "make_gym", "make_dm", "make_spec"])
def test_signatures_show_the_options_of_every_task(name):
    """With defaults that mean the same as those of the environment and the pool."""
    parameters = inspect.signature(getattr(envpool, name)).parameters
    shown = {p.name: p.default for p in parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert shown.keys() == {*COMMON, *POOL_OPTIONS}
    assert shown.pop("base_path") is None  # as if it were not given
    assert options(**shown) == options()


def test_defaults_and_their_order():
    found = options()
    assert list(found) == [*COUNTER.default_config(), *POOL_OPTIONS]
    assert found["goal"] == 5
    assert found["batch_size"] == found["num_envs"] == 1
    assert found["seed"] == 42
    assert found["env_seed"] == []
    assert {key: found[key] for key in POOL_OPTIONS} == POOL_OPTIONS


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("num_envs", np.int64(7), 7),
        ("num_envs", 7.0, 7),
        ("num_envs", np.float32(7), 7),
        ("num_envs", np.array(7), 7),
        ("batch_size", None, 1),
        ("max_episode_steps", None, 2**31 - 1),
        ("scale", 3, 3.0),
        ("scale", np.float32(0.5), 0.5),
        ("is_fast", True, True),
        ("is_fast", np.False_, False),
        ("is_fast", 1, True),
        ("title", "b", "b"),
        ("title", Path("c"), "c"),
        ("sizes", [3], [3]),
        ("sizes", np.array([3, 4]), [3, 4]),
        ("nested.key", 8, 8),
        ("seed", 0, 0),
        ("seed", 2**62, 2**62),
        ("render_mode", "rgb_array", "rgb_array"),
        ("autoreset_mode", "disabled", "disabled"),
        ("from_pixels", False, None),
        ("gym_reset_return_info", True, True),
        ("thread_affinity_offset", -1, -1),
        ("render_camera_id", 3, 3),
    ],
)
def test_conversion(key, value, expected):
    found = options(**{key: value}).get(key)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_envs", 0),
        ("num_envs", -1),
        ("num_envs", 2**24 + 1),
        ("num_envs", 10**30),
        ("num_envs", True),
        ("num_envs", 2.5),
        ("num_envs", float("nan")),
        ("num_envs", float("inf")),
        ("num_envs", "2"),
        ("num_envs", None),
        ("num_envs", [2]),
        ("num_envs", np.array([2, 3])),
        ("batch_size", -1),
        ("batch_size", 2),
        ("num_threads", -1),
        ("max_num_players", 0),
        ("max_episode_steps", 0),
        ("max_episode_steps", 2**31),
        ("thread_affinity_offset", -2),
        ("render_width", -1),
        ("render_height", 2**20),
        ("render_env_id", 1),
        ("render_env_id", -1),
        ("render_camera_id", -2),
        ("render_mode", "rgb"),
        ("render_mode", ["human"]),
        ("autoreset_mode", "nextstep"),
        ("autoreset_mode", None),
        ("scale", "1"),
        ("scale", True),
        ("scale", None),
        ("is_fast", 2),
        ("is_fast", "yes"),
        ("title", 3),
        ("reward_threshold", None),
        ("seed", -1),
        ("seed", 2**63),
        ("seed", "7"),
        ("seed", [1, 2]),
        ("seed", []),
        ("seed", [[1]]),
        ("seed", [-1]),
        ("seed", [True]),
        ("env_seed", 3),
        ("env_seed", [1, 2]),
        ("gym_reset_return_info", False),
        ("from_pixels", True),
        ("num_envz", 3),
    ],
)
def test_refused(key, value):
    with pytest.raises(ConfigError) as caught:
        options(**{key: value})
    message = str(caught.value)
    assert message.startswith(f"make('Counter-v0', {key}=")
    assert "; allowed: " in message
    assert isinstance(caught.value, ValueError)


def test_an_unknown_option_names_the_nearest_and_all():
    with pytest.raises(ConfigError, match=r"num_envs, batch_size.*Did you mean 'num_envs'"):
        options(num_envz=3)


def test_seeds():
    found = options(num_envs=3, seed=[5, np.int32(6), 7])
    assert (found["seed"], found["env_seed"]) == (0, [5, 6, 7])
    found = options(num_envs=2, seed=np.array([1, 2]))
    assert found["env_seed"] == [1, 2]
    found = options(num_envs=2, env_seed=(8, 9))
    assert (found["seed"], found["env_seed"]) == (42, [8, 9])
    assert options(num_envs=2, seed=range(2))["env_seed"] == [0, 1]
    with pytest.raises(ConfigError, match="env_seed"):
        options(seed=[1], env_seed=[1])


def test_no_seed_draws_one():
    drawn = {options(seed=None)["seed"] for _ in range(4)}
    assert len(drawn) > 1  # four equal ones: 2**-93
    assert all(0 <= seed < 2**31 for seed in drawn)


@pytest.mark.parametrize("mode", AUTORESET_MODES)
def test_autoreset_modes_of_gymnasium(mode):
    enum = gymnasium.vector.AutoresetMode[mode.upper()]
    assert options(autoreset_mode=enum)["autoreset_mode"] == mode


def test_options_of_the_family():
    own = {"level": 2, "scale": 7.0}
    known = known_options(COUNTER.default_config(), {"level": 3}, "x", own)
    assert (known["level"], known["scale"]) == (3, 7.0)
    assert list(known)[-len(POOL_OPTIONS) - 1] == "level"
    assert check_types(own, {"level": 4.0, "goal": "any"}, "make(") == {"level": 4, "goal": "any"}
    with pytest.raises(ConfigError, match=r"make\(level='high'\): .*; allowed: a whole number"):
        check_types(own, {"level": "high"}, "make(")


def test_ranges_are_those_of_the_environment():
    known = known_options(COUNTER.default_config(), {}, "x")
    assert complete(known, {"goal": 9}, {}, "make(")["goal"] == 9
    with pytest.raises(ConfigError, match=r"goal=9\): got 9; allowed: 1 \.\. 4"):
        complete(known, {"goal": 9}, {"goal": (1, 4)}, "make(")


def test_defaults_of_a_task():
    defaults = COUNTER.default_config()
    assert known_options(defaults, {"scale": 2}, "x")["scale"] == 2.0
    with pytest.raises(PluginError, match=r"task 'x'.*'golf'.*Did you mean 'goal'"):
        known_options(defaults, {"golf": 2}, "x")
    with pytest.raises(ConfigError, match=r"Task\('x', goal='3'\)"):
        known_options(defaults, {"goal": "3"}, "x")
    del defaults["reward_threshold"]
    assert known_options(defaults, {"reward_threshold": 3}, "x")["reward_threshold"] == 3.0
    assert "reward_threshold" not in known_options(defaults, {}, "x")


def test_texts_of_a_task_are_of_its_options():
    check_documented(COUNTER.default_config(), {"goal": "where it ends"}, "x")
    with pytest.raises(PluginError, match=r"config_docs of task 'x'.*'golf'.*Did you mean 'goal'"):
        check_documented(COUNTER.default_config(), {"goal": "", "golf": ""}, "x")


@given(
    num_envs=st.integers(-3, 2**25),
    batch_size=st.integers(-3, 2**25),
    seed=st.integers(-(2**64), 2**64),
)
def test_any_whole_numbers_are_kept_or_refused(num_envs, batch_size, seed):
    good = 1 <= num_envs <= 2**24 and 0 <= batch_size <= num_envs
    good = good and 0 <= seed <= 2**63 - 1 - num_envs
    if good:
        found = options(num_envs=num_envs, batch_size=batch_size, seed=seed)
        assert (found["num_envs"], found["seed"]) == (num_envs, seed)
        assert found["batch_size"] == (batch_size or num_envs)
    else:
        with pytest.raises(ConfigError):
            options(num_envs=num_envs, batch_size=batch_size, seed=seed)


NOT_FINITE = (float("nan"), float("inf"), -np.inf, np.float32("nan"))


@pytest.mark.parametrize("value", NOT_FINITE)
def test_numbers_are_finite(value):
    for key, given_value, place in (
        ("scale", value, ""),
        ("sizes", [1, value], r" at \[1\]"),
        ("sizes", np.array([value]), r" at \[0\]"),
    ):
        words = rf"{key}=.*got {value}{place}; allowed: finite numbers. Correct {key}"
        with pytest.raises(ConfigError, match=words):
            options(**{key: given_value})
    with pytest.raises(ConfigError, match=r"a number of -3.4e"):
        options(scale=1e39)


@pytest.mark.parametrize("value", NOT_FINITE)
def test_numbers_in_containers_are_finite(value):
    known = {"state": {"x": [0.0]}}
    for wrong, place in (
        ({"x": [value]}, "['x'][0]"),
        ({"x": {"y": (1.0, value)}}, "['x']['y'][1]"),
        ({"x": np.array([[value]])}, "['x'][0][0]"),
    ):
        words = f"reset of Toy-v0 with the option state=.* at {re.escape(place)}; allowed: finite"
        with pytest.raises(ConfigError, match=words):
            check_reset_options(known, {"state": wrong}, "Toy-v0")


def test_infinity_where_it_is_meant():
    known = {**known_options(COUNTER.default_config(), {}, "Counter-v0"), "range": [0.0, np.inf]}
    ranges = COUNTER.option_ranges
    wide = [-np.inf, np.inf]
    assert complete(known, {"range": wide}, ranges, "make(")["range"] == wide
    assert complete(known, {"scale": np.inf}, ranges, "make(", infinite=["scale"])["scale"] > 9
    for wrong in ({"range": [0.0, np.nan]}, {"scale": np.nan}):
        with pytest.raises(ConfigError, match="numbers, or infinities"):
            complete(known, wrong, ranges, "make(", infinite=["scale"])
    # Options of the family that are no numbers may have any value.
    kwargs = {"env_kwargs": {"x": np.nan}}
    found = complete({**known, "env_kwargs": {}}, kwargs, ranges, "make(", own=["env_kwargs"])
    assert found["env_kwargs"] is kwargs["env_kwargs"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("goal", 2**63), ("goal", 10**400), ("title", "a\0b"), ("title", b"x"), ("scale", 10**400)],
)
def test_values_that_fit_nowhere(key, value):
    with pytest.raises(ConfigError, match=key):
        options(**{key: value})


@pytest.mark.parametrize("value", [2, None, np.nan, "no", [True]])
def test_a_reset_option_is_of_the_type_of_its_default(value):
    with pytest.raises(ConfigError, match="True or False"):
        check_reset_options({"random": True}, {"random": value}, "Toy-v0")
