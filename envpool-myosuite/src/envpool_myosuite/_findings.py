# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about the models."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding
from envpool_mujoco import family

from ._prepare import INSTALL

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("myosuite", ("2.12.2",), "3.0 has other rules, and models may differ", INSTALL),
    family.compared_engine(),
    # 2.3 runs the whole reference; 2.4 all except soccer, two hands and the end of a chase.
    Compared("numpy", ("2.3.5", "2.4.6"), "draws and last bits of the reference may differ"),
)
"""The packages, with versions, with which the tasks were compared."""


def findings() -> Iterator[Finding | Compared]:
    """Reports the models, the renderer, and the packages with which the tasks were compared."""
    yield models()
    yield from COMPARED


def models() -> Finding:
    """Reports whether the models exist in the compared version."""
    return family.models_finding(
        "MyoSuite",
        "myosuite",
        compared=f"{COMPARED[0].versions[0]}; 3.0 has other rules",
        same="2.12.2",
        # The package's requirements are for its own environments, which are not run here.
        note="its own environments ask for gymnasium<1.3, these do not",
        install=INSTALL,
        instead=INSTALL,
    )
