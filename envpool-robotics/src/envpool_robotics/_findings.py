# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about the models."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding
from envpool_mujoco import family

from ._prepare import INSTALL

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("gymnasium-robotics", ("1.4.2",), "its rules or models may differ from these"),
    family.compared_engine(),
    family.compared_numpy(),
)
"""The packages, with versions, with which the tasks were compared."""


def findings() -> Iterator[Finding | Compared]:
    """Reports the models, the renderer, and the packages with which the tasks were compared."""
    yield models()
    yield from COMPARED


def models() -> Finding:
    """Reports whether the models exist in the compared version."""
    return family.models_finding(
        "Gymnasium-Robotics",
        "gymnasium-robotics",
        compared=COMPARED[0].versions[0],
        same="1.4.",
        note="its own environments of Fetch, hand and kitchen need mujoco<3.12, these do not",
        install=INSTALL,
        instead="pip install gymnasium-robotics==1.4.2",
        tasks=153,
    )
