# SPDX-License-Identifier: Apache-2.0
"""Tasks beside Gymnasium-Robotics', step by step: nothing may differ, in any bit.

`python tools/fidelity.py envpool-robotics` compares every task for longer.
"""

from __future__ import annotations

from typing import Any

import pytest
import robotics_reference
from references import IDS
from sampling import FULL, sampled

# One task of each kind, by default; short episodes, so that there are many starts.
KINDS: dict[str, tuple[int, dict[str, Any]]] = {
    "FetchReach-v4": (40, {"max_episode_steps": 15}),
    "FetchPush-v4": (40, {"max_episode_steps": 15}),
    "FetchSlideDense-v4": (40, {"max_episode_steps": 15}),
    "FetchPickAndPlaceDense-v4": (40, {"max_episode_steps": 15}),
    "HandReachDense-v3": (30, {"max_episode_steps": 12}),
    "HandManipulateBlockDense-v1": (25, {"max_episode_steps": 12}),
    "HandManipulateBlockRotateParallel-v1": (25, {"max_episode_steps": 12}),
    "HandManipulateEggRotate_ContinuousTouchSensorsDense-v1": (25, {"max_episode_steps": 12}),
    "HandManipulatePenDense-v1": (25, {"max_episode_steps": 12}),
    "HandManipulatePenRotate_BooleanTouchSensors-v1": (25, {"max_episode_steps": 12}),
    "AdroitHandDoor-v1": (60, {"max_episode_steps": 25}),
    "AdroitHandHammer-v1": (60, {"max_episode_steps": 25}),
    "AdroitHandPen-v1": (60, {"max_episode_steps": 25}),
    "AdroitHandRelocate-v1": (60, {"max_episode_steps": 25}),
    "PointMaze_Medium_Diverse_GRDense-v3": (200, {"max_episode_steps": 60}),
    "PointMaze_UMaze-v3": (400, {"continuing_task": False}),
    "PointMaze_Open-v3": (800, {"reset_target": True, "max_episode_steps": 700}),
    "AntMaze_Open_Diverse_G-v3": (40, {"max_episode_steps": 18}),
    "AntMaze_Large_Diverse_GDense-v4": (40, {"max_episode_steps": 18}),
    "AntMaze_UMaze-v5": (60, {"max_episode_steps": 25}),
    "FrankaKitchen-v1": (25, {"max_episode_steps": 10}),
}


@pytest.mark.parametrize("task_id", KINDS)
def test_equal(task_id: str) -> None:
    steps, options = KINDS[task_id]
    comparison = robotics_reference.compare(task_id, steps, 2, **options)
    assert comparison.equal, comparison.differing
    assert comparison.counts["episodes"] or "max_episode_steps" not in options
    assert {"reward", "ends"} < set(comparison.arrays)


@pytest.mark.full
@pytest.mark.parametrize("task_id", [name for name, row in IDS.items() if name == row[0]])
def test_every_task(task_id: str) -> None:
    comparison = robotics_reference.compare(task_id, 120, 2)
    assert comparison.equal, comparison.differing


# Tasks that repeat a draw until it suits: an object beside the gripper, an object that stays in the
# hand, a start away from the goal. Dense rewards make no difference to a start.
LOOPING = ("FetchObject", "HandManipulate", "HandManipulateTouch", "PointMaze", "AntMaze")
LOOPS = [
    name
    for name, (same_as, group, _, _) in IDS.items()
    if name == same_as and str(group).startswith(LOOPING) and "Dense" not in name
]
STARTS = sampled(
    LOOPS,
    0,
    always=(
        *("FetchPush-v4", "FetchSlide-v4", "FetchPickAndPlace-v4"),
        *("HandManipulateBlock-v1", "HandManipulateEgg-v1", "HandManipulatePenRotate-v1"),
        *("PointMaze_UMaze-v3", "PointMaze_Large_Diverse_GR-v3"),
        *("AntMaze_UMaze-v3", "AntMaze_Open-v5"),
    ),
)


@pytest.mark.parametrize("task_id", STARTS)
def test_starts(task_id: str) -> None:
    """Under `--full` of every task with such a draw; that of a hand is slow in the reference."""
    few, many = (12, 200) if task_id.startswith("Hand") else (100, 1000)
    comparison = robotics_reference.compare_starts(task_id, many if FULL else few)
    assert comparison.equal, comparison.differing


def test_a_wrong_constant_is_noticed() -> None:
    """The control: the comparison finds a small change."""
    wrong = {"distance_threshold": 0.06}
    found = robotics_reference.compare("FetchReach-v4", 40, 4, ours=wrong, max_episode_steps=15)
    assert {"reward", "infos is_success"} & set(found.differing)
    wrong = {"initial_slide0": 0.4049 + 1e-9}
    found = robotics_reference.compare("FetchPush-v4", 2, 1, ours=wrong)
    assert "observation observation" in found.differing


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("FetchReach-v4", {"reward_type": "dense"}),
        ("HandManipulateBlock-v1", {"target_rotation": "z", "target_position": "fixed"}),
        ("HandManipulateBlock_BooleanTouchSensors-v1", {"touch_get_obs": "log"}),
        ("AntMaze_UMaze-v5", {"maze_map": [[1, 1, 1, 1], [1, "r", "g", 1], [1, 1, 1, 1]]}),
        ("PointMaze_UMaze-v3", {"maze_map": [[1] * 5, [1, 0, "c", "c", 1], [1] * 5]}),
        ("FrankaKitchen-v1", {"tasks_to_complete": ["kettle", "microwave"]}),
        (
            "FrankaKitchen-v1",
            {"remove_task_when_completed": False, "robot_noise_ratio": 0.0},
        ),
    ],
)
def test_constructor_arguments(task_id: str, options: dict[str, Any]) -> None:
    if "tasks_to_complete" in options:
        robotics_reference.KITCHEN = tuple(options["tasks_to_complete"])
    try:
        comparison = robotics_reference.compare(task_id, 12, 2, max_episode_steps=8, **options)
    finally:
        robotics_reference.KITCHEN = robotics_reference.ALL_KITCHEN
    assert comparison.equal, comparison.differing


SAMPLE = sampled([name for name, row in IDS.items() if name == row[0]], 6, salt="robotics")


@pytest.mark.parametrize("task_id", [name for name in SAMPLE if name not in KINDS])
def test_some_others(task_id: str) -> None:
    comparison = robotics_reference.compare(task_id, 10, 1, max_episode_steps=8)
    assert comparison.equal, comparison.differing
