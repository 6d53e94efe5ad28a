# SPDX-License-Identifier: Apache-2.0
"""A progress bar for pools that are slow to start, shown after a second, on a terminal only.

with envpool.progress.Progress("Workers of Walk-v0", total=8) as progress:
    progress.show(1)
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_SLOW = 1.0  # seconds


class Progress:
    """Says how many of something are ready."""

    def __init__(self, text: str, total: int) -> None:
        """Shows nothing yet.

        Args:
            text: What becomes ready.
            total: How many there will be.
        """
        self._text, self._total = text, total
        self._since = time.monotonic()
        self._bar: Any = None
        self._row: Any = None

    def __enter__(self) -> Progress:
        """The bar."""
        return self

    def show(self, done: int) -> None:
        """Shows how many are ready. Call it several times a second, also if nothing has changed."""
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
            self._row = self._bar.add_task(self._text, total=self._total)
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
