# SPDX-License-Identifier: Apache-2.0
"""Writes the files of Box2D that are compiled with changes: python alter.py SOURCES INTO.

There are two changes. The counters of Box2D's searches are global variables, which all threads
would write: here each thread has its own. Loops over all bodies in a frame end at the first static
body. Worlds here make static bodies first, so static bodies are the last in the list, and a frame
leaves no lasting change in them (cpp/engine/world.cc).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

COUNTERS = r"\n((?:int32|float32) b2_[a-z])"
LOOPS = r"(b2Body\* (\w+) = m_bodyList; )\w+;"


def main(root: Path, folder: Path) -> None:
    """Writes three files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("b2Distance", "b2TimeOfImpact"):
        text = (root / "Box2D" / "Collision" / f"{name}.cpp").read_text()
        _write(folder, name, *re.subn(COUNTERS, r"\nthread_local \1", text))
    text = (root / "Box2D" / "Dynamics" / "b2World.cpp").read_text()
    begin = text.index("void b2World::Solve(")
    end = text.index("struct b2WorldQueryWrapper")
    frame, count = re.subn(LOOPS, r"\1\2 && \2->GetType() != b2_staticBody;", text[begin:end])
    _write(folder, "b2World", text[:begin] + frame + text[end:], count)


def _write(folder: Path, name: str, text: str, changes: int) -> None:
    if not changes:
        sys.exit(f"there is nothing to alter in {name}.cpp: it is of another Box2D")
    (folder / f"{name}.cpp").write_text(
        f"// Altered from Box2D's file of this name, see envpool-box2d's cmake/alter.py.\n{text}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
