# SPDX-License-Identifier: Apache-2.0
"""The family with the installed Gymnasium: the session `beside` has the oldest versions.

Gymnasium's environments are the reference, so trajectories are equal to the last bit.
MountainCarContinuous and Pendulum are not compared: Gymnasium computes them otherwise with NumPy 1,
which promotes float32.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import dm_env
import envpool
import envpool.integrations
import fidelity
import gymnasium
import jax
import numpy as np
import pytest
from envpool_classic._findings import COMPARED, images

HAS_VECTORS = hasattr(gymnasium.vector, "AutoresetMode")  # Gymnasium 1.0 and newer


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Acrobot-v1", "MountainCar-v0"])
def test_episodes_are_those_of_gymnasium(task_id: str) -> None:
    pool = envpool.make(task_id, num_envs=2)
    references: list[Any] = [gymnasium.make(task_id) for _ in range(2)]
    obs, _ = pool.reset(seed=5)
    for row, reference in enumerate(references):
        np.testing.assert_array_equal(obs[row], reference.reset(seed=5 + row)[0])
    over = np.zeros(2, bool)
    pool.action_space.seed(1)
    for _ in range(300):
        action = np.stack([pool.action_space.sample() for _ in range(2)])
        obs, reward, terminated, truncated, _ = pool.step(action)
        for row, reference in enumerate(references):
            if over[row]:
                np.testing.assert_array_equal(obs[row], reference.reset()[0])
                continue
            expected = reference.step(action[row])
            np.testing.assert_array_equal(obs[row], expected[0])
            assert reward[row] == np.float32(expected[1])
            assert (terminated[row], truncated[row]) == expected[2:4]
        over = terminated | truncated
    pool.close()


def test_other_versions_are_told_and_not_compared() -> None:
    said = {one.package: one.unlike() for one in COMPARED}
    assert said.keys() == {"gymnasium", "numpy"}
    found = gymnasium.__version__
    assert bool(said["gymnasium"]) == (found not in COMPARED[0].versions)
    if said["gymnasium"]:
        assert said["gymnasium"].startswith(f"{found} is installed, compared was 1.4.0: ")
    lines = fidelity.unlike_versions("envpool-classic")
    assert len(lines) == sum(map(bool, said.values()))
    assert all(said[line.partition(":")[0]] in line for line in lines)
    assert images().status == ("ok" if HAS_VECTORS and int(found.split(".")[1]) >= 4 else "warning")


def test_other_interfaces() -> None:
    with envpool.make_dm("CartPole-v1", num_envs=2) as pool:
        timestep = pool.reset()
        assert isinstance(timestep, dm_env.TimeStep)
        assert timestep.first().all()
    if HAS_VECTORS:
        assert isinstance(envpool.make("CartPole-v1", "vector"), gymnasium.vector.VectorEnv)
    else:
        with pytest.raises(envpool.errors.ConfigError, match="pip install --upgrade gymnasium"):
            envpool.make("CartPole-v1", "vector")


def test_programs_of_jax() -> None:
    """They call the pool themselves; JAX up to 0.7 needs another version of that interface."""
    pool, other = (envpool.make("CartPole-v1", num_envs=3, seed=1) for _ in range(2))
    pool.reset()
    other.reset()
    handle, *_, step = pool.xla()
    actions = np.array([0, 1, 1], np.int32)
    assert "ffi_call" in str(jax.make_jaxpr(step)(handle, actions))
    for _ in range(3):
        handle, result = jax.jit(step)(handle, actions)
        for got, expected in zip(result[:4], other.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(np.asarray(got), expected)


def test_wrappers() -> None:
    if not HAS_VECTORS:
        with pytest.raises(envpool.errors.ConfigError, match="pip install --upgrade gymnasium"):
            envpool.integrations.EpisodeStatistics  # noqa: B018
        return
    envs = envpool.integrations.EpisodeStatistics(envpool.make("CartPole-v1", num_envs=2))
    envs.reset()
    for _ in range(50):
        envs.step(np.zeros(2, int))
    assert envs.return_queue


def test_command() -> None:
    code = "from envpool.cli import main; main(['list-envs', 'CartPole*'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert "CartPole-v1" in done.stdout
