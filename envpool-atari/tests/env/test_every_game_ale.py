# SPDX-License-Identifier: Apache-2.0
"""preset="ale" is ale_py.AtariVectorEnv in every game, each with one of some sets of options.

By default three games for each of the sets; `--full` plays all.

The sets take turns over the games, so that every option meets many of them: loading a game takes
AtariVectorEnv longer than playing it. The omissions are those of test_preset_ale.py.
"""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from ale_py import ALEInterface, AtariVectorEnv, LoggerMode
from envpool_atari._games import GAMES, task_id
from gymnasium.vector import AutoresetMode
from on_arm import assert_same_frames
from sampling import sampled

_SEED = 23
_STEPS = 150
# Our names of its options, where they differ.
_NAMES = {
    "frameskip": "frame_skip",
    "grayscale": "gray_scale",
    "maxpool": "max_pool",
    "reward_clipping": "reward_clip",
}
_SETS: tuple[dict[str, Any], ...] = (
    {"reward_clipping": False},
    {"episodic_life": True, "autoreset_mode": AutoresetMode.SAME_STEP},
    {"repeat_action_probability": 0.25, "full_action_space": True, "use_fire_reset": False},
    {"grayscale": False, "stack_num": 2, "img_height": 100, "img_width": 120, "noop_max": 7},
    {"continuous": True, "continuous_action_threshold": 0.3, "use_fire_reset": False},
    {"maxpool": False, "frameskip": 5, "img_height": 61, "img_width": 160, "stack_num": 1},
    {"frameskip": 1, "noop_max": 1, "autoreset_mode": AutoresetMode.SAME_STEP},
)
# AtariVectorEnv never returns from a step with a continuous action that LostLuggage does not have.
assert "continuous" not in _SETS[GAMES.index("lost_luggage") % len(_SETS)]
_PLAYED = [
    game
    for index in range(len(_SETS))
    for game in sampled(GAMES[index :: len(_SETS)], 3, salt="AtariVectorEnv")
]


@pytest.mark.parametrize("game", _PLAYED)
def test_equal(game: str) -> None:
    ALEInterface.setLoggerMode(LoggerMode.Error)
    options = _SETS[GAMES.index(game) % len(_SETS)]
    config = {_NAMES.get(key, key): value for key, value in options.items()}
    if "autoreset_mode" in config:
        config["autoreset_mode"] = "same_step"
    theirs = AtariVectorEnv(game, num_envs=1, **options)
    with envpool.make(task_id(game), preset="ale", seed=_SEED, **config) as ours:
        assert ours.spec.observation_space == theirs.single_observation_space
        assert ours.spec.action_space == theirs.single_action_space
        theirs.action_space.seed(_SEED)
        (obs, info), (their_obs, their_info) = ours.reset(), theirs.reset(seed=_SEED)
        assert_same_frames(obs, their_obs, "reset")
        for number in range(_STEPS):
            where = f"{options}, step {number}"
            action = theirs.action_space.sample()
            obs, *ends, info = ours.step(action)
            their_obs, *their_ends, their_info = theirs.step(action)
            for ours_end, their_end in zip(ends, their_ends, strict=True):
                np.testing.assert_array_equal(ours_end, their_end, where)
            for name in ("lives", "frame_number", "episode_frame_number"):
                np.testing.assert_array_equal(info[name], their_info[name], where)
            if ends[1][0]:
                # A game's last observation is not compared: its newest screen is an older screen in
                # ALE.
                same_step = "final_obs" in their_info
                last = info["final_obs"][0] if same_step else obs[0]
                their_last = their_info["final_obs"][0] if same_step else their_obs[0]
                assert_same_frames(last[:-1], their_last[:-1], where)
            if not ends[1][0] or "autoreset_mode" in options:
                assert_same_frames(obs, their_obs, where)
    theirs.close()
