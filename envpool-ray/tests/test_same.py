# SPDX-License-Identifier: Apache-2.0
"""The same seeds give what one pool in this process gives, bit for bit."""

from __future__ import annotations

import resource
from typing import Any

import envpool
import envpool_ray
import numpy as np
import pytest
from comparing import assert_same

SMALL = {"cpus_per_actor": 1, "num_threads": 1}
BOTH_WAYS = pytest.mark.parametrize("shared_memory", ["shared", "copied"], indirect=True)


@BOTH_WAYS
@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("flavour", ["gymnasium", "vector", "dm"])
def test_synchronous(flavour: str, mode: str) -> None:
    options = {"num_envs": 5, "seed": 3, "autoreset_mode": mode}
    ours = envpool_ray.make("Ledger-v0", flavour, num_actors=2, **SMALL, **options)
    reference = envpool.make("Ledger-v0", flavour, **options)
    chance = np.random.default_rng(0)
    with ours, reference:
        assert_same(ours.reset(), reference.reset())
        for _ in range(40):
            action = chance.integers(0, 6, 5)
            result = reference.step(action)
            assert_same(ours.step(action), result)
            done = result.last() if flavour == "dm" else result[2] | result[3]
            if mode == "disabled" and done.any():
                for pool in (ours, reference):
                    pool_args: Any = {"env_id": np.flatnonzero(done)}
                    if flavour == "vector":
                        pool_args = {"options": {"reset_mask": done}}
                    pool.kept = pool.reset(**pool_args)
                assert_same(ours.kept, reference.kept)
        seeds = {"seed": [9, 1, 1, 70, 2**40]}
        assert_same(ours.reset(**seeds), reference.reset(**seeds))
        assert_same(ours.reset(), reference.reset())  # the generators go on
        states = ours.save_state()
        assert states == reference.save_state()
        after = reference.step(np.ones(5, np.int64))
        ours.step(np.full(5, 2))
        ours.load_state(states)
        assert_same(ours.step(np.ones(5, np.int64)), after)


def test_actors_that_can_have_no_more_files() -> None:
    """They cannot take the caller's memory: one that cannot sends its results."""
    ours = envpool_ray.make("Ledger-v0", num_envs=5, seed=3, num_actors=2, **SMALL)
    with ours, envpool.make("Ledger-v0", num_envs=5, seed=3) as reference:
        kept = [ours.reset()]  # it has accepted the caller's connection
        assert_same(kept[0], reference.reset())
        second = ours.compiled._group.workers[1]
        _, most = resource.prlimit(second.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(second.pid, resource.RLIMIT_NOFILE, (3, most))
        for _ in range(20):
            action = np.ones(5, np.int64)
            kept.append(ours.step(action))  # what is kept cannot be written to again
            assert_same(kept[-1], reference.step(action))
        assert second.restarts == 0


def histories(pool: Any, steps: int) -> list[list[Any]]:
    """The rows of each environment, if its actions depend on nothing but its own past.

    The pool takes `steps` steps, and goes on while an environment has shown nothing: the system may
    hold one actor up while the others answer.
    """
    found: list[list[Any]] = [[] for _ in range(len(pool))]
    chances = [np.random.default_rng(env_id) for env_id in range(len(pool))]
    pool.async_reset()
    taken = 0
    while taken < steps or (not all(found) and taken < 100_000):
        taken += 1
        obs, reward, terminated, truncated, info = pool.recv(timeout=120)
        ids = info["env_id"]
        assert len(ids) == pool.config["batch_size"] == len(obs["ledger"])
        for row, env_id in enumerate(ids.tolist()):
            own = (*obs["ledger"][row].tolist(), float(reward[row]), bool(terminated[row]))
            own = (
                *own,
                bool(truncated[row]),
                int(info["elapsed_step"][row]),
                int(info["draw"][row]),
            )
            found[env_id].append(own)
        pool.send(np.array([chances[env_id].integers(6) for env_id in ids.tolist()]), ids)
    return found


@BOTH_WAYS
@pytest.mark.parametrize(("actors", "batch"), [(1, 3), (3, 5), (4, 8)])
def test_asynchronous(actors: int, batch: int) -> None:
    options = {"num_envs": 10, "batch_size": batch, "seed": 5}
    with envpool_ray.make("Ledger-v0", num_actors=actors, **SMALL, **options) as pool:
        ours = histories(pool, 60)
    with envpool.make("Ledger-v0", num_envs=10, seed=5) as pool:
        reference = histories(pool, 200)
    assert sum(map(len, ours)) >= 60 * batch
    for own, its in zip(ours, reference, strict=True):
        assert own
        compared = min(len(own), len(its))
        assert own[:compared] == its[:compared]


@BOTH_WAYS
def test_players_whose_number_changes() -> None:
    options = {"num_envs": 5, "seed": 2}
    with (
        envpool_ray.make("Crowd-v0", num_actors=2, **SMALL, **options) as ours,
        envpool.make("Crowd-v0", **options) as reference,
    ):
        assert_same(ours.reset(), (result := reference.reset()))
        players = len(result[1]["players"]["env_id"])
        chance = np.random.default_rng(0)
        for _ in range(30):
            action = chance.integers(0, 99, players)
            assert_same(ours.step(action), (now := reference.step(action)))
            players = len(now[0])


@BOTH_WAYS
def test_seeds_of_slices() -> None:
    seeds = [5, 5, 1, 90, 2]
    options = {"num_envs": 5, "seed": seeds}
    with (
        envpool_ray.make("Ledger-v0", num_actors=3, **SMALL, **options) as ours,
        envpool.make("Ledger-v0", **options) as reference,
    ):
        result = ours.reset()
        assert_same(result, reference.reset())
        assert result[0]["ledger"][:, 0].tolist() == seeds
        assert ours.observation_space == reference.observation_space
        assert ours.action_space == reference.action_space
        # Some environments, in an order that is not that of the actors.
        ids = np.array([4, 0, 3], np.int32)
        action = np.array([1, 2, 3])
        assert_same(ours.step(action, ids), reference.step(action, ids))
        for pool in (ours, reference):
            pool.send(np.array([1]), np.array([4]))
            pool.send(np.array([2, 3]), np.array([2, 1]))
        assert_same(ours.recv(), reference.recv())


def test_a_step_of_all_is_one_array() -> None:
    """Each actor writes its rows where the caller reads them, also after one was replaced."""
    with envpool_ray.make("Ledger-v0", num_envs=6, num_actors=3, seed=1, **SMALL) as pool:
        pool.reset()
        buffers = pool._compiled._receiver._buffers
        for _ in range(5):
            obs = pool.step(np.ones(6, np.int64))[0]
            (buffer,) = [buffer for buffer in buffers._buffers if lies_in(obs["ledger"], buffer)]
        before = obs["ledger"].copy()
        kept = obs["ledger"]
        for _ in range(5):
            result = pool.step(np.ones(6, np.int64))
            assert not lies_in(result[0]["ledger"], buffer)
        assert (kept == before).all()
        assert len(buffers._buffers) <= 4


def lies_in(array: Any, buffer: Any) -> bool:
    """Whether an array lies in a buffer."""
    return bool(np.shares_memory(array, np.frombuffer(buffer._memory, np.uint8)))
