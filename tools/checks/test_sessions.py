# SPDX-License-Identifier: Apache-2.0
"""All sessions at once: tools/dev.py, and tools/_sessions.py with a program in place of nox."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import _sessions
import pytest

NOX = """
import json, os, pathlib, sys
if "-l" in sys.argv:
    names = {names!r} if "full" not in sys.argv else ["wheels", "pythons-3.0"]
    entries = []
    for name in names:
        tags = ["no-wheels"] * (name in ("lint", "hangs"))
        entries.append({{"session": name, "name": name.split("(")[0], "tags": tags}})
    print(json.dumps(entries))
    sys.exit()
session = sys.argv[sys.argv.index("--sessions") + 1]
built = pathlib.Path({folder!r}, "built")
assert session in ("wheels", "lint", "hangs") or built.exists(), "too early"
if session == "wheels":
    built.touch()
assert os.environ["ENVPOOL_WHEELS"] == "built" and os.environ["ENVPOOL_JOBS"] == "1"
print("this is", session, sys.argv[-1])
if session in {budgets!r}:
    print(f"the budget is {{ {budgets!r}[session]:.9f}}")
if session == "absent":
    print("nox > Session absent skipped: no python3.0.")
if session == "hangs":
    import signal
    signal.pause()
sys.exit(session == {fails!r})
"""


def run(folder: Path, names: list[str], word: str = "--word", **texts: Any) -> int:
    """Runs all sessions of `names`, with more replacements in the text of `NOX`."""
    texts = {"fails": "", "budgets": {}} | texts
    text = NOX.format(names=names, folder=str(folder), **texts)
    return _sessions.run_all([sys.executable, "-c", text], folder, [word])


@pytest.mark.parametrize(("word", "status"), [("--help", 0), ("classic", 2), ("-k", 2)])
def test_other_words_than_full_start_nothing(word: str, status: int) -> None:
    program = Path(_sessions.__file__).with_name("dev.py")
    command = [sys.executable, str(program), "test", word]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status
    assert "--full" in done.stdout + done.stderr
    assert (word in done.stderr) == (status != 0)
    assert "sessions, " not in done.stdout


def test_wheels_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, ["lint", "docs", "tests(a b)", "wheels"]) == 0
    printed = capsys.readouterr().out
    assert "4 passed, 0 failed" in printed
    assert "this is" not in printed
    log = (tmp_path / "out" / "test" / "tests-a-b.log").read_text()
    assert log == "this is tests(a b) --word\n"


def test_full_has_sessions_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, ["lint", "wheels"], word="--full") == 0
    assert "passed pythons-3.0" in capsys.readouterr().out


def test_what_nox_skips_is_not_called_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, ["wheels", "absent"]) == 0
    printed = capsys.readouterr().out
    assert "skipped absent: no python3.0." in printed
    assert "1 passed, 0 failed, 1 skipped" in printed


def test_what_failed_is_printed_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, ["wheels", "lint", "docs", "types"], fails="docs") == 1
    printed = capsys.readouterr().out
    assert "this is docs --word" in printed
    assert "3 passed, 1 failed" in printed
    assert "failed: docs" in printed


def test_without_wheels_nothing_that_needs_them_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, ["wheels", "lint", "docs"], fails="wheels") == 1
    printed = capsys.readouterr().out
    assert "1 passed, 2 failed" in printed
    assert "docs (without wheels)" in printed
    assert not (tmp_path / "out" / "test" / "docs.log").exists()


def test_what_does_not_end_is_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sessions, "LIMIT", 2)
    assert run(tmp_path, ["hangs"]) == 1
    printed = capsys.readouterr().out
    assert "ended from outside" in printed
    assert "failed: hangs" in printed


def test_more_than_all_budgets_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["wheels", "lint", "docs", "types"]
    assert run(tmp_path, names, budgets=dict.fromkeys(names, 60.0)) == 0
    one_tight = dict.fromkeys(names, 60.0) | {"docs": 1e-6}
    assert run(tmp_path, names, budgets=one_tight) == 0
    capsys.readouterr()
    assert run(tmp_path, names, budgets=dict.fromkeys(names, 1e-6)) == 1
    assert "failed: the budget of all sessions (" in capsys.readouterr().out


@pytest.mark.parametrize(("last", "fails"), [(2.9, False), (3.1, True)])
def test_budgets_are_added(tmp_path: Path, last: float, fails: bool) -> None:
    times = {"wheels": 0.5, "lint": 1.0, "docs": last}  # 4.5 minutes are allowed
    for name in times:
        (tmp_path / f"{name}.log").write_text("the budget is 1\n")
    done = [_sessions.Done(name, 0, 1.0, cpu) for name, cpu in times.items()]
    over = _sessions._over_budget(done, tmp_path)
    assert over == (["the budget of all sessions (5 minutes of a CPU, not 3)"] if fails else [])
