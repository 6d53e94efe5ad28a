# SPDX-License-Identifier: Apache-2.0
"""Draws what ppo_pong.py and ppo_coinrun.py have logged: score over minutes.

    python draw_curve.py pong.svg EnvPool=pool.csv Gymnasium=gymnasium.csv
    python draw_curve.py coinrun.svg --low 0 --high 10 --title CoinRun new=coinrun.csv:held_out

A log is a CSV file with the columns of these; that of the score may be named. Curves with the name
of the first one are drawn as it is, the others in gray; a name is written once. With
`--x cpu_minutes` the time is that on a CPU, which a busy machine lengthens little.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from _drawing import WIDTH, svg

LEFT, RIGHT, TOP, HEIGHT = 60, 110, 50, 260


def main() -> None:
    """Writes the drawing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    parser.add_argument("logs", nargs="+", metavar="NAME=FILE[:COLUMN]")
    parser.add_argument("--x", choices=("minutes", "cpu_minutes", "steps"), default="minutes")
    parser.add_argument("--title", default="Pong: mean score of the last 40 games")
    parser.add_argument("--low", type=float, default=-21)
    parser.add_argument("--high", type=float, default=21)
    options = parser.parse_args()
    curves = []
    for log in options.logs:
        name, _, path = log.partition("=")
        path, _, column = path.partition(":")
        rows = csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines())
        points = [(float(row[options.x]), float(row[column or "score"])) for row in rows]
        kept = [point for point in points if not math.isnan(point[1])]
        curves.append((name.replace("-", " "), kept))
    longest = max(x for _, points in curves for x, _ in points)
    low, high = options.low, options.high

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * x / longest,
            TOP + HEIGHT * (high - y) / (high - low),
        )

    parts = [f'<text x="20" y="30" font-weight="600">{options.title}</text>']
    middle = (low + high) / 2
    for score in (low, (low + middle) / 2, middle, (middle + high) / 2, high):
        (x, y), (end, _) = at(0, score), at(longest, score)
        parts.append(f'<path class="l" d="M{x:.0f} {y:.1f}H{end:.0f}"/>')
        parts.append(
            f'<text class="m" x="{x - 8:.0f}" y="{y + 4:.1f}" text-anchor="end">{score:g}</text>'
        )
    written: dict[str, int] = {}
    for name, points in curves:
        first, new = name == curves[0][0], name not in written
        number = written.setdefault(name, len(written))
        line = "L".join("{:.1f} {:.1f}".format(*at(x, y)) for x, y in points)
        parts.append(f'<path class="{"a" if first else "n"}" d="M{line}"/>')
        x, y = at(*points[-1])
        if new:
            parts.append(f'<text x="{x + 8:.0f}" y="{y + 4 + 16 * number:.1f}">{name}</text>')
    for share in (0.5, 1.0):
        x, y = at(share * longest, low)
        unit = options.x.replace("_", " ")
        text = f"{share * longest:,.1f} {unit}"
        parts.append(
            f'<text class="m" x="{x:.0f}" y="{y + 22:.0f}" text-anchor="middle">{text}</text>'
        )
    options.out.write_text(svg(options.title, TOP + HEIGHT + 40, parts), encoding="utf-8")


if __name__ == "__main__":
    main()
