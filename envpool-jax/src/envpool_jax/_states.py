# SPDX-License-Identifier: Apache-2.0
"""Rows of a carry as bytes, and back.

8 bytes   "EPJAX 1 "
16        a checksum of the environment, so that states of another are refused
1         whether it has an episode
...       a row of every array of the carry
4         CRC-32 of all before it
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from envpool.errors import SavedStateError, shorten

from ._program import Carry

_MAGIC = b"EPJAX 1 "


def pack(carry: Carry, rows: Sequence[int], has_episode: Any, fingerprint: bytes) -> list[bytes]:
    """One state for each of `rows`; `has_episode` has a flag for each of them."""
    arrays = [np.asarray(_plain(leaf)) for leaf in jax.tree.leaves(carry)]
    states = []
    for row, has in zip(rows, has_episode, strict=True):
        data = b"".join(array[row].tobytes() for array in arrays)
        data = _MAGIC + fingerprint + bytes([bool(has)]) + data
        states.append(data + zlib.crc32(data).to_bytes(4, "little"))
    return states


def check(state: Any, carry: Carry, fingerprint: bytes, call: str) -> None:
    """Raises SavedStateError if the bytes are not a state of this environment."""
    size = sum(_row_bytes(_plain(leaf)) for leaf in jax.tree.leaves(carry))
    size += len(_MAGIC) + len(fingerprint) + 1 + 4
    if not isinstance(state, bytes):
        got = shorten(state)
    elif state[: len(_MAGIC)] != _MAGIC:
        got = "bytes that are no state of an environment in JAX"
    elif state[len(_MAGIC) :][: len(fingerprint)] != fingerprint:
        got = "a state of another task, env_kwargs or version of its library, or a damaged one"
    elif len(state) != size:
        got = f"{len(state)} bytes where a state has {size}"
    elif zlib.crc32(state[:-4]).to_bytes(4, "little") != state[-4:]:
        got = "a damaged state"
    else:
        return
    raise SavedStateError(
        call, got, "what save_state() of a pool of the same task returned", "Nothing was changed"
    )


def unpack(carry: Carry, rows: Sequence[int], states: Sequence[bytes]) -> tuple[Carry, list[bool]]:
    """The carry with some rows replaced by checked states, and these rows' `has_episode`."""
    leaves, tree = jax.tree.flatten(carry)
    start = len(_MAGIC) + 16
    arrays = [np.array(_plain(leaf)) for leaf in leaves]
    for row, state in zip(rows, states, strict=True):
        at = start + 1
        for array in arrays:
            size = _row_bytes(array)
            one = np.frombuffer(state[at : at + size], array.dtype)
            array[row] = one.reshape(array.shape[1:])
            at += size
    loaded = [_like(array, leaf) for array, leaf in zip(arrays, leaves, strict=True)]
    return jax.tree.unflatten(tree, loaded), [bool(state[start]) for state in states]


def _plain(leaf: Any) -> Any:
    """A leaf as numbers; keys of JAX's own key type are converted."""
    if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.key_data(leaf)
    return leaf


def _like(array: Any, leaf: Any) -> Any:
    put = jax.device_put(array, leaf.sharding)
    if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(put, impl=jax.random.key_impl(leaf))
    return put


def _row_bytes(array: Any) -> int:
    return int(np.prod(array.shape[1:], dtype=np.int64)) * int(np.dtype(array.dtype).itemsize)
