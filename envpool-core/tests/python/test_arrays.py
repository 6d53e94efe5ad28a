# SPDX-License-Identifier: Apache-2.0
"""ArraySpec, trees of names, and the spaces and specs that are made of them."""

from __future__ import annotations

import dm_env
import numpy as np
import pytest
from envpool._specs import dm_specs
from envpool._specs.arrays import MAX_CHOICES, ArraySpec, as_observation, named_tuple, nest
from envpool._specs.spaces import action_space, observation_space, space_of
from envpool.errors import PluginError
from fake_family import raw_array
from gymnasium import spaces
from gymnasium.vector.utils import batch_space


def spec(name="obs", dtype="float32", shape=(), low=None, high=None, **kwargs):
    return ArraySpec.from_compiled(raw_array(name, dtype, shape, low, high, **kwargs))


def test_bounds():
    box = spec(shape=(2, 3), low=-1, high=[[1, 2, 3], [4, 5, 6]])
    assert box.minimum.shape == box.maximum.shape == (2, 3)
    assert box.minimum.dtype == np.float32
    assert box.maximum[1, 0] == 4
    free = ArraySpec("obs", np.float64, (-1, 2))
    assert free.minimum.tolist() == [-np.inf] * 2
    assert free.per_player
    assert free.item_shape == (2,)
    assert ArraySpec("obs", np.uint8, ()).maximum == 255
    assert ArraySpec("obs", bool, (2,)).maximum.tolist() == [True, True]
    flat = ArraySpec("obs", np.int32, (2, 2), [1, 2, 3, 4], [5, 6, 7, 8])
    assert flat.minimum.tolist() == [[1, 2], [3, 4]]


def test_item_bytes():
    assert spec(dtype="uint8", shape=(4, 84, 84)).item_bytes == 4 * 84 * 84
    assert spec(dtype="float64", shape=(-1, 3)).item_bytes == 24
    assert spec(shape=()).item_bytes == 4


def test_repr():
    assert repr(spec(shape=(2,), low=-1, high=[1, 2])) == (
        "ArraySpec('obs', float32, (2,), -1.0 .. 2.0)"
    )
    assert "none" in repr(spec(shape=(0,)))


@pytest.mark.parametrize(
    ("array", "choices"),
    [
        (spec(dtype="int32", low=0, high=4), (0, 5)),
        (spec(dtype="int32", shape=(-1,), low=0, high=4), (0, 5)),
        (spec(dtype="int8", low=-3, high=3), (-3, 7)),
        (spec(dtype="int32", low=0, high=MAX_CHOICES - 1), (0, MAX_CHOICES)),
        (spec(dtype="int32", low=0, high=MAX_CHOICES), None),
        (spec(dtype="int32"), None),
        (spec(dtype="uint64"), None),
        (spec(dtype="uint8"), None),  # 256 does not fit into a uint8
        (spec(dtype="uint8", low=0, high=254), (0, 255)),
        (spec(dtype="int32", shape=(1,), low=0, high=4), None),
        (spec(dtype="float32", low=0, high=4), None),
        (spec(dtype="bool"), None),
        (spec(dtype="int32", low=0, high=4, dynamic=True), None),
    ],
)
def test_choices(array, choices):
    assert array.choices == choices
    assert array.is_discrete == (choices is not None)


def test_nest():
    assert nest([("a", 1), ("b.c", 2), ("b.d.e", 3)], "x") == {"a": 1, "b": {"c": 2, "d": {"e": 3}}}
    for names in (
        ["a", "a"],
        ["a", "a.b"],
        ["a.b", "a"],
        ["a.b", "a.b.c.d"],
        [""],
        ["a."],
        ["a..b"],
    ):
        with pytest.raises(PluginError, match="the info"):
            nest([(name, 0) for name in names], "the info")


def test_observation_tree():
    assert as_observation({"obs": 1}, "x") == 1
    assert as_observation({"obs:a.b": 1}, "x") == 1
    assert as_observation({"obs:a.b": 1, "obs:c": 2}, "x") == {"a": {"b": 1}, "c": 2}
    assert as_observation({}, "x") == {}
    with pytest.raises(PluginError):
        as_observation({"obs": 1, "obs:a": 2}, "x")


def test_named_tuple():
    tree = {"a-b": 1, "class": 2, "0": {"x": 3}, "a_b": 4, "_c": 5, "a b": 6}
    found = named_tuple("State", tree)
    assert type(found).__name__ == "State"
    assert found._fields == ("a_b", "class_", "n0", "a_b_1", "n_c", "a_b_2")
    assert found.n0.x == 3
    assert found.a_b_2 == 6


