# SPDX-License-Identifier: Apache-2.0
"""Where the pages are on the web: what wheels and their READMEs link to.

    python tools/home.py                            # the address, and what does not agree with it
    python tools/home.py https://docs.mine.example  # moves all links there

The address is `home` of [tool.envpool] in pyproject.toml. READMEs are read on a package index,
where a link into the repository leads nowhere: so they link to pages, as
`<home>/atari.html#roms`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOBODY = ".example"  # top-level domain that belongs to nobody, for ever (RFC 2606)
_SETTING = re.compile(r'(\[tool\.envpool\]\nhome = ")([^"]+)(")')
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def home() -> str:
    """The address, without a slash at its end."""
    match = _SETTING.search((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if match is None:
        raise ValueError("pyproject.toml has no `home` in [tool.envpool]")
    return match[2]


def problems() -> Iterator[str]:
    """What does not lead there: a line for each."""
    address = home()
    for project in sorted(ROOT.glob("envpool-*/pyproject.toml")):
        text = project.read_text(encoding="utf-8")
        if f'\n[project.urls]\nDocumentation = "{address}"\n' not in text:
            yield f"{project.relative_to(ROOT)}: [project.urls] has no Documentation = {address!r}"
        readme = project.with_name("README.md")
        for link in _LINK.findall(readme.read_text(encoding="utf-8")):
            place = readme.relative_to(ROOT)
            if not link.startswith(("https://", "#")):
                yield f"{place}: the link to {link} leads nowhere on a package index"
            elif link.startswith(address) and not _page(link.removeprefix(address)).exists():
                yield f"{place}: there is no page {link}"


def _page(path: str) -> Path:
    name = path.partition("#")[0].strip("/").removesuffix(".html") or "index"
    return ROOT / "docs" / f"{name}.md"


def move(new: str) -> None:
    """Writes another address wherever the present one is."""
    old = home()
    for path in (
        ROOT / "pyproject.toml",
        *ROOT.glob("envpool-*/pyproject.toml"),
        *ROOT.glob("envpool-*/README.md"),
    ):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, new.rstrip("/")), encoding="utf-8")


def main() -> int:
    """Prints the address and what is wrong; the exit status is 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("new", nargs="?", help="an address, as https://docs.mine.example")
    new = parser.parse_args().new
    if new is not None:
        move(new)
    found = [*problems()]
    nobody = " (nobody's: set one before you publish)" if home().endswith(NOBODY) else ""
    print(home() + nobody, *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
