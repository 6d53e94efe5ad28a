# SPDX-License-Identifier: Apache-2.0
"""A kind of pool that is one class keeps the contract: here, a simulator behind a socket."""

from __future__ import annotations

import envpool
import numpy as np
import pytest
from envpool.errors import StateError, WorkerError
from envpool.testing import check_task


@pytest.fixture(autouse=True, scope="module")
def task() -> None:
    """Registers it."""
    envpool.register(envpool.Task("Drift-v0", "drift_pool:ENV", max_episode_steps=20))


def test_contract() -> None:
    check_task("Drift-v0", num_envs=3, steps=48)


def test_a_simulator_that_ends() -> None:
    with envpool.make("Drift-v0", num_envs=3) as pool:
        first = pool.reset()[0]
        pool.step(np.ones(3, int))
        pool.compiled.process.kill()
        pool.compiled.process.wait(30)
        with pytest.raises(WorkerError, match="the simulator has ended") as caught:
            pool.step(np.ones(3, int))
        assert [env_id for env_id, _ in caught.value.failures] == [0, 1, 2]
        with pytest.raises(StateError, match="failed before"):
            pool.step(np.ones(3, int))
        # Another one has been started, whose environments have the seeds of those that failed.
        np.testing.assert_array_equal(pool.reset()[0], first)
        assert pool.step(np.ones(3, int))[4]["elapsed_step"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("flavour", ["gymnasium", "vector", "dm"])
def test_what_it_cannot_do_is_refused_in_words(flavour: str) -> None:
    with envpool.make("Drift-v0", flavour, num_envs=2) as pool:
        pool.reset()
        for call, words in (
            (pool.functional, "environments that are no pure functions"),
            (pool.c_pool, "a SocketPool, written in Python"),
            (pool.save_state, "an environment that cannot be saved"),
        ):
            with pytest.raises(envpool.errors.EnvPoolError, match=words):
                call()
