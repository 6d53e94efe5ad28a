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
_UNSIGNED = {4: jnp.uint32, 1: jnp.uint8}  # of the common buffers, by bytes of an element

Kind = tuple[np.dtype[Any], tuple[int, ...]]
"""The dtype of an array and the shape of a row."""


class _Place(NamedTuple):
    """Where an array lies.

    Attributes:
        name: Of the array.
        dtype: Of its elements.
        shape: With the axis of rows.
        buffer: Which one; the common buffers are the last.
        offset: Bytes from its beginning.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    buffer: int
    offset: int


class JaxMemory(np.ndarray[Any, Any]):
    """A view of JAX's memory, which must not change: it is read-only, by way of DLPack too.

    NumPy 2.1 and newer exports a read-only array with a flag that says so, and PyTorch 2.13 does
    not look at the flag: `torch.from_dlpack` of such an array wrote into JAX's memory.
    """

    def __dlpack__(self, *, copy: bool | None = None, **given: Any) -> Any:
        """The capsule of an array that may be written, or of a copy.

        Raises:
            BufferError: If the array is read-only, and no copy is asked for.
        """
        if self.flags.writeable:
            return super().__dlpack__(copy=copy, **given)
        if copy:
            return np.array(self).__dlpack__(**given)
        raise BufferError(
            "DLPack of a result: got a read-only view of JAX's memory; allowed: arrays that may be "
            "written. Pass result.copy(), or make the pool without copy=False."
        )


class Packing:
    """Which output lies where, for a number of rows.

    Small ones lie one after the other in a buffer that those with elements of as many bytes share.
    """

    def __init__(self, kinds: Mapping[str, Kind], rows: int, whether: bool) -> None:
        """Plans; `whether` False gives each output a buffer of its own."""
        self._alone: list[str] = []
        shared: dict[int, list[str]] = {size: [] for size in _UNSIGNED}
        shapes = {name: (rows, *shape) for name, (_, shape) in kinds.items()}
        bytes_of = {n: dtype.itemsize * math.prod(shapes[n]) for n, (dtype, _) in kinds.items()}
        for name, (dtype, _) in kinds.items():
            small = whether and bytes_of[name] <= _MOST and dtype.itemsize in shared
            (shared[dtype.itemsize] if small else self._alone).append(name)
        self._shared = {size: names for size, names in shared.items() if names}
        self._places = []
        for number, names in enumerate([*([name] for name in self._alone), *self._shared.values()]):
            offset = 0
            for name in names:
                self._places.append(_Place(name, kinds[name][0], shapes[name], number, offset))
                offset += bytes_of[name]

    def pack(self, outputs: Mapping[str, Any]) -> list[Any]:
        """The buffers of arrays of JAX; to be compiled with what computes these."""
        buffers = [outputs[name] for name in self._alone]
        for size, names in self._shared.items():
            parts = [_as_unsigned(outputs[name], _UNSIGNED[size]).ravel() for name in names]
            buffers.append(jnp.concatenate(parts))
        return buffers

    def arrays(self, buffers: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The outputs, which lie in these buffers."""
        kinds = [np.ndarray if buffer.flags.writeable else JaxMemory for buffer in buffers]
        return {
            name: kinds[number](shape, dtype, buffers[number], offset)
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


def _as_unsigned(array: Any, dtype: Any) -> Any:
    """The same bytes as numbers of another type."""
    if array.dtype == jnp.bool_:
        return array.astype(dtype)
    return jax.lax.bitcast_convert_type(array, dtype)
