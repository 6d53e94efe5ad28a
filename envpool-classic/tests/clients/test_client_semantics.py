# SPDX-License-Identifier: Apache-2.0
"""The promises that clients of EnvPool rely on, one small test each."""

from __future__ import annotations

import gc
import importlib
from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ActionError, ConfigError, StateError
from numpy.typing import NDArray

LEFT, RIGHT = 0, 1


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("envpool", "make make_gym make_gymnasium make_dm make_spec list_all_envs register"),
        ("envpool", "__version__ registration"),
        ("envpool.registration", "list_all_envs make register"),
        ("envpool.python.protocol", "EnvPool"),
        ("envpool.python.envpool", "EnvPoolMixin"),
        ("envpool.python.api", "py_env"),
    ],
)
def test_module_names(module: str, names: str) -> None:
    found = importlib.import_module(module)
    assert all(hasattr(found, name) for name in names.split())


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Taxi-v3", "Catch-v0", "NChain-v0"])
def test_options_of_every_task(task_id: str) -> None:
    pool = envpool.make(
        task_id,
        env_type="gym",
        num_envs=4,
        batch_size=2,
        num_threads=2,
        thread_affinity_offset=-1,
        seed=[3, 1, 4, 1],
        max_episode_steps=7,
        max_num_players=1,
        gym_reset_return_info=True,
        render_mode=None,
        render_env_id=0,
        render_width=64,
        render_height=64,
        render_camera_id=-1,
    )
    assert pool.is_async
    with pytest.raises(ConfigError, match="num_envs"):
        envpool.make(task_id, num_env=4)


def test_old_dialect_is_refused() -> None:
    with pytest.raises(ConfigError, match="gym_reset_return_info"):
        envpool.make("CartPole-v1", gym_reset_return_info=False)


def test_seeds() -> None:
    plus, _ = envpool.make("CartPole-v1", num_envs=3, seed=5).reset()
    listed, _ = envpool.make("CartPole-v1", num_envs=3, seed=[5, 6, 7]).reset()
    reseeded, _ = envpool.make("CartPole-v1", num_envs=3).reset(seed=5)
    np.testing.assert_array_equal(plus, listed)
    np.testing.assert_array_equal(plus, reseeded)
    np.testing.assert_array_equal(plus[2], gymnasium.make("CartPole-v1").reset(seed=7)[0])


def test_attributes() -> None:
    with envpool.make("CartPole-v1", env_type="gym", num_envs=3) as pool:
        assert gymnasium.Env in type(pool).__mro__
        assert len(pool) == pool.num_envs == pool.config["num_envs"] == 3
        assert pool.all_env_ids.tolist() == [0, 1, 2]
        assert pool.all_env_ids.dtype == np.int32
        assert pool.unwrapped is pool
        assert pool.is_vector_env
        assert pool.spec.config.num_envs == 3
        assert pool.spec.observation_spec().obs.shape == pool.spec.observation_space.shape
        assert pool.spec.action_spec().num_values == pool.spec.action_space.n
        assert pool.single_observation_space == pool.observation_space
        assert pool.single_action_space == pool.action_space
        assert pool.metadata["autoreset_mode"].name == "NEXT_STEP"
    assert pool.closed
    with pytest.raises(StateError, match="closed"):
        pool.step(np.zeros(3, int))


def test_attributes_can_be_assigned() -> None:
    pool: Any = envpool.make("CartPole-v1", env_type="gym", num_envs=3)
    for name in ("num_envs", "single_observation_space", "single_action_space", "is_vector_env"):
        setattr(pool, name, "mine")
        assert getattr(pool, name) == "mine"
    pool.spec.id = "mine"
    assert pool.spec.id == "mine"
    assert pool.reset()[0].shape == (3, 4)


def test_spec_without_a_pool() -> None:
    spec = envpool.make_spec("Pendulum-v1", num_envs=3)
    assert spec.config.num_envs == 3
    assert spec.action_space == gymnasium.make("Pendulum-v1").action_space


def test_rows_of_a_subset_are_in_the_order_of_the_ids() -> None:
    pool = envpool.make("CartPole-v1", num_envs=5, seed=1)
    everything, _ = pool.reset()
    obs, info = pool.reset(np.array([3, 0]), seed=[4, 1])
    assert info["env_id"].tolist() == [3, 0]
    np.testing.assert_array_equal(obs, everything[[3, 0]])  # env 3 has seed 1 + 3
    moved, _, _, _, info = pool.step(np.array([LEFT, RIGHT]), np.array([4, 2]))
    assert info["env_id"].tolist() == [4, 2]
    assert moved[0, 1] < everything[4, 1]  # pushed to the left
    assert moved[1, 1] > everything[2, 1]


