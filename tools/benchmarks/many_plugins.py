# SPDX-License-Identifier: Apache-2.0
"""What many installed plugins cost: 200 wheels with 50 tasks each, generated for the occasion.

    python tools/benchmarks/many_plugins.py [--plugins 200] [--tasks 50]

Each figure is the median of several processes. "Imported" is how many plugins' modules a call has
imported.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _report import Report, finish

ROUNDS = 9
PLUGIN = """
from envpool import Task, hookimpl

@hookimpl
def envpool_tasks():
    for i in range({tasks}):
        yield Task(f"{name}/Task{{i}}-v0", "{name}_env:Env", description="A task.", goal=i)
"""
CODE = """
import sys, time
import numpy
start = time.perf_counter()
{code}
print((time.perf_counter() - start) * 1e3)
print(len([name for name in sys.modules if name.startswith("generated")]))
"""
FIND = "from envpool.registration import registry; registry.find('generated{:03}/Task7-v0')"
CALLS = {
    "import envpool": "import envpool",
    "import, find the task of the first plugin": FIND.format(0),
    "import, find the task of the last plugin": "",
    "import, list all ids": "import envpool; envpool.list_all_envs()",
}


def generate(site: Path, plugins: int, tasks: int) -> None:
    """Writes the wheels as they are when they are installed."""
    for number in range(plugins):
        name = f"generated{number:03}"
        info = site / f"envpool_{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{name}.py").write_text(PLUGIN.format(name=name, tasks=tasks))
        head = f"Metadata-Version: 2.1\nName: envpool-{name}\nVersion: 1.0\n"
        (info / "METADATA").write_text(head)
        (info / "entry_points.txt").write_text(f"[envpool]\n{name} = {name}\n")


def measure(site: Path, code: str) -> tuple[float, int]:
    """Milliseconds, and how many plugins were imported."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-c", CODE.format(code=code)]
    times: list[float] = []
    for _ in range(ROUNDS):
        done = subprocess.run(
            command,
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
            timeout=100,
        )
        time, imported = done.stdout.split()
        times.append(float(time))
    return statistics.median(times), int(imported)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--plugins", type=int, default=200)
    parser.add_argument("--tasks", type=int, default=50, help="of each plugin")
    parser.add_argument("--json", type=Path, help="a file for the table")
    options, _ = parser.parse_known_args()
    title = f"{options.plugins} plugins, {options.plugins * options.tasks} tasks"
    report = Report(title, ("call", "ms", "imported"))
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder), options.plugins, options.tasks)
        for name, code in CALLS.items():
            time, imported = measure(Path(folder), code or FIND.format(options.plugins - 1))
            report.add(name, f"{time:.1f}", str(imported))
    finish([report], options.json, passed=True)


if __name__ == "__main__":
    main()
