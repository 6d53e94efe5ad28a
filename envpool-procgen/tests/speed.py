# SPDX-License-Identifier: Apache-2.0
"""Games beside the package's own vector, EnvPool 1.2.5, and our pools on the package's library.

Actions are random. If our side also uses the library, only the other peers are compared.
"""

from __future__ import annotations

from pathlib import Path

from comparison import ENVPOOL, ENVPOOL_NAME, Comparison, Row, Side
from envpool_procgen import _procgen
from envpool_procgen._tasks import GAMES

NUM_ENVS = 64
PACKAGE = "procgen 0.10.7"


def row(game: str, mode: str) -> Row:
    """One task."""
    options = {"task": f"{game.capitalize()}{mode}-v0", "num_envs": NUM_ENVS, "num_threads": 1}
    own = game in _procgen.own_games()
    package = {"game": game, "mode": mode.lower(), "num_envs": NUM_ENVS}
    sides = [
        Side("ours", options),
        Side(PACKAGE, package, "vector", Path(__file__).with_name("references.py")),
        Side("ours", options).against(ENVPOOL),
    ]
    if own:
        sides.append(Side("ours, engine='libenv'", {**options, "engine": "libenv"}))
    engine = "own" if own else "library"
    return Row((game, mode.lower(), engine), NUM_ENVS, sides)


def mean_goal(cells: tuple[str, ...], peer: str) -> float:
    """The goal for the mean of all games of a mode on an engine."""
    _, engine = cells
    if engine == "own":
        return {PACKAGE: 3.0, ENVPOOL_NAME: 3.0}.get(peer, 1.0)
    return 1.3 if peer == ENVPOOL_NAME else 1.0


TABLES = [
    Comparison(
        "Procgen",
        ("game", "mode", "engine"),
        [row(game.name, mode) for mode in ("Easy", "Hard") for game in GAMES],
        rounds=3,
        seconds=0.2,
        judged="CPU ratio",
        mean_goal=mean_goal,
    )
]
