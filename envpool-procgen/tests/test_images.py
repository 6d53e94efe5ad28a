# SPDX-License-Identifier: Apache-2.0
"""The own engine's images: damaged files."""

from __future__ import annotations

import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool_procgen import _engine
from numpy.typing import NDArray

_WALL = "kenney/Ground/Sand/sandCenter.png"
"""An image that every frame of Maze shows."""
_FOLDERS = ("kenney/Enemies", "kenney/Ground/Sand", "misc_assets", "topdown_backgrounds")
_START = 8  # bytes, before the first chunk


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """A package with Maze's images only; its wall is a separate file."""
    folder = tmp_path / "data"
    (folder / "prebuilt").mkdir(parents=True)
    (folder / "prebuilt" / "libenv.so").write_bytes(b"is not loaded")
    assets = _engine.FILE.find().parents[1] / "assets"
    for name in _FOLDERS:
        shutil.copytree(assets / name, folder / "assets" / name, copy_function=_link)
    wall = folder / "assets" / _WALL
    content = wall.read_bytes()
    wall.unlink()
    wall.write_bytes(content)
    return tmp_path


def _link(source: str, to: str) -> None:
    Path(to).symlink_to(source)


def _wall(engine: Path) -> Path:
    return engine / "data" / "assets" / _WALL


def _frames(engine_path: str) -> NDArray[np.uint8]:
    with envpool.make("MazeEasy-v0", num_envs=2, engine="own", engine_path=engine_path) as pool:
        return pool.reset()[0].copy()


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], _START
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + size]))
        at += size + 12
    return found


def _file(chunks: list[tuple[bytes, bytes]]) -> bytes:
    parts = [b"\x89PNG\r\n\x1a\n"]
    for name, data in chunks:
        parts += [
            struct.pack(">I", len(data)),
            name,
            data,
            struct.pack(">I", zlib.crc32(name + data)),
        ]
    return b"".join(parts)


def _with_data(png: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The file with other compressed data, in one chunk."""
    chunks = _chunks(png)
    data = b"".join(content for name, content in chunks if name == b"IDAT")
    rest = [chunk for chunk in chunks if chunk[0] not in (b"IDAT", b"IEND")]
    return _file([*rest, (b"IDAT", change(data)), (b"IEND", b"")])


def test_it_is_this_file_that_is_read(engine: Path) -> None:
    """The refusals below are about a file that is read."""
    wall = _wall(engine)
    shutil.copyfile(_engine.FILE.find().parents[1] / "assets" / "misc_assets/cheese.png", wall)
    assert not np.array_equal(_frames(str(engine)), _frames(""))


@pytest.mark.parametrize(
    ("damage", "got"),
    [
        (lambda png: b"", "no PNG file"),
        (lambda png: b"GIF89a" + png[6:], "no PNG file"),
        (lambda png: png[:40], "cut off"),
        (lambda png: png[: len(png) // 2], "cut off"),
        (lambda png: png[:_START] + png[-12:], "without a size"),
        (lambda png: png.replace(b"IHDR" + png[16:24], b"IHDR" + bytes(8)), "a size that no"),
        (lambda png: _with_data(png, lambda data: b""), "damaged"),
        (lambda png: _with_data(png, lambda data: data[: len(data) // 2]), "damaged"),
        (lambda png: _with_data(png, lambda data: data[:2] + b"\xff" * 60), "damaged"),
        (lambda png: _with_data(png, lambda data: zlib.compress(b"\x09" * 10**6)), "damaged"),
        (lambda png: _with_data(png, _with_filter(9)), "a filter that does not exist"),
    ],
)  # fmt: skip
def test_a_damaged_image(engine: Path, damage: Callable[[bytes], bytes], got: str) -> None:
    wall = _wall(engine)
    wall.write_bytes(damage(wall.read_bytes()))
    with pytest.raises(ConfigError, match=got) as caught:
        _frames(str(engine))
    assert _WALL in str(caught.value)
    assert "envpool procgen fetch" in str(caught.value)


def _with_filter(number: int) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        return zlib.compress(bytes([number]) + zlib.decompress(data)[1:])

    return change
