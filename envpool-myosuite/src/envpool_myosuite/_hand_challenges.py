# SPDX-License-Identifier: Apache-2.0
"""Tasks of a torso, and the challenges of a hand; and the meaning of their options."""

from __future__ import annotations

import math
from typing import Any

from ._kind import COMMON_DOCS, Kind

_POSE = {
    "target_low": "angles of the first joints whose middle is the goal, in rad: least",
    "target_high": "their greatest values",
    "pose_thd": "the norm of all angles' errors, in rad, within which a pose is reached",
}
_NEAR = {
    "pos_th": "how near the goal an object is brought, in m",
    "rot_th": "how near its turn, as a norm of differences of Euler angles in rad",
}
_OR_NONE = "; none: those of the model"
DOCS = {
    "Torso": {**COMMON_DOCS, **_POSE},
    "Die": {
        **COMMON_DOCS,
        **_NEAR,
        "goal_pos": "how far the goal is from where it is first, in m, in each of three axes: from "
        "and to",
        "goal_rot": "Euler angles of the goal in rad: from and to",
        "obj_size_change": "most that all sizes of the die change, in m",
        "obj_mass_range": "its mass in kg: from and to",
        "obj_friction_change": "most that its three frictions change",
    },
    "Relocate": {
        **COMMON_DOCS,
        **_NEAR,
        "target_xyz_low": "x, y, z of the goal: least",
        "target_xyz_high": "their greatest values",
        "target_rxryrz_low": "Euler angles of the goal in rad: least",
        "target_rxryrz_high": "their greatest values",
        "obj_xyz_low": f"x, y, z of the object: least{_OR_NONE}",
        "obj_xyz_high": "their greatest values",
        "obj_geom_low": f"sizes of the object's parts in m: least{_OR_NONE}",
        "obj_geom_high": "their greatest values",
        "obj_friction_low": f"frictions of the parts, where sizes are drawn: least{_OR_NONE}",
        "obj_friction_high": "their greatest values",
        "obj_mass_range": "mass of the object in kg, where sizes are drawn: from and to" + _OR_NONE,
        "qpos_noise_range": "how far all angles are from the start, as a share of their ranges, "
        "the same each time",
    },
    "Baoding": {
        **COMMON_DOCS,
        "goal_time_period": "seconds of a round of the goals: from and to",
        "goal_xrange": "their way's radius in x, in m: from and to",
        "goal_yrange": "the radius in y",
        "obj_size_range": f"radius of each ball in m: from and to{_OR_NONE}",
        "obj_mass_range": f"mass of each ball in kg{_OR_NONE}",
        "obj_friction_change": f"most that its three frictions change{_OR_NONE}",
        "task_choice": "'fixed': counterclockwise, or 'random': that, clockwise, or stay",
    },
}
_FIVE = {"frame_skip": 5}
_SIDE = (0.0, -0.1, *[0.0] * 16), (0.0, 0.1, *[0.0] * 16)  # of 18 joints


def _torso(what: str, file: str) -> Kind:
    goal = {"target_low": [*_SIDE[0]], "target_high": [*_SIDE[1]]}
    options = {"xml_file": f"simhive/myo_sim/torso/{file}.xml", **goal, **_FIVE}
    return Kind(what, "Torso", options, 200)


def _die(what: str, **options: Any) -> Kind:
    return Kind(
        f"Turn a die in the hand {what}.",
        "Die",
        {"pos_th": 0.025, "rot_th": 0.262, **options, **_FIVE},
        150,
    )


def _ends(name: str, low: tuple[float, ...], high: tuple[float, ...]) -> dict[str, Any]:
    return {f"{name}_low": [*low], f"{name}_high": [*high]}


def _relocate(what: str, **options: Any) -> Kind:
    given = {**options, "pos_th": 0.1, "rot_th": math.inf, **_FIVE}
    return Kind(
        f"Bring an object to a place, by 63 muscles of an arm{what}.", "Relocate", given, 150
    )


def _baoding(what: str, **options: Any) -> Kind:
    return Kind(
        f"Let two balls run around each other in the palm{what}.", "Baoding", options, 200, 2.5
    )


_FRICTION = _ends("obj_friction", (0.8, 0.004, 0.00008), (1.2, 0.006, 0.00012))
_FRICTIONS = [0.2, 0.001, 0.00002]

KINDS: dict[str, Kind] = {
    "myoTorsoPoseFixed-v0": _torso(
        "Hold a torso of 18 joints upright, by 210 muscles.", "myotorso"
    ),
    "myoTorsoExoPoseFixed-v0": _torso("The same in a suit of springs.", "myotorso_exosuit"),
    "myoChallengeDieReorientDemo-v0": _die(
        "by 45 degrees", pos_th=math.inf, goal_pos=[0.0, 0.0], goal_rot=[-0.785, 0.785]
    ),
    "myoChallengeDieReorientP1-v0": _die(
        "by 90 degrees", goal_pos=[-0.010, 0.010], goal_rot=[-1.57, 1.57]
    ),
    "myoChallengeDieReorientP2-v0": _die(
        "to any turn; its size, mass and friction are drawn",
        goal_pos=[-0.020, 0.020],
        goal_rot=[-3.14, 3.14],
        obj_size_change=0.007,
        obj_mass_range=[0.050, 0.250],
        obj_friction_change=_FRICTIONS,
    ),
    "myoChallengeRelocateP1-v0": _relocate(
        "",
        **_ends("target_xyz", (0.0, -0.35, 0.9), (0.2, -0.1, 0.9)),
        **_ends("target_rxryrz", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ),
    "myoChallengeRelocateP2-v0": _relocate(
        "; place, shape, mass and friction of the object are drawn",
        qpos_noise_range=0.01,
        **_ends("target_xyz", (0.0, -0.45, 0.9), (0.3, -0.1, 1.05)),
        **_ends("target_rxryrz", (-0.2, -0.2, -0.2), (0.2, 0.2, 0.2)),
        **_ends("obj_xyz", (-0.1, -0.35, 1.0), (0.1, -0.15, 1.0)),
        **_ends("obj_geom", (0.015, 0.015, 0.015), (0.025, 0.025, 0.025)),
        **_FRICTION,
        obj_mass_range=[0.05, 0.2],
    ),
    "myoChallengeRelocateP2eval-v0": _relocate(
        "; the same in wider ranges, as the challenge was judged",
        qpos_noise_range=0.015,
        **_ends("target_xyz", (-0.5, -0.5, 0.9), (0.4, -0.1, 1.1)),
        **_ends("target_rxryrz", (-0.3, -0.3, -0.3), (0.3, 0.3, 0.3)),
        **_ends("obj_xyz", (-0.2, -0.4, 1.0), (0.15, -0.1, 1.0)),
        **_ends("obj_geom", (0.015, 0.015, 0.015), (0.025, 0.025, 0.035)),
        **_FRICTION,
        obj_mass_range=[0.05, 0.3],
    ),
    "myoChallengeBaodingP1-v1": _baoding("", goal_time_period=[5.0, 5.0]),
    "myoChallengeBaodingP2-v1": _baoding(
        "; way, radii, sizes, masses and frictions are drawn",
        goal_time_period=[4.0, 6.0],
        goal_xrange=[0.020, 0.030],
        goal_yrange=[0.022, 0.032],
        obj_size_range=[0.018, 0.024],
        obj_mass_range=[0.030, 0.300],
        obj_friction_change=_FRICTIONS,
        task_choice="random",
    ),
}
"""The ids that also exist with other conditions of the muscles."""
