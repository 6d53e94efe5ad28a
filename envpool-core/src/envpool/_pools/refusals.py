# SPDX-License-Identifier: Apache-2.0
"""The messages of a pool's refusals, for pools that are written in Python.

They equal those of compiled pools (`sources/engine/in_flight.cc`, `pool.cc`);
`envpool.testing` compares them. Each function returns the error to raise.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import (
    ConfigError,
    EnvIdError,
    EnvPoolError,
    RecvTimeoutError,
    StateError,
    WorkerError,
)

STEP, RESET = "step or send to", "reset of"
"""The words for calls that send, before the task's id."""


def twice(call: str, task_id: str, env_id: int) -> EnvIdError:
    """An environment is named twice in a call."""
    return EnvIdError(
        f"{call} {task_id}",
        f"env {env_id} twice",
        "every env id once per call",
        "Remove the duplicate",
    )


def in_flight(
    call: str, task_id: str, env_id: int, kind: type[EnvPoolError] = EnvIdError
) -> EnvPoolError:
    """An environment was sent, and its result not received."""
    return kind(
        f"{call} {task_id}",
        f"env {env_id}, which is in flight",
        "environments whose result was received",
        "Call recv() first",
    )


def failed(call: str, task_id: str, env_id: int) -> StateError:
    """An environment failed and was not reset."""
    return StateError(
        f"{call} {task_id}",
        f"env {env_id}, which failed before",
        "environments that run",
        "Reset it first",
    )


def no_episode(task_id: str, env_id: int) -> StateError:
    """With autoreset "disabled", a step of an environment whose episode is over."""
    return StateError(
        f"{STEP} {task_id}",
        f"env {env_id}, whose episode is over or has not begun",
        'running episodes, since autoreset_mode is "disabled"',
        "Reset it first",
    )


def too_few(task_id: str, count: int, least: int, batch_size: bool) -> StateError:
    """A batch cannot be filled; `batch_size`: whether `least` is the pool's batch_size."""
    return StateError(
        f"recv of {task_id}",
        f"{count} results in flight",
        f"at least {least}" + (" (batch_size), so that a batch can be filled" * batch_size),
        "Send actions to, or reset, more environments first; or pass recv(timeout=...), "
        "which waits for what another thread is still to send",
    )


def timed_out(task_id: str, count: int, wanted: int, sent: bool) -> RecvTimeoutError:
    """The timeout is over: `count` results have come, or too few were `sent`."""
    return RecvTimeoutError(
        f"recv(timeout=...) of {task_id}",
        f"{count} of {wanted} results{'' if sent else ' in flight'} before the time was over",
        "any timeout, or None to wait for as long as it takes",
        "Call recv() again: nothing was lost",
    )


def wrong_timeout(task_id: str, timeout: float) -> ConfigError:
    """A timeout that is negative or NaN."""
    return ConfigError(
        f"recv(timeout=...) of {task_id}",
        f"{timeout:f}",
        "seconds from 0, or None to wait for as long as it takes",
        "Correct the timeout",
    )


def busy(call: str, task_id: str, count: int) -> StateError:
    """A call that cannot be served while results are in flight."""
    return StateError(
        f"{call} of {task_id}",
        f"{count} results in flight",
        "a pool that has nothing in flight",
        "Call recv() first",
    )


def closed(call: str, task_id: str) -> StateError:
    """A call of a closed pool."""
    return StateError(
        f"{call} of {task_id}",
        "a closed pool",
        "reset and async_reset, which open it again",
        "Call reset() or make a new pool",
    )


def forked(task_id: str) -> StateError:
    """A call in a process that is a copy of the one that made the pool."""
    return StateError(
        f"use of {task_id}",
        "a pool that was made before fork()",
        "pools in the process that made them (their threads do not survive a fork)",
        "Make the pool in the child process",
    )


def nested(task_id: str) -> StateError:
    """A call from within another one of the same thread."""
    return StateError(
        f"use of {task_id}",
        "a call from within another call of the same pool (a signal handler?)",
        "one call at a time",
        "Leave the handler first",
    )


def failures(task_id: str, found: Sequence[tuple[int, str]], kept: int) -> WorkerError:
    """Environments failed, each with the text of an exception; results of `kept` others wait."""
    first_id, text = found[0]
    more = "" if len(found) == 1 else f" (and {len(found) - 1} more)"
    return WorkerError(
        f"{text}\nrecv of {task_id}",
        f"this exception in env {first_id}{more}",
        "none in Reset and Step",
        f"Reset that environment to go on with it; the results of the other {kept} "
        "environments are kept for the next recv()",
        task_id=task_id,
        env_id=first_id,
        failures=list(found),
    )
