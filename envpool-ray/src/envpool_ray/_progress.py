# SPDX-License-Identifier: Apache-2.0
"""A progress bar for actors that are slow to start: shown after a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_SLOW = 1.0  # seconds


class Progress:
    """Counts actors that have started."""

    def __init__(self, task_id: str, total: int) -> None:
        """Shows nothing yet."""
        self._task_id, self._total = task_id, total
        self._since = time.monotonic()
        self._bar: Any = None
        self._row: Any = None

    def __enter__(self) -> Progress:
        """The counter."""
        return self

    def show(self, done: int) -> None:
        """Shows the bar if it is time to."""
        if self._bar is None:
            if time.monotonic() - self._since < _SLOW or not sys.stderr.isatty():
                return
            try:
                from rich.console import Console
                from rich.progress import Progress as Bar
            except ImportError:  # it comes with the command line program only
                return
            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._row = self._bar.add_task(f"Actors of {self._task_id}", total=self._total)
        self._bar.update(self._row, completed=done)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.stop()
