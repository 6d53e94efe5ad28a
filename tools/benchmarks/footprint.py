# SPDX-License-Identifier: Apache-2.0
"""What a pool costs beside its steps: importing, building, memory, threads, compiling.

    python tools/benchmarks/footprint.py [--dist dist]

Each figure is taken in a process of its own, several times where it is a time; quoted is the
median. Sizes of the wheels are those of the files in `--dist`.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from _report import Report, figure, finish
from rich.console import Console
from rich.progress import track

ROOT = Path(__file__).resolve().parents[2]

IMPORT = """
import sys, time
import numpy
start = time.perf_counter()
import envpool
print((time.perf_counter() - start) * 1e3)
"""

MANY_ENVS = """
import time
import envpool
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
envpool.make("CartPole-v1").reset()
before, start = rss(), time.perf_counter()
pool = envpool.make("CartPole-v1", num_envs=100_000)
made = time.perf_counter() - start
obs, info = pool.reset()
ids = (info["env_id"], info["players"]["env_id"], info["elapsed_step"])
results = obs.nbytes + sum(array.nbytes for array in ids)
_, reward, terminated, truncated, _ = pool.step(obs[:, 0] > 0)
results += results + reward.nbytes + terminated.nbytes + truncated.nbytes
print(made, (rss() - before - results) / 1e6)
"""

MANY_POOLS = """
import gc, os
import envpool
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def use(count):
    for i in range(count):
        batch_size = 16 if i % 2 else 8
        pool = envpool.make("CartPole-v1", num_envs=16, num_threads=2, batch_size=batch_size)
        pool.async_reset()
        pool.recv()
        if i % 3:
            pool.close()
def counts():
    gc.collect()
    return rss(), len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))
use(50)
before = counts()
use(500)
after = counts()
print((after[0] - before[0]) / 1e6, after[1] - before[1], after[2] - before[2])
"""

IDLE = """
import time
import envpool, numpy
pool = envpool.make("CartPole-v1", num_envs=1024, num_threads=2)
pool.reset()
for _ in range(100):
    pool.step(numpy.zeros(1024, numpy.int32))
time.sleep(0.1)
start = time.process_time()
time.sleep(1)
print((time.process_time() - start) * 1e3)
"""

THREADS = """
import sys, time
import envpool, numpy
n = int(sys.argv[1])
pools = [envpool.make("CartPole-v1", num_envs=n, num_threads=t) for t in (1, 2)]
action = numpy.arange(n, dtype=numpy.int32) % 2
times = [[], []]
for pool in pools:
    pool.reset()
calls = max(20, 20_000 // (n + 20))
for _ in range(41):
    for pool, out in zip(pools, times):
        start = time.perf_counter()
        for _ in range(calls):
            pool.step(action)
        out.append((time.perf_counter() - start) / calls * 1e6)
for out in times:
    print(sorted(out)[len(out) // 2])
"""

UNIT = """
#include "cartpole.h"
template class envpool::Env<classic::CartPoleSpec, envpool::NumpyRandom>;
void Drive(classic::CartPole& env, const classic::CartPole::Action& action) {
  env.Reset();
  env.Step(action);
}
"""


def answers(code: str, *arguments: str) -> list[float]:
    """The numbers that a program prints."""
    command = [sys.executable, "-c", code, *arguments]
    output = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=tempfile.gettempdir()
    )
    return [float(word) for word in output.stdout.split()]


def median(code: str, times: int) -> float:
    """The median of a program's one number."""
    return statistics.median(answers(code)[0] for _ in range(times))


def compile_seconds() -> float:
    """CPU seconds to compile one environment, without pybind11, with the flags of the wheels."""
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "unit.cc"
        unit.write_text(UNIT)
        includes = [
            f"-I{ROOT / 'envpool-core' / 'include'}",
            f"-I{ROOT / 'envpool-classic' / 'cpp'}",
        ]
        command = [
            os.environ.get("CXX", "g++"),
            "-std=c++20",
            "-O3",
            "-ffp-contract=off",
            "-fno-math-errno",
            "-fno-trapping-math",
            *includes,
        ]
        seconds = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*command, "-c", str(unit), "-o", str(unit) + ".o"], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return statistics.median(seconds)


Figure = tuple[str, float, str, float]


def figures(dist: Path) -> Iterator[Callable[[], list[Figure]]]:
    """What to measure: each call returns rows of name, value, unit and the most allowed."""
    yield lambda: [("import envpool, beyond NumPy", median(IMPORT, 9), "ms", 150)]
    for wheel, most in (("envpool_core", 300), ("envpool_classic", 2000)):
        for path in dist.glob(f"{wheel}-*.whl"):
            yield lambda path=path, most=most: [  # type: ignore[misc]
                (f"wheel {path.name.split('-')[0]}", path.stat().st_size / 1e3, "kB", most)
            ]

    def many_envs() -> list[Figure]:
        runs = [answers(MANY_ENVS) for _ in range(5)]
        made, memory = (statistics.median(values) for values in zip(*runs, strict=True))
        return [
            ("make of 100,000 CartPole-v1", made, "s", 0.3),
            ("its memory beyond the results", memory, "MB", 100),
        ]

    def many_pools() -> list[Figure]:
        memory, threads, files = answers(MANY_POOLS)
        return [
            ("500 pools made and dropped: memory", memory, "MB", 2),
            ("threads left behind", threads, "", 0),
            ("descriptors left behind", files, "", 0),
        ]

    yield many_envs
    yield many_pools
    yield lambda: [("CPU time of an idle pool in 1 s", median(IDLE, 3), "ms", 10)]
    # An equal time is noise of up to a tenth here; the threads of a small pool are not even woken.
    for count, slower in ((1, 1.1), (8, 1.1), (64, 1.1), (256, 1.0), (1024, 1.0), (4096, 1.0)):
        yield lambda count=count, most=slower: [  # type: ignore[misc]
            (f"2 threads / 1 thread, time of {count} envs", two_threads(count), "", most)
        ]
    yield lambda: [("compiling one environment, CPU time", compile_seconds(), "s", 2)]


def two_threads(count: int) -> float:
    """Time of a step with two threads over that with one, taking turns in one process."""
    one, two = answers(THREADS, str(count))
    return two / one


def main() -> None:
    """Measures and prints the table; the exit code is 1 when a limit was passed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--json", type=Path, help="a file for the table")
    options, _ = parser.parse_known_args()
    report = Report("Footprint", ("figure", "measured", "at most"))
    passed = True
    for measure in track(
        [*figures(options.dist)], description="measuring", console=Console(stderr=True)
    ):
        for name, value, unit, most in measure():
            good = value <= most
            passed &= good
            limit = f"{figure(most)} {unit}" + ("" if good else " missed")
            report.add(name, f"{figure(value)} {unit}", limit)
    finish([report], options.json, passed)


if __name__ == "__main__":
    main()
