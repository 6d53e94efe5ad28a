# SPDX-License-Identifier: Apache-2.0
"""Episodes that are parts of a game: Continue begins the next one, IsTerminalState ends none.

And those that an environment cuts short: IsTruncated.
"""

from __future__ import annotations

import pytest
from envpool.errors import WorkerError
from refusals import refused

FIRST, MID, LAST = 0, 1, 2


def rows(result):
    """The first row: steps and lives of the game, its number, and the pool's flags."""
    columns = ("elapsed_step", "reward", "terminated", "trunc", "step_type", "discount")
    facts = tuple(result[name][0].item() for name in columns)
    return (*result["obs"][0].tolist(), result["info:games"][0].item(), *facts)


def finals(result):
    return (*result["final obs"][0].tolist(), result["final elapsed_step"][0].item())


def test_next_step(make):
    pool = make("Lives", lives=2)
    assert rows(pool.reset()) == (0, 2, 1, 0, 0.0, False, False, FIRST, 1.0)
    assert rows(pool.step([0])) == (1, 2, 1, 1, 1.0, False, False, MID, 1.0)
    assert rows(pool.step([0])) == (2, 1, 1, 2, 1.0, True, False, LAST, 0.0)
    # The game goes on, and so does the count; the action is not used.
    assert rows(pool.step([0])) == (2, 1, 1, 2, 0.0, False, False, FIRST, 1.0)
    assert rows(pool.step([0])) == (3, 1, 1, 3, 1.0, False, False, MID, 1.0)
    assert rows(pool.step([0])) == (4, 0, 1, 4, 1.0, True, False, LAST, 0.0)
    # Continue says no: it was the last life.
    assert rows(pool.step([0])) == (0, 2, 2, 0, 0.0, False, False, FIRST, 1.0)


def test_same_step(make):
    pool = make("Lives", lives=2, autoreset="same_step", in_a_step=True)
    pool.reset()
    assert rows(pool.step([0])) == (1, 2, 1, 1, 1.0, False, False, MID, 1.0)
    result = pool.step([0])
    # Reward and flags are of the step; observation and count of the next episode.
    assert rows(result) == (3, 1, 1, 2, 1.0, True, False, LAST, 0.0)
    assert finals(result) == (2, 1, 2)
    assert [len(past) for past in result["info:past"]] == [3]
    assert [len(past) for past in result["final info:past"]] == [2]
    result = pool.step([0])
    assert rows(result) == (0, 2, 2, 0, 1.0, True, False, LAST, 0.0)
    assert finals(result) == (4, 0, 3)


def test_disabled(make):
    """Resets of the user are the same as the resets of the other modes."""
    pool = make("Lives", lives=2, autoreset="disabled")
    pool.reset()
    pool.step([0])
    pool.step([0])
    assert rows(pool.reset()) == (2, 1, 1, 2, 0.0, False, False, FIRST, 1.0)
    # In the middle of an episode it is another matter, and so is a seed.
    assert rows(pool.reset()) == (0, 2, 2, 0, 0.0, False, False, FIRST, 1.0)
    pool.step([0])
    pool.step([0])
    assert rows(pool.reset(seed=1)) == (0, 2, 1, 0, 0.0, False, False, FIRST, 1.0)


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_a_reset_that_is_asked_for_starts_anew(make, steps):
    for mode in ("next_step", "same_step"):
        pool = make("Lives", autoreset=mode)
        pool.reset()
        for _ in range(steps):
            pool.step([0])
        assert rows(pool.reset())[:4] == (0, 3, 2, 0)
        pool.async_reset([0])
        assert rows(pool.recv())[:4] == (0, 3, 3, 0)


def test_the_time_limit_is_of_the_whole_game(make):
    pool = make("Lives", max_episode_steps=3)
    pool.reset()
    pool.step([0])
    assert rows(pool.step([0])) == (2, 2, 1, 2, 1.0, True, False, LAST, 0.0)
    assert rows(pool.step([0])) == (2, 2, 1, 2, 0.0, False, False, FIRST, 1.0)
    assert rows(pool.step([0])) == (3, 2, 1, 3, 1.0, False, True, LAST, 1.0)
    # Out of time: a new game.
    assert rows(pool.step([0])) == (0, 3, 2, 0, 0.0, False, False, FIRST, 1.0)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_a_life_lost_at_the_limit_is_an_end_for_good(make, mode):
    pool = make("Lives", max_episode_steps=2, autoreset=mode)
    pool.reset()
    pool.step([0])
    result = pool.step([0])
    assert (result["terminated"][0], result["trunc"][0]) == (True, True)
    if mode != "same_step":
        result = pool.step([0]) if mode == "next_step" else pool.reset()
    assert rows(result)[:4] == (0, 3, 2, 0)


