# SPDX-License-Identifier: Apache-2.0
"""The pictures of WFC's levels: PNG files that the user has."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from envpool import Task
from envpool.errors import ConfigError
from envpool.files import check_file
from numpy.typing import NDArray

FILES = {
    "MazeSimple": "SimpleMaze.png",
    "DungeonMazeScaled": "ScaledMaze.png",
    "RoomsFabric": "Fabric.png",
    "ObstaclesBlackdots": "Blackdots.png",
    "ObstaclesAngular": "Angular.png",
    "ObstaclesHogs3": "Hogs.png",
}
"""The names of the presets' pictures in minigrid's repository, minigrid/envs/wfc/patterns."""

_MOST_BYTES = 2**24  # enough for a picture of some dozen pixels per side
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by color type


def numbers_of(task: Task, path: object) -> list[int]:
    """Option wfc_picture: height, width, and red, green and blue of each pixel.

    Raises:
        ConfigError: If the file does not exist or cannot be read.
    """
    file = Path(str(path))
    name = FILES[str(task.defaults["wfc_preset"])]
    if file.is_dir():
        file /= name
    call = f"make({task.id!r}, pattern_path={str(path)!r})"
    check_file(call, file, _MOST_BYTES)
    try:
        rgb = read_png(file.read_bytes())
    except (OSError, LookupError, ValueError, zlib.error, struct.error) as error:
        raise ConfigError(
            call,
            f"no picture: {error}",
            f"a PNG file of 8 bits or less a channel, or a folder with {name} in it",
            "Pass the path of a picture",
        ) from error
    return [*rgb.shape[:2], *rgb.ravel().tolist()]


def missing(task: Task) -> ConfigError:
    """The error of a pool without a picture."""
    name = FILES[str(task.defaults["wfc_preset"])]
    return ConfigError(
        f"make({task.id!r})",
        "no picture, and no package has minigrid's",
        f"pattern_path, a PNG file, or a folder with {name} in it",
        "Pass the folder minigrid/envs/wfc/patterns of a clone of minigrid's repository, or a "
        "picture of your own: black is wall, white is free",
    )


def read_png(data: bytes) -> NDArray[np.uint8]:
    """The pixels of a PNG file that is not interlaced: uint8 (height, width, 3).

    Raises:
        ValueError: If it is not a PNG, or a PNG of another kind.
    """
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG file")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + size]
        at += 12 + size
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if depth > 8 or interlaced or color not in _CHANNELS:
        raise ValueError(f"a PNG of {depth} bits, color type {color}, interlaced {interlaced}")
    channels = _CHANNELS[color]
    row_bits = width * channels * depth
    step = max(1, channels * depth // 8)
    rows = _unfiltered(zlib.decompress(chunks[b"IDAT"]), height, row_bits, step)
    bits = np.unpackbits(rows, axis=1)[:, :row_bits]
    values = bits.reshape(height, width, channels, depth) @ (1 << np.arange(depth)[::-1])
    if color == 3:
        palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
        return palette[values[:, :, 0]]
    if color in (0, 4):
        grey = values[:, :, :1] * (255 // (2**depth - 1))
        return np.repeat(grey, 3, axis=2).astype(np.uint8)
    return values[:, :, :3].astype(np.uint8)


def _unfiltered(data: bytes, height: int, row_bits: int, step: int) -> NDArray[np.uint8]:
    """Undoes the prediction of each byte from the bytes `step` to the left and above."""
    size = (row_bits + 7) // 8
    above = bytearray(size)
    rows = []
    for start in range(0, height * (size + 1), size + 1):
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + size])
        for i in range(size):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            guesses = (0, left, above[i], (left + above[i]) // 2, _paeth(left, above[i], corner))
            row[i] = (row[i] + guesses[kind]) % 256
        rows.append(row)
        above = row
    return np.array(rows, np.uint8)


def _paeth(left: int, above: int, corner: int) -> int:
    """The one of the three numbers that is nearest to left + above - corner."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda one: abs(guess - one))
