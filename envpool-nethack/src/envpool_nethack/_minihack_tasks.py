# SPDX-License-Identifier: Apache-2.0
"""The 161 ids of MiniHack 1.0.2, with its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from envpool import Task

from ._tasks import CONFIG_DOCS, ENV, FIXED, FULL, MOVES, keys_of

__all__ = ["GAME_OPTIONS", "LEVELS", "ROWS", "SEE_ACTIONS", "Row", "tasks"]

GAME_OPTIONS = ["color", "showexp", "nobones", "nolegacy", "nocmdassist"]
GAME_OPTIONS += ["disclose:+i +a +v +g +c +o", "runmode:teleport", "mention_walls", "nosparkle"]
GAME_OPTIONS += ["showscore"]
_KEYS = ["glyphs", "chars", "colors", "specials", "glyphs_crop", "chars_crop", "colors_crop"]
_KEYS += ["specials_crop", "blstats", "message"]
_SKILL_KEYS = [*_KEYS, "inv_strs", "inv_letters"]
_SKILL_ACTIONS = FULL.replace(b"<", b"")
SEE_ACTIONS = b'[=()!+"'
"""Keys that show the inventory."""
LEVELS = 1000
"""The number of levels that this family makes for a task."""


class Row(NamedTuple):
    """One id.

    Attributes:
        name: The part of the id after MiniHack-, without the version.
        description: One sentence for people.
        options: The options that differ from those of the other navigation tasks.
        generator: The function that makes its levels; None if the package has its level.
        version: Of the id.
    """

    name: str
    description: str
    options: Mapping[str, Any] = {}
    generator: tuple[str, Mapping[str, Any]] | None = None
    version: int = 0

    @property
    def id(self) -> str:
        """The task's id."""
        return f"MiniHack-{self.name}-v{self.version}"


def _navigation() -> Iterator[Row]:
    stairs = "Get to stairs that lead down"
    yield Row("Navigation-Custom", "A level of one's own, by moves.")
    for kind in ("", "Random-", "Dark-", "Monster-", "Trap-", "Ultimate-"):
        for size in (5, 15):
            yield Row(f"Room-{kind}{size}x{size}", f"{stairs}, in a room.", _steps(20 * size))
    for rooms in (2, 3, 5):
        options = {"actions": MOVES + b"o\x04s", **_steps(1000)}
        yield Row(f"Corridor-R{rooms}", f"{stairs}, through corridors.", options)
    for kind, size in (("Fixed-", 5), ("", 5), ("", 15), ("Dark-", 5), ("Dark-", 15)):
        options = {"task": "key_room", "actions": MOVES + b",a", "autopickup": False}
        steps = _steps(400 if size == 15 else 200)
        yield Row(
            f"KeyRoom-{kind}S{size}", "Take the key, open the door, go down.", options | steps
        )
    for kind in ("", "Mapped-"):
        for maze in ("9x9", "15x15", "45x19"):
            steps = _steps(200 if maze == "9x9" else 1000)
            yield Row(f"MazeWalk-{kind}{maze}", f"{stairs}, through a maze.", steps)
    for kind in ("", "-Dark"):
        options = {"character": "kni-hum-law-fem", **_steps(350)}
        yield Row(f"CorridorBattle{kind}", "Fight monsters in a corridor, and go down.", options)
    yield from _made_here()
    for name in ("Short-F2", "F2", "F4"):
        events = [
            "-1 required sufficient message squeak",
            "1 required sufficient message You kill the grid bug",
        ]
        text = "Remember a clue, and choose a corridor by it."
        yield Row(f"Memento-{name}", text, {"events": events, **_steps(5000)})
    for kind in ("", "-Monster", "-Lava", "-MonsterLava", "-Narrow"):
        yield Row(f"River{kind}", "Push boulders into a river, and cross it.", _steps(350))
    for kind in ("-Mapped", "", "-Lava", "-Big"):
        steps = _steps(400 if kind == "-Big" else 200)
        yield Row(f"HideNSeek{kind}", f"{stairs}, unseen by a monster.", steps)
    for kind, limit in (("Big", 1000), ("Small", 400)):
        yield Row(f"Labyrinth-{kind}", f"{stairs}, through a labyrinth.", _steps(limit))
    for name in ("Easy", "Hard", "Easy-Mapped", "Hard-Mapped"):
        options = {
            "actions": MOVES + b"o\x04se",
            "autopickup": False,
            "allow_all_yn_questions": True,
            "events": [
                f"0.5 repeatable message {_APPLE}",
                "1 required sufficient message Mission Complete.",
                "1 stairs",
            ],
            **_steps(500),
        }
        yield Row(f"ExploreMaze-{name}", "Eat the apples of a maze, and stay on stairs.", options)
    for level in ("4a", "4b", "3a", "3b", "2a", "2b", "1a", "1b"):
        options = {
            "task": "sokoban",
            "actions": MOVES + b"oe,",
            "penalty_time": -0.001,
            "reward_shaping_coefficient": 0.1,
            **_steps(2000),
        }
        text = "Fill all pits with boulders, and go down."
        yield Row(f"Sokoban{level}", text, options, version=1)


