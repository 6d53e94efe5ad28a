# SPDX-License-Identifier: Apache-2.0
"""The references of this wheel's tasks, task by task."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

import numpy_rounding  # noqa: F401 (before NumPy)
from envpool_metaworld import BENCHMARKS

STEPS = 500
"""Steps of a whole comparison, in each of four environments."""


@dataclass(frozen=True)
class Case:
    """One task and its reference.

    Attributes:
        name: The task, as Meta-World calls it.
        reference: The package and its version.
        steps: Steps of each environment.
    """

    name: str
    reference: str
    steps: int = STEPS

    def __str__(self) -> str:
        """The task's id."""
        return f"MetaWorld/{self.name}"


CASES = tuple(
    Case(name, f"metaworld {version('metaworld')}") for name in sorted(BENCHMARKS["MT50"])
)
