# SPDX-License-Identifier: Apache-2.0
"""Memory for results that a caller has in common with the workers on its machine.

The caller makes buffers of it. A buffer has the arrays of a batch, one behind the other:

    | obs of env 0 | obs of env 1 | ... | reward of env 0 | reward of env 1 | ...

A request to a worker says from which row on of which buffer its pool writes, and the caller builds
the arrays of the result there. So what several workers write in one step stands together, and is
nowhere copied. A buffer is used again when nothing refers to what was built on it. The system frees
it with the last process that has it: nothing has a name.
"""

from __future__ import annotations

import math
import mmap
import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from envpool.typing import CompiledArray

MIN_SHARED_BYTES = 1 << 16
"""Bytes of a worker's results from which they are shared; less is sooner copied."""
MAX_RESULTS_HELD = 8
"""Results that a caller can have, of each worker or in each synchronous batch, without a copy."""
_ALIGN = 64  # bytes at which an array begins: a cache line
_MOST_SPECS = 1024  # kinds of requests that are remembered


class Field(NamedTuple):
    """An array of results in a buffer."""

    name: str
    """As in layouts: "obs", "final obs"."""
    dtype: np.dtype[Any]
    item: tuple[int, ...]
    """The shape of a row, which is one of an environment or of a player."""
    players: int
    """Rows of an environment."""
    row_bytes: int
    """Bytes of an environment."""
    at: int
    """The byte of the buffer at which it begins."""

    def array(self, memory: Any, row: int, rows: int) -> NDArray[Any]:
        """The first `rows` rows of an array that begins with an environment's."""
        return np.ndarray((rows, *self.item), self.dtype, memory, self.at + row * self.row_bytes)


def fields_of(
    state: Sequence[CompiledArray], names: Sequence[str], players: int, rows: int
) -> tuple[Field, ...]:
    """The arrays of a buffer, without those that change their shape.

    Args:
        state: All arrays of results.
        names: The arrays that workers send; "final " stands before those of episodes' ends.
        players: Most players of an environment.
        rows: Environments of a buffer.
    """
    kinds = {array[0]: array for array in state}
    fields: list[Field] = []
    end = 0
    for name in names:
        _, dtype, shape, _, _, dynamic, *_ = kinds[name.removeprefix("final ")]
        if dynamic:
            continue
        several, item = (players, shape[1:]) if shape[:1] == (-1,) else (1, shape)
        row_bytes = dtype.itemsize * math.prod(item) * several
        fields.append(Field(name, np.dtype(dtype), tuple(item), several, row_bytes, end))
        end += row_bytes * rows
        end += -end % _ALIGN
    return tuple(fields)


class SharedBuffer:
    """Memory of the caller.

    Attributes:
        number: By which both ends call it.
        file: By which a worker gets it.
    """

    def __init__(self, size: int, number: int) -> None:
        """Has it all.

        Raises:
            OSError: If there is not so much.
        """
        self.number, self.file = number, os.memfd_create("envpool-ray")
        try:
            os.posix_fallocate(self.file, 0, size)  # where memory ends, it ends here
            self._memory = mmap.mmap(self.file, size)
        except OSError:
            os.close(self.file)
            raise
        self._lent: weakref.ref[Any] | None = None

    def acquire(self) -> NDArray[np.uint8] | None:
        """The whole buffer, on which arrays are built; None while somebody has some of it."""
        if self._lent is not None and self._lent() is not None:
            return None
        memory: NDArray[np.uint8] = np.frombuffer(self._memory, np.uint8)
        self._lent = weakref.ref(memory)
        return memory

    def __del__(self) -> None:
        """Lets go of the file; the memory stays for as long as it is looked into."""
        if hasattr(self, "_memory"):
            os.close(self.file)


class BufferSlot(NamedTuple):
    """The memory for the results of a request."""

    buffer: SharedBuffer
    memory: NDArray[np.uint8]
    """All of the buffer: arrays that are built on it keep it."""
    row: int
    """The first environment's."""


