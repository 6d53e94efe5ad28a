# SPDX-License-Identifier: Apache-2.0
"""The cluster of a pool: the one that the program is in already, another's, or one of its own."""

from __future__ import annotations

import importlib
import logging
import math
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from envpool.cpus import usable_cpus
from envpool.errors import ConfigError, MissingPackageError, StateError

from ._interrupts import Interruptible

_REGISTER_TIMEOUT = "RAY_agent_register_timeout_ms"
_NICENESS = "RAY_worker_niceness"
_lock = threading.RLock()
_users = 0  # pools that are in a cluster that was joined or made here
_joined = False
_start: _Start | None = None


@contextmanager
def cluster(
    address: str = "", *, num_cpus: float = 0, start_timeout: float = 120.0
) -> Iterator[None]:
    """A cluster for a block of code; pools and whatever else uses Ray are in it.

        with envpool_ray.cluster(num_cpus=3):
            algorithm = config.build_algo()

    A local one starts as pools start it: it has the time that a busy machine needs, and its actors
    have the niceness of this program. The block's end leaves the cluster, and ends a local one,
    unless pools still need it. Within a cluster that the program has joined itself, nothing is
    done.

    Args:
        address: As of `make`; empty: the cluster that the program is in, that of the variable
            RAY_ADDRESS, or a local one.
        num_cpus: CPUs that a local one has at least; it has those that this process may use.
        start_timeout: Seconds that it may take to start.

    Raises:
        ConfigError: If the cluster cannot be reached.
        MissingPackageError: If there is no Ray.
        StateError: If a local one does not start.
    """
    ray = enter("envpool_ray.cluster(...", address, num_cpus, start_timeout)
    try:
        yield
    finally:
        leave(ray)


def load_ray(asked: str) -> Any:
    """The package.

    Raises:
        MissingPackageError: If it is not installed, or cannot be imported.
    """
    try:
        return importlib.import_module("ray")
    except ImportError as cause:
        raise MissingPackageError(
            asked,
            f"no package 'ray' that can be imported: {cause}",
            "Ray 2.40 or newer, for the version of Python that is in use",
            "Run `pip install 'ray>=2.40'`",
        ) from cause


def enter(asked: str, address: str, num_cpus: float, start_timeout: float) -> Any:
    """Ray, connected to a cluster. Each call needs one of `leave`.

    Args:
        asked: The call of the user, for messages.
        address: As for `ray.init`; empty: the cluster that the program is in, that of the variable
            RAY_ADDRESS, or a local one.
        num_cpus: CPUs that a local one has at least.
        start_timeout: Seconds that it may take to start, or to be joined.

    Raises:
        ConfigError: If the cluster cannot be reached.
        MissingPackageError: If there is no Ray.
        StateError: If a local one does not start.
    """
    global _users, _joined
    ray = load_ray(asked)
    with _lock:
        if not ray.is_initialized():
            _connect(
                ray, asked, address or os.environ.get("RAY_ADDRESS", ""), num_cpus, start_timeout
            )
            _joined = True
        if _joined:
            _users += 1
    return ray


def leave(ray: Any) -> None:
    """A pool needs the cluster no more; the last one leaves it, and ends it if it is its own."""
    global _users, _joined, _start
    with _lock:
        if not _joined:
            return
        _users -= 1
        if _users == 0:
            _joined = False
            try:
                ray.shutdown()
            finally:
                start, _start = _start, None
                if start is not None:
                    start.over.set()


class _Start(threading.Thread):
    """Starts a cluster or joins one, and stays while it is needed.

    Ray itself cannot be told when to give up. And Linux ends the processes of a local cluster when
    the thread ends that has started them, which must not be one of the user's.
    """

    def __init__(self, ray: Any, options: Mapping[str, Any], until: float) -> None:
        super().__init__(name="envpool-ray-cluster", daemon=True)
        self.options = options
        self._ray, self._until = ray, until
        self.ready, self.over = threading.Event(), threading.Event()
        self.error: Exception | None = None

    def run(self) -> None:
        """Tries until the time is over: Ray gives a node of a busy machine no more than 30 s."""
        while True:
            try:
                self._ray.init(**self.options)
                self.error = None
            except Exception as error:  # Ray raises plain ones, too
                self._ray.shutdown()
                self.error = error
                if "timed out" in str(error) and time.monotonic() < self._until:
                    continue
            break
        self.ready.set()
        if self.error is None:
            self.over.wait()


def _check_reachable(address: str) -> None:
    """Raises OSError if nothing listens there: Ray itself tries for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "//" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def _connect(ray: Any, asked: str, address: str, num_cpus: float, start_timeout: float) -> None:
    global _start
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    local = address in ("", "local")
    if local:
        cpus = max(len(usable_cpus()), math.ceil(num_cpus))
        # A busy machine needs more than the half minute that Ray gives its own processes.
        os.environ.setdefault(_REGISTER_TIMEOUT, "300000")
        # And its actors, which Ray lets wait for whatever else runs there, have the work of this
        # program to do: next to one busy program they are ten times as fast without that.
        os.environ.setdefault(_NICENESS, "0")
        options |= {"address": "local", "num_cpus": cpus, "include_dashboard": False}
    else:
        options["address"] = address
    try:
        if not local:
            with Interruptible():
                _check_reachable(address)
        if _start is None:  # else one goes on that was given up, or interrupted
            _start = _Start(ray, options, time.monotonic() + start_timeout)
            _start.start()
        elif _start.options != options:
            raise TimeoutError("another cluster is still being started")
        with Interruptible():
            in_time = _start.ready.wait(start_timeout)
        if not in_time:
            raise TimeoutError(f"Ray has not started in {start_timeout:g} s")
        if _start.error is not None:
            error, _start = _start.error, None
            raise error
    except Exception as cause:
        text = str(cause).strip().splitlines()
        got = f"{type(cause).__name__}: {text[0] if text else 'no reason'}"
        if local:
            raise StateError(
                f"{asked}, a local cluster",
                got,
                "a machine on which `ray start --head` works",
                "Call it again, pass a larger start_timeout=, or look into Ray's logs "
                "(session_latest/logs in its folder)",
            ) from cause
        hint = "Run `ray start --head` there, correct the address, or leave it out for a local one"
        if "auth" in f"{cause}{cause.__cause__}".lower():
            # Ray 2.60 enables tokens by itself where it finds one, but not for a given address.
            hint = (
                "The cluster wants a token: set RAY_AUTH_MODE=token, with the ~/.ray/auth_token of "
                "the head node on this machine, or start the cluster with RAY_AUTH_MODE=disabled"
            )
        raise ConfigError(
            f"{asked}, address={address!r})",
            got,
            "the address of a running cluster, as '10.0.0.1:6379' or 'auto'",
            hint,
        ) from cause
