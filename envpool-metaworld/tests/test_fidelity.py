# SPDX-License-Identifier: Apache-2.0
"""Tasks beside Meta-World's, step by step: nothing may differ, in any bit.

`python tools/fidelity.py envpool-metaworld` compares every task for longer.
"""

from __future__ import annotations

import metaworld_reference
import numpy as np
import pytest
from metaworld_reference import NAMES
from sampling import FULL, sampled


@pytest.mark.parametrize("name", NAMES)
def test_equal(name: str) -> None:
    """Each task, by default through a few short episodes of two environments."""
    steps, num_envs, limit = (500, 4, 120) if FULL else (24, 2, 10)
    comparison = metaworld_reference.compare(name, steps, num_envs, limit=limit)
    assert comparison.equal, comparison.differing
    # The last episode has ended when it is cut, a step before its reset.
    assert comparison.counts["episodes"] == (steps + 1) // (limit + 1) * num_envs


# One task of each way to reward, until its scripted policy has succeeded.
SOLVED = ("reach-v3", "push-v3", "button-press-v3", "door-open-v3", "drawer-close-v3")


@pytest.mark.parametrize("name", SOLVED)
def test_equal_until_success(name: str) -> None:
    comparison = metaworld_reference.compare(name, 250, 1, limit=250)
    assert comparison.equal, comparison.differing
    assert comparison.counts["successes"] > 0


@pytest.mark.parametrize("goals", ["mt1", "ml1-test", "single"])
@pytest.mark.parametrize("name", sampled(NAMES, 1, salt="goals"))
def test_known_goals(name: str, goals: str) -> None:
    """The fifty goals of a seed, and which of them an episode has; the reference takes long."""
    comparison = metaworld_reference.compare(name, 12, 1, limit=3, goals=goals, hidden=True)
    assert comparison.equal, comparison.differing


# Draws that are repeated, and those of tasks in which the hand comes to its place otherwise.
LOOPS = ("push-v3", "sweep-into-v3", "assembly-v3", "box-close-v3", "lever-pull-v3")


@pytest.mark.parametrize("name", sampled(NAMES, 0, always=LOOPS))
def test_starts(name: str) -> None:
    """Under `--full` of all tasks; the reference takes most of the time."""
    many = 1000 if name in LOOPS else 100
    assert metaworld_reference.compare_starts(name, many if FULL else 10) == []


def test_a_wrong_number_is_noticed() -> None:
    """The control: what the comparison is worth."""
    found = metaworld_reference.compare("push-v3", 2, 1, ours={"frame_skip": 6})
    assert {"observation", "reward", "infos unscaled_reward"} <= set(found.differing)


def test_actions_beyond_their_space() -> None:
    """Moves are clipped, and the gripper's number is not, as in the reference."""
    env = metaworld_reference.Reference("pick-place-v3", 3, "random", hidden=True)
    env.reset()
    import envpool

    with envpool.make("MetaWorld/pick-place-v3", seed=3) as pool:
        pool.reset()
        for grip in (3.0, -2.0):
            action = np.array([1.5, -4.0, 0.5, grip], np.float32)
            theirs = env.env.step(action)
            ours = pool.step(action[None])
            np.testing.assert_array_equal(ours[0][0], theirs[0])
            assert ours[4]["unscaled_reward"][0] == theirs[1]
