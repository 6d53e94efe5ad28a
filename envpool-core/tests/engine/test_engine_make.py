# SPDX-License-Identifier: Apache-2.0
"""The engine through `envpool.make`: users get the raw pools' results, in every flavour."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import ModuleType

import envpool
import numpy as np
import pytest
from envpool.errors import (
    ActionError,
    ConfigError,
    EnvIdError,
    RecvTimeoutError,
    SavedStateError,
    StateError,
    WorkerError,
)
from envpool.testing import check_task
from refusals import refused

TASKS = {
    "Engine/Counter-v0": envpool.Task("Engine/Counter-v0", "engine_envs:Counter"),
    "Engine/Limited-v0": envpool.Task(
        "Engine/Limited-v0", "engine_envs:Counter", goal=7, max_episode_steps=4
    ),
    "Engine/Image-v0": envpool.Task("Engine/Image-v0", "engine_envs:Image", max_episode_steps=20),
    "Engine/Pole-v0": envpool.Task("Engine/Pole-v0", "engine_envs:Pole", max_episode_steps=50),
    "Engine/Faulty-v0": envpool.Task("Engine/Faulty-v0", "engine_envs:Faulty"),
    "Engine/Dummy-v0": envpool.Task("Engine/Dummy-v0", "engine_envs:_DummyEnvSpec"),
}


@pytest.fixture(scope="module", autouse=True)
def tasks(module: ModuleType) -> Iterator[None]:
    known = envpool.list_all_envs()
    for task_id, task in TASKS.items():
        if task_id not in known:
            envpool.register(task)
    return


@pytest.mark.parametrize("name", ["Counter", "Limited", "Image", "Pole"])
def test_contract(name):
    check_task(f"Engine/{name}-v0", deterministic=name == "Image")


@pytest.mark.parametrize("env_type", ["gym", "gymnasium", "dm", "vector"])
def test_misuse_is_told_in_every_flavour(env_type):
    pool = envpool.make("Engine/Counter-v0", env_type, num_envs=3)
    refused(StateError, pool.recv)
    pool.reset()
    for action in (
        [1, 2],
        [1, 2, 1000],
        [1, 2, 0.5],
        ["a", "b", "c"],
        [[1, 1], [2, 2], [3, 3]],
        None,
    ):
        message = refused(ActionError, lambda action=action: pool.step(action))
        assert message.asked == "action 'action' of Engine/Counter-v0"
        refused(ActionError, lambda action=action: pool.send(action))
    for ids in ([0, 0], [3], [-1], [0.5], "x"):
        refused(EnvIdError, lambda ids=ids: pool.send([1] * np.size(ids), ids))
    pool.send([1, 2, 3])
    refused(EnvIdError, lambda: pool.send([1, 2, 3]))
    pool.recv()
    pool.close()
    refused(StateError, lambda: pool.step([1, 2, 3]))
    pool.close()
    pool.reset()
    pool.step([1, 2, 3])
    refused(ConfigError, lambda: pool.recv(timeout=-1))


@pytest.mark.parametrize("env_type", ["gymnasium", "dm", "vector"])
def test_failures_in_every_flavour(env_type):
    pool = envpool.make("Engine/Faulty-v0", env_type, num_envs=3, where="step", envs=[1])
    pool.reset()
    error = refused(WorkerError, lambda: pool.step([1, 2, 3])).error
    assert (error.task_id, error.env_id) == ("Engine/Faulty-v0", 1)
    assert error.failures == [(1, "the motor burnt out")]
    pool.recv()
    refused(StateError, lambda: pool.step([1, 2, 3]))
    pool.reset()
    message = refused(
        WorkerError, lambda: envpool.make("Engine/Faulty-v0", env_type, where="constructor")
    )
    assert message.asked == "no memory for the board\nmake of Engine/Faulty-v0"


def test_waiting_with_a_limit(module):
    pool = envpool.make("Engine/Counter-v0", num_envs=2, gated=True)
    pool.reset()
    module.close_gates([1])
    pool.send([4, 5])
    refused(RecvTimeoutError, lambda: pool.recv(timeout=0.01))
    module.open_gates()
    obs, _reward, _terminated, _truncated, info = pool.recv(timeout=30)
    assert obs.tolist() == [[1, 4], [1, 5]]
    assert info["env_id"].tolist() == [0, 1]


def test_the_documented_environment():
    pool = envpool.make("Engine/Dummy-v0", num_envs=3, max_num_players=2)
    obs, info = pool.reset()
    assert sorted(obs) == ["dyn", "obs_a", "raw"]
    assert sorted(obs["obs_a"]) == ["obs_b", "obs_c"]
    assert obs["dyn"].dtype == object
    assert sorted(info) == [
        "bla", "elapsed_step", "env_id", "list", "path_size", "player_num", "players",
    ]  # fmt: skip
    assert info["players"]["env_id"].tolist() == [1, 2, 2]
    action = {
        "list_action": np.zeros((3, 6)),
        "players": {
            "env_id": info["players"]["env_id"],
            "action": np.array([1, 2, 3]),
            "push": np.zeros((3, 2)),
        },
        "level": np.array([1, 2, 3]),
        "env_id": info["env_id"],
    }
    obs, reward, _terminated, _truncated, info = pool.step(action)
    assert obs["obs_a"]["obs_b"].tolist() == [1, 2, 3]
    assert info["players"]["env_id"].tolist() == [0, 1, 1]
    assert reward.tolist() == [0, 1, 2]
    pool = envpool.make_dm("Engine/Dummy-v0", num_envs=3, max_num_players=2)
    observation = pool.reset().observation
    assert observation.obs_a.obs_c.shape == (3, 2, 3)
    assert observation.players.env_id.tolist() == [1, 2, 2]


def test_pools_are_copied_as_their_recipe():
    pool = envpool.make("Engine/Counter-v0", num_envs=2, seed=5, goal=3)
    pool.reset()
    pool.step([1, 2])
    copy = pickle.loads(pickle.dumps(pool))
    assert copy.config == pool.config
    assert copy.reset()[1]["seed"].tolist() == [5, 6]


def test_states():
    pool = envpool.make("Engine/Counter-v0", num_envs=3)
    pool.reset()
    pool.step([1, 2, 3])
    states = pool.save_state([0, 2])
    after = pool.step([4, 5, 6])[0].tolist()
    pool.load_state(states, [0, 2])
    assert pool.step([4, 6], [0, 2])[0].tolist() == [after[0], after[2]]
    refused(SavedStateError, lambda: pool.load_state([states[0][:-1]], [0]))
    other = envpool.make("Engine/Limited-v0")
    refused(SavedStateError, lambda: other.load_state(states[:1]))
