# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the models."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from envpool import Finding

from ._prepare import INSTALL

NAME = "models of MyoSuite"
TRIED = "2.12.2"


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    try:
        found = version("myosuite")
    except PackageNotFoundError:
        return Finding(NAME, "none", "missing", f"run `{INSTALL}`")
    detail = f"those of myosuite {found}"
    if found == TRIED:
        # What the package requires is for its own environments, which nothing here runs.
        return Finding(NAME, f"{detail}; its own environments ask for gymnasium<1.3, these do not")
    return Finding(
        NAME,
        f"{detail}, where these tasks were compared with {TRIED}; 3.0 has other rules",
        "warning",
        f"run `{INSTALL}`",
    )
