# SPDX-License-Identifier: Apache-2.0
"""The tasks of this wheel: EnvPool's ids, with Gymnasium's options.

The ids of version 2 are those of EnvPool 1.2.5; in EnvPool they are the environments of version 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Keys, Task

MODULE = "envpool_box2d._box2d"
_FPS = 50
_LANDER = {
    "continuous": "whether actions are two numbers, the powers of main and side engine",
    "gravity": "m/s^2, between -12 and 0",
    "enable_wind": "whether wind and turbulence push the craft while it is in the air",
    "wind_power": "greatest force of the wind in N; 0 to 20 is recommended",
    "turbulence_power": "greatest torque of the turbulence in N m; 0 to 2 is recommended",
    "particles": "whether the engines' exhaust is simulated; frames show it, so a render_mode "
    "turns it on",
    "reward_threshold": "mean return at which the task counts as solved",
}


def tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _lunar_lander()
    yield from _bipedal_walker()
    yield Task(
        "CarRacing-v3",
        f"{MODULE}:CarRacing",
        aliases=("CarRacing-v2",),
        keys=Keys({"": 0, "right": 1, "left": 2, "up": 3, "down": 4}, {"continuous": False}),
        description="Drive around a random track that is seen from above.",
        config_docs={
            "continuous": "whether actions are steering, gas and brake; False: a choice of five",
            "lap_complete_percent": "share of the tiles that a lap has to visit",
            "domain_randomize": "whether each episode has colors of its own",
            "score_text": "whether the score is written, for which pygame-ce has to be installed",
            "reward_threshold": "mean return at which the task counts as solved",
        },
        options={"continuous": True},
        render_fps=_FPS,
        max_episode_steps=1000,
    )


def _lunar_lander() -> Iterator[Task]:
    for name, continuous in (("LunarLander", False), ("LunarLanderContinuous", True)):
        yield Task(
            f"{name}-v3",
            f"{MODULE}:{name}",
            aliases=(f"{name}-v2",),
            keys=None if continuous else Keys({"": 0, "left": 1, "up": 2, "right": 3}),
            description="Land a craft softly on its pad"
            + (", with engines that take any power." if continuous else "."),
            config_docs=_LANDER,
            options={"continuous": continuous},
            render_fps=_FPS,
            max_episode_steps=1000,
        )


def _bipedal_walker() -> Iterator[Task]:
    for name, hardcore, steps in (
        ("BipedalWalker", False, 1600),
        ("BipedalWalkerHardcore", True, 2000),
    ):
        yield Task(
            f"{name}-v3",
            f"{MODULE}:BipedalWalker",
            description="Walk over rough ground on two legs"
            + (", over stumps, stairs and pits." if hardcore else "."),
            config_docs={
                "hardcore": "whether there are stumps, stairs and pits",
                "reward_threshold": "mean return at which the task counts as solved",
            },
            render_fps=_FPS,
            max_episode_steps=steps,
            hardcore=hardcore,
        )
