# SPDX-License-Identifier: Apache-2.0
"""preset="ale" is ale_py.AtariVectorEnv: the same seeds, observations, rewards, ends and infos.

Left out: the newest screen where a game or a life ended, since AtariVectorEnv shows an older image
there if frames of the step were not played.
"""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from ale_py import ALEInterface, AtariVectorEnv, LoggerMode
from envpool_atari._games import task_id

_NUM_ENVS = 3
_SEED = 11
# Our names of its options, where they differ.
_NAMES = {
    "frameskip": "frame_skip",
    "grayscale": "gray_scale",
    "maxpool": "max_pool",
    "reward_clipping": "reward_clip",
}
_CASES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    *((game, 400, {}) for game in ("pong", "breakout", "ms_pacman", "freeway", "seaquest")),
    *((game, 200, {}) for game in ("adventure", "carnival", "journey_escape", "pooyan", "klax")),
    ("breakout", 400, {"episodic_life": True}),
    ("seaquest", 400, {"episodic_life": True, "use_fire_reset": False}),
    ("breakout", 300, {"repeat_action_probability": 0.25}),
    ("space_invaders", 300, {"full_action_space": True, "reward_clipping": False}),
    ("ms_pacman", 200, {"grayscale": False, "stack_num": 3}),
    ("pong", 200, {"img_height": 210, "img_width": 160, "stack_num": 1}),
    ("pong", 200, {"frameskip": 1, "maxpool": False}),
    ("breakout", 200, {"frameskip": 3, "noop_max": 1}),
    ("freeway", 200, {"noop_max": 5, "maxpool": False}),
    ("qbert", 300, {"continuous": True}),
    ("kaboom", 300, {"continuous": True, "continuous_action_threshold": 0.2}),
)


def _actions(space: Any, steps: int) -> Any:
    random = np.random.default_rng(_SEED)
    if space.dtype == np.float32:
        return random.uniform(space.low, space.high, (steps, _NUM_ENVS, 3)).astype(np.float32)
    return random.integers(space.n, size=(steps, _NUM_ENVS))


@pytest.mark.parametrize(("game", "steps", "options"), _CASES, ids=str)
def test_equal(game: str, steps: int, options: dict[str, Any]) -> None:
    ALEInterface.setLoggerMode(LoggerMode.Error)
    theirs = AtariVectorEnv(game, num_envs=_NUM_ENVS, **options)
    config = {_NAMES.get(key, key): value for key, value in options.items()}
    with envpool.make(
        task_id(game), num_envs=_NUM_ENVS, preset="ale", seed=_SEED, **config
    ) as ours:
        assert ours.spec.observation_space == theirs.single_observation_space
        actions = _actions(theirs.single_action_space, steps)
        _check((*ours.reset(),), (*theirs.reset(seed=_SEED),), "reset")
        for number, action in enumerate(actions):
            _check(ours.step(action), theirs.step(action), f"step {number}")
    theirs.close()


def _check(ours: Any, theirs: Any, where: str) -> None:
    """Compares what both returned."""
    for name in ("lives", "frame_number", "episode_frame_number"):
        assert (ours[-1][name] == theirs[-1][name]).all(), f"{where}: {name}"
    for index in range(1, len(theirs) - 1):  # reward, terminated, truncated
        assert (ours[index] == theirs[index]).all(), f"{where}: result {index}"
    over = theirs[2] if len(theirs) == 5 else np.zeros(_NUM_ENVS, np.bool_)
    assert (ours[0][~over] == theirs[0][~over]).all(), f"{where}: observation"
    assert (ours[0][over, :-1] == theirs[0][over, :-1]).all(), f"{where}: older screens"


def test_defaults() -> None:
    config = envpool.make_spec("Pong-v5", preset="ale").config
    assert (config.reward_clip, config.noop_max, config.frame_skip) == (True, 30, 4)
    assert envpool.make_spec("Pong-v5", preset="ale", reward_clip=False).config.reward_clip is False
