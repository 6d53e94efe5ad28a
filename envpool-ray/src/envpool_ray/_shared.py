# SPDX-License-Identifier: Apache-2.0
"""Memory of an actor that a caller on the same machine reads where it lies.

The pool of the actor writes large results into chunks of it, and the actor says in which. The
caller builds arrays on them. The pool writes into a chunk again once the caller holds none of its
arrays any more, and has said so with its next message. The system frees a chunk with the last
process that has it: nothing has a name.
"""

from __future__ import annotations

import math
import mmap
import os
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGE = 1 << 16
"""Bytes from which memory is shared."""
MOST = 8
"""Answers of an actor that a caller can have. One who keeps more gets the next ones copied."""


MOST_ARRAYS = 64
"""Of them in one answer."""


class Chunk(mmap.mmap):
    """Memory for an array.

    Attributes:
        number: By which both ends call it.
        address: Where it begins.
        file: By which the caller gets it; None: it has.
    """

    number: int
    address: int
    file: int | None
    _gone: list[int]

    @classmethod
    def of(cls, size: int, number: int, gone: list[int]) -> Chunk | None:
        """A new one, whose number comes to `gone` when the caller is to forget it.

        None if there is no memory.
        """
        file = os.memfd_create("envpool-ray")
        try:
            os.posix_fallocate(file, 0, size)  # where memory ends, it ends here
            chunk = cls(file, size)
        except OSError:
            os.close(file)
            return None
        chunk.number, chunk.file, chunk._gone = number, file, gone
        chunk.address = _address(np.frombuffer(chunk, np.uint8))
        return chunk

    def let_go_of_file(self) -> None:
        """The caller has got it."""
        if self.file is not None:
            os.close(self.file)
            self.file = None

    def __del__(self) -> None:
        """Nobody has it any more."""
        if self.file is None:
            self._gone.append(self.number)
        self.let_go_of_file()


class Lent(NamedTuple):
    """Where an array lies."""

    chunk: Chunk
    at: int


class Written:
    """The actor's end: it writes."""

    def __init__(self) -> None:
        """Has no memory yet."""
        self._made = 0
        self._gone: list[int] = []
        self._lent: dict[int, NDArray[Any]] = {}

    def __len__(self) -> int:
        """Arrays that the caller has."""
        return len(self._lent)

    def allocate(self, size: int) -> Chunk | None:
        """Memory for an array of a pool, see `CompiledPool`; None if it is to have its own."""
        if size < LARGE:
            return None
        chunk = Chunk.of(size, self._made, self._gone)
        self._made += chunk is not None
        return chunk

    def lend(self, arrays: Sequence[NDArray[Any]]) -> dict[int, Lent]:
        """Keeps the large ones for the caller, by their indices, unless it has enough."""
        large = [at for at, array in enumerate(arrays) if array.nbytes >= LARGE]
        del large[MOST_ARRAYS:]
        lent: dict[int, Lent] = {}
        if len(self._lent) <= (MOST - 1) * len(large):
            for at in large:
                if (place := self._place(arrays[at])) is not None:
                    lent[at] = place
                    self._lent[place.chunk.number] = arrays[at]
        return lent

    def _place(self, array: NDArray[Any]) -> Lent | None:
        """Where an array lies; None: it has to be copied."""
        base: Any = array.base
        if isinstance(base, np.ndarray):  # the first rows of another array
            base = base.base
        chunk = base.obj if isinstance(base, memoryview) else None
        if (
            not isinstance(chunk, Chunk)
            or chunk.number in self._lent
            or not array.flags.c_contiguous
        ):
            return None
        return Lent(chunk, _address(array) - chunk.address)

    def give_back(self, numbers: Sequence[int]) -> None:
        """The caller has these arrays no more."""
        for number in numbers:
            del self._lent[number]

    def take_gone(self) -> list[int]:
        """Chunks that the caller is to forget."""
        return _taken(self._gone)


class Read:
    """The caller's end: it reads."""

    def __init__(self) -> None:
        """Knows no memory yet."""
        self._chunks: dict[int, mmap.mmap] = {}
        self._held: dict[int, weakref.ref[Any]] = {}
        self._freed: list[int] = []

    def add(self, number: int, file: int) -> None:
        """A new chunk; takes the file."""
        with os.fdopen(file, "rb") as opened:
            self._chunks[number] = mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ)

    def forget(self, numbers: Sequence[int]) -> None:
        """Chunks that the actor has no more."""
        for number in numbers:
            del self._chunks[number]

    def array(
        self, number: int, at: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        """An array that lies in a chunk, which is given back when nothing refers to it any more."""
        # All that looks into the result refers to this, which refers to no other array.
        body = np.frombuffer(self._chunks[number], dtype, math.prod(shape), at)
        freed = self._freed  # and not self, which would be freed late
        self._held[number] = weakref.ref(body, lambda _: freed.append(number))
        return body.reshape(shape)

    def take_freed(self) -> list[int]:
        """Chunks that are no longer read."""
        return _taken(self._freed)


def _taken(numbers: list[int]) -> list[int]:
    """Empties a list to which numbers may come at any time."""
    taken = numbers[:]
    del numbers[: len(taken)]
    return taken


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])
