# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it.

All games are one environment. Three, one with paddles, one with lives, one 250 lines high, get
everything; of the others a sample, all of them under `--full`, gets few steps and a small image.
"""

from __future__ import annotations

from typing import Any

import pytest
from envpool.testing import check_task
from envpool_atari._games import GAMES, task_id
from sampling import sampled

_WHOLE = ("pong", "breakout", "adventure")
_SMALL: dict[str, Any] = {"img_height": 24, "img_width": 20, "stack_num": 2, "noop_max": 4}


@pytest.mark.parametrize("game", _WHOLE)
def test_contract(game: str) -> None:
    check_task(task_id(game))


@pytest.mark.parametrize(
    "game", sampled((game for game in GAMES if game not in _WHOLE), 16, salt="contract")
)
def test_contract_of_a_small_pool(game: str) -> None:
    check_task(task_id(game), num_envs=2, steps=12, **_SMALL)


@pytest.mark.parametrize(
    "config",
    [
        {"preset": "ale"},
        {"preset": "gymnasium"},
        {"obs_type": "ram"},
        {"obs_type": "gray", "crop": "210"},
        {"continuous": True},
        {"frame_skip": (2, 5), "layout": "channel_last"},
        {"gray_scale": False, "layout": "stack_first", "episodic_life": True},
        {"cache_reset": True, "repeat_action_probability": 0.25},
    ],
    ids=str,
)
def test_contract_of_options(config: dict[str, Any]) -> None:
    check_task("Breakout-v5", num_envs=3, steps=24, **config)
