# SPDX-License-Identifier: Apache-2.0
"""A pool in place of Gymnasium's usual wrappers: AtariPreprocessing, then FrameStackObservation.

Left out are screens where a game or a life ended: AtariPreprocessing shows an older image there if
frames of the step were not played.
"""

from __future__ import annotations

from typing import Any

import ale_py
import envpool
import gymnasium
import pytest
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation
from on_arm import assert_same_frames
from side_by_side import SEED, play

_STEPS = 400
_CASES: tuple[tuple[str, float, dict[str, Any]], ...] = (
    ("Pong-v5", 0.25, {}),
    ("Breakout-v5", 0.25, {}),
    ("Breakout-v5", 0.0, {"terminal_on_life_loss": True}),
    ("Seaquest-v5", 0.25, {"terminal_on_life_loss": True, "noop_max": 5}),
    ("MsPacman-v5", 0.25, {"grayscale_obs": False, "noop_max": 0}),
    ("Carnival-v5", 0.0, {"screen_size": (64, 96)}),
    ("Freeway-v5", 0.25, {"frame_skip": 3}),
)
# Our names of its options, where they differ.
_NAMES = {"terminal_on_life_loss": "episodic_life", "grayscale_obs": "gray_scale"}


@pytest.mark.parametrize(("task_id", "sticky", "options"), _CASES, ids=str)
def test_equal(task_id: str, sticky: float, options: dict[str, Any]) -> None:
    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    env = gymnasium.make(f"ALE/{task_id}", frameskip=1, repeat_action_probability=sticky)
    env = FrameStackObservation(AtariPreprocessing(env, **options), 4)
    config = {_NAMES.get(key, key): value for key, value in options.items()}
    config["img_width"], config["img_height"] = config.pop("screen_size", (84, 84))
    config |= {"preset": "gymnasium", "obs_type": "screen", "repeat_action_probability": sticky}
    ends = 0
    with envpool.make(task_id, seed=SEED, **config) as pool:
        assert pool.observation_space == env.observation_space
        for number, obs, expected, over in play(pool, env, _STEPS):
            ends += over
            if not over:
                assert_same_frames(obs, expected, f"step {number}")
    env.close()
    if config.get("episodic_life"):
        assert ends >= 3


def test_defaults() -> None:
    spec = envpool.make_spec("Pong-v5", preset="gymnasium", obs_type="screen")
    assert (spec.config.noop_max, spec.config.max_pool) == (30, True)
    assert spec.observation_space.shape == (4, 84, 84)
    spec = envpool.make_spec("Pong-v5", preset="gymnasium", obs_type="screen", noop_max=7)
    assert spec.config.noop_max == 7
