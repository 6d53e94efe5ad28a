# SPDX-License-Identifier: Apache-2.0
"""Runs calls on demand in a process of its own; both sides of a comparison are such processes.

    python worker.py sides.py pool '{"task": "Pong-v5", "num_envs": 8}'

The function of that name, in that file, is called with the options, and returns a function without
arguments, which is measured. The first output line is "ready". A line `{"calls": n}` on standard
input is a round of n calls, and is answered by `{"wall": seconds, "cpu": seconds}`; CPU
time is that of this process and its children. `{"calls": n, "before": k}` makes k
calls first that are not measured: an asynchronous pool has finished them between two rounds.

A Python that has a peer runs this file, too, so it needs nothing but Python.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import sys
import time
from pathlib import Path


def main() -> None:
    """Serves until standard input ends."""
    file, function, options = sys.argv[1:]
    answers, sys.stdout = sys.stdout, sys.stderr  # output of libraries is no answer
    spec = importlib.util.spec_from_file_location("measured", file)
    assert spec is not None and spec.loader is not None
    module = sys.modules["measured"] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(Path(file).parent))  # the function's file may import modules beside it
    spec.loader.exec_module(module)
    call = getattr(module, function)(**json.loads(options))
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        for _ in range(asked.get("before", 0)):
            call()
        calls = range(asked["calls"])
        others = _started()
        cpu, start = time.process_time(), time.perf_counter()
        for _ in calls:
            call()
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        cpu += _started() - others
        print(json.dumps({"wall": wall, "cpu": cpu}), file=answers, flush=True)


def _started() -> float:
    """Seconds of CPU time of all processes below this one, those that ended included."""
    parents: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int(
                (place / "stat").read_text().rpartition(")")[2].split()[1]
            )
        except OSError:
            continue  # it has just ended
    below = {os.getpid()}
    while children := {child for child, parent in parents.items() if parent in below} - below:
        below |= children
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(map(_of, below - {os.getpid()}))


def _of(number: int) -> float:
    try:
        threads = [*Path("/proc", str(number), "task").iterdir()]
        return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9
    except OSError:
        return 0.0  # it has just ended


if __name__ == "__main__":
    main()
