# SPDX-License-Identifier: Apache-2.0
"""Writes images and videos. PNG needs nothing but Python; GIF needs Pillow, MP4 imageio-ffmpeg.

    from envpool import video

    video.write("hunt.gif", frames, fps=10)

Frames are uint8 arrays of shape (height, width, 3), RGB, as a row of the result of `render`.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import RenderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Frame = NDArray[np.uint8]

__all__ = ["FORMATS", "write"]

FORMATS = (".png", ".gif", ".mp4")
"""The allowed endings of a file's name."""


def write(path: str | os.PathLike[str], frames: Iterable[Frame], fps: float) -> None:
    """Writes frames into a file of the format of its name.

    Args:
        path: Ends in one of FORMATS. A .png has the last frame only.
        frames: A frame or more, all of equal size; may be made while they are written.
        fps: Frames per second of a video.

    The file is written beside its place and moved there when it is complete: if a disk is full, no
    file is left, and an earlier file stays.

    Raises:
        RenderError: If the name ends otherwise, there is no frame, the package for the format is
            not installed, or the file cannot be written.
    """
    path = Path(path)
    writers = {".png": _write_png, ".gif": _write_gif, ".mp4": _write_mp4}
    if path.suffix not in writers:
        raise RenderError(
            f"video.write({str(path)!r}, ...)",
            f"a name that ends in {path.suffix!r}",
            f"one that ends in {', '.join(FORMATS)}",
            "Rename the file",
        )
    frames = iter(frames)
    first = next(frames, None)
    if first is None:
        raise RenderError(
            f"video.write({str(path)!r}, ...)", "no frame", "one or more", "Pass what render() drew"
        )
    place = path.resolve()
    part = place.with_name(f".{place.stem}.{os.getpid()}.part{place.suffix}")
    try:
        writers[path.suffix](part, itertools.chain([first], frames), fps)
        part.replace(place)
    except OSError as cause:
        raise RenderError(
            f"video.write({str(path)!r}, ...)",
            f"{type(cause).__name__}: {cause}",
            "a file that can be written, on a disk that has room for it",
            "Name another file, or make room",
        ) from cause
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _write_png(path: Path, frames: Iterable[Frame], fps: float) -> None:
    del fps
    for frame in frames:  # noqa: B007 - the last one counts
        pass
    height, width, _ = frame.shape
    # Every line starts with the number of its filter; 1: each byte minus that of the same color to
    # its left, which turns areas of a single color into zeros.
    left = np.zeros_like(frame)
    left[:, 1:] = frame[:, :-1]
    lines = np.ones((height, 1 + 3 * width), np.uint8)
    lines[:, 1:] = (frame - left).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n"
    for kind, content in chunks:
        checksum = zlib.crc32(kind + content)
        data += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
    path.write_bytes(data)


def _write_gif(path: Path, frames: Iterable[Frame], fps: float) -> None:
    pil = _package("PIL.Image", "pillow", path)
    images = (_with_palette(pil, pil.fromarray(frame)) for frame in frames)
    first = next(images)
    first.save(path, save_all=True, append_images=images, duration=1000 / fps, loop=0)


def _with_palette(pil: Any, image: Any) -> Any:
    """The image in 256 colors: its own if it has no more."""
    # Median cut, the usual choice, is exact for few colors. With many colors it gives each area
    # colors in proportion to its pixels, so that a small object gets the color of its background,
    # and takes 0.5 s instead of 1 ms.
    few = image.getcolors(256) is not None
    method = pil.Quantize.MEDIANCUT if few else pil.Quantize.FASTOCTREE
    # Without dither, whose grain would crawl from frame to frame.
    return image.quantize(256, method=method, dither=pil.Dither.NONE)


def _write_mp4(path: Path, frames: Iterable[Frame], fps: float) -> None:
    ffmpeg = _package("imageio_ffmpeg", "imageio-ffmpeg", path)
    writer: Any = None
    count = 0
    for frame in frames:
        count += 1
        # The usual coding has a color for four pixels, so sizes have to be even.
        height, width = frame.shape[0] // 2 * 2, frame.shape[1] // 2 * 2
        if writer is None:
            writer = ffmpeg.write_frames(
                str(path), (width, height), fps=fps, macro_block_size=2, ffmpeg_log_level="error"
            )
            writer.send(None)
        writer.send(np.ascontiguousarray(frame[:height, :width]))
    writer.close()
    # imageio-ffmpeg 0.6.0 does not report ffmpeg's exit status: the file itself shows whether
    # ffmpeg wrote less than it got, as on a full disk, or no index.
    try:
        written, _ = ffmpeg.count_frames_and_secs(str(path))
    except RuntimeError as cause:
        raise OSError(f"ffmpeg has left a file that it cannot read: {cause}") from cause
    if written != count:
        raise OSError(f"ffmpeg has written {written} of {count} frames")


def _package(module: str, package: str, path: Path) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as cause:
        raise RenderError(
            f"render into {path.name}",
            f"no {package} ({cause})",
            f"a Python that has {package}, or a .png, which needs nothing",
            f"Run `pip install {package}`",
        ) from cause
