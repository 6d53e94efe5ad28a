# SPDX-License-Identifier: Apache-2.0
"""The outputs of a step in few buffers: to make and to read one takes time, however small it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

_MOST = 2**14  # bytes; a larger array is a buffer by itself, since it would be copied once more
_WORD = 4  # bytes of an element of the common buffer

Kind = tuple[np.dtype[Any], tuple[int, ...]]
"""The dtype of an array and the shape of a row."""


class _Place(NamedTuple):
    """Where an array lies.

    Attributes:
        name: Of the array.
        dtype: Of its elements.
        shape: With the axis of rows.
        buffer: Which one; the common buffer is the last.
        offset: Bytes from its beginning.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    buffer: int
    offset: int


class Packing:
    """Which output lies where, for a number of rows."""

    def __init__(self, kinds: Mapping[str, Kind], rows: int, whether: bool) -> None:
        """Plans; `whether` False gives each output a buffer of its own."""
        self._alone: list[str] = []
        words: list[str] = []
        octets: list[str] = []
        shapes = {name: (rows, *shape) for name, (_, shape) in kinds.items()}
        for name, (dtype, _) in kinds.items():
            size = dtype.itemsize * math.prod(shapes[name])
            small = whether and size <= _MOST
            group = {_WORD: words, 1: octets}.get(dtype.itemsize) if small else None
            (self._alone if group is None else group).append(name)
        self._words, self._octets = words, octets
        self._places = []
        for number, name in enumerate(self._alone):
            self._places.append(_Place(name, kinds[name][0], shapes[name], number, 0))
        offset = 0
        for name in (*words, *octets):  # in this order, so that words lie at multiples of 4
            dtype = kinds[name][0]
            self._places.append(_Place(name, dtype, shapes[name], len(self._alone), offset))
            offset += dtype.itemsize * math.prod(shapes[name])

    def pack(self, outputs: Mapping[str, Any]) -> list[Any]:
        """The buffers of arrays of JAX; to be compiled with what computes these."""
        buffers = [outputs[name] for name in self._alone]
        parts = [jax.lax.bitcast_convert_type(outputs[n], jnp.uint32).ravel() for n in self._words]
        if self._octets:
            octets = jnp.concatenate([_octets(outputs[name]).ravel() for name in self._octets])
            octets = jnp.pad(octets, (0, -len(octets) % _WORD)).reshape(-1, _WORD)
            parts.append(jax.lax.bitcast_convert_type(octets, jnp.uint32))
        return [*buffers, jnp.concatenate(parts)] if parts else buffers

    def arrays(self, buffers: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The outputs, which lie in these buffers."""
        return {
            name: np.ndarray(shape, dtype, buffers[number], offset)
            for name, dtype, shape, number, offset in self._places
        }

    def array(self, buffers: Sequence[Any], name: str) -> Any:
        """An output as an array of JAX."""
        if name in self._alone:
            return buffers[self._alone.index(name)]
        return jnp.asarray(self.arrays([np.asarray(one) for one in buffers])[name])


class Outputs:
    """What a step gave, or a reset: arrays by name, which may still be computed."""

    def __init__(self, packing: Packing, buffers: Sequence[Any]) -> None:
        """Waits for nothing."""
        self._packing, self._buffers = packing, buffers

    def is_ready(self) -> bool:
        """Whether all of it is there."""
        return all(buffer.is_ready() for buffer in self._buffers)

    def arrays(self, copy: bool) -> dict[str, NDArray[Any]]:
        """All, as NumPy's; views of JAX's memory, which are read-only, or copies."""
        read = np.array if copy else np.asarray
        return self._packing.arrays([read(buffer) for buffer in self._buffers])

    def array(self, name: str) -> Any:
        """One, as JAX's."""
        return self._packing.array(self._buffers, name)


def _octets(array: Any) -> Any:
    if array.dtype == jnp.bool_:
        return array.astype(jnp.uint8)
    return jax.lax.bitcast_convert_type(array, jnp.uint8)
