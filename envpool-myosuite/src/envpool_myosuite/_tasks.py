# SPDX-License-Identifier: Apache-2.0
"""The ids of MyoSuite, with descriptions, and the meaning of their options.

These are all 398 of myosuite 2.12.2: poses, reaching, motions that hands follow, hands that turn
and hold objects, standing, walking and the challenges.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from envpool import Task
from envpool_mujoco import family

from . import _arm_challenges, _hand_challenges, _hands, _leg_challenges, _motions
from ._kind import COMMON_DOCS, Kind

MODULE = "envpool_myosuite._myosuite"

_ELBOW = "envs/myo/assets/elbow/myoelbow_1dof6muscles.xml"
_EXO = "envs/myo/assets/elbow/myoelbow_1dof6muscles_1dofexo.xml"
_FINGER = "simhive/myo_sim/finger/myofinger_v0.xml"
_MOTOR = "simhive/myo_sim/finger/motorfinger_v0.xml"
_HAND = "envs/myo/assets/hand/myohand_pose.xml"
_ARM_MODEL = "simhive/myo_sim/arm/myoarm.xml"
TIPS = ("THtip", "IFtip", "MFtip", "RFtip", "LFtip")

CONDITIONS = {"Sarc": "sarcopenia", "Fati": "fatigue", "Reaf": "reafferentation"}
"""The muscles' condition, by the letters that follow "myo" in the id."""
_WORDS = {
    "Sarc": " Muscles have half their force.",
    "Fati": " Muscles tire.",
    "Reaf": " A tendon of the index finger moves the thumb.",
}

_GOALS = {
    **COMMON_DOCS,
    "sites": "sites that go to a goal, each beside one that shows it, named as '<site>_target'",
    "target_low": "least values of the goal: an angle of each joint, or x, y, z of each site",
    "target_high": "greatest values of the goal",
}
_DOCS = {
    "Pose": {
        **_GOALS,
        "target_type": "'generate': drawn at each reset, or 'fixed': target_low",
        "reset_type": "'init': the same start each time, or 'random' angles",
        "pose_thd": "the norm of all angles' errors, in rad, within which a pose is reached",
        "act_reg_weight": "weight of the muscles' activations in the reward",
        "weight_body": "the body whose mass is drawn at each reset, or ''",
        "weight_low": "its least mass in kg",
        "weight_high": "its greatest mass in kg",
    },
    "Reach": {
        **_GOALS,
        "far_th": "metres for each site, beyond whose sum an episode ends",
        "rigid_fingers": "of an arm's model: fingers without joints and muscles, and a site "
        "IFtip_target",
    },
    "Stand": {
        **_GOALS,
        "target_low": "x, y, z of each goal, from where its site is in a pose that is drawn: least",
        "target_high": "their greatest values",
        "joint_random_range": "how far angles of a pose are from the first keyframe's, in rad",
        "far_th": "metres for each site, beyond whose sum an episode ends",
    },
    "Walk": {
        **COMMON_DOCS,
        "min_height": "height of the centre of mass in m, below which an episode ends",
        "max_rot": "how far the body turns before an episode ends: a cosine",
        "hip_period": "steps of a cycle of the hips that is rewarded",
        "reset_type": "'init': one leg before the other; 'random': one of both, with noise; "
        "'none': upright",
        "target_x_vel": "wanted velocity in x, in m/s",
        "target_y_vel": "wanted velocity in y, in m/s",
        "target_rot": "wanted turn of the body as a quaternion, or [] for the first keyframe's",
        "terrain": "'': flat, 'rough', 'hilly' or 'stairs'",
        "variant": "'fixed': hills and stairs of one height, or '': it is drawn at each reset",
    },
    "Track": {
        **COMMON_DOCS,
        "object_name": "what stands for OBJECT_NAME in the model's file, and the object's body",
        "reference": "the motion: a file in the installed myosuite, or one that begins with '.' or "
        "'/', or a dict of arrays: time, robot, robot_vel, object, robot_init, object_init. One "
        "row stays, between two the goal is drawn at each step, more are followed; 'fixed' and "
        "'random' are those of the tasks without a motion",
        "reference_time": "from `reference`: times of the rows in s",
        "reference_robot": "from `reference`: rows of the joints' angles",
        "reference_robot_vel": "from `reference`: rows of their velocities, or nothing",
        "reference_object": "from `reference`: rows of the object's x, y, z and quaternion",
        "robot_init": "from `reference`: where joints begin, else the first row",
        "object_init": "from `reference`: where the object begins, else the first row",
        "motion_start_time": "seconds of the motion that are left out at its beginning",
        "terminate_obj_fail": "an episode ends with the object 25 cm from its goal or the hand",
        "terminate_pose_fail": "an episode ends with squared errors of all angles above 0.75",
    },
    **_hands.DOCS,
    **_hand_challenges.DOCS,
    **_arm_challenges.DOCS,
    **_leg_challenges.DOCS,
}

