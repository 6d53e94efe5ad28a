# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the models."""

from __future__ import annotations

from envpool import Finding
from envpool_mujoco import family

from ._prepare import INSTALL


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    return family.models_finding(
        "Gymnasium-Robotics",
        "gymnasium-robotics",
        compared="1.4.2",
        same="1.4.",
        note="its own environments of Fetch, hand and kitchen need mujoco<3.12, these do not",
        install=INSTALL,
        instead="pip install gymnasium-robotics==1.4.2",
        tasks=153,
    )
