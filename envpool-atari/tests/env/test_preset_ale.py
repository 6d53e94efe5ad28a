# SPDX-License-Identifier: Apache-2.0
"""preset="ale" is ale_py.AtariVectorEnv: the same seeds, observations, rewards, ends and infos.

Left out: the newest screen where a game, a life or the time ended, since AtariVectorEnv shows an
older image there if frames of the step were not played.
"""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from ale_py import ALEInterface, AtariVectorEnv, LoggerMode
from envpool_atari._games import task_id
from on_arm import assert_same_frames, unsigned_in_ale

_NUM_ENVS = 3
_SEED = 11
# Our names of its options, where they differ.
_NAMES = {
    "frameskip": "frame_skip",
    "grayscale": "gray_scale",
    "maxpool": "max_pool",
    "reward_clipping": "reward_clip",
}
_CASES: tuple[Any, ...] = (
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
    ("skiing", 200, {"full_action_space": True}),
    # FIRE begins an episode if the action set in use has it.
    ("asterix", 200, {"full_action_space": True, "noop_max": 1}),
    ("freeway", 200, {"continuous": True, "noop_max": 1}),
    pytest.param("qbert", 300, {"continuous": True}, marks=unsigned_in_ale),
    ("kaboom", 300, {"continuous": True, "continuous_action_threshold": 0.2}),
    *((game, 500, {"life_loss_info": True}) for game in ("breakout", "seaquest", "kaboom")),
    ("breakout", 200, {"life_loss_info": True, "episodic_life": True}),
)


def _actions(space: Any, steps: int) -> Any:
    random = np.random.default_rng(_SEED)
    if space.dtype == np.float32:
        return random.uniform(space.low, space.high, (steps, _NUM_ENVS, 3)).astype(np.float32)
    return random.integers(space.n, size=(steps, _NUM_ENVS))


@pytest.mark.parametrize(("game", "steps", "options"), _CASES, ids=str)
def test_equal(game: str, steps: int, options: dict[str, Any]) -> None:
    config = {_NAMES.get(key, key): value for key, value in options.items()}
    _play(game, steps, options, config)


@pytest.mark.parametrize("game", ["breakout", "seaquest"])
def test_life_loss_in_the_same_step(game: str) -> None:
    """The row of a lost life is a last and a first one; theirs has no `final_obs` that is set."""
    options = {"life_loss_info": True, "autoreset_mode": "SameStep"}
    lost = 0
    for obs, _, terminated, _, info in _play(
        game, 500, options, {"life_loss_info": True, "autoreset_mode": "same_step"}
    ):
        assert (info["_final_obs"] == terminated).all()
        over = info["final_info"]["terminated"].astype(bool)
        kept = terminated & ~over
        assert (info["final_obs"][kept] == obs[kept]).all()
        lost += int(kept.sum())
    assert lost > 5


def test_time_limit_with_life_loss() -> None:
    """In frames there, in steps here, so that the reset, which plays up to 30, is left out."""
    limit = 50
    options = {"life_loss_info": True, "noop_max": 1, "use_fire_reset": False}
    config: dict[str, Any] = {**options, "max_episode_steps": limit}
    options |= {"max_num_frames_per_episode": 4 * limit}
    results = _play("seaquest", 400, options, config)
    assert sum(int(result[3].sum()) for result in results) >= 3 * _NUM_ENVS


def _play(
    game: str, steps: int, options: dict[str, Any], config: dict[str, Any]
) -> list[tuple[Any, ...]]:
    """Plays the same on both, which must be equal; returns our results."""
    ALEInterface.setLoggerMode(LoggerMode.Error)
    theirs = AtariVectorEnv(game, num_envs=_NUM_ENVS, **options)
    results = []
    with envpool.make(
        task_id(game), num_envs=_NUM_ENVS, preset="ale", seed=_SEED, **config
    ) as ours:
        assert ours.spec.observation_space == theirs.single_observation_space
        actions = _actions(theirs.single_action_space, steps)
        _check((*ours.reset(),), (*theirs.reset(seed=_SEED),), "reset")
        for number, action in enumerate(actions):
            results.append(ours.step(action))
            _check(results[-1], theirs.step(action), f"step {number}")
    theirs.close()
    return results


def _check(ours: Any, theirs: Any, where: str) -> None:
    """Compares the results of both."""
    for name in ("lives", "frame_number", "episode_frame_number"):
        assert (ours[-1][name] == theirs[-1][name]).all(), f"{where}: {name}"
    for index in range(1, len(theirs) - 1):  # reward, terminated, truncated
        assert (ours[index] == theirs[index]).all(), f"{where}: result {index}"
    over = theirs[2] | theirs[3] if len(theirs) == 5 else np.zeros(_NUM_ENVS, np.bool_)
    assert_same_frames(ours[0][~over], theirs[0][~over], f"{where}: observation")
    assert_same_frames(ours[0][over, :-1], theirs[0][over, :-1], f"{where}: older screens")


def test_defaults() -> None:
    config = envpool.make_spec("Pong-v5", preset="ale").config
    assert (config.reward_clip, config.noop_max, config.frame_skip) == (True, 30, 4)
    assert envpool.make_spec("Pong-v5", preset="ale", reward_clip=False).config.reward_clip is False


@pytest.mark.parametrize("preset", ["ale", "gymnasium"])
def test_time_limit_is_in_frames(preset: str) -> None:
    """AtariVectorEnv and Gymnasium truncate after 108,000 frames, whatever a step has of them."""
    cases: Any = ((1, 108_000), (4, 27_000), (7, 15_429), ((2, 7), 27_000))
    for frame_skip, steps in cases:
        spec = envpool.make_spec("Pong-v5", preset=preset, frame_skip=frame_skip)
        assert spec.config.max_episode_steps == steps
    spec = envpool.make_spec("Pong-v5", preset=preset, frame_skip=1, max_episode_steps=27_000)
    assert spec.config.max_episode_steps == 27_000
