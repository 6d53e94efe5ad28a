# SPDX-License-Identifier: Apache-2.0
"""Crew: the worker processes of a pool, seen from the parent.

    start_method "forkserver"   one process imports the environments' modules, and forks the workers
    start_method "spawn"        every worker is a fresh interpreter

Neither runs the main module of the program again, so no `if __name__ == "__main__"` is needed: what
is defined there travels in the pickle.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from envpool.errors import ConfigError, WorkerError, shorten

from ._recipes import Described, Recipe, Serving

START_METHODS = ("forkserver", "spawn")
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from envpool_python._worker import main; main(int(sys.argv[1]))"
)
GRACE = 2.0
"""Seconds for environments to close."""


class Crew:
    """Workers 0 .. n-1, each started when it is needed.

    A worker that has ended may be started again under its number.
    """

    def __init__(self, recipe: Recipe, start_method: str, asked: str) -> None:
        """Starts nothing.

        Args:
            recipe: How environments are made.
            start_method: One of `START_METHODS`.
            asked: The call of the user, for messages.

        Raises:
            ConfigError: If the recipe cannot be pickled.
        """
        self._asked = asked
        self._recipe = pickled(recipe, asked)
        self._forks = start_method == "forkserver"
        self._launcher: _Process | None = None
        self._workers: dict[int, _Process] = {}
        self._memory = -1
        self._serving: list[Serving] = []
        self._lock = threading.RLock()
        self._owner = os.getpid()

    def probe(self) -> Described:
        """Starts worker 0 and asks it what its first environment is like.

        Raises:
            WorkerError: If the environment cannot be made.
        """
        worker = self._ensure(0)
        worker.send("probe", 0)
        return self._reply(0, 0)  # type: ignore[no-any-return]

    def serve(self, memory: int, serving: list[Serving]) -> None:
        """Says what workers have to do, and starts all of them.

        Args:
            memory: The file of the shared memory, which is the crew's from now on.
            serving: For each worker.
        """
        self._memory, self._serving = memory, serving
        for worker in range(len(serving)):
            self._build(worker, self._ensure(worker))

    def start(self, worker: int) -> int:
        """Starts a worker in the place of one that was given up; returns its pidfd."""
        with self._lock:
            given_up = self._workers.pop(worker, None)
            if given_up is not None:
                given_up.end()
            return self._build(worker, self._ensure(worker))

    def _build(self, worker: int, process: _Process) -> int:
        """Has a worker build its environments; returns its pidfd."""
        with self._lock:
            if self._launcher is not None:
                self._launcher.send("serving")
            process.send("build", self._serving[worker])
            process.send_fds([self._memory, process.log])
            return process.pidfd

    def ready(self, worker: int, timeout: float) -> bool:
        """Whether a worker has built its environments; waits for it at most `timeout` seconds.

        Raises:
            WorkerError: If it could not.
        """
        process = self._workers[worker]
        if not process.connection.poll(timeout):
            return False
        self._reply(worker, self._serving[worker].env_ids.start)
        process.ready = True
        return True

    def pidfd_of(self, worker: int) -> int:
        """The process of a worker."""
        return self._workers[worker].pidfd

    def terminate(self) -> None:
        """Ends all processes at once."""
        for process in self._workers.values():
            process.kill()
        self.end(0.0)

    def _ensure(self, worker: int) -> _Process:
        with self._lock:
            process = self._workers.get(worker)
            if process is None or process.has_ended():
                if process is not None:
                    process.end()
                process = self._workers[worker] = self._new_worker()
            return process

    def _new_worker(self) -> _Process:
        if not self._forks:
            process = _Process.spawn()
            process.send("worker", os.getpid(), self._recipe)
            return process
        if self._launcher is None or self._launcher.has_ended():
            if self._launcher is not None:
                self._launcher.end()
            self._launcher = _Process.spawn()
            self._launcher.send("launcher", os.getpid(), self._recipe)
        ours, theirs = socket.socketpair()
        with theirs:
            self._launcher.send("fork")
            self._launcher.send_fds([theirs.fileno()])
        try:
            (pid,) = self._launcher.answer("fork")
            pidfd = os.pidfd_open(pid)
        except (EOFError, OSError) as cause:
            ours.close()
            raise self._ended("before it could start a worker", self._launcher.bury()) from cause
        return _Process(ours, pid, pidfd, launcher=self._launcher)

    def _reply(self, worker: int, env_id: int) -> Any:
        process = self._workers[worker]
        try:
            good, *answer = pickle.loads(process.connection.recv_bytes())
        except (EOFError, OSError) as cause:
            raise self._ended(
                "before its environments were built", process.bury(), env_id
            ) from cause
        if good:
            return answer[0]
        text, summary, failed = answer
        env_id = failed if failed >= 0 else env_id
        raise WorkerError(
            self._asked,
            f"{summary}, in the worker process of env {env_id}:\n{text.rstrip()}\n",
            "environments and functions that do not raise",
            "See the traceback for the cause",
            env_id=env_id,
            failures=[(env_id, text)],
        )

    def _ended(self, when: str, why: str, env_id: int = -1) -> WorkerError:
        return WorkerError(
            self._asked,
            f"a worker process that ended {when}: {why}",
            "workers that stay",
            "See what it has written to the terminal",
            env_id=env_id,
            failures=[(env_id, why)],
        )

    def bury(self, worker: int, too_late: float = 0.0) -> str:
        """Ends a worker, if it has not ended, and says what became of it."""
        return self._workers[worker].bury(too_late)

    def pack_calls(self, calls: Sequence[tuple[Any, ...]]) -> bytes:
        """A message to a worker: calls, each `(env_id, function, args, kwargs)`.

        Raises:
            ConfigError: If something in them cannot be pickled.
        """
        return pickled(("call", calls), self._asked, "a function or an argument")

    def post(self, worker: int, message: bytes) -> None:
        """Sends a message to a worker that has been told to look at its socket."""
        with contextlib.suppress(OSError):
            self._workers[worker].connection.send_bytes(message)

    def fetch_calls(self, worker: int, env_id: int, timeout: float | None = None) -> list[Any]:
        """What the calls returned.

        Raises:
            WorkerError: If one raised, or the worker ended.
            TimeoutError: If the time is over.
        """
        if not self._workers[worker].connection.poll(timeout):
            raise TimeoutError
        return self._reply(worker, env_id)  # type: ignore[no-any-return]

    def wait_ready(self, worker: int) -> None:
        """Waits for a worker that was started again."""
        process = self._workers[worker]
        while not process.ready:
            self.ready(worker, 0.1)

    def end(self, grace: float = GRACE) -> None:
        """Ends all processes: environments may close for `grace` seconds."""
        if os.getpid() != self._owner:
            return  # a copy of the process that has them
        with self._lock:
            workers = [*self._workers.values()]
            for process in workers:
                process.close_link()
            until = time.monotonic() + grace
            for process in workers:
                process.end(max(0.0, until - time.monotonic()))
            self._workers.clear()
            if self._launcher is not None:
                self._launcher.end(0.0)
                self._launcher = None

    def forget(self) -> None:
        """Ends all processes and gives the shared memory back."""
        self.end(0.1)
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1


class _Process:
    """A launcher or a worker.

    Attributes:
        connection: The socket to it.
        pid: Its process.
        pidfd: The same, as a file.
        log: The file that it writes tracebacks to when it cannot do anything else.
        ready: Whether it has built its environments.
    """

    def __init__(
        self,
        link: socket.socket,
        pid: int,
        pidfd: int,
        child: subprocess.Popen[bytes] | None = None,
        launcher: _Process | None = None,
    ) -> None:
        """It runs; the socket and the file are its own now."""
        self._link = link
        self.connection = Connection(os.dup(link.fileno()))
        self.pid, self.pidfd = pid, pidfd
        self.log = os.memfd_create("envpool-log")
        self.ready = False
        self._child, self._launcher = child, launcher
        self._fate = ""
        self._reaped = False
        self._open = True

    @classmethod
    def spawn(cls) -> _Process:
        """A fresh interpreter."""
        ours, theirs = socket.socketpair()
        with theirs:
            fd = theirs.fileno()
            child = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(fd), json.dumps(sys.path)],
                pass_fds=[fd],
                stdin=subprocess.DEVNULL,
            )
        return cls(ours, child.pid, os.pidfd_open(child.pid), child)

    def send(self, *message: Any) -> None:
        """Sends a message; one to a process that has ended is lost."""
        with contextlib.suppress(OSError):
            self.connection.send(message)

    def answer(self, *begin: Any, timeout: float | None = None) -> tuple[Any, ...]:
        """What follows `begin` in an answer of a launcher; earlier ones, too late, are dropped.

        Raises:
            EOFError: If the process has ended.
            TimeoutError: If the time is over.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while self.connection.poll(None if until is None else max(0.0, until - time.monotonic())):
            found = self.connection.recv()
            if found[: len(begin)] == begin:
                return found[len(begin) :]  # type: ignore[no-any-return]
        raise TimeoutError

    def send_fds(self, fds: list[int]) -> None:
        """Sends files."""
        data = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
        with contextlib.suppress(OSError):
            self._link.sendmsg([b"f"], data)

    def has_ended(self, timeout: float = 0.0) -> bool:
        """Whether the process has ended, at most `timeout` seconds from now."""
        import select

        if not self._open:
            return True
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(timeout * 1000))

    def bury(self, too_late: float = 0.0) -> str:
        """Ends the process, if it has not ended, and says what became of it."""
        if self._fate:
            return self._fate
        killed = False
        if not self.has_ended(0.0 if too_late else 0.2):
            killed = True
            self._dump()
            self.kill()
            self.has_ended(GRACE)
        trace = self._trace()
        if too_late:
            fate = f"no answer within step_timeout={too_late:g} seconds"
        elif killed:
            fate = "its socket was closed"
        else:
            fate = f"worker process {self.pid} {_ending(self._status())}"
        self._fate = f"{fate}\n{trace}".rstrip()
        self.end(0.0)
        return self._fate

    def _dump(self) -> None:
        """Asks for a traceback; one that hangs in C answers too."""
        if not self.ready and self._launcher is None:
            return
        before = os.fstat(self.log).st_size
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGUSR1)
        until = time.monotonic() + 0.5
        seen = before
        while time.monotonic() < until:
            size = os.fstat(self.log).st_size
            if size > before and size == seen:
                return
            seen = size
            if self.has_ended(0.01):
                return

    def _trace(self) -> str:
        if not self._open:
            return ""
        size = os.fstat(self.log).st_size
        return os.pread(self.log, min(size, 8192), max(0, size - 8192)).decode(errors="replace")

    def _status(self) -> int | None:
        """How it ended, which is asked for once; None if nobody knows."""
        if self._reaped:
            return None
        self._reaped = True
        if self._child is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._child.wait(GRACE)
            return None
        if self._launcher is None or self._launcher.has_ended():
            return None
        self._launcher.send("wait", self.pid)
        status: int | None = None
        with contextlib.suppress(EOFError, OSError):
            (status,) = self._launcher.answer("wait", self.pid, timeout=GRACE)
        return status

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close_link(self) -> None:
        """Tells the process that nobody needs it any more."""
        if self._open:
            with contextlib.suppress(OSError):
                self._link.shutdown(socket.SHUT_RDWR)

    def end(self, grace: float = 0.0) -> None:
        """Ends the process and gives back what belongs to it."""
        if not self._open:
            return
        self.close_link()
        if not self.has_ended(grace):
            self.kill()
            self.has_ended(GRACE)
        self._status()
        self._open = False
        self.connection.close()
        self._link.close()
        os.close(self.pidfd)
        os.close(self.log)


def _ending(status: int | None) -> str:
    if status is None:
        return "has ended"
    if status >= 0:
        return f"has ended with exit status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
    oom = ": was the machine out of memory?" if -status == signal.SIGKILL else ""
    return f"was ended by {name}{oom}"


def pickled(value: Any, asked: str, what: str = "an environment's factory") -> bytes:
    """Something as bytes; functions of the main program as what is in them.

    Args:
        value: What a worker is to have.
        asked: The call of the user, for messages.
        what: A name for it.

    Raises:
        ConfigError: If it cannot be pickled.
    """
    import cloudpickle  # type: ignore[import-untyped]

    try:
        return bytes(cloudpickle.dumps(value))
    except Exception as cause:
        raise ConfigError(
            asked,
            f"{what} that cannot be pickled, {type(cause).__name__}: {shorten(str(cause))}",
            "functions whose arguments and captured variables can be pickled: no locks, open "
            "files, sockets, generators or CUDA tensors",
            "Make such things inside the function, so that they are made in the worker process",
        ) from cause
