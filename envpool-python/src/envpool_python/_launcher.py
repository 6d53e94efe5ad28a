# SPDX-License-Identifier: Apache-2.0
"""The programs of this family's processes: a launcher, which forks workers, and a worker.

The launcher imports the modules that all workers need and that contain no user code, so that a
worker starts in a few milliseconds. It imports no module of the user, and makes no environment:
random numbers drawn during such an import would be the same in every worker.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import socket
import sys
import traceback
import warnings
from multiprocessing.connection import Connection
from typing import Any

from ._worker import IDLE_TIMEOUT, Worker, end_with


def main(fd: int) -> None:
    """Runs a launcher or a worker on the socket `fd`, until the parent closes it."""
    # The parent handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # its parent blocked it
    connection = Connection(fd)
    try:
        role, *arguments = _first(connection)
        if role == "launcher":
            _launch(connection, *arguments)
        else:
            Worker(connection, *arguments).run()
    except (EOFError, OSError):
        pass  # the parent has ended
    finally:
        _leave(0)


def _first(connection: Connection) -> Any:
    if not connection.poll(IDLE_TIMEOUT):
        raise EOFError
    return pickle.loads(connection.recv_bytes())


def _leave(status: int) -> None:
    """Ends the process without the exit functions inherited from the parent."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _launch(connection: Connection, parent: int, recipe: bytes, modules: list[str]) -> None:
    """Forks workers on request."""
    end_with(connection, parent)
    for name in ("cloudpickle", *modules):
        with contextlib.suppress(BaseException):  # the worker reports the error
            importlib.import_module(name)
    keeps = False
    while keeps or connection.poll(IDLE_TIMEOUT):
        try:
            what, *arguments = pickle.loads(connection.recv_bytes())
        except EOFError:
            return
        if what == "wait":
            (pid,) = arguments
            connection.send(("wait", pid, _status_of(pid)))
        elif what == "keep":  # a pool is in use: it may need a worker at any time
            keeps = True
        elif what == "fork":
            _fork(connection, parent, recipe)


def _fork(connection: Connection, parent: int, recipe: bytes) -> None:
    link = socket.socket(fileno=connection.fileno())
    try:
        _, (fd,), _, _ = socket.recv_fds(link, 1, 1, socket.MSG_CMSG_CLOEXEC)
    finally:
        link.detach()  # the Connection owns the file
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of a BLAS, which are idle
            pid = os.fork()
    except OSError as cause:
        os.close(fd)
        connection.send(("fork", -1, cause.errno))
        return
    if pid == 0:
        connection.close()
        status = 0
        try:
            Worker(Connection(fd), parent, recipe).run()
        except (EOFError, OSError):
            pass
        except BaseException:
            traceback.print_exc()
            status = 1
        _leave(status)
    os.close(fd)
    connection.send(("fork", pid, 0))


def _status_of(pid: int) -> int | None:
    """The exit status of a child, as in subprocess; None if it runs."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return os.waitstatus_to_exitcode(status) if found == pid else None
