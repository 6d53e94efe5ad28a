# SPDX-License-Identifier: Apache-2.0
"""The contents of a written video: read back by Pillow."""

from __future__ import annotations

import subprocess
import sys

import imageio_ffmpeg
import numpy as np
import pytest
from envpool.errors import RenderError
from envpool.video import write
from PIL import Image, ImageSequence

ORANGE = (240, 130, 20)


def read(path):
    with Image.open(path) as video:
        assert video.info["duration"] == 100
        return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(video)]


def meadow(at):
    """Grass of thousands of greens, and a fox of nine pixels."""
    rng = np.random.default_rng(at)
    grass = rng.normal((70, 140, 55), (12, 20, 12), (120, 160, 3)).clip(0, 255).astype(np.uint8)
    grass[at : at + 3, at : at + 3] = ORANGE
    return grass


def test_a_small_thing_keeps_its_colour(tmp_path):
    frames = [meadow(at) for at in (10, 40, 70)]
    assert len(np.unique(frames[0].reshape(-1, 3), axis=0)) > 2000
    write(tmp_path / "fox.gif", frames, fps=10)
    for frame, found in zip(frames, read(tmp_path / "fox.gif"), strict=True):
        fox = (frame == ORANGE).all(-1)
        np.testing.assert_array_equal(found[fox], frame[fox])
        # The cells that octree colours stand for are 64 wide where there is much of everything; a
        # wrong palette, as that of the frame before, is further off.
        assert np.abs(found.astype(int) - frame).max() < 64


@pytest.mark.parametrize("name", ["a.png", "a.gif"])
def test_without_a_frame_nothing_is_written(tmp_path, name):
    with pytest.raises(RenderError, match="got no frame; allowed: one or more"):
        write(tmp_path / name, [], fps=10)
    assert not any(tmp_path.iterdir())


def test_the_name_says_the_kind(tmp_path):
    frames = [np.zeros((2, 3, 3), np.uint8)]
    write(str(tmp_path / "a.png"), frames, fps=10)
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (3, 2)
    with pytest.raises(RenderError, match=r"ends in '\.bmp'; allowed: one that ends in \.png"):
        write(tmp_path / "a.bmp", frames, fps=10)


@pytest.mark.parametrize("colours", [2, 200, 256])
def test_few_colours_are_exact(tmp_path, colours):
    rng = np.random.default_rng(colours)
    # One palette for each frame: the second shows no colour of the first.
    frames = []
    for _ in range(3):
        palette = rng.integers(0, 256, (colours, 3), np.uint8)
        frames.append(palette[rng.integers(0, colours, (40, 50))])
    write(tmp_path / "a.gif", iter(frames), fps=10)
    np.testing.assert_array_equal(read(tmp_path / "a.gif"), frames)


@pytest.mark.parametrize("suffix", [".png", ".gif", ".mp4"])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_full_disk_leaves_no_part_of_a_file(suffix, is_there, tmp_path):
    """A limit of the size of files stands for the disk; ffmpeg itself reports nothing."""
    path = tmp_path / f"noise{suffix}"
    if is_there:
        path.write_bytes(b"before")
    code = f"""
import resource
import numpy as np
from envpool.errors import RenderError
from envpool.video import write

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
rng = np.random.default_rng(0)
try:
    write({str(path)!r}, rng.integers(0, 256, (40, 160, 160, 3), np.uint8), fps=10)
except RenderError as error:
    print(error)
"""
    command = [sys.executable, "-I", "-B", "-c", code]  # bytecode is no file of ours
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"video.write({str(path)!r}")
    assert "make room" in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == [path.name] * is_there
    assert not is_there or path.read_bytes() == b"before"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(RenderError, match="No such file"):
        write(tmp_path / "no" / "a.png", [np.zeros((2, 3, 3), np.uint8)], fps=10)


def test_an_mp4_is_whole(tmp_path):
    write(tmp_path / "a.mp4", [meadow(at) for at in range(9)], fps=10)
    assert imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))[0] == 9
    assert [p.name for p in tmp_path.iterdir()] == ["a.mp4"]
