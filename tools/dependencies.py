# SPDX-License-Identifier: Apache-2.0
"""Dependencies between wheels, between modules of a wheel, and between its C++ files.

    python tools/dependencies.py envpool-core    # by default: all wheels

The command prints them in layers: imports and includes of a layer lead to earlier layers only.
"""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Graph = dict[str, set[str]]
"""The dependencies of each name."""


def graphs(root: Path, names: list[str]) -> Iterator[tuple[str, Graph]]:
    """The graph of all wheels, then the graphs of modules and of C++ files of each named wheel."""
    projects = {p.parent.name: p.read_text("utf-8") for p in root.glob("envpool-*/pyproject.toml")}
    # A requirement begins a string, as in "envpool-core>=0.1".
    needed = {name: set(re.findall(r'"(envpool-\w+)', text)) for name, text in projects.items()}
    yield "wheels", {n: needed[n] & projects.keys() - {n} for n in sorted(needed)}
    for name in names or sorted(projects):
        for package in (root / name).glob("src/*/__init__.py"):
            yield f"{name}, modules", imports(package.parent)
        yield f"{name}, C++", includes(root / name)


def circle(name: str, graph: Graph) -> str:
    """The error if names of a graph depend on each other in a circle; empty if none do."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return f"{name} need each other: {' <- '.join(error.args[1])}"
    return ""


def layers(graph: Graph) -> Iterator[list[str]]:
    """Names that depend on earlier layers only, layer by layer."""
    sorter = graphlib.TopologicalSorter(graph)
    sorter.prepare()
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        yield ready
        sorter.done(*ready)


def imports(package: Path) -> Graph:
    """The modules of a package; imports within functions, and those for type checkers, count."""
    files = {}
    for path in package.rglob("*.py"):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: _imported(name, path) & files.keys() - {name} for name, path in files.items()}


def _imported(name: str, path: Path) -> set[str]:
    """A module's possible imports: modules of its own package, and names in them."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from . import name` may name a compiled module, which has no .py file.
            found |= {f"{module}.{alias.name}" for alias in node.names}
            found |= {module} if node.module else set()
    return found


def includes(wheel: Path) -> Graph:
    """The C++ files of a wheel; a path is relative to the file or to a folder of headers."""
    files = {p for top in ("include", "sources", "cpp") for p in (wheel / top).rglob("*.[hc]*")}
    graph: Graph = {}
    for file in files:
        folders = (file.parent, wheel / "include", wheel / "cpp")
        named = re.findall(r'^#include [<"]([^>"]+)', file.read_text("utf-8"), re.MULTILINE)
        found = {(folder / path).resolve() for path in named for folder in folders}
        graph[str(file.relative_to(wheel))] = {
            str(p.relative_to(wheel)) for p in files if p.resolve() in found and p != file
        }
    return graph


if __name__ == "__main__":
    for _title, _graph in graphs(ROOT, sys.argv[1:]):
        print(_title)
        for _number, _names in enumerate(layers(_graph), 1):
            print(f"  {_number}: {' '.join(_names)}")
