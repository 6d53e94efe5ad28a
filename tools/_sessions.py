# SPDX-License-Identifier: Apache-2.0
"""Runs all checks of noxfile.py, as many at a time as there are CPUs: `python3 tools/dev.py test`.

Every session is a nox of its own on one CPU. `wheels` begins first, with the sessions that need
none (with the tag `no-wheels`); long sessions begin before short ones. The output of a session goes
into out/test/, and here, too, if it fails.

A session has a budget, which it prints: the minutes of a CPU that it takes on a busy machine. Only
the sum counts: all together fail if they took half as much again as their budgets.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

# In this order; then the others. JAX alone takes a third of the time under `--full`.
LONG = ("wheels", "tests(envpool-jax)", "pythons", "sanitize", "tests", "docs", "plugin")
MOST = 8  # at a time: each needs up to 2 GB of memory
LIMIT = 3600  # seconds for a session: none may hang
LIMIT_FULL = 8 * LIMIT
MOST_OF_BUDGET = 1.5


class Done(NamedTuple):
    """How a session ended: exit status, and its time on the clock and of the CPU in minutes."""

    session: str
    status: int
    minutes: float
    cpu: float


def run_all(nox: list[str], root: Path, rest: list[str]) -> int:
    """Runs the default sessions of `root` and returns the exit status.

    Args:
        nox: The command that runs nox.
        root: The folder with noxfile.py.
        rest: Every session's arguments after `--`. With `--full`, sessions with the tag `full` run,
            too.
    """
    entries = _listed(nox)
    if "--full" in rest:  # nox lists their required sessions, too, which are among the others
        entries += [e for e in _listed(nox, "--tags", "full") if e not in entries]
    waiting = sorted(entries, key=_rank)
    logs = root / "out" / "test"
    logs.mkdir(parents=True, exist_ok=True)
    jobs = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2, MOST)
    limit = LIMIT_FULL if "--full" in rest else LIMIT
    print(f"{len(waiting)} sessions, {jobs} at a time; what they print is in {logs}", flush=True)
    running: set[Future[Done]] = set()
    done: list[Done] = []
    built = False
    stop = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while waiting or running:
                for entry in [e for e in waiting if built or _needs_no_wheels(e)]:
                    if len(running) < jobs:
                        waiting.remove(entry)
                        command = [*nox, "--sessions", entry["session"], "--", *rest]
                        log = _log(logs, entry["session"])
                        running.add(pool.submit(_run, entry["session"], command, log, limit, stop))
                if not running:
                    break  # without wheels, the other sessions cannot begin
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for job in finished:
                    done.append(job.result())
                    built |= done[-1].session == "wheels" and done[-1].status == 0
                    _report(done[-1], logs)
        finally:
            stop.set()
    failed = [d.session for d in done if d.status]
    failed += [f"{entry['session']} (without wheels)" for entry in waiting]
    if "--full" not in rest:
        failed += _over_budget([d for d in done if not d.status], logs)
    if failed:
        print(f"failed: {', '.join(failed)}")
    print(f"{sum(d.cpu for d in done):.0f} minutes of a CPU")
    skipped = sum(bool(_why_skipped(d.session, logs)) for d in done)
    passed = len(entries) - len(failed) - skipped
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


def _rank(entry: dict[str, Any]) -> int:
    """The place of a session in `LONG`, by its own name or by the name of its kind."""
    names = (entry["session"], entry["name"])
    return min((i for i, name in enumerate(LONG) if name in names), default=len(LONG))


def _over_budget(done: list[Done], logs: Path) -> list[str]:
    """In words, if the sessions together took much more than their budgets."""
    took = allowed = 0.0
    for each in done:
        if budget := re.search(r"the budget is ([\d.]+)", _text(logs, each.session)):
            took += each.cpu
            allowed += float(budget[1])
    if took <= MOST_OF_BUDGET * allowed:
        return []
    return [f"the budget of all sessions ({took:.0f} minutes of a CPU, not {allowed:.0f})"]


def _listed(nox: list[str], *which: str) -> list[dict[str, Any]]:
    listed = subprocess.run([*nox, "-l", "--json", *which], stdout=subprocess.PIPE, check=True)
    entries: list[dict[str, Any]] = json.loads(listed.stdout)
    return entries


def _needs_no_wheels(entry: dict[str, Any]) -> bool:
    return entry["name"] == "wheels" or "no-wheels" in entry["tags"]


def _run(session: str, command: list[str], log: Path, limit: float, stop: threading.Event) -> Done:
    ours = {"ENVPOOL_JOBS": "1", "ENVPOOL_WHEELS": "built"}
    start = time.monotonic()
    status, cpu = None, 0.0
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=os.environ | ours,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # ends together with its children
        )
        while status is None and time.monotonic() - start < limit and not stop.wait(0.2):
            pid, code, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                status, cpu = os.waitstatus_to_exitcode(code), usage.ru_utime + usage.ru_stime
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if status is None:
            status = process.wait()
            output.write(f"\nended from outside after {time.monotonic() - start:.0f} s\n".encode())
        process.returncode = status  # another function waited for it
    return Done(session, status, (time.monotonic() - start) / 60, cpu / 60)


def _report(done: Done, logs: Path) -> None:
    if done.status:
        print(_text(logs, done.session))
    if why := _why_skipped(done.session, logs):
        print(f"skipped {done.session}: {why}", flush=True)
        return
    word = "FAILED" if done.status else "passed"
    print(f"{word} {done.session}: {done.minutes:.1f} min, {done.cpu:.1f} of a CPU", flush=True)


def _why_skipped(session: str, logs: Path) -> str:
    """The reason that a session did nothing, which nox calls a success; empty if it worked."""
    found = re.search(r"Session \S+ skipped: (.*)", _text(logs, session))
    return found[1] if found else ""


def _text(logs: Path, session: str) -> str:
    return _log(logs, session).read_text(encoding="utf-8", errors="replace")


def _log(logs: Path, session: str) -> Path:
    name = "".join(c if c.isalnum() or c in "-." else "-" for c in session).strip("-")
    return logs / f"{name}.log"
