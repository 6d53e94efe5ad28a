# SPDX-License-Identifier: Apache-2.0
"""Environment ids and sizes that cannot be; pools that are closed."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from engine_messages import refused
from envpool.errors import (
    ConfigError,
    EnvIdError,
    RecvTimeoutError,
    RenderError,
    SavedStateError,
    StateError,
)

INT32 = "a whole number of -2147483648 .. 2147483647"


@pytest.mark.parametrize("calls_before", [0, 3])
def test_wrong_ids(make, calls_before):
    pool = make(num_envs=4)
    pool.reset()
    for _ in range(calls_before):
        pool.step([0] * 4)
    whole = "a whole number or a one-dimensional array of them"
    see = "Pass ids of this pool, see all_env_ids"

    def wrong(ids):
        found = []
        for call in (
            lambda: pool.step(np.zeros(np.size(ids), int), ids),
            lambda: pool.send(np.zeros(np.size(ids), int), ids),
            lambda: pool.reset(ids),
            lambda: pool.async_reset(ids),
        ):
            found.append(refused(EnvIdError, call))
            assert " of Test/Counter-v0" in found[-1].asked or "to Test/" in found[-1].asked
            assert pool.num_in_flight == 0
        assert len({message[1:4] for message in found}) == 1
        return found[0][1:4]

    assert wrong([4]) == ("env id 4", "0 .. 3", see)
    assert wrong([0, -1]) == ("env id -1", "0 .. 3", see)
    assert wrong(-5) == ("env id -5", "0 .. 3", see)
    assert wrong(np.array([2**63 - 1])) == (f"env id {2**63 - 1}", "0 .. 3", see)
    assert wrong([2**32]) == (f"env id {2**32}", "0 .. 3", see)
    assert wrong([1, 0, 1]) == ("env 1 twice", "every env id once per call", "Remove the duplicate")
    assert wrong([[0, 1]]) == ("an array of 2 dimensions", whole, see)
    assert wrong([0.0, 1.0]) == ("[0.0, 1.0] of dtype float64", whole, see)
    assert wrong(["0"]) == ("['0'] of dtype <U1", whole, see)
    assert wrong([True, False, True, False])[0].endswith("of dtype bool")
    assert wrong("1")[0] == "'1' of dtype <U1"
    with pytest.raises(EnvIdError):
        pool.reset([[0], [1, 2]])
    with pytest.raises(EnvIdError):
        pool.reset([2**70])
    # A refusal leaves no marks: the same ids are good now.
    assert pool.step([5, 6, 7], [1, 0, 2])["info:env_id"].tolist() == [1, 0, 2]


def test_a_refused_reset_keeps_what_is_in_flight(make):
    pool = make(num_envs=4)
    pool.reset()
    pool.send([1, 2, 3, 4])
    assert refused(EnvIdError, lambda: pool.reset([1, 1])).got == "env 1 twice"
    assert pool.num_in_flight == 4
    assert pool.recv()["info:env_id"].tolist() == [0, 1, 2, 3]


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


def test_nothing_on_the_way(make):
    pool = make(num_envs=2)
    for _ in range(2):
        message = refused(StateError, pool.recv)
        assert message.asked == "recv of Test/Counter-v0"
        assert (message.got, message.allowed) == ("0 results on the way", "at least 1")
        assert "recv(timeout=...), which waits for what another thread" in message.hint
        pool.reset()
    pool.send([1], [0])
    pool.recv()
    message = refused(RecvTimeoutError, lambda: pool.recv(timeout=0))
    assert message.got == "0 of 1 results on the way before the time was over"


@pytest.mark.parametrize("timeout", [-1, -0.001, float("nan"), float("-inf")])
def test_a_wrong_timeout(make, timeout):
    pool = make()
    pool.async_reset()
    message = refused(ConfigError, lambda: pool.recv(timeout=timeout))
    assert message.allowed == "seconds from 0, or None to wait for as long as it takes"
    assert pool.recv(timeout=float("inf"))["info:env_id"].tolist() == [0]


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


def test_a_closed_pool(make):
    pool = make(num_envs=2, num_threads=2)
    pool.reset()
    pool.send([1, 2])
    assert not pool.closed
    for _ in range(3):
        pool.close()
        assert pool.closed
        assert pool.num_in_flight == 0
    for name, call in (
        ("step or send", lambda: pool.step([1, 2])),
        ("step or send", lambda: pool.send([1, 2])),
        ("step or send", lambda: pool.send([1], [1])),
        ("recv", lambda: pool.recv()),
        ("recv", lambda: pool.recv(timeout=1)),
        ("save_state", lambda: pool.save_state([0])),
        ("load_state", lambda: pool.load_state([b""], [0])),
    ):
        message = refused(StateError, call)
        assert message.asked == f"{name} of Test/Counter-v0"
        assert message.got == "a closed pool"
        assert message.allowed == "reset and async_reset, which open it again"
        assert message.hint == "Call reset() or make a new pool"
    assert pool.reset()["obs"].tolist() == [[0, 0], [0, 0]]
    assert not pool.closed
    assert pool.step([3, 4])["obs"].tolist() == [[1, 3], [1, 4]]
    pool.close()
    pool.async_reset()
    assert pool.recv()["step_type"].tolist() == [0, 0]


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
