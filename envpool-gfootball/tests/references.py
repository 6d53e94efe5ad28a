# SPDX-License-Identifier: Apache-2.0
"""The compared cases, their references, and the references' recorded results.

    python tests/references.py
    python tests/references.py INTERPRETER

records the digests of the package again in data/digests.json, or those of EnvPool 1.2.5, if
INTERPRETER has it, as made by

    python -m venv out/upstream && out/upstream/bin/pip install envpool==1.2.5 gymnasium

The package is built first, see package.py; the group `test-full` of pyproject.toml has its imports.
All sides run with glibc's code for every x86-64 (playing.PLAIN). Digests are kept for each C
library, by the digest of its functions' results: engines call them.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from envpool_gfootball._tasks import ROWS
from matches import Job
from playing import PLAIN

_HERE = Path(__file__).parent
_RECORDED = _HERE / "data" / "digests.json"
PACKAGE, UPSTREAM = "gfootball 2.10.2", "EnvPool 1.2.5"
_OF_UPSTREAM = 18


class Case(Protocol):
    """A row of the table."""

    @property
    def reference(self) -> str:
        """The reference."""
        ...

    @property
    def steps(self) -> int:
        """Steps of the whole comparison."""
        ...

    @property
    def program(self) -> Sequence[str]:
        """The program that plays it on our side."""
        ...

    def job(self, full: bool) -> Any:
        """The program's input, for the tests or for the whole comparison."""
        ...


@dataclasses.dataclass(frozen=True)
class UpstreamCase:
    """An id of EnvPool 1.2.5: two environments in the tests, one environment for longer."""

    task_id: str
    seed: int
    steps: int
    reference: str = UPSTREAM
    program: Sequence[str] = ("playing.py",)

    def job(self, full: bool) -> list[Any]:
        """See Case."""
        if full:
            return [self.task_id, self.seed + 97, 1, self.steps]
        return [self.task_id, self.seed, 2, 100]

    def __str__(self) -> str:
        """The case's name in tables."""
        return self.task_id


@dataclasses.dataclass(frozen=True)
class PackageCase:
    """A scenario in the package, with options: few steps in the tests, or all."""

    match: Job
    short: int = 40
    reference: str = PACKAGE
    program: Sequence[str] = ("matches.py", "pool")

    @property
    def steps(self) -> int:
        """See Case."""
        return self.match.steps

    def job(self, full: bool) -> dict[str, Any]:
        """See Case."""
        steps = self.match.steps if full else self.short
        return dataclasses.asdict(dataclasses.replace(self.match, steps=steps))

    def __str__(self) -> str:
        """The case's name in tables."""
        match = self.match
        agents = "{} + {} players".format(*match.agents)
        rest = (match.observation, match.rewards, match.action_set)
        return f"{match.scenario}, {agents}, {', '.join(rest)}, seed {match.seed}"


def _steps(scenario: str) -> int:
    """Academies over resets, and whole matches, which have one step more than their duration."""
    if scenario.startswith("academy"):
        return 2000
    return 3001 if scenario.startswith("11_vs_11") else 800


def _package_cases() -> list[PackageCase]:
    cases = []
    for number, row in enumerate(ROWS):
        steps = _steps(row.name) if number < _OF_UPSTREAM else 400
        cases.append(PackageCase(Job(row.name, 200 + number, steps, (row.agents, 0))))
    # Two more matches of each, the second from the other side.
    for row in ROWS[:_OF_UPSTREAM]:
        if row.name.startswith("11_vs_11"):
            cases.append(PackageCase(Job(row.name, 1, 3001)))
            cases.append(PackageCase(Job(row.name, 2, 3001, (0, 1))))
    several = [
        Job("1_vs_1_easy", 3, 600, (1, 1), "simple115v2"),
        Job("academy_3_vs_1_with_keeper", 4, 2000, (3, 1), action_set="v2"),
        Job("academy_3_vs_1_with_keeper", 5, 2000, (3, 0), "smm"),
        Job("5_vs_5", 6, 1000, (4, 4), action_set="full"),
        Job("5_vs_5", 7, 1000, (2, 4), "simple115v2", "scoring", "full"),
        Job("11_vs_11_kaggle", 8, 1000, (11, 11), action_set="v2"),
        Job("11_vs_11_competition", 9, 600, (0, 11), "simple115v2", action_set="full"),
        Job("11_vs_11_hard_stochastic", 10, 600, (5, 2), "smm", "scoring"),
    ]
    return cases + [PackageCase(job) for job in several]


CASES: list[UpstreamCase | PackageCase] = [
    *(
        UpstreamCase(row.id, 3 + number, max(600, _steps(row.name)))
        for number, row in enumerate(ROWS[:_OF_UPSTREAM])
    ),
    *_package_cases(),
]


def of(reference: str) -> list[Case]:
    """The cases of one reference."""
    return [case for case in CASES if case.reference == reference]


def played(
    python: str, program: Sequence[str], jobs: Sequence[Any], **variables: str
) -> dict[str, Any]:
    """The results of an interpreter's package."""
    name, *arguments = program
    done = subprocess.run(
        [python, str(_HERE / name), *arguments, json.dumps(jobs)],
        capture_output=True,
        text=True,
        check=False,
        timeout=3000,
        env={**os.environ, **PLAIN, **variables},
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def recorded(reference: str, job: Any, library: str) -> str:
    """The recorded digest of a reference.

    Raises:
        LookupError: If no digest was recorded with this C library.
    """
    every: Mapping[str, Any] = json.loads(_RECORDED.read_text())
    if library not in every:
        raise LookupError(
            f"nothing was recorded with a C library as this one, {library}: see {__file__}"
        )
    digest: str = every[library][reference][json.dumps(job)]
    return digest


def by_package(jobs: Sequence[Any]) -> dict[str, Any]:
    """The package's results; it is built if it is missing."""
    import package

    return played(sys.executable, ("matches.py", "package"), jobs, **package.variables())


def record(python: str | None) -> None:
    """Plays all cases with a reference, and records the digests."""
    every = json.loads(_RECORDED.read_text()) if _RECORDED.exists() else {}
    reference = UPSTREAM if python else PACKAGE
    digests = {}
    for full in (False, True):
        jobs = [case.job(full) for case in of(reference)]
        result = played(python, ("playing.py",), jobs) if python else by_package(jobs)
        digests.update(zip(map(json.dumps, jobs), result["digests"], strict=True))
        every.setdefault(result["library"], {})[reference] = digests
        _RECORDED.parent.mkdir(exist_ok=True)
        _RECORDED.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    record(sys.argv[1] if len(sys.argv) > 1 else None)
