# SPDX-License-Identifier: Apache-2.0
"""Plays a task of Gymnasium beside ours, and says what differs.

    differences = compare("Ant-v5", steps=1000)
    assert not differences.found, differences

Nothing is allowed to differ: both compute with the same library, and what Python adds to it is
rounded as NumPy rounds it. The reward is Gymnasium's float64 as float32, which a pool returns.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import envpool
import gymnasium
import mujoco
import numpy as np

UNKNOWN_TO_GYMNASIUM = {"env_id", "players", "elapsed_step", "mujoco_warning"}


@dataclass
class Differences:
    """By array, how many values were compared, and the largest difference where there was one."""

    steps: int = 0
    episodes: int = 0
    compared: dict[str, int] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)

    def look(self, name: str, ours: Any, theirs: Any) -> None:
        """Compares one array, bit for bit; NaN equals NaN."""
        a, b = np.asarray(ours), np.asarray(theirs)
        self.compared[name] = self.compared.get(name, 0) + a.size
        if a.shape != b.shape:
            self.found[name] = f"shape {a.shape}, not {b.shape}"
        elif not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            worst = np.max(np.abs(a.astype(float) - b.astype(float)))
            self.found.setdefault(name, f"first off by {worst:.2g} in step {self.steps}")

    def columns(self) -> dict[str, str]:
        """For the table of fidelity."""
        parts = {
            "observation": ("obs",),
            "reward": ("reward",),
            "ends": ("terminated", "truncated"),
        }
        texts = {"episodes": str(self.episodes), "steps": str(self.steps)}
        for column, names in parts.items():
            texts[column] = "; ".join(self.found[n] for n in names if n in self.found) or "equal"
        infos = {name: text for name, text in self.found.items() if name.startswith("info")}
        texts["infos"] = "; ".join(f"{name}: {text}" for name, text in infos.items()) or "equal"
        return texts


def make_reference(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Gymnasium's environment; Pusher-v4 as well, which it refuses to make with MuJoCo 3."""
    with warnings.catch_warnings(), mock.patch.object(mujoco, "__version__", "2.3.7"):
        warnings.simplefilter("ignore")
        return gymnasium.make(task_id, disable_env_checker=True, **options)


def compare(
    task_id: str, steps: int, num_envs: int = 2, seed: int = 5, **options: Any
) -> Differences:
    """Steps both with the same random actions; environments that end begin again."""
    differences = Differences()
    references = [make_reference(task_id, **options) for _ in range(num_envs)]
    rng = np.random.default_rng(seed)
    space = references[0].action_space
    assert isinstance(space, gymnasium.spaces.Box)
    with envpool.make(task_id, num_envs=num_envs, seed=seed, **options) as pool:
        assert pool.action_space == space
        assert pool.observation_space == references[0].observation_space
        observations, info = pool.reset()
        for i, reference in enumerate(references):
            theirs = reference.reset(seed=seed + i)
            differences.look("obs", observations[i], theirs[0])
            _look_at_infos(differences, info, theirs[1], i)
        ended = [False] * num_envs
        for _ in range(steps):
            actions = rng.uniform(space.low, space.high, (num_envs, *space.shape)).astype("f4")
            ours = pool.step(actions)
            differences.steps += num_envs
            for i, reference in enumerate(references):
                if ended[i]:
                    wanted: tuple[Any, ...] = (*reference.reset(), 0.0, False, False)
                    wanted = (wanted[0], *wanted[2:], wanted[1])
                    differences.episodes += 1
                else:
                    wanted = reference.step(actions[i])
                ended[i] = wanted[2] or wanted[3]
                names = ("obs", "reward", "terminated", "truncated")
                for name, got, value in zip(names, ours, wanted, strict=False):
                    value = np.float32(value) if name == "reward" else value
                    differences.look(name, got[i], value)
                _look_at_infos(differences, ours[4], wanted[4], i)
    return differences


def _look_at_infos(
    differences: Differences, ours: Mapping[str, Any], theirs: Mapping[str, Any], i: int
) -> None:
    for name, value in theirs.items():
        if name in ours:
            differences.look(f"info {name}", ours[name][i], value)
        else:
            differences.found[f"info {name}"] = "missing"
