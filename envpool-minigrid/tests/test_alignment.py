# SPDX-License-Identifier: Apache-2.0
"""Every task gives, from the same seed, the levels, episodes and frames of minigrid: bit for bit.

The test plays a few; `python tools/fidelity.py envpool-minigrid` compares 1,000 levels and 8,000
steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from alignment import align
from minigrid.core.world_object import Key
from minigrid.envs.babyai.core.verifier import GoToInstr
from minigrid.minigrid_env import MiniGridEnv
from references import FRAME_CASES, ID_CASES, MODE_CASES, VIEW_CASES, WFC_CASES, Case
from sampling import FULL, sampled


@pytest.mark.parametrize("case", ID_CASES, ids=str)
def test_episodes_are_those_of_the_reference(case: Case) -> None:
    # No tolerance: levels and rules are whole numbers, and a reward is rounded once.
    assert not align(case, case.steps if FULL else 24).differing


@pytest.mark.parametrize("case", WFC_CASES if FULL else WFC_CASES[:2], ids=str)
def test_levels_made_of_a_picture(case: Case) -> None:
    """Some take minigrid seconds; these are one whose free cells come in a set's order, and one."""
    assert not align(case, 20 if FULL else 8).differing


@pytest.mark.parametrize("case", sampled(MODE_CASES + VIEW_CASES, 24), ids=str)
def test_observations_are_those_of_the_wrappers(case: Case) -> None:
    assert not align(case, case.steps if FULL else 16).differing


@pytest.mark.parametrize("case", sampled(FRAME_CASES, 12), ids=str)
def test_frames_are_those_of_the_reference(case: Case) -> None:
    assert not align(case, case.steps if FULL else 6).differing


def test_a_level_without_a_pose_of_the_agent_is_drawn_again() -> None:
    """Some of these levels of SynthS5R2 are levels from which minigrid never returns."""
    (case,) = (case for case in ID_CASES if case.task_id == "BabyAI-SynthS5R2-v0")
    assert not align(case, 2000 if FULL else 120, seed=9).differing


def dearer_steps(world: Any) -> float:
    return 1 - 0.90001 * (world.step_count / world.max_steps)


def other_draw(world: Any, low: int, high: int) -> int:
    return int(low + world.np_random.random() * (high - low))


def walk_over(thing: Any) -> bool:
    return True


def other_word(verb: Any, env: Any) -> str:
    return "walk to " + verb.desc.surface(env)


@pytest.mark.parametrize(
    ("task_id", "owner", "name", "changed"),
    [
        ("MiniGrid-Empty-5x5-v0", MiniGridEnv, "_reward", dearer_steps),
        ("MiniGrid-DoorKey-5x5-v0", MiniGridEnv, "_rand_int", other_draw),
        ("MiniGrid-Fetch-5x5-N2-v0", Key, "can_overlap", walk_over),
        ("BabyAI-GoToLocal-v0", GoToInstr, "surface", other_word),
    ],
)
def test_a_changed_rule_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
    task_id: str,
    owner: type,
    name: str,
    changed: Callable[..., Any],
) -> None:
    """A control of the comparison."""
    monkeypatch.setattr(owner, name, changed)
    assert align(Case(task_id), 100).differing
