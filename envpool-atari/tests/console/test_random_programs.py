# SPDX-License-Identifier: Apache-2.0
"""A few of the programs of `random_programs.py`, frame by frame as in ALE."""

from __future__ import annotations

import machines
import pytest
import random_programs as programs
from machines import Own

FRAMES = 100
# Seeds 12, 14, 18, 1142, 1346, 1412, 1477 and 900137 have frames that end on a line that HMOVE
# blanks; 2 and 4 on a line that was last drawn before a reset; 1092 and 1131 are reset in a frame
# that was cut. 5170 has a PAL console by its last frames alone. In 1189 and 2000194, BRK pushes
# into WSYNC; 2001912 and 2003193 stop within a block of pixels. The seeds from 7 on leave the
# cartridge, the last four while the console is reset, when ALE reads other bytes of memory after a
# frame.
SEEDS = (
    *(0, 2, 4, 5, 8, 12, 14, 18, 37, 1092, 1131, 1142, 1346, 1357, 1412, 1463, 1477, 5170, 900_137),
    *(1189, 2_000_194, 2_000_293, 2_001_105, 2_001_912, 2_003_193),
    *(7, 31, 87, 119, 183, 399, 471, 1167, 1183, 1415, 1471, 1479, 900_143),
    *(2_000_396, 2_000_479, 2_002_320, 2_003_316),
)
# Seeds and numbers of frames that end on a line that HMOVE blanks: from above the screen, or with a
# RESP before the next write.
LATE = {
    2_000_006: 264,
    2_000_758: 224,
    2_001_062: 223,
    2_001_269: 45,
    2_001_441: 178,
    2_002_325: 35,
    2_002_404: 144,
}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_plays_as_in_ale(seed: int) -> None:
    assert programs.play(seed, FRAMES) == (FRAMES, None)


@pytest.mark.parametrize("seed", LATE)
def test_a_frame_of_a_program_is_as_in_ale(seed: int) -> None:
    assert programs.play(seed, LATE[seed] + 1) == (LATE[seed] + 1, None)


def test_a_program_that_ale_takes_for_another_cartridge() -> None:
    with pytest.raises(programs.OtherKindError, match="CartridgeUA"):
        programs.play(2_001_675)


@pytest.mark.parametrize("other", [0x00, 0x22, 0x24, 0x7F])
def test_no_other_byte_is_looked_at_last(monkeypatch: pytest.MonkeyPatch, other: int) -> None:
    monkeypatch.setattr(machines, "LOOKED_AT", other)
    assert programs.play(2_003_316, 1)[1] is not None


def test_another_program_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "Own", lambda rom: Own(programs.program(1)))
    equal, difference = programs.play(0, FRAMES)
    assert equal == 0
    assert difference is not None
    assert difference.what == "memory, registers, screen"
