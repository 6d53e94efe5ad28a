# SPDX-License-Identifier: Apache-2.0
"""pool.xla() in programs that JAX compiles for the CPU: the results of the pool, without Python."""

from __future__ import annotations

import functools
import gc
import threading

import envpool
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from envpool.errors import ActionError, EnvIdError
from jax import lax

try:
    from jax import enable_x64
except ImportError:  # before 0.8
    from jax.experimental import enable_x64

STEPS = 60


def actions(task, steps, rows):
    """Random actions, (steps, rows, ...)."""
    space = envpool.make_spec(task).action_space
    space.seed(5)
    return np.stack([[space.sample() for _ in range(rows)] for _ in range(steps)])


def same(left, right):
    """True if equal to the last bit, except the 64-bit types that JAX does not have."""
    left, right = jax.tree.leaves(left), jax.tree.leaves(right)
    assert len(left) == len(right)
    for a, b in zip(left, right, strict=True):
        assert a.shape == b.shape
        assert np.array_equal(a, np.asarray(b).astype(a.dtype))


@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1"])
def test_scan_is_the_loop_in_python(task, env_type):
    pool, other = (envpool.make(task, env_type, num_envs=5, seed=4) for _ in range(2))
    pool.reset()
    other.reset()
    handle, _, _, step = pool.xla()
    inputs = actions(task, STEPS, 5)
    run = jax.jit(lambda handle, inputs: lax.scan(step, handle, inputs))
    for _ in range(2):  # continues from the end
        handle, results = run(handle, jnp.asarray(inputs))
        for number, action in enumerate(inputs):
            same(
                jax.tree.map(lambda all_steps, n=number: all_steps[n], results), other.step(action)
            )
    same(pool.step(inputs[0]), other.step(inputs[0]))


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_send_and_recv(mode):
    pool, other = (
        envpool.make("CartPole-v1", num_envs=3, seed=1, autoreset_mode=mode) for _ in range(2)
    )
    pool.async_reset()
    other.async_reset()
    handle, recv, send, _ = pool.xla()

    @jax.jit
    def run(handle):
        handle, first = recv(handle)

        def body(_, carry):
            handle, last, total = carry
            handle = send(handle, jnp.ones(3, jnp.int8))
            handle, last = recv(handle)
            return handle, last, total + last[1].sum()

        return lax.fori_loop(0, 100, body, (handle, first, 0.0))

    _, last, total = run(handle)
    expected = other.recv()
    summed = 0.0
    for _ in range(100):
        expected = other.step(np.ones(3, int))
        summed += expected[1].sum()
    same(last, expected)
    assert total == summed


def test_asynchronous():
    pool = envpool.make("CartPole-v1", num_envs=8, batch_size=4, num_threads=2, seed=2)
    pool.async_reset()
    handle, recv, send, step = pool.xla()

    @jax.jit
    def run(handle):
        handle, first = recv(handle)

        def body(_, carry):
            handle, ids, counts = carry
            handle = send(handle, jnp.zeros(4, jnp.int32), ids)
            handle, result = recv(handle)
            ids = result[4]["env_id"]
            return handle, ids, counts.at[ids].add(1)

        ids = first[4]["env_id"]
        handle, _, counts = lax.fori_loop(0, 500, body, (handle, ids, jnp.zeros(8, int)))
        # Without ids: the environments received last.
        handle, result = step(handle, {"action": jnp.ones((4, 1), jnp.int32)})
        return handle, counts.at[result[4]["env_id"]].add(1)

    handle, counts = run(handle)
    assert counts.sum() == 501 * 4
    assert (counts > 0).all()
    _, counts = run(send(handle, np.zeros(4, int)))
    assert counts.sum() == 501 * 4


def test_subsets_and_branches():
    pool, other = (envpool.make("CartPole-v1", num_envs=4, seed=3) for _ in range(2))
    pool.reset()
    other.reset()
    handle, _, _, step = pool.xla()

    def push(action, handle):
        return step(handle, jnp.full(2, action), jnp.asarray([3, 1]))

    @jax.jit
    def run(handle, flag):
        return lax.cond(flag, functools.partial(push, 1), functools.partial(push, 0), handle)

    for flag in (True, False, True):
        handle, result = run(handle, flag)
        same(result, other.step(np.full(2, int(flag)), np.asarray([3, 1])))


