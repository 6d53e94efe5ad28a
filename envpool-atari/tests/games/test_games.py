# SPDX-License-Identifier: Apache-2.0
"""Whole games against ale-py, from the loading of the ROM on: the fidelity table in short."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from alignment import REPEAT, Duel, align
from references import CASES, Case, probe
from sampling import sampled

FRAMES = 400  # with the default mode, and 40 with each of two others; the table has 50 times more
BY_NAME = {case.name: case for case in CASES}


def new_game(name: str, seed: int = 3, repeat: float = REPEAT) -> Any:
    return probe.Game(name, BY_NAME[name].rom().read_bytes(), seed, repeat)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equal_to_ale(case: Case) -> None:
    result = align(case, FRAMES, variants=2)
    assert result.equal, result.differing
    assert result.counts["frames"] >= FRAMES


# Settings that are not chosen stay as ALE has them: the difficulty 0, even in Backgammon, which has
# only a 3.
@pytest.mark.parametrize("case", sampled(CASES, 24, salt="a mode alone"), ids=str)
def test_a_mode_or_a_difficulty_alone(case: Case) -> None:
    mode, difficulty = Duel(case, seed=5), Duel(case, seed=6)
    mode.ale.setMode(case.modes[-1])
    mode.game.set_mode(case.modes[-1])
    difficulty.ale.setDifficulty(case.difficulties[-1])
    difficulty.game.set_difficulty(case.difficulties[-1])
    for duel in (mode, difficulty):
        duel.play(10)
        duel.reset()
        duel.play(20)
        assert duel.result.equal, duel.result.differing


# These draw random numbers, or act, while a mode is selected.
@pytest.mark.parametrize("name", ["adventure", "berzerk", "double_dunk", "video_cube"])
def test_modes_that_are_selected_by_hand(name: str) -> None:
    case = BY_NAME[name]
    duel = Duel(case, seed=5)
    for mode in (*case.modes[1:4], case.modes[-1], case.modes[0]):
        duel.choose(mode, case.difficulties[-1])
        duel.play(50)
    assert duel.result.equal, duel.result.differing


def test_a_difference_is_noticed() -> None:
    duel = Duel(BY_NAME["pong"], seed=1)
    duel.game.set_ram(0x8E, 20)
    duel.play(1)
    assert "first in frame 1 (loading)" in duel.result.differing["RAM"]


@pytest.mark.parametrize("name", ["ms_pacman", "adventure"])
@pytest.mark.parametrize("repeat", [0.0, REPEAT])
def test_a_saved_state_goes_on_as_the_game_did(name: str, repeat: float) -> None:
    game, other = new_game(name, repeat=repeat), new_game(name, seed=4, repeat=repeat)
    actions = np.random.default_rng(0).integers(18, size=600)
    for action in actions[:300]:
        game.act(action)
    other.act(2)
    other.load(game.save())
    assert np.array_equal(other.screen(), game.screen())
    for action in actions[300:]:
        assert other.act(action) == game.act(action)
        assert np.array_equal(other.ram(), game.ram())
        if game.game_over():
            game.reset()
            other.reset()
    assert other.save() == game.save()


@pytest.mark.parametrize("name", ["pong", "adventure", "klax", "video_cube"])
def test_a_state_of_random_bytes_does_no_harm(name: str) -> None:
    rng = np.random.default_rng(1)
    game = new_game(name)
    saved = game.save()
    loaded = 0
    for count in (1, 5, 25, len(saved)) * 15:
        state = np.frombuffer(saved, np.uint8).copy()
        state[rng.choice(state.size, count, replace=False)] ^= rng.integers(1, 256, count, np.uint8)
        with contextlib.suppress(IndexError):  # the number of pixels that follow is wrong
            game.load(state.tobytes())
            loaded += 1
        for action in rng.integers(18, size=20):
            game.act(action, draw=False)
        assert game.screen().size > 0
        assert np.isin(game.game_over(), (True, False))
    assert loaded > 30
    game.set_mode_and_difficulty(BY_NAME[name].modes[0], BY_NAME[name].difficulties[0])
    game.reset()
    assert not game.game_over()


@pytest.mark.parametrize("name", ["pong", "adventure", "berzerk", "double_dunk", "video_cube"])
@pytest.mark.parametrize("repeat", [0.0, REPEAT])
def test_a_rom_is_loaded_again_quickly(name: str, repeat: float) -> None:
    slow = new_game(name, seed=9, repeat=repeat)
    quick = probe.Game(new_game(name), 9, repeat)
    assert np.array_equal(quick.ram(), slow.ram())
    assert quick.save() == slow.save()
    for game in (quick, slow):
        game.set_mode_and_difficulty(BY_NAME[name].modes[-1], BY_NAME[name].difficulties[-1])
        game.reset()
    assert quick.save() == slow.save()
    assert np.array_equal(quick.screen(), slow.screen())


def test_what_a_game_does_not_have_is_refused() -> None:
    game = new_game("pong")
    with pytest.raises(ValueError, match="pong has no mode 2; it has 0 1"):
        game.set_mode_and_difficulty(2, 0)
    with pytest.raises(ValueError, match="pong has no difficulty 4; it has 0 1 2 3"):
        game.set_mode_and_difficulty(1, 4)
    game.reset()
    fresh = new_game("pong")
    fresh.reset()
    assert np.array_equal(game.ram(), fresh.ram())  # a refused difficulty leaves the mode as it was


def test_actions_that_are_none_do_nothing() -> None:
    game, idle = new_game("breakout", repeat=0), new_game("breakout", repeat=0)
    for action in (18, 40, 41, -1, 1 << 30):
        game.act(action)
        idle.act(0)
        assert np.array_equal(game.ram(), idle.ram())
