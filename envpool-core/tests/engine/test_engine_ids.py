# SPDX-License-Identifier: Apache-2.0
"""Environment ids and sizes that cannot be; pools that are closed."""

from __future__ import annotations

import functools

import pytest
from envpool.errors import (
    ConfigError,
    EnvIdError,
    RenderError,
    SavedStateError,
    StateError,
)
from refusals import refused

INT32 = "a whole number of -2147483648 .. 2147483647"


@pytest.mark.parametrize("batch_size", [4, 2])
def test_ids_in_flight(make, module, batch_size):
    pool = make("Gated", num_envs=4, batch_size=batch_size, num_threads=2, gated=True)
    pool.async_reset()
    for _ in range(4 // batch_size):
        pool.recv()
    module.close_gates([2])
    pool.send([1, 2], [2, 0])
    message = refused(EnvIdError, lambda: pool.send([1], [2]))
    assert message.asked == "step or send to Test/Gated-v0"
    assert message.got == "env 2, which is in flight"
    assert message.allowed == "environments whose result was received"
    assert message.hint == "Call recv() first"
    refused(EnvIdError, lambda: pool.send([1], [0]))
    refused(EnvIdError, lambda: pool.step([1, 2], [1, 2]))
    refused(EnvIdError, lambda: pool.send([1] * 4, [0, 1, 2, 3]))
    if batch_size == 4:
        refused(EnvIdError, lambda: pool.send([1] * 4))
    message = refused(StateError, lambda: pool.save_state([2]))
    assert message.asked == "save_state of Test/Gated-v0"
    assert message.got == "env 2, which is in flight"
    state = pool.save_state([1])
    refused(StateError, lambda: pool.load_state(state, [2]))
    assert pool.num_in_flight == 2
    module.open_gates()
    assert set(pool.recv()["info:env_id"].tolist()) == {0, 2}


@pytest.mark.parametrize(
    ("key", "values", "allowed"),
    [
        ("num_envs", (0, -1, 2**24 + 1, 2**31 - 1), "1 .. 16777216"),
        ("batch_size", (-1, 5, 2**31 - 1), "1 .. 4"),
        ("num_threads", (-1, 4097), "0 .. 4096"),
        ("max_num_players", (0, -1, 2**16 + 1, 2**31 - 1), "1 .. 65536"),
        ("max_episode_steps", (0, -1), "1 .. 2147483647"),
    ],
)
def test_impossible_sizes(make, key, values, allowed):
    for value in values:
        message = refused(ConfigError, lambda value=value: make(**{"num_envs": 4, key: value}))
        assert message.asked == f"option '{key}'"
        assert (message.got, message.allowed) == (str(value), allowed)


def test_impossible_shapes(make, module):
    def describe(**config):
        module.Arrays.describe(config)

    for shape in ([2**31 - 1] * 3, [2**16] * 4, [2**31 - 1, 2**31 - 1], [2**31 - 1] * 9):
        for act in (functools.partial(make, "Arrays"), describe):
            message = refused(ConfigError, lambda act=act, shape=shape: act(shape=shape))
            assert "'obs:flexible': more than 2^38 bytes for one environment" in message.asked
    for shape in ([-2], [3, -1], [-1, -1]):
        message = refused(ConfigError, lambda shape=shape: make("Arrays", shape=shape))
        assert "only the first may be -1" in message.asked
    # Possible, but not on a machine of this world.
    with pytest.raises(MemoryError):
        make("Arrays", shape=[2**20, 2**15], num_envs=2**12)
    with pytest.raises(MemoryError):
        make("Image", side=2**18, num_envs=2**10).reset()


@pytest.mark.parametrize(
    ("key", "value", "got", "allowed"),
    [
        ("goal", "x", "'x' (str)", INT32),
        ("goal", 1.5, "1.5 (float)", INT32),
        ("goal", None, "None (NoneType)", INT32),
        ("goal", 2**31, "2147483648 (int)", INT32),
        ("num_envs", [4], "[4] (list)", INT32),
        ("gated", "yes", "'yes' (str)", "a value like the default, False (bool)"),
        ("base_path", 3, "3 (int)", "a value like the default, '' (str)"),
        ("env_seed", ["a"], "['a'] (list)", "a list of whole numbers"),
    ],
)
def test_config_values_of_another_type(make, module, key, value, got, allowed):
    for act in (lambda: make(**{key: value}), lambda: module.Counter.describe({key: value})):
        message = refused(ConfigError, act)
        assert message.asked == f"option '{key}'"
        assert message.got == got
        assert message.allowed == allowed


def test_a_wrong_number_of_seeds(make):
    message = refused(ConfigError, lambda: make(num_envs=3, env_seed=[1, 2]))
    assert (message.got, message.allowed) == ("2 seeds", "none, or 3, one per environment")
    message = refused(ConfigError, lambda: make(autoreset="nextstep"))
    assert message.allowed == "'next_step', 'same_step' or 'disabled'"
    message = refused(ConfigError, lambda: make(autoreset="same_step", max_num_players=2))
    assert message.got == "'same_step' with several players"
    pool = make(num_envs=3)
    for seed in (-1, 2**63, 2**63 - 3, 1.5, "abc", [1, 2], [1, 2, -3], [1, 2, "x"], [1, 2, 2**64]):
        message = refused(ConfigError, lambda seed=seed: pool.reset(seed=seed))
        assert message.allowed.startswith("a whole number from 0, or a sequence of 3 of them")
    assert pool.reset()["info:seed"].tolist() == [42, 43, 44]


def test_drawing_before_there_is_an_episode(make):
    def refuses(env_id):
        message = refused(RenderError, lambda: pool.render([0, 1], 4, 4, -1))
        assert message.asked == f"render of Test/Uneven-v0, env {env_id}"
        assert (message.got, message.hint) == ("no episode yet", "Call reset() first")

    pool = make("Uneven", num_envs=2)
    (fresh,) = pool.save_state([0])
    refuses(0)
    refused(RenderError, lambda: pool.check_drawable([1]))
    pool.reset([0])
    pool.check_drawable([0])
    refuses(1)
    pool.reset([1], [7])
    assert pool.render([0, 1], 4, 4, -1).shape == (2, 4, 4, 3)
    (begun,) = pool.save_state([0])
    pool.load_state([fresh], [1])
    refuses(1)
    pool.load_state([begun], [1])
    pool.render([0, 1], 4, 4, -1)
    pool.close()
    pool.reset([1])
    refuses(0)


def test_what_a_task_cannot_do(make):
    pool = make("Faulty")
    pool.reset()
    message = refused(SavedStateError, lambda: pool.save_state([0]))
    assert message.got == "an environment that cannot be saved"
    refused(SavedStateError, lambda: pool.load_state([b"x"], [0]))
    message = refused(RenderError, lambda: pool.render([0], 0, 0, -1))
    assert message.got == "an environment that cannot draw itself"
    refused(RenderError, lambda: pool.render([], 0, 0, -1))
    refused(EnvIdError, lambda: pool.render([1], 0, 0, -1))
