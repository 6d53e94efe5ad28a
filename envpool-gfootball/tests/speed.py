# SPDX-License-Identifier: Apache-2.0
"""Games beside EnvPool 1.2.5, which has the same engine: steps, starts and memory.

Actions are random; resets are a part of the time; there is one thread. EnvPool 1.2.5 makes games in
`make`, ours are made in the first reset: a start is both.
"""

from __future__ import annotations

from comparison import ENVPOOL, ENVPOOL_NAME, Comparison, Figure, Figures, Row, answers, pools

_MATCH = "gfootball/11_vs_11_stochastic-v1"
# The least ratio of the other side's CPU time to ours.
GOALS = {_MATCH: 1.25, "gfootball/5_vs_5-v1": 1.0, "gfootball/academy_3_vs_1_with_keeper-v1": 1.0}
STARTS = 64
START = f"""
def private():
    rows = open("/proc/self/smaps_rollup").read().splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith("Private")) / 1000
def start(count, seed):
    options = dict(num_envs=count, num_threads=1, seed=seed)
    pool = envpool.make("{_MATCH}", env_type="gymnasium", **options)
    pool.reset()
    for _ in range(5):
        pool.step(numpy.zeros(count, numpy.int32))
    return pool
kept = [start(16, 0)]  # what all games share
before, memory = time.process_time(), private()
options = dict(num_envs={STARTS}, num_threads=1, seed=100)
pool = envpool.make("{_MATCH}", env_type="gymnasium", **options)
made = time.process_time() - before
pool.reset()
print(made, time.process_time() - before, (private() - memory) / {STARTS})
"""


def row(task: str, num_envs: int) -> Row:
    """Some games of a task."""
    name = task.partition("/")[2]
    return Row((name, str(num_envs)), num_envs, pools(task, num_envs, num_threads=1), GOALS[task])


def starts() -> list[float]:
    """Our starts, and the other side's ratios."""
    ours, theirs = answers(START), answers(START, ENVPOOL)
    return [*ours, *(own / other for own, other in zip(ours, theirs, strict=True))]


TABLES = [
    Comparison(
        "Football",
        ("task", "envs"),
        [row(task, num_envs) for task in GOALS for num_envs in (1, 8, 64)],
        rounds=5,
        seconds=2.0,
        judged="CPU ratio",
    ),
    Figures(
        f"Starts of {STARTS} games of 11_vs_11_stochastic, with those of {ENVPOOL_NAME}",
        [
            Figure(
                [
                    *("CPU time of make", "of make and the first reset", "memory of a game"),
                    *("make, ratio", "make and the first reset, ratio", "memory, ratio"),
                ],
                starts,
                ["s", "s", "MB", "", "", ""],
                [None, None, 20, 0.1, None, 0.3],
            )
        ],
    ),
]
