# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of Markdown pages, so that no page shows code that does not work.

    python tools/run_pages.py README.md docs/classic.md

Blocks that open with "```python" are run, all of a page in one process, one after the other, as
they are read; a block that opens with "```python no-run" is only compiled. Of shell commands those
that open with "```bash run" are run. Everything runs in an empty folder that is thrown away.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

TIMEOUT = 120  # seconds for one page's Python, or one shell block
FENCE = re.compile(r"^( *)```(python|bash)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of code: its line in the page, language, the words after it, and its text."""

    line: int
    language: str
    words: list[str]
    code: str


def main() -> int:
    """Runs the pages; the exit status is 1 if one fails, or if no page has any code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pages", nargs="+", type=Path, help="Markdown files")
    count = failed = 0
    for page in parser.parse_args().pages:
        blocks = read_blocks(page.read_text(encoding="utf-8"))
        start = time.monotonic()
        ran, error = run_page(page, blocks)
        count += ran
        failed += bool(error)
        print(f"{page}: {ran} blocks ran in {time.monotonic() - start:.1f} s", flush=True)
        if error:
            print(error, file=sys.stderr, flush=True)
    if count == 0:
        print("no block of code was found, which cannot be right", file=sys.stderr)
    return 1 if failed or count == 0 else 0


def read_blocks(text: str) -> list[Block]:
    """The Python and shell blocks of a page, in order."""
    blocks = []
    for match in FENCE.finditer(text):
        indent, language, words, code = match.groups()
        line = text.count("\n", 0, match.start()) + 2
        lines = [row.removeprefix(indent) for row in code.splitlines(keepends=True)]
        blocks.append(Block(line, language, words.split(), "".join(lines)))
    return blocks


def run_page(page: Path, blocks: list[Block]) -> tuple[int, str]:
    """Runs what is to be run.

    Returns:
        The number of blocks, and what went wrong, "" if nothing did.
    """
    python = [b for b in blocks if b.language == "python"]
    shell = [b for b in blocks if b.language == "bash" and "run" in b.words]
    script = ""
    for block in python:
        name, code = f"{page}:{block.line}", "\n" * (block.line - 1) + block.code
        try:
            compile(code, name, "exec")
        except SyntaxError as problem:
            return 0, f"{name}: {problem}"
        if "no-run" not in block.words:
            # The padding makes the line numbers of a traceback those of the page.
            script += f"exec(compile({code!r}, {str(page.resolve())!r}, 'exec'))\n"
    ran = [b for b in python if "no-run" not in b.words] + shell
    commands = [[sys.executable, "-c", script]] if script else []
    commands += [["bash", "-euo", "pipefail", "-c", block.code] for block in shell]
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            error = _run(command, folder)
            if error:
                return len(ran), f"{page}: {error}"
    return len(ran), ""


def _run(command: list[str], folder: str) -> str:
    """Runs a command; returns what went wrong."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return f"still running after {TIMEOUT} s"
    if done.returncode == 0:
        return ""
    return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"


if __name__ == "__main__":
    sys.exit(main())
