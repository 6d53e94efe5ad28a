# SPDX-License-Identifier: Apache-2.0
"""EnvSpec, and the classes that `py_env` makes."""

from __future__ import annotations

import copy
import pickle

import envpool
import fake_classes
import numpy as np
import pytest
from envpool._specs.spec import spec_class, stem
from envpool.errors import ConfigError, PluginError
from envpool.python.api import py_env
from fake_family import COUNTER, NESTED, OLD, FakeEnvType, raw_array
from gymnasium import spaces


def test_config():
    spec = envpool.make_spec("Counter-v0", num_envs=4, goal=2.0)
    assert spec.config.num_envs == spec.config.batch_size == 4
    assert spec.config.goal == 2
    assert spec.config.nested_key == 7
    assert spec.options["nested.key"] == 7
    assert spec.options["autoreset_mode"] == "next_step"
    assert spec.kwargs == {"num_envs": 4, "goal": 2.0}
    assert envpool.make_spec("Counter-v0", nested_key=9).options["nested.key"] == 9


def test_repr_shows_the_options():
    text = repr(envpool.make_spec("Counter-v0"))
    assert text.startswith("CounterEnvSpec(num_envs=1, batch_size=1, num_threads=0, ")
    assert text.endswith("sizes=[1, 2], nested.key=7)")
    text = repr(envpool.make_spec("Counter-v0", render_mode="rgb_array"))
    assert text.endswith("nested.key=7, render_mode='rgb_array')")


def test_attributes_may_be_set():
    spec = envpool.make_spec("Counter-v0", max_episode_steps=5)
    assert (spec.id, spec.reward_threshold, spec.max_episode_steps) == ("Counter-v0", 1.5, 5)
    spec.id, spec.reward_threshold, spec.max_episode_steps = "Other", None, 7
    again = copy.deepcopy(spec)
    assert (again.id, again.reward_threshold, again.max_episode_steps) == ("Other", None, 7)
    assert pickle.loads(pickle.dumps(spec.config)) == spec.config
    again = pickle.loads(pickle.dumps(spec))
    assert again.id == "Other"
    assert again.options == spec.options
    assert envpool.make_spec("Zaehler-v0").id == "Zaehler-v0"


def test_a_copy_has_the_seed_that_was_drawn():
    spec = envpool.make_spec("Counter-v0", seed=None)
    assert pickle.loads(pickle.dumps(spec)).config.seed == spec.config.seed


def test_spaces_and_specs():
    spec = envpool.make_spec("Counter-v0")
    assert spec.observation_space == spaces.Box(-np.inf, np.inf, (2,), np.float32)
    assert spec.gymnasium_observation_space == spec.observation_space
    assert spec.action_space == spaces.Discrete(2)
    assert spec.gymnasium_action_space == spec.action_space
    assert spec.observation_spec().obs.shape == (2,)
    assert spec.observation_spec().deep.half.dtype == np.float64
    assert spec.action_spec().num_values == 2
    assert list(spec.state_array_spec)[:2] == ["info:env_id", "info:players.env_id"]
    assert list(spec.action_array_spec) == ["env_id", "players.env_id", "action"]
    assert spec.state_array_spec["obs"].shape == (2,)
    nested = envpool.make_spec("Nested-v0")
    assert set(nested.action_space) == {"move", "players"}
    assert nested.action_spec()._fields == ("move", "players")


def test_py_env():
    spec_cls, dm_cls, gymnasium_cls = py_env(COUNTER, COUNTER)
    names = [cls.__name__ for cls in (spec_cls, dm_cls, gymnasium_cls)]
    assert names == ["CounterEnvSpec", "CounterDMEnvPool", "CounterGymnasiumEnvPool"]
    assert spec_cls is fake_classes.CounterEnvSpec  # one class for one environment
    config = spec_cls.gen_config(num_envs=4, nested_key=3)
    assert config.num_envs == 4
    spec = spec_cls(config)
    assert spec.options["nested.key"] == 3
    assert spec.id == "Counter"
    assert (
        spec_cls(tuple(config)).options
        == spec.options
        == spec_cls({"num_envs": 4, "nested.key": 3}).options
    )
    assert copy.deepcopy(spec).options == spec.options
    assert (
        dict(zip(spec_cls._config_keys, spec_cls._default_config_values, strict=True))["goal"] == 3
    )
    with gymnasium_cls(spec) as pool:
        assert pool.reset()[0].shape == (4, 2)
    with dm_cls(spec) as pool:
        assert pool.reset().first().shape == (4,)


