# SPDX-License-Identifier: Apache-2.0
"""The cluster of a pool: the one that the program is in already, another's, or one of its own."""

from __future__ import annotations

import importlib
import logging
import math
import os
import socket
import threading
from collections.abc import Mapping
from typing import Any

from envpool.errors import ConfigError, MissingPackageError, StateError

from ._signals import interruptible

_PATIENCE = "RAY_agent_register_timeout_ms"
_lock = threading.RLock()
_users = 0  # pools that are in a cluster that was joined or made here
_joined = False


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


def enter(asked: str, address: str, num_cpus: float) -> Any:
    """Ray, connected to a cluster. Each call needs one of `leave`.

    Args:
        asked: The call of the user, for messages.
        address: As for `ray.init`; empty: the cluster that the program is in, that of the variable
            RAY_ADDRESS, or a local one.
        num_cpus: CPUs that a local one has at least.

    Raises:
        ConfigError: If the cluster cannot be reached.
        MissingPackageError: If there is no Ray.
        StateError: If a local one does not start.
    """
    global _users, _joined
    ray = load_ray(asked)
    with _lock:
        if not ray.is_initialized():
            _connect(ray, asked, address or os.environ.get("RAY_ADDRESS", ""), num_cpus)
            _joined = True
        if _joined:
            _users += 1
    return ray


def leave(ray: Any) -> None:
    """A pool needs the cluster no more; the last one leaves it, and ends it if it is its own."""
    global _users, _joined
    with _lock:
        if not _joined:
            return
        _users -= 1
        if _users == 0:
            _joined = False
            ray.shutdown()


def _check_reachable(address: str) -> None:
    """Raises OSError if nothing listens there: Ray itself tries for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "//" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def _connect(ray: Any, asked: str, address: str, num_cpus: float) -> None:
    common: Mapping[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    local = address in ("", "local")
    try:
        if not local:
            with interruptible():
                _check_reachable(address)
                ray.init(address=address, **common)
            return
        cpus = max(len(os.sched_getaffinity(0)), math.ceil(num_cpus))
        # A busy machine needs more than the half minute that Ray gives its own processes.
        os.environ.setdefault(_PATIENCE, "300000")
        with interruptible():
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **common)
    except BaseException as cause:
        ray.shutdown()
        if not isinstance(cause, Exception):  # Ray raises plain ones, too
            raise
        text = str(cause).strip().splitlines()
        got = f"{type(cause).__name__}: {text[0] if text else 'no reason'}"
        if local:
            raise StateError(
                f"{asked}, a local cluster",
                got,
                "a machine on which `ray start --head` works",
                "Look into Ray's logs (session_latest/logs in its folder), or pass address=",
            ) from cause
        raise ConfigError(
            f"{asked}, address={address!r})",
            got,
            "the address of a running cluster, as '10.0.0.1:6379' or 'auto'",
            "Run `ray start --head` there, correct the address, or leave it out for a local one",
        ) from cause
