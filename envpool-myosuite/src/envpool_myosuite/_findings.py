# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the models."""

from __future__ import annotations

from envpool import Finding
from envpool_mujoco import family

from ._prepare import INSTALL


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    return family.models_finding(
        "MyoSuite",
        "myosuite",
        compared="2.12.2; 3.0 has other rules",
        same="2.12.2",
        # What the package requires is for its own environments, which nothing here runs.
        note="its own environments ask for gymnasium<1.3, these do not",
        install=INSTALL,
        instead=INSTALL,
    )
