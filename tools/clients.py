# SPDX-License-Identifier: Apache-2.0
"""What libraries make of a pool, as it comes and in the flavour that suits them best: a table.

    python tools/clients.py             # all checks whose library is installed
    python tools/clients.py sb3_readme  # some
    python tools/clients.py --page      # puts all that was kept into docs/clients.md

The checks are in tools/_client_checks.py. Each runs in a process of its own, once for each flavour.
Fails if the best flavour fails, but for the checks that no pool can pass.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from _blocks import fill, table
from _client_checks import CHECKS

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "out" / "clients.json"
PAGE = ROOT / "docs" / "clients.md"
LIMIT = 900  # seconds for the cases of one flavour
NEVER = {"gymnasium_checker"}  # is for one environment, without an axis of environments


def try_cases(name: str, flavour: str) -> dict[str, str]:
    """The cases of a check and their errors, "" where there is none; in this process."""
    outcomes = {}
    for case, call in CHECKS[name].cases(flavour):
        try:
            call()
            outcomes[case] = ""
        except Exception as error:
            traceback.print_exc()
            first = str(error).strip().split("\n")[0]
            outcomes[case] = f"{type(error).__name__}: {first}"[:200]
    return outcomes


def run(name: str, flavour: str) -> dict[str, str]:
    """The same in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "outcomes.json")
        command = [sys.executable, __file__, name, "--into", str(kept), "--flavour", flavour]
        env = os.environ | {"SDL_VIDEODRIVER": "dummy", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False, env=env
        )
        if not kept.exists():
            return {"all": (done.stderr.strip().split("\n") or ["died"])[-1][:200]}
        outcomes: dict[str, str] = json.loads(kept.read_text())
        return outcomes


def passed(outcomes: dict[str, str]) -> str:
    """As in "2 of 3"."""
    return f"{sum(not error for error in outcomes.values())} of {len(outcomes)}"


def rows(kept: dict[str, Any]) -> list[list[str]]:
    """The table: a line for each check, and the sums."""
    lines, sums = [], {"default": {}, "best": {}}  # type: ignore[var-annotated]
    for name, check in CHECKS.items():
        if name in kept:
            found = kept[name]
            for flavour, outcomes in sums.items():
                outcomes |= {f"{name} {case}": text for case, text in found[flavour].items()}
            cells = [check.distribution, found["version"], check.what, passed(found["default"])]
            lines.append([*cells, passed(found["best"]), check.best or "the same"])
    return [*lines, ["all", "", "", passed(sums["default"]), passed(sums["best"]), ""]]


def main() -> None:
    """Runs checks, or fills the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    parser.add_argument("--page", action="store_true", help="put what was kept into the page")
    parser.add_argument("--flavour", choices=("default", "best"), help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.into is not None:
        outcomes = try_cases(options.checks[0], options.flavour)
        options.into.write_text(json.dumps(outcomes))
        return
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    unknown = {*options.checks} - {*CHECKS}
    if unknown:
        parser.error(f"no such check: {', '.join(sorted(unknown))}; there are: {', '.join(CHECKS)}")
    installed = {d.name.lower().replace("_", "-") for d in importlib.metadata.distributions()}
    names = options.checks or [n for n, c in CHECKS.items() if c.distribution in installed]
    failed = []
    for name in [] if options.page and not options.checks else names:
        check = CHECKS[name]
        found: dict[str, Any] = {"version": importlib.metadata.version(check.distribution)}
        found["default"] = run(name, "default")
        found["best"] = run(name, "best") if check.best else found["default"]
        kept[name] = found
        print(f"{name}: {passed(found['default'])}, best {passed(found['best'])}", flush=True)
        for flavour in ("default", "best") if check.best else ("best",):
            for case, error in found[flavour].items():
                if error:
                    print(f"    {flavour}, {case}: {error}", flush=True)
        if any(found["best"].values()) and name not in NEVER:
            failed.append(name)
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(kept, indent=1))
    if options.page:
        columns = ["library", "version", "what was run", "as it comes", "best", "the best flavour"]
        print(PAGE.name, *fill(PAGE, lambda *_: table(columns, rows(kept), 6)))
    if failed:
        sys.exit(f"the best flavour failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
