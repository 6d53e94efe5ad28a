# SPDX-License-Identifier: Apache-2.0
"""Games of our own engine beside the library's: rows, last frames, and every byte of a state."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool_procgen import _procgen
from envpool_procgen._tasks import GAMES

_TASKS = [
    f"{game.name.capitalize()}{mode}-v0"
    for game in GAMES
    if game.name in _procgen.own_games()
    for mode in ("Easy", "Hard", *game.modes)
]
_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("MazeHard-v0", {"center_agent": False, "use_backgrounds": False}),
    ("MinerMemory-v0", {"restrict_themes": True}),
    ("LeaperHard-v0", {"restrict_themes": True, "paint_vel_info": True}),
    ("BigfishEasy-v0", {"paint_vel_info": True, "num_levels": 3}),
    ("ChaserEasy-v0", {"use_monochrome_assets": True}),
    ("MazeEasy-v0", {"use_sequential_levels": True}),
    ("BigfishHard-v0", {"max_episode_steps": 20}),
]


def _compare(task_id: str, steps: int, seed: int, **options: Any) -> int:
    """Plays both for some steps; how many episodes ended."""
    ends = 0
    pools = [
        envpool.make(task_id, num_envs=4, seed=seed, engine=engine, **options)
        for engine in ("own", "libenv")
    ]
    random = np.random.default_rng(seed)
    with pools[0] as own, pools[1] as library:
        rows = [pool.reset() for pool in (own, library)]
        for step in range(steps):
            for mine, theirs in zip(*rows, strict=True):
                if isinstance(mine, dict):
                    assert mine.keys() == theirs.keys()
                    mine, theirs = (
                        np.stack([np.asarray(one[key]) for key in one if key != "players"])
                        for one in (mine, theirs)
                    )
                np.testing.assert_array_equal(mine, theirs, f"{task_id}, seed {seed}, step {step}")
            if step % 25 == 0:
                assert own.save_state() == library.save_state(), (task_id, seed, step)
            actions = random.integers(0, 15, 4).astype(np.int32)
            rows = [pool.step(actions) for pool in (own, library)]
            ends += int((rows[0][2] | rows[0][3]).sum())
    return ends


@pytest.mark.parametrize("task_id", _TASKS)
def test_every_row_and_state(task_id: str) -> None:
    # No tolerance: what is computed is the same.
    for seed in (3, 2**31 - 2):
        _compare(task_id, 101, seed)


@pytest.mark.full
@pytest.mark.parametrize("task_id", _TASKS)
def test_a_hundred_levels(task_id: str) -> None:
    for seed in range(25):
        _compare(task_id, 300, seed)


@pytest.mark.parametrize(("task_id", "options"), _OPTIONS, ids=str)
def test_options(task_id: str, options: dict[str, Any]) -> None:
    _compare(task_id, 101, 5, **options)


def test_ends_are_compared() -> None:
    """There are last frames among the rows."""
    assert _compare("ChaserHard-v0", 101, 1) >= 1


def test_a_state_goes_from_one_engine_to_the_other() -> None:
    own = envpool.make("MinerHard-v0", num_envs=2, seed=1, engine="own")
    library = envpool.make("MinerHard-v0", num_envs=2, seed=8, engine="libenv")
    with own, library:
        own.reset()
        library.reset()
        for _ in range(10):
            own.step(np.array([7, 1]))
        library.load_state(own.save_state())
        for step in range(30):
            action = np.array([step % 15, 5])
            np.testing.assert_array_equal(own.step(action)[0], library.step(action)[0])


def test_games_that_are_not_played_here() -> None:
    with pytest.raises(ConfigError, match="the game 'coinrun'"):
        envpool.make("CoinrunEasy-v0", engine="own")
    with pytest.raises(ConfigError, match="use_generated_assets"):
        envpool.make("MazeEasy-v0", engine="own", use_generated_assets=True)
