# SPDX-License-Identifier: Apache-2.0
"""The window of `envpool play --window`, on something that stands for OpenCV."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from envpool import viewer
from envpool.cli._window import Window, key_name


class FakeOpenCV(types.ModuleType):
    """Invisible windows; `typed` are the codes of the keys that come."""

    WND_PROP_VISIBLE = 4

    class error(Exception):  # noqa: N801, N818
        """cv2.error."""

    def __init__(self, typed):
        super().__init__("cv2")
        self.typed, self.shown, self.titles, self.open = list(typed), [], [], False

    def imshow(self, title, frame):
        self.open = True
        self.shown.append(frame)

    def waitKeyEx(self, delay):  # noqa: N802
        assert delay > 0
        return self.typed.pop(0) if self.typed else -1

    def setWindowTitle(self, title, text):  # noqa: N802
        self.titles.append(text)

    def getWindowProperty(self, title, which):  # noqa: N802
        return 1.0 if self.open else 0.0

    def destroyWindow(self, title):  # noqa: N802
        self.open = False


@pytest.fixture
def opencv(monkeypatch):
    def install(*typed):
        cv2 = FakeOpenCV(typed)
        monkeypatch.setitem(sys.modules, "cv2", cv2)
        monkeypatch.setattr(viewer, "display_problem", lambda: "")
        return cv2

    return install


def test_keys_and_frames(opencv):
    # The first one comes while the frame is shown, and Shift alone means nothing.
    cv2 = opencv(0xFF51, 0xFFE1, ord("a"))
    frame = np.zeros((100, 80, 3), np.uint8)
    with Window("play") as window:
        window.draw(frame, "score 3", "keys")
        assert window.key(60) == "left"
        assert window.key(60) == "a"
        assert window.key(0) == ""
        cv2.open = False  # by its cross
        assert window.key(60) == "q"
        cv2.open = True
    assert not cv2.open
    assert cv2.shown[0].shape == (500, 400, 3)
    assert cv2.titles == ["play   score 3   keys"]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (-1, ""), (0xFF52, "up"), (0xFF54, "down"), (0xFF53, "right"), (32, "space"), (13, "enter"),
        (0x140000 | ord("q"), "q"), (0x100000 | 0xFF51, "left"), (ord("7"), "7"), (0xFFE1, ""),
    ],
)  # fmt: skip
def test_names_of_keys(code, name):
    assert key_name(code) == name
