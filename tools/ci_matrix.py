# SPDX-License-Identifier: Apache-2.0
"""The matrices of GitHub's workflows, from nox's list of sessions and the families' pyproject.toml.

    nox -l --json > sessions.json
    python tools/ci_matrix.py sessions.json >> "$GITHUB_OUTPUT"

Prints lists in JSON:

    sessions   sessions of the default command that need no wheel, or the wheel that is built once
    tests      the tests of each wheel, which run on more systems
    others     family and runner, of the systems other than Linux
    release    family and runner, of all wheels that are released; `skip` is cibuildwheel's

`tool.envpool.systems` lists a family's systems beside "linux", which is glibc: "musl", "macos",
"windows". Needs nox, as in .nox/tools.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from nox.project import load_toml

ROOT = Path(__file__).resolve().parents[1]
RUNNERS = {
    "linux": ("ubuntu-24.04", "ubuntu-24.04-arm"),
    "macos": ("macos-14", "macos-15-intel"),
    "windows": ("windows-2022",),
}


def main(path: Path) -> None:
    """Prints all matrices."""
    listed = json.loads(path.read_text(encoding="utf-8"))
    names = {entry["session"]: entry["name"] for entry in listed}
    matrices: dict[str, list[object]] = {
        "sessions": [session for session, name in names.items() if name not in ("tests", "wheels")],
        "tests": [session for session, name in names.items() if name == "tests"],
        "others": [],
        "release": [],
    }
    for project in sorted(ROOT.glob("envpool-*/pyproject.toml")):
        family = project.parent.name
        own = load_toml(project).get("tool", {}).get("envpool", {})
        systems = {"linux", *own.get("systems", [])}
        for system, runners in RUNNERS.items():
            if system not in systems or family == "envpool-core":
                continue
            for runner in runners:
                skip = "" if "musl" in systems else "*-musllinux*"
                matrices["release"].append({"family": family, "runner": runner, "skip": skip})
                if system != "linux":
                    matrices["others"].append({"family": family, "runner": runner})
    for name, matrix in matrices.items():
        assert matrix, f"there is nothing for {name}"
        print(f"{name}={json.dumps(matrix)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
