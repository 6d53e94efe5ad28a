# SPDX-License-Identifier: Apache-2.0
"""The model of a maze: the agent's model, with a box for each wall and a site at the goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from envpool import Task
from envpool.errors import ConfigError, suggest
from envpool.files import check_file
from envpool_mujoco import family

from ._maps import MAPS, OTHER_NAMES

Cells = list[tuple[float, float]]
_MARKS = {1: "#", 0: ".", "1": "#", "0": ".", "#": "#", ".": "."} | {m: m for m in "rgc"}


class _Kind(NamedTuple):
    """The shared properties of one agent's mazes."""

    cell_size: float  # metres
    height: float  # of walls, in cells
    camera: Callable[[int], float]  # metres, from the number of rows


_KINDS = {
    "PointMaze": _Kind(1, 0.4, lambda rows: 12.5 if rows > 8 else 8.8),
    "AntMaze": _Kind(4, 0.5, lambda rows: 4.0),
}


def prepare(
    task: Task, options: Mapping[str, Any], assets: Callable[[], Path]
) -> dict[str, object]:
    """The options of the compiled environment: a key of a model, and cells.

    Raises:
        ConfigError: If the map is not valid.
        MissingPackageError: If the package with the agent's model is not installed.
    """
    from . import _robotics

    given = dict(options)
    name = task.env.rpartition(":")[2]
    kind = _KINDS[name]
    asked = given.pop("maze_map", None)
    rows = _rows(task, task.defaults["maze_map"] if asked is None else asked)
    agent = _read_agent(task, _agent(name, given.get("xml_file"), assets))
    text, goals, starts = _model(rows, kind, agent)
    _check(task, goals, starts)
    version = given.get("version", task.defaults.get("version", 5))
    return {
        **given,
        "xml_file": _robotics.add_model(f"{task.id}'s maze", text, {}),
        "cell_size": float(kind.cell_size),
        # Version 3 of AntMaze ignored that its cells are larger.
        "least_distance": 0.5 if version == 3 else 0.5 * kind.cell_size,
        "camera_distance": kind.camera(len(rows)),
        "goal_cells": [x for cell in goals for x in cell],
        "start_cells": [x for cell in starts for x in cell],
        "map_rows": rows,
    }


def _agent(name: str, xml_file: object, assets: Callable[[], Path]) -> Path:
    if xml_file:
        return Path(str(xml_file))
    if name == "PointMaze":
        return assets() / "point" / "point.xml"
    models = family.assets_of("gymnasium", "envs/mujoco/assets", 'pip install "gymnasium>=1.4"')
    return models / "ant.xml"


def _read_agent(task: Task, path: Path) -> ET.ElementTree[ET.Element]:
    """The parsed model of an agent. Raises ConfigError if the file is not a model."""
    call = f"make({task.id!r}, xml_file={str(path)!r})"
    check_file(call, path)
    allowed = "an MJCF file with a <worldbody>"
    try:
        tree = ET.parse(path)
    except (OSError, ET.ParseError, ValueError, LookupError) as error:
        raise ConfigError(call, str(error), allowed, "Pass the path of a model") from error
    if tree.find(".//worldbody") is None:
        got = f"a file whose root is <{tree.getroot().tag}> and that has no <worldbody>"
        raise ConfigError(call, got, allowed, "Pass the model of an agent")
    return tree


def _rows(task: Task, asked: object) -> list[str]:
    """The map as lines of characters."""
    call = f"make({task.id!r}, maze_map=...)"
    allowed = "the name of a map, or rows of the same length: 1 wall, 0 free, 'r', 'g' and 'c'"
    if isinstance(asked, str):
        name = OTHER_NAMES.get(asked, asked)
        if name in MAPS:
            return list(MAPS[name])
        hint = suggest(asked, MAPS, "Pass rows of cells")
        raise ConfigError(call, repr(asked), ", ".join(MAPS), hint)
    if not isinstance(asked, Sequence) and not hasattr(asked, "tolist"):
        raise ConfigError(call, repr(asked), allowed, "Pass a list of lists")
    rows = []
    listed: Any = asked.tolist() if hasattr(asked, "tolist") else asked
    for row in listed:
        if not isinstance(row, Sequence):
            raise ConfigError(call, f"a row {row!r}", allowed, "Pass a list of lists")
        unknown = [cell for cell in row if not _is_cell(cell)]
        if unknown:
            raise ConfigError(call, f"a cell {unknown[0]!r}", allowed, "Write each cell so")
        rows.append("".join(_MARKS[cell] for cell in row))
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        lengths = ", ".join(str(len(row)) for row in rows)
        raise ConfigError(call, f"rows of {lengths or 'no'} cells", allowed, "Make them alike")
    return rows


def _is_cell(cell: object) -> bool:
    try:
        return cell in _MARKS
    except TypeError:
        return False


def _model(
    rows: Sequence[str], kind: _Kind, tree: ET.ElementTree[ET.Element]
) -> tuple[bytes, Cells, Cells]:
    """The text of the model, and the middles of cells for goals and for starts."""
    world = tree.find(".//worldbody")
    assert world is not None
    size, height = kind.cell_size, kind.height / 2 * kind.cell_size
    middle = len(rows[0]) / 2 * size, len(rows) / 2 * size
    cells: dict[str, Cells] = {mark: [] for mark in ".rgc"}
    for i, row in enumerate(rows):
        for j, mark in enumerate(row):
            x, y = (j + 0.5) * size - middle[0], middle[1] - (i + 0.5) * size
            if mark != "#":
                cells[mark].append((x, y))
                continue
            ET.SubElement(
                world,
                "geom",
                name=f"block_{i}_{j}",
                pos=f"{x} {y} {height}",
                size=f"{0.5 * size} {0.5 * size} {height}",
                type="box",
                material="",
                contype="1",
                conaffinity="1",
                rgba="0.7 0.5 0.3 1.0",
            )
    ET.SubElement(
        world,
        "site",
        name="target",
        pos=f"0 0 {height}",
        size=f"{0.2 * size}",
        rgba="1 0 0 0.7",
        type="sphere",
    )
    both = cells["c"] if any(cells[mark] for mark in "rgc") else cells["."]
    goals, starts = cells["g"] or ([] if both else cells["."]), cells["r"]
    if not starts and not both:
        starts = cells["."]
    return ET.tostring(tree.getroot()), goals + both, starts + both


def _check(task: Task, goals: Cells, starts: Cells) -> None:
    """Checks that each goal has a start in another cell."""
    if goals and starts and all(any(start != goal for start in starts) for goal in goals):
        return
    raise ConfigError(
        f"make({task.id!r}, maze_map=...)",
        f"{len(goals)} cells for goals and {len(starts)} for starts",
        "a start for each goal that is in another cell",
        "Mark more cells, or none",
    )
