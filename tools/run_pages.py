# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of Markdown pages, so that no page shows code that does not work.

    python tools/run_pages.py README.md docs/classic.md

The words after the language of a block control its run; GitHub and Sphinx show none of them.

    ```python                   is run; all Python of a page runs in one process
    ```python fresh             is run in a new one, as after an installation
    ```python raises            is run and must raise; its output is the error
    ```python no-run            is only compiled, or run with --all
    ```bash run                 is run; the page continues in the folder where it ends
    ```bash run root            is run in the root of the repository
    ```cpp                      is compiled, with no warning
    ```cpp fails                must not compile; its output is the compiler's errors
    ```cpp module=NAME          is compiled into an extension module that Python can import
    ```cpp sketch               is not checked
    ```ANY file=PATH            is written into a file, at its end
    ```ANY file=PATH replace    is written into a file in place of its text
    ```ANY file=PATH above=X    is written into it above the first line that has X
    ```text output              is the output of the block before; `...` stands for any text

Blocks run in the order of the page, in an empty folder that is thrown away; `pip install` installs
there, too. Other blocks of shell commands and of text are only read. Links between files of the
repository, and to headings in them, must lead somewhere. All rows of a table have as many cells.

Sybil could run Python blocks without words, but compares no output; the code for other blocks, and
for processes, would be needed anyhow.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

