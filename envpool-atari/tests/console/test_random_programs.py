# SPDX-License-Identifier: Apache-2.0
"""A few of the programs of `python tools/atari_random_programs.py`, frame by frame as in ALE."""

from __future__ import annotations

import atari_random_programs as programs
import pytest
from _atari_machines import Own

FRAMES = 100
# Those of the first 40 that are equal in all of their 400 frames.
SEEDS = (0, 1, 5, 6, 8, 10, 19, 20, 25, 37)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_plays_as_in_ale(seed: int) -> None:
    assert programs.play(seed, FRAMES) == (FRAMES, None)


def test_another_program_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "Own", lambda rom: Own(programs.program(1)))
    equal, difference = programs.play(0, FRAMES)
    assert equal == 0
    assert difference is not None
    assert difference.what == "memory, registers, screen"
