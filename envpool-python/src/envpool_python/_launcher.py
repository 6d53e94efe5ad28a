# SPDX-License-Identifier: Apache-2.0
"""The programs of this family's processes: a launcher, which forks workers, or a worker.

The launcher imports what all workers need and what is nobody's own, so that a worker starts in a
few milliseconds. It imports no module of the user, and makes no environment: what such a module
draws when it is imported would be the same in every worker.
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
    """Runs a launcher or a worker on the socket `fd`, until the parent has no more use for it."""
    # Ctrl-C is the parent's: it knows what is to be done about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # it was started with it blocked
    connection = Connection(fd)
    try:
        role, *arguments = _first(connection)
        if role == "launcher":
            _launch(connection, *arguments)
        else:
            Worker(connection, *arguments).run()
    except (EOFError, OSError):
        pass  # the parent is gone
    finally:
        _leave(0)


def _first(connection: Connection) -> Any:
    if not connection.poll(IDLE_TIMEOUT):
        raise EOFError
    return pickle.loads(connection.recv_bytes())


def _leave(status: int) -> None:
    """Ends the process without the exit functions of a parent that it is a copy of."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _launch(connection: Connection, parent: int, recipe: bytes, modules: list[str]) -> None:
    """Forks workers when it is told to."""
    end_with(connection, parent)
    for name in ("cloudpickle", *modules):
        with contextlib.suppress(BaseException):  # the worker that needs it says what is wrong
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
        elif what == "keep":  # a pool is being served: it may need a worker at any time
            keeps = True
        elif what == "fork":
            _fork(connection, parent, recipe)


def _fork(connection: Connection, parent: int, recipe: bytes) -> None:
    link = socket.socket(fileno=connection.fileno())
    try:
        _, (fd,), _, _ = socket.recv_fds(link, 1, 1, socket.MSG_CMSG_CLOEXEC)
    finally:
        link.detach()  # the file is the connection's
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of a BLAS, which is idle
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
    """How a child ended, as subprocess tells it; None if it has not."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return os.waitstatus_to_exitcode(status) if found == pid else None
