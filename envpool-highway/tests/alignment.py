# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, from the same seed and with the same actions."""

from __future__ import annotations

# isort: off
from references import Case, Reference

# isort: on
import sys
from dataclasses import dataclass
from typing import Any

import envpool
import gymnasium
import numpy as np
from numpy.typing import NDArray

UNIT = "steps"
NUM_ENVS = 4
# In the info of a reset, the package's action is drawn from a space without a seed.
_DRAWN = ("lane_change_reward", "action_reward")


@dataclass
class Alignment:
    """The differences between a task and its reference.

    Attributes:
        episodes: Number of finished episodes.
        terminated: Number of episodes that did not end by time.
        steps: Steps of single environments.
        differences: Number of unequal numbers, in observations, rewards in float64 and infos.
        frames: Number of compared frames.
        pixels: Number of unequal bytes of frames.
    """

    episodes: int = 0
    terminated: int = 0
    steps: int = 0
    differences: int = 0
    frames: int = 0
    pixels: int = 0

    def columns(self) -> dict[str, str]:
        """Names and contents of the columns of a table."""
        return {
            "steps": str(self.steps),
            "episodes": str(self.episodes),
            "terminated": str(self.terminated),
            "differences": str(self.differences),
            "frames": f"{self.frames}, {self.pixels} bytes differ" if self.frames else "",
        }


def align(case: Case, steps: int, num_envs: int = NUM_ENVS, seed: int = 2024) -> Alignment:
    """Plays that many steps of each environment, over resets, without a new seed.

    Raises:
        AssertionError: An episode ends otherwise than in the reference.
    """
    result = Alignment()
    references = [Reference(case, seed + i) for i in range(num_envs)]
    space = references[0].env.action_space
    space.seed(seed)
    options: dict[str, Any] = {"config": dict(case.config)} if case.config else {}
    if case.frames:
        options["render_mode"] = "rgb_array"
    if case.limit is not None:
        options["max_episode_steps"] = case.limit
    with envpool.make(
        case.task_id, env_type="gymnasium", num_envs=num_envs, seed=seed, **options
    ) as pool:
        observations, infos = pool.reset()
        _compare(result, references, observations, infos, [True] * num_envs)
        for _ in range(steps):
            actions = [_act(space, reference) for reference in references]
            result.steps += sum(not r.over for r in references)
            resets = [r.over for r in references]
            for reference, action in zip(references, actions, strict=True):
                reference.step(action)
            observations, rewards, terminated, truncated, infos = pool.step(_rows(actions))
            for i, r in enumerate(references):
                got = (bool(terminated[i]), bool(truncated[i]))
                assert got == (r.terminated, r.truncated), (str(case), i, result)
                if not resets[i]:
                    result.differences += not _same_reward(infos["exact_reward"][i], r.reward)
                if not case.own_rewards:
                    paid = rewards.reshape(num_envs, -1)[i]
                    exact = 0 if resets[i] else infos["exact_reward"][i]
                    result.differences += int((paid != np.float32(exact)).sum())
                result.episodes += r.over
                result.terminated += r.terminated
            _compare(result, references, observations, infos, resets)
            if case.frames:
                drawn = pool.render(env_ids=np.arange(num_envs))
                for frame, r in zip(drawn, references, strict=True):
                    result.frames += 1
                    result.pixels += int((frame != r.render()).sum())
    return result


def _act(space: gymnasium.Space[Any], reference: Reference) -> Any:
    """A random action. Actions of wheels are small, so that cars stay on the road for a while."""
    action = space.sample()
    if isinstance(space, gymnasium.spaces.Box):
        return (action * 0.3).astype(np.float32)
    if isinstance(space, gymnasium.spaces.Tuple):
        return tuple((a * 0.3).astype(np.float32) if a.dtype == np.float32 else a for a in action)
    return action


def _rows(actions: list[Any]) -> NDArray[Any]:
    """The actions as a pool takes them: a row for each agent."""
    if isinstance(actions[0], tuple):
        return np.array([agent for action in actions for agent in action])
    return np.array(actions)


def _same_reward(got: float, expected: Any) -> bool:
    """Equal in float64; since Python 3.12, whose `sum` adds with a correction, to the last bits."""
    if sys.version_info < (3, 12):
        return bool(got == float(expected))
    return bool(abs(got - float(expected)) <= 4 * np.spacing(max(abs(got), 1.0)))


def _compare(
    result: Alignment,
    references: list[Reference],
    observations: Any,
    infos: dict[str, Any],
    resets: list[bool],
) -> None:
    for i, r in enumerate(references):
        agents = r.observation if r.has_agents else (r.observation,)
        for k, expected in enumerate(agents):
            row = i * len(agents) + k
            result.differences += _observed_differences(observations, row, expected)
        for key, value in r.info.items():
            if key == "action":
                continue
            if key == "rewards":
                for name, part in value.items():
                    if resets[i] and name in _DRAWN:
                        continue
                    result.differences += not _same_reward(infos["rewards"][name][i], part)
            elif isinstance(value, tuple):
                if resets[i] and key == "agents_rewards":
                    continue
                # The package's info has all agents' cars, also if one of them is the only player.
                got = infos[key].reshape(len(references), -1)[i]
                result.differences += int((got != np.array(value)[: len(got)]).sum())
            elif key == "is_success":
                result.differences += bool(infos[key].reshape(len(references), -1)[i, 0]) != value
            else:
                result.differences += bool(infos[key][i] != value)


def _observed_differences(observations: Any, row: int, expected: Any) -> int:
    """Unequal numbers of one agent's observation: an array, or a dict or tuple of arrays."""
    if isinstance(expected, tuple):
        expected = {str(k): value for k, value in enumerate(expected)}
    if not isinstance(expected, dict):
        return _differences(observations[row], expected)
    # A pool makes no dict of a single array.
    alone = not isinstance(observations, dict)
    return sum(
        _observed_differences(observations if alone else observations[key], row, value)
        for key, value in expected.items()
    )


def _differences(got: NDArray[Any], expected: NDArray[Any]) -> int:
    assert got.shape == expected.shape, (got.shape, expected.shape)
    equal = (got == expected) | (np.isnan(got) & np.isnan(expected))
    return int((~equal).sum())
