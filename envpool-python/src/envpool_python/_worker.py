# SPDX-License-Identifier: Apache-2.0
"""A worker: the process that has some environments of a pool, and does what their slots ask for.

    launcher   imports what the environments need, and forks a worker when it is told to
    worker     probe -> what the spaces are;  build -> its environments;  then turn after turn

Nothing here runs in the process that has the pool.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from . import _python
from ._recipes import Described, Recipe, Serving
from ._turns import Missing, Turn, make_turn

PATIENCE = 30.0
"""Seconds after which a launcher or a worker that nobody asked for anything ends itself."""


def main(fd: int) -> None:
    """Runs a launcher or a worker on the socket `fd`, until the parent has no more use for it."""
    _own_process()
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


def _own_process() -> None:
    # Ctrl-C is the parent's: it knows what is to be done about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _leave(status: int) -> None:
    """Ends the process without the exit functions of a parent that it is a copy of."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _first(connection: Connection) -> Any:
    if not connection.poll(PATIENCE):
        raise EOFError
    return pickle.loads(connection.recv_bytes())


def _launch(connection: Connection, recipe: bytes) -> None:
    """Forks workers; there is one thread here, and no environment."""
    problem = ""
    try:
        loaded: Recipe | None = pickle.loads(recipe)
        assert loaded is not None
        loaded.preload()
    except BaseException:
        loaded, problem = None, traceback.format_exc()
    served = False
    while served or connection.poll(PATIENCE):
        try:
            what, *arguments = pickle.loads(connection.recv_bytes())
        except EOFError:
            return
        if what == "wait":
            pid = arguments[0]
            connection.send(("wait", pid, _status_of(pid)))
            continue
        served = served or what == "serving"
        if what != "fork":
            continue
        with socket.socket(fileno=os.dup(connection.fileno())) as link:
            _, (fd,), _, _ = socket.recv_fds(link, 1, 1, socket.MSG_CMSG_CLOEXEC)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of a BLAS, which is idle
            pid = os.fork()
        if pid == 0:
            connection.close()
            own = Connection(fd)
            status = 0
            try:
                Worker(own, recipe, loaded, problem).run()
            except (EOFError, OSError):
                pass
            except BaseException:
                traceback.print_exc()
                status = 1
            _leave(status)
        os.close(fd)
        connection.send(("fork", pid))


def _status_of(pid: int) -> int | None:
    """How a child ended, as subprocess tells it; None if it has not."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return os.waitstatus_to_exitcode(status) if found == pid else None


class Worker:
    """Environments `first` .. of a pool, in this process."""

    def __init__(
        self,
        connection: Connection,
        recipe: bytes,
        loaded: Recipe | None = None,
        problem: str = "",
    ) -> None:
        """Loads the recipe, unless a launcher has.

        Args:
            connection: To the parent.
            recipe: How environments are made, pickled.
            loaded: The same, unpickled.
            problem: The traceback of an attempt to do so.
        """
        self._connection = connection
        self._problem = problem
        self._recipe: Recipe | None = loaded
        if loaded is None and not problem:
            try:
                self._recipe = pickle.loads(recipe)
            except BaseException:
                self._problem = traceback.format_exc()
        self._turns: dict[int, Turn | Missing] = {}
        self._probed: Turn | None = None  # that of the first environment
        self._failed = -1
        self._channel: Any = None

    def run(self) -> None:
        """Answers the parent until it closes the socket."""
        while self._connection.poll(PATIENCE):
            what, *arguments = pickle.loads(self._connection.recv_bytes())
            if what == "probe":
                self._answer(self._probe, *arguments)
            elif what == "build":
                self._answer(self._build, *arguments)
                self._serve()
                return

    def _answer(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls the function and sends `(True, result)`, or `(False, traceback)`."""
        import cloudpickle  # type: ignore[import-untyped]

        try:
            if self._recipe is None:
                raise ImportError(self._problem)
            reply = cloudpickle.dumps((True, function(*arguments)))
        except BaseException as error:
            text = self._problem or traceback.format_exc()
            reply = cloudpickle.dumps(
                (False, text, f"{type(error).__name__}: {error}", self._failed)
            )
        self._connection.send_bytes(reply)

    def _probe(self, env_id: int) -> Described:
        assert self._recipe is not None
        self._probed = make_turn(self._recipe, env_id)
        return self._probed.describe()

    def _build(self, serving: Serving) -> int:
        """Builds the environments of this worker; returns how many."""
        log = self._receive(2, serving)
        faulthandler.enable(log)
        faulthandler.register(signal.SIGUSR1, log, all_threads=False)
        channel = self._channel
        for env_id in serving.env_ids:
            channel.begin_making(env_id)
            try:
                if self._recipe is None:
                    raise ImportError(self._problem)
                turn = self._probed or make_turn(self._recipe, env_id)
                self._probed = None
                turn.open(channel, env_id, serving)
                self._turns[env_id] = turn
            except Exception:
                self._failed = env_id
                # A pool that is being made reports the answer, one that runs what a turn says.
                self._turns[env_id] = Missing(channel, env_id, traceback.format_exc())
                raise
            finally:
                channel.end()
        return len(self._turns)

    def _receive(self, count: int, serving: Serving) -> int:
        """Takes over the shared memory and the file for tracebacks; returns the latter."""
        with socket.socket(fileno=os.dup(self._connection.fileno())) as link:
            _, fds, _, _ = socket.recv_fds(link, 1, count, socket.MSG_CMSG_CLOEXEC)
        memory, log = fds
        self._channel = _python.Channel(
            memory, serving.num_envs, serving.num_workers, serving.layout(), serving.worker
        )
        self._channel.watch(self._connection.fileno(), os.pidfd_open(serving.parent))
        return log

    def _turn_of(self, env_id: int) -> Any:
        """The turn of an environment that comes after one that could not be made."""
        turn = self._turns.get(env_id)
        if turn is None:
            text = f"environment {self._failed} of the same worker could not be made"
            turn = self._turns[env_id] = Missing(self._channel, env_id, text)
        return turn

    def _serve(self) -> None:
        channel = self._channel
        wait, turns = channel.wait, self._turns
        while (entry := wait()) is not None:
            if entry >= 0:
                (turns.get(entry >> 3) or self._turn_of(entry >> 3)).take(entry >> 2 & 1, entry & 3)
            elif not self._call():
                break
        for turn in turns.values():
            with contextlib.suppress(Exception):
                turn.close()

    def _call(self) -> bool:
        """Does what the socket asks for; False if that is the end."""
        _, calls = pickle.loads(self._connection.recv_bytes())
        self._answer(self._call_all, calls)
        return True

    def _call_all(self, calls: Any) -> list[Any]:
        return [self._call_one(*call) for call in calls]

    def _call_one(self, env_id: int, function: Any, given: Any, named: Any) -> Any:
        self._failed = env_id
        result = self._turns[env_id].call(function, given, named)
        self._failed = -1
        return result
