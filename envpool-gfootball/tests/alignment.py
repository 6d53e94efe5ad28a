# SPDX-License-Identifier: Apache-2.0
"""A task beside recordings of the references, for tools/fidelity.py."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from references import Case, played, recorded

UNIT = "steps"


@dataclass
class Alignment:
    """How much was compared, and whether it is the same."""

    steps: int
    equal: bool

    def columns(self) -> dict[str, str]:
        """Names and contents of the table's columns."""
        return {"steps": str(self.steps), "all results": "equal" if self.equal else "differ"}


def align(case: Case, steps: int) -> Alignment:
    """Plays a recording; the case has `steps`."""
    assert steps == case.steps, "as many steps as were recorded"
    job = case.job(True)
    result = played(sys.executable, case.program, [job])
    (digest,) = result["digests"]
    return Alignment(steps, digest == recorded(case.reference, job, result["library"]))
