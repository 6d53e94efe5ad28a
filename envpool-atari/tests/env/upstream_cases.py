# SPDX-License-Identifier: Apache-2.0
"""The cases that EnvPool 1.2.5 and this project play, and the checksums of their rollouts.

Used by record_upstream.py, which runs where EnvPool 1.2.5 is installed, and by the tests, which run
where ours is: this file imports neither.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 50
"""Steps that go into one checksum."""
NUM_ENVS = 2
SEED = 7
ARRAYS = ("obs", "ram", "lives", "reward", "flags", "elapsed_step")
"""The compared arrays; flags are terminated, truncated and the game over of the info."""


class Case(NamedTuple):
    """A rollout.

    Attributes:
        task_id: The task.
        steps: Of every environment, resets included.
        config: Options that differ from the defaults.
        reset_every: After so many steps comes a reset in place of a step; 0: never.
    """

    task_id: str
    steps: int
    config: Mapping[str, Any]
    reset_every: int = 0

    def __str__(self) -> str:
        """The task and its options."""
        options = ", ".join(f"{key}={value!r}" for key, value in self.config.items())
        options += f", reset_every={self.reset_every}" if self.reset_every else ""
        return f"{self.task_id}({options})" if options else self.task_id


_VARIANTS: tuple[dict[str, Any], ...] = (
    {"episodic_life": True},
    {"episodic_life": True, "max_episode_steps": 150},
    {"episodic_life": True, "noop_max": 400},  # frames enough to lose the last life in them
    {"reward_clip": True, "max_episode_steps": 90},
    {"repeat_action_probability": 0.25},
    {"full_action_space": True},
    {"use_fire_reset": False, "noop_max": 1},
    {"noop_max": 7, "stack_num": 1},
    {"gray_scale": False, "stack_num": 2},
    {"img_height": 96, "img_width": 64, "use_inter_area_resize": False},
    {"img_height": 210, "img_width": 160, "stack_num": 1, "gray_scale": False},
    {"frame_skip": 1},
    {"frame_skip": 3, "max_episode_steps": 37},
)
# Tasks with four lives, with one life, with paddles, without FIRE, with modes.
_VARIANT_TASKS = ("Breakout-v5", "MsPacman-v5", "Pong-v5", "Freeway-v5", "Seaquest-v5")
_MODES = (
    ("SpaceInvaders-v5", {"mode": 9, "difficulty": 1}),
    ("Pong-v5", {"mode": 1, "difficulty": 3}),
    ("Breakout-v5", {"mode": 12, "difficulty": 1}),
)


def cases(task_ids: list[str]) -> Iterator[Case]:
    """All cases: every task with its defaults, and some tasks with many options."""
    for task_id in task_ids:
        yield Case(task_id, 1000, {})
    for task_id in _VARIANT_TASKS:
        for config in _VARIANTS:
            yield Case(task_id, 400, config)
    for task_id, config in _MODES:
        yield Case(task_id, 400, config)
    # Resets in the middle of a life; and, the ball being lost after 24 steps, after the end of one.
    for task_id, every in (("Breakout-v5", 73), ("Seaquest-v5", 73), ("Breakout-v5", 25)):
        yield Case(task_id, 600, {"episodic_life": True}, reset_every=every)


def digests(case: Case, pool: Any, is_over: Callable[[Any], Any]) -> NDArray[np.uint32]:
    """Plays a case.

    Args:
        case: The case.
        pool: A synchronous "gymnasium" pool of NUM_ENVS environments, not yet reset.
        is_over: Gives the rows whose newest screen does not count, from the info.

    Returns:
        One checksum per block, environment and array of ARRAYS.
    """
    actions = np.random.default_rng(SEED)
    count = int(pool.action_space.n)
    sums = np.zeros((-(-case.steps // BLOCK), NUM_ENVS, len(ARRAYS)), np.uint32)
    zero = np.zeros(NUM_ENVS)
    obs, info = pool.reset()
    reward, terminated, truncated = zero, zero, zero
    for number in range(case.steps):
        if number and case.reset_every and number % case.reset_every == 0:
            obs, info = pool.reset()
            reward, terminated, truncated = zero, zero, zero
        elif number:
            action = actions.integers(count, size=NUM_ENVS).astype(np.int32)
            obs, reward, terminated, truncated, info = pool.step(action)
        skipped = is_over(info)
        for env in range(NUM_ENVS):
            screens = obs[env]
            if skipped[env]:
                screens = screens[: -max(1, len(screens) // case.config.get("stack_num", 4))]
            flags = (terminated[env], truncated[env], info["terminated"][env])
            rewards = (reward[env], info["reward"][env])
            row = (
                screens,
                info["ram"][env],
                np.asarray(info["lives"][env], np.int32),
                np.asarray(rewards, np.float32),
                np.asarray(flags, np.int8),
                np.asarray(info["elapsed_step"][env], np.int32),
            )
            for index, array in enumerate(row):
                block = sums[number // BLOCK, env]
                block[index] = zlib.crc32(np.ascontiguousarray(array), int(block[index]))
    return sums
