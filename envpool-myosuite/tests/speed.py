# SPDX-License-Identifier: Apache-2.0
"""CPU time of a step beside the original EnvPool, and beside MyoSuite's own environments.

Actions are random; resets are a part of the time. MyoSuite's figure is one environment in a Python
loop.
Python.
"""

from __future__ import annotations

from pathlib import Path

from comparison import ENVPOOL_NAME, Row, Side, pools
from cpu_times import CpuTimes

PACKAGE = "MyoSuite"
NUM_ENVS = 8
# Least ratios of the median task.
MEDIANS = {ENVPOOL_NAME: 1.3, PACKAGE: 1.3}
# One of each class.
TASKS = (
    *("myoElbowPose1D6MRandom-v0", "myoFingerReachRandom-v0", "MyoHandMugPass-v0"),
    *("myoLegStandRandom-v0", "myoLegWalk-v0", "myoHandKeyTurnRandom-v0"),
    *("myoHandObjHoldRandom-v0", "myoHandPenTwirlRandom-v0", "myoHandReorient100-v0"),
    *("myoTorsoPoseFixed-v0", "myoChallengeDieReorientP2-v0", "myoChallengeRelocateP2-v0"),
    *("myoChallengeBaodingP2-v1", "myoChallengeOslRunRandom-v0", "myoChallengeChaseTagP2-v0"),
    *("myoChallengeSoccerP2-v0", "myoChallengeTableTennisP2-v0", "myoChallengeBimanual-v0"),
)


def row(task: str) -> Row:
    """One task."""
    file = Path(__file__).parent / "myosuite_loop.py"
    variables = {"PYTHONPATH": str(Path(__file__).parents[2] / "tools"), "MUJOCO_GL": "egl"}
    alone = Side(PACKAGE, {"task": task}, "loop", file=file, steps=1, variables=variables)
    return Row((task, str(NUM_ENVS)), NUM_ENVS, [*pools(task, NUM_ENVS, num_threads=1), alone])


TABLES = [CpuTimes("MyoSuite", [row(task) for task in TASKS], MEDIANS)]
