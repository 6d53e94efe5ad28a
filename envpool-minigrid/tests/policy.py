# SPDX-License-Identifier: Apache-2.0
"""Plays minigrid's environments so that every rule is used: it goes to things, and acts on them.

It reads the reference's state. Mostly it follows possible missions: it picks up keys, unlocks
doors, goes to the goal or to the things of BabyAI's instruction, puts a thing beside another.
Sometimes it acts at random, walks into walls, opens boxes, drops the thing in its hand.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from minigrid.core.actions import Actions

LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = (int(a) for a in Actions)
_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Player:
    """Chooses actions for one reference environment."""

    def __init__(self, world: Any, seed: int) -> None:
        """`world` is the unwrapped environment."""
        self.world = world
        self.rng = np.random.default_rng(seed)
        self.target: tuple[int, int] | None = None
        self.wish = TOGGLE
        self.since = 0

    def new_episode(self) -> None:
        """Forgets its current plan."""
        self.target = None

    def action(self) -> int:
        """The next action."""
        world = self.world
        draw = self.rng.random()
        if draw < 0.1:
            return int(self.rng.choice([0, 1, 2, 2, 2, 3, 4, 5, 6], p=_ODDS))
        self.since += 1
        if self.target is None or self.since > 60:
            self._choose()
        if self.target is None:
            return int(self.rng.integers(3))
        step = self._toward(self.target)
        if step is None:
            self.target = None
            return int(self.rng.integers(3))
        if step == -1:  # in front of it
            self.target = None
            return self.wish
        front = tuple(np.add(world.agent_pos, _STEPS[world.agent_dir]))
        if step == FORWARD:
            cell = world.grid.get(*front)
            if cell is not None and cell.type == "door" and not cell.is_open:
                return TOGGLE
            if cell is not None and not cell.can_overlap():
                self.target = None
                return int(self.rng.choice([LEFT, RIGHT, PICKUP]))
        return step

    def _choose(self) -> None:
        """Chooses the next aim: a cell to look at, and the action there."""
        world, rng = self.world, self.rng
        self.since = 0
        things = [
            (x, y, cell)
            for x in range(world.grid.width)
            for y in range(world.grid.height)
            if (cell := world.grid.get(x, y)) is not None and cell.type not in ("wall", "lava")
        ]
        held = world.carrying
        plans: list[tuple[float, tuple[int, int], int]] = []
        wanted = _wanted(world)
        for x, y, cell in things:
            weight, action = 1.0, TOGGLE
            if cell.type == "goal":
                weight, action = 6.0, FORWARD
            elif cell.type == "door":
                opens = held is not None and held.type == "key" and held.color == cell.color
                weight = (8.0 if opens else 0.2) if cell.is_locked else 0.5
            elif held is None:
                weight = 3.0 if cell.type == "key" else 1.0
                action = PICKUP if cell.type != "box" or rng.random() < 0.5 else TOGGLE
            else:
                weight = 0.3
            if any(cell is one for one in wanted):
                weight += 8.0
                if held is None and cell.type not in ("door", "goal"):
                    action = PICKUP
            elif cell.type not in ("door", "goal") and "go to" in world.mission:
                action = DONE
            if "go to" in world.mission and rng.random() < 0.5 and cell.type != "goal":
                action = DONE
            plans.append((weight, (x, y), action))
        if held is not None:
            near = wanted if wanted and rng.random() < 0.8 else [c for *_, c in things]
            places = [
                (x + dx, y + dy)
                for x, y, cell in things
                if any(cell is one for one in near)
                for dx, dy in (*_STEPS, *_STEPS, (1, 1), (-1, 1), (1, -1), (-1, -1))
            ]
            for place in places:
                x, y = place
                inside = 0 < x < world.grid.width and 0 < y < world.grid.height
                if inside and world.grid.get(x, y) is None:
                    share = 16.0 if "next to" in world.mission else 4.0
                    plans.append((share / len(places) + 0.01, place, DROP))
        if "object at the end" in world.mission:
            plans += [(6.0, at, FORWARD) for at in (world.success_pos, world.failure_pos)]
        if not plans:
            self.target = None
            return
        weights = np.array([weight for weight, *_ in plans])
        _, self.target, self.wish = plans[int(rng.choice(len(plans), p=weights / weights.sum()))]

    def _toward(self, target: tuple[int, int]) -> int | None:
        """The next action on the way to look at `target`; -1: arrived, None: no way."""
        world = self.world
        start = (int(world.agent_pos[0]), int(world.agent_pos[1]), int(world.agent_dir))
        held = world.carrying
        first: dict[tuple[int, int, int], int] = {start: -1}
        queue = deque([start])
        while queue:
            pose = queue.popleft()
            x, y, direction = pose
            dx, dy = _STEPS[direction]
            front = (x + dx, y + dy)
            if front == target:
                return first[pose]
            moves = [(LEFT, (x, y, (direction - 1) % 4)), (RIGHT, (x, y, (direction + 1) % 4))]
            if 0 <= front[0] < world.grid.width and 0 <= front[1] < world.grid.height:
                cell = world.grid.get(*front)
                opens = (
                    cell is not None
                    and cell.type == "door"
                    and (
                        not cell.is_locked
                        or (held is not None and held.type == "key" and held.color == cell.color)
                    )
                )
                if cell is None or opens:
                    moves.append((FORWARD, (*front, direction)))
            for action, after in moves:
                if after not in first:
                    first[after] = action if pose == start else first[pose]
                    queue.append(after)
        return None


_ODDS = [0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.13, 0.03]


def _wanted(world: Any) -> list[Any]:
    """The things that the mission mentions."""
    clauses = [world.instrs] if hasattr(world, "instrs") else []
    things: list[Any] = []
    while clauses:
        clause = clauses.pop()
        if hasattr(clause, "instr_a"):
            clauses += [clause.instr_a, clause.instr_b]
            continue
        for name in ("desc", "desc_move", "desc_fixed"):
            if hasattr(clause, name):
                things += getattr(clause, name).obj_set
    if things and world.carrying is not None:
        return [thing for thing in things if thing is not world.carrying]
    target = getattr(world, "obj", None)
    if target is not None:
        things.append(target)
    for y in range(world.grid.height):
        for x in range(world.grid.width):
            cell = world.grid.get(x, y)
            if cell is not None and f"{cell.color} {cell.type}" in world.mission:
                things.append(cell)
    return things
