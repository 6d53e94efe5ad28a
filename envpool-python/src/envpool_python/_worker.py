# SPDX-License-Identifier: Apache-2.0
"""Worker: the process with some environments of a pool; it handles the requests in their slots.

    start   its random numbers
    probe   describes the first environment
    build   its environments; afterwards it takes requests from shared memory

Nothing here runs in the process that has the pool.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import signal
import socket
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from . import _python
from ._make_runner import make_runner
from ._messages import EnvDescription, WorkerSeeds, WorkerSetup
from ._random_seeds import seed_for_imports, seed_for_making, seed_for_steps
from ._recipes import Recipe
from ._runner import MissingEnv, Runner

IDLE_TIMEOUT = 300.0
"""Seconds after which an unused launcher or worker ends itself."""


def end_with(connection: Connection, parent: int) -> None:
    """Makes this process end soon after the pool's process, during any call."""
    try:
        pidfd = os.pidfd_open(parent)
    except ProcessLookupError:
        raise EOFError from None
    _python.end_with(connection.fileno(), pidfd)


class Worker:
    """Environments `first` .. of a pool, in this process."""

    def __init__(self, connection: Connection, parent: int, recipe: bytes) -> None:
        """Keeps the arguments and loads nothing.

        Args:
            connection: The socket to the parent.
            parent: Its process.
            recipe: The pickled recipe of the environments.
        """
        end_with(connection, parent)
        self._connection = connection
        self._pickled_recipe = recipe
        self._recipe: Recipe | None = None
        self._seeds = WorkerSeeds((0,), 0, 0)
        self._runners: dict[int, Runner | MissingEnv] = {}
        self._probed: Runner | None = None  # runner of the first environment
        self._failed = -1
        self._endpoint: Any = None

    def run(self) -> None:
        """Answers the parent until it closes the socket."""
        while self._connection.poll(IDLE_TIMEOUT):
            what, *arguments = pickle.loads(self._connection.recv_bytes())
            if what == "start":
                (self._seeds,) = arguments
                seed_for_imports(self._seeds)
            elif what == "probe":
                self._answer(0, self._probe, *arguments)
            elif what == "build":
                self._answer(0, self._build, *arguments)
                self._serve()
                return

    def _answer(self, number: int, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls the function and sends `(number, True, result)`, or False and a traceback."""
        import cloudpickle  # type: ignore[import-untyped]

        try:
            reply = cloudpickle.dumps((number, True, function(*arguments)))
        except BaseException as error:
            text, summary = traceback.format_exc(), f"{type(error).__name__}: {error}"
            reply = cloudpickle.dumps((number, False, text, summary, self._failed))
        self._connection.send_bytes(reply)

    def _make_runner(self, env_id: int) -> Runner:
        if self._recipe is None:
            self._recipe = pickle.loads(self._pickled_recipe)
        seed_for_making(self._seeds, env_id)
        return make_runner(self._recipe, self._seeds, env_id)

    def _probe(self, env_id: int) -> EnvDescription:
        self._probed = self._make_runner(env_id)
        return self._probed.describe()

    def _build(self, setup: WorkerSetup) -> list[Any]:
        """Builds the environments of this worker; returns their spaces, if these may differ."""
        memory = self._receive_memory()
        _log_tracebacks(memory, setup.log_at)
        endpoint = self._endpoint = _python.WorkerEndpoint(
            memory, setup.num_envs, setup.num_workers, setup.layout(), setup.worker
        )
        spaces: list[Any] = []
        for env_id in setup.env_ids:
            endpoint.begin_making(env_id)
            try:
                runner = self._probed or self._make_runner(env_id)
                self._probed = None
                runner.open(endpoint, setup)
                self._runners[env_id] = runner
                spaces.append(runner.observation_space)
            except Exception:
                self._failed = env_id
                # While a pool is made, this answer is reported; later, the runner's message is.
                self._runners[env_id] = MissingEnv(endpoint, env_id, traceback.format_exc())
                raise
            finally:
                endpoint.end()
        seed_for_steps(self._seeds)
        if setup.observation_mode == "same":
            return []
        return spaces

    def _receive_memory(self) -> int:
        """Receives the file of the shared memory."""
        link = socket.socket(fileno=self._connection.fileno())
        try:
            _, (memory,), _, _ = socket.recv_fds(link, 1, 1, socket.MSG_CMSG_CLOEXEC)
        finally:
            link.detach()  # the Connection owns the file
        return memory

    def _runner_of(self, env_id: int) -> Any:
        """The runner of an environment that comes after an environment that could not be made."""
        runner = self._runners.get(env_id)
        if runner is None:
            text = f"environment {self._failed} of the same worker could not be made"
            runner = self._runners[env_id] = MissingEnv(self._endpoint, env_id, text)
        return runner

    def _serve(self) -> None:
        wait, runners = self._endpoint.wait, self._runners
        while (entry := wait()) is not None:
            if entry >= 0:
                env_id = entry >> 3
                runner = runners.get(env_id) or self._runner_of(env_id)
                runner.handle(entry >> 2 & 1, entry & 3)
            else:
                _, number, calls = pickle.loads(self._connection.recv_bytes())
                self._answer(number, self._call_all, calls)
        for runner in runners.values():
            with contextlib.suppress(Exception):
                runner.close()

    def _call_all(self, calls: Any) -> list[Any]:
        return [self._call_one(*call) for call in calls]

    def _call_one(self, env_id: int, function: Any, given: Any, named: Any) -> Any:
        self._failed = env_id
        result = self._runners[env_id].call(function, given, named)
        self._failed = -1
        return result


def _log_tracebacks(memory: int, at: int) -> None:
    """Makes a crash, and SIGUSR1, write the stack into the shared file, for the parent."""
    # A newly opened file has its own position; the position of `memory` is shared by all workers.
    log = os.open(f"/proc/self/fd/{memory}", os.O_WRONLY | os.O_CLOEXEC)
    os.lseek(log, at, os.SEEK_SET)
    faulthandler.enable(log)
    faulthandler.register(signal.SIGUSR1, log, all_threads=False)
