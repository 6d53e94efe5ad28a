# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the models."""

from __future__ import annotations

from envpool import Finding
from envpool_mujoco import family

from ._prepare import INSTALL


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    return family.models_finding(
        "Meta-World",
        "metaworld",
        compared="3.1.1",
        same="3.1.",
        note="its own environments need mujoco<3.17, these do not",
        install=INSTALL,
        instead="pip install --no-deps metaworld==3.1.1",
        tasks=50,
    )
