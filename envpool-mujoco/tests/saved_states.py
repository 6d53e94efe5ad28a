# SPDX-License-Identifier: Apache-2.0
"""Saved states of dm_control's tasks."""

from __future__ import annotations

import struct
from typing import Any

import dm_control_reference as reference
import envpool
import numpy as np


def sealed(state: bytes) -> bytes:
    """A saved state whose checksum is that of its contents: see envpool/state_io.h."""
    size = len(state) - 32  # the header has four words, of which the last one is the checksum
    bits = (1 << 64) - 1
    number = 0xCBF29CE484222325 ^ size
    for (word,) in struct.iter_unpack("<Q", state[32:] + bytes(-size % 8)):
        number = ((number ^ word) * 0x100000001B3) & bits
        number ^= number >> 32
    return state[:24] + struct.pack("<Q", number) + state[32:]


def check(task_id: str, **options: Any) -> None:
    """Loads states, from the first observation on, into a pool that was somewhere else."""
    options = {"num_envs": 1, "max_episode_steps": 9, **options}
    with (
        envpool.make(task_id, "dm", seed=1, **options) as one,
        envpool.make(task_id, "dm", seed=2, **options) as other,
    ):
        actions = reference.random_actions(one.action_spec(), 14, 1)
        one.reset()
        other.reset()
        _play(other, actions[:4])
        for number in (0, 1, 2):
            states = one.save_state()
            other.load_state(states)
            assert other.save_state() == states
            wanted, got = _play(one, actions), _play(other, actions)
            for step, (right, values) in enumerate(zip(wanted, got, strict=True)):
                for name, array in right.items():
                    np.testing.assert_array_equal(array, values[name], f"{name} {number} {step}")
            one.load_state(states)
            _play(one, actions[:1])


def _play(pool: Any, actions: Any) -> list[dict[str, Any]]:
    """Rows go on after the end of an episode, so that the next start is compared as well."""
    rows = []
    for action in actions:
        step = pool.step(action)
        rest = {"reward": step.reward, "discount": step.discount, "step_type": step.step_type}
        flat = reference.flat(step.observation) | rest
        rows.append({name: np.array(array) for name, array in flat.items()})
    return rows
