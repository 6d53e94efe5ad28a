# SPDX-License-Identifier: Apache-2.0
"""The sixteen games and their 50 ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from envpool import Keys, Task

__all__ = ["EXPLORATION", "GAMES", "MODES", "Game", "tasks"]

MODES = {"Easy": 0, "Hard": 1, "Extreme": 2, "Memory": 10, "Exploration": 20}
EXPLORATION = MODES["Exploration"]
ENV = "envpool_procgen._procgen:Procgen"


class Game(NamedTuple):
    """A game.

    Attributes:
        name: The engine's name of the game.
        limit: Steps of an episode.
        modes: Its modes beside "Easy" and "Hard".
        description: The player's task.
    """

    name: str
    limit: int
    modes: tuple[str, ...]
    description: str


GAMES = (
    Game("bigfish", 6000, (), "Eat smaller fish and grow, and avoid the larger ones"),
    Game("bossfight", 4000, (), "Shoot at a starship with shields, and dodge what it fires"),
    Game("caveflyer", 1000, ("Memory", "Exploration"), "Fly through a cave to the goal"),
    Game("chaser", 1000, ("Extreme",), "Eat all orbs of a maze before the enemies have you"),
    Game("climber", 1000, ("Exploration",), "Jump from platform to platform and collect stars"),
    Game("coinrun", 1000, ("Exploration",), "Run and jump to the coin at the far right"),
    Game("dodgeball", 1000, ("Extreme", "Memory"), "Hit all enemies with balls, then leave"),
    Game("fruitbot", 1000, (), "Steer through gaps, collect fruit and no other food"),
    Game("heist", 1000, ("Memory", "Exploration"), "Find keys, open locks and steal the gem"),
    Game("jumper", 1000, ("Memory", "Exploration"), "Jump through a cave, as the compass says"),
    Game("leaper", 500, ("Extreme", "Exploration"), "Cross a road with cars and a river on logs"),
    Game("maze", 500, ("Memory", "Exploration"), "Find the cheese in a maze"),
    Game("miner", 1000, ("Memory",), "Dig for diamonds under boulders that fall, then leave"),
    Game("ninja", 1000, ("Exploration",), "Jump over ledges and throw stars at bombs"),
    Game("plunder", 4000, (), "Sink the enemy's ships with few cannon balls"),
    Game("starpilot", 1000, ("Extreme",), "Fly through space and shoot at everything"),
)

_WITH_MODE = {
    "Easy": "",
    "Hard": "",
    "Extreme": ", with more of everything",
    "Memory": ", in a large world with a narrow view",
    "Exploration": ", in one level that is hard to explore",
}
_DOCS = {
    "env_name": "the game",
    "distribution_mode": "0 easy, 1 hard, 2 extreme, 10 memory, 20 exploration, if it has that",
    "channel_first": "frames of shape (3, 64, 64) and not (64, 64, 3)",
    "num_levels": "how many levels there are to draw from; 0: all 2^31 - 1",
    "start_level": "the first of these levels; without effect where num_levels is 0",
    "use_sequential_levels": "a level that is completed is followed by another in the same episode",
    "center_agent": "the view follows the agent; False: it shows the whole level",
    "use_backgrounds": "pictures behind the level; False: black",
    "use_monochrome_assets": "rectangles of one colour in place of pictures",
    "restrict_themes": "one look for each kind of thing",
    "use_generated_assets": "random pictures; such environments cannot be saved",
    "paint_vel_info": "two grey squares that show the agent's velocity, in some games",
    "use_easy_jump": "without effect, as in Procgen: it was for a game that is no more",
    "debug_mode": "bits 1, 2 and 3 forbid pits, crates and differences of height in CoinRun",
    "engine": "who computes the game: 'own' this wheel, 'libenv' the library, 'auto' what can",
    "engine_path": "the package's libenv.so, or its folder; empty: looked for",
}
_KEYS = Keys(
    {"": 4, "left": 1, "right": 7, "up": 5, "down": 3, "d": 9, "a": 10, "w": 11, "s": 12, "q": 13}
    | {"e": 14}
)


def tasks() -> Iterator[Task]:
    """All 50 tasks."""
    for game in GAMES:
        for mode in ("Easy", "Hard", *game.modes):
            yield Task(
                f"{game.name.capitalize()}{mode}-v0",
                ENV,
                description=f"{game.description}{_WITH_MODE[mode]}.",
                config_docs=_DOCS,
                render_fps=15,
                keys=_KEYS,
                max_episode_steps=game.limit,
                env_name=game.name,
                distribution_mode=MODES[mode],
            )
