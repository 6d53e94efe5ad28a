# SPDX-License-Identifier: Apache-2.0
"""Checks built wheels and sdists: that they are small, complete, and have nothing else in them.

    python tools/check_wheels.py dist/*.whl dist/*.tar.gz

The limits of size are here; what has to be inside is read from the sources.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = "envpool-core"
MAX_BYTES = {CORE: 300_000}
MAX_FAMILY_BYTES = 2_000_000
NEVER = ("tests/", "__pycache__/", ".o", ".cc")  # in a wheel


def main() -> int:
    """Prints a line for each file and what is wrong; the exit status is 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path, help="wheels and sdists")
    status = 0
    for file in parser.parse_args().files:
        problems = [*_check(file)]
        print(f"{file.name}: {file.stat().st_size / 1000:,.0f} kB", *problems, sep="\n  ")
        status |= bool(problems)
    return status


def _check(file: Path) -> Iterator[str]:
    distribution, version = file.name.removesuffix(".tar.gz").split("-")[:2]
    wheel = distribution.replace("_", "-")
    limit = MAX_BYTES.get(wheel, MAX_FAMILY_BYTES)
    if file.stat().st_size > limit:
        yield f"larger than {limit / 1000:,.0f} kB"
    source = ROOT / wheel
    # What the two kinds of file call the parts that have to be in them.
    if file.suffix == ".whl":
        package = "envpool" if wheel == CORE else distribution
        with zipfile.ZipFile(file) as archive:
            names = set(archive.namelist())
        info = f"{distribution}-{version}.dist-info"
        required = {f"{package}/py.typed", f"{info}/licenses/LICENSE", f"{info}/entry_points.txt"}
        required |= {str(p.relative_to(source / "src")) for p in _python(source)}
        if wheel == CORE:
            required |= {f"envpool/{p.relative_to(source)}" for p in _headers(source)}
        yield from _wheel_only(file, names, {package, info}, wheel == CORE)
    else:
        top = f"{distribution}-{version}"
        with tarfile.open(file) as sources:
            names = set(sources.getnames())
        required = {f"{top}/{p}" for p in ("LICENSE", "README.md", "pyproject.toml")}
        needed = (*_python(source), *_headers(source))
        required |= {f"{top}/{p.relative_to(source)}" for p in needed}
    for name in sorted(required - names):
        yield f"{name} is missing"


def _wheel_only(file: Path, names: set[str], folders: set[str], pure: bool) -> Iterator[str]:
    """What is wrong with the names in a wheel, which may write into these folders only."""
    for name in sorted(names):
        if name.split("/")[0] not in folders:
            yield f"{name} is outside the wheel's own package"
        if any(part in name if part.endswith("/") else name.endswith(part) for part in NEVER):
            yield f"{name} has no business in a wheel"
    compiled = [name for name in names if name.endswith(".so")]
    if pure != file.name.endswith("-py3-none-any.whl") or pure == bool(compiled):
        kind = "pure, for any platform" if pure else "compiled for this platform"
        yield f"has to be {kind}; its extension modules: {compiled}"


def _python(source: Path) -> list[Path]:
    return [p for p in source.glob("src/**/*") if p.suffix in {".py", ".pyi"} or p.stem == "py"]


def _headers(source: Path) -> list[Path]:
    return [*source.glob("include/**/*.h"), *source.glob("cpp/**/*.h"), *source.glob("cmake/*")]


if __name__ == "__main__":
    sys.exit(main())
