# SPDX-License-Identifier: Apache-2.0
"""Finds and decodes the images that are parts of some drawings.

The images are files of the installed gymnasium package (1.4 or newer). They are read from there,
with a PNG decoder of our own on top of zlib, and handed to the compiled module's
``set_sprite(name, rgba)``. Neither pygame nor any module of gymnasium is imported.
"""

from __future__ import annotations

import functools
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_HEADER = struct.Struct(">IIBBBBB")
_INSTALL = 'install it with: pip install "gymnasium>=1.4"'


def _below(folder: str, *stems: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{stem}.png" for stem in stems)


SPRITES: dict[str, tuple[str, ...]] = {
    "Pendulum": _below("classic_control/assets", "clockwise"),
    "FrozenLake": _below(
        "toy_text/img",
        *("tile_ice", "tile_hole", "tile_ice_crack_a", "tile_ice_crack_b"),
        *("agent", "goal_flag", "letter_s", "letter_g"),
    ),
    "Taxi": _below(
        "toy_text/img/taxi",
        *("background", "house", "marker_destination", "passenger"),
        *("taxi_h", "taxi_h_full", "taxi_v", "taxi_v_full"),
    ),
    "CliffWalking": _below(
        "toy_text/img/cliff_walking",
        *("tile_ground", "tile_cliff_left", "tile_cliff_mid_a", "tile_cliff_mid_b"),
        *("tile_cliff_right", "agent", "goal_flag", "letter_s", "letter_g"),
    ),
    "Blackjack": _below(
        "toy_text/img/blackjack",
        *("label_dealer", "label_player", "label_usable_ace", "card_back"),
        *(f"digit_{size}_{digit}" for size in ("small", "big") for digit in range(10)),
        *(f"card_{rank}{suit}" for rank in "A23456789JQK" for suit in "CDHS"),
    ),
}
"""The sprites each drawing needs, as paths below ``gymnasium/envs``. Other drawings need none."""


_installed: set[str] = set()
# Several threads may make their first pools at once; a sprite must not change while another draws.
_installing = threading.Lock()


def install_once(drawing: str) -> None:
    """Hands the sprites of one drawing to the compiled module, once in a process.

    Args:
        drawing: As for ``install``.

    Raises:
        MissingPackageError: gymnasium is not installed, or lacks a file. The next call tries again.
    """
    from envpool.errors import MissingPackageError

    from . import _classic

    with _installing:
        if drawing in _installed:
            return
        try:
            install(drawing, _classic.set_sprite)
        except (ModuleNotFoundError, FileNotFoundError) as error:
            raise MissingPackageError(
                f"make(..., render_mode=...) of {drawing}",
                str(error).partition(";")[0],
                "the images of gymnasium 1.4 or newer",
                'Run `pip install "gymnasium>=1.4"`, or leave render_mode out',
            ) from error
        _installed.add(drawing)


def install(drawing: str, set_sprite: Callable[[str, NDArray[np.uint8]], None]) -> None:
    """Hands every sprite of one drawing to the compiled module.

    Args:
        drawing: A key of ``SPRITES``; another drawing needs no sprites.
        set_sprite: Takes a sprite's name and its pixels, a uint8 array of shape (height, width, 4).

    Raises:
        ModuleNotFoundError: gymnasium is not installed.
        FileNotFoundError: The installed gymnasium lacks one of the files.
        ValueError: A file is not a PNG of gymnasium's kind.
    """
    for name in SPRITES.get(drawing, ()):
        set_sprite(name, load(name))


@functools.cache
def load(name: str) -> NDArray[np.uint8]:
    """Reads one sprite.

    Args:
        name: Path below ``gymnasium/envs``, as in ``SPRITES``.

    Returns:
        Read-only uint8 array of shape (height, width, 4): red, green, blue, alpha; top row first.

    Raises:
        ModuleNotFoundError: gymnasium is not installed.
        FileNotFoundError: The installed gymnasium lacks the file.
        ValueError: The file is not a PNG of gymnasium's kind.
    """
    path = _gymnasium_folder() / "envs" / name
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"rendering needs the image {path}, which the installed gymnasium lacks; {_INSTALL}"
        ) from error
    try:
        sprite = decode_png(data)
    except ValueError as error:
        raise ValueError(f"cannot read the image {path}: {error}") from error
    sprite.flags.writeable = False
    return sprite


