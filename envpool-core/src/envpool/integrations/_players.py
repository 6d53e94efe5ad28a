# SPDX-License-Identifier: Apache-2.0
"""A player's part of observations and spaces with a level "players"."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces


def own(tree: Any) -> Any:
    """A tree without the level "players"."""
    if not (isinstance(tree, dict) and "players" in tree):
        return tree
    return {key: leaf for key, leaf in tree.items() if key != "players"} | tree["players"]


def own_space(space: Any) -> Any:
    """The space of the values that `own` returns."""
    players = space.get("players") if isinstance(space, spaces.Dict) else None
    if isinstance(players, spaces.Dict):
        return spaces.Dict(own({**space.spaces, "players": players.spaces}))
    return space
