# SPDX-License-Identifier: Apache-2.0
"""The challenges of legs, and the meaning of their options."""

from __future__ import annotations

from typing import Any

from ._kind import COMMON_DOCS, Kind

_PATCHES = "of each patch of the track, from its end on: "
_RANGE = "m: from and to, of which one is drawn for each patch"
_SPEED = "in m/s: from and to"
DOCS = {
    "OslRun": {
        **COMMON_DOCS,
        "terrain": "'flat', or 'random': stairs, hills or rough ground",
        "stairs_difficulties": f"{_PATCHES}the height of a stair in m",
        "hills_difficulties": f"{_PATCHES}the height of a hill in m",
        "rough_difficulties": f"{_PATCHES}most of the roughness in m",
        "start_pos": "y near which a run begins, in m; it goes down",
        "end_pos": "y where it is won",
        "lost_steps": "steps that a run is said to have taken which is lost, in the info `time`",
    },
    "ChaseTag": {
        **COMMON_DOCS,
        "win_distance": "how near is caught, in m",
        "min_spawn_distance": "how far off the opponent begins at least, in m",
        "reset_type": "'init': one leg before the other; 'random': one of both, with noise, "
        "anywhere; 'none': upright",
        "terrain": "'FLAT', or 'random': nine patches that are flat, hilly or rough",
        "task_choice": "'CHASE', 'EVADE', or 'random': one of both",
        "hills_range": f"heights of hills in {_RANGE}",
        "rough_range": f"heights of rough ground in {_RANGE}",
        "relief_range": "height of a relief, which one ground in five has, in m: from and to",
        "relief": "from the installed file: its 33 x 33 heights",
        "repeller_opponent": "whether there are opponents that flee",
        "chase_vel_range": f"how fast an opponent chases, {_SPEED}",
        "random_vel_range": "between what the speed in m/s and the turning in rad/s of one that "
        "wanders are kept",
        "repeller_vel_range": f"how fast one flees, {_SPEED}",
        "opponent_probabilities": "to stand at a corner, to stand, to wander and, with "
        "repeller_opponent, to flee",
    },
    "Soccer": {
        **COMMON_DOCS,
        "reset_type": "'none': the same start each time, or 'random'",
        "goalkeeper_probabilities": "to block, to wander, and to stand",
        "max_time_sec": "seconds after which an episode ends",
    },
}


def _difficulties(**steps: tuple[float, ...]) -> dict[str, Any]:
    return {f"{kind}_difficulties": [*heights] for kind, heights in steps.items()}


_RISING = (0.03, 0.0, 0.06, 0.0, 0.09, 0.0, 0.12, 0.0, 0.15, 0.0, 0.18, 0.0, 0.21, 0.0, 0.24)
_TRACK = (*[0.0] * 5, *_RISING, *[0.0] * 4)
_TAG: dict[str, Any] = {
    "terrain": "random",
    "reset_type": "random",
    "task_choice": "random",
    "hills_range": [0.03, 0.23],
    "rough_range": [0.05, 0.1],
    "relief_range": [0.1, 0.3],
    "random_vel_range": [-2.0, 2.0],
}


def _tag(what: str, **options: Any) -> Kind:
    return Kind(f"{what}, by 80 muscles of two legs.", "ChaseTag", options, 2000, 1)


KINDS: dict[str, Kind] = {
    "myoChallengeOslRunFixed-v0": Kind(
        "Run along a track by 54 muscles, with a prosthesis for a leg.",
        "OslRun",
        {
            **_difficulties(
                hills=(0.0, 0.1, 0.0, 0.5, 0.0, 0.8, 0.0, 1.0),
                rough=(0.0, 0.1, 0.0, 0.15, 0.0, 0.2, 0.0, 0.3),
                stairs=(0.0, 0.05, 0.0, 0.1, 0.0, 0.2, 0.0, 0.3),
            ),
            "start_pos": 14.0,
            "end_pos": -15.0,
            "lost_steps": 1000,
            "frame_skip": 5,
        },
        1000,
        1,
    ),
    "myoChallengeOslRunRandom-v0": Kind(
        "Run along a track of stairs, hills or rough ground, with a prosthesis for a leg.",
        "OslRun",
        {
            "terrain": "random",
            **_difficulties(hills=_TRACK, rough=_TRACK, stairs=_TRACK),
            "start_pos": 58.0,
            "end_pos": -45.0,
            "lost_steps": 60000,
            "frame_skip": 5,
        },
        60000,
        1,
    ),
    "myoChallengeChaseTagP1-v0": _tag("Chase an opponent"),
    "myoChallengeChaseTagP2-v0": _tag("Chase or evade an opponent on uneven ground", **_TAG),
    "myoChallengeChaseTagP2eval-v0": _tag(
        "The same with opponents that flee or are faster, as the challenge was judged",
        **_TAG,
        repeller_opponent=True,
        chase_vel_range=[1.0, 5.0],
        repeller_vel_range=[0.3, 1.0],
        opponent_probabilities=[0.1, 0.35, 0.35, 0.2],
    ),
    "myoChallengeSoccerP1-v0": Kind(
        "Shoot a ball into a goal, by 290 muscles of legs and torso.", "Soccer", {}, 2000, 1
    ),
    "myoChallengeSoccerP2-v0": Kind(
        "Shoot a ball past a goalkeeper into a goal, from a start that is drawn.",
        "Soccer",
        {"reset_type": "random", "goalkeeper_probabilities": [0.1, 0.3, 0.6]},
        2000,
        1,
    ),
}
"""The ids that also exist with other conditions of the muscles."""
