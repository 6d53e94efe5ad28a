# SPDX-License-Identifier: Apache-2.0
"""Exceptions of a user's object during its conversion: the cause of our error, or passed on.

Ctrl-C may come at any moment, and so from within the methods by which an object becomes an array or
a number. It has to end what Python is doing, not to become an error about a value.
"""

from __future__ import annotations

import numpy as np
import pytest
from engine_pools import make_pool
from envpool.errors import ActionError, ConfigError, EnvIdError
from refusals import refused


class Raising:
    """An object whose conversion raises `error`, in the method of this name and no other."""

    def __new__(cls, method, error):
        def fail(self, *args, **kwargs):
            raise error

        return object.__new__(type("Raising", (cls,), {method: fail}))

    def __init__(self, method, error):
        pass


class Later:
    """A sequence that raises `error` at its second item."""

    def __init__(self, error):
        self.error = error

    def __len__(self):
        """As many as the pool has environments."""
        return 2

    def __getitem__(self, index):
        """Makes it a sequence."""
        if index == 0:
            return 0
        raise self.error

    def __iter__(self):
        """The same, item by item."""
        yield 0
        raise self.error


def array(error):
    return Raising("__array__", error)


def index(error):
    return Raising("__index__", error)


def iterator(error):
    return Raising("__iter__", error)


def length(error):
    return Raising("__len__", error)


# A pool of two environments; after a reset the second has a player.
DUMMY_ACTION = {
    "list_action": np.zeros((2, 6)),
    "players.action": [0],
    "players.push": np.zeros((1, 2)),
    "level": [0, 0],
}
# Calls of a pool with an object, and the error if it cannot be converted. The pool has
# two environments.
CALLS = {
    "action, array": ("Counter", ActionError, lambda p, e: p.step(array(e))),
    "action, items": ("Counter", ActionError, lambda p, e: p.step(Later(e))),
    "action sent, array": ("Counter", ActionError, lambda p, e: p.send(array(e))),
    "action in a dict": ("Counter", ActionError, lambda p, e: p.step({"action": array(e)})),
    "action of players": (
        "_DummyEnvSpec",
        ActionError,
        lambda p, e: p.step(DUMMY_ACTION | {"players.action": array(e)}),
    ),
    "ids, array": ("Counter", EnvIdError, lambda p, e: p.step([1, 1], array(e))),
    "ids, items": ("Counter", EnvIdError, lambda p, e: p.step([1, 1], Later(e))),
    "ids in a dict": (
        "Counter",
        EnvIdError,
        lambda p, e: p.step({"env_id": array(e), "action": [1, 1]}),
    ),
    "ids of players": (
        "Counter",
        EnvIdError,
        lambda p, e: p.step({"players.env_id": array(e), "action": [1, 1]}),
    ),
    "ids of a reset": ("Counter", EnvIdError, lambda p, e: p.reset(array(e))),
    "ids of async_reset": ("Counter", EnvIdError, lambda p, e: p.async_reset(array(e))),
    "ids of save_state": ("Counter", EnvIdError, lambda p, e: p.save_state(array(e))),
    "seed, number": ("Counter", ConfigError, lambda p, e: p.reset(seed=index(e))),
    "seed, iterator": ("Counter", ConfigError, lambda p, e: p.reset(seed=iterator(e))),
    "seed, items": ("Counter", ConfigError, lambda p, e: p.reset(seed=Later(e))),
    "seed, one of them": ("Counter", ConfigError, lambda p, e: p.reset(seed=[0, index(e)])),
    "seed of async_reset": ("Counter", ConfigError, lambda p, e: p.async_reset(seed=index(e))),
}


def pool_of(make, name):
    """A pool that was reset."""
    more = {} if name == "Counter" else {"max_num_players": 2}
    pool = make(name, num_envs=2, **more)
    pool.reset()
    return pool


@pytest.mark.parametrize("call", CALLS)
def test_an_interrupt_in_a_conversion_is_passed_on(make, call):
    name, _, act = CALLS[call]
    pool = pool_of(make, name)
    raised = KeyboardInterrupt("now")
    with pytest.raises(KeyboardInterrupt) as caught:
        act(pool, raised)
    assert caught.value is raised
    # Nothing was sent, nothing is held.
    assert pool.num_in_flight == 0
    assert pool.reset()["info:env_id"].tolist() == [0, 1]


@pytest.mark.parametrize("call", CALLS)
def test_another_exception_is_the_cause(make, call):
    name, kind, act = CALLS[call]
    pool = pool_of(make, name)
    raised = RuntimeError("the screen is gone")
    message = refused(kind, lambda: act(pool, raised))
    assert message.error.__cause__ is raised
    assert pool.num_in_flight == 0


def test_an_interrupt_in_the_length_of_an_action(make):
    """An asynchronous pool asks an action how long it is, to know whose it is."""
    pool = make(num_envs=4, batch_size=2)
    pool.async_reset()
    pool.recv()
    raised = KeyboardInterrupt("now")
    with pytest.raises(KeyboardInterrupt) as caught:
        pool.send(length(raised))
    assert caught.value is raised


OPTIONS = {
    "a number": ("goal", index),
    "a common number": ("num_envs", index),
    "a list": ("env_seed", Later),
    "an item of a list": ("env_seed", lambda error: [0, index(error)]),
    "a truth": ("gated", lambda error: Raising("__bool__", error)),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_an_interrupt_in_an_option(module, option):
    key, value = OPTIONS[option]
    raised = KeyboardInterrupt("now")
    with pytest.raises(KeyboardInterrupt) as caught:
        make_pool(module, "Counter", **{key: value(raised)})
    assert caught.value is raised


@pytest.mark.parametrize("option", OPTIONS)
def test_another_exception_in_an_option_is_the_cause(module, option):
    key, value = OPTIONS[option]
    raised = RuntimeError("the file is gone")
    message = refused(ConfigError, lambda: make_pool(module, "Counter", **{key: value(raised)}))
    assert message.asked == f"option '{key}'"
    assert message.error.__cause__ is raised


def test_a_text_where_numbers_are_wanted(make):
    """Objects that NumPy cannot convert either: their own exception, if any, is not lost."""
    pool = make(num_envs=2)
    pool.reset()
    message = refused(ActionError, lambda: pool.step([[1], [2, 3]]))
    assert isinstance(message.error.__cause__, ValueError)
    message = refused(EnvIdError, lambda: pool.step([1, 2], [[0], [1, 2]]))
    assert isinstance(message.error.__cause__, ValueError)