def decode_png(data: bytes) -> NDArray[np.uint8]:
    """Decodes a PNG with 8 bits per channel, red, green, blue and alpha, not interlaced.

    Args:
        data: The whole file.

    Returns:
        uint8 array of shape (height, width, 4).

    Raises:
        ValueError: The data is damaged or another kind of PNG.
    """
    if not data.startswith(_PNG_SIGNATURE):
        raise ValueError("it does not start with the PNG signature")
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != _PNG_HEADER.size:
        raise ValueError("it has no header")
    width, height, depth, colour, _, _, interlace = _PNG_HEADER.unpack(chunks[0][1])
    if (depth, colour, interlace) != (8, 6, 0):
        raise ValueError(
            f"it has bit depth {depth}, colour type {colour}, interlace method {interlace}; "
            "only 8, 6 (RGBA), 0 (none) is supported"
        )
    try:
        raw = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    except zlib.error as error:
        raise ValueError(f"its pixels cannot be decompressed ({error})") from error
    if len(raw) != height * (1 + 4 * width):
        raise ValueError(f"it holds {len(raw)} bytes of pixels for a size of {width} x {height}")
    lines = np.frombuffer(raw, np.uint8).reshape(height, 1 + 4 * width)
    return _unfilter(lines[:, 0], lines[:, 1:].reshape(height, width, 4))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the kind and the content of each of a PNG's chunks."""
    position = len(_PNG_SIGNATURE)
    while position < len(data):
        length = int.from_bytes(data[position : position + 4], "big")
        kind = data[position + 4 : position + 8]
        body = data[position + 8 : position + 8 + length]
        check = data[position + 8 + length : position + 12 + length]
        if check != zlib.crc32(kind + body).to_bytes(4, "big"):
            raise ValueError(f"the chunk at byte {position} is cut off or damaged")
        yield kind, body
        position += 12 + length


def _gymnasium_folder() -> Path:
    spec = find_spec("gymnasium")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            f"rendering needs images of the package gymnasium, which is missing; {_INSTALL}",
            name="gymnasium",
        )
    return Path(spec.submodule_search_locations[0])


def _unfilter(kinds: NDArray[np.uint8], lines: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Undoes PNG's prediction of each byte from the bytes to the left and above (modulo 256)."""
    image = np.empty_like(lines)
    above = np.zeros(lines.shape[1:], np.uint8)
    for y, (kind, line) in enumerate(zip(kinds.tolist(), lines, strict=True)):
        if kind == 0:
            image[y] = line
        elif kind == 1:
            image[y] = np.cumsum(line, axis=0, dtype=np.uint8)
        elif kind == 2:
            image[y] = line + above
        elif kind in (3, 4):
            image[y] = _unfilter_serially(line, above, _mean if kind == 3 else _paeth)
        else:
            raise ValueError(f"its line {y} has the unknown filter {kind}")
        above = image[y]
    return image


def _unfilter_serially(
    line: NDArray[np.uint8], above: NDArray[np.uint8], predict: Callable[[int, int, int], int]
) -> NDArray[np.uint8]:
    # Each byte needs the finished one to its left; plain integers are then faster than numpy's.
    left, corner, finished = [0] * 4, [0] * 4, bytearray()
    for pixel, up in zip(line.tolist(), above.tolist(), strict=True):
        left = [(byte + predict(left[i], up[i], corner[i])) & 255 for i, byte in enumerate(pixel)]
        corner = up
        finished += bytes(left)
    return np.frombuffer(finished, np.uint8).reshape(line.shape)


def _mean(left: int, up: int, _corner: int) -> int:
    return (left + up) >> 1


def _paeth(left: int, up: int, corner: int) -> int:
    """The neighbor nearest to left + up - corner; the earlier argument wins a tie."""
    target = left + up - corner
    return min((left, up, corner), key=lambda neighbour: abs(target - neighbour))
