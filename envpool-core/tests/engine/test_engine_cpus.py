# SPDX-License-Identifier: Apache-2.0
"""How many threads a pool has when nobody says: as many as CPUs that it may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest


def quota():
    """CPUs that the control groups of this process allow, a fraction perhaps; or infinity."""
    least = math.inf
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = Path("/sys/fs/cgroup", controllers)  # without controllers: version 2
        own = root / path.lstrip("/")
        for folder in (own, *own.parents):
            if not folder.is_relative_to(root):
                break
            for names in (["cpu.max"], ["cpu.cfs_quota_us", "cpu.cfs_period_us"]):
                files = [folder / name for name in names]
                if all(file.exists() for file in files):
                    most, period = " ".join(file.read_text() for file in files).split()
                    if most not in ("max", "-1"):
                        least = min(least, int(most) / int(period))
    return least


def test_a_pool_has_a_thread_for_each_cpu(make):
    allowed = min(len(os.sched_getaffinity(0)), quota())
    threads = make(num_envs=1000).num_threads
    # A fraction of a CPU may be rounded to a thread or to none.
    assert max(1, math.floor(allowed)) <= threads <= math.ceil(allowed)
    assert make(num_envs=1000, batch_size=10).num_threads == threads
    assert make(num_envs=1).num_threads == 1


@pytest.mark.parametrize("name", ["Counter", "Uneven", "UnevenTrivial"])
def test_only_cpus_that_the_process_may_use_count(run_script, name):
    output = run_script(f"""
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        for batch_size in (8, 2):
            print(make_pool(module, "{name}", num_envs=8, batch_size=batch_size).num_threads)
        # A pool with a greater num_threads gets more threads.
        print(make_pool(module, "{name}", num_envs=8, num_threads=3).num_threads)
    """)
    assert output.split() == ["1", "1", "3"]


def test_blocking_environments_do_not_look_at_cpus(run_script):
    output = run_script("""
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        for batch_size in (8, 2):
            pool = make_pool(module, "UnevenBlocking", num_envs=8, batch_size=batch_size)
            print(pool.num_threads)
    """)
    assert output.split() == ["8", "2"]


def test_threads_are_bound_within_the_cpus_of_the_process(run_script):
    """`taskset` gives a process its CPUs; CPU 0 may not be one of them."""
    output = run_script("""
        allowed = sorted(os.sched_getaffinity(0))[-2:]
        os.sched_setaffinity(0, allowed)
        before = set(os.listdir("/proc/self/task"))
        pool = make_pool(
            module, "UnevenBlocking", num_envs=8, num_threads=3, thread_affinity_offset=1
        )
        pool.async_reset()  # threads start when there is work, and bind themselves then
        pool.recv()
        wanted = sorted([allowed[(1 + i) % len(allowed)]] for i in range(3))
        end, bound = time.monotonic() + 10, []
        while bound != wanted and time.monotonic() < end:
            os.sched_yield()
            workers = set(os.listdir("/proc/self/task")) - before
            bound = sorted(sorted(os.sched_getaffinity(int(worker))) for worker in workers)
        print(bound == wanted)
    """)
    assert output.split() == ["True"]
