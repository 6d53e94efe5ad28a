# SPDX-License-Identifier: Apache-2.0
"""The program that has a pool: killed, interrupted, without Ray, or without a cluster."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import envpool_ray
import numpy as np
import psutil
import pytest
from envpool.errors import ConfigError, MissingPackageError, StateError, UnknownTaskError
from envpool_ray import _cluster

TIMEOUT = 120.0  # seconds, by far, for what takes one on a machine that has nothing else to do
PROGRAM = """
import sys
import numpy as np
import envpool_ray

pool = envpool_ray.make("Ledger-v0", num_envs=4, num_actors=2, cpus_per_actor=1, num_threads=1,
                        work_us=200_000, address=sys.argv[1])
pool.reset()
try:
    print(*(worker.pid for worker in pool._compiled._group.workers), flush=True)
    while True:
        pool.step(np.ones(4, np.int64))
except KeyboardInterrupt:
    if pool._compiled.num_in_flight:
        pool.recv()
    print(pool.step(np.ones(4, np.int64))[4]["actor_restarted"].any(), flush=True)
    pool.close()
    print("closed", flush=True)
"""


FROM_A_THREAD = """
import threading
import numpy as np
import envpool_ray

pools = []
def make():
    pools.append(envpool_ray.make("Ledger-v0", num_envs=2, num_actors=2, cpus_per_actor=1,
                                  num_threads=1, address="local", start_timeout=500.0))
thread = threading.Thread(target=make)
thread.start()
thread.join()
pool, = pools
pool.reset()
for _ in range(20):
    assert not pool.step(np.ones(2, np.int64))[4]["actor_restarted"].any()
pool.close()
print("closed")
"""


def start(address: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A program with a pool of two actors, and their processes."""
    command = [sys.executable, "-c", PROGRAM, address]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    return program, [int(pid) for pid in program.stdout.readline().split()]


def become(condition: Callable[[], bool]) -> bool:
    """Whether it becomes true."""
    until = time.monotonic() + TIMEOUT
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def test_a_killed_program_leaves_no_actor(cluster: str) -> None:
    program, pids = start(cluster)
    assert len(pids) == 2
    program.kill()
    program.wait(TIMEOUT)
    assert become(lambda: not any(map(psutil.pid_exists, pids)))


def test_an_interrupted_program_goes_on(cluster: str) -> None:
    program, pids = start(cluster)
    os.kill(program.pid, signal.SIGINT)
    out, _ = program.communicate(timeout=TIMEOUT)
    assert out.split() == ["False", "closed"]
    assert program.returncode == 0
    assert become(lambda: not any(map(psutil.pid_exists, pids)))


def test_a_local_cluster_outlives_the_thread_that_made_the_pool() -> None:
    # Linux kills the children of a thread that ends, if they ask for it, and Ray's do.
    command = [sys.executable, "-c", FROM_A_THREAD]
    done = subprocess.run(command, capture_output=True, text=True, timeout=580)
    assert (done.returncode, done.stdout) == (0, "closed\n"), done.stderr


class SlowRay:
    """A Ray whose start takes until it is told to go on."""

    def __init__(self) -> None:
        self.go_on, self.started = threading.Event(), False

    def is_initialized(self) -> bool:
        return self.started

    def init(self, **options: object) -> None:
        assert self.go_on.wait(TIMEOUT)
        self.started = True

    def shutdown(self) -> None:
        self.started = False


def test_a_cluster_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = SlowRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(StateError, match=r"Ray has not started in 0.1 s.*larger start_timeout"):
        _cluster.enter("make('ray:X'", "", 1, 0.1)
    with pytest.raises(StateError, match="another cluster is still being started"):
        _cluster.enter("make('ray:X'", "", 10_000, 0.1)
    ray.go_on.set()
    assert _cluster.enter("make('ray:X'", "", 1, TIMEOUT) is ray  # the start goes on meanwhile
    _cluster.leave(ray)
    assert not ray.started


class GuardedRay(SlowRay):
    """A Ray that cannot join a cluster without a token."""

    def init(self, **options: object) -> None:
        raise ConnectionError("Failed to connect to Ray cluster") from RuntimeError(
            "RPC error: InvalidAuthToken: Authentication token is missing or incorrect"
        )


def test_a_cluster_that_wants_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", GuardedRay())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(ConfigError, match=r"set RAY_AUTH_MODE=token, with the ~/\.ray/auth"):
            _cluster.enter("make('ray:X'", address, 1, TIMEOUT)


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackageError, match="pip install 'ray"):
        _cluster.load_ray("make('ray:Ledger-v0'")


def test_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    with pytest.raises(ConfigError, match=r"address='127.0.0.1:1'.*ray start --head"):
        envpool_ray.make("Ledger-v0", address="127.0.0.1:1")


def test_unknown_task() -> None:
    with pytest.raises(UnknownTaskError, match="Did you mean 'Ledger-v0'"):
        envpool_ray.make("Ledgr-v0")


def test_closed_and_opened_again() -> None:
    options = {"num_envs": 2, "num_actors": 1, "cpus_per_actor": 1, "num_threads": 1, "seed": 4}
    pool = envpool_ray.make("Ledger-v0", **options)
    first = pool.reset()[0]["ledger"].copy()
    pool.close()
    with pytest.raises(StateError):
        pool.step(np.zeros(2, np.int64))
    assert (pool.reset()[0]["ledger"] == first).all()
    pool.close()
    assert pool.closed
