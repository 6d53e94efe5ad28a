# SPDX-License-Identifier: Apache-2.0
"""The errors that OpenRL documents: Gymnasium's classes, and EnvPool's at once."""

from __future__ import annotations

import builtins
import multiprocessing

import gymnasium.error
from envpool.errors import RecvTimeoutError, StateError

__all__ = [
    "AlreadyPendingCallError",
    "ClosedEnvironmentError",
    "NoAsyncCallError",
    "TimeoutError",
]


class _ArgumentsError(RuntimeError):
    """Ends the chain of constructors before Gymnasium's, which take other arguments.

    RuntimeError has one of its own until Python 3.13 only, and none since.
    """

    def __init__(self, *arguments: str) -> None:
        """Keeps the parts of a message."""
        RuntimeError.__init__(self, *arguments)


class _CallError(StateError, _ArgumentsError):
    """What is wrong with a call of one name.

    Attributes:
        name: "reset", "step" or "call".
    """

    def __init__(
        self, asked: str, got: str = "", allowed: str = "", then: str = "", *, name: str = ""
    ) -> None:
        """Words a message, as every error of EnvPool."""
        super().__init__(asked, got, allowed, then)
        self.name = name


class AlreadyPendingCallError(_CallError, gymnasium.error.AlreadyPendingCallError):
    """A call that came before the results of another were fetched: that of `name`."""


class NoAsyncCallError(_CallError, gymnasium.error.NoAsyncCallError):
    """Results were to be fetched of a call that was not sent: that of `name`."""


class ClosedEnvironmentError(StateError, gymnasium.error.ClosedEnvironmentError):
    """A call after `close()`."""


class TimeoutError(RecvTimeoutError, multiprocessing.TimeoutError, builtins.TimeoutError):
    """Time was over before all environments were ready; nothing is lost, fetch again."""
