# SPDX-License-Identifier: Apache-2.0
"""Asynchronous pools: results in the order in which environments finish, the same as one by one."""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any

import envpool
import envpool_python
import gymnasium
import numpy as np
import pytest
from envpool.errors import RecvTimeoutError
from gated import Gated
from toys import Steady

TIMEOUT = 60.0


def test_results_come_in_the_order_in_which_environments_finish(tmp_path: Any) -> None:
    gates = [tmp_path / str(i) for i in range(4)]
    with envpool_python.make(
        [lambda gate=gate: Gated(str(gate)) for gate in gates], batch_size=1, num_workers=4
    ) as pool:
        pool.async_reset()
        for _ in range(4):
            pool.recv(timeout=TIMEOUT)
        pool.send(np.zeros(4, np.int64), np.arange(4))
        for env_id in (2, 0, 3, 1):
            gates[env_id].touch()
            info = pool.recv(timeout=TIMEOUT)[4]
            assert info["env_id"].tolist() == [env_id]
        pool.send(np.zeros(1, np.int64), np.array([0]))
        with pytest.raises(RecvTimeoutError):
            pool.recv(timeout=0.05)
        gates[0].touch()
        assert pool.recv(timeout=TIMEOUT)[4]["env_id"].tolist() == [0]


@pytest.mark.parametrize("start_method", ["forkserver", "spawn"])
def test_every_mode_has_the_same_trajectories(start_method: str) -> None:
    """Any batch size and number of workers: as `gymnasium.make` one by one."""
    steps, num_envs = 60, 5
    references = []
    for env_id in range(num_envs):
        env = gymnasium.make("CartPole-v1", max_episode_steps=20)
        seen, over = [env.reset(seed=7 + env_id)[0]], False
        for step in range(steps):
            if over:
                obs, over = env.reset()[0], False
            else:
                obs, _, terminated, truncated, _ = env.step((env_id + step) % 2)
                over = terminated or truncated
            seen.append(obs)
        references.append(seen)
    for batch_size, num_workers in ((5, 1), (5, 3), (2, 3), (1, 5)):
        with envpool.make(
            "python:CartPole-v1",
            num_envs=num_envs,
            batch_size=batch_size,
            num_workers=num_workers,
            max_episode_steps=20,
            start_method=start_method,
            seed=7,
        ) as pool:
            assert pool.compiled.num_threads == num_workers
            pool.async_reset()
            at = np.zeros(num_envs, np.int64)
            while at.min() < steps:
                obs, *_, info = pool.recv(timeout=TIMEOUT)
                ids = info["env_id"]
                for row, env_id in enumerate(ids):
                    if at[env_id] <= steps:
                        np.testing.assert_array_equal(obs[row], references[env_id][at[env_id]])
                pool.send((ids + at[ids]) % 2, ids)
                at[ids] += 1


def test_a_slow_environment_holds_up_no_other_by_default(tmp_path: Any) -> None:
    gates = [tmp_path / str(i) for i in range(4)]
    make = [lambda gate=gate: Gated(str(gate)) for gate in gates]
    with envpool_python.make(make, batch_size=1) as pool:
        pool.async_reset()
        for _ in range(4):
            pool.recv(timeout=TIMEOUT)
        pool.send(np.zeros(4, np.int64), np.arange(4))
        for env_id in (3, 2, 1):  # while 0 does not return
            gates[env_id].touch()
            assert pool.recv(timeout=TIMEOUT)[4]["env_id"].tolist() == [env_id]
        gates[0].touch()
        pool.recv(timeout=TIMEOUT)


@pytest.mark.parametrize(
    ("options", "workers"),
    [({}, 2), ({"batch_size": 1}, 16), ({"batch_size": 1, "num_threads": 3}, 3)],
)
def test_default_numbers_of_workers(
    options: dict[str, Any], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1})
    with envpool_python.make([functools.partial(Steady, False)] * 17, **options) as pool:
        assert pool.compiled.num_workers == workers


@pytest.mark.parametrize("infos", [False, True])
def test_the_parent_runs_no_python_for_each_environment(infos: bool) -> None:
    """A step of many environments has the Python calls of a step of few."""
    counts = []
    for num_envs in (4, 32):
        make = functools.partial(Steady, infos)
        with envpool_python.make([make] * num_envs, num_workers=2) as pool:
            pool.reset(seed=1)
            actions = np.zeros(num_envs, np.int64)
            for _ in range(2):
                calls = 0

                def count(frame: Any, event: str, argument: Any) -> None:
                    nonlocal calls
                    calls += event in ("call", "c_call")

                sys.setprofile(count)
                pool.step(actions)
                sys.setprofile(None)
            counts.append(calls)
    assert counts[0] == counts[1] > 0


def test_a_pool_waits_without_the_gil(tmp_path: Any) -> None:
    gate = tmp_path / "gate"
    with envpool_python.make([lambda: Gated(str(gate))]) as pool:
        pool.reset()
        opener = threading.Timer(0.1, gate.touch)
        opener.start()
        pool.step(np.zeros(1, np.int64))  # would wait for ever if the other thread could not run
        opener.join()


def test_dm_env() -> None:
    with envpool.make("python:CartPole-v1", "dm", num_envs=2, max_episode_steps=3) as pool:
        assert pool.reset().first().all()
        for _ in range(3):
            step = pool.step(np.zeros(2, np.int64))
        assert step.last().all() and (step.discount == 1).all()
        assert step.observation.obs.shape == (2, 4)


def test_frames() -> None:
    reference = gymnasium.make("CartPole-v1", render_mode="rgb_array")
    with envpool.make("python:CartPole-v1", num_envs=2, render_mode="rgb_array") as pool:
        pool.reset(seed=1)
        reference.reset(seed=2)
        pool.step(np.array([0, 1]))
        reference.step(1)
        np.testing.assert_array_equal(pool.render([1])[0], reference.render())
    reference.close()
