# SPDX-License-Identifier: Apache-2.0
"""The challenges of arms, and the meaning of their options."""

from __future__ import annotations

from typing import Any

from ._kind import COMMON_DOCS, Kind

_OR_NONE = "; none: those of the model"
DOCS = {
    "TableTennis": {
        **COMMON_DOCS,
        "ball_xyz_low": f"where the ball begins: least{_OR_NONE}",
        "ball_xyz_high": "their greatest values",
        "ball_friction_low": f"its frictions: least{_OR_NONE}",
        "ball_friction_high": "their greatest values",
        "paddle_mass_range": f"mass of the paddle in kg: from and to{_OR_NONE}",
        "ball_qvel": "whether the ball's velocity is drawn, so that it comes down on the own half",
    },
    "Bimanual": {
        **COMMON_DOCS,
        "obj_scale_change": "most that the object's three sizes change, as shares",
        "obj_mass_change": "what its mass changes by, in kg: from and to",
        "obj_friction_change": "most that its three frictions change",
    },
}


def _table_tennis(what: str, **options: Any) -> Kind:
    text = f"Return a ball to the other half of the table, by 273 muscles{what}."
    return Kind(text, "TableTennis", {**options, "frame_skip": 5}, 300)


KINDS: dict[str, Kind] = {
    "myoChallengeTableTennisP0-v0": _table_tennis(""),
    "myoChallengeTableTennisP1-v0": _table_tennis(
        "; where it begins is drawn",
        ball_xyz_low=[-1.25, -0.50, 1.40],
        ball_xyz_high=[-1.20, -0.45, 1.50],
    ),
    "myoChallengeTableTennisP2-v0": _table_tennis(
        "; where it begins, its velocity and friction, and the paddle's mass are drawn",
        ball_xyz_low=[-1.25, -0.50, 1.40],
        ball_xyz_high=[-0.8, 0.5, 1.5],
        ball_friction_low=[0.9, 0.004, 0.00001],
        ball_friction_high=[1.1, 0.006, 0.00003],
        paddle_mass_range=[0.1, 0.15],
        ball_qvel=True,
    ),
    "myoChallengeBimanual-v0": Kind(
        "Pass an object from a hand of 63 muscles to a prosthesis of 17 motors, and put it down.",
        "Bimanual",
        {"frame_skip": 5},
        1000,
    ),
}
"""The ids that also exist with other conditions of the muscles."""
