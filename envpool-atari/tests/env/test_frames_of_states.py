# SPDX-License-Identifier: Apache-2.0
"""The screens after a state was loaded, or after a cached reset, equal the screens without either.

A frame that ends early shows lines of older frames: in the first frames of some games, and for many
steps in a game that thinks about its move. A state has to contain those lines.
"""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest

_CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("VideoCheckers-v5", {"mode": 9}),
    ("TicTacToe3d-v5", {"mode": 4}),
    *(
        (f"{game}-v5", {"frame_skip": 1, "noop_max": 0, "max_episode_steps": 20})
        for game in ("Amidar", "Koolaid", "Qbert", "Tetris", "Trondead")
    ),
    ("Breakout-v5", {}),
)


@pytest.mark.parametrize(("task_id", "config"), _CASES, ids=str)
def test_loaded(task_id: str, config: dict[str, Any]) -> None:
    with (
        envpool.make(task_id, num_envs=1, seed=3, render_mode="rgb_array", **config) as saved,
        envpool.make(task_id, num_envs=1, seed=77, render_mode="rgb_array", **config) as loaded,
    ):
        actions = np.random.default_rng(0).integers(saved.action_space.n, size=(300, 1))
        saved.reset()
        loaded.reset()
        for number, action in enumerate(actions.astype(np.int32)):
            if number % 7 == 0:
                for _ in range(4):
                    loaded.step(np.zeros(1, np.int32))  # somewhere else
                loaded.load_state(saved.save_state())
                np.testing.assert_array_equal(saved.render(), loaded.render(), f"load {number}")
            obs = saved.step(action)[0], loaded.step(action)[0]
            np.testing.assert_array_equal(*obs, f"step {number}")


@pytest.mark.parametrize(("task_id", "config"), _CASES[:2], ids=str)
def test_rendered_without_screens(task_id: str, config: dict[str, Any]) -> None:
    """A pool that draws nothing renders the same frames as one that draws everything."""
    with (
        envpool.make(task_id, obs_type="rgb", frame_skip=1, **config) as seen,
        envpool.make(
            task_id, obs_type="ram", render_mode="rgb_array", frame_skip=1, **config
        ) as blind,
    ):
        actions = np.random.default_rng(0).integers(seen.action_space.n, size=(800, 1))
        seen.reset()
        blind.reset()
        for number, action in enumerate(np.repeat(actions[:300], 4, 0).astype(np.int32)):
            obs, *_ = seen.step(action)
            blind.step(action)
            if number % 5 == 0:
                np.testing.assert_array_equal(blind.render(), obs, f"step {number}")


@pytest.mark.parametrize("task_id", ["Amidar-v5", "Tetris-v5", "Trondead-v5", "TicTacToe3d-v5"])
def test_cached_resets(task_id: str) -> None:
    def observations(cache_reset: bool) -> Any:
        with envpool.make(
            task_id, preset="ale", noop_max=1, seed=3, max_episode_steps=9, cache_reset=cache_reset
        ) as pool:
            return np.stack(
                [pool.reset()[0], *(pool.step(np.zeros(1, np.int32))[0] for _ in range(40))]
            )

    np.testing.assert_array_equal(observations(True), observations(False))


@pytest.mark.parametrize(
    ("task_id", "config"),
    [
        ("DoubleDunk-v5", {"repeat_action_probability": 0.25}),
        ("VideoCube-v5", {"mode": 201, "repeat_action_probability": 0.25}),
    ],
    ids=str,
)
def test_cached_resets_with_random_numbers(task_id: str, config: dict[str, Any]) -> None:
    """They are not cached then, since each is different."""

    def memory(cache_reset: bool) -> Any:
        with envpool.make(
            task_id,
            num_envs=2,
            noop_max=0,
            seed=3,
            max_episode_steps=15,
            frame_skip=3,
            cache_reset=cache_reset,
            obs_type="ram",
            **config,
        ) as pool:
            rng = np.random.default_rng(0)
            return np.stack(
                [
                    pool.reset()[0],
                    *(pool.step(rng.integers(pool.action_space.n, size=2))[0] for _ in range(50)),
                ]
            )

    np.testing.assert_array_equal(memory(True), memory(False))
