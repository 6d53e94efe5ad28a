# SPDX-License-Identifier: Apache-2.0
"""render(): sizes, cameras, windows."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import types
from pathlib import Path

import envpool
import numpy as np
import pytest
from envpool import viewer
from envpool.errors import ConfigError, EnvIdError, RenderError


def make(**config):
    pool = envpool.make("Counter-v0", num_envs=3, **config)
    pool.reset()
    return pool


def test_frames(last_raw):
    pool = make(render_mode="rgb_array", render_env_id=2)
    frames = pool.render()
    assert frames.shape == (1, 4, 6, 3)
    assert frames.dtype == np.uint8
    assert frames[0, 0, 0].tolist() == [2, 0, 9]
    assert pool.render([2, 0])[:, 0, 0, 0].tolist() == [2, 0]
    assert pool.render(np.int64(1))[:, 0, 0, 0].tolist() == [1]
    _, ids, width, height, camera = last_raw().calls[-1]
    assert ids.dtype == np.int32
    assert (width, height, camera) == (0, 0, -1)


def test_size_and_camera(last_raw):
    pool = make(render_mode="rgb_array", render_width=8, render_height=5, render_camera_id=4)
    assert pool.render().shape == (1, 5, 8, 3)
    assert last_raw().calls[-1][2:] == (8, 5, 4)
    pool.render(camera_id=1)
    assert last_raw().calls[-1][4] == 1
    for camera in (-2, 1.5, "front"):
        with pytest.raises(ConfigError, match="camera_id"):
            pool.render(camera_id=camera)


@pytest.mark.parametrize("ids", [[3], -1, [0, 5], [[0, 1]], [True, False, False], 0.5])
def test_wrong_ids(ids):
    with pytest.raises(EnvIdError, match=r"0 \.\. 2"):
        make(render_mode="rgb_array").render(ids)


def test_without_render_mode():
    with pytest.raises(RenderError, match="render_mode='rgb_array'"):
        make().render()


def test_tasks_that_cannot_draw():
    with pytest.raises(ConfigError, match="Leave render_mode out"):
        envpool.make("Quiet-v0", render_mode="rgb_array")


class FakeOpenCV(types.ModuleType):
    """The part of OpenCV that the viewer uses; `broken` refuses windows as a headless build."""

    class error(Exception):  # noqa: N801, N818
        """cv2.error."""

    def __init__(self, broken=False):
        super().__init__("cv2")
        self.shown, self.closed, self.broken = [], [], broken

    def imshow(self, title, frame):
        if self.broken:
            raise self.error("The function is not implemented")
        self.shown.append((title, frame))

    def waitKeyEx(self, delay):  # noqa: N802
        assert delay > 0
        return -1

    def destroyWindow(self, title):  # noqa: N802
        self.closed.append(title)


@pytest.fixture
def display(monkeypatch):
    """Makes the viewer believe in one."""
    monkeypatch.setattr(viewer, "display_problem", lambda: "")


@pytest.mark.usefixtures("display")
def test_human(monkeypatch):
    cv2 = FakeOpenCV()
    monkeypatch.setitem(sys.modules, "cv2", cv2)
    pool = make(render_mode="human", render_env_id=1)
    assert pool.render() is None
    assert pool.render(2) is None
    (title, first), (_, second) = cv2.shown
    assert "Counter-v0" in title
    assert first[0, 0].tolist() == [9, 0, 1]  # blue first
    assert second[0, 0].tolist() == [9, 0, 2]
    with pytest.raises(RenderError, match="2 environments for one window"):
        pool.render([0, 1])
    pool.close()
    pool.close()
    assert cv2.closed == [title]
    vector = envpool.make("Counter-v0", "vector", num_envs=3, render_mode="human")
    assert vector.render() is None


def test_human_without_opencv(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(RenderError, match="pip install opencv-python"):
        make(render_mode="human").render()


@pytest.mark.usefixtures("display")
def test_human_with_an_opencv_without_windows(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", FakeOpenCV(broken=True))
    pool = make(render_mode="human")
    with pytest.raises(RenderError, match="not implemented"):
        pool.render()
    pool.close()


# Ends the process as Qt does with a display that it cannot open, in place of `import cv2`.
ABORTING_OPENCV = """
import os, sys
class error(Exception): pass
def namedWindow(title):
    print("could not connect to display", os.environ.get("DISPLAY"), file=sys.stderr, flush=True)
    os.abort()
imshow = namedWindow
"""
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import conftest, envpool
pool = envpool.make("Counter-v0", render_mode="human")
pool.reset()
try:
    pool.render()
except envpool.errors.RenderError as error:
    print(error)
"""


REAL = ["real"] if importlib.util.find_spec("cv2") else []  # an optional package
HEADLESS = "got an OpenCV that opens no window"
WINDOWS = {"opencv-python", "opencv-contrib-python"} & {
    name.lower() for name in importlib.metadata.packages_distributions().get("cv2", [])
}


@pytest.mark.parametrize("opencv", ["stand-in", *REAL])
@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "got no display (neither DISPLAY nor WAYLAND_DISPLAY is set)"),
        ({"DISPLAY": ":7777"}, "got a display that cannot be opened (DISPLAY=:7777: "),
        ({"QT_QPA_PLATFORM": "none"}, "got a display that cannot be opened (QT_QPA_PLATFORM=none"),
    ],
)
def test_human_without_a_display_is_an_error(tmp_path, opencv, variables, said):
    if opencv == "stand-in":
        (tmp_path / "cv2.py").write_text(ABORTING_OPENCV, encoding="utf-8")
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {key: value for key, value in os.environ.items() if key not in names}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parent)],
        env=environment | variables | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if opencv == "real" and variables and not WINDOWS:
        said = HEADLESS
    assert said in done.stdout
    assert "Use render_mode='rgb_array'" in done.stdout


@pytest.mark.parametrize("opens", ["pass", "raise error('not implemented')"])
def test_where_the_child_does_not_end_the_viewer_goes_on(monkeypatch, tmp_path, opens):
    text = f"""
class error(Exception): pass
def namedWindow(title): {opens}
def destroyAllWindows(): pass
"""
    (tmp_path / "cv2.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("DISPLAY", f"stand-in:{len(opens)}")  # asked for once each
    assert viewer.display_problem() == ""


def test_a_display_that_does_not_answer(monkeypatch):
    def run(*_, timeout, **__):
        raise subprocess.TimeoutExpired("python", timeout)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv("DISPLAY", "far.away:0")
    assert "does not answer for 20 s (DISPLAY=far.away:0" in viewer.display_problem()
