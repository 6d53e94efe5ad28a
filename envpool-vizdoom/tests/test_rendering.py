# SPDX-License-Identifier: Apache-2.0
"""Frames of `render`: the engine's screen, for any observation options."""

from __future__ import annotations

from typing import Any

import cv2
import envpool
import numpy as np
import pytest
from envpool.errors import RenderError


@pytest.mark.parametrize("task", ["Basic-v1", "SimplerBasic-v1"])
def test_a_frame_is_the_screen(task: str) -> None:
    size = {"img_width": 320, "img_height": 240, "stack_num": 1}
    with envpool.make(task, num_envs=2, render_mode="rgb_array", **size) as pool:
        obs, _ = pool.reset()
        for _ in range(3):
            for env_id in range(2):
                (frame,) = pool.render(env_id)
                assert frame.shape == (240, 320, 3)
                np.testing.assert_array_equal(
                    frame, np.broadcast_to(obs[env_id].transpose(1, 2, 0), (240, 320, 3))
                )
            obs, *_ = pool.step(np.ones((2, 3)))


def test_a_frame_has_the_size_that_is_asked_for() -> None:
    options: dict[str, Any] = {"render_mode": "rgb_array", "seed": 3}
    with envpool.make("Basic-v1", **options) as pool:
        pool.reset()
        whole = pool.render()[0]
    with envpool.make("Basic-v1", render_width=160, **options) as pool:
        pool.reset()
        half = pool.render()[0]
    assert half.shape == (120, 160, 3)
    expected = cv2.resize(whole, (160, 120), interpolation=cv2.INTER_AREA)
    assert np.abs(expected.astype(int) - half).max() <= 1


def test_each_player_has_a_camera() -> None:
    options: dict[str, Any] = {"render_mode": "rgb_array", "max_num_players": 2}
    frames = []
    for camera in range(2):
        with envpool.make("MultiDuel-v1", render_camera_id=camera, seed=1, **options) as pool:
            pool.reset()
            frames.append(pool.render()[0])
    assert not np.array_equal(*frames)
    with envpool.make("MultiDuel-v1", render_camera_id=2, **options) as pool:
        pool.reset()
        with pytest.raises(RenderError, match=r"0 \.\. 1"):
            pool.render()
