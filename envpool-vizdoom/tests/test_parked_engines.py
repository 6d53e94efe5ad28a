# SPDX-License-Identifier: Apache-2.0
"""An engine that has played before plays like a new one."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from processes import engines
from references import SCENARIOS

_RAW: dict[str, Any] = {"num_envs": 1, "img_width": 320, "img_height": 240, "stack_num": 1}


def _play(task: str, seed: int, steps: int, **options: Any) -> list[bytes]:
    """All results of a game with random buttons."""
    rows = []
    with envpool.make(task, seed=seed, **_RAW, **options) as pool:
        random = np.random.default_rng(seed)
        rows.append(pool.reset()[0].tobytes())
        shape = (1, *pool.action_space.shape)
        for _ in range(steps):
            obs, reward, *_, info = pool.step(random.integers(0, 2, shape).astype(float))
            variables = [info[name][0] for name in info if name.isupper()]
            rows.append(obs.tobytes() + np.array([reward[0], *variables]).tobytes())
    return rows


@pytest.mark.parametrize(
    ("task", "options"),
    [
        # All buttons of a walking player: the weapon swings, and the engine keeps the swing from
        # map to map.
        ("D3Battle-v1", {"wad_path": SCENARIOS / "defend_the_center.wad"}),
        ("Basic-v1", {}),  # its map ends
        ("BasicNotifications-v1", {}),
        ("DeadlyCorridor-v1", {}),
        ("PredictPosition-v1", {}),
    ],
)
def test_a_parked_engine_plays_like_a_new_one(task: str, options: dict[str, Any]) -> None:
    before = engines()
    fresh = _play(task, 5, 60, game_args="+name fresh", **options)
    for seed, steps in ((8, 1), (8, 33), (5, 500)):
        _play(task, seed, steps, game_args="+name parked", **options)
        assert _play(task, 5, 60, game_args="+name parked", **options) == fresh
    new = [number for number in engines() if number not in before]
    assert len(new) < 7  # of seven pools, some continued with another pool's engine
