# SPDX-License-Identifier: Apache-2.0
"""The references, case by case: environments of nle and MiniHack, with the seeds of ours."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from envpool_nethack import _generators, _minihack_tasks
from numpy.typing import NDArray

STEPS = 400
"""Steps of a whole comparison, of each environment."""
EVERY_KEY = [
    *("glyphs", "chars", "colors", "specials", "blstats", "message", "program_state", "internal"),
    *("inv_glyphs", "inv_strs", "inv_letters", "inv_oclasses", "screen_descriptions"),
    *("tty_chars", "tty_colors", "tty_cursor", "misc"),
]
MINIHACK_KEYS = [
    *(key for key in EVERY_KEY if key not in ("program_state", "internal", "misc")),
    *("glyphs_crop", "chars_crop", "colors_crop", "specials_crop"),
    *("tty_chars_crop", "tty_colors_crop", "pixel_crop"),
]
"""`screen_descriptions_crop` is left out: the package pads its letters, too."""
NUM_LEVELS = 20
"""Number of levels of tasks whose levels this family makes; the package gets them, too."""


@dataclass(frozen=True)
class Case:
    """A task and options, in the form for both sides.

    Attributes:
        task_id: The task, by the name that both have.
        options: The options, as both sides take them.
        steps: Of each environment.
        script: Actions to play again and again; empty: random ones.
        needs: A status with which an episode has to end, so that a comparison is not empty.
        num_envs: How many environments play in a whole comparison.
    """

    task_id: str
    options: Mapping[str, Any] = field(default_factory=dict)
    steps: int = STEPS
    num_envs: int = 4
    script: tuple[int, ...] = ()
    needs: int | None = None

    @property
    def is_minihack(self) -> bool:
        """True if it is a task of MiniHack."""
        return self.task_id.startswith("MiniHack")

    @property
    def keys(self) -> list[str]:
        """The compared arrays: all arrays of the package."""
        return MINIHACK_KEYS if self.is_minihack else EVERY_KEY

    @property
    def reference(self) -> str:
        """The other side's name in the table."""
        return "minihack 1.0.2 on nle 1.3.0" if self.is_minihack else "nle 1.3.0"

    def package(self) -> Package:
        """The other side."""
        return MinihackPackage(self) if self.is_minihack else Package(self)

    def __str__(self) -> str:
        """The case's name in the table."""
        texts = {key: repr(value) for key, value in self.options.items() if key != "num_levels"}
        if "des_file" in texts:
            texts["des_file"] = f"..., {len(self.script)} actions"
        options = ", ".join(f"{key}={text}" for key, text in texts.items())
        return f"{self.task_id} ({options})" if options else self.task_id


_ACTIONS = {task.id: task.defaults["actions"] for task in _minihack_tasks.tasks()}
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
_ROOM = """MAZE:"mylevel",' '
GEOMETRY:center,center
MAP
.....
.....
.....
ENDMAP
REGION:(0,0,4,2),lit,"ordinary"
BRANCH:(0,0,0,0),(1,1,1,1)
"""
_DOOR = """MAZE:"mylevel",' '
GEOMETRY:center,center
MAP
-------
|...+.|
-------
ENDMAP
REGION:(0,0,6,2),lit,"ordinary"
BRANCH:(3,1,3,1),(1,1,1,1)
OBJECT:('(',"skeleton key"),(3,1)
DOOR:locked,(4,1)
STAIR:(5,1),down
"""


def _level(*lines: str) -> str:
    """A room with the agent's start in a corner."""
    return _ROOM + "\n".join(lines) + "\n"


def _scripted(name: str, keys: str, *lines: str, **options: Any) -> Case:
    """A task that keys can solve, in a level with the needed things beside the agent."""
    task_id = f"MiniHack-{name}"
    actions = _ACTIONS[task_id]
    script = tuple(actions.index(ord(key)) for key in keys)
    level = {"des_file": _level(*lines)} if lines else {}
    return Case(task_id, {**level, **options}, 10 * len(script), 1, script, needs=2)


