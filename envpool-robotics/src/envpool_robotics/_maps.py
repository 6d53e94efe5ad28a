# SPDX-License-Identifier: Apache-2.0
"""Maps of mazes: a character for each cell.

"#" is a wall, "." is free, "r" a start, "g" a goal and "c" both; Gymnasium-Robotics has 1 and 0 for
the first two.
"""

from __future__ import annotations

from collections.abc import Sequence

_U = ("#####", "#...#", "###.#", "#...#", "#####")
_OPEN = ("#######", "#.....#", "#.....#", "#.....#", "#######")
_MEDIUM = (
    "########",
    "#..##..#",
    "#..#...#",
    "##...###",
    "#..#...#",
    "#.#..#.#",
    "#...#..#",
    "########",
)
_LARGE = (
    "############",
    "#....#.....#",
    "#.##.#.#.#.#",
    "#......#...#",
    "#.####.###.#",
    "#..#.#.....#",
    "##.#.#.#.###",
    "#..#...#...#",
    "############",
)


def _with(rows: Sequence[str], marks: dict[tuple[int, int], str]) -> tuple[str, ...]:
    cells = [list(row) for row in rows]
    for (i, j), mark in marks.items():
        cells[i][j] = mark
    return tuple("".join(row) for row in cells)


def _diverse(rows: Sequence[str], goals: Sequence[tuple[int, int]]) -> dict[str, tuple[str, ...]]:
    """The map with one start and many goals, and the map with cells that are both."""
    return {
        "_Diverse_G": _with(rows, dict.fromkeys(goals, "g") | {(1, 1): "r"}),
        "_Diverse_GR": _with(rows, dict.fromkeys([*goals, (1, 1)], "c")),
    }


_FREE = [(i, j) for i in range(1, 4) for j in range(1, 6)]
_MEDIUM_GOALS = [(2, 6), (5, 1), (6, 5)]
_LARGE_GOALS = [(1, 6), (3, 5), (3, 10), (5, 2), (7, 4), (7, 6), (7, 9)]

MAPS: dict[str, tuple[str, ...]] = {"UMaze": _U}
"""The ten maps of Gymnasium-Robotics, by their names in ids."""
for _name, _rows, _goals in (
    ("Open", _OPEN, _FREE),
    ("Medium", _MEDIUM, _MEDIUM_GOALS),
    ("Large", _LARGE, _LARGE_GOALS),
):
    MAPS[_name] = _rows
    MAPS |= {f"{_name}{kind}": rows for kind, rows in _diverse(_rows, _goals).items()}

# EnvPool 1.2.5's names, which are those of Gymnasium-Robotics' constants.
OTHER_NAMES = {
    "U_MAZE": "UMaze",
    **{name.upper(): name for name in MAPS if name.startswith("Open")},
    **{
        name.upper().replace(size, f"{size}_MAZE"): name
        for size in ("MEDIUM", "LARGE")
        for name in MAPS
        if name.upper().startswith(size)
    },
}
