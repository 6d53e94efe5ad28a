# SPDX-License-Identifier: Apache-2.0
"""The modules of the wheel: none knows of those that import it."""

from __future__ import annotations

import graphlib
import re
from pathlib import Path

import envpool_ray

FROM = re.compile(r"^ *from (\.[\w.]*) import \(?([^)]*?)\)?$", re.MULTILINE)


def imports(file: Path, folder: Path) -> set[str]:
    """The modules of the wheel that one imports, also within functions and for types."""
    inside = "wire." if file.parent != folder else ""
    found = set()
    for source, names in FROM.findall(file.read_text()):
        if source == ".":
            found |= {inside + name for name in re.findall(r"\w+", names)}
        else:
            found.add(inside + source[1:])
    return found


def test_imports_go_one_way() -> None:
    """As docs/ray.md draws them."""
    folder = Path(envpool_ray.__file__).parent
    graph = {}
    for file in [*folder.glob("*.py"), *folder.glob("wire/*.py")]:
        name = ".".join(file.relative_to(folder).with_suffix("").parts)
        graph[name] = imports(file, folder)
    assert graph["_fast_path"] >= {"_native", "_request_sender", "_ledger", "wire.framing"}
    assert graph["wire.connection"] == {"wire.framing", "wire.shared_buffers"}
    order = [*graphlib.TopologicalSorter(graph).static_order()]  # CycleError, if there is a circle
    below = [
        "wire.connection", "_worker", "_workers", "_slices", "_recovery", "_request_sender",
        "_response_receiver", "_fast_path", "_pool", "_env", "_prepare",
    ]  # fmt: skip
    assert [name for name in order if name in below] == below
    # Some modules know environments, others only workers.
    assert not graph["_workers"] & {"_ledger", "_slices", "_rows", "_recovery"}
    assert graph["_ledger"] == {"_rows", "_settings"}