def _minihack_cases() -> Iterator[Case]:
    for row in _minihack_tasks.ROWS:
        if not row.name.endswith("-Custom"):
            options = {"num_levels": NUM_LEVELS} if row.generator else {}
            yield Case(row.id, options, num_envs=2)
    room = "MiniHack-Room-Monster-15x15-v0"
    for options in (
        {"penalty_mode": "linear", "penalty_step": -0.1, "penalty_time": 0.01},
        {"reward_win": 3.0, "reward_lose": -2.0, "max_episode_steps": 20},
        {"autopickup": False, "pet": True},
        {"obs_crop_h": 5, "obs_crop_w": 5, "obs_crop_pad": 7},
        {"character": "val-dwa-law-fem", "spawn_monsters": True, "actions": [107, 108, 106, 104]},
        {"allow_all_yn_questions": True, "allow_all_modes": True},
        {"options": ["color", "showscore", "number_pad:0"]},
        {"include_alignment_blstats": False},
    ):
        yield Case(room, options, num_envs=2)
    yield Case("MiniHack-Eat-v0", {"include_see_actions": False}, num_envs=2)
    down = "STAIR:(1,1),down"
    yield Case("MiniHack-Navigation-Custom-v0", {"des_file": _level(down)}, 60, 1, (5,), needs=2)
    yield _scripted("Skill-Custom-v0", "n", down)
    for event in ("2 required coordinate 37,10", "2 required location staircase down"):
        yield _scripted("Navigation-Custom-v0", "n", down, events=[event])


def _event_cases() -> Iterator[Case]:
    """A case for every kind of event."""
    apple = "OBJECT:('%',\"apple\"),(0,0)"
    altar, sink = "ALTAR:(1,0),noalign,altar", "SINK:(1,0)"
    yield _scripted("Eat-v0", "ey", apple)
    yield _scripted("ExploreMaze-Easy-v0", "eynssss", apple, "STAIR:(1,1),down")
    yield _scripted("Pray-v0", "l\xf0y", altar)
    yield _scripted("Pray-v0", "\xf0nl\xf0n\xf0y", altar)
    yield _scripted("Sink-v0", "lqy", sink)
    yield _scripted("Wield-v0", ",wf", "OBJECT:(')',\"dagger\"),(0,0)")
    yield _scripted("Wear-v0", ",Wfssss", "OBJECT:('[',\"robe\"),(0,0)")
    yield _scripted("PutOn-v0", ",Pf", 'OBJECT:(\'"\',"amulet of life saving"),(0,0)')
    yield _scripted("Zap-v0", ",zf", "OBJECT:('/',\"enlightenment\"),(0,0)")
    yield _scripted("Read-v0", ",rf", "OBJECT:('?',\"blank paper\"),(0,0)")
    yield _scripted(
        "WoD-Easy-Full-v0",
        "zfl",
        "OBJECT:('/',\"death\"),(0,0)",
        "MONSTER:('H',\"minotaur\"),(3,0),asleep",
    )
    yield _scripted("Levitate-Potion-Full-v0", ",qf", "OBJECT:('!',\"levitation\"),(0,0)")
    yield _scripted("Levitate-Ring-Full-v0", ",Pfr", "OBJECT:('=',\"levitation\"),(0,0)")
    yield _scripted("Freeze-Wand-Full-v0", ",zfl", "OBJECT:('/',\"cold\"),(0,0)")
    yield _scripted("Memento-Short-F2-v0", "l" * 30, "MONSTER:('x',\"grid bug\"),(1,0),asleep")
    yield _scripted(
        "Sokoban4a-v1",
        "ln",
        "OBJECT:('`',\"boulder\"),(2,0)",
        'TRAP:"pit",(3,0)',
        "STAIR:(2,1),down",
    )
    yield _scripted("KeyRoom-S5-v0", ",all", des_file=_DOOR)


CASES = (*ID_CASES, *OPTION_CASES, *_minihack_cases(), *_event_cases())


