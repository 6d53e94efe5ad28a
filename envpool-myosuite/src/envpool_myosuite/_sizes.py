# SPDX-License-Identifier: Apache-2.0
"""Sizes of the objects that a hand turns, parsed from MyoSuite's code, which is not run."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envpool import Task
from envpool.errors import ConfigError
from envpool.files import check_file

FILE = "envs/myo/myobase/reorient_sar_v0.py"
CLASSES = {
    "8": "Geometries8EnvV0",
    "100": "Geometries100EnvV0",
    "ID": "InDistribution",
    "OOD": "OutofDistribution",
}
"""The values of `objects`, and the classes in whose code the sizes are."""

# The code's variables, and our options. Each variable is a dict of pairs: a size and a color.
_TABLES = {"caps": "capsules", "ellips": "ellipsoids", "cyl": "cylinders", "box": "boxes"}


def prepare(task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the compiled environment, with the sizes for `objects`.

    Raises:
        ConfigError: If they are not in the installed file.
    """
    given = dict(options)
    objects = given.get("objects", task.defaults["objects"])
    missing = [option for option in _TABLES.values() if option not in given]
    # A wrong word is refused later, with the other options.
    if not missing or objects not in CLASSES:
        return given
    path = Path(str(given["base_path"]), FILE)
    call = f"make({task.id!r}, objects={objects!r})"
    check_file(call, path)
    return {**_read(call, path, CLASSES[objects]), **given}


def _read(call: str, path: Path, name: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        (kind,) = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == name)
        for node in ast.walk(kind):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            if option := _TABLES.get(node.targets[0].id):
                table = ast.literal_eval(node.value)
                found[option] = [float(x) for key in sorted(table) for x in table[key][0]]
    except (OSError, SyntaxError, ValueError, TypeError, KeyError, IndexError) as error:
        raise _unknown(call, path, f"{type(error).__name__}: {error}") from error
    if found.keys() != set(_TABLES.values()):
        raise _unknown(call, path, f"tables {sorted(found)}")
    return found


def _unknown(call: str, path: Path, got: str) -> ConfigError:
    return ConfigError(
        call,
        f"{path}: {got}",
        f"the file of myosuite 2.12.2, with sizes in {', '.join(_TABLES)}",
        "Install it again: `pip install --no-deps --force-reinstall myosuite==2.12.2`, or pass "
        + ", ".join(_TABLES.values()),
    )
