# SPDX-License-Identifier: Apache-2.0
"""A terminal that shows frames and reads keys: for `envpool play` and `envpool watch`.

    with Terminal() as terminal:
        terminal.draw(frame, "score 3")
        key = terminal.key(0.1)            # "left", "space", "q", ... or "" after 0.1 s

A character shows two pixels: the upper half block, with a color and a background color. It needs
24-bit colors, as nearly every terminal has, and no display.
"""

from __future__ import annotations

import os
import select
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RenderError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

_KEYS = {b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left", b" ": "space"}
_KEYS |= {b"\x1bOA": "up", b"\x1bOB": "down", b"\x1bOC": "right", b"\x1bOD": "left"}
_KEYS |= {b"\r": "enter", b"\n": "enter"}
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"  # another screen, without cursor
_LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l"


class Terminal:
    """The terminal of this program, while it is used as a `with` block."""

    def __init__(self, asked: str) -> None:
        """Checks that the program runs on a terminal.

        Args:
            asked: The command, for messages.

        Raises:
            RenderError: If the input or the output is no terminal.
        """
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise RenderError(
                asked,
                "no terminal: the input or the output is a file or a pipe",
                "a terminal that shows colours and has a keyboard",
                "Use `envpool render`, which draws into a file",
            )
        self._old: Any = None

    def __enter__(self) -> Self:
        """Keys come at once and are not shown; the screen is empty."""
        import termios  # not on every system
        import tty

        self._old = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
        self._write(_ENTER)
        return self

    def __exit__(self, *args: object) -> None:
        """Restores the terminal."""
        import termios

        self._write(_LEAVE)
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._old)

    def draw(self, frame: NDArray[np.uint8] | str, *lines: str) -> None:
        """Shows an RGB frame of shape (height, width, 3), as large as fits, and lines below it.

        A frame that is a text is shown unchanged.
        """
        columns, rows = shutil.get_terminal_size()
        if isinstance(frame, str):
            texts = [*frame.splitlines(), *(line[: columns - 1] for line in lines)]
            self._write("\x1b[H" + "".join(f"{text}\x1b[0m\x1b[K\r\n" for text in texts) + "\x1b[J")
            return
        image = shrink(frame, columns, 2 * (rows - len(lines) - 1))
        texts = [*half_blocks(image), *(line[: columns - 1] for line in lines)]
        self._write("\x1b[H" + "".join(f"{text}\x1b[0m\x1b[K\r\n" for text in texts) + "\x1b[J")

    def key(self, seconds: float) -> str:
        """The next key within so many seconds; empty if there is none.

        "up", "down", "left", "right", "space", "enter", or the character itself; "alt+a" where Alt
        was held, which terminals send as Esc and the character at once.
        """
        end = time.monotonic() + seconds
        if not select.select([sys.stdin], [], [], max(0.0, seconds))[0]:
            return ""
        typed = os.read(sys.stdin.fileno(), 64)
        # An arrow is three bytes, which may arrive separately.
        while typed in (b"\x1b", b"\x1b[", b"\x1bO") and time.monotonic() < end + 0.05:
            if not select.select([sys.stdin], [], [], 0.05)[0]:
                break
            typed += os.read(sys.stdin.fileno(), 64)
        if (arrow := _KEYS.get(typed[-3:])) is not None:
            return arrow
        last = _KEYS.get(typed[-1:], typed[-1:].decode("ascii", "ignore"))
        return f"alt+{last}" if typed[-2:-1] == b"\x1b" and last != "\x1b" else last

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def shrink(frame: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """The frame, reduced as far as necessary; each pixel is the mean of those it replaces.

    Args:
        frame: uint8 of shape (height, width, 3).
        width: Most pixels from left to right.
        height: Most pixels from top to bottom.
    """
    scale = min(1.0, max(width, 2) / frame.shape[1], max(height, 2) / frame.shape[0])
    sums = frame.astype(np.float32)
    counts = np.ones(())
    for axis in (0, 1):
        size = frame.shape[axis]
        edges = np.linspace(0, size, max(1, round(size * scale)) + 1).astype(int)
        sums = np.add.reduceat(sums, edges[:-1], axis=axis)
        counts = np.multiply.outer(counts, np.diff(edges))
    return np.asarray(sums / counts[..., None], np.uint8)


def half_blocks(image: NDArray[np.uint8]) -> list[str]:
    """Lines of text that show an image, two rows of pixels each."""
    if len(image) % 2:
        image = np.concatenate([image, np.zeros_like(image[:1])])
    lines = []
    for upper, lower in zip(image[::2].tolist(), image[1::2].tolist(), strict=True):
        parts: list[str] = []
        before = None
        for pair in zip(upper, lower, strict=True):
            if pair != before:  # many neighbours are equal
                (r, g, b), (br, bg, bb) = pair
                parts.append(f"\x1b[38;2;{r};{g};{b};48;2;{br};{bg};{bb}m")
                before = pair
            parts.append("▀")
        lines.append("".join(parts))
    return lines
