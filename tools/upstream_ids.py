# SPDX-License-Identifier: Apache-2.0
"""The table of docs/upstream.md: the number of the original's ids that exist here, by family.

    python tools/upstream_ids.py --python python3.12      # replaces tools/upstream_ids.csv

The original's newest release is for Python 3.12 and newer. It is installed into an environment of
its own, .nox/peer-<version>, where it lists its ids. Our ids are those of the wheels installed
beside this program, which should be all wheels.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import envpool
from _rows import markdown, write

sys.path.insert(0, str(Path(__file__).parent / "benchmarks"))
from comparison import Python

VERSION = "1.2.7"
# Replacements of ids that are not here, by the module that registers them.
INSTEAD = {
    "craftax": "[`jax:craftax/...`](jax.md), 4 ids, the library itself on XLA",
    "gfootball": "",
    "highway": "",
    "jumanji": "[`jax:jumanji/...`](jax.md), 23 ids, the library itself on XLA",
    "marlgrid": "",
    "mujoco.locomotion": "",
    "mujoco.mjlab": "",
    "mujoco.myosuite": "",
    "mujoco.playground": "[`jax:playground/...`](jax.md), 25 ids, the library itself on XLA",
    "pgx": "[`jax:pgx/...`](jax.md), 20 ids, the library itself on XLA",
}
LISTING = (
    "import json; from envpool.registration import registry as r; "
    "print(json.dumps({i: r.specs[i][0].removeprefix('envpool.') for i in r.list_all_envs()}))"
)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--python", default=sys.executable, help="a Python 3.12 or newer")
    options = parser.parse_args()
    peer = Python(f"peer-{VERSION}", f"envpool=={VERSION}", base=options.python)
    done = subprocess.run(
        [str(peer), "-W", "ignore", "-c", LISTING], capture_output=True, text=True, check=True
    )
    rows = table(json.loads(done.stdout), set(envpool.list_all_envs()))
    print(markdown(rows))
    write(Path(__file__).with_suffix(".csv"), rows)


def table(theirs: dict[str, str], ours: set[str]) -> list[dict[str, str]]:
    """A row for each module of the original, and a row for all.

    Args:
        theirs: Its ids, and the module that registers each.
        ours: Our ids.
    """
    modules: dict[str, list[str]] = defaultdict(list)
    for task, module in theirs.items():
        modules[module].append(task)
    rows = []
    for module, ids in sorted(modules.items()):
        missing = [task for task in ids if task not in ours]
        instead = INSTEAD.get(module, "") if missing else ""
        if missing and not instead:
            instead = f"nothing: {_some(missing)}"
        rows.append(_row(f"`{module}`", len(ids), len(missing), instead))
    rows.append(_row("all", len(theirs), len(theirs.keys() - ours), ""))
    return rows


def _row(module: str, ids: int, missing: int, instead: str) -> dict[str, str]:
    return {
        "module of upstream": module,
        "ids": f"{ids:,}",
        "here": f"{ids - missing:,}",
        "not here": f"{missing or ''}",
        "in their place": instead,
    }


def _some(ids: list[str]) -> str:
    """The first ids by name, of those without a prefix."""
    names = sorted(task for task in ids if "/" not in task) or sorted(ids)
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return ", ".join(f"`{name}`" for name in names[:3]) + more


if __name__ == "__main__":
    main()
