# SPDX-License-Identifier: Apache-2.0
"""The errors that OpenRL documents: each is also an error of EnvPool."""

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

    RuntimeError has its own constructor only until Python 3.13.
    """

    def __init__(self, *arguments: str) -> None:
        """Keeps the parts of a message."""
        RuntimeError.__init__(self, *arguments)


class _CallError(StateError, _ArgumentsError):
    """An error about a call of one name.

    Attributes:
        name: "reset", "step" or "call".
    """

    def __init__(
        self, asked: str, got: str = "", allowed: str = "", then: str = "", *, name: str = ""
    ) -> None:
        """Builds the message, like every error of EnvPool."""
        super().__init__(asked, got, allowed, then)
        self.name = name


class AlreadyPendingCallError(_CallError, gymnasium.error.AlreadyPendingCallError):
    """A call that came before the results of another call, `name`, were fetched."""


class NoAsyncCallError(_CallError, gymnasium.error.NoAsyncCallError):
    """A fetch of a call, `name`, that was not sent."""


class ClosedEnvironmentError(StateError, gymnasium.error.ClosedEnvironmentError):
    """A call after `close()`."""


class TimeoutError(RecvTimeoutError, multiprocessing.TimeoutError, builtins.TimeoutError):
    """The timeout passed before all environments were ready; no result is lost, fetch again."""
