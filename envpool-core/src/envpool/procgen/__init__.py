# SPDX-License-Identifier: Apache-2.0
"""The classes of upstream's `envpool.procgen`, for code written for it."""

from typing import Any

from .._upstream.classes import Classes

_CLASSES = Classes(__name__)
__all__ = _CLASSES.names


def __getattr__(name: str) -> Any:
    return _CLASSES.find(name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
