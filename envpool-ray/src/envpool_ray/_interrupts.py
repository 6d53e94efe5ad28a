# SPDX-License-Identifier: Apache-2.0
"""Sections that no signal cuts in two: Ctrl-C waits for their end, or for a place that lets it in.

    with Uninterrupted():
        ...  # no handler is called here
        with Interruptible():
            ray.wait(...)  # but here

Python calls the handlers of signals between any two lines of the main thread, and the usual one
raises KeyboardInterrupt. In other threads both do nothing, since none is called there.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

# The functions that `signal` wraps in enums, which take ten times as long.
_getsignal, _signal = signal._signal.getsignal, signal._signal.signal  # type: ignore[attr-defined]
_NAMES = ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2")
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


class Uninterrupted:
    """A section; one within another is a part of it. A generator would take twice the time."""

    def __enter__(self) -> None:
        """Begins it."""
        self._section: _Section | None = None
        if _section is None and threading.current_thread() is threading.main_thread():
            self._section = _Section()
            try:
                self._section.begin()
            except BaseException:
                self._section.end()
                raise

    def __exit__(self, *error: object) -> None:
        """Ends it."""
        if self._section is not None:
            self._section.end()


class Interruptible:
    """A place in a section where handlers are called, also for signals that have come before."""

    def __enter__(self) -> None:
        """Begins it."""
        self._section: _Section | None = None
        section = _section
        if section is not None and threading.current_thread() is threading.main_thread():
            self._section = section
            section.open = True
            try:
                section.call()
            except BaseException:
                section.open = False
                raise

    def __exit__(self, *error: object) -> None:
        """Ends it."""
        if self._section is not None:
            self._section.open = False


class _Section:
    """Stands for the handlers of a program."""

    def __init__(self) -> None:
        self.open = False
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._came: list[tuple[int, FrameType | None]] = []

    def begin(self) -> None:
        """Takes the places of the handlers."""
        global _section
        for number in _SIGNALS:
            handler = _getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                _signal(number, self._handle)
        _section = self

    def end(self) -> None:
        """Gives them back, and calls the handlers of signals that have come."""
        global _section
        self.open, _section = False, None
        try:
            self._restore([*self._handlers])
        finally:
            self.call()

    def call(self) -> None:
        """Calls the handlers of signals that have come."""
        if not self._came:
            return
        number, frame = self._came.pop(0)
        try:
            self._handlers[number](number, frame)
        finally:
            self.call()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._came.append((number, frame))
        if self.open:
            self.open = False  # it stays so if the handler raises
            self.call()
            self.open = True

    def _restore(self, numbers: list[int]) -> None:
        if not numbers:
            return
        try:
            # A program may have set another since; a bound method is a new object each time.
            if _getsignal(numbers[0]) == self._handle:
                _signal(numbers[0], self._handlers[numbers[0]])
        finally:  # it is called, and may raise, from the moment at which it is back
            self._restore(numbers[1:])


_section: _Section | None = None  # in which the main thread is
