# SPDX-License-Identifier: Apache-2.0
"""Looks up ids that no family has in Gymnasium's registry."""

from __future__ import annotations

import re


def gymnasium_id(task_id: str) -> str | None:
    """The id under which Gymnasium has this environment, perhaps in another version; or None."""
    import gymnasium  # slow, and needed only after an error

    name = _without_version(task_id)
    found = [known for known in gymnasium.registry if _without_version(known) == name]
    return task_id if task_id in found else max(found, default=None, key=_version)


def _without_version(task_id: str) -> str:
    return re.sub(r"-v\d+$", "", task_id)


def _version(task_id: str) -> int:
    found = re.search(r"-v(\d+)$", task_id)
    return int(found[1]) if found else -1