def test_calls_outside_of_programs_come_in_their_order():
    pool, other = (envpool.make("CartPole-v1", num_envs=2, seed=3) for _ in range(2))
    pool.reset()
    other.reset()
    handle, recv, send, _ = pool.xla()
    for number in range(50):
        action = np.full(2, number % 2)
        send(handle, action)  # the returned handle is not used
        same(recv(handle)[1], other.step(action))


def test_no_python_runs_in_the_loop():
    pool = envpool.make("CartPole-v1", num_envs=2, num_threads=1)
    pool.reset()
    handle, _, _, step = pool.xla()
    run = jax.jit(lambda handle, inputs: lax.scan(step, handle, inputs)[0])
    inputs = jnp.zeros((100, 2), int)
    run(handle, inputs).block_until_ready()
    before = pool.save_state()
    calls = []
    pool._compiled_step = calls.append  # fails if Python is called
    pool.step = pool.send = pool.recv = calls.append
    run(handle, inputs).block_until_ready()
    assert not calls
    assert pool.save_state() != before


def test_what_is_wrong_is_said():
    pool = envpool.make("CartPole-v1", num_envs=3)
    handle, recv, send, step = pool.xla()
    with pytest.raises(jax.errors.JaxRuntimeError, match="0 results in flight"):
        jax.block_until_ready(jax.jit(recv)(handle))
    pool.reset()
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"5 for env 1; allowed: whole numbers 0"):
        jax.block_until_ready(jax.jit(step)(handle, jnp.asarray([0, 5, 0])))
    with pytest.raises(ActionError, match=r"shape \(2,\)"):
        jax.jit(send)(handle, jnp.zeros(2, int))
    with pytest.raises(ActionError, match="keys wrong"):
        send(handle, {"wrong": np.zeros(3)})
    with pytest.raises(EnvIdError, match="float32"):
        send(handle, np.zeros(3), np.zeros(3))
    with pytest.raises(jax.errors.JaxRuntimeError, match="env id 3"):
        jax.block_until_ready(jax.jit(step)(handle, jnp.zeros(1, int), jnp.asarray([3])))
    # No result was lost.
    assert jax.jit(step)(handle, jnp.zeros(3, int))[1][0].shape == (3, 4)


def test_a_program_that_outlives_its_pool():
    pool = envpool.make("CartPole-v1", num_envs=2)
    pool.reset()
    handle, *_, step = pool.xla()
    program = jax.jit(step).lower(handle, jnp.zeros(2, int)).compile()
    program(handle, jnp.zeros(2, int))
    del pool, step, _
    jax.clear_caches()
    gc.collect()
    with pytest.raises(jax.errors.JaxRuntimeError, match="no pool that lives"):
        jax.block_until_ready(program(handle, jnp.zeros(2, int)))


def test_64_bits():
    with enable_x64(True):
        pool, other = (envpool.make("Pendulum-v1", "dm", num_envs=2, seed=1) for _ in range(2))
        pool.reset()
        other.reset()
        handle, *_, step = pool.xla()
        same(
            jax.jit(step)(handle, jnp.zeros((2, 1), jnp.float64))[1],
            other.step(np.zeros((2, 1))),
        )


def test_masked_reset_after_a_program():
    pool = envpool.make("CartPole-v1", "vector", num_envs=2, seed=1)
    pool.reset()
    handle, *_, step = pool.xla()
    jax.block_until_ready(jax.jit(step)(handle, jnp.zeros(2, int)))
    # The last observations went to JAX: they are not those that an earlier reset returned.
    with pytest.raises(envpool.errors.StateError, match="the last observation"):
        pool.reset(options={"reset_mask": np.asarray([True, False])})


def test_two_pools_side_by_side():
    pools = [envpool.make("CartPole-v1", num_envs=2, seed=seed) for seed in (1, 2)]
    results = {}

    def play(number):
        pool = pools[number]
        pool.reset()
        handle, *_, step = pool.xla()
        run = jax.jit(lambda h, a: lax.scan(step, h, a))
        results[number] = run(handle, jnp.zeros((200, 2), int))[1][0]

    threads = [threading.Thread(target=play, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for seed, number in ((1, 0), (2, 1)):
        with envpool.make("CartPole-v1", num_envs=2, seed=seed) as alone:
            alone.reset()
            for step in range(200):
                assert np.array_equal(results[number][step], alone.step(np.zeros(2, int))[0])
