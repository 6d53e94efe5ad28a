# SPDX-License-Identifier: Apache-2.0
"""The references, case by case: nle's own environment, with seeds that ours says it has."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 400
"""Steps of a whole comparison, of each environment."""
EVERY_KEY = [
    *("glyphs", "chars", "colors", "specials", "blstats", "message", "program_state", "internal"),
    *("inv_glyphs", "inv_strs", "inv_letters", "inv_oclasses", "screen_descriptions"),
    *("tty_chars", "tty_colors", "tty_cursor", "misc"),
]


@dataclass(frozen=True)
class Case:
    """A task and options, as both sides are told to play it.

    Attributes:
        task_id: The task, by the name that both have.
        options: As both sides take them.
        steps: Of each environment.
        num_envs: How many environments play in a whole comparison.
    """

    task_id: str
    options: Mapping[str, Any] = field(default_factory=dict)
    steps: int = STEPS
    num_envs: int = 4

    @property
    def reference(self) -> str:
        """What the table calls the other side."""
        return "nle 1.3.0"

    def __str__(self) -> str:
        """What the table calls it."""
        options = ", ".join(f"{key}={value!r}" for key, value in self.options.items())
        return f"{self.task_id} ({options})" if options else self.task_id


_SCORE = "NetHackScore-v0"
_NAMES = ("", "Score", "Staircase", "StaircasePet", "Oracle", "Gold", "Eat", "Scout", "Challenge")
ID_CASES = tuple(Case(f"NetHack{name}-v0", steps=1500, num_envs=20) for name in _NAMES)
OPTION_CASES = (
    *(Case(_SCORE, {"penalty_mode": mode}) for mode in ("exp", "square", "linear", "always")),
    Case(_SCORE, {"penalty_step": -0.3, "penalty_time": 0.2}),
    Case(_SCORE, {"character": "val-dwa-law-fem"}),
    Case(_SCORE, {"character": "@", "spawn_monsters": False}),
    Case(_SCORE, {"allow_all_yn_questions": True}),
    Case("NetHack-v0", {"allow_all_modes": True}),
    Case("NetHack-v0", {"max_episode_steps": 40}),
    Case("NetHackScout-v0", {"max_episode_steps": 60, "penalty_mode": "square"}),
    Case("NetHackChallenge-v0", {"no_progress_timeout": 21, "max_episode_steps": 300}),
    Case(_SCORE, {"options": ["number_pad:0", "!autopickup", "time", "showscore"]}),
    Case(_SCORE, {"actions": [107, 108, 106, 104, 46]}),
    Case("NetHack-v0", {"wizard": True, "max_episode_steps": 80}),
)
CASES = ID_CASES + OPTION_CASES


class Package:
    """One environment of nle, with all arrays."""

    def __init__(self, case: Case) -> None:
        """Makes it."""
        from nle.env import base, tasks

        name = case.task_id.removesuffix("-v0")
        kind = base.NLE if name == "NetHack" else getattr(tasks, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that "internal" says more than a player sees
            self.env = kind(observation_keys=EVERY_KEY, **case.options)

    def reset(self, core: int, disp: int, lgen: int) -> dict[str, NDArray[Any]]:
        """Begins a game with these seeds."""
        # Challenge forbids seeds by a function of its own in this place.
        seeds = (core, disp, False, lgen if lgen >= 0 else None)
        self.env.nethack._pynethack.set_initial_seeds(*seeds)
        # What a game leaves to the next one in the package, and here does not.
        if hasattr(self.env, "_frozen_steps"):
            self.env._frozen_steps = 0
        for name in ("record", "logfile", "xlogfile"):
            Path(self.env.nethack._vardir, name).write_text("")
        obs, _ = self.env.reset()
        return {key: np.copy(value) for key, value in obs.items()}

    def step(self, action: int) -> tuple[dict[str, NDArray[Any]], float, bool, bool, int]:
        """Observation, reward, done, whether it was cut, end status."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a game was in a menu that quitting does not know
            obs, reward, done, cut, info = self.env.step(action)
        found = {key: np.copy(value) for key, value in obs.items()}
        return found, reward, done, cut, int(info["end_status"])

    def close(self) -> None:
        """Ends it."""
        self.env.close()
