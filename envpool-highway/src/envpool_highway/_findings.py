# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the references."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("highway-env", ("1.12.1",), "its rules or frames may differ from these"),
    Compared("numpy", ("2.4.6",), "draws and last bits of the references may differ"),
)
"""The packages, with versions, that the tasks were compared with."""


def findings() -> Iterator[Compared]:
    """The packages, with versions, that the tasks were compared with."""
    yield from COMPARED
