# SPDX-License-Identifier: Apache-2.0
"""Levels chosen at a reset, and the range of levels of a running pool."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError

_ACTIONS = np.random.default_rng(3).integers(0, 15, (40, 2))


def _play(pool: Any, obs: Any) -> list[Any]:
    rows = [obs]
    for actions in _ACTIONS:
        rows.extend(pool.step(actions)[:4])
    return rows


@pytest.mark.parametrize("task_id", ["CoinrunHard-v0", "MazeEasy-v0", "JumperMemory-v0"])
@pytest.mark.parametrize("level", [0, 77, 2**31 - 2])
@pytest.mark.parametrize("begun", [False, True], ids=["new", "running"])
def test_a_chosen_level_is_that_of_a_pool_of_one_level(
    task_id: str, level: int, begun: bool
) -> None:
    one = envpool.make(task_id, num_envs=2, num_levels=1, start_level=level)
    any_level = envpool.make(task_id, num_envs=2, seed=9)
    with one, any_level:
        if begun:
            any_level.reset()
            any_level.step(_ACTIONS[0])
        obs, info = any_level.reset(options={"level_seed": level})
        assert (info["level_seed"] == level).all()
        expected = _play(one, one.reset()[0])
        # After an episode's end another level follows, whose frames may differ.
        ends = [i for i, row in enumerate(expected) if i % 4 == 3 and row.any()]
        count = ends[0] + 1 if ends else len(expected)
        for got, wanted in zip(_play(any_level, obs)[:count], expected[:count], strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_each_environment_has_its_level_for_one_episode() -> None:
    with envpool.make(
        "LeaperEasy-v0", num_envs=4, num_levels=3, start_level=20, max_episode_steps=4
    ) as pool:
        pool.reset()
        _, info = pool.reset(options={"level_seed": [5, 6, 7, 8]})
        assert info["level_seed"].tolist() == [5, 6, 7, 8]
        _, info = pool.reset([2, 1], options={"level_seed": [70, 60]})
        assert info["level_seed"].tolist() == [70, 60]
        seen = set()
        for _ in range(60):
            info = pool.step(np.full(4, 4))[4]
            seen |= set(info["level_seed"][info["elapsed_step"] == 0].tolist())
        assert seen == {20, 21, 22}


def test_a_mask_and_a_level() -> None:
    with envpool.make("MazeEasy-v0", "vector", num_envs=3, autoreset_mode="disabled") as pool:
        _, info = pool.reset()
        before = info["level_seed"]
        mask = np.array([False, True, False])
        _, info = pool.reset(options={"reset_mask": mask, "level_seed": [11]})
        assert info["level_seed"][1] == 11
        assert before[1] != 11


def test_the_set_of_levels_of_a_running_pool() -> None:
    with envpool.make("LeaperEasy-v0", num_envs=8, max_episode_steps=3) as pool:
        _, info = pool.reset()
        assert info["level_seed"].max() > 100
        for number, start in ((2, 50), (4, 7)):
            _, info = pool.reset(options={"num_levels": number, "start_level": start})
            seen = set(info["level_seed"].tolist())
            for _ in range(20):
                seen |= set(pool.step(np.full(8, 4))[4]["level_seed"].tolist())
            _, info = pool.reset(seed=5)  # new environments, of the same set
            assert seen | set(info["level_seed"].tolist()) == set(range(start, start + number))
        _, info = pool.reset(options={"num_levels": 0})
        assert info["level_seed"].max() > 100


def test_the_sequence_of_levels_is_not_disturbed() -> None:
    """A chosen level takes the same draws as any other forced episode."""
    chosen = envpool.make("MazeEasy-v0", num_envs=2, seed=3)
    forced = envpool.make("MazeEasy-v0", num_envs=2, seed=3)
    with chosen, forced:
        chosen.reset()
        forced.reset()
        chosen.reset(options={"level_seed": 4})
        forced.reset()
        for _ in range(3):
            expected = forced.reset()[1]["level_seed"]
            np.testing.assert_array_equal(chosen.reset()[1]["level_seed"], expected)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level_seed": -1}, "level_seed"),
        ({"level_seed": 2**31 - 1}, "level_seed"),
        ({"level_seed": [1, 2, 3]}, "level_seed"),
        ({"level_seed": 1.5}, "level_seed"),
        ({"num_levels": -1}, "num_levels"),
        ({"num_levels": 2**31, "start_level": 5}, "num_levels"),
        ({"start_level": -3, "num_levels": 4}, "start_level"),
        ({"num_levels": "all"}, "num_levels"),
        ({"levels": 3}, "'level_seed', 'num_levels', 'start_level'"),
    ],
    ids=str,
)
def test_options_that_make_no_sense(options: dict[str, Any], words: str) -> None:
    with envpool.make("MazeEasy-v0", num_envs=2) as pool:
        pool.reset()
        with pytest.raises(ConfigError, match=words):
            pool.reset(options=options)
        pool.step(np.array([4, 4]))


@pytest.mark.parametrize(
    ("task_id", "config"),
    [("MazeExploration-v0", {}), ("MazeEasy-v0", {"use_generated_assets": True})],
)
def test_pools_without_chosen_levels(task_id: str, config: dict[str, Any]) -> None:
    with envpool.make(task_id, num_envs=2, **config) as pool:
        with pytest.raises(ConfigError, match="level_seed"):
            pool.reset(options={"level_seed": 3})
        pool.reset()
