# SPDX-License-Identifier: Apache-2.0
"""Writes the results of `nox -s bench` into the pages and draws the chart.

    python tools/benchmark_page.py [out/bench]

A block `<!-- classic 0:begin -->` of a page gets table 0 of classic.json, `classic 0 7` only its
first seven columns, and `classic` alone the date and the machine. Blocks without results stay. The
chart is drawn from the tables of docs/benchmarks.md, old or new.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from _blocks import fill, rows_of, table
from _drawing import WIDTH, svg

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "docs/benchmarks.md",
    "docs/maintainers/atari.md",
    "docs/metaworld.md",
    "docs/myosuite.md",
    "docs/nethack.md",
    "docs/procgen.md",
    "docs/python.md",
    "docs/ray.md",
    "docs/robotics.md",
)
BENCHMARKS = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "images" / "benchmarks.svg"
OURS = "ours"
TITLE = "Environment steps per second: this EnvPool and its peers"
LEFT, BAR = 250, 15
HIDDEN = "goal", "at most", "quartiles", "ours, CPU µs/step"  # columns for the developers
GOAL = re.compile(r",? \(?goal [\d.]+\)?")


def text_of(folder: Path, name: str) -> str | None:
    """The text of a page's block."""
    stem, *numbers = name.split()
    path = folder / f"{stem}.json"
    if not path.exists():
        return None
    measured = json.loads(path.read_text())
    if not numbers:
        return f"Measured on {measured['date']} on {measured['machine']}."
    chosen = measured["tables"][int(numbers[0])]
    columns, rows = public(chosen["columns"], chosen["rows"])
    most = int(numbers[1]) if numbers[1:] else len(columns)
    text = table(columns[:most], [row[:most] for row in rows], chosen["texts"])
    notes = (GOAL.sub("", note) for note in chosen["notes"])
    return "\n\n".join([text, *(f"{note[0].upper()}{note[1:]}." for note in notes)])


def public(
    columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    """A table without its goals and its spreads."""
    shown = [number for number, column in enumerate(columns) if column not in HIDDEN]
    return (
        [GOAL.sub("", columns[number]) for number in shown],
        [[row[number] for number in shown] for row in rows],
    )


class Chart:
    """Bars, in the style of the other drawings of docs/."""

    def __init__(self) -> None:
        """An empty drawing."""
        self._parts: list[str] = []
        self._y = 34

    def add(self, title: str, groups: dict[str, dict[str, float]]) -> None:
        """Adds a part whose longest bar has the whole width.

        Args:
            title: The description of the bars.
            groups: For each name the bars: label and value.
        """
        longest = max(max(bars.values()) for bars in groups.values())
        self._text(20, title, 'font-weight="600"')
        for name, bars in groups.items():
            self._y += BAR + 8
            self._text(20, name)
            for label, value in bars.items():
                width = max(1.0, (WIDTH - LEFT - 80) * value / longest)
                color = "a" if label == OURS else "n"
                self._text(LEFT - 8, label, 'class="m" font-size="11" text-anchor="end"')
                self._parts.append(
                    f'<rect class="{color}" x="{LEFT}" y="{self._y - 11}" width="{width:.1f}" '
                    f'height="{BAR - 3}" rx="2"/>'
                )
                self._text(LEFT + width + 6, f"{value:.2g}", 'font-size="11"')
                self._y += BAR
            self._y -= BAR
        self._y += 46

    def svg(self) -> str:
        """The whole drawing."""
        return svg(TITLE, self._y - 20, self._parts)

    def _text(self, x: float, text: str, style: str = "") -> None:
        self._parts.append(f'<text x="{x:.0f}" y="{self._y}" {style}>{text}</text>')


def number(cell: str) -> float:
    """The number of a table's cell."""
    return float(cell.replace(",", ""))


def _label(peer: str) -> str:
    """The chart's label: "EnvPool 1.2.7" for "envpool 1.2.7"."""
    return peer.removeprefix("ale_py.").replace("envpool ", "EnvPool ")


def draw() -> str:
    """The chart of the page's tables."""
    calls, steps = rows_of(BENCHMARKS, "classic 0"), rows_of(BENCHMARKS, "atari 0")
    most = max((threads for _, _, threads, *_ in steps), key=int)
    works = {}
    for envs, mode, _, peer, ours, theirs, *_ in calls:
        if peer.startswith("envpool"):
            # A call steps as many environments as it returns.
            count = int(mode.removeprefix("async ") if mode != "sync" else envs)
            name = (
                f"{envs} env{'s' if envs != '1' else ''}" if mode == "sync" else f"{envs} / {count}"
            )
            works[name] = {OURS: count / number(ours), _label(peer): count / number(theirs)}
    games: dict[str, dict[str, float]] = {}
    for game, mode, threads, peer, ours, theirs, *_ in steps:
        if (mode, threads) == ("sync", most):
            bars = games.setdefault(game.replace("_", " "), {OURS: number(ours) / 1e3})
            bars[_label(peer)] = number(theirs) / 1e3
    chart = Chart()
    chart.add(f"CartPole-v1, {most} threads: million environment steps per second", works)
    chart.add(
        f"Atari, 32 environments, {most} threads: thousand environment steps per second", games
    )
    return chart.svg()


def main() -> None:
    """Fills the pages and draws; prints the changed blocks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "out" / "bench")
    folder = parser.parse_args().folder
    for page in PAGES:
        print(page, *fill(ROOT / page, lambda name, _: text_of(folder, name)), sep="\n  ")
    CHART.write_text(draw(), encoding="utf-8")
    print(CHART.relative_to(ROOT))


if __name__ == "__main__":
    main()
