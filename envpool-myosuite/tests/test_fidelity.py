# SPDX-License-Identifier: Apache-2.0
"""Tasks beside MyoSuite's, step by step: nothing may differ, in any bit (but see `TURN`).

`python tools/fidelity.py envpool-myosuite` compares every task for longer.
"""

from __future__ import annotations

import envpool
import myosuite_reference
import numpy as np
import pytest
from envpool_myosuite import FAMILY
from sampling import FULL, sampled

IDS = [task.id for task in FAMILY.envpool_tasks()]
MOTIONS = [task_id for task_id in IDS if task_id.startswith("MyoHand")]
# One task of each model and condition; a model of the hand takes a second to load.
KINDS = (
    *("motorFingerReachRandom-v0", "motorFingerPoseRandom-v0", "myoFingerPoseRandom-v0"),
    *("myoSarcFingerReachRandom-v0", "myoFatiElbowPose1D6MRandom-v0"),
    *("myoElbowPose1D6MExoRandom-v0", "myoHandPoseRandom-v0", "myoReafHandReachRandom-v0"),
    *("myoSarcArmReachRandom-v0", "myoFatiLegStandRandom-v0", "myoLegWalk-v0"),
    *("myoLegRoughTerrainWalk-v0", "myoLegHillyTerrainWalk-v0", "myoLegStairTerrainWalk-v0"),
    *("myoHandKeyTurnRandom-v0", "myoFatiHandObjHoldRandom-v0", "myoReafHandPenTwirlRandom-v0"),
    *("myoHandReorient8-v0", "myoSarcHandReorientID-v0", "myoTorsoExoPoseFixed-v0"),
    *("myoChallengeDieReorientP2-v0", "myoChallengeRelocateP2-v0", "myoChallengeBaodingP2-v1"),
    "myoFatiChallengeDieReorientP1-v0",
    *("myoFatiChallengeOslRunRandom-v0", "myoChallengeChaseTagP2-v0", "myoChallengeSoccerP2-v0"),
    *("myoChallengeTableTennisP2-v0", "myoChallengeBimanual-v0"),
)


# A motion with initial angles, a motion with a quaternion, and a drawn goal.
FOLLOWED = ("MyoHandAirplaneFly-v0", "MyoHandAirplaneRandom-v0", "MyoHandHandInspect-v0")
OTHERS = [task_id for task_id in IDS if task_id not in MOTIONS]


@pytest.mark.parametrize("task_id", sampled(OTHERS, 4, salt="myosuite", always=KINDS))
def test_equal(task_id: str) -> None:
    steps, num_envs, limit = (120, 2, 29) if FULL else (30, 2, 11)
    comparison = myosuite_reference.compare(task_id, steps, num_envs, limit=limit)
    assert comparison.equal, comparison.differing
    assert comparison.counts["episodes"] >= steps // (limit + 1) * num_envs


@pytest.mark.parametrize("task_id", sampled(MOTIONS, 8, salt="motions", always=FOLLOWED))
def test_motions(task_id: str) -> None:
    steps, num_envs, limit = (120, 2, 29) if FULL else (30, 2, 11)
    comparison = myosuite_reference.compare(task_id, steps, num_envs, limit=limit)
    assert comparison.equal, comparison.differing
    assert comparison.counts["episodes"] > 0


@pytest.mark.parametrize("task_id", FOLLOWED)
def test_motions_are_equal_in_every_bit_with_the_same_quaternion(task_id: str) -> None:
    with myosuite_reference.plain_turns():
        comparison = myosuite_reference.compare(task_id, 30, 2, limit=11, turn=0.0)
    assert comparison.equal, comparison.differing


# Tasks that repeat a draw until it fits: a contact, hills, the opponent's distance.
AGAIN = [f"Relocate{phase}" for phase in ("P1", "P2", "P2eval")]
AGAIN += [f"ChaseTag{phase}" for phase in ("P1", "P2", "P2eval")]
# And where the ground of a run comes from another generator there.
STARTS = [
    f"myo{muscles}Challenge{task}-v0"
    for muscles in ("", "Sarc", "Fati")
    for task in (*AGAIN, "OslRunRandom")
]
SOME = [f"myoChallenge{task}-v0" for task in ("RelocateP2", "ChaseTagP2", "ChaseTagP2eval")]
SOME.append("myoChallengeOslRunRandom-v0")


@pytest.mark.parametrize("task_id", STARTS if FULL else SOME)
def test_starts(task_id: str) -> None:
    """Two resets under each of many seeds, and a step after them."""
    count = 4
    if FULL:
        # Muscles are the same at a start, tired or not.
        count = 200 if task_id.startswith("myoChallenge") else 20
    with envpool.make(task_id, num_envs=count, seed=1000) as pool:
        action = np.zeros((count, *pool.action_space.shape), np.float32)
        ours = [pool.reset()[0].copy(), pool.reset()[0].copy(), pool.step(action)[0].copy()]
    for i in range(count):
        env = myosuite_reference.make_reference(task_id, 1000 + i)
        wanted = [myosuite_reference.reset(env), myosuite_reference.reset(env)]
        wanted.append(myosuite_reference.step(env, action[i])[0])
        for seen, expected in zip(ours, wanted, strict=True):
            np.testing.assert_array_equal(seen[i], expected)


def test_an_episode_ends_where_the_tips_are_far() -> None:
    comparison = myosuite_reference.compare("myoHandReachRandom-v0", 40, 2)
    assert comparison.equal, comparison.differing
    assert comparison.counts["episodes"] > 0


def test_a_wrong_number_is_noticed() -> None:
    """The control: the comparison finds a small change."""
    for wrong, expected in (
        ({"target_high": [2.2701]}, {"observation", "infos rwd_dense", "infos rwd_sparse"}),
        ({"target_high": [2.2700000001]}, {"infos rwd_dense", "infos rwd_sparse"}),
        ({"act_reg_weight": np.nextafter(1.0, 2)}, {"infos rwd_dense"}),
    ):
        found = myosuite_reference.compare("myoElbowPose1D6MRandom-v0", 9, 2, ours=wrong)
        assert expected <= set(found.differing), wrong
