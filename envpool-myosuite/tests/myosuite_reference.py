# SPDX-License-Identifier: Apache-2.0
"""Plays a task of MyoSuite beside ours, and says what differs.

    differences = compare("myoHandPoseRandom-v0", steps=500)
    assert not differences.found, differences

Nothing is allowed to differ: both compute with the same library, and what Python adds to it is
rounded as NumPy rounds it. The reward is the reference's as float32, which a pool returns, and in
float64 as the info `rwd_dense`.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import envpool
import gymnasium
import numpy as np

with (
    contextlib.redirect_stdout(io.StringIO()),
    contextlib.redirect_stderr(io.StringIO()),
    warnings.catch_warnings(),
):
    warnings.simplefilter("ignore")
    import myosuite  # noqa: F401 (it registers its ids)

INFOS = ("time", "rwd_dense", "rwd_sparse", "solved", "done")


@dataclass
class Differences:
    """By array, how many values were compared, and the first difference where there was one."""

    steps: int = 0
    episodes: int = 0
    compared: dict[str, int] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)

    def look(self, name: str, ours: Any, theirs: Any) -> None:
        """Compares one array, bit for bit."""
        a, b = np.asarray(ours), np.asarray(theirs)
        self.compared[name] = self.compared.get(name, 0) + a.size
        if a.shape != b.shape or a.dtype != b.dtype:
            self.found[name] = f"{a.dtype} {a.shape}, not {b.dtype} {b.shape}"
        elif a.tobytes() != b.tobytes():
            away = np.abs(a.astype(float) - b.astype(float))
            text = f"first off by {np.max(away):.2g} at {np.argmax(away)} in step {self.steps}"
            self.found.setdefault(name, text)

    def columns(self) -> dict[str, str]:
        """For the table of fidelity."""
        texts = {"episodes": str(self.episodes), "steps": str(self.steps)}
        for column in ("observation", "reward", "ends", "infos"):
            found = [f"{n}: {t}" for n, t in self.found.items() if n.startswith(column)]
            texts[column] = "; ".join(found) or "equal"
        return texts


def make_reference(task_id: str, seed: int) -> Any:
    """MyoSuite's environment, which is seeded when it is made and never again."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gymnasium.make(task_id, seed=seed, disable_env_checker=True).unwrapped


def compare(
    task_id: str,
    steps: int,
    num_envs: int = 4,
    seed: int = 5,
    limit: int = 100,
    ours: Mapping[str, Any] | None = None,
) -> Differences:
    """Steps both with the same random actions; environments that end begin again.

    Args:
        task_id: The task.
        steps: Steps of each environment.
        num_envs: How many environments.
        seed: Of the first one, and of the actions.
        limit: Steps of an episode.
        ours: Options of ours only.
    """
    differences = Differences()
    references = [make_reference(task_id, seed + i) for i in range(num_envs)]
    rng = np.random.default_rng(seed)
    shape = references[0].action_space.shape
    with envpool.make(
        task_id, num_envs=num_envs, seed=seed, max_episode_steps=limit, **(ours or {})
    ) as pool:
        assert pool.action_space == references[0].action_space
        observations, _ = pool.reset()
        for i, env in enumerate(references):
            differences.look("observation", observations[i], env.reset()[0])
        length, ended = [0] * num_envs, [False] * num_envs
        for _ in range(steps):
            actions = rng.uniform(-1.2, 1.2, (num_envs, *shape)).astype(np.float32)
            obs, rewards, terminated, truncated, info = pool.step(actions)
            differences.steps += num_envs
            for i, env in enumerate(references):
                if ended[i]:
                    wanted, reward, done, length[i] = env.reset()[0], 0.0, False, 0
                    differences.episodes += 1
                else:
                    wanted, reward, done, _, told = env.step(actions[i])
                    length[i] += 1
                    for key in INFOS:
                        theirs = np.squeeze(told[key])
                        differences.look(f"infos {key}", info[key][i], theirs)
                ended[i] = done or length[i] == limit
                differences.look("observation", obs[i], wanted)
                differences.look("reward", rewards[i], np.float32(reward))
                differences.look("ends terminated", terminated[i], np.bool_(done))
                differences.look("ends truncated", truncated[i], np.bool_(length[i] == limit))
    return differences
