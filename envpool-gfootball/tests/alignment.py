# SPDX-License-Identifier: Apache-2.0
"""A task beside what EnvPool 1.2.5 has played, for tools/fidelity.py."""

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
        same = "equal" if self.equal else "differ"
        return {"steps": str(self.steps), "observations, rewards, ends, infos": same}


def align(case: Case, steps: int) -> Alignment:
    """Plays what was recorded: `steps` is of the case."""
    assert steps == case.steps, "as many steps as were recorded"
    jobs = [case.job(False), case.job(True)]
    result = played(sys.executable, jobs)
    same = [
        digest == recorded(job, result["library"])
        for job, digest in zip(jobs, result["digests"], strict=True)
    ]
    return Alignment(sum(job[2] * job[3] for job in jobs), all(same))
