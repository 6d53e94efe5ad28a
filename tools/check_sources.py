# SPDX-License-Identifier: Apache-2.0
"""Rules of the sources that no other tool knows: licences, public names, circles, versions, links.

    python tools/check_sources.py

A family's version is in its pyproject.toml or, as core's, in a `_version.py`. Code outside of core
uses only public names of `envpool`, so that any family can do everything that EnvPool's own
families do.

READMEs of wheels are read on a package index, where links into the repository fail: they
link to pages, as `<home>/atari.html#roms`, with `home` of [tool.envpool] in pyproject.toml.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from dependencies import circle, graphs

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = {".h", ".cc", ".py", ".pyi"}
IGNORED = {".git", ".nox", ".venv", "build", "dist", "out"}
CORE = "envpool-core"


def main() -> int:
    """Prints the errors; the exit status is 1 if there are any."""
    circles = [circle(*graph) for graph in graphs(ROOT, [])]
    problems = [*_files(), *_versions(), *links(ROOT), *filter(None, circles)]
    print(
        "\n".join(problems)
        or "sources: licence lines, imports, circles, versions and links are right"
    )
    return 1 if problems else 0


def _files() -> Iterator[str]:
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        if path.suffix not in SUFFIXES or IGNORED & set(inside.parts) or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        head = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
        comment = "//" if path.suffix in {".h", ".cc"} else "#"
        if head != [f"{comment} SPDX-License-Identifier: Apache-2.0"]:
            yield f"{inside}:1: the first line has to be '{comment} SPDX-License-Identifier: ...'"
        # The packages in core's tests are examples of other authors' packages.
        outside = inside.parts[0] != CORE or inside.parts[1:3] == ("tests", "plugins")
        if outside and path.suffix in {".py", ".pyi"}:
            for line, name in private_imports(text):
                yield f"{inside}:{line}: {name} is private to {CORE}; use a public name of envpool"


def private_imports(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of a module's imports of `envpool._*`, also in texts of programs."""
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = re.findall(r"(?:from|import) (envpool\._[a-z]\w*)", node.value)
        for name in names:
            if re.match(r"envpool\._[a-z]", name):
                yield getattr(node, "lineno", 0), name


def _versions() -> Iterator[str]:
    found: dict[str, str] = {}
    for project in sorted(ROOT.glob("envpool-*/pyproject.toml")):
        places = [project, *project.parent.glob("src/*/_version.py")]
        for place in places:
            text = place.read_text(encoding="utf-8")
            match = re.search(r'^(?:__version__|version) = "([^"]+)"', text, re.MULTILINE)
            if match:
                found[str(place.relative_to(ROOT))] = match[1]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(r"^## \[?(\d[^\] ]*)", changelog, re.MULTILINE)
    found["CHANGELOG.md"] = match[1] if match else "none"
    if len(set(found.values())) != 1:
        yield f"versions differ: {found}; all wheels have one version, the changelog's newest"


def links(root: Path) -> Iterator[str]:
    """Links of a wheel or its README that are no web pages."""
    match = re.search(r'\[tool\.envpool\]\nhome = "([^"]+)"', (root / "pyproject.toml").read_text())
    if match is None:
        yield "pyproject.toml: there is no `home` in [tool.envpool]"
        return
    home = match[1]
    for project in sorted(root.glob("envpool-*/pyproject.toml")):
        if f'\n[project.urls]\nDocumentation = "{home}"\n' not in project.read_text():
            yield f"{project.relative_to(root)}: [project.urls] has no Documentation = {home!r}"
        readme = project.with_name("README.md")
        for link in re.findall(r"\]\(([^)\s]+)\)", readme.read_text(encoding="utf-8")):
            page = link.removeprefix(home).partition("#")[0].strip("/").removesuffix(".html")
            if not link.startswith(("https://", "#")):
                yield f"{readme.relative_to(root)}: {link} leads nowhere on a package index"
            elif link.startswith(home) and not (root / f"docs/{page or 'index'}.md").exists():
                yield f"{readme.relative_to(root)}: there is no page {link}"


if __name__ == "__main__":
    sys.exit(main())
