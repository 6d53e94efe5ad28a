# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, from the same seed and with the same actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import envpool
import gymnasium
import numpy as np
from numpy.typing import NDArray
from references import Case

UNIT = "steps"


@dataclass
class Alignment:
    """The differences between a task and its reference.

    Attributes:
        episodes: Number of finished episodes.
        steps: Steps of single environments.
        observation: Largest difference of two elements of an observation.
        reward: Largest difference of two rewards.
        frames: Number of compared frames.
        pixel: Largest difference of two bytes of a frame.
    """

    episodes: int = 0
    steps: int = 0
    observation: float = 0.0
    reward: float = 0.0
    frames: int = 0
    pixel: int = 0

    def columns(self) -> dict[str, str]:
        """The cells of the table on the page."""

        def words(difference: float) -> str:
            return "equal" if difference == 0 else f"{difference:.2g}"

        return {
            "episodes": str(self.episodes),
            "steps": str(self.steps),
            "observation": words(self.observation),
            "reward": words(self.reward),
            "frames": f"{self.frames}, {words(self.pixel)}" if self.frames else "",
        }


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


def align(case: Case, steps: int, num_envs: int = 4, seed: int = 2024) -> Alignment:
    """Plays that many steps of each environment, over resets, without a new seed.

    Args:
        case: The task.
        steps: Of each environment, resets included.
        num_envs: How many environments.
        seed: Of the first one.

    Raises:
        AssertionError: An episode ends otherwise than in the reference, or has another info.
    """
    references = [Reference(case.make(), seed + i) for i in range(num_envs)]
    space = references[0].env.action_space
    space.seed(seed)
    policies = [case.policy() if case.policy else None for _ in references]
    discrete = isinstance(space, gymnasium.spaces.Discrete)
    dtype = np.dtype(np.int32 if discrete else case.dtype)
    result = Alignment()
    mode = {"render_mode": "rgb_array"} if case.frames else {}
    config = {**case.config, **mode}
    with envpool.make(
        case.task_id, env_type="gymnasium", num_envs=num_envs, seed=seed, **config
    ) as pool:
        observations, _ = pool.reset()
        for number in range(steps + 1):
            for i, reference in enumerate(references):
                _differ(result, observations[i], reference.observation)
            # Gymnasium's drawings depend on the number of calls of render: one call per step.
            if case.frames:
                frames = [reference.env.render() for reference in references]
                if number % case.frames == 0:
                    _compare_frames(result, pool.render(list(range(num_envs))), frames)
            if number == steps:
                break
            actions = np.array(
                [
                    policy(np.asarray(r.observation)) if policy else space.sample()
                    for policy, r in zip(policies, references, strict=True)
                ]
            ).astype(dtype)
            result.steps += sum(not r.over for r in references)
            # Gymnasium gets the float32 that a pool makes of any action.
            given = actions if discrete else actions.astype(np.float32)
            expected = [r.step(a) for r, a in zip(references, given, strict=True)]
            observations, rewards, terminated, truncated, info = pool.step(actions)
            for i, (reward, ends, stops) in enumerate(expected):
                assert (terminated[i], truncated[i]) == (ends, stops), (str(case), i, result)
                for key, value in references[i].info.items():
                    assert info[key][i] == value, (str(case), i, key)
                result.reward = max(result.reward, abs(float(rewards[i] - np.float32(reward))))
                result.episodes += ends or stops
    return result


def _differ(result: Alignment, got: NDArray[Any], expected: NDArray[Any]) -> None:
    assert got.shape == expected.shape and got.dtype == expected.dtype
    difference = np.abs(np.subtract(got, expected, dtype=np.float64)).max()
    result.observation = max(result.observation, float(difference))


def _compare_frames(
    result: Alignment, got: NDArray[np.uint8], expected: list[NDArray[np.uint8]]
) -> None:
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.shape == theirs.shape
        result.frames += 1
        result.pixel = max(result.pixel, int(np.abs(ours.astype(int) - theirs).max()))
