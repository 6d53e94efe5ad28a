# SPDX-License-Identifier: Apache-2.0
"""Libraries on pools: their own examples and suites, and the scripts of examples/learners/.

    python tools/clients.py                    # the checks of all libraries that are installed
    python tools/clients.py sb3_readme         # some
    python tools/clients.py --learner sb3_ppo  # trains in a pool, and in the library's environments
    python tools/clients.py --learner sb3_ppo --only time --rounds 1 --add   # one more short run

Rows of tools/clients_*.csv, which the pages show, are replaced. A learner's runs are kept in
out/clients/.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from _client_checks import CHECKS
from _rows import merged, read, write

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "examples" / "learners"
KEPT = ROOT / "out" / "clients"
COLUMNS = {
    "suites": ["library", "script", "version", "passed"],
    "learners": [
        "client and script", "version", "score, pool", "score, own", "steps/s, pool",
        "steps/s, own", "ratio (least to greatest)",
    ],
}  # fmt: skip
LIMIT = 7200  # seconds for a training
LEARNED = 400  # a score that no policy gets by luck: a random policy has 22, the best 500
SHORT = 16_384  # steps of a run that is timed
# Scripts whose environments run in other processes, so their time is wall time. The others are a
# single process with a single thread: their CPU time is more reliable on a busy machine.
ELSEWHERE = {"rl_games_ppo", "sample_factory_ppo"}
# The package whose version is shown if a script has no library but its own loop.
VERSION_OF = {"acme_style": "dm-env", "jax_ppo": "jax", "torch_ppo": "torch"}
KINDS = ("pool", "default")


def try_cases(name: str) -> dict[str, str]:
    """The cases of a check and their errors, "" where there is none; in this process."""
    outcomes = {}
    for case, call in CHECKS[name].cases():
        try:
            call()
            outcomes[case] = ""
        except Exception as error:
            traceback.print_exc()
            outcomes[case] = f"{type(error).__name__}: {error}".strip().split("\n")[0][:200]
    return outcomes


def check(name: str) -> bool:
    """Runs a check in a process of its own; returns whether it passed."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder, "outcomes.json")
        command = [sys.executable, __file__, name, "--into", str(into)]
        env = os.environ | {"SDL_VIDEODRIVER": "dummy", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=900, check=False, env=env
        )
        died = {"all": (done.stderr.strip().split("\n") or ["died"])[-1][:200]}
        found: dict[str, str] = json.loads(into.read_text()) if into.exists() else died
    errors = {case: error for case, error in found.items() if error}
    passed = f"{len(found) - len(errors)} of {len(found)}"
    print(f"{name}: {passed}", *(f"{c}: {e}" for c, e in errors.items()), sep="\n    ", flush=True)
    one = CHECKS[name]
    version = importlib.metadata.version(one.distribution)
    _save("suites", [one.distribution, one.what, version, passed])
    return not errors


def run(script: str, envs: str, steps: int | None) -> dict[str, Any]:
    """The output of a learner's run."""
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


def learner(script: str, options: argparse.Namespace) -> bool:
    """Trains and times, according to the options; returns whether it learned."""
    path = KEPT / "runs" / f"{script}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    if options.only != "time":  # a whole training with each kind of environments
        kept["train"] = {envs: run(script, envs, options.steps) for envs in KINDS}
    if options.only != "train":  # short runs in turns, whose scores mean nothing
        runs: dict[str, list[Any]] = kept["time"] if options.add else {kind: [] for kind in KINDS}
        for envs in KINDS * options.rounds:
            runs[envs].append(run(script, envs, options.steps or SHORT))
        kept["time"] = runs
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept))
    _save("learners", _learner_row(script, kept))
    poor = [k for k, one in kept.get("train", {}).items() if one["score"] < LEARNED]
    return options.steps is not None or options.only == "time" or not poor


def _learner_row(script: str, kept: dict[str, Any]) -> list[str]:
    trained, timed = kept.get("train", {}), kept.get("time", {})
    one = trained["pool"] if trained else timed["pool"][0]
    scores = [f"{trained[envs]['score']:.0f}" if envs in trained else "" for envs in KINDS]
    version = f"{VERSION_OF.get(script, '')} {one['version'].partition('+')[0]}".strip()
    cells = [f"{one['client']}: `{script}.py`", version, *scores]
    if not timed:
        return [*cells, "", "", ""]
    key = "seconds" if script in ELSEWHERE else "cpu_seconds"
    pool, own = ([done["steps"] / done[key] for done in timed[kind]] for kind in KINDS)
    ratios = sorted(ours / theirs for ours, theirs in zip(pool, own, strict=True))
    spread = f" ({ratios[0]:.2f} to {ratios[-1]:.2f})" if len(ratios) > 1 else ""
    medians = (f"{statistics.median(of):,.0f}" for of in (pool, own))
    return [*cells, *medians, f"{statistics.median(ratios):.2f}{spread}"]


def _save(table: str, cells: list[str]) -> None:
    """Replaces the row of the same library and script."""
    path = ROOT / "tools" / f"clients_{table}.csv"
    row = dict(zip(COLUMNS[table], cells, strict=True))
    keys = COLUMNS[table][: 2 if table == "suites" else 1]
    write(path, merged(read(path), [row], *keys))


def main() -> int:
    """Runs the requested checks; the exit status is 1 if a check or a learner failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checks", nargs="*", choices=[*CHECKS, []], metavar="CHECK")
    parser.add_argument("--learner", choices=sorted(p.stem for p in SCRIPTS.glob("[!_]*.py")))
    parser.add_argument("--only", choices=("train", "time"), help="one part of a learner")
    parser.add_argument("--rounds", type=int, default=3, help="of a learner's short runs")
    parser.add_argument("--add", action="store_true", help="to the rounds that were kept")
    parser.add_argument("--steps", type=int, help="of a learner, in place of the usual number")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.into is not None:
        options.into.write_text(json.dumps(try_cases(options.checks[0])))
        return 0
    if options.learner:
        return 0 if learner(options.learner, options) else 1
    installed = {d.name.lower().replace("_", "-") for d in importlib.metadata.distributions()}
    names = options.checks or [n for n, c in CHECKS.items() if c.distribution in installed]
    passed = [check(name) for name in names]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
