# SPDX-License-Identifier: Apache-2.0
"""Finding: one thing that `envpool doctor` looked at, and what it found.

Core reports its own findings; a plugin reports its own by the hook `envpool_findings`.
"""

from __future__ import annotations

from typing import NamedTuple

OK, MISSING, WARNING, PROBLEM = STATUSES = ("ok", "missing", "warning", "problem")


class Finding(NamedTuple):
    """One line of the report.

        Finding("maps", "8 of 8, in /usr/share/walk")
        Finding("maps", "none", "problem", "run `pip install walk-maps`")

    Attributes:
        name: What was looked at.
        detail: What was found.
        status: "ok"; "missing", what not everybody needs; "warning", what works in part; "problem",
            which makes the exit status of the program 1.
        cure: What to do about it; may be empty.
    """

    name: str
    detail: str
    status: str = OK
    cure: str = ""
