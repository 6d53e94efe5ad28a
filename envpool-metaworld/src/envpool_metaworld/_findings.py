# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the models."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from envpool import Finding

from ._prepare import INSTALL

NAME = "models of Meta-World"
TRIED = "3.1.1"


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    try:
        found = version("metaworld")
    except PackageNotFoundError:
        return Finding(NAME, "none, for its 50 tasks", "missing", f"run `{INSTALL}`")
    detail = f"those of metaworld {found}"
    if re.match(r"3\.1\.", found):
        # What is said of the reference is no problem of these tasks.
        return Finding(NAME, f"{detail}; its own environments need mujoco<3.17, these do not")
    return Finding(
        NAME,
        f"{detail}, where these tasks were compared with {TRIED}",
        "warning",
        f"run `pip install --no-deps metaworld=={TRIED}`",
    )
