# SPDX-License-Identifier: Apache-2.0
"""Decisions about a worker that is lost; nothing here is sent, started or kept.

Without checkpoints, lost episodes are cut off, and new ones follow with other seeds. With them, the
next worker loads the last states and is sent the requests since.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from envpool.errors import EnvPoolError

from ._rows import DONE, FINAL_RESTARTED, RESTARTED, PlayerRows, WorkerRows, join
from ._slices import Request

MAX_LOSSES = 3
"""Workers of a slice that may be lost without a response between, until that is an error. Those
that never ran, as where Ray does not know yet that a node has gone, have `start_timeout`."""


class Resumption(NamedTuple):
    """The requests that the next worker of a slice has to answer."""

    pending: list[Request]
    """Requests that it is sent when it has started, and has to answer."""
    log: list[Request]
    """Requests since the checkpoint that it loads, those among them."""
    again: list[Request]
    """Requests to be sent anew, after what has become of their environments."""


def may_restart(losses: int, cause: BaseException) -> bool:
    """Whether another worker may help after so many losses, the last one for this cause."""
    return losses <= MAX_LOSSES and not isinstance(cause, EnvPoolError)


def resumption(pending: Sequence[Request], log: Sequence[Request], checkpoints: bool) -> Resumption:
    """The requests of a lost worker that are left to do.

    Args:
        pending: Requests that it has not answered.
        log: Requests since its last checkpoint.
        checkpoints: Whether there are any.
    """
    plays = [request for request in pending if request.plays]
    if checkpoints:
        return Resumption(plays, [one for one in log if one.plays or one.answered], [])
    return Resumption([], [], plays)


def failures(
    pending: Sequence[Request], env_ids: Sequence[int], checkpoints: bool, reason: str
) -> list[tuple[int, str]]:
    """Environments that fail with a worker that cannot be replaced, each with the reason.

    With checkpoints all of them: their last results are not kept, and the last checkpoint without
    the requests since would be another moment.
    """
    if not checkpoints:
        env_ids = [i for request in pending if request.plays for i in request.ids.tolist()]
    return [(env_id, reason) for env_id in env_ids]


def cut_off(last: WorkerRows) -> WorkerRows:
    """The row of an episode that was lost: the last result, truncated."""
    columns = last.columns
    for name, value in (
        ("reward", 0),
        ("terminated", False),
        ("trunc", True),
        (DONE, True),
        ("step_type", 2),
        ("discount", 1),
        (RESTARTED, True),
    ):
        if name in columns:
            columns[name] = np.full_like(columns[name], value)
    return last


def cut_off_by_reset(
    first: WorkerRows, last: Sequence[WorkerRows], per_player: PlayerRows
) -> WorkerRows:
    """First rows of new episodes, as rows in which others were cut off: of mode "same_step".

    Args:
        first: The rows.
        last: The last result of each of their environments.
        per_player: Which arrays have a row for each player.
    """
    before = join(last)
    columns = dict(first.columns)
    for name, value in (("trunc", True), (DONE, True), ("step_type", 2), (RESTARTED, True)):
        if name in columns:
            columns[name] = np.full_like(columns[name], value)
    for name in columns:
        plain = name.removeprefix("final ")
        if name != plain and plain in before.columns:
            columns[name] = before.columns[plain]
    columns[FINAL_RESTARTED] = np.ones(len(first.ids), np.bool_)
    info = dict(first.info)
    if info.get("final_obs") is not None:
        info["final_obs"] = before.obs
    return WorkerRows(first.obs, columns, info, per_player)
