# SPDX-License-Identifier: Apache-2.0
"""The names for scenarios: `from envpool_gfootball.scenarios import *`.

The package's scenarios begin with `from . import *`, which imports this module here.
"""

from __future__ import annotations

import enum

__all__ = [
    "Team",
    "e_PlayerRole_AM",
    "e_PlayerRole_CB",
    "e_PlayerRole_CF",
    "e_PlayerRole_CM",
    "e_PlayerRole_DM",
    "e_PlayerRole_GK",
    "e_PlayerRole_LB",
    "e_PlayerRole_LM",
    "e_PlayerRole_RB",
    "e_PlayerRole_RM",
]


class Team(enum.Enum):
    """A side."""

    e_Left = 0  # noqa: N815 - as in the package
    e_Right = 1  # noqa: N815


e_PlayerRole_GK, e_PlayerRole_CB, e_PlayerRole_LB, e_PlayerRole_RB = range(4)  # noqa: N816
e_PlayerRole_DM, e_PlayerRole_CM, e_PlayerRole_LM, e_PlayerRole_RM = range(4, 8)  # noqa: N816
e_PlayerRole_AM, e_PlayerRole_CF = range(8, 10)  # noqa: N816
