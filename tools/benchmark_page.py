# SPDX-License-Identifier: Apache-2.0
"""Saves the results of `nox -s bench`, which the pages show, and draws the chart.

    python tools/benchmark_page.py [out/bench]

Results of classic.json replace envpool-classic/tests/speed.json. Pages show table 0 of it by
`{speed} classic 0`, only its first seven columns by `classic 0 7`, and by `classic` the date and
the machine; the README has such a table between marks `<!-- classic 0:begin -->`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from _drawing import WIDTH, svg
from _rows import table

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"(<!-- (?P<name>[^:>]+):begin -->\n).*?(<!-- (?P=name):end -->)", re.DOTALL)
CHART = ROOT / "docs" / "images" / "benchmarks.svg"
OURS = "ours"
TITLE = "Environment steps per second: this EnvPool and its peers"
LEFT, BAR = 250, 15
HIDDEN = "goal", "at most", "quartiles", "ours, CPU µs/step"  # columns for the developers
GOAL = re.compile(r",? \(?goal [\d.]+\)?")


def path_of(part: str) -> Path:
    """The saved results of a part of the benchmark."""
    if (ROOT / f"envpool-{part}").exists():
        return ROOT / f"envpool-{part}" / "tests" / "speed.json"
    return ROOT / "tools" / "benchmarks" / f"{part}_speed.json"


def read(part: str) -> Any:
    """The saved date, machine and tables."""
    return json.loads(path_of(part).read_text(encoding="utf-8"))


def save(part: str, measured: Mapping[str, Any]) -> None:
    """Replaces the results of a part; a row is a line of the file."""
    tables = [_text(_public(one)) for one in measured["tables"]]
    head = f'{{"date": {_text(measured["date"])}, "machine": {_text(measured["machine"])}'
    text = ",\n".join(tables).replace("[[", "[\n  [").replace("], [", "],\n  [")
    path_of(part).write_text(f'{head}, "tables": [\n{text}\n]}}\n', encoding="utf-8")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _public(measured: Mapping[str, Any]) -> dict[str, Any]:
    """A table without its goals and its spreads."""
    columns = measured["columns"]
    shown = [number for number, column in enumerate(columns) if column not in HIDDEN]
    return {
        "columns": [GOAL.sub("", columns[number]) for number in shown],
        "texts": measured["texts"],
        "notes": [GOAL.sub("", note) for note in measured["notes"]],
        "rows": [[row[number] for number in shown] for row in measured["rows"]],
    }


def text_of(name: str) -> str:
    """The Markdown of a table, as "classic 0", or of the date and the machine, as "classic"."""
    part, *numbers = name.split()
    measured = read(part)
    if not numbers:
        return f"Measured on {measured['date']} on {measured['machine']}."
    chosen = measured["tables"][int(numbers[0])]
    most = int(numbers[1]) if numbers[1:] else None
    rows = [row[:most] for row in chosen["rows"]]
    text = table(chosen["columns"][:most], rows, chosen["texts"])
    return "\n\n".join([text, *(f"{note[0].upper()}{note[1:]}." for note in chosen["notes"])])


def filled(page: str) -> str:
    """A page with the present tables between its marks."""
    return BLOCK.sub(lambda match: f"{match[1]}{text_of(match['name'])}\n{match[3]}", page)


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
    """The chart of the saved tables."""
    calls, steps = (read(part)["tables"][0]["rows"] for part in ("classic", "atari"))
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
    """Saves results, fills the README and draws."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "out" / "bench")
    for path in sorted(parser.parse_args().folder.glob("*.json")):
        save(path.stem, json.loads(path.read_text(encoding="utf-8")))
        print(path_of(path.stem).relative_to(ROOT))
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
    CHART.write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