@pytest.mark.parametrize("played", [1, 2, 3])
def test_saved_states(make, played):
    pool = make("Lives")
    pool.reset()
    for _ in range(played):
        pool.step([0])
    state = pool.save_state([0])
    expected = [rows(pool.step([0])) for _ in range(9)]
    other = make("Lives")
    other.reset()
    for loaded in (pool, other):
        loaded.load_state(state, [0])
        assert [rows(loaded.step([0])) for _ in range(9)] == expected


def test_a_failure_within_it(make):
    pool = make("Lives", fails_after=2)
    pool.reset()
    pool.step([0])
    pool.step([0])
    assert refused(WorkerError, lambda: pool.step([0])).asked.startswith("no way on\n")
    assert rows(pool.reset())[:4] == (0, 3, 2, 0)


def test_pixels(make):
    pool = make("LivesPixels", lives=2, render_width=2, render_height=1, frame_stack=2)
    pool.reset()
    expected = [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4), (0, 0)]
    for frames in expected:
        result = pool.step([0])
        assert (result["obs:pixels"][0, 0, 0, 0], result["obs:pixels"][0, 3, 0, 0]) == frames
    assert result["elapsed_step"][0] == 0


def test_terminal_states_end_nothing(make):
    pool = make("Lives", lives=2, ends=False, marks=True)
    pool.reset()
    assert rows(pool.step([0])) == (1, 2, 1, 1, 1.0, False, False, MID, 1.0)
    assert rows(pool.step([0])) == (2, 1, 1, 2, 1.0, True, False, MID, 0.0)
    assert rows(pool.step([0])) == (3, 1, 1, 3, 1.0, False, False, MID, 1.0)
    assert rows(pool.step([0])) == (4, 0, 1, 4, 1.0, True, False, LAST, 0.0)
    assert rows(pool.step([0])) == (0, 2, 2, 0, 0.0, False, False, FIRST, 1.0)
    pool = make("Lives", ends=False, marks=True, autoreset="disabled", max_episode_steps=4)
    pool.reset()
    flags = [rows(pool.step([0]))[5:8] for _ in range(4)]
    assert flags == [
        *((False, False, MID), (True, False, MID), (False, False, MID), (True, True, LAST))
    ]


def test_terminal_states_in_the_same_step(make):
    """A row that looks like any end in this mode, and the next one goes on from it."""
    pool = make("Lives", lives=2, ends=False, marks=True, autoreset="same_step")
    pool.reset()
    pool.step([0])
    result = pool.step([0])
    assert rows(result) == (2, 1, 1, 2, 1.0, True, False, LAST, 0.0)
    assert finals(result) == (2, 1, 2)
    assert (result["done"][0], result["final info:games"][0]) == (True, 1)
    assert [len(past) for past in result["info:past"]] == [2]
    assert rows(pool.step([0])) == (3, 1, 1, 3, 1.0, False, False, MID, 1.0)
    result = pool.step([0])
    assert rows(result) == (0, 2, 2, 0, 1.0, True, False, LAST, 0.0)
    assert finals(result) == (4, 0, 4)


def test_terminal_states_of_images(make):
    pool = make("LivesPixels", ends=False, marks=True)
    pool.reset()
    flags = [bool(pool.step([0])["terminated"][0]) for _ in range(4)]
    assert flags == [False, True, False, True]


@pytest.mark.parametrize("name", ["Lives", "LivesPixels"])
def test_an_environment_can_cut_an_episode_short(make, name):
    pool = make(name, lives=3, cut_at=1)
    pool.reset()
    result = pool.step([0])
    flags = ("terminated", "trunc", "step_type", "discount", "done")
    assert [result[key][0].item() for key in flags] == [False, True, LAST, 1.0, True]
    # An episode that was cut short does not go on: it begins anew.
    result = pool.step([0])
    assert [result[key][0].item() for key in flags] == [False, False, FIRST, 1.0, False]
    assert result["info:games"][0] == 2 and result["elapsed_step"][0] == 0


def test_what_is_cut_short_may_be_over_as_well(make):
    pool = make("Lives", lives=2, cut_at=2, autoreset="same_step")
    pool.reset()
    pool.step([0])
    result = pool.step([0])
    assert result["terminated"][0] and result["trunc"][0]
    assert result["discount"][0] == 0 and result["info:games"][0] == 2
    assert finals(result) == (2, 1, 2)
