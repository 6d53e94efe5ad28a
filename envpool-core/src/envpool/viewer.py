# SPDX-License-Identifier: Apache-2.0
"""A window that shows frames, for render_mode="human". Needs OpenCV, which is optional.

OpenCV's window library, Qt as a rule, ends the process if it cannot open a window, so a child
process tries first.
"""

from __future__ import annotations

import functools
import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from .errors import RenderError, shorten

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Seconds after which a display without an answer counts as missing; an answer takes 0.2 s.
_TIMEOUT = 20.0
_TRIAL = """
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import cv2
cv2.namedWindow("envpool")
cv2.destroyAllWindows()
"""


class Viewer:
    """One window; it opens with the first frame."""

    def __init__(self, title: str) -> None:
        """Opens nothing yet.

        Args:
            title: The window's title, which distinguishes it from others.

        Raises:
            RenderError: If OpenCV is not installed, or there is no display.
        """
        try:
            self._cv2: Any = importlib.import_module("cv2")
        except ImportError as cause:
            raise RenderError(
                "render() with render_mode='human'",
                f"no OpenCV ({cause})",
                "a Python that has the module cv2",
                "Run `pip install opencv-python`, or use render_mode='rgb_array'",
            ) from cause
        problem = display_problem()
        if problem:
            raise RenderError(
                "render() with render_mode='human'",
                problem,
                "a display: an X server that DISPLAY names, as that of a desktop or of `ssh -X`",
                "Use render_mode='rgb_array', or start Python with `xvfb-run` to draw without a "
                "screen",
            )
        self._title = title
        self._open = False
        self._pressed: list[int] = []

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Shows an RGB frame of shape (height, width, 3) and returns at once.

        Raises:
            RenderError: If OpenCV was built without windows.
        """
        try:
            self._cv2.imshow(self._title, frame[:, :, ::-1].copy())
            self._listen(1)
        except self._cv2.error as cause:
            raise RenderError(
                "render() with render_mode='human'",
                f"an OpenCV that opens no window ({str(cause).strip()})",
                "opencv-python and not opencv-python-headless",
                "Use render_mode='rgb_array', or install the other package",
            ) from cause
        self._open = True

    def key(self, seconds: float) -> int | None:
        """The next key pressed in the window within so many seconds, by OpenCV's number.

        Returns:
            Its code; -1 without a key; None if the user closed the window.
        """
        if not self._pressed:
            self._listen(max(1, round(1000 * seconds)))
        if self._pressed:
            return self._pressed.pop(0)
        visible = self._cv2.getWindowProperty(self._title, self._cv2.WND_PROP_VISIBLE) >= 1
        return -1 if visible else None

    def say(self, text: str) -> None:
        """Shows a text over the window."""
        self._cv2.setWindowTitle(self._title, text)

    def _listen(self, milliseconds: int) -> None:
        """Lets the window draw itself; OpenCV receives keys only then."""
        code = self._cv2.waitKeyEx(milliseconds)
        if code != -1:
            self._pressed.append(code)

    def close(self) -> None:
        """Closes the window, if it was opened."""
        if self._open:
            self._open = False
            self._cv2.destroyWindow(self._title)


def display_problem() -> str:
    """The reason that no window can be opened, in words; empty if a window can or may be opened.

    Checks only systems with windows of X or Wayland.
    """
    if sys.platform in ("win32", "darwin"):
        return ""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return _trial(tuple((name, os.environ.get(name, "")) for name in names))


@functools.cache
def _trial(variables: tuple[tuple[str, str], ...]) -> str:
    """The result of opening a window in a child process; once for each setting of variables."""
    named = [f"{name}={value}" for name, value in variables if value]
    if not named:
        return "no display (neither DISPLAY nor WAYLAND_DISPLAY is set)"
    if not sys.executable:  # Python is inside another program
        return ""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRIAL],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"a display that does not answer for {_TIMEOUT:g} s ({', '.join(named)})"
    # The caller's own OpenCV raises exceptions itself; a signal would end the caller's process.
    if done.returncode >= 0:
        return ""
    said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
    return f"a display that cannot be opened ({', '.join(named)}: {shorten(said, 200)})"
