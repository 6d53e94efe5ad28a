# SPDX-License-Identifier: Apache-2.0
"""The C++ programs of tests/cpp; the time to compile an environment, and allocations of a call."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pybind11
import pytest
from compiling import CORE, CXX, WARNINGS, program

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE.parent / "cpp").glob("*_test.cc"))
assert PROGRAMS
# The others are parts of these, and included by them.
HEADERS = sorted(
    str(path.relative_to(CORE / "envpool"))
    for path in CORE.rglob("*.h")
    if not path.stem.endswith("_inl") and path.parent.name != "python"
)


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda source: source.stem)
def test_program(source: Path) -> None:
    path = program(source, "-O2")
    done = subprocess.run([path], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_environment_compiles_in_a_moment(tmp_path: Path) -> None:
    """One environment with the pool around it, without Python's headers.

    It takes one and a half times what a few headers of the standard library take, which is 0.6 s of
    a CPU on a machine of 2026. Both are timed, since machines and their loads differ by five.
    """
    source, alone = tmp_path / "pole.cc", tmp_path / "alone.cc"
    source.write_text(
        '#include <envpool/env.h>\n#include "pole.h"\n'
        "testing_envs::Pole* Make(const testing_envs::Pole::Spec& spec) {\n"
        "  return new testing_envs::Pole(spec, 0);\n}\n"
    )
    used = ("algorithm", "chrono", "memory", "random", "sstream", "vector")
    alone.write_text("".join(f"#include <{header}>\n" for header in used))
    includes = [f"-I{CORE}", f"-I{HERE / 'envs'}"]
    command = [CXX, "-std=c++20", "-O2", *includes, *WARNINGS, "-o", os.devnull, "-c"]
    seconds: dict[Path, list[float]] = {source: [], alone: []}
    for _ in range(3):
        for path, taken in seconds.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*command, str(path)], check=True, timeout=60)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds[source]) < 3 * min(seconds[alone])
    includes_of = subprocess.run(
        [*command[:-3], "-M", str(source)], capture_output=True, check=True
    )
    assert b"pybind11" not in includes_of.stdout
    assert b"Python.h" not in includes_of.stdout


MISSPELT = {
    "state": ('state["obs"_].Assign(', 'state["obz"_].Assign('),
    "reward": ('state["reward"_] = reward', 'state["rewards"_] = reward'),
    "action": ('action["action"_] == 1', 'action["actoin"_] == 1'),
    "element": ('action["action"_] == 1', 'action["actoin"_][0] < 1'),
    "config": ('force_ = spec_.config["force"_]', 'force_ = 2 * spec_.config["forget"_]'),
}


@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_key_is_one_error(name: str) -> None:
    right, wrong = MISSPELT[name]
    source = (HERE / "envs" / "pole.h").read_text()
    assert source.count(right) == 1
    done = subprocess.run(
        [CXX, "-std=c++20", "-fsyntax-only", f"-I{CORE}", "-x", "c++", "-"],
        input=source.replace("#pragma once", "").replace(right, wrong),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert len(errors) == 1, done.stderr
    key = wrong.split('"')[1]
    assert re.search(f'ThisDictHasNoKey<.*{{"{key}"}}>', errors[0])


@pytest.mark.parametrize("header", HEADERS)
def test_every_header_stands_alone(header: str) -> None:
    """Includes the headers that it needs."""
    system = [f"-isystem{path}" for path in (pybind11.get_include(), sysconfig.get_path("include"))]
    # As an extension module is compiled, whose symbols are its own.
    command = [CXX, "-std=c++20", *WARNINGS, "-fsyntax-only", "-fvisibility=hidden"]
    done = subprocess.run(
        [*command, f"-I{CORE}", *system, "-x", "c++", "-"],
        input=f"#include <envpool/{header}>\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("batch_size", [16, 5])
def test_calls_from_python_ask_cpp_for_no_memory(make, module, batch_size, num_threads):
    """NumPy and Python make their objects, but nothing of ours is allocated for a call."""
    pool = make("Pole", num_envs=16, batch_size=batch_size, num_threads=num_threads)
    action = np.zeros(batch_size, np.int32)
    pool.async_reset()

    def play(rounds):
        for _ in range(rounds):
            ids = pool.recv()["info:env_id"]
            pool.send(action)
            ids = pool.recv()["info:env_id"]
            pool.send(action, ids)
            ids = pool.recv()["info:env_id"]
            pool.send({"action": action, "env_id": ids})
            if batch_size == 16:
                pool.recv()
                pool.step(action)
                pool.step(action, ids)
                pool.send(action)

    play(200)
    before = module.allocations()
    play(500)
    assert module.allocations() == before
