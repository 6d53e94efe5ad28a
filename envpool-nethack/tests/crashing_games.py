# SPDX-License-Identifier: Apache-2.0
"""A program that makes games crash, then itself. Prints the number of games that crashed.

The memory of a game is made unreadable while a step is taken, which no game survives.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
from pathlib import Path

import envpool
import numpy as np

_SIZE = 64 << 20  # size of a game's heap
_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE


def _heaps() -> set[int]:
    """The beginnings of mappings of that size."""
    found = set()
    with Path("/proc/self/maps").open() as lines:
        for line in lines:
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            if last - first == _SIZE and " rw-p " in line:
                found.add(first)
    return found


def main() -> None:
    """Every other step crashes; each row reports it, and the next game plays on."""
    faulthandler.enable()
    libc = ctypes.CDLL(None)
    before = _heaps()
    with envpool.make("NetHackScore-v0", seed=3) as pool:
        (heap,) = _heaps() - before
        pool.reset()
        crashes = 0
        for _ in range(20):
            _, _, terminated, _, info = pool.step(np.array([5]))
            assert not terminated[0]
            assert info["end_status"][0] == 0
            libc.mprotect(ctypes.c_void_p(heap), ctypes.c_size_t(_SIZE), 0)
            obs, _, terminated, _, info = pool.step(np.array([6]))
            libc.mprotect(ctypes.c_void_p(heap), ctypes.c_size_t(_SIZE), _READ_WRITE)
            crashes += 1
            assert terminated[0]
            assert not obs["screen_descriptions"].any()  # the game crashed before it wrote them
            assert info["end_status"][0] == 1
            assert info["faults"][0] == crashes
            obs, *_ = pool.step(np.array([0]))  # the reset after it
            assert obs["blstats"][0, 10] > 0
        print(crashes, flush=True)
    ctypes.string_at(0)


if __name__ == "__main__":
    main()
