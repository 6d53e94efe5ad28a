# SPDX-License-Identifier: Apache-2.0
"""Compiles C++ for tests and tools, and keeps results until a source, header or flag changes.

    module = load(extension(source, "-O2"))
    subprocess.run([program(source, "-O2")], timeout=60)

Every result has a folder of its own in out/compiled/, named by the preprocessed text of its source.
All sources are C++20, or C11 if the name ends with `.c`, with warnings as errors, find the headers
of core, and are linked with the parts of core's engine that they need.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
CORE = ROOT / "envpool-core" / "include"
ENGINE = ROOT / "envpool-core" / "sources"
KEPT = ROOT / "out" / "compiled"
CXX = os.environ.get("CXX", "g++")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
_COMPILER = [CXX, "-std=c++20", "-pthread"]
_C_COMPILER = [CXX, "-xc", "-std=c11", "-pthread"]
_LIMIT = 500  # seconds for a file


def program(
    source: Path, *flags: str, others: Sequence[Path] = (), link: Sequence[str] = ()
) -> Path:
    """An executable of a source, and of other sources and libraries."""
    return _compiled([source, *others], flags, link, "")


def library(
    source: Path, *flags: str, others: Sequence[Path] = (), link: Sequence[str] = ()
) -> Path:
    """A shared library of a source, and of other sources and libraries."""
    return _compiled([source, *others], ["-fPIC", *flags], ["-shared", *link], ".so")


def extension(source: Path, *flags: str, others: Sequence[Path] = ()) -> Path:
    """A Python extension module of a source that includes pybind11, with the source's name.

    Args:
        source: The source with the module's definition.
        flags: Flags beside the language, the warnings and Python's headers.
        others: Further sources of the module.
    """
    import pybind11

    # The warnings are for our headers, not for those of Python and pybind11.
    folders = [pybind11.get_include(), sysconfig.get_path("include")]
    folders.append(sysconfig.get_path("platinclude"))
    system = [f"-isystem{folder}" for folder in dict.fromkeys(folders)]
    flags = ("-fvisibility=hidden", "-fPIC", *system, *flags)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return _compiled([source, *others], flags, ["-shared"], suffix)


def load(path: Path) -> ModuleType:
    """Imports an extension module, under the name of its source, unless it is imported already."""
    name = path.name.split(".")[0]
    loaded = sys.modules.get(name)
    if loaded is not None and loaded.__file__ == str(path):
        return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _compiled(
    sources: Sequence[Path], flags: Sequence[str], link: Sequence[str], suffix: str
) -> Path:
    """Raises AssertionError with the compiler's message if it fails."""
    own = [*WARNINGS, f"-I{sources[0].parent}", f"-I{CORE}", *flags]
    with ThreadPoolExecutor(2) as pool:
        engine = None
        if any(source.suffix == ".cc" for source in sources):
            engine = pool.submit(_engine, [*WARNINGS, f"-I{CORE}", *flags], suffix)
        objects = [*pool.map(lambda source: _object(source, own), sources)]
        if engine is not None:
            objects.append(engine.result())
    digest = _digest(*(str(path).encode() for path in objects), repr(link).encode())
    command = [*_COMPILER, *map(str, objects), *link]
    return _kept(digest, f"{sources[0].stem}{suffix}", command)


def _engine(flags: Sequence[str], suffix: str) -> Path:
    """The engine, of which a program links the parts that it needs; modules get the binding."""
    parts = (
        ["engine", "binding"] if suffix == sysconfig.get_config_var("EXT_SUFFIX") else ["engine"]
    )
    # Without flags for a single source, as its macros.
    own = [flag for flag in flags if not flag.startswith("-D")]
    objects = [_object(_joined(part), own) for part in parts]
    digest = _digest(*(str(path).encode() for path in objects))
    return _kept(digest, "libengine.a", ["ar", "rcsD"], objects)


def _joined(part: str) -> Path:
    """A source that includes all sources of a folder, as in wheels."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{part}.cc"
    text = "".join(f'#include "{source}"\n' for source in sorted((ENGINE / part).glob("*.cc")))
    if not path.exists() or path.read_text() != text:
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(text)
        fresh.replace(path)
    return path


def _object(source: Path, flags: Sequence[str]) -> Path:
    compiler = _C_COMPILER if source.suffix == ".c" else _COMPILER
    command = [*compiler, *flags, str(source)]
    # The text already has the headers.
    how = [flag for flag in flags if not flag.startswith("-I")]
    digest = _digest(_run([*command, "-E", "-P"]), repr(how).encode())
    return _kept(digest, f"{source.stem}.o", [*command, "-c"])


def _kept(digest: str, name: str, command: Sequence[str], parts: Sequence[Path] = ()) -> Path:
    """The file that a command makes, made if it is missing; from `parts` by an archiver."""
    folder = KEPT / digest
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    # Another process may need the same file: it waits, and finds it.
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            fresh = str(folder / "fresh")
            _run([*command, fresh, *map(str, parts)] if parts else [*command, "-o", fresh])
            (folder / "fresh").replace(path)
    return path


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256(_version() + repr(_COMPILER).encode())
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]


@functools.cache
def _version() -> bytes:
    return _run([CXX, "--version"]) + sys.version.encode()


def _run(command: Sequence[str]) -> bytes:
    done = subprocess.run(command, capture_output=True, timeout=_LIMIT, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout
