# SPDX-License-Identifier: Apache-2.0
"""Policies written by hand, with a player's own inputs only: the lidar and its own body.

    obs, info = pool.reset()
    action = chase_and_flee(obs["players"])
    pool.step(action)

All are functions of the per-player arrays of an observation, and return an action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Players: TypeAlias = Mapping[str, NDArray[Any]]
"""`obs["players"]`: "lidar" of shape (players, rays, 4), "body" of shape (players, 9)."""

Action: TypeAlias = dict[str, NDArray[Any]]
"""The argument of `step`: "players.move" float64 (players, 2), "players.leap" int64 (players,)."""

Policy: TypeAlias = Callable[[Players], Action]

BARRIER, FOX, HARE, CLOVER = range(4)
"""Columns of the lidar."""
_LEAP_FROM = 0.82  # nearness of a hare, 1 - distance / range, from which a leap ends at it
_FLEE_FROM = 0.45  # nearness of a fox from which a hare only flees


def is_hare(players: Players) -> NDArray[np.bool_]:
    """A mask of the rows of hares: (players,)."""
    result: NDArray[np.bool_] = players["body"][:, 8] > 0.5
    return result


def hunt(players: Players) -> Action:
    """A fox that goes for the nearest visible hare, and leaps when a hare is close ahead."""
    lidar = players["lidar"]
    angle, seen = _nearest(lidar[:, :, HARE])
    free = _clearest(lidar)
    turn = np.where(seen > 0, 1.5 * angle, 0.6 * free)
    leap = (seen > _LEAP_FROM) & (np.abs(angle) < 0.3)
    return _action(np.ones(len(lidar)), turn, leap)


def flee(players: Players) -> Action:
    """A hare that runs from foxes towards free space, and grazes when no fox is near."""
    lidar = players["lidar"]
    angles = _angles(lidar.shape[1])
    danger, near = _nearest(lidar[:, :, FOX])
    # The value of each direction: how well it leads away, and the obstacles in it.
    away = -np.cos(angles[None] - danger[:, None]) * near[:, None]
    blocked = np.maximum(lidar[:, :, BARRIER], lidar[:, :, HARE]) ** 2
    best = angles[np.argmax(away - 2.0 * blocked + 0.1 * np.cos(angles), axis=1)]
    food, smell = _nearest(lidar[:, :, CLOVER])
    calm = near < _FLEE_FROM
    goal = np.where(calm & (smell > 0), food, best)
    leap = (near > 0.8) & (np.abs(best) < 0.5)
    return _action(np.where(np.abs(goal) < 1.5, 1.0, 0.3), 1.5 * goal, leap)


def chase_and_flee(players: Players) -> Action:
    """Foxes hunt, hares flee."""
    return by_kind(hunt, flee)(players)


def by_kind(fox: Policy, hare: Policy) -> Policy:
    """A policy for the rows of foxes, and another for the rows of hares."""

    def both(players: Players) -> Action:
        hares = is_hare(players)
        action = _action(*np.zeros((3, len(hares))))
        for rows, policy in ((~hares, fox), (hares, hare)):
            part = policy({key: array[rows] for key, array in players.items()})
            for key, array in part.items():
                action[key][rows] = array
        return action

    return both


def random_policy(seed: int) -> Policy:
    """Random actions, with random leaps."""
    rng = np.random.default_rng(seed)

    def act(players: Players) -> Action:
        n = len(players["body"])
        return _action(rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.random(n) < 0.1)

    return act


def _action(drive: Any, turn: Any, leap: Any) -> Action:
    move = np.stack([drive, np.clip(turn, -1, 1)], axis=1)
    return {"players.move": move, "players.leap": np.asarray(leap, np.int64)}


def _angles(rays: int) -> NDArray[np.float64]:
    """The angles of the rays, 0 ahead and positive to the left, -pi .. pi."""
    return (np.arange(rays) * 2 * np.pi / rays + np.pi) % (2 * np.pi) - np.pi


def _nearest(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Angle and nearness of the nearest object in a column of the lidar; nearness 0: no object."""
    ray = np.argmax(column, axis=1)
    return _angles(column.shape[1])[ray], column[np.arange(len(column)), ray]


def _clearest(lidar: NDArray[Any]) -> NDArray[Any]:
    """The angle with the most free space, a little straightened."""
    angles = _angles(lidar.shape[1])
    best: NDArray[Any] = angles[np.argmin(lidar[:, :, BARRIER] + 0.05 * np.abs(angles), axis=1)]
    return best
