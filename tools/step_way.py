# SPDX-License-Identifier: Apache-2.0
"""The way of one `pool.step(action)`: the files and functions that it enters, the lines it runs.

    python tools/step_way.py [--root CHECKOUT] [--steps 5] [--json out.json]

Compiles core's headers with the cart-pole of envpool-core/tests/engine, without optimization and
with gcov's counters, and steps 8 environments in a synchronous pool with one thread. Counters start
after the reset and a few steps, so what is counted is what every step does. Python is counted by
`sys.settrace`. A function that a step enters is counted whole, with its signature and the comment
above it: that is what somebody reads who follows the way. Needs gcc with gcov, pybind11, rich and
what core needs, but no installed envpool: `--root` is any checkout of this repository, so that two
of them are measured alike.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import importlib
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent / "benchmarks"))

from _report import Report, finish
from rich.console import Console

HERE = Path(__file__).resolve().parents[1]
INCLUDE = Path("envpool-core", "include", "envpool")
PACKAGE = Path("envpool-core", "src", "envpool")
POLE = Path("envpool-core", "tests", "engine", "envs", "pole.h")
# Headers that an environment's author includes. A checkout of another time may keep its engine
# beside them, so their names are asked of this one.
AUTHORS = {path.name for path in (HERE / INCLUDE).glob("*.h")}
PARTS = ("Python", "engine and binding", "author's headers")
ENVS = 8
WARM = 3
MODULE = f"""
#include <envpool/module.h>
#include "{POLE.name}"
extern "C" void __gcov_reset();
extern "C" void __gcov_dump();
PYBIND11_MODULE(step_way_pole, m) {{
  envpool::Register<testing_envs::Pole>(m, "Pole");
  m.def("start", [] {{ __gcov_reset(); }});
  m.def("stop", [] {{ __gcov_dump(); }});
}}
"""


class Lines(NamedTuple):
    """Numbers of lines of a file that a step enters.

    Attributes:
        ran: Those that it runs.
        read: Those of the functions that it enters, whole.
    """

    ran: set[int]
    read: set[int]


def main() -> None:
    """Counts and prints; the exit code is 1 where the checkout cannot be built and stepped."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=HERE, help="the checkout, by default this one")
    parser.add_argument("--steps", type=int, default=5, help="counted; many reach ends of episodes")
    parser.add_argument("--json", type=Path, help="a file for the tables")
    options = parser.parse_args()
    root = options.root.resolve()
    reports, passed = [sizes(root)], True
    try:
        reports.append(way(root, options.steps))
    except subprocess.CalledProcessError as error:
        lines = str(error.stderr).splitlines()
        reports[0].notes += ["The cart-pole cannot be built and stepped:", *lines[-12:]]
        passed = False
    finish(reports, options.json, passed)


def sizes(root: Path) -> Report:
    """Files and lines of the headers, by folder."""
    report = Report(f"Headers of {name(root)}", ("include/envpool", "files", "lines"))
    folders: dict[str, list[int]] = defaultdict(list)
    for path in sorted((root / INCLUDE).rglob("*.h")):
        folder = path.parent.relative_to(root / INCLUDE)
        folders["*.h" if folder == Path() else f"{folder}/*.h"].append(count_lines(path))
    for folder_name, lines in sorted(folders.items()):
        report.add(folder_name, str(len(lines)), f"{sum(lines):,}")
    everything = [count for lines in folders.values() for count in lines]
    report.add("all", str(len(everything)), f"{sum(everything):,}")
    return report


def way(root: Path, steps: int) -> Report:
    """What `steps` steps run.

    Raises:
        subprocess.CalledProcessError: If the module cannot be compiled, or a step fails.
    """
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        with Console(stderr=True).status("compiling and stepping the cart-pole"):
            python, ended = run(root, build(root, folder), steps)
            entered = {**python, **compiled(root, folder)}
    report = Report(
        f"The way of a step in {name(root)}",
        ("", "file", "lines", "of functions entered", "lines a step runs"),
        texts=2,
    )
    files: dict[str, list[Path]] = {part: [] for part in PARTS}
    for path in entered:
        files[part_of(path)].append(path)
    in_all = [0, 0, 0, 0]
    for part, members in files.items():
        sums = [0, 0, 0, 0]
        for path in sorted(members, key=lambda path: (-len(entered[path].ran), path)):
            lines = entered[path]
            counts = (count_lines(root / path), len(lines.read), len(lines.ran))
            report.add(part, str(path.relative_to(*path.parts[:1])), *map("{:,}".format, counts))
            sums = [a + b for a, b in zip(sums, (1, *counts), strict=True)]
        report.add(part, files_text(sums[0]), *map("{:,}".format, sums[1:]))
        in_all = [a + b for a, b in zip(in_all, sums, strict=True)]
    report.add("all", files_text(in_all[0]), *map("{:,}".format, in_all[1:]))
    report.notes.append(
        f"{ENVS} environments, synchronous, num_threads=1, {steps} steps; {ended} episodes ended. "
        "A line counts once, however often it runs; those of C++ are the ones that gcov counts."
    )
    return report


