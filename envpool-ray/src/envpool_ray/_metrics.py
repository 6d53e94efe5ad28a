# SPDX-License-Identifier: Apache-2.0
"""Metrics: what Prometheus can see of a pool, through Ray, once a second."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ._slices import SliceState

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
        self._waiting = gauge("waiting_seconds", "Age of the oldest request without an answer")
        self._queue = gauge("queue", "Messages without an answer")
        self._restarts = gauge("restarts", "How often the actor was replaced")
        self._since = time.monotonic()
        self._seen: dict[int, tuple[int, float]] = {}

    def tell(self, workers: Sequence[SliceState]) -> None:
        """Sets the gauges, if it is time to."""
        now = time.monotonic()
        passed = now - self._since
        if passed < _EVERY:
            return
        self._since = now
        for worker in workers:
            tags = {"actor": str(worker.index)}
            steps, seconds = self._seen.get(worker.index, (0, 0.0))
            self._seen[worker.index] = (worker.steps, worker.seconds)
            self._steps.set((worker.steps - steps) / passed, tags)
            self._busy.set((worker.seconds - seconds) / passed, tags)
            oldest = now - worker.pending[0].sent if worker.pending else 0.0
            self._waiting.set(oldest, tags)
            self._queue.set(len(worker.pending), tags)
            self._restarts.set(worker.restarts, tags)
