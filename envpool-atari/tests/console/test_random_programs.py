# SPDX-License-Identifier: Apache-2.0
"""A few of the programs of `python tools/atari_random_programs.py`, frame by frame as in ALE."""

from __future__ import annotations

import atari_random_programs as programs
import pytest
from _atari_machines import Own

FRAMES = 100
# Equal in all of their 400 frames. Of 12, 14 and 18 some frames end on a line that HMOVE blanks, of
# 2, 4 and 7 on one that was last drawn before a reset.
SEEDS = (0, 2, 4, 5, 7, 8, 12, 14, 18, 37)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_plays_as_in_ale(seed: int) -> None:
    assert programs.play(seed, FRAMES) == (FRAMES, None)


def test_another_program_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "Own", lambda rom: Own(programs.program(1)))
    equal, difference = programs.play(0, FRAMES)
    assert equal == 0
    assert difference is not None
    assert difference.what == "memory, registers, screen"