SPACES = [
    (spec(dtype="int32", low=0, high=4), spaces.Discrete(5), 3),
    (spec(dtype="int64", low=-2, high=2), spaces.Discrete(5, start=-2), -2),
    (
        spec(dtype="int32", shape=(-1, 2), low=0, high=[2, 3], categorical=True),
        spaces.MultiDiscrete([3, 4]),
        [2, 3],
    ),
    (
        spec(dtype="int16", shape=(2,), low=[1, -2], high=[2, 3], categorical=True),
        spaces.MultiDiscrete([2, 6], start=[1, -2]),
        [2, -2],
    ),
    (spec(dtype="bool", shape=(3,)), spaces.MultiBinary((3,)), [True, False, True]),
    (spec(shape=(2,)), spaces.Box(-np.inf, np.inf, (2,), np.float32), [1e30, -np.inf]),
    (spec(shape=()), spaces.Box(-np.inf, np.inf, (), np.float32), 3),
    (
        spec(dtype="uint8", shape=(4, 8, 8), low=0, high=255),
        spaces.Box(0, 255, (4, 8, 8), np.uint8),
        7,
    ),
    (spec(dtype="int32", shape=(1,), low=0, high=4), spaces.Box(0, 4, (1,), np.int32), [4]),
    (spec(dtype="int64", shape=(2,)), spaces.Box(-(2**63), 2**63 - 1, (2,), np.int64), [0, 2**62]),
    (
        spec(dtype="float64", shape=(2,), low=[-1, -np.inf], high=[1, np.inf]),
        spaces.Box(np.array([-1, -np.inf]), np.array([1, np.inf]), dtype=np.float64),
        [0.5, 1e300],
    ),
]


@pytest.mark.parametrize(("array", "space", "value"), SPACES)
def test_space(array, space, value):
    found = space_of(array)
    assert found == space
    if not isinstance(space, spaces.Discrete | spaces.MultiDiscrete):
        assert found.dtype == (np.int8 if array.dtype == bool else array.dtype)
    item = np.full(array.item_shape, value, array.dtype)
    assert item in found
    # A pool's results have rows, and lie in the space of all rows.
    assert np.stack([item] * 3) in batch_space(found, 3)
    assert found.sample() in found


def test_observation_space():
    lone = {"info:a": spec("info:a"), "obs:x": spec("obs:x", shape=(2,)), "reward": spec("reward")}
    assert observation_space(lone) == spaces.Box(-np.inf, np.inf, (2,), np.float32)
    several = {
        "obs:a.x": spec("obs:a.x", "int32", (), 0, 1),
        "obs:a.y": spec("obs:a.y", shape=(2,)),
        "obs:b": spec("obs:b", shape=(-1,)),
        "obs:dyn": spec("obs:dyn", dynamic=True),
    }
    found = observation_space(several)
    assert isinstance(found, spaces.Dict)
    assert set(found) == {"a", "b"}  # an array that changes its shape has no space
    assert found["a"]["x"] == spaces.Discrete(2)
    assert found["b"].shape == ()


@pytest.mark.parametrize("others", [{}, {"obs:a": spec("obs:a")}])
def test_an_array_without_a_space_is_left_out(others):
    found = observation_space({"obs:dyn": spec("obs:dyn", dynamic=True)} | others)
    assert isinstance(found, spaces.Dict)  # where the observation is a dict, its space is one
    assert set(found) == {name.removeprefix("obs:") for name in others}


def test_action_space():
    move = spec("move", "int32", (-1,), 0, 3)
    assert action_space({"move": move}) == spaces.Discrete(4)
    found = action_space({"move": move, "players.aim": spec("players.aim", shape=(-1, 2))})
    assert found["players"]["aim"].shape == (2,)
    assert found["move"].n == 4


def test_dm_specs():
    state = {
        "info:env_id": spec("info:env_id", "int32"),
        "info:players.env_id": spec("info:players.env_id", "int32", (-1,)),
        "reward": spec("reward"),
        "obs": spec("obs", "float32", (4,), -1, 1),
        "info:lives": spec("info:lives", "int32", (), 0, 5),
        "info:dyn": spec("info:dyn", dynamic=True),
    }
    found = dm_specs.observation_spec(state)
    assert type(found).__name__ == "State"
    assert found._fields == ("env_id", "players", "obs", "lives", "dyn")
    assert isinstance(found.obs, dm_env.specs.BoundedArray)
    assert found.obs.name == "obs"
    assert found.lives == dm_env.specs.DiscreteArray(6, np.int32, "lives")
    assert found.players.env_id.shape == ()
    assert found.dyn.dtype == object
    move = spec("move", "int32", (-1,), 0, 3)
    assert dm_specs.action_spec({"move": move}).num_values == 4
    shifted = spec("move", "int32", (-1,), 1, 3)
    found = dm_specs.action_spec({"a": move, "b.c": shifted})
    assert type(found).__name__ == "Action"
    assert (found.b.c.minimum, found.b.c.maximum) == (1, 3)
