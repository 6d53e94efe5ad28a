# SPDX-License-Identifier: Apache-2.0
"""`envpool play` is the game in a terminal: its screen, and its keys."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

from envpool_nethack import _tasks

_LIMIT = 60  # seconds, for a machine that is busy


def test_keys_of_a_person() -> None:
    keys = _tasks.keys_of(list(_tasks.KEYBOARD)).actions
    assert [_tasks.KEYBOARD[keys[key]] for key in ("h", "left", "q", "\x04")] == [104, 104, 113, 4]
    assert _tasks.KEYBOARD[keys["enter"]] == 13
    assert _tasks.KEYBOARD[keys["alt+p"]] == 128 + ord("p")
    assert len({*keys.values()}) == len({*_tasks.KEYBOARD})  # each command has a key


def test_a_game_in_a_terminal() -> None:
    """Q drinks and Alt-p prays, as in the game; Ctrl-C would end it, and so does --steps."""
    program = str(Path(sys.executable).with_name("envpool"))
    ours, theirs = pty.openpty()
    command = [
        program,
        "play",
        "NetHack-v0",
        "--steps",
        "3",
        "--set",
        "allow_all_yn_questions=True",
    ]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown, pressed = "", 0
        end = time.monotonic() + _LIMIT
        try:
            while process.poll() is None and time.monotonic() < end:
                if pressed < 3 and shown.count("Ctrl-C") > pressed:
                    os.write(ours, (b"q", b"\x1b", b"\x1bp")[pressed])
                    pressed += 1
                if select.select([ours], [], [], 0.2)[0]:
                    try:
                        shown += os.read(ours, 65536).decode(errors="replace")
                    except OSError:  # the program has ended
                        break
            status = process.wait(timeout=_LIMIT)
        finally:
            process.kill()
            os.close(ours)
    assert status == 0, shown[-2000:]
    assert "Agent the Candidate" in shown
    assert "What do you want to drink?" in shown
    assert "Are you sure you want to pray?" in shown
    assert "steps 3" in shown
