# SPDX-License-Identifier: Apache-2.0
"""Pools on a GPU: equal rows as on a CPU, arrays that stay on their device, states, programs."""

from __future__ import annotations

import importlib
from typing import Any

import envpool
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from envpool.errors import ConfigError

pytestmark = pytest.mark.gpu

CARTPOLE = "jax:gymnax/CartPole-v1"
EXACT = ("jax:gymnax/Breakout-MinAtar", "jax:pgx/tic_tac_toe")  # of whole numbers
STEPS = 40


def play(task_id: str, num_envs: int, device: str, **config: Any) -> list[Any]:
    """A pool's results after a reset and some steps, as NumPy's arrays."""
    rng = np.random.default_rng(0)
    with envpool.make(task_id, num_envs=num_envs, device=device, seed=3, **config) as pool:
        choices = int(pool.action_space.n)
        actions = rng.integers(0, choices, (STEPS, 8)).astype(np.int32)[:, :num_envs]
        results = [pool.reset(), *(pool.step(action) for action in actions)]
        return [jax.tree.map(np.asarray, result) for result in results]


def same(one: Any, other: Any, rows: int | None = None) -> None:
    for mine, its in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(mine[:rows], its[:rows])


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("task_id", EXACT)
def test_rows_are_those_of_the_cpu(task_id: str, mode: str) -> None:
    expected = play(task_id, 8, "cpu", autoreset_mode=mode)
    same(play(task_id, 8, "gpu", autoreset_mode=mode), expected)
    same(play(task_id, 8, "gpu", autoreset_mode=mode, array="jax"), expected)


def test_floats_are_rounded_otherwise_at_most() -> None:
    """By up to 1e-5 in the ten steps before the first end: sines differ in the last bit."""
    pairs = zip(play(CARTPOLE, 8, "gpu")[:8], play(CARTPOLE, 8, "cpu")[:8], strict=True)
    for on_gpu, on_cpu in pairs:
        for mine, its in zip(jax.tree.leaves(on_gpu), jax.tree.leaves(on_cpu), strict=True):
            np.testing.assert_allclose(mine, its, rtol=0, atol=1e-5)


@pytest.mark.parametrize("task_id", [CARTPOLE, *EXACT])
def test_rows_do_not_depend_on_their_number(task_id: str) -> None:
    for one, more in zip(play(task_id, 3, "gpu"), play(task_id, 8, "gpu"), strict=True):
        same(one, jax.tree.map(lambda leaf: leaf[:3], more))


def test_arrays_of_jax_stay_on_the_gpu() -> None:
    with envpool.make(CARTPOLE, num_envs=4, array="jax", device="gpu") as pool:
        obs, info = pool.reset()
        for array in (obs, info["env_id"]):
            assert {device.platform for device in array.devices()} == {"gpu"}
        obs, reward, *_ = pool.step((obs[:, 2] > 0).astype(jnp.int32))
        assert {device.platform for device in reward.devices()} == {"gpu"}
        assert reward.tolist() == [1.0] * 4


def test_the_cpu_can_be_chosen() -> None:
    with envpool.make(CARTPOLE, num_envs=4, array="jax", device="cpu") as pool:
        pool.reset()
        obs, *_, info = pool.step(np.ones(4, int))
        for array in (obs, info["env_id"]):
            assert {device.platform for device in array.devices()} == {"cpu"}


@pytest.mark.needs_torch
def test_tensors_are_memory_of_jax() -> None:
    """PyTorch allocates nothing for a pool's results, and its actions can stay on the GPU."""
    torch: Any = importlib.import_module("torch")
    action = torch.ones(4096, dtype=torch.int32, device="cuda")
    with (
        envpool.make(CARTPOLE, num_envs=4096, array="torch", device="gpu") as pool,
        envpool.make(CARTPOLE, num_envs=4096, device="gpu") as arrays,
    ):
        before = torch.cuda.memory_allocated()
        obs, _ = pool.reset()
        for _ in range(5):
            obs, reward, terminated, truncated, _ = pool.step(action)
        for tensor in (obs, reward, terminated, truncated):
            assert tensor.device.type == "cuda" and len(tensor) == 4096
        assert terminated.dtype == torch.bool
        assert torch.cuda.memory_allocated() == before
        arrays.reset()
        expected = [arrays.step(np.ones(4096, int)) for _ in range(5)][-1]
        same([obs.cpu().numpy(), reward.cpu().numpy()], list(expected[:2]))
        policy = torch.nn.Linear(4, 2).cuda()
        assert pool.step(policy(obs).argmax(1))[0].device.type == "cuda"  # int64, of PyTorch


@pytest.mark.parametrize("other", ["gpu", "cpu"])
def test_states_come_back(other: str) -> None:
    """On the same device and on the other."""
    actions = np.random.default_rng(1).integers(0, 3, (STEPS, 4))
    with envpool.make(EXACT[0], num_envs=4, device="gpu") as pool:
        pool.reset(seed=5)
        for action in actions[:10]:
            pool.step(action)
        states = pool.save_state()
        expected = [pool.step(action) for action in actions[10:]]
    with envpool.make(EXACT[0], num_envs=4, device=other) as pool:
        pool.load_state(states)
        same([pool.step(action) for action in actions[10:]], expected)


def test_functional_is_the_pool_inside_of_a_scan() -> None:
    actions = np.random.default_rng(2).integers(0, 3, (STEPS, 4))
    with envpool.make(EXACT[0], num_envs=4, device="gpu") as pool:
        pool.reset()
        carry, step = pool.functional()
        expected = [pool.step(action) for action in actions]
        _, results = jax.jit(lambda c, a: jax.lax.scan(step, c, a))(carry, jnp.asarray(actions))
        for number, result in enumerate(expected):
            same(jax.tree.map(lambda leaf, n=number: leaf[n], results), result)


def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="gpu:99"):
        envpool.make(CARTPOLE, num_envs=2, device="gpu:99")
