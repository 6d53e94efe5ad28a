# SPDX-License-Identifier: Apache-2.0
"""The findings for `envpool doctor` about the models."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding
from envpool_mujoco import family

from ._prepare import INSTALL

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared(
        "metaworld",
        ("3.1.1",),
        "its rules or models may differ from these",
        "pip install --no-deps metaworld==3.1.1",
    ),
    family.compared_engine(),
    family.compared_numpy(),
)
"""The packages, with versions, that the tasks were compared with."""


def findings() -> Iterator[Finding | Compared]:
    """The models, what draws, and what the tasks were compared with."""
    yield models()
    yield from COMPARED


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    return family.models_finding(
        "Meta-World",
        "metaworld",
        compared=COMPARED[0].versions[0],
        same="3.1.",
        note="its own environments need mujoco<3.17, these do not",
        install=INSTALL,
        instead="pip install --no-deps metaworld==3.1.1",
        tasks=50,
    )
