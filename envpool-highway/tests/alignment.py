# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, from the same seed and with the same actions."""

from __future__ import annotations

# isort: off
from references import Case, Reference

# isort: on
import sys
from typing import Any

import envpool
import gymnasium
import numpy as np
from envpool.testing.fidelity import Comparison, StepResult, play_beside

UNIT = "steps"
NUM_ENVS = 4
# In the info of a reset, the package's action is drawn from a space without a seed.
_DRAWN = ("lane_change_reward", "action_reward")


def align(case: Case, steps: int, num_envs: int = NUM_ENVS, seed: int = 2024) -> Comparison:
    """Plays that many steps of each environment, over resets, without a new seed."""
    references = [Reference(case) for _ in range(num_envs)]
    space = references[0].action_space
    space.seed(seed)
    options: dict[str, Any] = {"config": dict(case.config)} if case.config else {}
    if case.frames:
        options["render_mode"] = "rgb_array"
    if case.limit is not None:
        options["max_episode_steps"] = case.limit
    with envpool.make(case.task_id, num_envs=num_envs, seed=seed, **options) as pool:
        return play_beside(
            pool,
            references,
            steps=steps,
            seed=seed,
            choose=lambda *_: _act(space),
            select=lambda array, i: _players(array, num_envs, i),
            frames=int(case.frames),
            also=lambda comparison, rows: _compare_infos(case, references, comparison, rows),
        )


def _act(space: gymnasium.Space[Any]) -> Any:
    """A random action; those of wheels are small, so that cars stay on the road for a while."""
    action = space.sample()
    if isinstance(space, gymnasium.spaces.Box):
        return (action * 0.3).astype(np.float32)
    if isinstance(space, gymnasium.spaces.Tuple):
        return tuple((a * 0.3).astype(np.float32) if a.dtype == np.float32 else a for a in action)
    return action


def _players(array: Any, num_envs: int, i: int) -> Any:
    """The rows of an environment's players."""
    return array.reshape(num_envs, -1, *array.shape[1:])[i]


def _rounded(ours: Any, theirs: Any) -> Any:
    """The reference's float64; since Python 3.12, whose `sum` adds with a correction, ours.

    Then four last bits are as many as the corrections of a few terms change.
    """
    expected = float(theirs)
    near = 4 * np.spacing(max(abs(expected), 1.0))
    return ours if sys.version_info >= (3, 12) and abs(ours - expected) <= near else expected


def _compare_infos(
    case: Case, references: list[Reference], comparison: Comparison, rows: StepResult
) -> None:
    """Rewards in float64, and all infos of the package."""
    infos, num_envs = rows.info, len(references)
    for i, reference in enumerate(references):
        where = f"in env {i}, step {rows.number}"
        exact = 0.0
        if not rows.references[i].is_reset:
            exact = infos["exact_reward"][i]
            comparison.compare("reward exact", exact, _rounded(exact, reference.reward), where)
        if rows.number and not case.own_rewards:
            paid = _players(rows.reward, num_envs, i)
            comparison.compare("reward", paid, np.full_like(paid, exact), where)
        for key, value in reference.info.items():
            name = f"infos {key}"
            if key == "action":
                continue
            if key == "rewards":
                for part, theirs in value.items():
                    if not (rows.references[i].is_reset and part in _DRAWN):
                        ours = infos["rewards"][part][i]
                        comparison.compare(f"{name} {part}", ours, _rounded(ours, theirs), where)
            elif isinstance(value, tuple):
                # The package has all cars of agents, also where one of them is a player alone.
                if not (rows.references[i].is_reset and key == "agents_rewards"):
                    ours = _players(infos[key], num_envs, i)
                    comparison.compare(name, ours, list(value)[: len(ours)], where)
            elif key == "is_success":
                comparison.compare(name, _players(infos[key], num_envs, i)[0], value, where)
            else:
                comparison.compare(name, infos[key][i], value, where)