def _made_here() -> Iterator[Row]:
    """Rows whose levels in the package change from episode to episode."""
    sizes = {2: 4, 4: 5, 6: 10, 10: 10}
    steps = {2: 40, 4: 120, 6: 240, 10: 360}
    monsters = {2: 3, 4: 6, 6: 9}
    kinds: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
        "": ((2, 4, 6, 10), {}),
        "-OpenDoor": ((6, 10), {"door": "open"}),
        "-Locked": ((2, 4, 6), {"door": "locked"}),
        "-Lava": ((2, 4, 6, 10), {"lava": True}),
        "-Lava-OpenDoor": ((6, 10), {"lava": True, "door": "open"}),
        "-Monster": ((2, 4, 6), {"monsters": 1}),
        "-Extreme": ((2, 4, 6), {"monsters": 1, "lava": True, "door": "locked"}),
        "-LavaMonsters": ((2, 4, 6), {"monsters": 1 / 3, "lava": True}),
    }
    for kind, (counts, given) in kinds.items():
        for rooms in counts:
            settings = {"rooms": rooms, "size": sizes[rooms], **given}
            if "monsters" in given:
                settings["monsters"] = round(given["monsters"] * monsters[rooms])
            options = _steps(steps[rooms])
            if given.get("door") == "locked":
                options["actions"] = MOVES + b"o\x04"
            text = f"Go through {rooms} rooms to stairs that lead down."
            yield Row(f"MultiRoom-N{rooms}{kind}", text, options, ("rooms", settings))
    for name, size, walls in (
        *(("Lava", 9, count) for count in (1, 2, 3)),
        ("Lava", 11, 5),
        ("Lava", 19, 13),
        ("Lava", 19, 17),
        *(("Simple", 9, count) for count in (1, 2, 3)),
        ("Simple", 11, 5),
    ):
        settings = {"size": size, "walls": walls, "lava": name == "Lava"}
        text = "Cross a room with " + ("rivers of lava." if name == "Lava" else "walls.")
        yield Row(f"{name}CrossingS{size}N{walls}", text, {}, ("crossing", settings))
    for name, boxes in (("Unfiltered", 4), ("Medium", 4), ("Hard", 4)):
        options = {
            "task": "boxoban",
            "actions": MOVES[:4],
            "penalty_time": -0.001,
            "reward_shaping_coefficient": 0.1,
            **_steps(400),
        }
        pulls = {"Unfiltered": 12, "Medium": 20, "Hard": 30}[name]
        text = "Push boulders onto fountains."
        yield Row(f"Boxoban-{name}", text, options, ("boxes", {"boxes": boxes, "pulls": pulls}))


_APPLE = (
    "This apple is delicious|Blecch!  Rotten food!|last bite of your meal|"
    "Delicious!  Must be a Macintosh!|Core dumped."
)
_LEVITATE = (
    "You float up|You start to float in the air|Up, up, and awaaaay!|"
    "a ring of levitation (on left hand)|a ring of levitation (on right hand)"
)
_SKILLS = {
    "Eat": ("Eat an apple.", f"1 required message {_APPLE}"),
    "Pray": ("Pray on an altar.", "1 required action altar 240"),
    "Sink": ("Drink from a sink.", "1 required action sink 113"),
    "Wield": (
        "Wield a dagger.",
        "1 required message dagger welds itself to your hand!|dagger (weapon in hand)",
    ),
    "Wear": ("Wear a robe.", "1 required message You are now wearing a robe"),
    "PutOn": ("Put on an amulet.", "1 required message amulet (being worn)."),
    "Zap": ("Zap a wand.", "1 required message The feeling subsides."),
    "Read": ("Read a scroll.", "1 required message This scroll seems to be blank."),
}


