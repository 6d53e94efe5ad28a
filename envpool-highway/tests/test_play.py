# SPDX-License-Identifier: Apache-2.0
"""Keys of `envpool play`, which are the package's, and the window of `render_mode="human"`."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import sysconfig
import time
import types
from pathlib import Path
from typing import Any

# isort: off
from references import Case, Reference

# isort: on
import envpool
import numpy as np
import pygame
import pytest
from envpool import Task, viewer
from envpool_highway import FAMILY
from highway_env.envs.common.action import DiscreteMetaAction
from highway_env.envs.common.graphics import EventHandler

_CODES = {"up": pygame.K_UP, "down": pygame.K_DOWN, "left": pygame.K_LEFT, "right": pygame.K_RIGHT}
_TASKS = {task.id: task for task in FAMILY.envpool_tasks()}
_LIMIT = 60  # seconds, for a busy machine


@pytest.mark.parametrize("task", _TASKS.values(), ids=lambda task: task.id)
def test_keys_are_the_packages(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    world = Reference(Case(task.id)).world
    kind = getattr(world.action_type, "agents_action_types", [world.action_type])[0]
    taken: list[Any] = []
    monkeypatch.setattr(kind, "act", taken.append)
    assert task.keys is not None
    for key, action in task.keys.actions.items():
        if key:
            event = pygame.event.Event(pygame.KEYDOWN, key=_CODES[key])
            EventHandler.handle_event(kind, event)
        if isinstance(kind, DiscreteMetaAction):
            assert action == (taken.pop() if key else kind.actions_indexes["IDLE"])
        else:
            # The same pedal or side of the wheel: the package moves it by 0.7, ours fully.
            signs = np.sign(taken.pop()) if key else np.zeros(kind.space().shape)
            axes = [action // 3 - 1, action % 3 - 1][-len(signs) :]
            assert axes == signs.tolist()


@pytest.mark.parametrize("task_id", ["parking-v0", "intersection-multi-agent-v0"])
def test_a_person_plays(task_id: str) -> None:
    """In a terminal; with several agents all of them do the same."""
    ours, theirs = pty.openpty()
    command = [str(Path(sysconfig.get_path("scripts"), "envpool")), "play", task_id, "--steps", "3"]
    sizes = {"COLUMNS": "60", "LINES": "20"}
    with subprocess.Popen(
        [sys.executable, *command], stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, **sizes},
    ) as program:  # fmt: skip
        os.close(theirs)
        shown, end = "", time.monotonic() + _LIMIT
        while time.monotonic() < end:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                shown += os.read(ours, 65536).decode(errors="replace")
            except OSError:  # the program has ended
                break
            if "keys: " in shown:
                os.write(ours, b"\x1b[D")
        program.kill()
    os.close(ours)
    assert "keys: " in shown and "left" in shown
    assert "episode 1  steps 3" in shown
    assert program.returncode == 0, shown[-2000:]


def test_a_window_shows_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for OpenCV gets the same pixels, blue first."""
    cv2: Any = types.ModuleType("cv2")
    frames: list[Any] = []
    cv2.error = Exception
    cv2.imshow = lambda title, frame: frames.append(frame)
    cv2.waitKey = cv2.waitKeyEx = lambda delay: -1
    cv2.namedWindow = cv2.destroyWindow = lambda *args: None
    cv2.getWindowProperty = lambda *args: 1.0
    monkeypatch.setitem(sys.modules, "cv2", cv2)
    monkeypatch.setattr(viewer, "display_problem", lambda: "")
    with (
        envpool.make("u-turn-v0", num_envs=1, seed=4, render_mode="human") as shown,
        envpool.make("u-turn-v0", num_envs=1, seed=4, render_mode="rgb_array") as drawn,
    ):
        shown.reset()
        drawn.reset()
        for _ in range(3):
            action = np.array([1])
            shown.step(action)
            drawn.step(action)
            assert shown.render() is None
            np.testing.assert_array_equal(frames[-1], drawn.render()[0][..., ::-1])
    assert frames[-1].shape == (289, 789, 3)