def test_as_many_actions_as_ids() -> None:
    pool = envpool.make("CartPole-v1", num_envs=5)
    pool.reset()
    for rows in (1, 3, 5):
        with pytest.raises(ActionError, match=rf"shape \({rows},\)"):
            pool.step(np.arange(rows) % 2, np.array([4, 2]))
    assert pool.step(np.zeros(2, int), np.array([4, 2]))[0].shape == (2, 4)


def test_no_ids_no_rows() -> None:
    pool = envpool.make("CartPole-v1", num_envs=5)
    pool.reset()
    obs, info = pool.reset(np.array([], int))
    assert obs.shape == (0, 4)
    assert info["env_id"].shape == (0,)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.float32, np.float64])
def test_actions_are_cast(dtype: type) -> None:
    pool, same = (envpool.make("CartPole-v1", num_envs=2, seed=1) for _ in range(2))
    pool.reset()
    same.reset()
    obs = pool.step(np.array([LEFT, RIGHT], dtype), np.arange(2, dtype=np.int64))[0]
    np.testing.assert_array_equal(obs, same.step([LEFT, RIGHT])[0])


def test_an_explicit_reset_takes_the_place_of_the_automatic_one() -> None:
    pool = envpool.make("CartPole-v1", num_envs=2, max_episode_steps=3)
    pool.reset()
    for _ in range(3):
        _, _, _, truncated, _ = pool.step(np.zeros(2, int))
    assert truncated.all()
    pool.reset(np.array([0]))
    _, reward, _, _, info = pool.step(np.zeros(2, int))
    assert info["elapsed_step"].tolist() == [1, 0]  # environment 1 was reset by this step
    assert reward.tolist() == [1, 0]


def test_a_time_limit_truncates() -> None:
    pool = envpool.make("CartPole-v1", num_envs=2, max_episode_steps=3)
    dm_pool = envpool.make_dm("CartPole-v1", num_envs=2, max_episode_steps=3)
    pool.reset()
    dm_pool.reset()
    for _ in range(3):
        _, _, terminated, truncated, _ = pool.step(np.zeros(2, int))
        step = dm_pool.step(np.zeros(2, int))
    assert (terminated.any(), truncated.all()) == (False, True)
    assert (step.last().all(), step.discount.tolist()) == (True, [1, 1])


def test_infos_and_arrays_belong_to_the_caller() -> None:
    pool = envpool.make("CartPole-v1", num_envs=2, seed=1)
    obs, info = pool.reset()
    assert set(info) == {"env_id", "players", "elapsed_step"}
    copy = obs.copy()
    info["mine"] = obs
    del info["env_id"]
    results = [pool.step(np.zeros(2, int)) for _ in range(5)]
    assert set(results[-1][4]) == {"env_id", "players", "elapsed_step"}
    del pool
    gc.collect()
    np.testing.assert_array_equal(obs, copy)
    for array in (obs, *results[0][:4]):
        assert array.flags.writeable
        assert array.flags.c_contiguous
    assert not any(np.shares_memory(results[0][0], other[0]) for other in results[1:])


def test_recv_can_be_asked_for_a_reset() -> None:
    pool = envpool.make("CartPole-v1", num_envs=2)
    pool.async_reset()
    assert len(pool.recv(reset=True, return_info=True)) == 2
    pool.send(np.zeros(2, int))
    assert len(pool.recv()) == 5


def _stream(pool: Any) -> NDArray[Any]:
    """The observations and rewards of 100 steps, in the columns of one array."""
    rng = np.random.default_rng(0)
    pool.reset()
    rows = []
    for _ in range(100):
        result = pool.step(rng.integers(2, size=len(pool)))
        obs = result.observation.obs if pool.env_type == "dm" else result[0]
        rows.append(np.column_stack([obs, result[1]]))  # the reward of a TimeStep is second, too
    return np.stack(rows)


@pytest.mark.parametrize("env_type", ["gym", "gymnasium", "vector", "dm"])
@pytest.mark.parametrize("num_threads", [1, 3, 8])
def test_one_stream(env_type: str, num_threads: int) -> None:
    reference = _stream(envpool.make("CartPole-v1", num_envs=8, seed=3))
    pool = envpool.make("CartPole-v1", env_type, num_envs=8, seed=3, num_threads=num_threads)
    np.testing.assert_array_equal(_stream(pool), reference)
