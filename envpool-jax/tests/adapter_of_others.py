# SPDX-License-Identifier: Apache-2.0
"""An adapter as a third party could write it."""

from __future__ import annotations

from typing import Any


def list_tasks() -> list[str]:
    return ["Down-v0"]


def load(task: str, **env_kwargs: Any) -> Any:
    from toys import Countdown

    return Countdown(**env_kwargs)
