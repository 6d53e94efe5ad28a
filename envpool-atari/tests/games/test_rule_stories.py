# SPDX-License-Identifier: Apache-2.0
"""Rules that look back further than to the last frame, by envpool-atari/tests/rule_stories.py."""

from __future__ import annotations

import pytest
import rule_stories
from on_arm import unsigned_in_ale
from rule_stories import STORIES, Story

_MARKED = [
    pytest.param(story, marks=unsigned_in_ale) if "from -1" in story.shows else story
    for story in STORIES
]


@pytest.mark.parametrize("story", _MARKED, ids=lambda story: f"{story.game}: {story.shows}")
def test_our_rules_say_the_same(story: Story) -> None:
    told = rule_stories.tell(story)
    assert told.said == told.judged


def bcd(byte: int) -> int:
    return 10 * (byte >> 4) + (byte & 15)


def test_a_hole_earns_its_par_less_the_strokes() -> None:
    """Which is read off ale-py here, without our rules."""
    holes = [s for s in STORIES if s.game == "miniature_golf" and len(s.frames) == 3]
    assert len(holes) == 15
    for story in holes:
        told = rule_stories.tell(story)
        par, strokes = bcd(story.frames[0][0x88]), bcd(story.frames[1][0x87])
        assert all(told.kept)
        assert [said[0] for said in told.said] == [0, 0, par - strokes if strokes else 0]


def test_othello_is_over_when_nobody_moves_for_51_frames() -> None:
    still, moved = (rule_stories.tell(s) for s in STORIES if s.game == "othello")
    assert [over for _, _, over in still.said] == [0] * 51 + [1]
    assert not any(over for _, _, over in moved.said)


def test_a_wrong_rule_is_noticed() -> None:
    """The lives of one game are judged by the rules of another."""
    (story,) = (s for s in STORIES if s.game == "time_pilot")
    told = rule_stories.tell(story, rules="star_gunner")
    assert told.said != told.judged
