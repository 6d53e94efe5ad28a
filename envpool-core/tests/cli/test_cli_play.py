# SPDX-License-Identifier: Apache-2.0
"""`envpool play` and `envpool watch`, in a terminal of the system's own making."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time

import numpy as np
import pytest
from envpool.cli._terminal import half_blocks, shrink

LIMIT = 60  # seconds for a machine that is busy


class Session:
    """A program in a terminal: its screen, and a keyboard."""

    def __init__(self, line, environment):
        ours, theirs = pty.openpty()
        self.terminal = ours
        self.shown = ""
        self.process = subprocess.Popen(
            line, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
        )
        os.close(theirs)

    def wait_for(self, text):
        """Reads until the text was shown; fails if it never is."""
        end = time.monotonic() + LIMIT
        while text not in self.shown:
            assert time.monotonic() < end, self.shown[-2000:]
            if select.select([self.terminal], [], [], 1)[0]:
                try:
                    self.shown += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:  # the program has ended
                    break
        assert text in self.shown, self.shown[-2000:]
        self.shown = self.shown.partition(text)[2]

    def press(self, key):
        os.write(self.terminal, key.encode())

    def end(self):
        """The exit status."""
        while self.process.poll() is None:
            if select.select([self.terminal], [], [], 1)[0]:
                try:
                    os.read(self.terminal, 65536)
                except OSError:
                    break
        return self.process.wait(LIMIT)


@pytest.fixture
def session(command):
    opened = []

    def start(*words, **variables):
        line, environment = command(*words, COLUMNS="60", LINES="20", **variables)
        opened.append(Session(line, environment))
        return opened[-1]

    yield start
    for one in opened:
        one.process.kill()
        one.process.wait()
        os.close(one.terminal)


def test_a_person_plays(session):
    game = session("play", "Walk-v0")
    game.wait_for("▀")
    game.wait_for("episode 1  steps 0  score 0")
    game.wait_for("keys: ")
    for number in (1, 2, 3):  # the task waits for each
        game.press("1")
        game.wait_for(f"steps {number}")
    game.press("\x1b[A")  # no key of this task
    game.press("\x1b1")  # Alt and 1, which is 1 where Alt means nothing
    game.wait_for("steps 4")
    game.press("q")
    game.wait_for("\x1b[?1049l")  # the screen that was there before
    game.wait_for("episode 1  steps 4")
    assert game.end() == 0


def test_ctrl_c_leaves_the_terminal_as_it_was(session):
    game = session("play", "Walk-v0")
    game.wait_for("keys: ")
    game.process.send_signal(signal.SIGINT)
    game.wait_for("\x1b[?1049l")
    assert game.end() == 130


def test_a_random_policy(session):
    show = session("watch", "Walk-v0", "--steps", "5", "--fps", "1000")
    show.wait_for("\x1b[?1049l")
    show.wait_for("episode 1  steps 5")
    assert show.end() == 0


def test_a_policy_of_a_module(session, tmp_path, monkeypatch):
    (tmp_path / "my_policies.py").write_text(
        "def right(obs):\n    assert obs.shape[0] == 1\n    return [2]\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ("--steps", "3", "--fps", "1000", "--policy")
    show = session("watch", "Walk-v0", *words, "my_policies:right")
    show.wait_for("episode 1  steps 3")
    show.wait_for("\x1b[?1049l")
    assert show.end() == 0
    show = session("watch", "Walk-v0", *words, "my_policies:left")
    show.wait_for("AttributeError")
    assert show.end() == 1


@pytest.mark.parametrize("name", ["play", "watch"])
def test_without_a_terminal(run, name):
    done = run(name, "Walk-v0")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{name} Walk-v0: got no terminal" in done.stderr


def test_frames_become_text():
    frame = np.zeros((40, 60, 3), np.uint8)
    frame[:20] = 200
    small = shrink(frame, 30, 20)
    assert small.shape == (20, 30, 3)
    assert small[9].min() == 200 and small[10].max() == 0
    assert shrink(frame, 1000, 1000).shape == frame.shape
    assert shrink(frame[:, :1], 60, 7).shape[0] == 7
    mixed = np.indices((4, 6)).sum(0) % 2 * 255
    assert shrink(np.repeat(mixed[..., None], 3, 2).astype(np.uint8), 3, 2).tolist() == (
        [[[127] * 3] * 3] * 2
    )
    lines = half_blocks(small)
    assert len(lines) == 10
    assert lines[0] == "\x1b[38;2;200;200;200;48;2;200;200;200m" + "▀" * 30
    assert half_blocks(small[:1])[0].startswith("\x1b[38;2;200;200;200;48;2;0;0;0m")
