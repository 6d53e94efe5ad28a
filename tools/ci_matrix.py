# SPDX-License-Identifier: Apache-2.0
"""Turns the list of nox into the matrices of the CI workflow.

    nox -l --json > sessions.json
    python tools/ci_matrix.py sessions.json >> "$GITHUB_OUTPUT"

Prints `sessions=[...]`, those of the default command, and `tests=[...]`, the tests of each wheel,
which run on more systems. The session `wheels` is part of whatever needs it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(path: Path) -> None:
    """Prints both matrices."""
    listed = json.loads(path.read_text(encoding="utf-8"))
    names = {entry["session"]: entry["name"] for entry in listed}
    sessions = [session for session, name in names.items() if name not in ("tests", "wheels")]
    tests = [session for session, name in names.items() if name == "tests"]
    assert sessions and tests, "nox lists no sessions"
    print(f"sessions={json.dumps(sessions)}")
    print(f"tests={json.dumps(tests)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