# Angles in rad of the hand's 23 joints that show the digits 0 to 9 in American Sign Language: three
# zeros of the wrist, then four of each finger, from the thumb on, by the digits that share them.
_FINGERS: tuple[dict[str, tuple[float, ...]], ...] = (
    {
        "09": (0.5624, 0.28272, -0.75573, -1.309),
        "1": (0.0248, 0.04536, -0.7854, -1.309),
        "2": (0.0248, 0.04536, -0.7854, -1.13447),
        "35": (0.3384, 0.25305, 0.01569, -0.0262045),
        "46": (0.6392, -0.147495, -0.7854, -1.309),
        "7": (0.524, 0.01569, -0.7854, -1.309),
        "8": (0.428, 0.22338, -0.7854, -1.309),
    },
    {
        "09": (1.30045, -0.006982, 1.45492, 0.998897),
        "1": (0.366605, 0.010473, 0.269258, 0.111722),
        "2": (0.514973, 0.010473, 0.128305, 0.111722),
        "35": (0.645885, 0.010473, 0.128305, 0.111722),
        "46": (0.637158, 0.010473, 0.128305, 0.111722),
        "7": (0.645885, -0.006982, 0.128305, 0.111722),
        "8": (0.645885, -0.006982, 0.128305, 0.194636),
    },
    {
        "0": (1.26466, 0, 1.40604, 0.227795),
        "1": (1.48459, 0, 1.45318, 1.44532),
        "234567": (0.510575, 0, 0.37704, 0.117825),
        "8": (1.39033, 0, 1.08399, 0.573415),
        "9": (0.39275, 0, 0.18852, 0.227795),
    },
    {
        "0": (1.07614, -0.020944, 1.46103, 0.06284),
        "12": (1.44532, -0.204204, 1.46103, 1.44532),
        "3": (1.571, -0.036652, 1.52387, 1.45318),
        "456": (0.306345, -0.010472, 0.400605, 0.133535),
        "7": (1.28036, -0.115192, 1.52387, 1.45318),
        "89": (0.667675, -0.020944, 0, 0.06284),
    },
    {
        "0": (0.83263, -0.14399, 1.571, 1.38248),
        "12": (1.48459, -0.2618, 1.47674, 1.48459),
        "3": (1.40604, -0.068068, 1.39033, 1.571),
        "45": (0.21994, -0.068068, 0.274925, 0.01571),
        "6": (1.1861, -0.2618, 1.35891, 1.48459),
        "789": (0.432025, -0.068068, 0.18852, 0.149245),
    },
)


def _digit(digit: int) -> tuple[float, ...]:
    shared = (pose for finger in _FINGERS for names, pose in finger.items() if str(digit) in names)
    return (0, 0, 0, *itertools.chain.from_iterable(shared))


DIGITS = tuple(_digit(digit) for digit in range(10))
_REST = (
    *(0, 0, 0, -0.0904, 0.0824475, -0.681555, -0.514888, 0, -0.013964, -0.0458132, 0, 0.67553),
    *(-0.020944, 0.76979, 0.65982, 0, 0, 0, 0, 0.479155, -0.099484, 0.95831, 0),
)


def _pose(what: str, xml: str, sites: tuple[str, ...], **options: Any) -> Kind:
    return Kind(what, "Pose", {"xml_file": xml, "sites": list(sites), **options})


def _fixed(pose: tuple[float, ...]) -> dict[str, Any]:
    numbers = [float(number) for number in pose]
    return {"target_low": numbers, "target_high": numbers, "target_type": "fixed"}


def _between(*ranges: tuple[float, float]) -> dict[str, Any]:
    low, high = zip(*ranges, strict=True)
    return {"target_low": [*map(float, low)], "target_high": [*map(float, high)]}


def _motor(kind: Kind) -> Kind:
    return kind._replace(options={**kind.options, "xml_file": _MOTOR, "frame_skip": 5}, steps=200)


def _reach(what: str, xml: str, places: dict[str, Any], **options: Any) -> Kind:
    low = [float(number) for least, _ in places.values() for number in least]
    high = [float(number) for _, most in places.values() for number in most]
    targets = {"sites": list(places), "target_low": low, "target_high": high}
    return Kind(what, "Reach", {"xml_file": xml, **targets, **options})


