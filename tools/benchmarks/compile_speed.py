# SPDX-License-Identifier: Apache-2.0
"""An author's waiting time: CPU time of compiling a family, and its largest compiler process.

The unit is a file that includes pybind11 with numpy.h and stl.h and does nothing, compiled by the
same compiler in the same minute: so the figures are about the same on every machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pybind11
from comparison import ROOT, Figure, Figures
from envpool.cli.new_plugin import render, values_for

CXX = os.environ.get("CXX", "g++")
NAME = "timed"  # the family's name
_UNIT = "#include <pybind11/numpy.h>\n#include <pybind11/stl.h>\n"
# Prints the CPU seconds, and the megabytes of the largest process.
_METER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
# Without it a build takes files of an earlier build.
_WITHOUT_CACHE = {"CCACHE_DISABLE": "1", "SCCACHE_RECACHE": "1"}


def _run(*command: object) -> tuple[float, float]:
    """CPU seconds of a command and its children, and the megabytes of its largest process."""
    meter = [sys.executable, "-c", _METER, *map(str, command)]
    env = {**os.environ, **_WITHOUT_CACHE}
    done = subprocess.run(meter, env=env, stdout=subprocess.PIPE, text=True, check=True)
    seconds, megabytes = map(float, done.stdout.split())
    return seconds, megabytes


def _configure(folder: Path, build: Path) -> None:
    command = ["cmake", "-S", folder, "-B", build, "-DCMAKE_BUILD_TYPE=Release"]
    command += [f"-Denvpool_DIR={ROOT / 'envpool-core' / 'cmake'}"]
    command += [
        f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    command += ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)


def costs() -> Sequence[float]:
    """The unit in CPU seconds; an edit and a family in units; the largest process in MB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unit_file, package, build = folder / "unit.cc", folder / "package", folder / "build"
        unit_file.write_text(_UNIT)
        includes = [f"-I{pybind11.get_include()}", f"-I{sysconfig.get_path('include')}"]
        flags = ["-O3", "-std=c++20", "-fPIC", "-fvisibility=hidden", *includes]
        compile_unit = (CXX, *flags, "-c", unit_file, "-o", os.devnull)
        for path, text in render(values_for(NAME)).items():
            (package / path).parent.mkdir(parents=True, exist_ok=True)
            (package / path).write_text(text)
        _configure(package, build)
        units = [_run(*compile_unit)[0]]
        whole, largest = _run("cmake", "--build", build, "--parallel", "1")
        units.append(_run(*compile_unit)[0])
        source = package / "cpp" / f"{NAME}.cc"
        edits = []
        for number in range(3):
            source.write_text(f"{source.read_text()}// Edit {number}\n")
            edits.append(_run("cmake", "--build", build)[0])
        units.append(_run(*compile_unit)[0])
    # The least of each: other work on the machine only adds to it.
    unit = min(units)
    return unit, min(edits) / unit, whole / unit, largest


TABLES = [
    Figures(
        "What compiling costs",
        [
            Figure(
                (
                    "the unit: a file that only includes pybind11 with numpy.h and stl.h",
                    "an edit of one environment to the finished module",
                    "a family of one environment from nothing",
                    "the largest compiler process",
                ),
                costs,
                ("CPU s", "units", "units", "MB"),
                (None, 1.2, 3.5, 500),
            )
        ],
    )
]
