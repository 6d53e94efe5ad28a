# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of a page in turn; `run_pages.py` starts it for each page.

Reads the steps as JSON from standard input, works in the current folder, and ends with status 1 and
a text at the first block whose result differs from the page.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import site
import subprocess
import sys
import sysconfig
import traceback
from pathlib import Path
from typing import Any

from compiling import extension

ROOT = Path(__file__).resolve().parents[1]
NAMESPACE: dict[str, Any] = {"__name__": "__main__"}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # of programs that ignore NO_COLOR
CXX = os.environ.get("CXX", "c++").split()


def main() -> int:
    """Runs all steps."""
    steps = json.load(sys.stdin)
    last = Path(os.environ["PAGE_FOLDER"])
    if last.exists():  # an earlier process of this page has changed the folder
        os.chdir(last.read_text().strip())
    site.addsitedir(os.environ["PYTHONPATH"])  # `pip install` installs there, later
    sys.path[0] = str(Path.cwd())  # instead of the folder of this file
    runners = {"python": run_python, "bash": run_bash, "cpp": run_cpp, "file": write_file}
    for step in steps:
        problem, printed = runners[step["kind"]](step)
        expected = step.get("output")
        if not problem and expected is not None and not matches(printed, expected):
            problem = f"printed\n{printed}and not what the page says"
        if problem:
            print(f"{step['where']}: {problem}")
            return 1
    return 0


def matches(printed: str, expected: str) -> bool:
    """Whether a text equals the expected text, in which `...` stands for any text."""
    parts = (re.escape(part) for part in _trimmed(expected).split("..."))
    return re.fullmatch(".*".join(parts), _trimmed(printed), re.DOTALL) is not None


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def run_python(step: dict[str, Any]) -> tuple[str, str]:
    """Runs a block of Python; returns the error and the output."""
    # With the padding, the line numbers of a traceback are those of the page.
    padded = "\n" * (step["line"] - 1) + step["code"]
    try:
        code = compile(padded, step["page"], "exec")
    except SyntaxError as problem:
        return str(problem), ""
    if "no-run" in step["words"]:
        return "", ""
    raises = "raises" in step["words"]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, NAMESPACE)
    except Exception as error:
        if raises:
            return "", f"{printed.getvalue()}{type(error).__name__}: {error}\n"
        return f"it printed\n{printed.getvalue()}{traceback.format_exc()}", ""
    return ("nothing was raised" if raises else ""), printed.getvalue()


def run_bash(step: dict[str, Any]) -> tuple[str, str]:
    """Runs shell commands, and goes to the folder in which they end."""
    ended = Path(os.environ["PAGE_FOLDER"])
    ended.parent.mkdir(exist_ok=True)
    script = f"trap 'pwd > {ended}' EXIT\n{step['code']}"
    command = ["bash", "-euo", "pipefail", "-c", script]
    folder = ROOT if "root" in step["words"] else None
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout}{done.stderr}", ""
    if folder is None:
        os.chdir(ended.read_text().strip())
    return "", COLOUR.sub("", done.stdout)


def run_cpp(step: dict[str, Any]) -> tuple[str, str]:
    """Compiles a block; its output is the compiler's errors."""
    if step["module"]:
        source = Path(f"{step['module']}.cc")
        source.write_text(step["code"])
        try:
            module = extension(source, "-O0", "-Wno-conversion")
        except AssertionError as error:
            return str(error), ""
        Path(module.name).symlink_to(module)
        return "", ""
    flags = [*CXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    flags += ["-iquote.", f"-I{_core() / 'include'}", f"-isystem{sysconfig.get_path('include')}"]
    command = [*flags, "-x", "c++", "-"]
    done = subprocess.run(command, input=step["code"], capture_output=True, text=True, check=False)
    if "fails" in step["words"]:
        errors = [f"error: {row.partition('error: ')[2]}" for row in done.stderr.splitlines()]
        return ("it compiles" if done.returncode == 0 else ""), "\n".join(
            row for row in errors if row != "error: "
        )
    return (done.stderr if done.returncode != 0 else ""), ""


def _core() -> Path:
    """The folder of the headers in the wheel of core."""
    import envpool

    return Path(envpool.__file__).parent


def write_file(step: dict[str, Any]) -> tuple[str, str]:
    """Adds a block to a file."""
    path = Path(step["file"])
    if "replace" in step["words"] and not path.exists():
        return f"there is no {path} to replace", ""
    old = "" if "replace" in step["words"] or not path.exists() else path.read_text()
    lines = old.splitlines(keepends=True)
    at = len(lines)
    if step["above"]:
        found = [i for i, line in enumerate(lines) if step["above"] in line]
        if not found:
            return f"{path} has no line with {step['above']}", ""
        at = found[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join([*lines[:at], step["code"], *lines[at:]]))
    return "", ""


if __name__ == "__main__":
    sys.exit(main())
