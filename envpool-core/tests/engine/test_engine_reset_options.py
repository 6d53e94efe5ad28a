# SPDX-License-Identifier: Apache-2.0
"""Options of a reset that a description in C++ declares; see envs/told.h."""

from __future__ import annotations

import numpy as np
import pytest
from envpool.errors import ConfigError, EnvIdError

EVERYBODY = None


def begin(pool, options, ids=EVERYBODY, seed=None):
    """A reset with options, as Python's pools call it."""
    pool.set_reset_options(ids if ids is None else np.asarray(ids, np.int32), options)
    return pool.reset(ids, seed)["obs"].tolist()


def test_names_and_defaults(make):
    defaults = {"begin": 12, "spread": 1000, "extra": [], "named": {}}
    assert make("Told", begin=12).reset_options == defaults
    assert make("Counter").reset_options == {}


def test_the_episode_begins_as_told_and_the_next_one_does_not(make):
    pool = make("Told", num_envs=2)
    told = begin(pool, {"begin": 20, "extra": [1, 2], "named": {"a": [3], "b": np.array([4, 5])}})
    assert [row[:2] for row in told] == [[20, 15], [20, 15]]
    assert pool.step(np.zeros(2, np.int32))["obs"][:, :2].tolist() == [[21, 10], [21, 10]]
    for _ in range(3):  # two steps more, and the start that autoreset makes
        obs = pool.step(np.zeros(2, np.int32))["obs"]
    assert obs[:, :2].tolist() == [[10, 0], [10, 0]]
    begin(pool, {"begin": 30})
    assert pool.reset()["obs"][:, 0].tolist() == [10, 10]


def test_some_environments(make):
    pool = make("Told", num_envs=4)
    pool.reset()
    assert [row[0] for row in begin(pool, {"begin": 50}, [3, 1])] == [50, 50]
    assert pool.step(np.zeros(4, np.int32))["obs"][:, 0].tolist() == [11, 51, 11, 51]
    pool.set_reset_options(np.array([0], np.int32), {"begin": 60})
    assert pool.reset([1])["obs"][:, 0].tolist() == [10]  # those of 0 wait for its reset
    assert pool.reset()["obs"][:, 0].tolist() == [60, 10, 10, 10]


def test_options_are_taken_back(make):
    pool = make("Told", num_envs=2)
    pool.set_reset_options(None, {"begin": 60})
    pool.set_reset_options(np.array([1], np.int32), None)
    assert pool.reset()["obs"][:, 0].tolist() == [60, 10]


def test_same_step_starts_by_the_defaults(make):
    pool = make("Told", "same_step")
    begin(pool, {"begin": 20})
    seen = [pool.step(np.zeros(1, np.int32))["obs"][0, 0] for _ in range(4)]
    assert seen == [21, 22, 10, 11]


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_with_seeds_threads_and_batches_nothing_changes(make, mode):
    def play(**config):
        pool = make("Told", mode, num_envs=5, **config)
        seen = [[] for _ in range(5)]
        for start in (10, 11, 17):
            pool.set_reset_options(None, {"begin": start, "spread": 7 + start})
            pool.async_reset(None, start)
            for _ in range(5 * 3):  # two steps of each environment
                result = pool.recv()
                for row, obs in zip(result["info:env_id"], result["obs"], strict=True):
                    seen[row].append(obs.tolist())
                if len(result["obs"]) == 5 and len(seen[0]) % 3 == 0:
                    break
                ids = result["info:env_id"][[len(seen[i]) % 3 != 0 for i in result["info:env_id"]]]
                if len(ids):
                    pool.send(np.zeros(len(ids), np.int32), ids)
                elif pool.num_in_flight == 0:
                    break
        return seen

    expected = play(num_threads=1)
    assert {row[0][0] for row in expected} == {10}
    for config in ({"num_threads": 3}, {"batch_size": 1}, {"batch_size": 1, "num_threads": 2}):
        assert play(**config) == expected


def test_in_flight_and_closed(make):
    pool = make("Told", num_envs=2)
    pool.async_reset()
    assert [row[0] for row in begin(pool, {"begin": 20})] == [20, 20]  # drops the result in flight
    pool.close()
    assert [row[0] for row in begin(pool, {"begin": 30})] == [30, 30]
    pool = make("Told", num_envs=2, batch_size=1)
    pool.async_reset()
    pool.set_reset_options(np.array([0, 1], np.int32), {"begin": 20})
    with pytest.raises(EnvIdError, match="in flight"):
        pool.reset([0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"begin": "here"}, "begin"),
        ({"begin": 2**40}, "begin"),
        ({"extra": [1, "two"]}, "extra"),
        ({"named": 3}, "named"),
        ({"begin": 9}, r"begin is before 10"),
    ],
)
def test_wrong_values_change_nothing(make, options, message):
    pool = make("Told", num_envs=2)
    with pytest.raises(ConfigError, match=message):
        pool.set_reset_options(None, options)
    assert pool.reset()["obs"][:, 0].tolist() == [10, 10]


def test_an_environment_without_options(make):
    pool = make("Counter")
    with pytest.raises(ConfigError, match="takes no options"):
        pool.set_reset_options(None, {"begin": 1})
    pool.set_reset_options(None, None)


def test_from_pixels(make):
    pool = make("ToldPixels", render_width=2, render_height=2)
    pool.set_reset_options(None, {"begin": 77})
    assert np.unique(pool.reset()["obs:pixels"]).tolist() == [77]
    with pytest.raises(ConfigError, match="begin is before 10"):
        pool.set_reset_options(None, {"begin": 1})
    assert np.unique(pool.reset()["obs:pixels"]).tolist() == [10]
