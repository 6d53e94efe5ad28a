# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the models."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding
from envpool_mujoco import family

from ._prepare import INSTALL

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("myosuite", ("2.12.2",), "3.0 has other rules, and models may differ", INSTALL),
    family.compared_engine(),
    # 2.3 runs the whole reference; 2.4 all but soccer, two hands and the end of a chase.
    Compared("numpy", ("2.3.5", "2.4.6"), "draws and last bits of the reference may differ"),
)
"""The packages, with versions, that the tasks were compared with."""


def findings() -> Iterator[Finding | Compared]:
    """The models, what draws, and what the tasks were compared with."""
    yield models()
    yield family.gl_finding()
    yield from COMPARED


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    return family.models_finding(
        "MyoSuite",
        "myosuite",
        compared=f"{COMPARED[0].versions[0]}; 3.0 has other rules",
        same="2.12.2",
        # What the package requires is for its own environments, which nothing here runs.
        note="its own environments ask for gymnasium<1.3, these do not",
        install=INSTALL,
        instead=INSTALL,
    )
