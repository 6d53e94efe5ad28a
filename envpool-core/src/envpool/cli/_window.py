# SPDX-License-Identifier: Apache-2.0
"""A window that shows frames and reads keys, as Terminal does: for `envpool play --window`.

with Window("play Pong-v5") as window:
    window.draw(frame, "score 3")
    key = window.key(0.1)            # "left", "space", "q", ... or "" after 0.1 s
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from ..viewer import Viewer

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

# X11's numbers of keys, which OpenCV returns on Linux; higher bits have the modifiers.
_KEYS = {0xFF51: "left", 0xFF52: "up", 0xFF53: "right", 0xFF54: "down", 32: "space", 13: "enter"}
_KEYS |= {0xFF8D: "enter", 10: "enter"}
_HEIGHT = 480  # the least height of a frame in pixels; smaller frames are enlarged
_POLL_INTERVAL = 0.02  # seconds between two polls of the keyboard


class Window:
    """One window, while it is used as a `with` block."""

    def __init__(self, title: str) -> None:
        """Opens nothing yet.

        Raises:
            RenderError: If OpenCV is not installed, or there is no display.
        """
        self._title = title
        self._viewer = Viewer(title)

    def __enter__(self) -> Self:
        """Returns itself; the window opens with the first frame."""
        return self

    def __exit__(self, *args: object) -> None:
        """Closes it."""
        self._viewer.close()

    def draw(self, frame: NDArray[np.uint8], *lines: str) -> None:
        """Shows an RGB frame of shape (height, width, 3), and lines over it."""
        times = max(1, -(-_HEIGHT // frame.shape[0]))
        self._viewer.show(frame.repeat(times, axis=0).repeat(times, axis=1))
        self._viewer.say("   ".join([self._title, *lines]))

    def key(self, seconds: float) -> str:
        """The next key within so many seconds; empty if there is none, "q" if somebody closed it.

        "up", "down", "left", "right", "space", "enter", or the character itself.
        """
        end = time.monotonic() + seconds
        while True:
            code = self._viewer.key(min(_POLL_INTERVAL, max(0.0, end - time.monotonic())))
            if code is None:
                return "q"
            name = key_name(code)
            if name or time.monotonic() >= end:
                return name


def key_name(code: int) -> str:
    """The name of a key by its number; empty for -1, and for keys such as Shift."""
    plain = code & 0xFFFF
    if code < 0 or plain in (0, 0xFFFF):
        return ""
    return _KEYS.get(plain, chr(plain) if 32 < plain < 127 else "")
