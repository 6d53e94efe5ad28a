# SPDX-License-Identifier: Apache-2.0
"""Tasks in which a hand holds or turns an object, and the meaning of their options."""

from __future__ import annotations

import math

from ._kind import COMMON_DOCS, Kind

_GENERATE = "'fixed': the goal stays, or 'generate': it is drawn at each reset"

DOCS = {
    "KeyTurn": {
        **COMMON_DOCS,
        "key_init_range": "between what the key's angle is drawn at each reset, in rad; where the "
        "two differ its place is drawn as well",
        "goal_th": "the angle beyond which a key is turned, in rad",
    },
    "ObjHold": {**COMMON_DOCS, "target_type": f"{_GENERATE}, as is the object's size"},
    "PenTwirl": {**COMMON_DOCS, "target_type": _GENERATE},
    "Reorient": {
        **COMMON_DOCS,
        "objects": "whose sizes there are: '8', '100', 'ID' or 'OOD'",
        "capsules": "by `objects`: sizes of capsules, three numbers each, in m",
        "ellipsoids": "by `objects`: the same of ellipsoids",
        "cylinders": "by `objects`: the same of cylinders",
        "boxes": "by `objects`: the same of boxes",
    },
}

_FIVE = {"frame_skip": 5}


def _reorient(objects: str, what: str) -> Kind:
    text = f"Turn an object to a direction that is drawn, by 39 muscles: {what}."
    return Kind(text, "Reorient", {"objects": objects, **_FIVE}, 50)


KINDS: dict[str, Kind] = {
    "myoHandKeyTurnFixed-v0": Kind(
        "Turn a key by thumb and index finger, by 39 muscles.", "KeyTurn", {}, 200
    ),
    "myoHandKeyTurnRandom-v0": Kind(
        "Turn a key twice, from an angle and at a place that are drawn.",
        "KeyTurn",
        {"key_init_range": [-math.pi / 2, math.pi / 2], "goal_th": 2 * math.pi},
        200,
    ),
    "myoHandObjHoldFixed-v0": Kind(
        "Hold an object at a place, by 39 muscles of a hand.", "ObjHold", {}, 75
    ),
    "myoHandObjHoldRandom-v0": Kind(
        "Hold an object, whose size is drawn, at a place that is drawn.",
        "ObjHold",
        {"target_type": "generate"},
        75,
    ),
    "myoHandPenTwirlFixed-v0": Kind(
        "Turn a pen by the fingers until it points as another one does.", "PenTwirl", _FIVE, 50
    ),
    "myoHandPenTwirlRandom-v0": Kind(
        "Turn a pen by the fingers to a direction that is drawn.",
        "PenTwirl",
        {"target_type": "generate", **_FIVE},
        50,
    ),
    "myoHandReorient8-v0": _reorient("8", "one of two sizes of four shapes"),
    "myoHandReorient100-v0": _reorient("100", "one of 25 sizes of four shapes"),
    "myoHandReorientID-v0": _reorient("ID", "one of a thousand, as others that one trains with"),
    "myoHandReorientOOD-v0": _reorient("OOD", "one of a thousand, unlike those of ID"),
}
"""The ids that also exist with other conditions of the muscles."""
