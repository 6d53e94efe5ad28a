# SPDX-License-Identifier: Apache-2.0
"""The toy-text drawings: Gymnasium's frames if it has them, else checked by color."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import MAPS, generate_random_map
from numpy.typing import NDArray

Draw = Callable[..., NDArray[np.uint8]]
ExpectSame = Callable[..., None]


def make(task: str, **kwargs: Any) -> Any:
    env = gymnasium.make(task, render_mode="rgb_array", **kwargs)
    env.reset(seed=3)
    return env.unwrapped


@pytest.mark.parametrize(
    "rows",
    [
        MAPS["4x4"],
        MAPS["8x8"],
        generate_random_map(9, seed=9),  # cells of 56 pixels
        generate_random_map(13, seed=13),  # cells of 39 pixels, and a black rest of 5
        ["SFFHFFFFHFFFHFFFHFFF", "HFFFFFFHFFFFFFFFFFFG"],  # cells of 25 x 64 pixels
    ],
    ids=["4x4", "8x8", "9x9", "13x13", "2x20"],
)
def test_frozen_lake(draw: Draw, expect_same: ExpectSame, rows: Sequence[str]) -> None:
    env = make("FrozenLake-v1", desc=list(rows))
    height, width = len(rows), len(rows[0])
    shape = (min(64 * height, 512), min(64 * width, 512))
    states = np.random.default_rng(0).permutation(height * width)[:64].tolist()
    for state in states:
        env.s = state
        frame = draw("frozen_lake", shape, height, width, state, text="".join(rows))
        expect_same(frame, env.render(), state)


def test_taxi(draw: Draw, expect_same: ExpectSame) -> None:
    env = make("Taxi-v4")
    # Every heading, passenger and destination, each at a few of the 25 cells.
    states = np.random.default_rng(1).permutation(500)[:120].tolist()
    for heading, state in enumerate(states):
        env.s, env.lastaction = state, heading % 4
        values = (*env.decode(state), heading % 4)
        expect_same(draw("taxi", (456, 536), *values), env.render(), values)


def test_cliff_walking(draw: Draw, expect_same: ExpectSame) -> None:
    env = make("CliffWalking-v1")
    for state in range(48):
        env.s = state
        expect_same(draw("cliff_walking", (256, 768), state), env.render(), state)


def test_blackjack(draw: Draw, expect_same: ExpectSame) -> None:
    env = make("Blackjack-v1")
    cards = set()
    for seed in range(120):
        env.reset(seed=seed)
        env.player += [1, 10, 9, 7][: seed % 5]  # sums of one and of two digits, up to over 21
        card = env.dealer_top_card_value_str + env.dealer_top_card_suit
        values = env._get_obs()
        frame = draw("blackjack", (376, 384), *values, text=card)
        expect_same(frame, env.render(), (values, card))
        cards.add(card)
    assert len(cards) > 40, "the seeds should show most of the 48 cards"


def cells_of(
    frame: NDArray[np.uint8], colour: tuple[int, int, int], side: int
) -> set[tuple[int, int]]:
    """Rows and columns of the cells, `side` pixels wide, in which a color occurs."""
    places = np.argwhere((frame == colour).all(axis=-1)) // side
    return {(int(row), int(column)) for row, column in places}


@pytest.mark.parametrize(("rows", "columns"), [(10, 5), (1, 1), (7, 12)])
def test_catch(draw: Draw, rows: int, columns: int) -> None:
    ball, paddle = (240, 228, 66), (86, 180, 233)
    for row in range(rows):
        column, catcher = row % columns, (2 * row + 1) % columns
        frame = draw("catch", (rows * 32, columns * 32), rows, columns, row, column, catcher)
        assert cells_of(frame, ball, 32) == {(row, column)}
        assert cells_of(frame, paddle, 32) == {(rows - 1, catcher)}


@pytest.mark.parametrize("length", [1, 5, 8])
def test_nchain(draw: Draw, length: int) -> None:
    agent, goal = (204, 77, 77), (214, 158, 0)
    for state in range(length):
        frame = draw("nchain", (96, 96 * length), length, state)
        assert cells_of(frame, agent, 96) == {(0, state)}
        assert cells_of(frame, goal, 96) == {(0, length - 1)}
