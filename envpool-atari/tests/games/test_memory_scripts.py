# SPDX-License-Identifier: Apache-2.0
"""Rules that look back further than to the last frame, by tests/memory_scripts.py."""

from __future__ import annotations

import memory_scripts
import pytest
from memory_scripts import SCRIPTS, MemoryScript
from on_arm import unsigned_in_ale

_MARKED = [
    pytest.param(script, marks=unsigned_in_ale) if "from -1" in script.shows else script
    for script in SCRIPTS
]


@pytest.mark.parametrize("script", _MARKED, ids=lambda script: f"{script.game}: {script.shows}")
def test_our_rules_say_the_same(script: MemoryScript) -> None:
    played = memory_scripts.play(script)
    assert played.said == played.judged


def bcd(byte: int) -> int:
    return 10 * (byte >> 4) + (byte & 15)


def test_a_hole_earns_its_par_less_the_strokes() -> None:
    """ale-py's rewards are read here without our rules."""
    holes = [s for s in SCRIPTS if s.game == "miniature_golf" and len(s.frames) == 3]
    assert len(holes) == 15
    for script in holes:
        played = memory_scripts.play(script)
        par, strokes = bcd(script.frames[0][0x88]), bcd(script.frames[1][0x87])
        assert all(played.kept)
        assert [said[0] for said in played.said] == [0, 0, par - strokes if strokes else 0]


def test_othello_is_over_when_nobody_moves_for_51_frames() -> None:
    still, moved = (memory_scripts.play(s) for s in SCRIPTS if s.game == "othello")
    assert [over for _, _, over in still.said] == [0] * 51 + [1]
    assert not any(over for _, _, over in moved.said)


def test_a_wrong_rule_is_noticed() -> None:
    """The rules of another game evaluate the lives of a game."""
    (script,) = (s for s in SCRIPTS if s.game == "time_pilot")
    played = memory_scripts.play(script, rules="star_gunner")
    assert played.said != played.judged
