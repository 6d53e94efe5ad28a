# SPDX-License-Identifier: Apache-2.0
"""Levels of MiniHack: from a description to files in which a game begins.

NetHack's level compiler, `lev_comp` of the package nle, makes a level from a description. A game
reads it from the file `mylevel.lev` beside its data `nhdat`, in which MiniHack's dungeon has a
level of that name. Both are made once, and kept in the user's cache under names with hashes of
their sources.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from envpool.errors import ConfigError

from . import _library

__all__ = ["Levels", "bank", "data"]

LEVEL = "mylevel"
"""The name of the level in a description."""
_FILES = ("dungeon", "quest.dat")
_SECONDS = 60.0
_AT_ONCE = 100
_MEMORY = "/dev/shm"


class Levels(NamedTuple):
    """Levels of a task.

    Attributes:
        path: The file, in the format of level_bank.h.
        hash: The hash of the levels.
    """

    path: Path
    hash: str


def data(package: Path) -> Path:
    """NetHack's data for games of MiniHack: it includes the package's two files."""
    contents = {name: (package / "lib" / name).read_bytes() for name in _FILES}
    archive = _archive(contents)
    file = _library.levels_cache() / f"{hashlib.sha256(archive).hexdigest()[:32]}.nhdat"
    if not file.is_file():
        _library.write(file, archive)
    return file


def bank(library: Path, texts: Sequence[str], what: str) -> Levels:
    """Compiles descriptions, or returns the cached result.

    Args:
        library: libnethack.so; the compiler is beside it.
        texts: One level each, named mylevel.
        what: The levels' name in errors.

    Raises:
        ConfigError: If there is no compiler, or it refuses a level.
    """
    compiler = library.parent / "nethackdir" / "lev_comp"
    if not compiler.is_file():
        raise ConfigError(
            what,
            f"no {compiler}",
            "NetHack's compiler of levels, as nle's wheels have it",
            f"Install the package nle again, or run `{_library.FILE.command}`",
        )
    code = compiler.read_bytes()
    name = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]
    made_by = hashlib.sha256(code).hexdigest()[:8]
    file = _library.levels_cache() / f"{name}-{made_by}.levels"
    if not file.is_file():
        levels = _compile(code, texts, what)
        sizes = " ".join(str(len(level)) for level in levels)
        _library.write(file, f"{sizes}\n".encode() + b"".join(levels))
    return Levels(file, name)


def _compile(code: bytes, texts: Sequence[str], what: str) -> list[bytes]:
    """The compiler writes `NAME.lev` for each level in a text."""
    # In memory, since there are thousands of files; a mount may forbid programs there.
    memory = _MEMORY if not os.environ.get("TMPDIR") and os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory(dir=memory) as name:
        compiler, folder = Path(place) / "lev_comp", Path(name)
        compiler.write_bytes(code)  # an archive may lack its permission
        compiler.chmod(0o700)
        if len(texts) == 1:
            return _run(compiler, folder, texts, [LEVEL], what)
        levels = []
        for first in range(0, len(texts), _AT_ONCE):
            names = [f"level{i}" for i in range(first, min(first + _AT_ONCE, len(texts)))]
            named = [
                texts[first + i].replace(f'"{LEVEL}"', f'"{other}"')
                for i, other in enumerate(names)
            ]
            levels += _run(compiler, folder, named, names, what)
        return levels


def _run(
    compiler: Path, folder: Path, texts: Sequence[str], names: Sequence[str], what: str
) -> list[bytes]:
    """Compiles texts with levels of these names."""
    (folder / "levels.des").write_text("\n".join(texts))
    try:
        done = subprocess.run(
            [str(compiler), "levels.des"],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_SECONDS,
        )
        said = f"{done.stderr}{done.stdout}".strip()
    except subprocess.TimeoutExpired:
        said = f"nothing in {_SECONDS:.0f} seconds"
    files = [folder / f"{name}.lev" for name in names]
    if not all(file.is_file() for file in files):
        raise ConfigError(
            what,
            f"NetHack's compiler of levels says: {said[-300:] or 'nothing'}",
            f'the description of one level with the name "{LEVEL}", as MAZE: "{LEVEL}",\' \'',
            "Correct the description; nethackwiki.com describes des files",
        )
    made = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    return made


def _archive(files: dict[str, bytes]) -> bytes:
    """NetHack's archive: a directory with names and places of files, and then the files.

    Its first line has a revision, the number of files, the bytes of all names with a zero each, the
    place of the first file, and the size. The first file is the directory itself, which is empty.
    """
    contents = {"Directory": b"", **files}
    names = sum(len(name) + 1 for name in contents)
    start = 0
    while True:
        place, lines = start, []
        for name, content in contents.items():
            lines.append(f"n{name} {place if content else 0:8d}\n")
            place += len(content)
        head = f"{1:3d} {len(contents):8d} {names:8d} {start:8d} {place:8d}\n" + "".join(lines)
        if len(head) == start:
            return head.encode() + b"".join(contents.values())
        start = len(head)
