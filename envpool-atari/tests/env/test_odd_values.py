# SPDX-License-Identifier: Apache-2.0
"""Values at the edge of the allowed range: some work, and the others are refused in words."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool_atari._games import GAMES, task_id


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        ({"img_height": 1, "img_width": 1}, (4, 1, 1)),
        ({"img_height": 1000, "img_width": 3}, (4, 1000, 3)),
        ({"stack_num": 1}, (1, 84, 84)),
        ({"stack_num": 64, "img_height": 5, "img_width": 7}, (64, 5, 7)),
        ({"stack_num": 1, "gray_scale": False, "layout": "channel_last"}, (84, 84, 3)),
        ({"frame_skip": (2, 3), "noop_max": 0}, (4, 84, 84)),
        ({"repeat_action_probability": 1, "max_episode_steps": 1}, (4, 84, 84)),
        ({"obs_type": "ram", "layout": "channel_last", "stack_num": 9}, (128,)),
    ],
    ids=str,
)
def test_possible(config: dict[str, Any], shape: tuple[int, ...]) -> None:
    with envpool.make("Breakout-v5", num_envs=2, **config) as pool:
        assert pool.spec.observation_space.shape == shape
        pool.reset()
        for _ in range(3):
            obs, *_ = pool.step(np.ones(2, np.int32))
        assert obs.shape == (2, *shape)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"frame_skip": -1}, r"frame_skip.*got -1; allowed: 1 \.\. "),
        ({"frame_skip": 10_001}, r"got 10001; allowed: 1 \.\. 10000\. Pass a value in this range"),
        (
            {"frame_skip": (5, 2)},
            r"frame_skip=\(5, 2\)\): got \(5, 2\); .* 1 <= low < high <= 10001",
        ),
        ({"frame_skip": (0, 4)}, r"got \(0, 4\); allowed: a number of frames, or a pair"),
        ({"frame_skip": (2, 10_002)}, r"got \(2, 10002\)"),
        ({"frame_skip": [2, 5, 7]}, r"got \[2, 5, 7\]; allowed: a number of frames, or a pair"),
        ({"frame_skip": ("a", 4)}, r"got \('a', 4\); allowed: a number of frames, or a pair"),
        ({"frame_skip": (2, 5), "frame_skip_high": 9}, "an upper limit twice.*Leave frame_skip_hi"),
        ({"frame_skip_high": 4}, r"frame_skip_high=4\): got 4; allowed: 5 \.\. 10001"),
        ({"frame_skip": 2.5}, "got 2.5 of type float; allowed: a whole number"),
        ({"frame_skip": 2**31}, r"frame_skip=2147483648\): got .*; allowed: a whole number of"),
        ({"noop_max": 10_001}, r"noop_max=10001\): got 10001; allowed: 0 \.\. 10000"),
        ({"img_height": 4097}, r"got 4097; allowed: 1 \.\. 4096"),
        ({"repeat_action_probability": float("nan")}, "got nan; allowed: finite numbers"),
        ({"repeat_action_probability": -1}, r"got -1; allowed: 0 \.\. 1"),
        ({"continuous_action_threshold": float("nan")}, "got nan; allowed: finite numbers"),
        ({"mode": -2}, r"mode=-2\): got -2; allowed: -1, 0, 1\. Pass one of these"),
        ({"mode": "0"}, "got '0' of type str; allowed: a whole number"),
        ({"difficulty": -2}, "difficulty.*got -2; allowed: -1, 0, 1, 2, 3"),
        ({"obs_type": ""}, "got ''; allowed: 'screen', 'ram'"),
        ({"obs_type": "grey"}, r"obs_type='grey'\): got 'grey'; .*\. Did you mean 'gray'\?"),
        ({"obs_type": "RGB"}, r"Did you mean 'rgb'\? If not, pass one of these\."),
        (
            {"layout": "channels_last"},
            r"layout='channels_last'\): .* Did you mean 'channel_last'\?",
        ),
        ({"crop": 200}, r"crop='200'\): got '200'; allowed: 'none', '210'\."),
        ({"preset": "gymnasum"}, "Did you mean 'gymnasium'"),
        ({"task": "ms_packman"}, "Did you mean 'ms_pacman'"),
        ({"preset": []}, r"got \[\]; allowed: 'envpool'"),
        ({"frameskip": 4}, "Did you mean 'frame_skip'"),
        ({"grayscale": True}, "Did you mean 'gray_scale'"),
        ({"maxpool": True}, "Did you mean 'max_pool'"),
        ({"reward_clipping": True}, "Did you mean 'reward_clip'"),
    ],
    ids=str,
)
def test_impossible(config: dict[str, Any], words: str) -> None:
    with pytest.raises(envpool.errors.ConfigError, match=words) as caught:
        envpool.make_spec("Pong-v5", **config)
    assert str(caught.value).startswith(f"make('Pong-v5', {next(iter(config))}=")


def test_a_pair_of_other_numbers() -> None:
    spec = envpool.make_spec("Pong-v5", frame_skip=(np.int64(2), 10_001))
    assert (spec.config.frame_skip, spec.config.frame_skip_high) == (2, 10_001)


@pytest.mark.parametrize("game", GAMES)
def test_ids_of_other_libraries(game: str) -> None:
    right = task_id(game)
    name = right.removesuffix("-v5")
    for wrong in (
        f"{name}NoFrameskip-v4",
        f"{name}NoFrameskip-v0",
        f"{name}Deterministic-v4",
        f"{name}-ram-v4",
        f"{name}-ramNoFrameskip-v4",
        f"{name}-v4",
        f"ALE/{right}",
        f"{name}{name[-1]}-v5",
        name.lower(),
        game,
    ):
        with pytest.raises(envpool.errors.UnknownTaskError, match=f"Did you mean '{right}'"):
            envpool.make_spec(wrong)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("MontezumasRevenge-v5", "MontezumaRevenge-v5"),
        ("E.T.-v5", "Et-v5"),
        ("Q*bert", "Qbert-v5"),
    ],
)
def test_other_spellings(wrong: str, right: str) -> None:
    with pytest.raises(envpool.errors.UnknownTaskError, match=f"Did you mean '{right}'"):
        envpool.make(wrong)


@pytest.mark.parametrize("action", [[np.nan, 0, 0], [0, np.nan, 0], [0, 0, np.nan]], ids=str)
def test_no_number_as_an_action(action: list[float]) -> None:
    with envpool.make("Pong-v5", continuous=True) as pool:
        pool.reset()
        with pytest.raises(envpool.errors.ActionError, match="allowed: any number but NaN"):
            pool.step(np.array([action], np.float32))


def test_actions_beyond_the_bounds() -> None:
    """A joystick that leans further than it can does no harm, and nothing random."""
    actions = [[5, 0, 0], [-1, 0, 0], [1, np.inf, 0], [1e30, -1e30, 1e30], [-np.inf, 2, 1]]

    def memory() -> list[bytes]:
        with envpool.make("Pong-v5", continuous=True, seed=1) as pool:
            pool.reset()
            steps = [pool.step(np.array([action], np.float32)) for action in actions]
            return [info["ram"].tobytes() for *_, info in steps]

    assert memory() == memory()