TIMEOUT = 600  # seconds for a process
WORKERS = 2  # pages that run at a time; most wait for a compiler
FENCE = re.compile(r"^( *)```(\w+)([^\n{]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ANY_FENCE = re.compile(r"^( *)(`{3,})[^\n]*\n.*?^\1\2$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+ +(.*)$|^\(([\w-]+)\)=$", re.MULTILINE)
WORDS = {
    "python": {"fresh", "raises", "no-run"},
    "bash": {"run", "root"},
    "cpp": {"fails", "sketch"},
    "text": {"output"},
}


class Block(NamedTuple):
    """A block of code: its line in the page, language, the words after it, and its text."""

    line: int
    language: str
    words: list[str]
    code: str

    def value(self, key: str) -> str:
        """The value of `key=` among the words; empty if the key is missing."""
        return next((w.partition("=")[2] for w in self.words if w.startswith(f"{key}=")), "")


def main() -> int:
    """Runs the pages; the exit status is 1 if a page fails, or if no page has any code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pages", nargs="+", type=Path, help="Markdown files")
    parser.add_argument("--all", action="store_true", help="run what is marked no-run, too")
    options = parser.parse_args()
    pages: list[Path] = options.pages
    blocks = {page: read_blocks(page.read_text(encoding="utf-8")) for page in pages}
    if options.all:
        for found in blocks.values():
            for block in found:
                block.words[:] = [word for word in block.words if word != "no-run"]
    # Pages that take long begin first.
    pages.sort(key=lambda page: -sum(b.language in ("bash", "cpp") for b in blocks[page]))
    count = failed = 0
    with ThreadPoolExecutor(WORKERS) as pool:
        jobs = pool.map(lambda page: run_page(page, blocks[page]), pages)
        for page, (ran, error, seconds) in zip(pages, jobs, strict=True):
            error = error or "\n".join([*broken_links(page), *broken_tables(page)])
            count += ran
            failed += bool(error)
            print(f"{page}: {ran} blocks ran in {seconds:.1f} s", flush=True)
            if error:
                print(error, file=sys.stderr, flush=True)
    if count == 0:
        print("no block of code was found, which cannot be right", file=sys.stderr)
    return 1 if failed or count == 0 else 0


def read_blocks(text: str) -> list[Block]:
    """The code blocks of a page that name a language, in order."""
    blocks = []
    for match in FENCE.finditer(text):
        indent, language, words, code = match.groups()
        line = text.count("\n", 0, match.start()) + 2
        lines = [row.removeprefix(indent) for row in code.splitlines(keepends=True)]
        blocks.append(Block(line, language, words.split(), "".join(lines)))
    return blocks


def steps_of(page: Path, blocks: list[Block]) -> Iterator[dict[str, Any]]:
    """The steps of a page, as `_page_child.py` reads them.

    Raises:
        ValueError: If a word after a language is unknown, or an output follows nothing.
    """
    step: dict[str, Any] | None = None
    for block in blocks:
        where = f"{page}:{block.line}"
        for word in block.words:
            known = word == "replace" or word.partition("=")[0] in ("file", "above", "module")
            if not known and word not in WORDS.get(block.language, ()):
                raise ValueError(f"{where}: `{word}` after `{block.language}`; see run_pages.py")
        if block.language == "text" and "output" in block.words:
            if step is None:
                raise ValueError(f"{where}: no block before it could have printed this")
            yield step | {"output": block.code}
            step = None
            continue
        if step is not None:
            yield step
        step = {
            "where": where,
            "line": block.line,
            "page": str(page.resolve()),
            "code": block.code,
            "words": block.words,
            "file": block.value("file"),
            "above": block.value("above"),
            "module": block.value("module"),
            "kind": _kind(block),
        }
        if step["kind"] == "":
            step = None
    if step is not None:
        yield step


def _kind(block: Block) -> str:
    if block.value("file"):
        return "file"
    if block.language == "python" or (block.language == "bash" and "run" in block.words):
        return block.language
    return "cpp" if block.language == "cpp" and "sketch" not in block.words else ""


def run_page(page: Path, blocks: list[Block]) -> tuple[int, str, float]:
    """Runs the blocks of a page.

    Returns:
        The number of blocks, the error ("" if none), and the time in seconds.
    """
    start = time.monotonic()
    try:
        steps = list(steps_of(page, blocks))
    except ValueError as problem:
        return 0, str(problem), 0.0
    error = ""
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        for part in _parts(steps):
            error = error or _run_part(page, part, Path(folder))
    return len(steps), error, time.monotonic() - start


def _parts(steps: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The steps of each process."""
    parts: list[list[dict[str, Any]]] = [[]]
    for step in steps:
        if "fresh" in step["words"]:
            parts.append([])
        parts[-1].append(step)
    return parts


def _run_part(page: Path, steps: list[dict[str, Any]], folder: Path) -> str:
    """Runs steps in a process; returns the error."""
    command = [sys.executable, str(Path(__file__).with_name("_page_child.py"))]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(steps),
            cwd=folder,
            env=_environment(folder),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{page}: still running after {TIMEOUT} s"
    return f"{done.stdout}{done.stderr}" if done.returncode != 0 else ""


def _environment(folder: Path) -> dict[str, str]:
    """The variables of a page: it installs packages into its folder, and finds them there."""
    prefix = folder / ".prefix"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    programs = [str(prefix / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    return os.environ | {
        "PATH": os.pathsep.join(programs),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # means true: the requirements of builds are there already
        "PIP_NO_WARN_SCRIPT_LOCATION": "1",
        # Half the time: the programs of a page must be right, not fast.
        "SKBUILD_CMAKE_DEFINE": "CMAKE_CXX_FLAGS_RELEASE=-O0",
        "PIP_PREFIX": str(prefix),
        "PYTHONPATH": str(prefix / "lib" / version / "site-packages"),
        "PAGE_FOLDER": str(prefix / "folder"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


def broken_links(page: Path) -> Iterator[str]:
    """The broken links of a page.

    Yields:
        A line for each link.
    """
    text = ANY_FENCE.sub("", page.read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"{page}: the link to {target} leads nowhere"
        elif anchor and file.suffix == ".md" and anchor not in _anchors(file):
            yield f"{page}: {file.name} has no heading for #{anchor}"


def broken_tables(page: Path) -> Iterator[str]:
    """A line for each row of a table with another number of cells than the first row."""
    text = ANY_FENCE.sub("", page.read_text(encoding="utf-8"))
    for rows in re.findall(r"^\|.*(?:\n\|.*)*", text, re.MULTILINE):
        first, *others = rows.splitlines()
        for row in others:
            if _cells(row) != _cells(first):
                yield f"{page}: {_cells(row)} cells in a table of {_cells(first)} columns: {row}"


def _cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row)) - 1


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub, and Sphinx like it, give to the headings of a page."""
    text = ANY_FENCE.sub("", page.read_text(encoding="utf-8"))
    anchors = set()
    for match in HEADING.finditer(text):
        heading = re.sub(r"[^\w\- ]", "", (match[1] or match[2]).lower())
        anchors.add(heading.strip().replace(" ", "-"))
    return anchors


if __name__ == "__main__":
    sys.exit(main())
