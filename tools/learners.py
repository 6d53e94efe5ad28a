# SPDX-License-Identifier: Apache-2.0
"""Trains CartPole with one library, in a pool and in its own environments, and keeps the figures.

    python tools/learners.py sb3_ppo           # a script of examples/learners/, with this Python
    python tools/learners.py sb3_ppo --only train     # the scores
    python tools/learners.py sb3_ppo --only time      # the speeds, by short runs that take turns
    python tools/learners.py sb3_ppo --only time --rounds 1 --add     # one more round
    python tools/learners.py --page            # puts what was kept into docs/learners.md

Both runs are the same script; only the environments differ. On the page, rows that were not kept
stay.
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

from _blocks import fill, rows_of, table

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "examples" / "learners"
KEPT = ROOT / "out" / "learners"
PAGE = ROOT / "docs" / "learners.md"
LIMIT = 7200  # seconds for one training
LEARNED = 400  # a score that no policy has by luck: a random one has 22, the best 500
SHORT = 16_384  # steps of a run that is timed
# Their own environments work in other processes, so they are timed by the clock. All others are one
# process with one thread: its CPU time is the same, and says more where the machine is busy.
ELSEWHERE = {"rl_games_ppo", "sample_factory_ppo"}
COLUMNS = [
    "client and script",
    "version",
    "score, pool",
    "score, own",
    "steps/s, pool",
    "steps/s, own",
    "ratio (least to greatest)",
]
# Whose version it is where a script has no library but its own loop.
VERSION_OF = {"acme_style": "dm-env", "jax_ppo": "jax", "torch_ppo": "torch"}


def run(script: str, envs: str, steps: int | None) -> dict[str, Any]:
    """What one run of a script prints."""
    command = [sys.executable, f"{script}.py", "--envs", envs]
    command += [] if steps is None else ["--steps", str(steps)]
    done = subprocess.run(
        command, cwd=SCRIPTS, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"client"')]
    if done.returncode != 0 or not lines:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    result: dict[str, Any] = json.loads(lines[-1])
    print(envs, result, flush=True)
    return result


def train(script: str, steps: int | None) -> dict[str, Any]:
    """One whole training with each kind of environments."""
    return {envs: run(script, envs, steps) for envs in ("pool", "default")}


def time_runs(script: str, steps: int, rounds: int) -> dict[str, Any]:
    """Short runs that take turns, whose scores mean nothing."""
    runs = [(envs, run(script, envs, steps)) for _ in range(rounds) for envs in ("pool", "default")]
    return {kind: [run for envs, run in runs if envs == kind] for kind in ("pool", "default")}


def speeds(runs: list[dict[str, Any]], key: str) -> list[float]:
    """Steps per second of each run, of one of the times that it took."""
    return [float(run["steps"] / run[key]) for run in runs]


def row(path: Path) -> list[str]:
    """The cells of one client."""
    kept = json.loads(path.read_text())
    trained, timed = kept.get("train", {}), kept.get("time")
    one = trained["pool"] if trained else timed["pool"][0]
    kinds = ("pool", "default")
    scores = [f"{trained[envs]['score']:.0f}" if envs in trained else "" for envs in kinds]
    version = f"{VERSION_OF.get(path.stem, '')} {one['version'].partition('+')[0]}".strip()
    cells = [f"{one['client']}: `{path.stem}.py`", version, *scores]
    if not timed:
        return [*cells, "", "", ""]
    key = "seconds" if path.stem in ELSEWHERE else "cpu_seconds"
    pool, own = (speeds(timed[envs], key) for envs in kinds)
    ratios = sorted(ours / theirs for ours, theirs in zip(pool, own, strict=True))
    spread = f" ({ratios[0]:.2f} to {ratios[-1]:.2f})" if len(ratios) > 1 else ""
    medians = (f"{statistics.median(of):,.0f}" for of in (pool, own))
    return [*cells, *medians, f"{statistics.median(ratios):.2f}{spread}"]


def main() -> None:
    """Trains, times, or fills the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "script", nargs="?", choices=sorted(p.stem for p in SCRIPTS.glob("[!_]*.py"))
    )
    parser.add_argument("--only", choices=("train", "time"), help="one of both parts")
    parser.add_argument("--rounds", type=int, default=3, help="of the short runs")
    parser.add_argument("--add", action="store_true", help="to the rounds that were kept")
    parser.add_argument("--steps", type=int, help="environment steps, in place of the usual number")
    parser.add_argument("--page", action="store_true", help="put what was kept into the page")
    options = parser.parse_args()
    if options.script is not None:
        path = KEPT / f"{options.script}.json"
        found: dict[str, Any] = {"date": dt.datetime.now(dt.timezone.utc).date().isoformat()}
        if options.only != "time":
            found["train"] = train(options.script, options.steps)
        if options.only != "train":
            found["time"] = time_runs(options.script, options.steps or SHORT, options.rounds)
        KEPT.mkdir(parents=True, exist_ok=True)
        kept = json.loads(path.read_text()) if path.exists() else {}
        if options.add and "time" in found and "time" in kept:
            for kind, runs in found["time"].items():
                runs[:0] = kept["time"][kind]
        path.write_text(json.dumps(kept | found))
        if options.steps is None and options.only != "time":
            poor = [kind for kind, run in found["train"].items() if run["score"] < LEARNED]
            if poor:
                sys.exit(f"{options.script} did not learn with: {', '.join(poor)}")
    if options.page:
        rows = {cells[0]: cells for cells in rows_of(PAGE, "learners")}
        rows |= {cells[0]: cells for cells in map(row, KEPT.glob("*.json"))}
        ordered = sorted(rows.values(), key=lambda cells: cells[0].lower())
        print(PAGE.name, *fill(PAGE, lambda *_: table(COLUMNS, ordered, 2)))


if __name__ == "__main__":
    main()