def build(root: Path, folder: Path) -> Path:
    """Compiles the module into `folder`, with counters."""
    import pybind11

    source = folder / "step_way_pole.cc"
    source.write_text(MODULE, encoding="utf-8")
    target = folder / f"step_way_pole{sysconfig.get_config_var('EXT_SUFFIX')}"
    own = [root / INCLUDE.parent, (root / POLE).parent]
    system = [pybind11.get_include(), sysconfig.get_path("include")]
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-pthread", "-O0", "--coverage"]
    command += ["-fprofile-abs-path", "-shared", "-fPIC", "-fvisibility=hidden"]
    command += ["-Dalways_inline=noinline"]  # else gcov does not know of these functions
    command += [f"-I{path}" for path in own] + [f"-isystem{path}" for path in system]
    subprocess.run(
        [*command, str(source), "-o", str(target)],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        timeout=900,
    )
    return target


def run(root: Path, module: Path, steps: int) -> tuple[dict[Path, Lines], int]:
    """Steps in a process of its own; what ran in Python, and how many episodes ended."""
    call = f"import step_way; step_way.step({str(root)!r}, {str(module.parent)!r}, {steps})"
    done = subprocess.run(
        [sys.executable, "-c", call],
        cwd=Path(__file__).parent,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines, ended = json.loads(done.stdout)
    numbers: dict[Path, set[int]] = defaultdict(set)
    for file, number in lines:
        numbers[Path(file).resolve()].add(number)
    found = {}
    for path, ran in numbers.items():
        functions = [
            (
                min(item.lineno for item in (node, *node.decorator_list)),
                node.end_lineno or node.lineno,
            )
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        found[path.relative_to(root)] = Lines(ran, whole(path, functions, ran, "#"))
    return found, ended


def step(root: str, folder: str, steps: int) -> None:
    """What the process does: prints the lines of Python that ran, and how many episodes ended."""
    sys.path[:0] = [str(Path(root, PACKAGE.parent)), folder]
    envpool: Any = importlib.import_module("envpool")
    numpy: Any = importlib.import_module("numpy")
    counters: Any = importlib.import_module("step_way_pole")
    envpool.register(envpool.Task("StepWay-v0", "step_way_pole:Pole"))
    pool = envpool.make("StepWay-v0", num_envs=ENVS, num_threads=1)
    pool.reset()
    actions = [numpy.arange(ENVS) + i & 1 for i in range(WARM + steps)]  # left, right, left, ...
    for action in actions[:WARM]:
        pool.step(action)
    lines: set[tuple[str, int]] = set()
    package = str(Path(envpool.__file__).parent)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(package):
            return None
        if event == "line":
            lines.add((code.co_filename, frame.f_lineno))
        return trace

    ended = 0
    counters.start()
    for action in actions[WARM:]:
        sys.settrace(trace)
        result = pool.step(action)
        sys.settrace(None)
        ended += int((result[2] | result[3]).sum())
    counters.stop()
    print(json.dumps((sorted(lines), ended)))


def compiled(root: Path, folder: Path) -> dict[Path, Lines]:
    """What ran of the checkout's headers, by the counters that the process left."""
    (data,) = folder.glob("*.gcda")
    gcov = os.environ.get("GCOV", "gcov")
    command = [gcov, "--json-format", str(data)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=300)
    found: dict[Path, Lines] = {}
    for path in folder.glob("*.gcov.json.gz"):
        for file in json.loads(gzip.decompress(path.read_bytes()))["files"]:
            header = Path(file["file"]).resolve()
            if not header.is_relative_to(root / INCLUDE):
                continue  # of the standard library, pybind11, or the environment itself
            lines = {line["line_number"] for line in file["lines"] if line["count"]}
            if lines:
                functions = [(part["start_line"], part["end_line"]) for part in file["functions"]]
                found[header.relative_to(root)] = Lines(
                    lines, whole(header, functions, lines, "//")
                )
    return found


def whole(path: Path, functions: list[tuple[int, int]], ran: set[int], comment: str) -> set[int]:
    """The lines of the functions that were entered, of their signatures and comments above them."""
    text = path.read_text(encoding="utf-8").splitlines()
    found: set[int] = set()
    for begin, end in functions:
        if ran.isdisjoint(range(begin, end + 1)):
            continue
        # gcov begins at a function's name: `template <typename E>` may stand above it.
        while begin > 1 and text[begin - 2].lstrip().startswith((comment, "template <", "[[")):
            begin -= 1
        found.update(range(begin, end + 1))
    return found


def part_of(path: Path) -> str:
    """Which of PARTS a file belongs to."""
    if path.is_relative_to(PACKAGE):
        return "Python"
    authors = path.parent == INCLUDE and path.name in AUTHORS
    return "author's headers" if authors else "engine and binding"


def name(root: Path) -> str:
    """The commit of a checkout, for titles."""
    command: Sequence[str] = ("git", "-C", str(root), "describe", "--always", "--dirty")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or root.name


def files_text(count: int) -> str:
    """`1 file`, `2 files`."""
    return f"{count} file{'s'[: count != 1]}"


def count_lines(path: Path) -> int:
    """All lines, empty ones and comments too."""
    return len(path.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main()
