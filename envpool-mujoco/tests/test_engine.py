# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo in the wheel, and errors of all parts that may meet another version."""

from __future__ import annotations

import os
import struct
from importlib import metadata
from pathlib import Path

import envpool
import pytest
from envpool.errors import SavedStateError
from envpool_mujoco import _mujoco, family
from envpool_mujoco._findings import COMPARED

ENGINE = os.environ.get("ENVPOOL_MUJOCO") or "3.17.0"


def test_the_engine_is_in_names_and_numbers() -> None:
    """A second engine in a process has other libraries; families compare the number."""
    assert _mujoco.mujoco_version() == ENGINE
    major, minor, patch = map(int, ENGINE.split("."))
    assert family.API[1] == major * 1000000 + minor * 1000 + patch
    with envpool.make("Reacher-v5") as pool:
        pool.reset()
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
        mapped = {Path(line.split()[-1]).name for line in maps.splitlines()}
    assert f"libenvpool_mujoco-{ENGINE}.so.1" in mapped


def test_the_wheel_says_its_engine() -> None:
    files = metadata.files("envpool-mujoco") or []
    boms = [str(path.locate()) for path in files if path.name.endswith(".cdx.json")]
    if boms:  # an editable wheel has none
        assert f'"pkg:pypi/mujoco@{ENGINE}"' in Path(boms[0]).read_text(encoding="utf-8")
    assert COMPARED[0].versions == (ENGINE,)


def checksum(data: bytes) -> int:
    """The checksum of envpool/state_io.h."""
    number = 0xCBF29CE484222325 ^ len(data)
    for start in range(0, len(data), 8):
        word = int.from_bytes(data[start : start + 8], "little")
        number = (number ^ word) * 0x100000001B3 & 2**64 - 1
        number ^= number >> 32
    return number


def test_states_of_another_engine_are_refused() -> None:
    """The bytes of a state, as if another engine had saved it."""

    def part(engine: str) -> bytes:
        return (checksum(f"MuJoCo {engine}".encode()) & 2**32 - 1).to_bytes(4, "little")

    head = struct.Struct("<8sQQQ")
    with envpool.make("Reacher-v5", num_envs=1) as pool:
        pool.reset()
        (state,) = pool.save_state()
        assert state.count(part(ENGINE)) == 1
        body = state[head.size :].replace(part(ENGINE), part("3.2.0"))
        magic, task, size, _ = head.unpack(state[: head.size])
        other = head.pack(magic, task, size, checksum(body)) + body
        with pytest.raises(SavedStateError, match=f"another engine; .* engine='MuJoCo {ENGINE}'"):
            pool.load_state([other])
        pool.load_state([state])
