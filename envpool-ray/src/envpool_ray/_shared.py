# SPDX-License-Identifier: Apache-2.0
"""Memory for results that a caller has in common with the actors on its machine.

The caller makes chunks of it. A chunk has the arrays of a batch, one behind the other:

    | obs of env 0 | obs of env 1 | ... | reward of env 0 | reward of env 1 | ...

A message to an actor says from which row on of which chunk its pool writes, and the caller builds
the arrays of the result there. So what several actors write in one step stands together, and is
nowhere copied. A chunk is used again when nothing refers to what was built on it. The system frees
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

LARGE = 1 << 16
"""Bytes of an actor's results from which they are shared; less is sooner copied."""
MOST = 8
"""Results that a caller can have, of each actor or in each synchronous batch, without a copy."""
_ALIGN = 64  # bytes at which an array begins: a cache line
_PLANS = 1024  # kinds of messages that are remembered


class Field(NamedTuple):
    """An array of results in a chunk."""

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
    """Where it begins in the chunk."""

    def array(self, memory: Any, row: int, rows: int) -> NDArray[Any]:
        """The first `rows` rows of an array that begins with an environment's."""
        return np.ndarray((rows, *self.item), self.dtype, memory, self.at + row * self.row_bytes)


def fields_of(
    state: Sequence[CompiledArray], names: Sequence[str], players: int, rows: int
) -> tuple[Field, ...]:
    """The arrays of a chunk, without those that change their shape.

    Args:
        state: All arrays of results.
        names: Those that actors send, with "final " before them where they are of episodes' ends.
        players: Most players of an environment.
        rows: Environments of a chunk.
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


class Chunk:
    """Memory of the caller.

    Attributes:
        number: By which both ends call it.
        file: By which an actor gets it.
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
        self._body: weakref.ref[Any] | None = None

    def lease(self) -> NDArray[np.uint8] | None:
        """What arrays are built on, all of the chunk; None while somebody has some of it."""
        if self._body is not None and self._body() is not None:
            return None
        body: NDArray[np.uint8] = np.frombuffer(self._memory, np.uint8)
        self._body = weakref.ref(body)
        return body

    def __del__(self) -> None:
        """Lets go of the file; the memory stays for as long as it is looked into."""
        if hasattr(self, "_memory"):
            os.close(self.file)


class Place(NamedTuple):
    """Where the results of a message are to be."""

    chunk: Chunk
    body: NDArray[np.uint8]
    """All of the chunk: arrays that are built on it keep it."""
    row: int
    """The first environment's."""


class Memory:
    """The chunks of a pool."""

    def __init__(self, fields: Sequence[Field], rows: int, most: int, share: int) -> None:
        """Has none yet.

        Args:
            fields: Their arrays.
            rows: Environments of each.
            most: How many there may be.
            share: Environments of an actor.
        """
        self.fields, self.rows, self._share = tuple(fields), rows, share
        self._row_bytes = sum(field.row_bytes for field in fields)
        self._size = fields[-1].at + fields[-1].row_bytes * rows if fields else 0
        self._most, self._made = most, 0
        self._chunks: list[Chunk] = []
        self._plans: dict[Any, list[tuple[tuple[int, ...], np.dtype[Any], int]]] = {}

    def __contains__(self, chunk: Chunk) -> bool:
        """Whether a chunk is still used."""
        return chunk in self._chunks

    def lease(self, envs: int) -> Place | None:
        """A chunk that nobody has, for results of so many environments.

        None if they are sooner copied, if there are enough chunks, or if there is no more memory.
        """
        if self._row_bytes * min(envs, self._share) < LARGE:
            return None
        for chunk in self._chunks:
            body = chunk.lease()
            if body is not None:
                return Place(chunk, body, 0)
        if len(self._chunks) >= self._most:
            return None
        try:
            chunk = Chunk(self._size, self._made)
        except OSError:
            return None
        self._made += 1
        self._chunks.append(chunk)
        return self.lease(envs)

    def drop(self, chunk: Chunk) -> bool:
        """Never uses a chunk again, since a lost actor may still write there; False if it is."""
        if chunk not in self._chunks:
            return False
        self._chunks.remove(chunk)
        return True

    def plan(self, rows: Rows) -> list[tuple[tuple[int, ...], np.dtype[Any], int]]:
        """Shape, dtype and place of each of the arrays."""
        key = (rows.numbers, rows.counts, rows.place.row)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) > _PLANS:
                self._plans.clear()
            plan = self._plans[key] = []
            for number, count in zip(rows.numbers, rows.counts, strict=True):
                field = self.fields[number]
                at = field.at + rows.place.row * field.row_bytes
                plan.append(((count, *field.item), field.dtype, at))
        return plan


class Rows(NamedTuple):
    """Results that lie in a chunk."""

    memory: Memory
    place: Place
    envs: int
    """Environments that they are of."""
    numbers: tuple[int, ...]
    """The field of each array."""
    counts: tuple[int, ...]
    """Its rows."""

    def arrays(self) -> list[NDArray[Any]]:
        """All of them, built anew."""
        body = self.place.body
        return [np.ndarray(shape, dtype, body, at) for shape, dtype, at in self.memory.plan(self)]

    def array(self, index: int) -> NDArray[Any]:
        """One of them."""
        shape, dtype, at = self.memory.plan(self)[index]
        return np.ndarray(shape, dtype, self.place.body, at)


def joined(parts: Sequence[Rows]) -> Rows | None:
    """Results of several actors, if they stand in a chunk one behind the other."""
    first = parts[0]
    fields, row = first.memory.fields, first.place.row
    for part in parts:
        together = part.place.body is first.place.body and part.place.row == row
        if not together or part.numbers != first.numbers:
            return None
        for number, count in zip(part.numbers, part.counts, strict=True):
            if count != part.envs * fields[number].players:
                return None  # with fewer players than there may be
        row += part.envs
    counts = tuple([sum(all_) for all_ in zip(*[part.counts for part in parts], strict=True)])
    return first._replace(envs=row - first.place.row, counts=counts)


class Opened:
    """The actor's end: the caller's chunks, as far as it was told of them."""

    def __init__(self) -> None:
        """Knows none yet."""
        self._chunks: dict[int, mmap.mmap] = {}
        self._arrays: dict[tuple[int, int], dict[str, NDArray[Any]]] = {}

    def __iter__(self) -> Iterator[int]:
        """The numbers of the chunks."""
        return iter(self._chunks)

    def add(self, number: int, files: Sequence[int]) -> None:
        """A new chunk, and its file, which this takes.

        None came if this process can have no more files. Without it, or without room for the
        chunk, results are sent as they are where nothing is shared.
        """
        for file in files:
            with suppress(OSError):
                self._chunks[number] = mmap.mmap(file, 0)
            os.close(file)

    def forget(self, number: int) -> None:
        """A chunk that the caller has no more."""
        self._chunks.pop(number, None)
        self._arrays = {key: arrays for key, arrays in self._arrays.items() if key[0] != number}

    def arrays(
        self, fields: Sequence[Field], number: int, row: int, rows: int
    ) -> dict[str, NDArray[Any]]:
        """Arrays that results of `rows` environments can be written into."""
        found = self._arrays.get((number, row))
        if found is None:
            memory = self._chunks[number]
            found = {f.name: f.array(memory, row, rows * f.players) for f in fields}
            self._arrays[number, row] = found
        return found


def in_place(
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
