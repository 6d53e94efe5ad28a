# SPDX-License-Identifier: Apache-2.0
"""The calls of client libraries to a pool, one by one, without the libraries themselves.

A test is named after its client and makes the same calls, in the same order and with the same
types, as the client's code for EnvPool. docs/maintainers/clients.md lists the tested versions.
"""

from __future__ import annotations

import functools
import pickle
from typing import Any

import dm_env  # type: ignore[import-untyped]
import envpool
import envpool.python.protocol
import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[Any]


def _upright(obs: Array) -> Array:
    """CartPole's actions that push the cart under the pole."""
    return (obs[:, 2] > 0).astype(np.int64)


def _row(tree: Any, row: int) -> Any:
    """One environment's part of an info, as clients extract it."""
    if isinstance(tree, dict):
        return {key: _row(leaf, row) for key, leaf in tree.items()}
    return tree[row]


def _gymnasium_lengths(seed: int, count: int) -> list[int]:
    """The lengths of the first episodes of Gymnasium's CartPole under `_upright`."""
    env = gymnasium.make("CartPole-v1")
    lengths: list[int] = []
    obs, _ = env.reset(seed=seed)
    while len(lengths) < count:
        steps, over = 0, False
        while not over:
            obs, _, terminated, truncated, _ = env.step(_upright(obs[None])[0])
            steps, over = steps + 1, terminated or truncated
        lengths.append(steps)
        obs, _ = env.reset()
    return lengths


def test_tianshou_collects_from_fewer_and_fewer_environments() -> None:
    pool = envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=5)
    assert len(pool) == 3  # an object without a length counts as one environment
    assert not pool.is_async
    obs, info = pool.reset()
    lengths: list[list[int]] = [[], [], []]
    ready, steps = np.arange(3), np.zeros(3, int)
    while ready.size:
        act = _upright(obs)
        obs, reward, terminated, truncated, info = pool.step(act, ready)
        assert info["env_id"].tolist() == ready.tolist()
        assert _row(info, 0)["players"]["env_id"] == ready[0]
        assert len(reward) == len(ready)
        steps[ready] += 1
        done = np.flatnonzero(terminated | truncated)
        over = ready[done]
        for env_id in over:
            lengths[env_id].append(int(steps[env_id]))
            steps[env_id] = 0
        if over.size:
            obs[done], _ = pool.reset(over)
        # The loop plays one episode of environment 0, two of 1, three of 2.
        keep = np.array([len(lengths[env_id]) <= env_id for env_id in ready])
        ready, obs = ready[keep], obs[keep]
    assert lengths == [_gymnasium_lengths(5 + env_id, env_id + 1) for env_id in range(3)]


def test_torchrl_multi_threaded_env() -> None:
    pool = envpool.make(
        task_id="Pendulum-v1",
        env_type="gym",
        num_envs=3,
        gym_reset_return_info=True,
        max_num_players=1,
        seed=1,
    )
    assert pool.config["num_envs"] == 3
    assert isinstance(pool, envpool.python.envpool.EnvPoolMixin)
    assert pool.spec.observation_space == pool.observation_space
    assert pool.spec.action_space == pool.action_space
    first, _ = pool.reset()
    assert type(first) is np.ndarray
    some, _ = pool.reset(np.where(np.array([True, False, True]))[0])
    assert some.shape == (2, 3)
    assert len(pool.step(np.zeros((3, 1), np.float32))) == 5
    pool.close()
    again, _ = pool.reset()
    np.testing.assert_array_equal(again, first)  # a new pool starts from the seed again


def test_torchrl_gym_wrapper() -> None:
    pool = envpool.make("CartPole-v1", "vector", num_envs=2, autoreset_mode="disabled")
    assert pool.autoreset_mode is gymnasium.vector.AutoresetMode.DISABLED


class _Sb3Adapter:
    """The calls of the VecEnv adapter in EnvPool's examples."""

    def __init__(self, venv: envpool.python.protocol.EnvPool) -> None:
        self.venv: Any = venv
        self.num_envs = self.venv.spec.config.num_envs

    def step(self, actions: Array) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        obs, rewards, terms, truncs, info = self.venv.step(actions)
        dones = terms | truncs
        arrays = {key: value for key, value in info.items() if isinstance(value, np.ndarray)}
        infos = [{key: value[i] for key, value in arrays.items()} for i in range(self.num_envs)]
        for i in np.flatnonzero(dones):
            infos[i]["terminal_observation"] = obs[i].copy()
            obs[i] = self.venv.reset(np.array([i]))[0][0]
        return obs, rewards, dones, infos


