# SPDX-License-Identifier: Apache-2.0
"""Splits the messages of errors into parts: the call, the value, allowed values, the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest


class Message(NamedTuple):
    """The four parts of a message, and the error that had it."""

    asked: str
    got: str
    allowed: str
    hint: str
    error: Any


def refused(kind: type[Exception], act: Callable[[], object]) -> Message:
    """The message of the error that `act` raises; fails without an error of this kind."""
    with pytest.raises(kind) as caught:
        act()
    assert type(caught.value) is kind
    parts = re.fullmatch(
        r"(.+?): got (.+); allowed: (.+?)\. ([A-Z][^\n]+)\.", str(caught.value), re.DOTALL
    )
    assert parts is not None, str(caught.value)
    return Message(*parts.groups(), caught.value)
