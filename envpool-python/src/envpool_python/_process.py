# SPDX-License-Identifier: Apache-2.0
"""ChildProcess: a launcher or a worker, seen from the parent. Each uses two files of the parent."""

from __future__ import annotations

import array
import contextlib
import json
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from ._messages import LOG_BYTES

KILL_TIMEOUT = 2.0
"""Seconds in which a killed process must end."""
_DUMP_TIMEOUT = 0.5  # seconds in which it must write its traceback
_SHOWN_LOG = 8192  # maximum bytes of a log
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from envpool_python._launcher import main; main(int(sys.argv[1]))"
)


class ChildProcess:
    """A running process; `stop` ends it, and `release` closes its files.

    Attributes:
        connection: The socket to it.
        pid: Its process.
        pidfd: The process's pidfd, an open file.
        is_ready: True if it has built its environments.
        spaces: The spaces of their observations, if these differ.
    """

    def __init__(
        self,
        connection: Connection,
        pid: int,
        pidfd: int,
        child: subprocess.Popen[bytes] | None = None,
        launcher: ChildProcess | None = None,
    ) -> None:
        """Takes over the running process, the socket and the file."""
        self.connection = connection
        self.pid, self.pidfd = pid, pidfd
        self.is_ready = False
        self.spaces: list[Any] = []
        self._child, self._launcher = child, launcher
        self._log: tuple[int, int] | None = None
        self._exit_reason = ""
        self._was_reaped = False
        self._is_released = False

    @classmethod
    def spawn(cls) -> ChildProcess:
        """Starts a new interpreter.

        Raises:
            OSError: If there are too many processes or files.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                with _sigint_blocked():
                    child = subprocess.Popen(
                        [
                            sys.executable,
                            "-c",
                            _PROGRAM,
                            str(theirs.fileno()),
                            json.dumps(sys.path),
                        ],
                        pass_fds=[theirs.fileno()],
                        stdin=subprocess.DEVNULL,
                    )
            except BaseException:
                ours.close()
                raise
        try:
            pidfd = os.pidfd_open(child.pid)
        except BaseException:
            ours.close()  # the child ends when it sees this
            child.wait(KILL_TIMEOUT)
            raise
        return cls(Connection(ours.detach()), child.pid, pidfd, child)

    def fork(self) -> ChildProcess:
        """Forks this launcher; the copy is a worker.

        Raises:
            EOFError: If the launcher has ended.
            OSError: If there are too many processes or files.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self.send("fork")
                self.send_fds([theirs.fileno()])
            pid, errno = self.reply("fork")
            if errno:
                raise OSError(errno, os.strerror(errno))
            return ChildProcess(Connection(ours.detach()), pid, os.pidfd_open(pid), launcher=self)
        finally:
            ours.close()

    def send(self, *message: Any) -> None:
        """Sends a message; a message to an ended process is lost."""
        with contextlib.suppress(OSError):
            self.connection.send(message)

    def send_fds(self, fds: list[int]) -> None:
        """Sends file descriptors."""
        data = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
        link = socket.socket(fileno=self.connection.fileno())
        try:
            with contextlib.suppress(OSError):
                link.sendmsg([b"f"], data)
        finally:
            link.detach()  # the Connection owns the file

    def reply(self, *begin: Any, timeout: float | None = None) -> tuple[Any, ...]:
        """The rest of a launcher's reply that starts with `begin`; late replies are dropped.

        Raises:
            EOFError: If the process has ended.
            TimeoutError: After the timeout.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while self.connection.poll(None if until is None else max(0.0, until - time.monotonic())):
            found = self.connection.recv()
            if found[: len(begin)] == begin:
                return found[len(begin) :]  # type: ignore[no-any-return]
        raise TimeoutError

    def receive(self) -> tuple[Any, ...]:
        """The next reply of a worker.

        Raises:
            EOFError: If the process has ended.
        """
        return pickle.loads(self.connection.recv_bytes())  # type: ignore[no-any-return]

    def set_log(self, memory: int, at: int) -> None:
        """Sets the file and the offset for its tracebacks."""
        self._log = memory, at

    def has_ended(self, timeout: float = 0.0) -> bool:
        """True if the process has ended, or ends within `timeout` seconds."""
        if self._is_released:
            return True
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(timeout * 1000))

    def stop(self, step_timeout: float = 0.0) -> str:
        """Ends the process, if it has not ended, and returns a sentence about its end.

        Args:
            step_timeout: The seconds that a request has exceeded; 0: the process has ended.
        """
        if self._exit_reason:
            return self._exit_reason
        killed = False
        if not self.has_ended(0.0 if step_timeout else 0.2):
            killed = True
            self._dump_traceback()
            self.kill()
            self.has_ended(KILL_TIMEOUT)
        status = self._status()
        if step_timeout:
            reason = f"no answer within step_timeout={step_timeout:g} seconds"
        elif killed:
            reason = "its socket was closed"
        else:
            reason = f"worker process {self.pid} {_how_it_ended(status)}"
        self._exit_reason = f"{reason}\n{self._read_log()}".rstrip()
        return self._exit_reason

    def _dump_traceback(self) -> None:
        """Requests a traceback; a process that hangs in C answers, too."""
        if self._log is None:
            return
        before = self._read_log()
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGUSR1)
        until = time.monotonic() + _DUMP_TIMEOUT
        seen = before
        while time.monotonic() < until:
            text = self._read_log()
            if text != before and text == seen:
                return
            seen = text
            if self.has_ended(0.01):
                return

    def _read_log(self) -> str:
        if self._log is None or self._is_released:
            return ""
        data = os.pread(self._log[0], LOG_BYTES, self._log[1]).rstrip(b"\0")
        return data[-_SHOWN_LOG:].decode(errors="replace")

    def _status(self) -> int | None:
        """The exit status, requested once; None if it is unknown."""
        if self._was_reaped:
            return None
        self._was_reaped = True
        if self._child is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._child.wait(KILL_TIMEOUT)
            return None
        if self._launcher is None or self._launcher.has_ended():
            return None
        self._launcher.send("wait", self.pid)
        status: int | None = None
        with contextlib.suppress(EOFError, OSError):
            (status,) = self._launcher.reply("wait", self.pid, timeout=KILL_TIMEOUT)
        return status

    def kill(self) -> None:
        """Kills the process."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def hang_up(self) -> None:
        """Tells the process that it is not needed any more."""
        if self._is_released:
            return
        link = socket.socket(fileno=self.connection.fileno())
        try:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
        finally:
            link.detach()

    def release(self, close_timeout: float = 0.0) -> None:
        """Ends the process, which may use some seconds to close, and closes its files."""
        if self._is_released:
            return
        self.hang_up()
        if not self.has_ended(close_timeout):
            self.kill()
            self.has_ended(KILL_TIMEOUT)
        self._status()
        self._is_released = True
        self.connection.close()
        os.close(self.pidfd)


@contextlib.contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Starts a process with SIGINT blocked, until the process ignores it.

    The terminal sends Ctrl-C to the parent's whole group, and a starting Python would write its own
    traceback.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _how_it_ended(status: int | None) -> str:
    if status is None:
        return "has ended"
    if status >= 0:
        return f"has ended with exit status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
    oom = ": was the machine out of memory?" if -status == signal.SIGKILL else ""
    return f"was ended by {name}{oom}"
