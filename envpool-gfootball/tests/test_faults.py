# SPDX-License-Identifier: Apache-2.0
"""A game whose engine cannot continue: an error with the engine's words; all others play on.

A saved state has players' places as the engine's floats. Players are on the ground; if a state
differs, an assertion of the engine fails in the next steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import StateError, WorkerError

_FIVE = "gfootball/5_vs_5-v1"
_HEADER, _CHECKSUM = 32, slice(24, 32)
_RIGHT = np.full(3, 5, np.int32)


def _checksum(data: bytes) -> bytes:
    """The checksum of envpool/state_io.h."""
    found = 0xCBF29CE484222325 ^ len(data)
    for word in np.frombuffer(data + bytes(-len(data) % 8), "<u8").tolist():
        found = (found ^ word) * 0x100000001B3 % 2**64
        found ^= found >> 32
    return found.to_bytes(8, "little")


def _places(saved: bytes, place: np.ndarray) -> Iterator[int]:
    """The offsets of this place, in metres, on the ground, in a state."""
    for start in range(_HEADER, _HEADER + 4):
        floats = np.frombuffer(saved[start : len(saved) - (len(saved) - start) % 4], "<f4")
        with np.errstate(invalid="ignore", over="ignore"):
            near = [np.abs(floats[axis : axis - 2] - place[axis]) < 0.01 for axis in (0, 1)]
        yield from start + 4 * np.flatnonzero(near[0] & near[1] & (floats[2:] == 0))


def _damaged(saved: bytes, place: np.ndarray) -> bytes:
    """The state with a player a metre above the ground."""
    assert _checksum(saved[_HEADER:]) == saved[_CHECKSUM]
    damaged = bytearray(saved)
    found = list(_places(saved, place))
    assert found
    for at in found:
        damaged[at + 8 : at + 12] = np.float32(1).tobytes()
    damaged[_CHECKSUM] = _checksum(bytes(damaged[_HEADER:]))
    return bytes(damaged)


def _failure(pool: Any, whole: Any) -> tuple[WorkerError, Any]:
    """The failure in the pool's next steps, and the other pool's results in that step."""
    for _ in range(10):
        expected = whole.step(_RIGHT)
        try:
            pool.step(_RIGHT)
        except WorkerError as error:
            return error, expected
    raise AssertionError("no game has failed")


def test_a_fault_is_an_error_of_one_game() -> None:
    options = {"num_envs": 3, "observation": "raw", "seed": 1, "render_mode": "rgb_array"}
    with envpool.make(_FIVE, **options) as pool, envpool.make(_FIVE, **options) as whole:
        obs, _ = pool.reset()
        whole.reset()
        for _ in range(20):
            obs = pool.step(_RIGHT)[0]
            whole.step(_RIGHT)
        saved = pool.save_state()
        metres = obs["left_team"][1, 2].astype(float) * [54.4, -83.6]
        damaged = _damaged(saved[1], metres)
        pool.load_state([damaged], env_ids=[1])
        error, expected = _failure(pool, whole)
        ((env_id, text),) = error.failures
        assert env_id == 1
        words = r"the football engine cannot go on: .+, in \S*src/\S+\.\w+:\d+$"
        assert re.match(words, text), text
        with pytest.raises(StateError, match="failed before"):
            pool.render(env_ids=[1])
        # The other environments have played the step, and continue.
        others = pool.recv()
        assert others[4]["env_id"].tolist() == [0, 2]
        for key, value in others[0].items():
            np.testing.assert_array_equal(value, expected[0][key][[0, 2]], key)
        # A new game plays as any other game with that seed.
        again = {"engine_seed": 5, "episode_number": 2}
        pool.reset(env_id=[1], options=again)
        whole.reset(env_id=[1], options=again)
        for _ in range(20):
            found, expected = pool.step(_RIGHT), whole.step(_RIGHT)
            for key, value in found[0].items():
                np.testing.assert_array_equal(value, expected[0][key], key)
        # And again; a new game takes states, too.
        pool.load_state([damaged], env_ids=[1])
        _failure(pool, whole)
        pool.recv()
        pool.reset(env_id=[1])
        pool.load_state(saved)
        whole.load_state(saved)
        for _ in range(5):
            found, expected = pool.step(_RIGHT), whole.step(_RIGHT)
            for key, value in found[0].items():
                np.testing.assert_array_equal(value, expected[0][key], key)
