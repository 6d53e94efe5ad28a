# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ parts of these tests, and keeps what it compiled until a source changes."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
CXX = os.environ.get("CXX", "g++")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


@functools.cache
def _digest_of_headers() -> bytes:
    version = subprocess.run([CXX, "--version"], capture_output=True, check=True).stdout
    digest = hashlib.sha256(version + sys.version.encode())
    for header in sorted(INCLUDE.rglob("*.h")):
        digest.update(str(header.relative_to(INCLUDE)).encode() + header.read_bytes())
    return digest.digest()


def compiled(source: Path, folder: Path, flags: Sequence[str], suffix: str = "") -> Path:
    """What the compiler makes of a source: a program, or with "-shared" an extension module.

    Args:
        source: The file; it may include headers of its own folder and below.
        folder: Where results are kept from one run to the next.
        flags: Flags beside the language and the warnings.
        suffix: The end of the result's name.

    Returns:
        Path of the result, named like the source, in a folder of its own.

    Raises:
        AssertionError: If the compiler complains.
    """
    digest = hashlib.sha256(_digest_of_headers() + repr((CXX, flags, suffix)).encode())
    for own in sorted([source, *source.parent.rglob("*.h")]):
        digest.update(str(own.relative_to(source.parent)).encode() + own.read_bytes())
    path = folder / digest.hexdigest()[:16] / f"{source.stem}{suffix}"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    # Another process may want the same: each writes a file of its own, the last one stays.
    fresh = path.with_name(f"{os.getpid()}{path.name}")
    includes = [f"-I{source.parent}", f"-I{INCLUDE}"]
    command = [CXX, "-std=c++20", "-pthread", *WARNINGS, *flags, *includes]
    done = subprocess.run(
        [*command, str(source), "-o", str(fresh)],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    fresh.replace(path)
    return path


def extension(source: Path, folder: Path, flags: Sequence[str] = ()) -> Path:
    """A Python extension module of a source that includes pybind11."""
    import pybind11

    # The warnings are for our headers, not for those of Python and pybind11.
    paths = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
    system = [f"-isystem{path}" for path in (pybind11.get_include(), *sorted(paths))]
    own = ["-O2", "-fvisibility=hidden", "-shared", "-fPIC", *system, *flags]
    return compiled(source, folder, own, sysconfig.get_config_var("EXT_SUFFIX"))