def test_py_env_refuses_other_interfaces():
    with pytest.raises(PluginError, match="interface number 0 in Old"):
        py_env(OLD, OLD)
    with pytest.raises(PluginError, match="type int"):
        py_env(3, 3)


@pytest.mark.parametrize("config", [3, "abc", (1, 2, 3), [1]])
def test_impossible_configs(config):
    with pytest.raises(ConfigError, match="gen_config"):
        spec_class(COUNTER)(config)


def test_gen_config_refuses_unknown_options():
    with pytest.raises(ConfigError, match="Did you mean 'goal'"):
        spec_class(COUNTER)({"goall": 3})
    with pytest.raises(ConfigError, match="Did you mean 'goal'"):
        spec_class(COUNTER).gen_config(goall=3)


@pytest.mark.parametrize("name", ["Toy", "_ToyEnvPool", "ToyEnvSpec", "_ToyEnvSpec"])
def test_stem(name):
    assert stem(FakeEnvType(name)) == "Toy"


class Picky(FakeEnvType):
    """Refuses everything, in the words of the compiled side."""

    def describe(self, config):
        raise self.error


def refusal(option, choices=()):
    error = ConfigError("config of Toy", "'her'", "what is there", "Pass it")
    error.option, error.choices = option, choices
    return error


@pytest.mark.parametrize(
    ("option", "choices", "expected"),
    [
        ("goal", (), "ToyEnvSpec(goal=3): got 'her'; allowed: what is there. Pass it."),
        (
            "base_path",
            ("here", "there"),
            "ToyEnvSpec(base_path='her'): got 'her'; allowed: what is there. Did you mean 'here'? "
            "If not, pass it.",
        ),
        ("none", (), "config of Toy: got 'her'; allowed: what is there. Pass it."),
        ("", (), "config of Toy: got 'her'; allowed: what is there. Pass it."),
    ],
)
def test_what_the_compiled_side_refuses_is_told_with_the_call(option, choices, expected):
    env = Picky("Toy")
    env.error = refusal(option, choices)
    with pytest.raises(ConfigError) as caught:
        spec_class(env)({"base_path": "her"})
    assert str(caught.value) == expected


def test_the_recipe():
    spec = envpool.make_spec("Zaehler-v0", num_envs=2, nested_key=5, seed=None)
    assert spec.kwargs == {"num_envs": 2, "nested.key": 5, "seed": spec.config.seed}
    assert spec.make_spec().options == spec.options
    with spec.make(env_type="dm") as pool:
        assert (pool.env_type, pool.config) == ("dm", spec.options)
        again = pickle.loads(pickle.dumps(pool))
        assert (again.env_type, again.config, again.spec.id) == ("dm", spec.options, "Zaehler-v0")
    by_class = spec_class(COUNTER)()
    assert (by_class.make, by_class.make_spec) == (None, None)


def test_more_memory_than_the_machine_has():
    huge = FakeEnvType("Huge", state=[raw_array("obs", "float64", (2**20,))])
    spec = spec_class(huge)({"num_envs": 2**24})  # 128 TiB
    with pytest.raises(ConfigError, match=r"131072\.\d GiB in one batch"):
        py_env(huge, huge)[2](spec)
    assert huge.pools == []


def test_players_of_nested_actions():
    assert envpool.make_spec("Nested-v0").action_array_spec["players.aim"].per_player
    assert NESTED.action[1][0] == "players.aim"
