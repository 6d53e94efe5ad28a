# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the models."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from envpool import Finding

from ._prepare import INSTALL

NAME = "models of Gymnasium-Robotics"
TRIED = "1.4.2"


def models() -> Finding:
    """Whether they are there, and of the version that the tasks were compared with."""
    try:
        found = version("gymnasium-robotics")
    except PackageNotFoundError:
        return Finding(NAME, "none, for its 153 tasks", "missing", f"run `{INSTALL}`")
    detail = f"those of gymnasium-robotics {found}"
    if re.match(r"1\.4\.", found):
        # What is said of the reference is no problem of these tasks.
        return Finding(
            NAME,
            f"{detail}; its own environments of Fetch, hand and kitchen need mujoco<3.12, "
            "these do not",
        )
    return Finding(
        NAME,
        f"{detail}, where these tasks were compared with {TRIED}",
        "warning",
        f"run `pip install gymnasium-robotics=={TRIED}`",
    )
