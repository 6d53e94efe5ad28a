# SPDX-License-Identifier: Apache-2.0
"""Trains CartPole with one library, in a pool and in its own environments, and keeps the figures.

    python tools/learners.py sb3_ppo           # a script of examples/learners/, with this Python
    python tools/learners.py --page            # puts all that was kept into docs/learners.md

Both runs are the same script; only the environments differ. They take turns, the pool first.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from _blocks import fill, table

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "examples" / "learners"
KEPT = ROOT / "out" / "learners"
PAGE = ROOT / "docs" / "learners.md"
LIMIT = 900  # seconds for one training
COLUMNS = [
    "client",
    "version",
    "script",
    "score",
    "score with its own environments",
    "steps/s",
    "with its own environments",
    "ratio",
    "ratio of CPU time",
]


def train(script: Path, envs: str, more: list[str]) -> dict[str, Any]:
    """What one training prints."""
    command = [sys.executable, script.name, "--envs", envs, *more]
    done = subprocess.run(
        command, cwd=SCRIPTS, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"client"')]
    if done.returncode != 0 or not lines:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    result: dict[str, Any] = json.loads(lines[-1])
    return result


def middle(runs: list[dict[str, Any]], key: str) -> float:
    """The median of a figure, or of the steps per second of a time."""
    if key == "score":
        return statistics.median(float(run["score"]) for run in runs)
    return statistics.median(float(run["steps"] / run[key]) for run in runs)


def row(path: Path) -> list[str]:
    """The cells of one client."""
    kept = json.loads(path.read_text())
    pool, own = kept["pool"], kept["default"]
    speeds = [middle(runs, "seconds") for runs in (pool, own)]
    cpu = [middle(runs, "cpu_seconds") for runs in (pool, own)]
    return [
        pool[0]["client"],
        pool[0]["version"],
        f"`{path.stem}.py`",
        f"{middle(pool, 'score'):.0f}",
        f"{middle(own, 'score'):.0f}",
        f"{speeds[0]:,.0f}",
        f"{speeds[1]:,.0f}",
        f"{speeds[0] / speeds[1]:.2f}",
        # Processes of its own do their work elsewhere.
        f"{cpu[0] / cpu[1]:.2f}" if kept["one_process"] else "",
    ]


def main() -> None:
    """Trains, or fills the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "script", nargs="?", choices=sorted(p.stem for p in SCRIPTS.glob("[!_]*.py"))
    )
    parser.add_argument("--rounds", type=int, default=1, help="trainings with each environment")
    parser.add_argument("--steps", type=int, help="environment steps, in place of the script's own")
    parser.add_argument("--page", action="store_true", help="put what was kept into the page")
    options = parser.parse_args()
    if options.script is not None:
        more = [] if options.steps is None else ["--steps", str(options.steps)]
        kept: dict[str, Any] = {"date": dt.datetime.now(dt.timezone.utc).date().isoformat()}
        kept |= {"pool": [], "default": []}
        kept["one_process"] = options.script not in ("sample_factory_ppo", "rl_games_ppo")
        for _ in range(options.rounds):
            for envs in ("pool", "default"):
                kept[envs].append(train(SCRIPTS / f"{options.script}.py", envs, more))
                print(envs, kept[envs][-1], flush=True)
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{options.script}.json").write_text(json.dumps(kept))
    if options.page:
        rows = sorted(
            (row(path) for path in KEPT.glob("*.json")), key=lambda cells: cells[0].lower()
        )
        print(PAGE.name, *fill(PAGE, lambda *_: table(COLUMNS, rows, 3)))


if __name__ == "__main__":
    main()
