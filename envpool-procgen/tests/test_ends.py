# SPDX-License-Identifier: Apache-2.0
"""Ends of episodes: last frames, time limits, and the next row in each auto-reset mode."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool_procgen import _procgen
from references import Case, Package

_STILL = np.array([4], np.int32)


def _first_end(pool: Any, actions: np.ndarray[Any, Any]) -> tuple[int, list[Any]]:
    """Plays until an episode ends; the rows up to the end, and one more."""
    rows = []
    for step, action in enumerate(actions):
        rows.append(pool.step(action[None]))
        if len(rows) > 1 and (rows[-2][2][0] or rows[-2][3][0]):
            return step, rows
    raise AssertionError("no episode ended")


def test_the_engine_has_the_hook() -> None:
    with envpool.make("MazeEasy-v0", engine="libenv"):
        assert _procgen.hook_problem() == ""


@pytest.mark.parametrize("task_id", ["BigfishHard-v0", "DodgeballHard-v0", "StarpilotEasy-v0"])
def test_the_last_frame_is_of_the_episode_that_ended(task_id: str) -> None:
    """It resembles the frame before it, and not the first frame of the next episode."""
    actions = np.random.default_rng(1).integers(0, 15, 900).astype(np.int32)
    with envpool.make(task_id, seed=2) as pool:
        pool.reset()
        _, rows = _first_end(pool, actions)
    before, last, first = (row[0][0].astype(int) for row in rows[-3:])
    assert np.abs(last - before).mean() < np.abs(last - first).mean()
    assert not np.array_equal(last, before)
    assert rows[-2][4]["level_seed"][0] == rows[-2][4]["prev_level_seed"][0]
    assert rows[-1][4]["level_seed"][0] != rows[-2][4]["level_seed"][0]


@pytest.mark.parametrize("task_id", ["LeaperHard-v0", "StarpilotEasy-v0"])
def test_modes_show_the_same_frames(task_id: str) -> None:
    actions = np.random.default_rng(1).integers(0, 15, 900).astype(np.int32)
    with envpool.make(task_id, seed=2) as pool:
        pool.reset()
        _, rows = _first_end(pool, actions)
    with envpool.make(task_id, seed=2, autoreset_mode="same_step") as pool:
        pool.reset()
        for action in actions[: len(rows) - 1]:
            obs, reward, _, _, info = pool.step(action[None])
    np.testing.assert_array_equal(obs, rows[-1][0])
    np.testing.assert_array_equal(info["final_obs"], rows[-2][0])
    assert reward == rows[-2][1]
    with envpool.make(task_id, seed=2, autoreset_mode="disabled") as pool:
        pool.reset()
        for action in actions[: len(rows) - 1]:
            obs = pool.step(action[None])[0]
        np.testing.assert_array_equal(obs, rows[-2][0])
        np.testing.assert_array_equal(pool.reset()[0], rows[-1][0])


@pytest.mark.parametrize("game", ["coinrun", "climber", "heist"])
def test_an_episode_that_is_cut(game: str) -> None:
    """It shows its true last frame; then the package's levels continue, without a step."""
    package = Package(Case(game, "Hard"), 1, seed=11)
    with envpool.make(f"{game.capitalize()}Hard-v0", seed=11, max_episode_steps=25) as pool:
        obs, _ = pool.reset()
        for _ in range(3):
            for step in range(25):
                package.act(_STILL)
                obs, _, terminated, truncated, info = pool.step(_STILL)
                ((_, _, frame, known),) = package.look()
                np.testing.assert_array_equal(obs[0], frame)
                assert (terminated[0], truncated[0]) == (False, step == 24)
                assert info["level_seed"][0] == known["level_seed"]
            package.act(np.array([-1], np.int32))
            obs, _, _, _, info = pool.step(_STILL)
            ((_, first, frame, known),) = package.look()
            assert first
            np.testing.assert_array_equal(obs[0], frame)
            assert info["level_seed"][0] == known["level_seed"]
    package.close()


@pytest.mark.parametrize(
    ("task_id", "config", "limit"),
    [
        ("JumperMemory-v0", {}, 2000),
        ("MazeHard-v0", {"use_generated_assets": True}, 500),
        ("MazeHard-v0", {"use_sequential_levels": True}, 500),
    ],
)
def test_a_limit_of_the_engine_is_a_truncation(
    task_id: str, config: dict[str, Any], limit: int
) -> None:
    with envpool.make(task_id, seed=1, max_episode_steps=5000, **config) as pool:
        pool.reset()
        for step in range(1, limit + 1):
            _, _, terminated, truncated, _ = pool.step(_STILL)
            assert (terminated[0], truncated[0]) == (False, step == limit), step


def test_no_limit_of_the_engine_beyond_the_pools() -> None:
    with envpool.make("MazeHard-v0", seed=1, max_episode_steps=700) as pool:
        pool.reset()
        for step in range(1, 701):
            _, _, terminated, truncated, _ = pool.step(_STILL)
            assert (terminated[0], truncated[0]) == (False, step == 700), step
