# SPDX-License-Identifier: Apache-2.0
"""Wrappers of envpool.integrations that need frames, or rewards below zero."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import envpool
import envpool.video
import numpy as np
import pytest
from envpool.errors import RenderError
from envpool.integrations import ClipReward, RecordVideo

NUM_ENVS = 4
MODES = ["next_step", "same_step"]


def _pool(env_type: str = "gymnasium", **config: Any) -> Any:
    return envpool.make("CartPole-v1", env_type, **{"num_envs": NUM_ENVS, "seed": 3} | config)


def test_an_episode_that_a_reset_cuts_has_a_video_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[tuple[str, int]] = []
    monkeypatch.setattr(
        envpool.video, "write", lambda path, frames, fps: written.append((path.name, len(frames)))
    )
    env = RecordVideo(_pool(render_mode="rgb_array"), tmp_path)
    for steps in (4, 2):
        env.reset()
        for _ in range(steps):
            env.step(np.zeros(NUM_ENVS, int))
    env.close()
    assert written == [("CartPole-v1-env0-0.mp4", 5), ("CartPole-v1-env0-1.mp4", 3)]


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
def test_a_reset_of_other_environments_adds_no_frame(
    env_type: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row of an environment outside the mask shows its last frame."""
    written: list[int] = []
    monkeypatch.setattr(
        envpool.video, "write", lambda path, frames, fps: written.append(len(frames))
    )
    env = RecordVideo(_pool(env_type, render_mode="rgb_array"), tmp_path)
    env.reset()
    for step in range(6):
        env.step(np.zeros(NUM_ENVS, int))
        if step == 2:
            env.reset(options={"reset_mask": np.array([False, True, False, True])})
    env.close()
    assert written == [7]


def test_clipped_rewards() -> None:
    env = ClipReward(envpool.make("Pendulum-v1", num_envs=3, seed=1), -2.0, -1.0)
    env.reset()
    rewards = np.array([env.step(np.zeros((3, 1), np.float32))[1] for _ in range(50)])
    assert rewards.min() == -2 and rewards.max() == -1


@pytest.mark.parametrize("mode", MODES)
def test_videos_of_chosen_environments(mode: str, tmp_path: Path) -> None:
    pool = _pool(render_mode="rgb_array", max_episode_steps=6, autoreset_mode=mode)
    env = RecordVideo(pool, tmp_path, [0, 2], suffix=".png", wanted=lambda number: number != 1)
    env.reset()
    drawn = []
    render = pool.render
    pool.render = lambda env_ids: drawn.extend(env_ids) or render(env_ids=env_ids)
    for _ in range(20):
        env.step(np.zeros(NUM_ENVS, int))
    env.close()
    assert {*drawn} == {0, 2}
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[:2] == ["CartPole-v1-env0-0.png", "CartPole-v1-env0-2.png"]
    assert not any(name.endswith("-1.png") for name in names)
    with pytest.raises(RenderError, match="render_mode='rgb_array'"):
        RecordVideo(_pool(), tmp_path)
