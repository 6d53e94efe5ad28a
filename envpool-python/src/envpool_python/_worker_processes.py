# SPDX-License-Identifier: Apache-2.0
"""WorkerProcesses: the worker processes of a pool, seen from the parent.

    start_method "forkserver"   one process imports modules without user code, and forks the workers
    start_method "spawn"        every worker is a new interpreter

Neither runs the program's main module again, so no `if __name__ == "__main__"` is needed: its
definitions are pickled by value.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import resource
import threading
import time
from collections.abc import Sequence
from typing import Any

from envpool.errors import ConfigError, WorkerError

from ._messages import LOG_BYTES, EnvDescription, WorkerSeeds, WorkerSetup, pickled
from ._process import ChildProcess
from ._recipes import Recipe

CLOSE_TIMEOUT = 2.0
"""Seconds for environments to close."""
_LAUNCH_TIMEOUT = 300.0  # seconds for a launcher to import modules and fork
_MOST_STARTS = 1 << 15  # slots for a worker's logs; they are reused afterwards


class WorkerProcesses:
    """Workers 0 .. n-1. An ended worker may be started again under its number.

    Attributes:
        workers: Running or ended workers, by number.
        launcher: The process that forks them; None if there is none.
    """

    def __init__(
        self, recipe: Recipe, start_method: str, seeds: tuple[int, ...], asked: str
    ) -> None:
        """Keeps the arguments and starts nothing.

        Args:
            recipe: The recipe of the environments.
            start_method: "forkserver" or "spawn".
            seeds: The pool's seeds, for the random numbers of workers.
            asked: The call of the user, for messages.

        Raises:
            ConfigError: If the recipe cannot be pickled.
        """
        self._asked = asked
        self._recipe = pickled(recipe, asked)
        self._modules = recipe.modules()
        self._forks = start_method == "forkserver"
        self._seeds = seeds
        self._starts: dict[int, int] = {}
        self.launcher: ChildProcess | None = None
        self.workers: dict[int, ChildProcess] = {}
        self._memory = -1
        self._setups: list[WorkerSetup] = []
        self._call_number = 0
        self._lock = threading.RLock()
        self._owner = os.getpid()

    def probe(self) -> EnvDescription:
        """Starts worker 0 and gets the description of its first environment.

        Raises:
            ConfigError: If no process can be started.
            WorkerError: If the environment cannot be made.
        """
        worker = self._started(0)
        worker.send("probe", 0)
        return self._reply(0, 0)  # type: ignore[no-any-return]

    def build(self, memory: int, setups: list[WorkerSetup]) -> None:
        """Starts all workers, which build their environments.

        Args:
            memory: The file of the shared memory. The group takes it over.
            setups: One for each worker.

        Raises:
            ConfigError: If a process cannot be started.
        """
        self._memory, self._setups = memory, setups
        for worker in range(len(setups)):
            self._build(worker, self._started(worker))

    def restart(self, worker: int) -> int:
        """Replaces a worker that was given up; returns the new worker's pidfd.

        Raises:
            ConfigError: If no process can be started.
        """
        with self._lock:
            given_up = self.workers.pop(worker, None)
            if given_up is not None:
                given_up.release()
            process = self._started(worker)
            self._build(worker, process)
            return process.pidfd

    def _build(self, worker: int, process: ChildProcess) -> None:
        with self._lock:
            if self.launcher is not None:
                self.launcher.send("keep")
            setup = self._setups[worker]
            start = (self._starts[worker] - 1) % _MOST_STARTS
            setup = dataclasses.replace(setup, log_at=setup.log_at + start * LOG_BYTES)
            process.set_log(self._memory, setup.log_at)
            process.send("build", setup)
            process.send_fds([self._memory])

    def is_ready(self, worker: int, timeout: float) -> bool:
        """True if a worker has built its environments; waits for it at most `timeout` seconds.

        Raises:
            WorkerError: If the worker could not build them.
        """
        process = self.workers[worker]
        if not process.connection.poll(timeout):
            return False
        process.spaces = self._reply(worker, self._setups[worker].env_ids.start)
        process.is_ready = True
        return True

    def wait_ready(self, worker: int) -> None:
        """Waits for a restarted worker."""
        process = self.workers[worker]
        while not process.is_ready:
            self.is_ready(worker, 0.1)

    def _started(self, worker: int) -> ChildProcess:
        """A running worker: the present one, or a new one."""
        with self._lock:
            process = self.workers.get(worker)
            if process is not None:
                if not process.has_ended():
                    return process
                process.release()
            start = self._starts.get(worker, 0)
            try:
                process = self._new_process()
            except OSError as cause:
                raise self._too_many(cause) from cause
            self._starts[worker] = start + 1
            self.workers[worker] = process
            process.send("start", WorkerSeeds(self._seeds, worker, start))
            return process

    def _new_process(self) -> ChildProcess:
        if not self._forks:
            process = ChildProcess.spawn()
            process.send("worker", os.getpid(), self._recipe)
            return process
        if self.launcher is None or self.launcher.has_ended():
            if self.launcher is not None:
                self.launcher.release()
            self.launcher = ChildProcess.spawn()
            self.launcher.send("launcher", os.getpid(), self._recipe, self._modules)
        try:
            return self.launcher.fork()
        except EOFError as cause:
            reason = self.launcher.stop()
            raise self._ended("before it could start a worker", reason) from cause

    def _too_many(self, cause: OSError) -> ConfigError:
        """The error for a process that the system refuses to start."""
        count = len(self.workers)
        if cause.errno in (errno.EMFILE, errno.ENFILE):
            limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
            return ConfigError(
                self._asked,
                f"{count} workers, after which no more files can be opened (errno {cause.errno})",
                f"{limit} open files, by `ulimit -n`; a worker takes two, beside what is open",
                f"Allow more with `ulimit -n {4 * limit}`, or pass a smaller num_workers",
            )
        limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
        return ConfigError(
            self._asked,
            f"{count} workers, after which no process can be started: {cause}",
            f"{'any number' if limit == resource.RLIM_INFINITY else limit} of processes of this "
            f"user, by `ulimit -u`, and what the system has memory for",
            "Allow more with `ulimit -u`, end other programs, or pass a smaller num_workers",
        )

    def _reply(self, worker: int, env_id: int, number: int = 0) -> Any:
        """The reply to a message; replies to earlier messages are dropped."""
        process = self.workers[worker]
        try:
            while True:
                found, good, *reply = process.receive()
                if found == number:
                    break
        except (EOFError, OSError) as cause:
            when = "before its environments were built" if number == 0 else "during a call"
            raise self._ended(when, process.stop(), env_id) from cause
        if good:
            return reply[0]
        text, summary, failed = reply
        env_id = failed if failed >= 0 else env_id
        raise WorkerError(
            self._asked,
            f"{summary}, in the worker process of env {env_id}:\n{text.rstrip()}\n",
            "environments and functions that do not raise",
            "See the traceback for the cause",
            env_id=env_id,
            failures=[(env_id, text)],
        )

    def _ended(self, when: str, reason: str, env_id: int = -1) -> WorkerError:
        return WorkerError(
            self._asked,
            f"a worker process that ended {when}: {reason}",
            "workers that stay",
            "See what it has written to the terminal",
            env_id=env_id,
            failures=[(env_id, reason)],
        )

    def stop(self, worker: int, step_timeout: float = 0.0) -> str:
        """Ends a worker, if it has not ended, and returns a sentence about its end."""
        return self.workers[worker].stop(step_timeout)

    def pack_calls(self, calls: Sequence[tuple[Any, ...]]) -> bytes:
        """A message to a worker: calls, each `(env_id, function, args, kwargs)`.

        Raises:
            ConfigError: If a part of them cannot be pickled.
        """
        message = ("call", self._call_number, calls)
        return pickled(message, self._asked, "a function or an argument")

    def begin_calls(self) -> None:
        """Replies to earlier calls are ignored from now on."""
        self._call_number += 1

    def post_calls(self, worker: int, message: bytes) -> None:
        """Sends a message to a worker whose slot asks it to read its socket."""
        with contextlib.suppress(OSError):
            self.workers[worker].connection.send_bytes(message)

    def fetch_calls(self, worker: int, env_id: int, timeout: float | None = None) -> list[Any]:
        """The results of the calls.

        Raises:
            WorkerError: If a call raised, or the worker ended.
            TimeoutError: After the timeout.
        """
        if not self.workers[worker].connection.poll(timeout):
            raise TimeoutError
        return self._reply(worker, env_id, self._call_number)  # type: ignore[no-any-return]

    def kill(self) -> None:
        """Kills all workers; `end` frees their resources."""
        for process in self.workers.values():
            process.kill()

    def end(self, close_timeout: float = CLOSE_TIMEOUT) -> None:
        """Ends all processes: environments may use some seconds to close."""
        if os.getpid() != self._owner:
            return  # a fork of the process that owns them
        with self._lock:
            workers = [*self.workers.values()]
            for process in workers:
                process.hang_up()
            until = time.monotonic() + close_timeout
            for process in workers:
                process.release(max(0.0, until - time.monotonic()))
            self.workers.clear()
            if self.launcher is not None:
                self.launcher.release()
                self.launcher = None

    def close(self) -> None:
        """Ends all processes and frees the shared memory."""
        self.end(0.1)
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1
