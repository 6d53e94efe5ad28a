# SPDX-License-Identifier: Apache-2.0
"""Plays each family with the oldest and with the newest versions that its wheel's metadata admits.

    python tools/admitted.py                          # all wheels of dist/
    python tools/admitted.py mujoco jax --save        # into tools/admitted.csv, which a page shows

uv chooses the versions: the lowest that core, the wheel and its extras name, and the newest of
everything. In each of the two environments the family's task is made, stepped and hashed; any
warning is an error, except deprecations between other packages. The exit status is 1 if a run
fails, or if the episodes differ.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from _rows import merged, read, write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = ROOT / "out" / "admitted"
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
SAVED = Path(__file__).with_suffix(".csv")
COLUMNS = ("family", "task", "oldest versions", "newest versions", "episodes")
# Packages for the task of a wheel that has no extra for them.
MODELS = {"envpool-myosuite": "myosuite==2.12.2"}
SECONDS = 1200  # for one environment


def main() -> int:
    """Prints the table; the exit status is 1 if something fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("families", nargs="*", help="as mujoco; by default all")
    parser.add_argument("--save", action="store_true", help="replace the rows of the page")
    options = parser.parse_args()
    projects = {p.parent.name: _project(p) for p in sorted(ROOT.glob("envpool-*/pyproject.toml"))}
    rows, failed = [], False
    for wheel, project in projects.items():
        family = wheel.removeprefix("envpool-")
        task = project["tool"]["envpool"].get("task", "")
        if not task or (options.families and family not in options.families):
            continue
        said = {name: _play(wheel, projects, name, task) for name in RESOLUTIONS}
        problems = [f"{name}: {one['error']}" for name, one in said.items() if one["error"]]
        alike = said["oldest"]["episodes"] == said["newest"]["episodes"]
        outcome = "; ".join(problems) or ("equal" if alike else "differ")
        failed |= outcome != "equal"
        versions = (_listed(said[name]["versions"]) for name in RESOLUTIONS)
        cells = (family, f"`{task}`", *versions, outcome)
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
        print(" | ".join(cells), flush=True)
    if options.save:
        write(SAVED, merged(read(SAVED), rows, "family"))
    return 1 if failed else 0


def _project(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _needed(wheel: str, projects: dict[str, Any]) -> list[str]:
    """Wheels of this repository that a wheel needs, and the wheel itself."""
    asked = projects[wheel]["project"]["dependencies"]
    own = [name for text in asked if (name := _name(text)) in projects]
    return list(dict.fromkeys([n for name in own for n in _needed(name, projects)] + [wheel]))


def _name(requirement: str) -> str:
    return re.split(r"[\s\[<>=;!~]", requirement)[0]


def _requirements(wheel: str, projects: dict[str, Any]) -> list[str]:
    """Other packages required by the wheel, its extras and the wheels that it needs."""
    named: list[str] = []
    for name in _needed(wheel, projects):
        project = projects[name]["project"]
        named += project["dependencies"]
        if name == wheel:
            named += [r for e in project.get("optional-dependencies", {}).values() for r in e]
    return [text for text in dict.fromkeys(named) if _name(text) not in projects]


def _play(wheel: str, projects: dict[str, Any], resolution: str, task: str) -> dict[str, Any]:
    """Makes an environment and plays in it; returns its output, or the error."""
    folder = ENVIRONMENTS / f"{wheel}-{resolution}"
    python = folder / "bin" / "python"
    requirements = _requirements(wheel, projects)
    built = [
        str(path)
        for name in _needed(wheel, projects)
        for path in (ROOT / "dist").glob(f"{name.replace('-', '_')}-*.whl")
    ]
    install = ["uv", "pip", "install", "--quiet", "--python", str(python)]
    commands = [
        ["uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
        [*install, "--resolution", RESOLUTIONS[resolution], *requirements],
        [*install, "--no-deps", *built, *filter(None, [MODELS.get(wheel)])],
    ]
    if fetch := projects[wheel]["tool"]["envpool"].get("fetch"):
        commands += [[*install, "pip>=23"], [str(python.parent / fetch[0]), *fetch[1:]]]
    names = sorted({_name(text) for text in requirements})
    child = str(Path(__file__).parent / "_admitted_child.py")
    commands.append([str(python), child, task, *names])
    for command in commands:
        try:
            done = subprocess.run(
                command, cwd=folder.parent if folder.parent.exists() else ROOT,
                capture_output=True, text=True, check=False, timeout=SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"versions": {}, "episodes": "", "error": f"{command[0]} takes too long"}
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            text = " ".join(line.strip() for line in lines[-3:])
            return {"versions": {}, "episodes": "", "error": text.replace("|", "/")}
    said = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(said, dict)
    return said


if __name__ == "__main__":
    sys.exit(main())
