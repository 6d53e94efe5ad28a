# SPDX-License-Identifier: Apache-2.0
"""Metrics: what Prometheus can see of a pool, through Ray, once a second."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ._crew import Member

_EVERY = 1.0  # seconds between two reports


class Metrics:
    """Gauges of Ray, with the tags `task` and `actor`."""

    def __init__(self, task_id: str) -> None:
        """Makes the gauges."""
        from ray.util.metrics import Gauge

        def gauge(name: str, description: str) -> Any:
            made = Gauge(f"envpool_{name}", description, tag_keys=("task", "actor"))
            made.set_default_tags({"task": task_id})
            return made

        self._steps = gauge("steps_per_second", "Steps of environments per second")
        self._busy = gauge("busy", "Share of the time in which an actor was in environments")
        self._waiting = gauge("waiting_seconds", "Age of the oldest message without an answer")
        self._queue = gauge("queue", "Messages without an answer")
        self._restarts = gauge("restarts", "How often the actor was replaced")
        self._since = time.monotonic()
        self._seen: dict[int, tuple[int, float]] = {}

    def tell(self, members: Sequence[Member]) -> None:
        """Sets the gauges, if it is time to."""
        now = time.monotonic()
        passed = now - self._since
        if passed < _EVERY:
            return
        self._since = now
        for member in members:
            tags = {"actor": str(member.index)}
            steps, seconds = self._seen.get(member.index, (0, 0.0))
            self._seen[member.index] = (member.steps, member.seconds)
            self._steps.set((member.steps - steps) / passed, tags)
            self._busy.set((member.seconds - seconds) / passed, tags)
            oldest = now - member.pending[0].sent if member.pending else 0.0
            self._waiting.set(oldest, tags)
            self._queue.set(len(member.pending), tags)
            self._restarts.set(member.restarts, tags)
