# SPDX-License-Identifier: Apache-2.0
"""Pictures for WFC's levels, drawn here: no package has minigrid's. One per kind of preset."""

from __future__ import annotations

import struct
import zlib
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from numpy.typing import NDArray

_DRAWN = {  # # is a wall, o free and not quite white
    "MazeSimple": ("....", ".###", ".#.#", ".###"),
    "DungeonMazeScaled": (
        *("########", "#......#", "#.####.#", "#.####.#"),
        *("#.####..", "#.####.#", "#......#", "###.####"),
    ),
    "RoomsFabric": ("o.#..", "..#..", "#####", "..#..", "..#o."),
    "ObstaclesBlackdots": ("...", ".#.", "..."),
    "ObstaclesAngular": (
        *("...........", ".......#...", ".#.....#...", "..#....#...", "...#.......", "....#......"),
        *(".....#.....", "......#....", "...........", "...........", "..........."),
    ),
    "ObstaclesHogs3": (
        *(".........", ".........", "..##.....", "..##.....", ".........", "........."),
        *(".....###.", ".........", "........."),
    ),
}


def picture(preset: str) -> NDArray[np.uint8]:
    """Its pixels, (height, width, 3)."""
    shade = {"#": 0, ".": 255, "o": 254}
    grey = np.array([[shade[letter] for letter in row] for row in _DRAWN[preset]], np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


@cache
def file_of(preset: str) -> Path:
    """A PNG file of it."""
    path = Path(mkdtemp()) / f"{preset}.png"
    path.write_bytes(png(picture(preset)))
    return path


def png(rgb: NDArray[np.uint8]) -> bytes:
    """A PNG file of pixels (height, width, 3)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    height, width = rgb.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in rgb)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
