# SPDX-License-Identifier: Apache-2.0
"""Checks built wheels and sdists: they are small, complete, and have no other files.

    python tools/check_wheels.py dist/*.whl dist/*.tar.gz

The limits of size are here; the list of necessary files is read from the sources. Each extension
module must load on other machines than its own; see _binaries.py.
"""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from _binaries import linked, problems

ROOT = Path(__file__).resolve().parents[1]
CORE = "envpool-core"
MAX_BYTES = {CORE: 500_000, "envpool-mujoco": 5_000_000}  # it has MuJoCo's library inside
MAX_FAMILY_BYTES = 2_000_000
WITHOUT_INIT = "envpool.py"  # used if pip has removed envpool/__init__.py
NEVER = ("tests/", "__pycache__/", ".o", ".a", ".cc", ".py~", ".orig")  # in a wheel
SOURCES = (
    "envpool/sources/",
    "envpool_mujoco/cpp/",
)  # compiled into families that are built on the wheel
# The allowed names at the top of an sdist.
SDIST = {"CMakeLists.txt", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
MAY_BE = {"PROVENANCE.md"}  # with the sources of the content
SDIST_FOLDERS = {"cmake", "cpp", "include", "sources", "src", "tests"}


def main() -> int:
    """Prints a line for each file and its errors; the exit status is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path, help="wheels and sdists")
    status = 0
    for file in parser.parse_args().files:
        facts: list[str] = []
        found = [*_check(file, facts)]
        size = f"{file.name}: {file.stat().st_size / 1000:,.0f} kB"
        print("; ".join([size, *facts]), *found, sep="\n  ")
        status |= bool(found)
    return status


def _check(file: Path, facts: list[str]) -> Iterator[str]:
    """The errors of a file; notes are added to `facts`."""
    distribution = file.name.removesuffix(".tar.gz").split("-")[0]
    wheel = distribution.replace("_", "-")
    limit = MAX_BYTES.get(wheel, MAX_FAMILY_BYTES)
    if file.stat().st_size > limit:
        yield f"larger than {limit / 1000:,.0f} kB"
    yield from _check_wheel(file, facts) if file.suffix == ".whl" else _check_sdist(file)


def _check_sdist(file: Path) -> Iterator[str]:
    top = file.name.removesuffix(".tar.gz")
    source = ROOT / top.split("-")[0].replace("_", "-")
    with tarfile.open(file) as archive:
        names = {member.name for member in archive if not member.isdir()}
        links = [member.name for member in archive if member.issym() or member.islnk()]
    needed = {
        str(path.relative_to(source)) for path in (*_package_files(source), *_headers(source))
    }
    compiled = (source / "cpp").is_dir() or source.name == CORE
    expected = SDIST if compiled else SDIST - {"CMakeLists.txt"}
    required = {f"{top}/{path}" for path in (*expected, *needed)}
    for name in sorted(required - names):
        yield f"{name} is missing"
    for name in sorted(names):
        inside = Path(name).relative_to(top)
        in_folder = len(inside.parts) > 1 and inside.parts[0] in SDIST_FOLDERS
        hidden = any(part.startswith(".") or part == "__pycache__" for part in inside.parts)
        if hidden or not (in_folder or str(inside) in SDIST | MAY_BE):
            yield f"{name} has no business in an sdist"
    for name in links:
        yield f"{name} is a link"


def _check_wheel(file: Path, facts: list[str]) -> Iterator[str]:
    distribution, version = file.name.split("-")[:2]
    source = ROOT / distribution.replace("_", "-")
    core = source.name == CORE
    pure = not (source / "cpp").is_dir()
    package = "envpool" if core else distribution
    info = f"{distribution}-{version}.dist-info"
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        metadata = archive.read(f"{info}/METADATA").decode()
        tags = archive.read(f"{info}/WHEEL").decode()
    required = {f"{package}/py.typed", f"{info}/licenses/LICENSE", f"{info}/entry_points.txt"}
    required |= {str(path.relative_to(source / "src")) for path in _package_files(source)}
    if core:
        required |= {WITHOUT_INIT}
    shipped = [path for path in _headers(source) if core or (source / "cpp") not in path.parents]
    required |= {f"{package}/{path.relative_to(source)}" for path in shipped}
    if not pure:
        required |= {f"{info}/licenses/pybind11-LICENSE"}
    # _lib/ has libraries built by others, as MuJoCo's plugins.
    modules = sorted(n for n in names if n.endswith(".so") and "/_lib/" not in n)
    required |= {f"{re.sub(r'[.].*', '', name)}.pyi" for name in modules}
    for name in sorted(required - names):
        yield f"{name} is missing"
    for name in sorted(names):
        if name.split("/")[0] not in {package, info} and not (core and name == WITHOUT_INIT):
            yield f"{name} is outside the wheel's own package"
        never = any(part in name if part.endswith("/") else name.endswith(part) for part in NEVER)
        if never and not name.startswith(SOURCES):
            yield f"{name} has no business in a wheel"
    for line in (
        "License-Expression: Apache-2.0",
        "Requires-Python: >=3.10",
        f"Version: {version}",
    ):
        if line not in metadata.splitlines():
            yield f"METADATA lacks the line '{line}'"
    if not core and not re.search(
        rf"^Requires-Dist: {CORE}==\d+\.\d+\.\*$", metadata, re.MULTILINE
    ):
        yield f"METADATA does not require the {CORE} of its own version"
    yield from _check_tags(file.stem.split("-")[2:], tags, pure, facts)
    if pure == bool(modules):
        kind = "pure, for any platform" if pure else "compiled for this platform"
        yield f"has to be {kind}; its extension modules: {modules}"
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(file) as archive:
        for name in modules:
            module = Path(archive.extract(name, folder))
            facts.append(f"links {', '.join(linked(module))}")
            inside = [path for path in names if path.startswith(f"{package}/") and ".so." in path]
            beside = [path.removeprefix(f"{package}/") for path in inside]
            if "Requires-Dist: envpool-mujoco" in metadata:  # it has them for all these families
                found = [n for n in linked(module) if n.startswith(("libmujoco.", "libenvpool_"))]
                beside += [f"../envpool_mujoco/_lib/{library}" for library in found]
            for problem in problems(module, [ROOT], beside):
                yield f"{name} {problem}"


def _check_tags(tag: list[str], metadata: str, pure: bool, facts: list[str]) -> Iterator[str]:
    """Whether the tags, as ["cp311", "cp311", "manylinux_2_34_x86_64"], are of the right kind."""
    python, abi, platforms = tag
    for platform in platforms.split("."):
        if f"Tag: {python}-{abi}-{platform}" not in metadata.splitlines():
            yield f"the file WHEEL lacks the tag {python}-{abi}-{platform}"
    if pure:
        facts.append("any Python 3, any platform")
        if tag != ["py3", "none", "any"]:
            yield f"its tag is {'-'.join(tag)}, not py3-none-any"
        return
    # pybind11 has no stable interface, so there is a wheel for each minor version of Python.
    facts.append(f"this Python only, {python}, on {platforms}")
    if python == "py3" or python != abi:
        yield f"its tag is {python}-{abi}, not that of one CPython"
    for platform in platforms.split("."):
        if platform.startswith("linux"):
            yield f"the platform {platform} says nothing about glibc, and PyPI refuses it"


def _package_files(source: Path) -> list[Path]:
    """Modules, py.typed, templates: all files of src/ except those of tools and builds."""
    left = re.compile(r"(^|/)[.]|[.]egg-info/|[.](pyc|so)$")
    files = [path for path in source.glob("src/**/*") if path.is_file()]
    return [path for path in files if not left.search(str(path.relative_to(source)))]


def _headers(source: Path) -> list[Path]:
    folders = ["include/**/*.h", "sources/**/*.h", "sources/**/*.cc", "cpp/**/*.h"]
    if any(source.glob("cmake/*Config.cmake")):  # else the folder is for the family's own build
        folders.append("cmake/*")
    return [path for pattern in folders for path in source.glob(pattern)]


if __name__ == "__main__":
    sys.exit(main())
