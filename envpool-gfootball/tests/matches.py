# SPDX-License-Identifier: Apache-2.0
"""Plays a scenario one game at a time and digests all results, with our pool or with the package.

    python matches.py pool '[{"scenario": "5_vs_5", "seed": 3, "steps": 100, "agents": [2, 1]}]'
    env $(python package.py) python matches.py package '[...]'

prints the same as playing.py. Both sides begin each episode with the job's seed and number, and get
the same actions.
says, and get the same actions.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from playing import library

_AGENTS = [f"number_of_{side}_players_agent_controls" for side in ("left", "right")]
_NUM_ACTIONS = {"default": 19, "v2": 20, "full": 33}
_TEAM = {"": "f4", "_direction": "f4", "_tired_factor": "f4", "_yellow_card": "?", "_active": "?"}
_TEAM["_roles"] = "i4"
_RAW = dict.fromkeys(("ball", "ball_direction", "ball_rotation"), "f4")
_RAW |= dict.fromkeys(("ball_owned_team", "ball_owned_player", "score", "steps_left"), "i4")
_RAW |= dict.fromkeys(("game_mode", "designated", "active"), "i4")
_RAW |= {f"{team}_team{name}": kind for team in ("left", "right") for name, kind in _TEAM.items()}
_RAW["sticky_actions"] = "u1"
"""The raw observation's arrays and their types; the package's float64 hold float32 values."""


@dataclasses.dataclass(frozen=True)
class Job:
    """A scenario, in the form for both sides.

    Attributes:
        scenario: The package's name.
        seed: Seed of actions, and of the engine's seeds.
        steps: Number of all steps; episodes follow each other.
        agents: Numbers of the left and the right side's players that agents play.
        observation: The option's value.
        rewards: The option's value.
        action_set: The option's value.
    """

    scenario: str
    seed: int
    steps: int
    agents: Sequence[int] = (1, 0)
    observation: str = "raw"
    rewards: str = "scoring,checkpoints"
    action_set: str = "default"

    def episode(self, number: int) -> tuple[int, int]:
        """The engine's seed and the number of an episode, which decides on the sides."""
        return (self.seed * 7919 + number * 104729) % 2_000_000_001, number + 2


class Side(Protocol):
    """A side of the comparison."""

    def reset(self, engine_seed: int, episode: int) -> list[Any]:
        """A new episode; returns arrays."""
        ...

    def step(self, actions: list[int]) -> tuple[list[Any], Any, bool]:
        """Arrays, rewards of all players, and whether the episode is over."""
        ...


class Pool:
    """Our side."""

    def __init__(self, job: Job) -> None:
        """Makes a pool of one game."""
        import envpool

        options = dict(zip(_AGENTS, job.agents, strict=True))
        for name in ("observation", "rewards", "action_set"):
            options[name] = getattr(job, name)
        self._pool = envpool.make(f"gfootball/{job.scenario}-v1", **options)

    def reset(self, engine_seed: int, episode: int) -> list[Any]:
        """See Side."""
        again = {"engine_seed": engine_seed, "episode_number": episode}
        return self._arrays(self._pool.reset(options=again)[0])

    def step(self, actions: list[int]) -> tuple[list[Any], Any, bool]:
        """See Side."""
        obs, reward, terminated, truncated, _ = self._pool.step(np.array(actions, np.int32))
        return self._arrays(obs), reward, bool(terminated[0] or truncated[0])

    @staticmethod
    def _arrays(obs: Any) -> list[Any]:
        if not isinstance(obs, dict):
            return list(obs)
        arrays = []
        for player in range(len(obs["active"])):
            for name, kind in _RAW.items():
                value = obs[name][player]
                assert value.dtype == kind, name
                if "_team" in name and name != "ball_owned_team":
                    # Rows of players that a side lacks.
                    side = name.partition("_")[0]
                    value = value[obs[f"{side}_team_roles"][player] >= 0]
                arrays.append(value)
        return arrays


class Package:
    """gfootball's own environment, without the wrappers that need an old Gym."""

    def __init__(self, job: Job) -> None:
        """Makes an environment."""
        from gfootball.env import config, football_env, observation_preprocessing, wrappers

        left, right = job.agents
        players = [f"agent:left_players={left},right_players={right}"]
        self._config = config.Config(
            {"level": job.scenario, "players": players, "action_set": job.action_set}
        )
        self._env = football_env.FootballEnv(self._config)
        self._paid = None
        if "checkpoints" in job.rewards:
            self._paid = wrappers.CheckpointRewardWrapper(self._env)
        self._converted = {
            "smm": observation_preprocessing.generate_smm,
            "simple115v2": lambda obs: wrappers.Simple115StateWrapper.convert_observation(
                obs, True
            ),
        }.get(job.observation)

    def reset(self, engine_seed: int, episode: int) -> list[Any]:
        """See Side."""
        self._config["game_engine_random_seed"] = engine_seed
        self._config["episode_number"] = episode - 1
        # It is the lowest bit of the seed, which is read before it is set.
        self._config.serialize().pop("reverse_team_processing", None)
        if self._paid is not None:
            self._paid._collected_checkpoints = {}
        return self._arrays(self._env.reset())

    def step(self, actions: list[int]) -> tuple[list[Any], Any, bool]:
        """See Side."""
        obs, reward, done, _ = self._env.step(actions)
        if self._paid is not None:
            reward = self._paid.reward(reward)
        return self._arrays(obs), reward, bool(done)

    def _arrays(self, obs: Any) -> list[Any]:
        if self._converted is not None:
            return list(self._converted(obs))
        return [np.array(each[name]).astype(kind) for each in obs for name, kind in _RAW.items()]


def play(side: Side, job: Job) -> str:
    """A digest of observations, rewards and ends."""
    found = hashlib.sha256()
    rng = np.random.default_rng(job.seed)

    def note(arrays: Sequence[Any]) -> None:
        for array in arrays:
            value = np.ascontiguousarray(array)
            found.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())

    episode = 0
    note(side.reset(*job.episode(episode)))
    count = sum(job.agents)
    for _ in range(job.steps):
        action = rng.integers(0, _NUM_ACTIONS[job.action_set], count)
        eager = rng.random(count)  # to the right, and shots
        action = np.where(eager < 0.4, 5, np.where(eager < 0.5, 12, action))
        arrays, reward, done = side.step(action.tolist())
        note([*arrays, np.asarray(reward, np.float32), np.bool_(done)])
        if done:
            episode += 1
            note(side.reset(*job.episode(episode)))
    return found.hexdigest()[:32]


def main(side: str, jobs: Sequence[dict[str, Any]]) -> None:
    """Prints the digests of the jobs."""
    made = Pool if side == "pool" else Package
    digests = [play(made(job), job) for job in (Job(**each) for each in jobs)]
    print(json.dumps({"library": library(), "digests": digests}))


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
