# SPDX-License-Identifier: Apache-2.0
"""CartPole-v1, whose own cost is small, against the original, Gymnasium's NumPy pool, a C++ loop.

The other costs of a pool: importing, building, memory, threads, an idle pool.
"""

from __future__ import annotations

from pathlib import Path

import compiling
from comparison import (
    ENVPOOL_NAME,
    ROOT,
    Comparison,
    Figure,
    Figures,
    Row,
    Side,
    mode,
    pools,
    thread_counts,
)

TASK = "CartPole-v1"
THREADS = thread_counts()[-1]
GYMNASIUM, LOOP = "Gymnasium CartPoleVectorEnv", "bare C++ loop"
FLAGS = ("-O3", "-DNDEBUG", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")  # wheels'

# NumPy and this package are loaded before, so that the second import is measured.
IMPORT = """
import subprocess, sys
code = "import sys, time, numpy; start = time.perf_counter(); import envpool; " \\
    "print((time.perf_counter() - start) * 1e3)"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
"""
MANY_ENVS = """
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
pool = envpool.make("CartPole-v1", num_envs=1024, num_threads=2)
pool.reset()
for _ in range(100):
    pool.step(numpy.zeros(1024, numpy.int32))
time.sleep(0.1)
start = time.process_time()
time.sleep(1)
print((time.process_time() - start) * 1e3)
"""
# The best of 200 short rounds in which the flavors take turns: the cost of an undisturbed call. A
# call for one environment is counted in NumPy's calls, products of two arrays of 4 numbers, which
# depend less on the machine than microseconds do.
CALLS = """
def seconds(call, *arguments):
    start = time.perf_counter()
    for _ in range(1_000):
        call(*arguments)
    return (time.perf_counter() - start) / 1_000
kinds, four = ("gymnasium", "vector", "dm"), numpy.ones(4, numpy.float32)
calls = [(numpy.multiply, four, four)]
for n in (1, 64):
    for kind in kinds:
        pool = envpool.make("CartPole-v1", kind, num_envs=n, num_threads=1)
        pool.reset()
        calls.append((pool.step, numpy.arange(n, dtype=numpy.int32) % 2))
best = [1.0] * len(calls)
for _ in range(200):
    best = [min(least, seconds(*call)) for least, call in zip(best, calls)]
print(*(second / best[0] for second in best[1:4]), *(second * 1e6 for second in best[4:]))
"""
TWO_THREADS = """
pools = [envpool.make("CartPole-v1", num_envs={n}, num_threads=t) for t in (1, 2)]
action = numpy.arange({n}, dtype=numpy.int32) % 2
times = [[], []]
for pool in pools:
    pool.reset()
calls = max(20, 20_000 // ({n} + 20))
for _ in range(41):
    for pool, out in zip(pools, times):
        start = time.perf_counter()
        for _ in range(calls):
            pool.step(action)
        out.append((time.perf_counter() - start) / calls)
print(sorted(times[1])[20] / sorted(times[0])[20])
"""


def bare_loop(num_envs: int, threads: int) -> Side:
    """The same `Step` without ids, flags, time limit, queue, checks and Python."""

    def command() -> list[str]:
        here = Path(__file__).parent
        headers = f"-I{here.parent / 'cpp'}"
        built = compiling.program(here / "bare_cartpole.cc", *FLAGS, headers)
        return [str(built), str(num_envs), str(threads)]

    return Side(LOOP, program=command)


def row(num_envs: int, batch_size: int, goal: float, threads: int = THREADS, *peers: Side) -> Row:
    """A row against the given peers, or against the original."""
    sides = pools(TASK, num_envs, batch_size, num_threads=threads)
    cells = (str(num_envs), mode(num_envs, batch_size), str(threads))
    goals = {side.name: goal for side in peers} or {ENVPOOL_NAME: goal}
    return Row(cells, batch_size, [sides[0], *peers] if peers else sides, goals)


def wheel(name: str, most: float) -> Figure:
    """The size of a wheel in dist/."""

    def size() -> list[float]:
        return [path.stat().st_size / 1e3 for path in Path(ROOT, "dist").glob(f"{name}-*.whl")]

    return Figure([f"wheel {name}"], size, ["kB"], [most])


NUMPY = Side(
    GYMNASIUM, {"task": TASK, "num_envs": 64, "mode": "vector_entry_point"}, function="vector"
)
TABLES = [
    Comparison(
        TASK,
        ("envs", "mode", "threads"),
        [
            *(row(n, n, goal) for n, goal in ((1, 50), (8, 60), (64, 50), (1024, 55))),
            row(1024, 256, 25),
            row(64, 64, 8, THREADS, NUMPY),
            # Several threads must find each other; one thread has only the bookkeeping.
            *(
                row(1024, 1024, 0.85 if n == 1 else 0.8, n, bare_loop(1024, n))
                for n in thread_counts()
            ),
        ],
        rounds=15,
        seconds=0.15,
        per_call=True,
    ),
    Figures(
        "Footprint",
        [
            Figure(["import envpool, beyond NumPy"], IMPORT, ["ms"], [150], times=9),
            wheel("envpool_core", 300),
            wheel("envpool_classic", 2000),
            Figure(
                ["make of 100,000 CartPole-v1", "its memory beyond the results"],
                MANY_ENVS,
                ["s", "MB"],
                [0.3, 100],
                times=5,
            ),
            Figure(
                [
                    "500 pools made and dropped: memory",
                    "threads left behind",
                    "descriptors left behind",
                ],
                MANY_POOLS,
                ["MB", "", ""],
                [2, 0, 0],
            ),
            Figure(["CPU time of an idle pool in 1 s"], IDLE, ["ms"], [10], times=3),
            # An equal time has noise of up to a tenth; threads of a small pool are not even woken.
            *(
                Figure(
                    [f"2 threads / 1 thread, time of {n} envs"],
                    TWO_THREADS.replace("{n}", str(n)),
                    [""],
                    [1.1 if n < 256 else 1.0],
                )
                for n in (1, 8, 64, 256, 1024, 4096)
            ),
        ],
    ),
    Figures(
        "A call of step of CartPole-v1, one thread",
        [
            Figure(
                [
                    f"{kind}, {n}"
                    for n in ("1 environment", "64 environments")
                    for kind in ("gymnasium", "vector", "dm")
                ],
                CALLS,
                ["NumPy calls"] * 3 + ["µs"] * 3,
                [1.8, 2.0, 3.0, 3.12, 3.35, 4.0],
            )
        ],
    ),
]
