# SPDX-License-Identifier: Apache-2.0
"""Saved states by way of Python: their size, and that damaged or foreign ones do no harm.

The pool refuses damaged bytes by their checksum. Here it is made right again, so that they reach
the game.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import SavedStateError

STEPS = 60
_HEADER = struct.Struct("<8sQQQ")  # kind, task, size, checksum
# Most bytes of a state are the screens of most games; MsPacman's maze takes most.
SIZES = {"Pong": 1000, "Breakout": 1000, "Seaquest": 1500, "Pitfall": 2000, "MsPacman": 2700}


def new_pool(game: str, **config: Any) -> Any:
    """A pool of one that has been played for a while."""
    pool = envpool.make(f"{game}-v5", num_envs=1, seed=3, **config)
    pool.reset()
    play(pool, STEPS)
    return pool


def play(pool: Any, steps: int) -> list[bytes]:
    """The observations of some random steps."""
    rng = np.random.default_rng(5)
    actions = rng.integers(pool.action_space.n, size=(steps, 1)).astype(np.int32)
    return [pool.step(action)[0].tobytes() for action in actions]


def sealed(state: bytes, body: bytes) -> bytes:
    """The state with another body, and the right size and checksum."""
    checksum = 0xCBF29CE484222325 ^ len(body)  # as state_io.h has it
    for (word,) in struct.iter_unpack("<Q", body + bytes(-len(body) % 8)):
        checksum = (checksum ^ word) * 0x100000001B3 % (1 << 64)
        checksum ^= checksum >> 32
    kind, task, _, _ = _HEADER.unpack_from(state)
    return _HEADER.pack(kind, task, len(body), checksum) + body


def damaged(body: bytes, rng: np.random.Generator) -> Iterator[bytes]:
    """Bodies with a few other bytes, and parts of it."""
    for count in (1, 1, 1, 3, 10, 100) * 25:
        other = np.frombuffer(body, np.uint8).copy()
        other[rng.integers(other.size, size=count)] ^= rng.integers(1, 256, count, np.uint8)
        yield other.tobytes()
    for size in rng.integers(len(body), size=20):
        yield body[:size]
    yield body + b"\0"


@pytest.mark.parametrize("game", SIZES)
def test_a_state_is_small(game: str) -> None:
    with new_pool(game) as pool, new_pool(game, stack_num=1) as single:
        assert len(pool.save_state()[0]) < SIZES[game]
        assert len(single.save_state()[0]) < 700


@pytest.mark.parametrize(
    ("game", "config"),
    [
        ("Pong", {}),
        ("Pitfall2", {"repeat_action_probability": 0.25}),
        ("JourneyEscape", {"gray_scale": False, "stack_num": 2}),
        ("Adventure", {"obs_type": "ram"}),
    ],
)
def test_damaged_bytes(game: str, config: dict[str, Any]) -> None:
    with new_pool(game, **config) as pool:
        (good,) = pool.save_state()
        assert sealed(good, good[_HEADER.size :]) == good
        expected = play(pool, 10)
        loaded = 0
        for body in damaged(good[_HEADER.size :], np.random.default_rng(6)):
            pool.load_state([good])
            try:
                pool.load_state([sealed(good, body)])
            except SavedStateError:
                assert pool.save_state() == [good]
                continue
            loaded += 1
            play(pool, 3)
            pool.reset()
        assert loaded > 10
        pool.load_state([good])
        assert play(pool, 10) == expected


def test_states_of_others() -> None:
    others = [
        ("Breakout", {}),
        ("Pong", {"stack_num": 3}),
        ("Pong", {"img_width": 42}),
        ("Pong", {"gray_scale": False}),
        ("Pong", {"repeat_action_probability": 0.5}),
        ("Pong", {"obs_type": "ram"}),
    ]
    with new_pool("Pong") as pool:
        good = pool.save_state()
        for game, config in others:
            with new_pool(game, **config) as other:
                state = other.save_state()
            with pytest.raises(SavedStateError):
                pool.load_state(state)
            assert pool.save_state() == good
