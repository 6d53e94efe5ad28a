# SPDX-License-Identifier: Apache-2.0
"""Games that are computed in this wheel beside the same pools on the package's library.

Actions are random.
"""

from __future__ import annotations

from comparison import Comparison, Row, Side
from envpool_procgen import _procgen

NUM_ENVS = 64


def row(game: str, mode: str) -> Row:
    """One task."""
    options = {"task": f"{game.capitalize()}{mode}-v0", "num_envs": NUM_ENVS, "num_threads": 1}
    sides = [Side(engine, {**options, "engine": engine}) for engine in ("own", "libenv")]
    return Row((game, mode.lower()), NUM_ENVS, sides, goal=3)


TABLES = [
    Comparison(
        "Procgen",
        ("game", "mode"),
        [row(game, mode) for mode in ("Easy", "Hard") for game in _procgen.own_games()],
        rounds=3,
        judged="CPU ratio",
    )
]
