# SPDX-License-Identifier: Apache-2.0
"""Memory of an actor that a caller on the same machine reads where it lies.

The actor writes a large answer into a buffer, and says which one. The caller builds arrays on it. A
buffer is the actor's again once the caller holds none of its arrays any more, and says so with its
next message. The system frees buffers with the last process that has them: nothing has a name.
"""

from __future__ import annotations

import mmap
import os
import weakref
from typing import Any

import numpy as np

MOST = 8
"""Buffers of an actor. A caller who keeps the arrays of more answers gets the next ones copied."""
_PAGE = mmap.PAGESIZE


class Written:
    """The actor's end: it writes."""

    def __init__(self) -> None:
        """Has no buffers yet."""
        self._buffers: dict[int, mmap.mmap] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        """How many there are."""
        return len(self._buffers)

    def take(self, size: int) -> tuple[int, mmap.mmap, int | None] | None:
        """A free buffer of this size: its number, and its file if the caller has to get it.

        The caller of this closes the file. None if there is none.
        """
        for number in reversed(self._free):
            if len(self._buffers[number]) >= size:
                self._free.remove(number)
                return number, self._buffers[number], None
        if self._free:  # too small: another one in its place
            number = self._free[0]
        elif len(self._buffers) < MOST:
            number = len(self._buffers)
        else:
            return None
        file = os.memfd_create("envpool-ray")
        try:
            length = -(-size // _PAGE) * _PAGE
            os.posix_fallocate(file, 0, length)  # where memory ends, it ends here
            memory = mmap.mmap(file, length)
        except OSError:  # no memory
            os.close(file)
            return None
        if self._free:
            self._free.pop(0)
        self._buffers[number] = memory
        return number, memory, file

    def give_back(self, numbers: list[int]) -> None:
        """The caller needs them no more."""
        self._free += numbers


class Read:
    """The caller's end: it reads."""

    def __init__(self) -> None:
        """Knows no buffers yet."""
        self._buffers: dict[int, mmap.mmap] = {}
        self._held: dict[int, weakref.ref[Any]] = {}
        self._freed: list[int] = []

    def add(self, number: int, file: int) -> None:
        """A new buffer; takes the file."""
        with os.fdopen(file, "rb") as opened:
            self._buffers[number] = mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ)

    def view(self, number: int, size: int) -> memoryview:
        """What is in a buffer, which is given back when the last array on it is gone."""
        body = np.frombuffer(self._buffers[number], np.uint8, size)
        freed = self._freed  # and not self, which would be freed late
        self._held[number] = weakref.ref(body, lambda _: freed.append(number))
        return body.data

    def take_freed(self) -> list[int]:
        """Buffers that are no longer read."""
        freed = self._freed[:]
        del self._freed[: len(freed)]
        return freed
