# SPDX-License-Identifier: Apache-2.0
"""Levels that this family makes, for tasks that have another level in each episode.

In the package these levels are MiniGrid's rooms and Boxoban's puzzles, drawn or downloaded. Here
they are drawn when the task is prepared: descriptions of the same kind, of other levels.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["descriptions"]

_WIDTH, _HEIGHT = 76, 21
"""The maximum size of a map."""
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Room(NamedTuple):
    """A room with its walls, which it shares with the next room."""

    left: int
    top: int
    width: int
    height: int

    def overlaps(self, other: Room) -> bool:
        """True if the rooms share more than a wall."""
        return (
            self.left < other.left + other.width - 1
            and other.left < self.left + self.width - 1
            and self.top < other.top + other.height - 1
            and other.top < self.top + self.height - 1
        )

    def inside(self, draw: random.Random) -> tuple[int, int]:
        """A drawn place inside the walls."""
        return (
            self.left + draw.randrange(1, self.width - 1),
            self.top + draw.randrange(1, self.height - 1),
        )


def descriptions(generator: str, settings: Mapping[str, Any], count: int) -> list[str]:
    """The first levels of a kind; the same levels on each call.

    Args:
        generator: "rooms", "crossing" or "boxes".
        settings: The generator's settings.
        count: The number of levels.
    """
    generators: dict[str, Callable[..., str]] = {
        "rooms": rooms,
        "crossing": crossing,
        "boxes": boxes,
    }
    make = generators[generator]
    return [
        make(random.Random(f"{sorted(settings.items())} {i}"), **settings) for i in range(count)
    ]


def rooms(
    draw: random.Random,
    rooms: int,
    size: int,
    door: str = "closed",
    lava: bool = False,
    monsters: int = 0,
) -> str:
    """A chain of rooms with doors between them, from a place in the first to stairs in the last.

    Args:
        draw: The generator.
        rooms: The number of rooms.
        size: Maximum rows or columns of a room, with its walls; the minimum is 4.
        door: "closed", "open" or "locked".
        lava: Walls are lava.
        monsters: The number of monsters.
    """
    chain, doors = _chain(draw, rooms, size)
    left = min(room.left for room in chain)
    top = min(room.top for room in chain)
    width = max(room.left + room.width for room in chain) - left
    height = max(room.top + room.height for room in chain) - top
    grid = [[" "] * width for _ in range(height)]
    wall = "L" if lava else "|"
    for room in chain:
        for y in range(room.top, room.top + room.height):
            for x in range(room.left, room.left + room.width):
                edge = x in (room.left, room.left + room.width - 1)
                edge = edge or y in (room.top, room.top + room.height - 1)
                if grid[y - top][x - left] != wall:
                    grid[y - top][x - left] = wall if edge else "."
    doors = [(x - left, y - top) for x, y in doors]
    for x, y in doors:
        grid[y][x] = "+"
    start, goal = chain[0].inside(draw), chain[-1].inside(draw)
    lines = [_start(start[0] - left, start[1] - top), _stairs(goal[0] - left, goal[1] - top)]
    lines += [f"DOOR:{door},({x},{y})" for x, y in doors]
    lines += ["WALLIFY"] + ["MONSTER:random,random"] * monsters
    return _description(grid, lines)


def _chain(draw: random.Random, count: int, size: int) -> tuple[list[Room], list[tuple[int, int]]]:
    """Rooms, each beside the one before, and the doors between them."""
    while True:
        width, height = draw.randint(4, size), draw.randint(4, size)
        chain = [
            Room(draw.randint(0, _WIDTH - width), draw.randint(0, _HEIGHT - height), width, height)
        ]
        doors: list[tuple[int, int]] = []
        for _ in range(50 * count):
            if len(chain) == count:
                return chain, doors
            if (found := _beside(draw, chain, size)) is not None:
                chain.append(found[0])
                doors.append(found[1])


def _beside(
    draw: random.Random, chain: list[Room], size: int
) -> tuple[Room, tuple[int, int]] | None:
    """A room beside the last room, and the door to it; None if the drawn room does not fit."""
    last = chain[-1]
    width, height = draw.randint(4, size), draw.randint(4, size)
    step_x, step_y = draw.choice(_SIDES)
    if step_x:
        x = last.left + (last.width - 1 if step_x > 0 else 0)
        y = last.top + draw.randrange(1, last.height - 1)
        room = Room(
            x if step_x > 0 else x - width + 1, y - draw.randrange(1, height - 1), width, height
        )
    else:
        x = last.left + draw.randrange(1, last.width - 1)
        y = last.top + (last.height - 1 if step_y > 0 else 0)
        room = Room(
            x - draw.randrange(1, width - 1), y if step_y > 0 else y - height + 1, width, height
        )
    fits = room.left >= 0 and room.top >= 0
    fits = fits and room.left + width <= _WIDTH and room.top + height <= _HEIGHT
    if not fits or any(room.overlaps(other) for other in chain):
        return None
    return room, (x, y)


def crossing(draw: random.Random, size: int, walls: int, lava: bool) -> str:
    """A room with walls or rivers through it, each with a gap, from one corner to the other.

    Args:
        draw: The generator.
        size: Rows and columns, with the walls around.
        walls: The number of walls.
        lava: Walls are lava.
    """
    inside = range(1, size - 1)
    grid = [["|"] * size for _ in range(size)]
    for y in inside:
        for x in inside:
            grid[y][x] = "."
    lines = [(across, at) for across in (True, False) for at in range(2, size - 2, 2)]
    chosen = draw.sample(lines, min(walls, len(lines)))
    rows = sorted(at for across, at in chosen if across)
    columns = sorted(at for across, at in chosen if not across)
    for y in inside:
        for x in inside:
            if y in rows or x in columns:
                grid[y][x] = "L" if lava else "|"
    # A way through the fields between the walls, with a gap in each wall that it crosses.
    steps = ["down"] * len(rows) + ["right"] * len(columns)
    draw.shuffle(steps)
    edges_y, edges_x = [0, *rows, size - 1], [0, *columns, size - 1]
    row = column = 0
    for step in steps:
        if step == "down":
            x = draw.randrange(edges_x[column] + 1, edges_x[column + 1])
            grid[edges_y[row + 1]][x] = "."
            row += 1
        else:
            y = draw.randrange(edges_y[row] + 1, edges_y[row + 1])
            grid[y][edges_x[column + 1]] = "."
            column += 1
    return _description(grid, [_start(1, 1), _stairs(size - 2, size - 2), "WALLIFY"])


def boxes(draw: random.Random, boxes: int, pulls: int, size: int = 10) -> str:
    """A room with boulders that can all be pushed onto fountains.

    Boulders begin on the fountains and are pulled away, which is a solution in reverse.

    Args:
        draw: The generator.
        boxes: The number of boulders.
        pulls: The least number of pulls, of all boulders together.
        size: Rows and columns, with the walls around.
    """
    while True:
        floor = _cave(draw, size)
        if len(floor) < 5 * boxes:
            continue
        goals = draw.sample(sorted(floor), boxes)
        places, player = set(goals), draw.choice(sorted(floor - set(goals)))
        done = 0
        for _ in range(40 * pulls):
            if done >= pulls and not places & set(goals):
                break
            reach = _reach(floor - places, player)
            moves = [
                (place, step)
                for place in sorted(places)
                for step in _SIDES
                if (place[0] + step[0], place[1] + step[1]) in reach
                and (place[0] + 2 * step[0], place[1] + 2 * step[1]) in floor - places
            ]
            if not moves:
                break
            place, (x, y) = draw.choice(moves)
            places.remove(place)
            places.add((place[0] + x, place[1] + y))
            player = (place[0] + 2 * x, place[1] + 2 * y)
            done += 1
        if done < pulls or places & set(goals):
            continue
        grid = [["F"] * size for _ in range(size)]
        for x, y in floor:
            grid[y][x] = "."
        lines = [f'OBJECT:"boulder",({x},{y})' for x, y in sorted(places)]
        lines += [f"FOUNTAIN:({x},{y})" for x, y in goals]
        lines.append(_start(*player))
        return _description(grid, lines, flags="noteleport,premapped")


def _cave(draw: random.Random, size: int) -> set[tuple[int, int]]:
    """Connected places, made by a random walk with steps two and three wide."""
    x, y = draw.randrange(2, size - 2), draw.randrange(2, size - 2)
    floor = {(x, y)}
    for _ in range(4 * size):
        step_x, step_y = draw.choice(_SIDES)
        x = min(max(x + step_x, 1), size - 3)
        y = min(max(y + step_y, 1), size - 3)
        floor |= {(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)}
    return floor


def _reach(free: set[tuple[int, int]], start: tuple[int, int]) -> set[tuple[int, int]]:
    """The reachable places."""
    found, open_ends = {start}, [start]
    while open_ends:
        x, y = open_ends.pop()
        for step_x, step_y in _SIDES:
            place = (x + step_x, y + step_y)
            if place in free and place not in found:
                found.add(place)
                open_ends.append(place)
    return found


def _start(x: int, y: int) -> str:
    """The agent's start."""
    return f"BRANCH:({x},{y},{x},{y}),({x - 1},{y - 1},{x - 1},{y - 1})"


def _stairs(x: int, y: int) -> str:
    return f"STAIR:({x},{y}),down"


def _description(grid: list[list[str]], lines: list[str], flags: str = "hardfloor") -> str:
    """A level in the language of NetHack's compiler."""
    area = f"(0,0,{len(grid[0]) - 1},{len(grid) - 1})"
    picture = ["".join(row) for row in grid]
    head = ["MAZE:\"mylevel\",' '", f"FLAGS:{flags}", "INIT_MAP:solidfill,' '"]
    head += ["GEOMETRY:center,center", "MAP"]
    return "\n".join([*head, *picture, "ENDMAP", f'REGION:{area},lit,"ordinary"', *lines, ""])
