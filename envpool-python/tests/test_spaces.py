# SPDX-License-Identifier: Apache-2.0
"""Spaces of every shape, as observations and actions, beside `gymnasium.vector.SyncVectorEnv`."""

from __future__ import annotations

import copy
import functools
from typing import Any

import envpool_python
import numpy as np
import pytest
from alignment import MODES, NUM_ENVS, compare
from envpool.errors import ActionError, ConfigError
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from sampling import FULL
from toys import BOX, Sampler

ONE = spaces.Discrete(3)
SPECIAL = {
    "a Dict of one": spaces.Dict({"a": BOX}),
    "a Dict of a Dict of one": spaces.Dict({"a": spaces.Dict({"b": ONE})}),
    "a Tuple of one": spaces.Tuple((BOX,)),
    "a Tuple of a Dict of one": spaces.Tuple((spaces.Dict({"a": ONE}),)),
    "a Dict of one Text": spaces.Dict({"a": spaces.Text(5)}),
    "a Dict of a Tuple of one Text": spaces.Dict({"a": spaces.Tuple((spaces.Text(5),))}),
    "an empty Dict": spaces.Dict({}),
    "an empty Tuple": spaces.Tuple(()),
    "a Dict with nothing and something": spaces.Dict({"a": spaces.Dict({}), "b": ONE}),
    "a Tuple with nothing": spaces.Tuple((spaces.Tuple(()), BOX, spaces.Dict({}))),
    "an array without elements": spaces.Box(0, 1, (0,), np.float32),
    "a table without columns": spaces.Dict({"a": spaces.Box(0, 1, (2, 0), np.uint8), "b": ONE}),
    "keys with dots": spaces.Dict({"a.b": ONE, "a": spaces.Dict({"c": BOX}), "": ONE, "x:y": ONE}),
    "keys that are numbers": spaces.Dict({1: ONE, 0: BOX}),
}
NUM_RANDOM = 100 if FULL else 4


def random_space(rng: np.random.Generator, depth: int = 3) -> spaces.Space[Any]:
    """A space with up to `depth` levels, and up to three in each, or none."""
    kind = rng.integers(0, 8 if depth else 6)
    if kind == 0:
        dtype = rng.choice(["f4", "f8", "u1", "i2", "i8"])
        return spaces.Box(0, 9, tuple(rng.integers(0, 4, rng.integers(0, 3)).tolist()), dtype)
    if kind == 1:
        return spaces.Discrete(int(rng.integers(1, 9)), start=int(rng.integers(-3, 3)))
    if kind == 2:
        return spaces.MultiDiscrete(rng.integers(1, 5, rng.integers(1, 4)))
    if kind == 3:
        return spaces.MultiBinary(int(rng.integers(1, 5)))
    if kind == 4:
        return spaces.Text(int(rng.integers(1, 6)))
    count = int(rng.integers(0, 4))
    if kind in (5, 6):
        return spaces.Tuple([random_space(rng, depth - 1) for _ in range(count if depth else 0)])
    keys = rng.choice(["a", "b", "c.d", "0", ""], count, replace=False).tolist()
    return spaces.Dict({key: random_space(rng, depth - 1) for key in keys})


CASES = SPECIAL | {f"random {i}": random_space(np.random.default_rng(i)) for i in range(NUM_RANDOM)}


class Both(Sampler):
    """Observes values of a space, and expects them as actions, if they can be."""

    def __init__(self, name: str, acts: bool) -> None:
        super().__init__()
        self.observation_space = copy.deepcopy(CASES[name])
        if acts:
            self.action_space = copy.deepcopy(CASES[name])


def has_empty(space: spaces.Space[Any]) -> bool:
    if isinstance(space, spaces.Dict):
        return len(space) == 0 or any(map(has_empty, space.values()))
    return isinstance(space, spaces.Tuple) and (len(space) == 0 or any(map(has_empty, space)))


@pytest.mark.parametrize("name", CASES)
def test_a_space_comes_and_goes_as_it_is(name: str) -> None:
    # SyncVectorEnv cannot tell the number of actions in a batch of empty spaces.
    acts = not has_empty(CASES[name])
    make = functools.partial(Both, name, acts)
    mode = [*MODES][[*CASES].index(name) % len(MODES)]
    reference = SyncVectorEnv([make] * NUM_ENVS, autoreset_mode=MODES[mode])
    with envpool_python.make(
        [make] * NUM_ENVS, "vector", num_workers=1, autoreset_mode=mode
    ) as pool:
        assert pool.observation_space == reference.observation_space
        assert pool.action_space == reference.action_space
        assert compare(pool, reference, mode, 12) >= 0


@pytest.mark.parametrize("name", [name for name in SPECIAL if has_empty(SPECIAL[name])])
def test_actions_of_nothing(name: str) -> None:
    make = functools.partial(Both, name, True)
    with envpool_python.make([make] * NUM_ENVS, "vector", num_workers=1) as pool:
        pool.reset()
        for _ in range(5):
            pool.step(pool.action_space.sample())  # the environment asserts that it contains it


def test_texts_that_a_space_cannot_hold_are_refused() -> None:
    with envpool_python.make([functools.partial(Sampler, "box", "text")] * 3) as pool:
        pool.reset()
        for texts, said in (
            (("abc", "abcdefg", "a"), r"env 1.*'abcdefg', a text of 7 characters.*at most 6"),
            (("abc", "a\0c", "a"), r"env 1.*'a\\x00c'"),
            (("abc", "abc", 7), r"env 2.*got 7, a int"),
            ("abc", r"a sequence of texts"),
            (7, r"a sequence of texts"),
        ):
            with pytest.raises(ActionError, match=said):
                pool.step(texts)
        with pytest.raises(ActionError, match="env 2"):
            pool.send(("abcdefg",), np.array([2]))
        pool.step(("abc", "abcdef", "a"))  # nothing was sent


def test_keys_of_actions_that_are_ids_are_refused() -> None:
    class Keyed(Sampler):
        def __init__(self) -> None:
            super().__init__()
            self.action_space = spaces.Dict({"env_id": ONE, "other": ONE})

    class Doubled(Sampler):
        def __init__(self) -> None:
            super().__init__()
            self.action_space = spaces.Dict({"a.b": ONE, "a": spaces.Dict({"b": ONE})})

    for env in (Keyed, Doubled):
        with pytest.raises(ConfigError, match=r"the key '(env_id|a\.b)'.*Rename the key"):
            envpool_python.make([env])