_ARM = {"pose_thd": 0.175, "reset_type": "random"}
_LOADED = {"weight_body": "carry_weight", "act_reg_weight": 5.0}
_BENT = _between((0, 0), (0, 0), (0.75, 0.75), (0.75, 0.75))
_ANY = _between((-0.2, 0.2), (-0.4, 1), (0.1, 1), (0.1, 1))
_FINGER_FIXED = {"IFtip": ((0.2, 0.05, 0.20), (0.2, 0.05, 0.20))}
_FINGER_RANDOM = {"IFtip": ((0.1, -0.1, 0.1), (0.27, 0.1, 0.3))}
_ARM_FIXED = (-0.175, -0.245, 1.405)
# Sums as in the reference, with their last digits.
_ARM_FROM = (-0.175 - 0.175, -0.245 - 0.175, 1.405 - 0.425)
_ARM_TO = (-0.175 + 0.175, -0.245 + 0.175, 1.405 + 0.425)
_ARM_OPTIONS: dict[str, Any] = {"far_th": 1.0, "rigid_fingers": True}
_HAND_PLACES = {
    "THtip": (-0.165, -0.537, 1.495),
    "IFtip": (-0.151, -0.547, 1.455),
    "MFtip": (-0.146, -0.547, 1.447),
    "RFtip": (-0.148, -0.543, 1.445),
    "LFtip": (-0.148, -0.528, 1.434),
}


