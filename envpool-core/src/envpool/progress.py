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
    """Shows how many parts are ready."""

    def __init__(self, text: str, total: int) -> None:
        """Shows nothing yet.

        Args:
            text: The name of the parts.
            total: The number of parts.
        """
        self._text, self._total = text, total
        self._since = time.monotonic()
        self._bar: Any = None
        self._row: Any = None

    def __enter__(self) -> Progress:
        """Returns the bar."""
        return self

    def show(self, done: int) -> None:
        """Shows the number of ready parts. Call it several times a second, always."""
        if self._bar is None:
            if time.monotonic() - self._since < _SLOW or not sys.stderr.isatty():
                return
            try:
                from rich.console import Console
                from rich.progress import Progress as Bar
            except ImportError:  # only the extra of the command line program has it
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
        """Removes the bar."""
        if self._bar is not None:
            self._bar.stop()
