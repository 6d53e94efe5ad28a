# SPDX-License-Identifier: Apache-2.0
"""Limits of the system: files that the parent may open, processes that a user may have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, resource, sys
sys.path.insert(0, {tests!r})
import envpool_python, numpy as np
from envpool.errors import ConfigError
from toys import Steady
envpool_python.make([lambda: Steady(False)]).close()  # imports what there is to import
limit = len(os.listdir("/proc/self/fd")) + {files}
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
before = len(os.listdir("/proc/self/fd"))
try:
    with envpool_python.make(
        [lambda: Steady(False)] * {workers}, num_workers={workers}, start_method={method!r}
    ) as pool:
        pool.reset()
        pool.step(np.zeros({workers}, np.int64))
        print("stepped")
    del pool
except ConfigError as error:
    assert f"{{limit}} open files" in str(error) and "ulimit -n" in str(error), error
    print("refused")
assert len(os.listdir("/proc/self/fd")) == before
"""


@pytest.mark.parametrize(
    ("method", "workers", "end"),
    [("forkserver", 6, "stepped"), ("forkserver", 30, "refused"), ("spawn", 30, "refused")],
)
def test_a_worker_takes_two_files(method: str, workers: int, end: str) -> None:
    """The rest of the 22 files is for the launcher, the memory, and a process that is starting."""
    tests = str(Path(__file__).parent)
    code = PROGRAM.format(tests=tests, workers=workers, method=method, files=2 * 6 + 10)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{end}\n", "")
