# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, from the same seed and with the same actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import envpool
import numpy as np
from envpool_minigrid import decode_mission
from policy import Player
from references import Case, bound_poses, quiet, reward32

UNIT = "steps"
NUM_ENVS = 4


@dataclass
class Alignment:
    """The differences between a task and its reference.

    Attributes:
        levels: Number of levels whose whole grid, start and mission were compared.
        episodes: Number of finished episodes.
        successes: Number of episodes with a reward.
        steps: Steps of single environments.
        differences: Number of unequal numbers, in all observations and rewards, and of missions.
    """

    levels: int = 0
    episodes: int = 0
    successes: int = 0
    steps: int = 0
    differences: int = 0

    def columns(self) -> dict[str, str]:
        """Names and contents of the columns of a table."""
        return {
            "levels": str(self.levels),
            "steps": str(self.steps),
            "episodes": str(self.episodes),
            "paid": str(self.successes),
            "differences": str(self.differences),
        }


def align(case: Case, steps: int, seed: int = 2024) -> Alignment:
    """Compares half as many levels as steps, then `steps` steps of each of four environments.

    Raises:
        AssertionError: An episode ends otherwise than in the reference.
    """
    result = Alignment()
    _levels(case, result, steps // 2, seed)
    _play(case, result, steps, seed)
    return result


def _levels(case: Case, result: Alignment, amount: int, seed: int) -> None:
    """Compares whole grids, episode after episode without a new seed."""
    config = {**case.config, "obs_mode": "full"}
    references = [case.environment() for _ in range(NUM_ENVS)]
    for reference in references:
        bound_poses(reference)
    with envpool.make(
        case.task_id, env_type="gymnasium", num_envs=NUM_ENVS, seed=seed, **config
    ) as pool:
        for turn in range(max(1, amount // NUM_ENVS)):
            observations, info = pool.reset()
            for i, reference in enumerate(references):
                quiet(reference.reset, **({"seed": seed + i} if turn == 0 else {}))
                world = reference.unwrapped
                expected = world.grid.encode()
                x, y = (int(v) for v in world.agent_pos)
                expected[x, y] = (10, 0, world.agent_dir)
                result.levels += 1
                result.differences += int((observations["image"][i] != expected).sum())
                result.differences += tuple(info["agent_pos"][i]) != (x, y)
                result.differences += int(observations["direction"][i] != world.agent_dir)
                result.differences += decode_mission(observations["mission"][i]) != world.mission
                result.differences += int(info["max_steps"][i] != world.max_steps)


class Reference:
    """One reference environment with EnvPool's next-step autoreset."""

    def __init__(self, case: Case, seed: int) -> None:
        """Seeds it once; later episodes continue with the same generator."""
        self.env = case.environment()
        bound_poses(self.env)
        self.player = Player(self.env.unwrapped, seed)
        self.observation, _ = quiet(self.env.reset, seed=seed)
        self.over = False

    def step(self, action: int) -> tuple[float, bool, bool]:
        """One step, or the reset that follows the end; returns reward, terminated, truncated."""
        if self.over:
            self.over = False
            self.observation, _ = quiet(self.env.reset)
            self.player.new_episode()
            return 0.0, False, False
        self.observation, reward, terminated, truncated, _ = self.env.step(action)
        self.over = terminated or truncated
        return reward, terminated, truncated


def _play(case: Case, result: Alignment, steps: int, seed: int) -> None:
    references = [Reference(case, seed + i) for i in range(NUM_ENVS)]
    actions_known = int(references[0].env.action_space.n)
    frames = {} if case.frames is None else {"render_mode": "rgb_array", **case.frames}
    with envpool.make(
        case.task_id, env_type="gymnasium", num_envs=NUM_ENVS, seed=seed, **case.config, **frames
    ) as pool:
        observations, _ = pool.reset()
        _compare(result, references, observations)
        for _ in range(steps):
            actions = [min(r.player.action(), actions_known - 1) for r in references]
            result.steps += sum(not r.over for r in references)
            expected = [r.step(a) for r, a in zip(references, actions, strict=True)]
            observations, rewards, terminated, truncated, _ = pool.step(np.array(actions, np.int32))
            for i, (reward, ends, stops) in enumerate(expected):
                assert (terminated[i], truncated[i]) == (ends, stops), (str(case), i, result)
                result.differences += rewards[i] != reward32(reward)
                result.episodes += ends or stops
                result.successes += reward > 0
            _compare(result, references, observations)
            if frames:
                drawn = pool.render(env_ids=np.arange(NUM_ENVS))
                for frame, r in zip(drawn, references, strict=True):
                    expected_frame = r.env.render()
                    assert frame.shape == expected_frame.shape
                    result.differences += int((frame != expected_frame).sum())


def _compare(result: Alignment, references: list[Reference], observations: Any) -> None:
    for i, reference in enumerate(references):
        expected = reference.observation
        assert observations["image"][i].shape == expected["image"].shape
        result.differences += int((observations["image"][i] != expected["image"]).sum())
        result.differences += int(observations["direction"][i] != expected["direction"])
        result.differences += decode_mission(observations["mission"][i]) != expected["mission"]