def test_stable_baselines3_adapter() -> None:
    pool = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=4, seed=0)
    pool.spec.id = "CartPole-v1"
    adapter = _Sb3Adapter(pool)
    obs, _ = pool.reset()
    lengths: list[list[int]] = [[], [], [], []]
    rollout = []
    for _ in range(200):
        obs, rewards, dones, infos = adapter.step(_upright(obs))
        rollout.append((obs, obs.copy()))
        assert (rewards == 1).all()  # no step is a reset: resets give 0
        for i in np.flatnonzero(dones):
            assert np.abs(infos[i]["terminal_observation"][2]) > 0.2  # the pole has fallen
            assert np.abs(obs[i]).max() <= 0.05
            lengths[i].append(int(infos[i]["elapsed_step"]))
    for env_id, found in enumerate(lengths):
        assert found == _gymnasium_lengths(env_id, len(found))
    for kept, copy in rollout:  # a rollout buffer keeps its arrays
        np.testing.assert_array_equal(kept, copy)


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1"])
def test_stable_baselines3_loads_a_policy_trained_on_gymnasium(task_id: str) -> None:
    pool, env = envpool.make(task_id), gymnasium.make(task_id)
    assert pool.observation_space == env.observation_space
    assert pool.action_space == env.action_space


def test_stable_baselines3_get_images() -> None:
    pool = envpool.make("FrozenLake-v1", num_envs=2, render_mode="rgb_array")
    pool.reset()
    assert [frame.shape for frame in pool.render(env_ids=pool.all_env_ids)] == [(256, 256, 3)] * 2


