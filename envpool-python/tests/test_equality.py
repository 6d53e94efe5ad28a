# SPDX-License-Identifier: Apache-2.0
"""The same results as `gymnasium.vector.SyncVectorEnv`: rewards as float32, all else exactly."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from pathlib import Path

import envpool
import envpool_python
import gymnasium
import numpy as np
import pytest
from alignment import MODES, NUM_ENVS, compare
from envpool.errors import ConfigError, StateError, WorkerError
from gymnasium.vector import SyncVectorEnv
from toys import SPACES, Sampler


@pytest.mark.parametrize("mode", MODES)
def test_every_observation_space(mode: str) -> None:
    for name in SPACES:
        make = functools.partial(Sampler, name)
        reference = SyncVectorEnv([make] * NUM_ENVS, autoreset_mode=MODES[mode])
        with envpool_python.make(
            [make] * NUM_ENVS, "vector", autoreset_mode=mode, num_workers=2
        ) as pool:
            assert pool.single_observation_space == SPACES[name]
            assert pool.observation_space == reference.observation_space
            assert compare(pool, reference, mode, 40) > 5, name


class Bounded(Sampler):
    """Has bounds of its own."""

    def __init__(self, most: float) -> None:
        super().__init__(infos=False)
        box = gymnasium.spaces.Box(0, most, (2,), np.float32)
        self.observation_space = gymnasium.spaces.Dict(
            {"a": box, "n": gymnasium.spaces.Discrete(3)}
        )


def test_observation_spaces_that_differ() -> None:
    make = [functools.partial(Bounded, most) for most in (1.0, 2.0, 3.0)]
    reference = SyncVectorEnv(make, observation_mode="different")
    with envpool_python.make(make, "vector", observation_mode="different", num_workers=2) as pool:
        assert pool.observation_space == reference.observation_space
        assert pool.single_observation_space == reference.single_observation_space
        compare(pool, reference, "next_step", 10)
    with pytest.raises(WorkerError, match=r"observation_mode='different'.*may differ"):
        envpool_python.make(make)
    make[1] = functools.partial(Sampler, "box")
    with pytest.raises(WorkerError, match=r"the observation_space of environment 1 is Box"):
        envpool_python.make(make, observation_mode="different")


def _launchers() -> list[int]:
    """Running processes that this process has started for environments."""
    found = []
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"_launcher" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
    return found


def test_frames_of_text() -> None:
    reference = SyncVectorEnv(
        [lambda: gymnasium.make("FrozenLake-v1", render_mode="ansi")] * NUM_ENVS
    )
    for env_type in ("vector", "gymnasium"):
        with envpool.make(
            "python:FrozenLake-v1", env_type, num_envs=NUM_ENVS, render_mode="ansi"
        ) as pool:
            reference.reset(seed=1)
            pool.reset(seed=1)
            for action in (2, 1, 2):
                pool.step(np.full(NUM_ENVS, action))
                reference.step(np.full(NUM_ENVS, action))
            assert tuple(pool.render(range(NUM_ENVS))) == reference.render()
    with pytest.raises(ConfigError, match="cannot draw itself as 'ansi'"):
        envpool.make("python:CartPole-v1", render_mode="ansi")
    assert not _launchers(), "a pool that was refused has left its worker behind"


def test_every_action_space() -> None:
    for name in SPACES:
        make = functools.partial(Sampler, "box", name)
        reference = SyncVectorEnv([make] * NUM_ENVS)
        with envpool_python.make([make] * NUM_ENVS, "vector", num_workers=2) as pool:
            assert pool.single_action_space == SPACES[name]
            compare(pool, reference, "next_step", 20)


@pytest.mark.parametrize("env_type", ["vector", "gymnasium"])
def test_options_of_reset(env_type: str) -> None:
    """Gymnasium's documented options of CartPole: bounds of its start."""
    reference = SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * NUM_ENVS)
    near, far = {"low": -0.01, "high": 0.01}, {"low": 0.1, "high": 0.2}
    with envpool.make("python:CartPole-v1", env_type, num_envs=NUM_ENVS, num_workers=2) as pool:
        for options in (near, None, far, {}):
            ours, _ = pool.reset(seed=3, options=options)
            np.testing.assert_array_equal(ours, reference.reset(seed=3, options=options)[0])
        mask = np.array([True, False, True])
        ours, _ = pool.reset(options={"reset_mask": mask, **far})
        theirs, _ = reference.reset(options={"reset_mask": mask, **far})
        np.testing.assert_array_equal(ours, theirs if env_type == "vector" else theirs[mask])
        # Options of a refused reset do not apply to the next one.
        with pytest.raises(ConfigError, match="seed"):
            pool.reset(seed=-1, options=far)
        np.testing.assert_array_equal(pool.reset(seed=3)[0], reference.reset(seed=3)[0])
        with pytest.raises(ConfigError, match="cannot be pickled"):
            pool.reset(options={"lock": threading.Lock()})
        pool.send(np.zeros(NUM_ENVS, np.int64))
        with pytest.raises(StateError, match="3 results in flight"):
            pool.reset(options=near)
        pool.recv()
        with pytest.raises(WorkerError, match="Lower bound"):
            pool.reset(options={"low": 1.0, "high": -1.0})
        pool.close()
        ours, _ = pool.reset(seed=3, options=near)
        np.testing.assert_array_equal(ours, reference.reset(seed=3, options=near)[0])
    reference.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "task_id",
    ["CartPole-v1", pytest.param("LunarLander-v3", marks=pytest.mark.needs_box2d), "Taxi-v4"],
)
def test_gymnasium_tasks(task_id: str, mode: str) -> None:
    kwargs = {"max_episode_steps": 30}
    reference = SyncVectorEnv(
        [lambda: gymnasium.make(task_id, **kwargs)] * NUM_ENVS, autoreset_mode=MODES[mode]
    )
    with envpool.make(
        f"python:{task_id}", "vector", num_envs=NUM_ENVS, autoreset_mode=mode, **kwargs
    ) as pool:
        assert compare(pool, reference, mode, 70) >= NUM_ENVS
