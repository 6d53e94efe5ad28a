# SPDX-License-Identifier: Apache-2.0
"""A window that shows pictures, for render_mode="human". Needs OpenCV, which is optional."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..errors import RenderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Viewer:
    """One window; it opens with the first picture."""

    def __init__(self, title: str) -> None:
        """Opens nothing yet.

        Args:
            title: What stands over the window, and tells it from others.

        Raises:
            RenderError: If OpenCV is not installed.
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
        self._title = title
        self._open = False

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Shows an RGB picture of shape (H, W, 3) and returns at once.

        Raises:
            RenderError: If there is no display, or OpenCV was built without windows.
        """
        try:
            self._cv2.imshow(self._title, frame[:, :, ::-1].copy())
            self._cv2.waitKey(1)
        except self._cv2.error as cause:
            raise RenderError(
                "render() with render_mode='human'",
                f"an OpenCV that opens no window ({str(cause).strip()})",
                "a display, and opencv-python and not opencv-python-headless",
                "Use render_mode='rgb_array' where there is no display",
            ) from cause
        self._open = True

    def close(self) -> None:
        """Closes the window, if it was opened."""
        if self._open:
            self._open = False
            self._cv2.destroyWindow(self._title)