class _CleanRlStatistics(gymnasium.Wrapper[Any, Any, Any, Any]):
    """CleanRL's RecordEpisodeStatistics: a Wrapper that writes into the info."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.returns = np.zeros(env.num_envs, np.float32)

    def step(self, action: Any) -> Any:
        obs, reward, terminated, truncated, info = super().step(action)
        self.returns += reward
        info["r"] = self.returns.copy()
        self.returns *= 1 - terminated
        return obs, reward, terminated, truncated, info


def test_cleanrl_assigns_to_the_pool_and_wraps_it() -> None:
    pool: Any = envpool.make("CartPole-v1", env_type="gym", num_envs=4, seed=1)
    pool.num_envs = 4
    pool.single_action_space = pool.action_space
    pool.single_observation_space = pool.observation_space
    pool.is_vector_env = True
    pool.name = "envpool"
    envs = _CleanRlStatistics(pool)
    assert isinstance(envs.action_space, gymnasium.spaces.Discrete)
    assert envs.action_space.n == 2
    assert pool.single_observation_space.sample().shape == (4,)
    assert pool.spec.config.max_episode_steps == 500
    envs.reset()
    for _ in range(5):
        *_, info = envs.step(np.ones(4, np.int64))
    assert info["r"].tolist() == [5, 5, 5, 5]
    envs.close()


def test_rl_games_passes_all_ids_as_int64() -> None:
    pool = envpool.make("CartPole-v1", env_type="gym", num_envs=3, batch_size=3, seed=2)
    ids = np.arange(0, 3)
    obs, _ = pool.reset(ids)
    plain, _ = envpool.make("CartPole-v1", num_envs=3, seed=2).reset()
    np.testing.assert_array_equal(obs, plain)
    _, _, terminated, truncated, info = pool.step(np.zeros(3, np.int64), ids)
    info["time_outs"] = truncated
    info["scores"] = 1 - (terminated | truncated)
    del info["env_id"]
    _, _, _, _, info = pool.step(np.zeros(3, np.int64), ids)
    assert set(info) == {"env_id", "players", "elapsed_step"}


def test_sample_factory_resets_what_is_over() -> None:
    pool = envpool.make(
        "CartPole-v1",
        env_type="gym",
        num_envs=8,
        batch_size=8,
        num_threads=2,
        thread_affinity_offset=-1,
        seed=0,
        max_episode_steps=30,
    )
    obs, _ = pool.reset()
    episodes = empty = 0
    for _ in range(100):
        obs, _, terminated, truncated, info = pool.step(_upright(obs))
        assert (info["elapsed_step"] > 0).all()  # no step is a reset
        over = np.nonzero(terminated | truncated)[0]
        obs[over], _ = pool.reset(over)
        episodes += len(over)
        empty += len(over) == 0
    assert episodes >= 24  # three time limits in each of eight environments
    assert empty > 0


def test_stoix_closes_in_its_constructor() -> None:
    pool = envpool.make(
        task_id="CartPole-v1",
        env_type="gymnasium",
        num_envs=4,
        seed=2,
        gym_reset_return_info=True,
        max_episode_steps=6,
    )
    assert pool.reset()[0].shape == (4, 4)
    info = pool.step(np.zeros(4, dtype=int))[-1]
    assert "lives" not in info
    pool.close()
    limit = pool.spec.config.max_episode_steps
    pool.reset()
    action = np.zeros(4, dtype=int)
    for _ in range(limit):
        obs, _, _, _, info = pool.step(action)
    over = np.where(info["elapsed_step"] >= limit)[0]
    assert over.tolist() == [0, 1, 2, 3]
    # Stoix passes zeros for all environments with the ids of some.
    obs[over[:2]] = pool.step(np.zeros_like(action), over[:2])[0]
    assert np.abs(obs[:2]).max() <= 0.05  # the first observations of new episodes
    info["metrics"] = {"episode_length": info["elapsed_step"]}


def test_di_engine_never_closes() -> None:
    pool = envpool.make(
        task_id="CartPole-v1", env_type="gym", num_envs=8, batch_size=4, seed=0, num_threads=2
    )
    for _ in range(2):  # the second time after all results were received
        pool.async_reset()
        seen: dict[int, Array] = {}
        while len(seen) < 8:
            obs, *_, info = pool.recv()
            seen |= dict(zip(info["env_id"].tolist(), obs, strict=True))
        ids = np.array(list(seen)[:4])
        assert ids.dtype == np.int64
        for _ in range(50):
            pool.send(np.array([int(seen[env_id][2] > 0) for env_id in ids]), ids)
            obs, *_, info = pool.recv()
            assert sorted(info["env_id"]) == sorted(ids)
            seen |= dict(zip(info["env_id"].tolist(), obs, strict=True))


def test_openrl_sends_factories_to_processes() -> None:
    assert "CartPole-v1" in envpool.registration.list_all_envs()
    factory = functools.partial(envpool.make, "CartPole-v1", env_type="gym")
    pool = pickle.loads(pickle.dumps(factory))()
    pool.unwrapped.spec.id = "CartPole-v1"
    pool.num_envs = pool.spec.config.num_envs
    space: Any = pool.observation_space
    gymnasium.spaces.Box(low=space.low, high=space.high, dtype=space.dtype)
    obs, _ = pool.reset()
    obs[0] = pool.reset(np.array([0]))[0]


def test_acme_batches_dm_env() -> None:
    pool = envpool.make("Pendulum-v1", env_type="gym", num_envs=3, seed=0)
    assert len(pool.all_env_ids) == 3
    assert pool.action_space.low == -2
    dm_pool = envpool.make_dm("CartPole-v1", num_envs=3, seed=0)
    spec = dm_pool.action_spec()
    assert (spec.num_values, spec.dtype) == (2, np.int32)
    assert dm_pool.observation_spec().obs.shape == (4,)
    step = dm_pool.reset()
    assert step.first().tolist() == [True, True, True]
    for _ in range(40):
        assert isinstance(step, dm_env.TimeStep)
        action = np.zeros(3, spec.dtype)
        step = dm_pool.step(action, step.observation.env_id)
        kinds = np.stack([step.first(), step.mid(), step.last()])
        assert (kinds.sum(0) == 1).all()
        assert (step.discount == np.where(step.last(), 0, 1)).all()


def test_skrl_looks_at_direct_bases() -> None:
    envs: Any = envpool.make("CartPole-v1", "vector", num_envs=4)
    assert any(base.__module__.startswith("gymnasium.") for base in type(envs).__bases__)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    assert not hasattr(envs, "device")
    assert envs.num_envs == 4
    assert envs.single_observation_space.shape == (4,)
    envs.reset(seed=42)
    assert envs.step(np.zeros((4, 1), np.int64).flatten())[1].shape == (4,)
