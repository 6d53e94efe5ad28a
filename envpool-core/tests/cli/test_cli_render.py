# SPDX-License-Identifier: Apache-2.0
"""`envpool render`: the frames in its files, and its message if a package is missing."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from envpool.video import write


def decode_png(path: Path) -> np.ndarray:
    """The pixels of an RGB image of 8 bits whose lines have filter 0 or 1."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = [], 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        (checksum,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert checksum == zlib.crc32(kind + content)
        chunks.append((kind, content))
        at += size + 12
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert (depth, colour, rest) == (8, 2, [0, 0, 0])
    lines = np.frombuffer(zlib.decompress(chunks[1][1]), np.uint8).reshape(height, 1 + 3 * width)
    assert set(lines[:, 0]) <= {0, 1}
    pixels = lines[:, 1:].reshape(height, width, 3)
    sums = np.cumsum(pixels, axis=1, dtype=np.uint8)
    return np.where(lines[:, :1, None] == 1, sums, pixels)


def test_png_has_the_pixels(tmp_path):
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 256, (5, 7, 3), np.uint8) for _ in range(2)]
    write(tmp_path / "a.png", iter(frames), 30)
    np.testing.assert_array_equal(decode_png(tmp_path / "a.png"), frames[1])


def test_png_of_a_task(run, tmp_path):
    out = tmp_path / "walk.png"
    done = run("render", "Walk-v0", "--out", str(out))
    assert done.returncode == 0
    assert done.stdout.startswith(f"{out}  1 frame of 16 x 8, 0.")
    assert decode_png(out).shape == (8, 16, 3)


def test_png_after_steps_in_another_size(run, tmp_path):
    shades = []
    for number, words in enumerate([(), ("--steps", "9"), ("--seed", "5")]):
        out = tmp_path / f"{number}.png"
        size = ("--width", "20", "--height", "10")
        facts = json.loads(run("render", "Walk-v0", "-o", str(out), *size, *words, "--json").stdout)
        assert facts == {
            "task": "Walk-v0",
            "file": str(out),
            "bytes": out.stat().st_size,
            "width": 20,
            "height": 10,
            "frames": 1,
        }
        shades.append(decode_png(out)[0, 0, 0])
    # One shade each: it tells where the walker is.
    assert len(set(shades)) == 3


def test_same_seed_same_file(run, tmp_path):
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    for out in files:
        run("render", "Walk-v0", "-o", str(out), "--steps", "7", "--seed", "3")
    assert files[0].read_bytes() == files[1].read_bytes()


STAND_INS = {
    "PIL/__init__.py": "",
    # Writes its arguments, for the test to read.
    "PIL/Image.py": """
import enum, json
Quantize = enum.Enum("Quantize", "MEDIANCUT FASTOCTREE")
Dither = enum.Enum("Dither", "NONE")
class Image:
    def __init__(self, frame): self.frame = frame
    def getcolors(self, most): return None
    def quantize(self, colors, method, dither): return self
    def save(self, path, save_all, append_images, duration, loop):
        shapes = [list(p.frame.shape) for p in [self, *append_images]]
        with open(path, "w") as file:
            json.dump([shapes, duration, loop, save_all], file)
def fromarray(frame):
    return Image(frame)
""",
    "imageio_ffmpeg.py": """
import json
def count_frames_and_secs(path):
    count, _, fps = json.load(open(path))
    return count, count / fps
def write_frames(path, size, fps, macro_block_size, ffmpeg_log_level):
    count = 0
    try:
        while True:
            frame = yield
            assert frame.flags.c_contiguous and frame.shape == (size[1], size[0], 3)
            count += 1
    finally:
        with open(path, "w") as file:
            json.dump([count, list(size), fps], file)
""",
}


@pytest.fixture
def stand_ins(tmp_path):
    """Modules in place of Pillow and imageio-ffmpeg, which are optional."""
    return write_all(tmp_path / "stand_ins", STAND_INS)


def write_all(folder, texts):
    """Files of a folder, by name."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_gif(run, tmp_path, stand_ins):
    out = tmp_path / "walk.gif"
    done = run("render", "Walk-v0", "-o", str(out), "--steps", "4", "--fps", "20", before=stand_ins)
    assert "5 frames of 16 x 8" in done.stdout
    assert json.loads(out.read_text()) == [[[8, 16, 3]] * 5, 50.0, 0, True]


# A fifth wheel, beside those of `site`.
VIDEO_WHEEL = {
    "video_plugin.py": """
from envpool import Task, hookimpl

@hookimpl
def envpool_tasks():
    yield Task("FilmedTeam-v0", "walks:FilmedTeam", max_num_players=3)
""",
    "envpool_video-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: envpool-video",
    "envpool_video-1.dist-info/entry_points.txt": "[envpool]\nvideo = video_plugin\n",
}


@pytest.mark.parametrize("players", [1, 3])
def test_several_players(run, tmp_path, players):
    folder = write_all(tmp_path / "wheel", VIDEO_WHEEL)
    out = tmp_path / "team.png"
    words = ("--steps", "20", "--set", f"max_num_players={players}")
    done = run("render", "FilmedTeam-v0", "-o", str(out), *words, before=folder)
    assert done.returncode == 0, done.stderr
    assert (decode_png(out) == 200).all()


def test_mp4_has_even_sizes(run, tmp_path, stand_ins):
    out = tmp_path / "walk.mp4"
    words = ("--steps", "4", "--width", "17", "--height", "9")
    done = run("render", "Walk-v0", "-o", str(out), *words, before=stand_ins)
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text()) == [5, [16, 8], 30.0]


@pytest.mark.parametrize(("name", "package"), [("a.gif", "pillow"), ("a.mp4", "imageio-ffmpeg")])
def test_missing_package_is_named(run, tmp_path, stand_ins, name, package):
    for file in ("PIL/Image.py", "imageio_ffmpeg.py"):
        (stand_ins / file).write_text("raise ImportError('not here')", encoding="utf-8")
    done = run("render", "Walk-v0", "-o", str(tmp_path / name), before=stand_ins)
    assert done.returncode == 1
    assert f"Run `pip install {package}`" in done.stderr
    assert not (tmp_path / name).exists()


def test_unknown_kind_of_file(run, tmp_path):
    done = run("render", "Walk-v0", "-o", str(tmp_path / "a.bmp"))
    assert done.returncode == 2
    assert ".png" in done.stderr


def test_file_that_cannot_be_written(run, tmp_path):
    done = run("render", "Walk-v0", "-o", str(tmp_path / "no_such_folder" / "a.png"))
    assert done.returncode == 1
    assert "FileNotFoundError" in done.stderr


def test_task_that_cannot_draw(run, tmp_path):
    done = run("render", "Team-v0", "-o", str(tmp_path / "a.png"))
    assert done.returncode == 1
    assert "cannot draw itself" in done.stderr
