# SPDX-License-Identifier: Apache-2.0
"""preset="gymnasium" is gymnasium.make("ALE/Pong-v5"): seeds, screens, rewards, ends and infos."""

from __future__ import annotations

from typing import Any

import ale_py
import envpool
import gymnasium
import numpy as np
import pytest
from envpool_atari._games import GAMES, task_id
from sampling import sampled

_NUM_ENVS = 2
_SEED = 5
_VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("breakout", {"obs_type": "ram"}),
    ("pong", {"obs_type": "grayscale"}),
    ("adventure", {"obs_type": "grayscale"}),
    ("breakout", {"frame_skip": (2, 5)}),
    ("seaquest", {"frame_skip": 1, "repeat_action_probability": 0.0}),
    ("space_invaders", {"mode": 5, "difficulty": 1, "full_action_space": True}),
    ("lost_luggage", {"full_action_space": True}),
    ("kaboom", {"continuous": True}),
    ("beam_rider", {"continuous": True, "continuous_action_threshold": 0.25}),
)
_NAMES = {"frame_skip": "frameskip"}


@pytest.fixture(autouse=True)
def _quiet() -> None:
    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


def _ale_id(game: str) -> str:
    return f"ALE/{task_id(game)}".replace("3d", "3D")


@pytest.mark.parametrize("game", sampled(GAMES, 20, salt="gymnasium"))
def test_every_game(game: str) -> None:
    _play(game, {}, 150)


@pytest.mark.parametrize("game", sampled(GAMES, 20, salt="full_action_space"))
def test_full_action_space(game: str) -> None:
    theirs = gymnasium.make(_ale_id(game), full_action_space=True)
    ours = envpool.make_spec(task_id(game), preset="gymnasium", full_action_space=True)
    assert ours.action_space == theirs.action_space
    theirs.close()


@pytest.mark.parametrize(("game", "config"), _VARIANTS, ids=str)
def test_options(game: str, config: dict[str, Any]) -> None:
    _play(game, config, 400)


def _play(game: str, config: dict[str, Any], steps: int) -> None:
    """Plays the same actions in both, and compares everything in every step."""
    name = _ale_id(game)
    options = {_NAMES.get(key, key): value for key, value in config.items()}
    envs = [gymnasium.make(name, **options) for _ in range(_NUM_ENVS)]
    space = envs[0].action_space
    space.seed(_SEED)
    with envpool.make(
        task_id(game), num_envs=_NUM_ENVS, preset="gymnasium", seed=_SEED, **config
    ) as pool:
        assert pool.observation_space == envs[0].observation_space
        obs, info = pool.reset()
        for i, env in enumerate(envs):
            _check(obs[i], info, env.reset(seed=_SEED + i), i, "reset")
        over = np.zeros(_NUM_ENVS, np.bool_)
        for number in range(steps):
            action = np.stack([space.sample() for _ in envs])
            obs, reward, terminated, truncated, info = pool.step(action)
            for i, env in enumerate(envs):
                where = f"step {number} of environment {i}"
                if over[i]:
                    _check(obs[i], info, env.reset(), i, where)
                    continue
                theirs = env.step(action[i])
                _check(obs[i], info, (theirs[0], theirs[4]), i, where)
                assert (reward[i], terminated[i], truncated[i]) == theirs[1:4], where
            over = terminated | truncated
    for env in envs:
        env.close()


def _check(obs: Any, info: Any, theirs: tuple[Any, dict[str, Any]], i: int, where: str) -> None:
    assert (obs == theirs[0]).all(), f"{where}: observation"
    for name in ("lives", "frame_number", "episode_frame_number"):
        assert info[name][i] == theirs[1][name], f"{where}: {name}"
