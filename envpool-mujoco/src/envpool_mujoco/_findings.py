# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of MuJoCo, the models, and what draws."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Finding

from . import _dm_control, _gymnasium, _mujoco
from .family import gl_finding

__all__ = ["findings"]


def findings() -> Iterator[Finding]:
    """The library, the models, and what draws."""
    yield Finding("MuJoCo", f"{_mujoco.mujoco_version()}, in this wheel")
    yield _gymnasium.finding()
    yield _dm_control.finding()
    yield gl_finding()
