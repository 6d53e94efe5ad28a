# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, from the same seed and with the same actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import envpool
import gymnasium
import numpy as np
from numpy.typing import NDArray
from references import Case


@dataclass
class Alignment:
    """The differences between a task and its reference.

    Attributes:
        episodes: Number of finished episodes.
        steps: Steps of single environments.
        observation: Largest difference of two elements of an observation, or of a shared info.
        reward: Largest difference of two rewards.
    """

    episodes: int = 0
    steps: int = 0
    observation: float = 0.0
    reward: float = 0.0


class Reference:
    """One reference environment with EnvPool's next-step autoreset."""

    def __init__(self, env: gymnasium.Env[Any, Any], seed: int) -> None:
        """Seeds it once; later episodes continue with the same generator."""
        self.env = env
        self.observation, self.info = env.reset(seed=seed)
        self.over = False

    def step(self, action: Any) -> tuple[float, bool, bool]:
        """One step, or the reset that follows the end; returns reward, terminated, truncated."""
        if self.over:
            self.over = False
            self.observation, self.info = self.env.reset()
            return 0.0, False, False
        self.observation, reward, terminated, truncated, self.info = self.env.step(action)
        self.over = terminated or truncated
        return float(reward), terminated, truncated


def align(case: Case, episodes: int, num_envs: int = 4, seed: int = 2024) -> Alignment:
    """Plays until `episodes` have ended.

    Raises:
        AssertionError: An episode ends otherwise than in the reference.
    """
    rng = np.random.default_rng(seed)
    references = [Reference(case.make(), seed + i) for i in range(num_envs)]
    space = references[0].env.action_space
    space.seed(seed)
    result = Alignment()
    with envpool.make(
        case.task_id, env_type="gymnasium", num_envs=num_envs, seed=seed, **case.config
    ) as pool:
        observations, info = pool.reset()
        while True:
            _compare(result, references, observations, info)
            if result.episodes >= episodes:
                return result
            actions = [
                case.policy(np.asarray(r.observation), rng) if case.policy else space.sample()
                for r in references
            ]
            result.steps += sum(not r.over for r in references)
            expected = [r.step(a) for r, a in zip(references, actions, strict=True)]
            dtype = np.int32 if np.ndim(actions[0]) == 0 else np.float32
            observations, rewards, terminated, truncated, info = pool.step(np.array(actions, dtype))
            for i, (reward, ends, stops) in enumerate(expected):
                assert (terminated[i], truncated[i]) == (ends, stops), (case, i, result)
                result.reward = max(result.reward, abs(rewards[i] - np.float32(reward)))
                result.episodes += ends or stops


def _compare(
    result: Alignment,
    references: list[Reference],
    observations: NDArray[Any],
    info: Mapping[str, Any],
) -> None:
    for i, reference in enumerate(references):
        pairs = [(observations[i], np.asarray(reference.observation))]
        pairs += [(info[k][i], np.asarray(v)) for k, v in reference.info.items() if k in info]
        for got, expected in pairs:
            assert got.shape == expected.shape
            rounded = expected.astype(got.dtype)  # Gymnasium's probabilities are float64
            difference = np.abs(np.subtract(got, rounded, dtype=np.float64)).max()
            result.observation = max(result.observation, float(difference))
