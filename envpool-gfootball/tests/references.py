# SPDX-License-Identifier: Apache-2.0
"""What is compared with EnvPool 1.2.5, and what it has played.

    python tests/references.py INTERPRETER

records its digests again in data/digests.json, where INTERPRETER is one with envpool 1.2.5, as

    python -m venv out/upstream && out/upstream/bin/pip install envpool==1.2.5 gymnasium

Both sides run with the code of glibc that every x86-64 can run (playing.PLAIN), and digests are
kept for each C library by the digest of what its functions return: engines call them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playing import PLAIN

_RECORDED = Path(__file__).parent / "data" / "digests.json"
_PLAYING = Path(__file__).with_name("playing.py")
_NAMES = [
    *("11_vs_11_competition", "11_vs_11_easy_stochastic", "11_vs_11_hard_stochastic"),
    *("11_vs_11_kaggle", "11_vs_11_stochastic", "1_vs_1_easy", "5_vs_5"),
    *("academy_3_vs_1_with_keeper", "academy_corner", "academy_counterattack_easy"),
    *("academy_counterattack_hard", "academy_empty_goal", "academy_empty_goal_close"),
    *("academy_pass_and_shoot_with_keeper", "academy_run_pass_and_shoot_with_keeper"),
    *("academy_run_to_score", "academy_run_to_score_with_keeper"),
    "academy_single_goal_versus_lazy",
]


@dataclass(frozen=True)
class Case:
    """A task: two environments in the tests, one for longer by tools/fidelity.py."""

    task_id: str
    seed: int
    steps: int = 600
    reference: str = "EnvPool 1.2.5, recorded"

    def job(self, full: bool) -> list[Any]:
        """What playing.py takes."""
        if full:
            return [self.task_id, self.seed + 97, 1, self.steps]
        return [self.task_id, self.seed, 2, 100]

    def __str__(self) -> str:
        """As rows of tables name it."""
        return self.task_id


CASES = [Case(f"gfootball/{name}-v1", 3 + i) for i, name in enumerate(_NAMES)]


def played(python: str, jobs: Sequence[list[Any]]) -> dict[str, Any]:
    """What an interpreter's package plays."""
    done = subprocess.run(
        [python, str(_PLAYING), json.dumps(jobs)],
        capture_output=True,
        text=True,
        check=True,
        timeout=3000,
        env={**os.environ, **PLAIN},
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def recorded(job: list[Any], library: str) -> str:
    """The digest that the reference has.

    Raises:
        LookupError: If nothing was recorded with such a C library.
    """
    every: dict[str, dict[str, str]] = json.loads(_RECORDED.read_text())
    if library not in every:
        raise LookupError(
            f"nothing was recorded with a C library as this one, {library}: run {__file__} with "
            "an interpreter that has envpool 1.2.5"
        )
    return every[library][json.dumps(job)]


def record(python: str) -> None:
    """Plays all cases by the reference."""
    every = json.loads(_RECORDED.read_text()) if _RECORDED.exists() else {}
    for full in (False, True):
        jobs = [case.job(full) for case in CASES]
        result = played(python, jobs)
        digests = every.setdefault(result["library"], {})
        digests.update(zip(map(json.dumps, jobs), result["digests"], strict=True))
        _RECORDED.parent.mkdir(exist_ok=True)
        _RECORDED.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    record(sys.argv[1])