class Package:
    """One environment of nle, with all arrays."""

    def __init__(self, case: Case) -> None:
        """Makes it."""
        from nle.env import base, tasks

        name = case.task_id.removesuffix("-v0")
        kind = base.NLE if name == "NetHack" else getattr(tasks, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns of "internal"
            self.env = kind(observation_keys=EVERY_KEY, **case.options)

    def reset(self, core: int, disp: int, lgen: int, level: int) -> dict[str, NDArray[Any]]:
        """Begins a game with these seeds, in one of the levels."""
        self.level = level
        # Challenge replaces the seed function by one that refuses seeds.
        seeds = (core, disp, False, lgen if lgen >= 0 else None)
        self.env.nethack._pynethack.set_initial_seeds(*seeds)
        # A state that the package keeps from game to game, and this family does not.
        if hasattr(self.env, "_frozen_steps"):
            self.env._frozen_steps = 0
        for name in ("record", "logfile", "xlogfile"):
            Path(self.env.nethack._vardir, name).write_text("")
        obs, _ = self._begin()
        return {key: np.copy(value) for key, value in obs.items()}

    def _begin(self) -> Any:
        return self.env.reset()

    def step(self, action: int) -> tuple[dict[str, NDArray[Any]], float, bool, bool, int]:
        """Observation, reward, done, truncated, end status."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of menus that quitting does not know
            obs, reward, done, cut, info = self.env.step(action)
        found = {key: np.copy(value) for key, value in obs.items()}
        return found, reward, done, cut, int(info["end_status"])

    def close(self) -> None:
        """Ends it."""
        self.env.close()


def minihack() -> ModuleType:
    """The package, which warns when it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("minihack")


def _manager(events: list[str]) -> Any:
    """An object of the package with events that none of its tasks has."""
    manager = minihack().RewardManager()
    for event in events:
        reward, _, kind, what = event.split(" ", 3)
        if kind == "location":
            manager.add_location_event(what, float(reward))
        else:
            manager.add_coordinate_event(tuple(map(int, what.split(","))), float(reward))
    return manager


class MinihackPackage(Package):
    """One environment of MiniHack, with all arrays, and with our levels if it would draw them."""

    def __init__(self, case: Case) -> None:
        """Makes it."""
        import gymnasium

        minihack()
        boxohack = importlib.import_module("minihack.envs.boxohack")
        row = next(row for row in _minihack_tasks.ROWS if row.id == case.task_id)
        options = {key: value for key, value in case.options.items() if key != "num_levels"}
        own = options.pop("des_file", None)
        spec = gymnasium.spec(case.task_id)
        arguments = {**spec.kwargs, **options}
        if "events" in arguments:
            arguments["reward_manager"] = _manager(arguments.pop("events"))
        if own is not None and row.name.endswith("-Custom"):
            arguments["des_file"] = own
        texts = None
        if row.generator is not None:
            kind, settings = row.generator
            texts = _generators.descriptions(kind, settings, NUM_LEVELS)
            boxohack.load_boxoban_levels = lambda path: ["####\n#@ #\n####\n\n"]
            if kind == "crossing":  # newer versions of minigrid do not make these
                arguments["env_name"] = "MiniGrid-MultiRoom-N2-S4-v0"
        module, _, name = spec.entry_point.partition(":")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind_of = getattr(importlib.import_module(module), name)
            self.env = kind_of(observation_keys=MINIHACK_KEYS, **arguments)
        if own is not None:
            self.env.update(own)
        if texts is not None:
            self._give(texts)

    def _give(self, texts: list[str]) -> None:
        """Replaces the levels that the package would draw."""
        self.env._goal_pos_set = set()  # the package reads it before it sets it
        self.env.get_env_desc = lambda: texts[self.level]
        self.env.get_lvl_gen = lambda: SimpleNamespace(get_des=lambda: texts[self.level])

    def _begin(self) -> Any:
        # In the package the last key of a game affects the next game; here it does not.
        self.env._previous_action = None
        return self.env.reset()
