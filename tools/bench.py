#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tables of envpool-*/tests/speed.py, and those of tools/benchmarks/*_speed.py.

    python tools/bench.py                          # all
    python tools/bench.py atari --only pong        # rows of one family with that word
    python tools/bench.py classic --rounds 3 --seconds 0.1
    python tools/bench.py compile                  # the time to compile a family
    python tools/bench.py --task Pong-v5 --vs envpool gymnasium=ALE/Pong-v5    # any task

`--vs` names the original EnvPool, or an id of Gymnasium's, for its vector environment.

Tables are kept in out/bench/, from where tools/benchmark_page.py saves them for the pages. The exit
status is 1 if a goal was missed. Needs the wheels of this checkout, and for each family the group
`bench` of pyproject.toml; peers are installed into environments of their own at their first use.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools" / "benchmarks"))

from comparison import Comparison, Row, Settings, Side, Table, keep, mode, pools  # noqa: E402

PARTS = {path.parents[1].name[8:]: path for path in sorted(ROOT.glob("envpool-*/tests/speed.py"))}
OTHERS = sorted(ROOT.glob("tools/benchmarks/*_speed.py"))
PARTS |= {path.stem.removesuffix("_speed"): path for path in OTHERS}


def tables_of(path: Path) -> list[Table]:
    """The `TABLES` of a file."""
    name = f"tables_{path.parents[1].name.replace('-', '_')}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.TABLES)


def one_task(options: argparse.Namespace) -> Comparison:
    """A table of a single task and of the command line's peers."""
    task, count, threads = options.task, options.num_envs, options.num_threads
    rows = options.batch_size or count
    ours, upstream = pools(task, count, rows, num_threads=threads)
    peers = []
    for name in options.vs:
        kind, _, peer_id = name.partition("=")
        asked = {"task": peer_id or task, "num_envs": count, "mode": options.vector}
        peers.append(upstream if kind == "envpool" else Side(name, asked, "vector"))
    row = Row((str(count), mode(count, rows), str(threads)), rows, [ours, *peers])
    return Comparison(task, ("envs", "mode", "threads"), [row])


def main() -> int:
    """Measures and prints; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="families; all by default")
    parser.add_argument("--rounds", type=int, help="how often each side has its turn")
    parser.add_argument("--seconds", type=float, help="how long a turn is, about")
    parser.add_argument("--only", nargs="+", default=(), help="rows that contain one of the words")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "bench")
    one = parser.add_argument_group("one task, instead of tables")
    one.add_argument("--task")
    one.add_argument("--vs", nargs="+", default=["envpool"], help="envpool, gymnasium=ID")
    one.add_argument("--vector", default="async", help="Gymnasium's vectorization_mode")
    one.add_argument("--num-envs", type=int, default=64)
    one.add_argument("--batch-size", type=int)
    one.add_argument("--num-threads", type=int, default=1)
    options = parser.parse_args()
    settings = Settings(options.rounds, options.seconds, options.only)
    if options.task:
        for report in one_task(options).measure(settings):
            report.show()
        return 0
    missed = False
    for part in options.parts or PARTS:
        reports = []
        for table in tables_of(PARTS[part]):
            for report in table.measure(settings):
                reports.append(report)
                report.show()
                missed |= any(cell.endswith(" missed") for row in report.rows for cell in row)
        keep(reports, options.out / f"{part}.json", settings)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
