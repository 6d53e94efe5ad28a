# SPDX-License-Identifier: Apache-2.0
"""What the engine promises about its threads, measured: who is inside environments, who waits.

    python tools/scheduling.py [--trials 12] [--json out.json]

Builds the environments of envpool-core/tests/engine with the headers of the checkout; what it needs
is NumPy, pybind11, rich and a C++ compiler. The exit code is 1 when a figure misses its limit. A
limit is kept when every trial keeps it, so other work on the machine may cost one: the last line
says how long a Python thread stood still where there was no pool. Takes two to three minutes.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent / "benchmarks"))

from _report import Report, figure, finish
from compiling import extension, load
from rich.console import Console
from rich.progress import track

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "envpool-core" / "tests" / "engine"
sys.path.insert(0, str(ROOT / "envpool-core" / "src"))
sys.path.insert(0, str(TESTS))

MODES = ("sync", "async")
STEPS_US = (1, 10, 100)
THREADS = (1, 2, 4)
ENVS = (8, 64)
RECV_MS = 30  # while one of 64 environments sleeps for 400
FREEZE_MS = 20  # of a Python thread, while one step sleeps for 3 s
RATE = 44_000  # steps per second of two threads, with 20 ms every 500th step
# Pools in which a Python thread is watched: environments, batch, threads.
SHAPES = ((1, 1, 1), (8, 8, 2), (64, 64, 2), (4, 2, 2), (64, 16, 2))


def environments() -> ModuleType:
    """The compiled module of the tests, built when a source or a header has changed."""
    with Console(stderr=True).status("building the environments"):
        return load(extension(TESTS / "engine_envs.cc", "-O2", "-DENVPOOL_TEST"))


def bounds(measure: ModuleType, module: ModuleType, seconds: float) -> tuple[Report, bool]:
    """How many threads were inside environments at a time, in pools of many shapes."""
    columns = ("mode", "step, µs", "num_threads", "environments", "calls", "most inside", "limit")
    report = Report("Threads inside Step and Reset at a time", columns)
    rows = [(m, s, t, e) for m in MODES for s in STEPS_US for t in THREADS for e in ENVS]
    passed, total = True, 0
    for mode, step_us, threads, envs in track(rows, "bounds", console=Console(stderr=True)):
        most, calls = measure.most_inside(
            module, mode=mode, step_us=step_us, threads=threads, envs=envs, seconds=seconds
        )
        passed &= most <= threads
        total += calls
        cells = (str(cell) for cell in (step_us, threads, envs, f"{calls:,}", most))
        report.add(mode, *cells, verdict(f"{threads}", most <= threads))
    report.notes.append(f"{total:,} calls; asynchronous batches have a quarter of the environments")
    return report, passed


def verdict(limit: str, kept: bool) -> str:
    """A limit, and whether it was missed."""
    return limit if kept else f"{limit} missed"


def trials(
    report: Report,
    name: str,
    measure: Callable[[], float],
    count: int,
    limit: float,
    *,
    unit: str,
    least: bool = False,
    ideal: str = "",
) -> bool:
    """Adds a row about several trials, and returns whether all of them keep the limit."""
    values = sorted(
        (measure() for _ in track(range(count), name, console=Console(stderr=True))), reverse=least
    )
    kept = sum(value >= limit if least else value <= limit for value in values)
    report.add(
        name,
        *(f"{figure(value)} {unit}" for value in (values[len(values) // 2], values[-1])),
        ideal,
        verdict(f"{'at least' if least else 'at most'} {figure(limit)} {unit}", kept == count),
        f"{kept} of {count}",
    )
    return kept == count


def uneven(measure: ModuleType, module: ModuleType, count: int) -> tuple[Report, bool]:
    """What one long step costs those who have nothing to do with it."""
    columns = ("figure", "median", "worst", "ideal", "limit", "trials that keep it")
    report = Report("One step is far longer than the others", columns)
    passed = True
    for kind, env in (("default", "Uneven"), ("blocking", "UnevenBlocking")):
        for after in (False, True):
            passed &= trials(
                report,
                f"longest recv, 1 of 64 {kind} environments sleeps 400 ms "
                f"{'after' if after else 'before'} Allocate",
                lambda after=after, env=env: (  # type: ignore[misc]
                    measure.worst_recv(module, after_allocate=after, name=env) * 1e3
                ),
                count,
                RECV_MS,
                unit="ms",
            )
    passed &= trials(
        report,
        "steps/s in the second half of 4 s, 2 threads, steps of 3.5 µs, every 500th sleeps 20 ms",
        lambda: float(measure.rate_with_long_steps(module, seconds=4)),
        max(1, count // 4),
        RATE,
        unit="/s",
        least=True,
        ideal=f"{figure(measure.ideal_rate(2, 3.5, 20, 500))} /s",
    )
    for envs, batch, threads in SHAPES:
        mode = "synchronous" if envs == batch else f"batches of {batch}"
        passed &= trials(
            report,
            f"a Python thread stands still, {envs} env{'s'[: envs > 1]}, {mode}, a step of 3 s",
            lambda envs=envs, batch=batch, threads=threads: (  # type: ignore[misc]
                1e3
                * measure.freeze(module, envs=envs, batch=batch, threads=threads, long_us=3_000_000)
            ),
            max(1, count // 4),
            FREEZE_MS,
            unit="ms",
        )
    quiet = max(measure.undisturbed_freeze(3.0) for _ in range(max(1, count // 4))) * 1e3
    long_ms = sleep_ms(20)
    report.notes.append(
        "ideal: threads / (step + long step / 500). On this machine a sleep of 20 ms takes "
        f"{long_ms:.2f} ms, which leaves {figure(measure.ideal_rate(2, 3.5, long_ms, 500))} /s. "
        f"Without a pool the Python thread stood still for up to {figure(quiet)} ms."
    )
    return report, passed


def sleep_ms(asked: float) -> float:
    """How long a sleep takes on this machine, in milliseconds: the median of 50."""
    taken = []
    for _ in range(50):
        start = time.perf_counter()
        time.sleep(asked / 1e3)
        taken.append(time.perf_counter() - start)
    return 1e3 * statistics.median(taken)


def main() -> None:
    """Measures and prints the tables; the exit code is 1 when a limit was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=12, help="of each recv; others: a quarter")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each row of the bounds")
    parser.add_argument("--json", type=Path, help="a file for the tables")
    options = parser.parse_args()
    module = environments()
    measure = importlib.import_module("engine_scheduling")
    bound, bounded = bounds(measure, module, options.seconds)
    long, kept = uneven(measure, module, options.trials)
    finish([bound, long], options.json, bounded and kept)


if __name__ == "__main__":
    main()
