# SPDX-License-Identifier: Apache-2.0
"""Sprites are found and decoded without importing gymnasium or pygame; errors have the remedy."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import gymnasium
import numpy as np
import pygame
import pytest
from numpy.typing import NDArray

Image = NDArray[np.uint8]
ENVS = Path(gymnasium.__file__).parent / "envs"


def chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(kind + body).to_bytes(4, "big")
    return len(body).to_bytes(4, "big") + kind + body + check


def png(
    lines: bytes, width: int, height: int, kind: tuple[int, int, int] = (8, 6, 0), cut: int = 3
) -> bytes:
    """A PNG file with these filtered lines, its pixel data in two chunks."""
    depth, colour, interlace = kind
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    data = zlib.compress(lines)
    parts = [chunk(b"IHDR", header), chunk(b"tEXt", b"ignored"), chunk(b"IDAT", data[:cut])]
    parts += [chunk(b"IDAT", data[cut:]), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_equals_pygames_decoder(
    sprites: ModuleType,
    pixels: Callable[[pygame.Surface], Image],
    expect_same: Callable[..., None],
) -> None:
    names = {name for group in sprites.SPRITES.values() for name in group}
    assert len(names) == 1 + 8 + 8 + 9 + 72
    for name in sorted(names):
        theirs = pixels(pygame.image.load(ENVS / name))
        expect_same(sprites.load(name), theirs, name)


def test_every_filter(
    sprites: ModuleType, tmp_path: Path, pixels: Callable[[pygame.Surface], Image]
) -> None:
    """Random bytes under each filter: the decoders have to agree, whatever they show."""
    rng = np.random.default_rng(0)
    width, height = 23, 40
    rows = rng.integers(0, 256, (height, 1 + 4 * width), np.uint8)
    rows[:, 0] = np.arange(height) % 5
    path = tmp_path / "filters.png"
    path.write_bytes(png(rows.tobytes(), width, height))
    theirs = pixels(pygame.image.load(path))
    np.testing.assert_array_equal(sprites.decode_png(path.read_bytes()), theirs)


LINES = b"\0" * (2 * 9)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"GIF89a", "PNG signature"),
        (png(LINES, 2, 2)[:-5], "cut off"),
        (png(LINES, 2, 2)[:-14], "cut off"),
        (png(LINES, 2, 2).replace(b"ignored", b"Ignored"), "damaged"),
        (b"\x89PNG\r\n\x1a\n", "no header"),
        (png(LINES, 2, 2, (8, 2, 0)), "colour type 2"),
        (png(LINES, 2, 2, (16, 6, 0)), "bit depth 16"),
        (png(LINES, 2, 2, (8, 6, 1)), "interlace method 1"),
        (png(LINES, 2, 3), "18 bytes of pixels for a size of 2 x 3"),
        (png(LINES, 2, 2, cut=0).replace(b"\x78\x9c", b"\x78\x9d"), "damaged"),
        (png(b"\5" + LINES[1:], 2, 2), "unknown filter 5"),
    ],
)
def test_damaged_files(sprites: ModuleType, data: bytes, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        sprites.decode_png(data)


def test_pixels_that_cannot_be_decompressed(sprites: ModuleType) -> None:
    header = struct.pack(">IIBBBBB", 2, 2, 8, 6, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"no zlib")
    with pytest.raises(ValueError, match="cannot be decompressed"):
        sprites.decode_png(data)


def test_sprites_are_shared_and_protected(sprites: ModuleType) -> None:
    sprite = sprites.load("toy_text/img/agent.png")
    assert sprite is sprites.load("toy_text/img/agent.png")
    assert sprite.shape == (36, 40, 4)
    with pytest.raises(ValueError, match="read-only"):
        sprite[0, 0, 0] = 1


def test_gymnasium_missing(sprites: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sprites, "find_spec", lambda name: None)
    with pytest.raises(
        ModuleNotFoundError, match=r'missing; install it with: pip install "gymnasium>=1.4"'
    ):
        sprites.load("toy_text/img/stool.png")


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [
        (None, FileNotFoundError, "nothing.png, which the installed gymnasium lacks; install it"),
        (b"text", ValueError, "cannot read the image .*nothing.png: it does not start"),
    ],
)
def test_file_missing_or_damaged(
    sprites: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    content: bytes | None,
    error: type[Exception],
    text: str,
) -> None:
    monkeypatch.setattr(sprites, "_gymnasium_folder", lambda: tmp_path)
    (tmp_path / "envs").mkdir()
    if content is not None:
        (tmp_path / "envs" / "nothing.png").write_bytes(content)
    with pytest.raises(error, match=text):
        sprites.load("nothing.png")


def test_imports_neither_gymnasium_nor_pygame(sprites: ModuleType) -> None:
    script = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_sprites", {sprites.__file__!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.install("Taxi", lambda name, rgba: print(name, rgba.shape))
print("imported:", *[name for name in ("gymnasium", "pygame", "PIL") if name in sys.modules])
"""
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    lines = result.stdout.splitlines()
    assert lines[-1] == "imported:"
    assert len(lines) == 1 + len(sprites.SPRITES["Taxi"])


def test_drawing_without_sprites_needs_none(sprites: ModuleType) -> None:
    def unexpected(name: str, rgba: Image) -> None:
        raise AssertionError(name)

    sprites.install("CartPole", unexpected)


def test_missing_sprite_names_the_file(draw_on: Callable[..., None]) -> None:
    image = np.zeros((10, 10, 3), np.uint8)
    text = "unknown.png was not loaded.*gymnasium/envs/unknown.png.*install gymnasium 1.4"
    with pytest.raises(RuntimeError, match=text):
        draw_on(image, "blit", 0, 0, 5, 5, 0, 0, text="unknown.png")


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 0, 4)])
def test_empty_sprite(
    set_sprite: Callable[[str, Image], None], shape: tuple[int, int, int]
) -> None:
    with pytest.raises(RuntimeError, match=r"sprite empty has height . and width .; both must be"):
        set_sprite("empty", np.zeros(shape, np.uint8))


def test_drawing_while_sprites_are_replaced(
    draw: Callable[..., Image], sprites: ModuleType, set_sprite: Callable[[str, Image], None]
) -> None:
    """These calls do overlap: ctypes releases the interpreter lock."""
    expected = draw("cliff_walking", (256, 768), 36)

    def replace(_: int) -> bool:
        sprites.install("CliffWalking", set_sprite)
        return True

    def compare(_: int) -> bool:
        return bool((draw("cliff_walking", (256, 768), 36) == expected).all())

    with ThreadPoolExecutor(4) as threads:
        tasks = [threads.submit((replace, compare)[i % 2], i) for i in range(200)]
        assert all(task.result(timeout=60) for task in tasks)
