# SPDX-License-Identifier: Apache-2.0
"""MultiDiscrete and MultiBinary declared in C++: the same kinds of spaces in Python, checked."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import envpool
import numpy as np
import pytest
from dm_env import specs
from envpool.errors import ActionError, ConfigError
from envpool.testing import check_task
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from refusals import refused

CHOICES, ONE = "Engine/Choices-v0", "Engine/OneChoice-v0"


@pytest.fixture(scope="module", autouse=True)
def tasks(module: ModuleType) -> Iterator[None]:
    known = envpool.list_all_envs()
    for task_id in (CHOICES, ONE):
        if task_id not in known:
            name = task_id.removeprefix("Engine/").removesuffix("-v0")
            envpool.register(envpool.Task(task_id, f"engine_envs:{name}", max_episode_steps=9))
    return


@pytest.mark.parametrize("task_id", [CHOICES, ONE])
def test_contract(task_id):
    check_task(task_id, deterministic=True)  # nothing is drawn


def test_spaces():
    spec = envpool.make_spec(CHOICES, counts=[2, 7, 1], flags=4)
    several, flags = spaces.MultiDiscrete([2, 7, 1]), spaces.MultiBinary((4,))
    assert spec.action_space == spaces.Dict(choose=several, flags=flags)
    assert spec.observation_space == spaces.Dict(chosen=several, flags=flags)
    assert spec.action_space["choose"].dtype == np.int64  # as Gymnasium's
    with envpool.make(ONE, "vector", num_envs=3) as pool:
        assert pool.single_action_space == spaces.MultiDiscrete([2, 2])
        assert pool.action_space == batch_space(spaces.MultiDiscrete([2, 2]), 3)
        pool.reset()
        action = pool.action_space.sample()
        assert pool.step(action)[0].tolist() == (action == 1).tolist()
    assert envpool.make_spec(ONE).observation_space == spaces.MultiBinary((2,))


def test_dm_specs():
    """dm_env has no spec of several choices: bounds of each are its nearest."""
    spec = envpool.make_spec(CHOICES, counts=[2, 7], flags=3)
    found = spec.action_spec()
    assert found.choose == specs.BoundedArray((2,), np.int32, [0, 0], [1, 6], "choose")
    assert found.flags == specs.BoundedArray((3,), bool, False, True, "flags")
    assert spec.observation_spec().chosen.maximum.tolist() == [1, 6]


def test_every_number_is_checked_against_its_own_count():
    with envpool.make(CHOICES, num_envs=2) as pool:
        pool.reset()
        flags = np.zeros((2, 5), np.int8)  # as MultiBinary.sample() gives them
        flags[1, 2] = 1
        obs = pool.step({"choose": [[2, 3], [0, 1]], "flags": flags})[0]
        assert obs["chosen"].tolist() == [[2, 3], [0, 1]]
        assert obs["flags"].tolist() == (flags == 1).tolist()

        def wrong(choose=((0, 0), (0, 0)), flags=flags):
            message = refused(ActionError, lambda: pool.step({"choose": choose, "flags": flags}))
            return message.asked, message.got, message.allowed

        choose = f"action 'choose' of {CHOICES}"
        assert wrong([[2, 3], [3, 0]]) == (choose, "3 for env 1", "whole numbers 0 .. 2")
        assert wrong([[2, 4], [0, 0]]) == (choose, "4 for env 0", "whole numbers 0 .. 3")
        assert wrong([[0, -1], [0, 0]])[1:] == ("-1 for env 0", "whole numbers 0 .. 3")
        assert wrong([[0, 0.5], [0, 0]])[1] == "0.5 for env 0"
        assert wrong([0, 0])[1] == "shape (2,)"
        assert wrong(flags=flags + 1)[1:] == ("2 for env 1", "whole numbers 0 .. 1")


def test_rows_of_players():
    with envpool.make(CHOICES, num_envs=2, max_num_players=3) as pool:
        pool.reset()
        choose = np.arange(12).reshape(6, 2) % 3
        obs = pool.step({"choose": choose, "flags": np.ones((6, 5), bool)})[0]
        assert obs["chosen"].tolist() == choose.tolist()
        assert obs["flags"].all() and obs["flags"].shape == (6, 5)


@pytest.mark.parametrize("counts", [[3, 0], [0], [-2, 4]])
def test_nothing_to_choose(counts):
    message = refused(ConfigError, lambda: envpool.make(CHOICES, counts=counts))
    assert f"bounds 0 .. {min(counts) - 1} leave no number" in str(message.error)
