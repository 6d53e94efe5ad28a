# SPDX-License-Identifier: Apache-2.0
"""A few of the programs of `python tools/atari_random_programs.py`, frame by frame as in ALE."""

from __future__ import annotations

import atari_random_programs as programs
import pytest
from _atari_machines import Own

FRAMES = 100
# Of 12, 14, 18, 1142, 1346, 1412, 1477 and 900137 some frames end on a line that HMOVE blanks, of 2
# and 4 on one that was last drawn before a reset; 1092 and 1131 are reset in a frame that was cut.
# 5170 has a PAL console by its last frames alone. Those from 7 on go on outside the cartridge.
SEEDS = (
    *(0, 2, 4, 5, 8, 12, 14, 18, 37, 1092, 1131, 1142, 1346, 1357, 1412, 1463, 1477, 5170, 900_137),
    *(7, 31, 87, 119, 183, 399, 471, 1183, 1415),
)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_plays_as_in_ale(seed: int) -> None:
    assert programs.play(seed, FRAMES) == (FRAMES, None)


def test_another_program_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "Own", lambda rom: Own(programs.program(1)))
    equal, difference = programs.play(0, FRAMES)
    assert equal == 0
    assert difference is not None
    assert difference.what == "memory, registers, screen"
