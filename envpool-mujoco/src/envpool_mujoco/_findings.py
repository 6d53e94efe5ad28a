# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about MuJoCo, the models, and the renderer."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding

from . import _dm_control, _gymnasium, _mujoco
from .family import compared_engine, compared_numpy, gl_finding

__all__ = ["COMPARED", "findings"]

COMPARED = (
    compared_engine(),
    Compared("gymnasium", ("1.4.0", "1.2.2", "1.0.0"), "its rules or models may differ"),
    Compared("dm_control", ("1.0.50",), "its tasks or models may differ from these"),
    compared_numpy(),
)
"""The packages, with versions, with which the tasks were compared."""


def findings() -> Iterator[Finding | Compared]:
    """Reports the library, the models, and the renderer."""
    yield Finding("MuJoCo", f"{_mujoco.mujoco_version()}, in this wheel")
    yield _gymnasium.finding()
    yield _dm_control.finding()
    yield gl_finding()
    yield from COMPARED