def _around(name: str, place: tuple[float, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The range in which a fingertip's goal is drawn: low and high."""
    x, y, z = place
    if name == "THtip":
        return (x - 0.020, y - 0.040, z - 0.040), (x + 0.040, y + 0.020, z + 0.040)
    return (x - 0.040, y - 0.020, z - 0.010), (x + 0.040, y + 0.020, z + 0.010)


_POSE_HAND = "Bring the hand's 23 joints to a pose, by 39 muscles"
_FINGER_POSE = _pose("Bring a finger's four joints to a pose.", _FINGER, ("IFtip",), **_BENT)
_FINGER_ANY = _pose(
    "Bring a finger's four joints to a pose that is drawn.", _FINGER, ("IFtip",), **_ANY
)
_FINGER_REACH = _reach("Bring a fingertip to a place.", _FINGER, _FINGER_FIXED)
_FINGER_REACH_ANY = _reach("Bring a fingertip to a place that is drawn.", _FINGER, _FINGER_RANDOM)

KINDS: dict[str, Kind] = {
    "motorFingerReachFixed-v0": _motor(_FINGER_REACH),
    "motorFingerReachRandom-v0": _motor(_FINGER_REACH_ANY),
    "myoFingerReachFixed-v0": _FINGER_REACH,
    "myoFingerReachRandom-v0": _FINGER_REACH_ANY,
    "myoElbowPose1D6MFixed-v0": _pose(
        "Bend an elbow to an angle, by six muscles.", _ELBOW, ("wrist",), **_between((2, 2)), **_ARM
    ),
    "myoElbowPose1D6MRandom-v0": _pose(
        "Bend an elbow to an angle that is drawn.",
        _ELBOW,
        ("wrist",),
        **_between((0, 2.27)),
        **_ARM,
    ),
    "myoElbowPose1D6MExoFixed-v0": _pose(
        "Bend an elbow to an angle, by six muscles and a motor.",
        _EXO,
        ("wrist",),
        **_between((2, 2)),
        **_ARM,
        act_reg_weight=5.0,
    ),
    "myoElbowPose1D6MExoRandom-v0": _pose(
        "Bend an elbow that carries a weight, by six muscles and a motor.",
        _EXO,
        ("wrist",),
        **_between((0, 2.27)),
        **_ARM,
        **_LOADED,
    ),
    "motorFingerPoseFixed-v0": _motor(_FINGER_POSE),
    "motorFingerPoseRandom-v0": _motor(_FINGER_ANY),
    "myoFingerPoseFixed-v0": _FINGER_POSE,
    "myoFingerPoseRandom-v0": _FINGER_ANY,
    "myoHandPoseFixed-v0": _pose(f"{_POSE_HAND}.", _HAND, TIPS, **_fixed(_REST), pose_thd=0.7),
    **{
        f"myoHandPose{digit}Fixed-v0": _pose(
            f"{_POSE_HAND} that shows the digit {digit}.", _HAND, TIPS, **_fixed(pose), pose_thd=0.7
        )
        for digit, pose in enumerate(DIGITS)
    },
    "myoHandPoseRandom-v0": _pose(
        f"{_POSE_HAND} that is drawn.",
        _HAND,
        TIPS,
        **_between(*((min(angles), max(angles)) for angles in zip(*DIGITS, strict=True))),
        pose_thd=0.7,
        reset_type="random",
    ),
    "myoHandReachFixed-v0": _reach(
        "Bring five fingertips to places.",
        _HAND,
        {name: (place, place) for name, place in _HAND_PLACES.items()},
        far_th=0.044,
    ),
    "myoHandReachRandom-v0": _reach(
        "Bring five fingertips to places that are drawn.",
        _HAND,
        {name: _around(name, place) for name, place in _HAND_PLACES.items()},
        far_th=0.034,
    ),
    "myoArmReachFixed-v0": _reach(
        "Bring the tip of an arm's index finger to a place.",
        _ARM_MODEL,
        {"IFtip": (_ARM_FIXED, _ARM_FIXED)},
        **_ARM_OPTIONS,
    )._replace(steps=150),
    "myoArmReachRandom-v0": _reach(
        "Bring the tip of an arm's index finger to a place that is drawn.",
        _ARM_MODEL,
        {"IFtip": (_ARM_FROM, _ARM_TO)},
        **_ARM_OPTIONS,
    )._replace(steps=150),
    **_hands.KINDS,
    "myoLegStandRandom-v0": Kind(
        "Stand on two legs, by 80 muscles, with the pelvis at a place that is drawn.",
        "Stand",
        {
            "sites": ["pelvis"],
            "target_low": [-0.05, -0.05, 0.0],
            "target_high": [0.05, 0.05, 0.0],
            "joint_random_range": [-0.2, 0.2],
            "far_th": 0.44,
        },
        150,
        1,
    ),
    "myoLegWalk-v0": Kind("Walk on two legs, by 80 muscles.", "Walk", {}, 1000, 1),
    "myoLegRoughTerrainWalk-v0": Kind(
        "Walk on two legs over rough ground.", "Walk", {"terrain": "rough"}, 1000, 1
    ),
    "myoLegHillyTerrainWalk-v0": Kind(
        "Walk on two legs over hills.", "Walk", {"terrain": "hilly", "variant": "fixed"}, 1000, 1
    ),
    "myoLegStairTerrainWalk-v0": Kind(
        "Walk on two legs up stairs.", "Walk", {"terrain": "stairs", "variant": "fixed"}, 1000, 1
    ),
    **_hand_challenges.KINDS,
    **_arm_challenges.KINDS,
    **_leg_challenges.KINDS,
}
"""The ids that also exist with other conditions of the muscles."""


def _track(what: str, thing: str, reference: str, steps: int) -> Kind:
    return Kind(what, "Track", {"object_name": thing, "reference": reference}, steps)


def _tracking() -> Iterator[tuple[str, Kind]]:
    for name, thing, file in _motions.motions():
        what = f"Follow a recorded motion of a hand with the {thing}, by 39 muscles and six motors."
        yield name, _track(what, thing, file, 75)
    for thing in _motions.OBJECTS:
        what = f"Bring the {thing} to a place, by a hand of 39 muscles on six motors."
        yield f"{thing.title()}Fixed", _track(what, thing, "fixed", 50)
        what = f"Follow the {thing}'s goal, which is drawn anew at each step, by a hand."
        yield f"{thing.title()}Random", _track(what, thing, "random", 50)


def tasks() -> Iterator[Task]:
    """Each kind with healthy muscles and, if it has muscles, with the conditions; then motions."""
    for name, kind in KINDS.items():
        yield _task(name, kind, "")
        for word, condition in CONDITIONS.items():
            if name.startswith("myoHand" if word == "Reaf" else "myo"):
                yield _task(f"myo{word}{name[3:]}", kind, _WORDS[word], muscle_condition=condition)
    for name, kind in _tracking():
        yield _task(f"MyoHand{name}-v0", kind, "")


def _task(name: str, kind: Kind, more: str, **options: Any) -> Task:
    return Task(
        name,
        f"{MODULE}:{kind.env}",
        description=kind.description + more,
        aliases=(f"MyoSuite/{name}",),
        options={**family.OPTIONS, "reference": None} if kind.env == "Track" else family.OPTIONS,
        config_docs=_DOCS[kind.env],
        render_fps=round(1000 / kind.milliseconds / kind.options.get("frame_skip", 10)),
        max_episode_steps=kind.steps,
        **kind.options,
        **options,
    )
