# SPDX-License-Identifier: Apache-2.0
"""Games on several threads under ThreadSanitizer, the engine included: whole runs only.

The engine counts references by plain integers. Shared data, animations and the bounds of meshes,
are written once and not counted: ThreadSanitizer would detect a race.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from envpool_gfootball._prepare import data_folder

HERE = Path(__file__).parent


def _program(sanitizer: str) -> Path:
    """threads.cc with the engine, compiled with a sanitizer; three minutes of a CPU."""
    import compiling
    import package

    engine = package.sources() / "third_party" / "gfootball_engine"
    altered = compiling.KEPT / "gfootball"
    alter = HERE.parent / "cmake" / "alter.py"
    subprocess.run([sys.executable, str(alter), str(engine), str(altered)], check=True)
    own = HERE.parent / "cpp"
    headers = [altered / "stand_ins", altered / "src", altered / "src" / "cmake", own]
    flags = ["-w", "-g", "-O1", "-ffp-contract=off", "-fwrapv", f"-fsanitize={sanitizer}"]
    others = [*sorted((altered / "parts").glob("*.cc")), *sorted((own / "engine").glob("*.cc"))]
    return compiling.program(
        HERE / "cpp" / "threads.cc",
        *flags,
        *(f"-I{path}" for path in headers),
        others=others,
        link=[f"-fsanitize={sanitizer}"],
    )


def _play(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # ThreadSanitizer of gcc 12 does not support the memory layouts of newer kernels.
    command = ["setarch", "-R", str(program), str(data_folder()), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=3000)


@pytest.mark.full
def test_games_share_nothing_that_is_written() -> None:
    done = _play(_program("thread"), "6", "45")
    assert (done.returncode, done.stdout) == (0, "played\n"), done.stderr[-4000:]
    assert done.stderr == ""


@pytest.mark.full
def test_a_race_is_found() -> None:
    """Two threads that play one game."""
    done = _play(_program("thread"), "3", "2", "one")
    assert "ThreadSanitizer: data race" in done.stderr