def _skills() -> Iterator[Row]:
    yield _skill("Skill-Custom", "A level of one's own, by all keys.")
    for kind in ("", "-Fixed", "-Distr"):
        for name, (text, event) in _SKILLS.items():
            yield _skill(f"{name}{kind}", text, events=[event])
    for name in ("ClosedDoor", "LockedDoor", "LockedDoor-Fixed"):
        yield _skill(name, "Get through a door, and go down.")
    wand = MOVES + b",zf"
    kill = "1 required message You kill the minotaur"
    for name, steps, more in (
        ("Easy", 50, {"events": [kill], "autopickup": True}),
        ("Medium", 150, {}),
        ("Hard", 400, {}),
        ("Pro", 1000, {}),
    ):
        text = "Kill a minotaur with a wand of death."
        if name != "Easy":
            text = "Kill a minotaur with a wand of death, and go down."
        yield from _both(f"WoD-{name}", text, wand, max_episode_steps=steps, **more)
    boots, ring, potion = MOVES + b",Wf", MOVES + b",Pfr", MOVES + b",qf"
    levitate = {"events": [f"1 required message {_LEVITATE}"]}
    for name, actions in (("Boots", boots), ("Ring", ring), ("Potion", potion)):
        yield from _both(f"Levitate-{name}", "Levitate.", actions, **levitate)
    yield _skill("Levitate-Random-Full", "Levitate.", max_episode_steps=400, **levitate)
    for name in ("Boots", "Ring", "Potion"):
        yield _skill(f"Levitate-{name}-Fixed", "Levitate.", **levitate)
    horn, freeze = MOVES + b",af", MOVES + b",zaf"
    bounces = {"events": ["1 required message The bolt of cold bounces!"]}
    for name, actions in (("Wand", wand), ("Horn", horn), ("Random", freeze)):
        yield from _both(f"Freeze-{name}", "Cast cold.", actions, **bounces)
    yield from _both("Freeze-Lava", "Freeze lava, and cross it.", freeze)
    text = "Levitate over lava."
    for name, actions in (("Potion", potion), ("Ring", ring)):
        for place in ("Pickup", "Inv"):
            more = {"max_episode_steps": 400, "autopickup": place == "Inv"}
            yield from _both(f"LavaCross-Levitate-{name}-{place}", text, actions, **more)
    any_way = MOVES + b",WqPfr"
    yield from _both("LavaCross-Levitate", text, any_way, max_episode_steps=400)
    yield from _both("LavaCross", "Cross lava in any way.", MOVES + b",zWaqPfr")
    text = "Cross lava, fight, and go down."
    yield _skill("Quest-Easy", text, max_episode_steps=500, autopickup=True)
    knight = {"character": "kni-hum-law-fem"}
    yield _skill("Quest-Medium", text, max_episode_steps=1000, autopickup=True, **knight)
    yield _skill("Quest-Hard", text, max_episode_steps=1000)


def _skill(name: str, description: str, **options: Any) -> Row:
    defaults = {
        "character": "cav-hum-neu-mal",
        "actions": _SKILL_ACTIONS,
        "observation_keys": _SKILL_KEYS,
        "allow_all_yn_questions": True,
        "autopickup": False,
        "max_episode_steps": 250,
    }
    return Row(name, description, defaults | options)


def _both(name: str, description: str, actions: bytes, **options: Any) -> Iterator[Row]:
    """Two rows: with all keys, and with the task's own keys."""
    yield _skill(f"{name}-Full", description, **options)
    yield _skill(f"{name}-Restricted", description, actions=actions, **options)


def _steps(count: int) -> dict[str, Any]:
    return {"max_episode_steps": count}


ROWS = (*_navigation(), *_skills())


def has_all_keys(row: Row) -> bool:
    """True if a task's actions are the package's defaults."""
    return bool(row.options.get("actions") == _SKILL_ACTIONS)


_DOCS = {
    "des_file": "a level of one's own: the text of a .des file, or its path; empty: the task's",
    "autopickup": "things are picked up by walking onto them; says nothing if `options` are given",
    "pet": "there is a pet; says nothing if `options` are given",
}
_SEE_DOCS = {
    "include_see_actions": "there are actions that show what is worn, wielded and carried; says "
    "nothing if `actions` are given",
}
_LEVELS_DOCS = {"num_levels": "how many levels are made, one of which is drawn for each episode"}


def tasks() -> Iterator[Task]:
    """All 161 tasks."""
    for row in ROWS:
        defaults: dict[str, Any] = {
            "task": "minihack",
            "character": "rog-hum-cha-mal",
            "observation_keys": _KEYS,
            "actions": MOVES,
            "max_episode_steps": 100,
            "spawn_monsters": False,
            "autopickup": True,
            **row.options,
        }
        defaults["actions"] = list(defaults["actions"])
        options = {"des_file": "", "autopickup": defaults.pop("autopickup"), "pet": False}
        fixed = [*FIXED, "no_progress_timeout"]
        docs = CONFIG_DOCS | _DOCS
        del docs["no_progress_timeout"]
        if has_all_keys(row):
            options["include_see_actions"] = True
            docs |= _SEE_DOCS
        if row.generator is not None:
            defaults["num_levels"] = LEVELS
            docs |= _LEVELS_DOCS
        else:
            fixed.append("num_levels")
        task = Task(
            row.id,
            ENV,
            description=row.description,
            config_docs=docs,
            fixed=fixed,
            options=options,
            render_fps=10,
            keys=keys_of(defaults["actions"]),
            **defaults,
        )
        # Task has a parameter of this name with another meaning.
        task.defaults["options"] = list(GAME_OPTIONS)
        yield task
