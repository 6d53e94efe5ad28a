# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, for tools/fidelity.py and for tests."""

from __future__ import annotations

from typing import Any

import envpool
from envpool.testing.fidelity import Comparison, StepResult, play_beside
from envpool_minigrid import decode_mission
from policy import Player
from references import Case, bound_poses, quiet

UNIT = "steps"
NUM_ENVS = 4


def align(case: Case, steps: int, seed: int = 2024) -> Comparison:
    """Compares half as many levels as steps, then `steps` steps of each of four environments."""
    result = Comparison({"levels": 0, "episodes": 0, "paid": 0, "steps": 0})
    _levels(case, result, steps // 2, seed)
    _play(case, result, steps, seed)
    return result


def _levels(case: Case, result: Comparison, amount: int, seed: int) -> None:
    """Whole grids, episode after episode without a new seed."""
    references = [Reference(case) for _ in range(NUM_ENVS)]
    config = {**case.config, "obs_mode": "full"}
    with envpool.make(case.task_id, num_envs=NUM_ENVS, seed=seed, **config) as pool:
        for turn in range(max(1, amount // NUM_ENVS)):
            observations, info = pool.reset()
            for i, reference in enumerate(references):
                reference.reset(seed=seed + i if turn == 0 else None)
                world = reference.env.unwrapped
                expected = world.grid.encode()
                x, y = (int(v) for v in world.agent_pos)
                expected[x, y] = (10, 0, world.agent_dir)
                where = f"in env {i}, level {turn}"
                result.count("levels")
                result.compare("grids grid", observations["image"][i], expected, where)
                result.compare("grids start", info["agent_pos"][i], (x, y), where)
                direction = observations["direction"][i]
                result.compare("grids direction", direction, int(world.agent_dir), where)
                mission = decode_mission(observations["mission"][i])
                result.compare("grids mission", mission, world.mission, where)
                result.compare("grids limit", info["max_steps"][i], world.max_steps, where)


class Reference:
    """minigrid's environment without its output; its mission is compared by `_missions`."""

    def __init__(self, case: Case) -> None:
        """Makes it."""
        self.env: Any = case.environment()
        self.mission = ""
        bound_poses(self.env)

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        observation, _ = quiet(self.env.reset, seed=seed)
        return self._without_mission(observation), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step."""
        observation, reward, terminated, truncated, _ = self.env.step(action)
        return self._without_mission(observation), reward, terminated, truncated, {}

    def render(self) -> Any:
        """The frame."""
        return self.env.render()

    def _without_mission(self, observation: dict[str, Any]) -> dict[str, Any]:
        self.mission = observation["mission"]
        return {"image": observation["image"], "direction": int(observation["direction"])}


def _play(case: Case, result: Comparison, steps: int, seed: int) -> None:
    references = [Reference(case) for _ in range(NUM_ENVS)]
    players = [Player(r.env.unwrapped, seed + i) for i, r in enumerate(references)]
    num_actions = int(references[0].env.action_space.n)
    frames = {} if case.frames is None else {"render_mode": "rgb_array", **case.frames}

    def compare_missions(result: Comparison, rows: StepResult) -> None:
        for i, reference in enumerate(references):
            if rows.references[i].is_reset and rows.number:
                players[i].new_episode()
            mission = decode_mission(rows.observation["mission"][i])
            where = f"in env {i}, step {rows.number}"
            result.compare("observation mission", mission, reference.mission, where)
            result.count("paid", rows.references[i].reward > 0)

    with envpool.make(case.task_id, num_envs=NUM_ENVS, seed=seed, **case.config, **frames) as pool:
        play_beside(
            pool,
            references,
            steps=steps,
            seed=seed,
            choose=lambda i, _: min(players[i].action(), num_actions - 1),
            frames=bool(frames),
            also=compare_missions,
            comparison=result,
        )
