# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it.

Tasks of a class share an environment: a few get all checks, and the others only the checks of a
task's own data; by default a sample of them, with fewer checks.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from contracts import checks_of
from envpool.testing import check_task
from envpool_myosuite import FAMILY
from sampling import FULL, sampled

SMALL: dict[str, Any] = {"render_width": 24, "render_height": 24, "render_quality": "fast"}
WHOLE = (
    *("myoFatiElbowPose1D6MExoRandom-v0", "myoFingerReachRandom-v0", "myoReafHandPoseRandom-v0"),
    *("MyoHandMugPass-v0", "MyoHandCupRandom-v0", "myoLegStandRandom-v0"),
    "myoFatiLegRoughTerrainWalk-v0",
    *("myoHandKeyTurnRandom-v0", "myoHandObjHoldRandom-v0", "myoHandPenTwirlRandom-v0"),
    *("myoHandReorient100-v0", "myoTorsoPoseFixed-v0", "myoChallengeDieReorientP2-v0"),
    *("myoChallengeRelocateP2-v0", "myoChallengeBaodingP2-v1", "myoChallengeChaseTagP2-v0"),
)
# These resemble others, with larger models.
WHOLE_IN_FULL = (
    *("myoChallengeOslRunRandom-v0", "myoChallengeSoccerP2-v0"),
    *("myoChallengeTableTennisP2-v0", "myoChallengeBimanual-v0"),
)
# Beside those that follow a motion. Only the rough terrain is drawn, and the draws of RelocateP1
# and SoccerP1 are not observed.
DRAW_NOTHING = re.compile(
    r"((?<!OslRun)Fixed|Leg(HillyTerrain|StairTerrain)?Walk|(Relocate|Baoding|Soccer)P1|TennisP0)-v[01]$"
)
VARIANT = re.compile("myo(Sarc|Fati|Reaf)")  # muscles that are weak or tire, a tendon moved
TASKS = {task.id: task for task in FAMILY.envpool_tasks()}
IDS = sampled(TASKS, 60, salt="contract", always=WHOLE)


@pytest.mark.parametrize("task_id", IDS)
def test_contract(task_id: str) -> None:
    whole = task_id in WHOLE or (FULL and task_id in WHOLE_IN_FULL)
    checks = checks_of(whole, is_variant=VARIANT.match(task_id) is not None)
    options = TASKS[task_id].defaults
    fixed = options.get("reference", "random") != "random"
    if DRAW_NOTHING.search(task_id):
        fixed = options.get("reset_type") != "random"
    check_task(task_id, num_envs=2, steps=8, checks=checks, deterministic=fixed, **SMALL)


def test_contract_of_images() -> None:
    # Drawing a frame takes longer than a hundred steps.
    small = {"from_pixels": True, "max_episode_steps": 3, **SMALL}
    checks = checks_of(whole=FULL)
    check_task("myoFingerPoseRandom-v0", num_envs=2, steps=4, checks=checks, **small)
