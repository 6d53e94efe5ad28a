# SPDX-License-Identifier: Apache-2.0
"""The outputs of a step in few buffers: making and reading one takes time at any size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

_MOST = 2**14  # bytes; a larger array is its own buffer, since packing would copy it once more
_UNSIGNED = {4: jnp.uint32, 1: jnp.uint8}  # of the common buffers, by bytes of an element

Kind = tuple[np.dtype[Any], tuple[int, ...]]
"""The dtype of an array and the shape of a row."""


class _Place(NamedTuple):
    """The place of an array.

    Attributes:
        name: Of the array.
        dtype: Of its elements.
        shape: With the axis of rows.
        buffer: Index of the buffer; the common buffers are the last.
        offset: Bytes from its beginning.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    buffer: int
    offset: int


class JaxMemory(np.ndarray[Any, Any]):
    """A view of JAX's memory, which must not be changed: it is read-only, also through DLPack.

    NumPy 2.1 and newer exports a read-only array with a flag that says so, but PyTorch 2.13 ignores
    the flag: `torch.from_dlpack` of such an array wrote into JAX's memory.
    """

    def __dlpack__(self, *, copy: bool | None = None, **given: Any) -> Any:
        """The capsule of a writable array, or of a copy.

        Raises:
            BufferError: If the array is read-only, and no copy is requested.
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
    """The buffer and offset of each output, for a number of rows.

    Small outputs with elements of the same size share a buffer, one after the other.
    """

    def __init__(self, kinds: Mapping[str, Kind], rows: int, whether: bool) -> None:
        """Plans the places; `whether` False gives each output its own buffer."""
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
        """Packs arrays of JAX into buffers, inside a compiled function."""
        buffers = [outputs[name] for name in self._alone]
        for size, names in self._shared.items():
            parts = [_as_unsigned(outputs[name], _UNSIGNED[size]).ravel() for name in names]
            buffers.append(jnp.concatenate(parts))
        return buffers

    def arrays(self, buffers: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The outputs in these buffers, as arrays."""
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
    """The outputs of a step or a reset: arrays by name, which JAX may still be computing."""

    def __init__(self, packing: Packing, buffers: Sequence[Any]) -> None:
        """Keeps the buffers without waiting."""
        self._packing, self._buffers = packing, buffers

    def is_ready(self) -> bool:
        """True if all outputs are computed."""
        return all(buffer.is_ready() for buffer in self._buffers)

    def arrays(self, copy: bool) -> dict[str, NDArray[Any]]:
        """All outputs as NumPy's arrays: read-only views of JAX's memory, or copies."""
        read = np.array if copy else np.asarray
        return self._packing.arrays([read(buffer) for buffer in self._buffers])

    def array(self, name: str) -> Any:
        """One output, as an array of JAX."""
        return self._packing.array(self._buffers, name)


def _as_unsigned(array: Any, dtype: Any) -> Any:
    """The same bytes as numbers of another type."""
    if array.dtype == jnp.bool_:
        return array.astype(dtype)
    return jax.lax.bitcast_convert_type(array, dtype)