class BufferPool:
    """The buffers of a pool."""

    def __init__(self, fields: Sequence[Field], rows: int, most: int, share: int) -> None:
        """Has none yet.

        Args:
            fields: Their arrays.
            rows: Environments of each.
            most: How many there may be.
            share: Environments of a worker.
        """
        self.fields, self.rows, self._share = tuple(fields), rows, share
        self._row_bytes = sum(field.row_bytes for field in fields)
        self._size = fields[-1].at + fields[-1].row_bytes * rows if fields else 0
        self._most, self._made = most, 0
        self._buffers: list[SharedBuffer] = []
        self._array_specs: dict[Any, list[tuple[tuple[int, ...], np.dtype[Any], int]]] = {}

    def __contains__(self, buffer: SharedBuffer) -> bool:
        """Whether a buffer is still used."""
        return buffer in self._buffers

    def shares(self, envs: int) -> bool:
        """Whether results of so many environments are large enough to be shared."""
        return self._row_bytes * min(envs, self._share) >= MIN_SHARED_BYTES

    def acquire(self, envs: int) -> BufferSlot | None:
        """A buffer that nobody has, for results of so many environments.

        None if they are sooner copied, if there are enough buffers, or if there is no more memory.
        """
        if not self.shares(envs):
            return None
        for buffer in self._buffers:
            memory = buffer.acquire()
            if memory is not None:
                return BufferSlot(buffer, memory, 0)
        if len(self._buffers) >= self._most:
            return None
        try:
            buffer = SharedBuffer(self._size, self._made)
        except OSError:
            return None
        self._made += 1
        self._buffers.append(buffer)
        return self.acquire(envs)

    def drop(self, buffer: SharedBuffer) -> bool:
        """Never uses a buffer again, since a lost worker may still write there; False if it is."""
        if buffer not in self._buffers:
            return False
        self._buffers.remove(buffer)
        return True

    def array_specs(self, rows: BufferRows) -> list[tuple[tuple[int, ...], np.dtype[Any], int]]:
        """Shape, dtype and offset of each of the arrays."""
        key = (rows.numbers, rows.counts, rows.slot.row)
        specs = self._array_specs.get(key)
        if specs is None:
            if len(self._array_specs) > _MOST_SPECS:
                self._array_specs.clear()
            specs = self._array_specs[key] = []
            for number, count in zip(rows.numbers, rows.counts, strict=True):
                field = self.fields[number]
                at = field.at + rows.slot.row * field.row_bytes
                specs.append(((count, *field.item), field.dtype, at))
        return specs


class BufferRows(NamedTuple):
    """Results that lie in a buffer."""

    pool: BufferPool
    slot: BufferSlot
    envs: int
    """Environments that they are of."""
    numbers: tuple[int, ...]
    """The field of each array."""
    counts: tuple[int, ...]
    """Its rows."""

    def arrays(self) -> list[NDArray[Any]]:
        """All of them, built anew."""
        memory = self.slot.memory
        return [
            np.ndarray(shape, dtype, memory, at) for shape, dtype, at in self.pool.array_specs(self)
        ]

    def array(self, index: int) -> NDArray[Any]:
        """One of them."""
        shape, dtype, at = self.pool.array_specs(self)[index]
        return np.ndarray(shape, dtype, self.slot.memory, at)


def join_rows(parts: Sequence[BufferRows]) -> BufferRows | None:
    """Results of several workers, if they stand in a buffer one behind the other."""
    first = parts[0]
    fields, row = first.pool.fields, first.slot.row
    for part in parts:
        together = part.slot.memory is first.slot.memory and part.slot.row == row
        if not together or part.numbers != first.numbers:
            return None
        for number, count in zip(part.numbers, part.counts, strict=True):
            if count != part.envs * fields[number].players:
                return None  # with fewer players than there may be
        row += part.envs
    counts = tuple([sum(all_) for all_ in zip(*[part.counts for part in parts], strict=True)])
    return first._replace(envs=row - first.slot.row, counts=counts)


class WorkerBuffers:
    """The worker's end: the caller's buffers, as far as it was told of them."""

    def __init__(self) -> None:
        """Knows none yet."""
        self._buffers: dict[int, mmap.mmap] = {}
        self._arrays: dict[tuple[int, int], dict[str, NDArray[Any]]] = {}

    def __iter__(self) -> Iterator[int]:
        """The numbers of the buffers."""
        return iter(self._buffers)

    def add(self, number: int, files: Sequence[int]) -> None:
        """A new buffer, and its file, which this takes.

        None came if this process can have no more files. Without it, or without room for the
        buffer, results are sent as they are where nothing is shared.
        """
        for file in files:
            with suppress(OSError):
                self._buffers[number] = mmap.mmap(file, 0)
            os.close(file)

    def forget(self, number: int) -> None:
        """A buffer that the caller has no more."""
        self._buffers.pop(number, None)
        self._arrays = {key: arrays for key, arrays in self._arrays.items() if key[0] != number}

    def arrays(
        self, fields: Sequence[Field], number: int, row: int, rows: int
    ) -> dict[str, NDArray[Any]]:
        """Arrays that results of `rows` environments can be written into."""
        found = self._arrays.get((number, row))
        if found is None:
            memory = self._buffers[number]
            found = {f.name: f.array(memory, row, rows * f.players) for f in fields}
            self._arrays[number, row] = found
        return found


def rows_in_place(
    arrays: Sequence[NDArray[Any]], wanted: Sequence[NDArray[Any]]
) -> tuple[tuple[int, int, int], ...]:
    """Which of the arrays are first rows of those that were wanted, of which, and how many rows."""
    numbers = {id(like): number for number, like in enumerate(wanted)}
    found = []
    for at, array in enumerate(arrays):
        number = numbers.get(id(array))
        if number is None:
            number = numbers.get(id(array.base))
            if number is None or not _begins(array, wanted[number]):
                continue
        found.append((at, number, len(array)))
    return tuple(found)


def _begins(array: NDArray[Any], like: NDArray[Any]) -> bool:
    return (
        (array.dtype, array.shape[1:]) == (like.dtype, like.shape[1:])
        and array.flags.c_contiguous
        and _address(array) == _address(like)
    )


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])
