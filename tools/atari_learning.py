# SPDX-License-Identifier: Apache-2.0
"""Does examples/ppo_atari.py learn the same from ours as from EnvPool 1.2.5?

    python tools/atari_learning.py --steps 300000 --seeds 3 --docs

Both sides run the same file with the same seeds, at the same time, each with one thread. Compared
are checksums of all weights after every update, of every observation, and of every step's rewards,
flags, lives, scores and RAM; the exit code is 1 if anything differs but the screens on which a game
ended, where EnvPool 1.2.5 shows an older one. Needs the packages of this checkout in the running
Python, with ale-py and JAX; the original is installed once, in .nox/peer-jax. Without arguments it
takes about two minutes.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _blocks import fill, table
from _drawing import WIDTH, svg
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "atari.md"
CURVES = ROOT / "docs" / "images" / "learning.svg"
PEER = "EnvPool 1.2.5"
TITLE = f"PPO: mean score of a game while it learns, from ours and from {PEER}"
WINDOWS = 25  # points of a curve
HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 340, 60, 60, 20, 50


class Run(NamedTuple):
    """What a learner has written; see tools/_atari_learner.py.

    Attributes:
        images: Checksums of observations, (steps + 1, num_envs).
        rest: Checksums of everything else, (steps + 1,).
        over: Where a game ended, as `images`.
        ends: When each game ended, in environment steps.
        scores: What it had scored.
        digests: Checksums of the weights after each update.
        pool: Wall and CPU seconds in the pool.
        total: The same of the whole run.
    """

    images: NDArray[np.int64]
    rest: NDArray[np.int64]
    over: NDArray[np.bool_]
    ends: NDArray[np.int64]
    scores: NDArray[np.float64]
    digests: NDArray[np.int64]
    pool: NDArray[np.float64]
    total: NDArray[np.float64]

    def curve(self, steps: int) -> list[tuple[float, float]]:
        """Environment steps, and the mean score of the games that ended around then."""
        window = steps / WINDOWS
        points = []
        for number in range(WINDOWS):
            scores = self.scores[np.ceil(self.ends / window) == number + 1]
            if len(scores):
                points.append(((number + 0.5) * window, float(scores.mean())))
        return points

    def part(self, steps: int, first: float, last: float) -> float:
        """The mean score of the games that ended in a part of the steps; nan if there is none."""
        chosen = self.scores[(self.ends > first * steps) & (self.ends <= last * steps)]
        return float(chosen.mean()) if len(chosen) else float("nan")


class Pair(NamedTuple):
    """Ours and theirs, with the same seed."""

    seed: int
    ours: Run
    theirs: Run

    def equal_updates(self) -> int:
        """After how many updates, from the first, all weights are equal."""
        return _equal(self.ours.digests, self.theirs.digests)

    def equal_steps(self) -> int:
        """For how many steps, from the first, all is equal but the screens where a game ended."""
        images = (self.ours.images == self.theirs.images) | self.ours.over
        return min(_equal(self.ours.rest, self.theirs.rest), _equal(images.all(axis=1), True))

    def other_images(self) -> int:
        """How many observations differ."""
        return int((self.ours.images != self.theirs.images).sum())

    def same(self) -> bool:
        """Whether nothing differs that should not."""
        updates, steps = self.equal_updates(), self.equal_steps()
        return updates == len(self.ours.digests) and steps == len(self.ours.rest)


def _equal(a: NDArray[Any], b: Any) -> int:
    """How many entries are equal before the first that is not."""
    different = a != b
    return int(different.argmax()) if different.any() else len(a)


def peer_python() -> str:
    """The Python of an environment with the original EnvPool and the same JAX; made once."""
    folder = ROOT / ".nox" / "peer-jax"
    python = str(folder / "bin" / "python")
    same = [f"{name}=={importlib.metadata.version(name)}" for name in ("jax", "jaxlib", "numpy")]
    complete = folder / "complete"
    if not complete.exists() or complete.read_text() != " ".join(same):
        venv.create(folder, with_pip=True, clear=True)
        command = [python, "-m", "pip", "install", "-q", "envpool==1.2.5", *same]
        subprocess.run(command, check=True)
        complete.write_text(" ".join(same))
    return python


def play(task: str, steps: int, seed: int, peer: str, out: Path) -> Pair:
    """Runs both sides with a seed."""
    learner = str(ROOT / "tools" / "_atari_learner.py")
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"seed{seed}-{side}.npz" for side in ("ours", "theirs")]
    learners = []
    for python, path in zip((sys.executable, peer), paths, strict=True):
        command = [python, learner, task, str(steps), str(seed), str(path)]
        with path.with_suffix(".log").open("w") as log:
            learners.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))
    codes = [one.wait() for one in learners]
    for code, path in zip(codes, paths, strict=True):
        if code != 0:
            sys.exit(f"a run has failed:\n{path.with_suffix('.log').read_text()[-2000:]}")
    runs = []
    for path in paths:
        with np.load(path) as arrays:
            runs.append(Run(**{name: arrays[name] for name in Run._fields}))
    return Pair(seed, *runs)


def figures(steps: int, pairs: Sequence[Pair]) -> list[list[str]]:
    """What was compared, in rows: its name, and a cell for each seed."""

    def both(ours: float, theirs: float, digits: int) -> str:
        return " / ".join(f"{x:.{digits}f}" if x == x else "-" for x in (ours, theirs))

    names = [
        "updates with equal weights",
        "steps with equal results",
        "screens that differ",
        "games",
        "score, first tenth, ours / theirs",
        "score, last tenth, ours / theirs",
        "CPU seconds in the pool, ours / theirs",
        "CPU seconds in all, ours / theirs",
    ]
    columns = [
        (
            f"{pair.equal_updates()} of {len(pair.ours.digests)}",
            f"{pair.equal_steps():,} of {len(pair.ours.rest):,}",
            f"{pair.other_images():,} of {pair.ours.images.size:,}",
            f"{len(pair.ours.scores):,}",
            both(pair.ours.part(steps, 0, 0.1), pair.theirs.part(steps, 0, 0.1), 2),
            both(pair.ours.part(steps, 0.9, 1), pair.theirs.part(steps, 0.9, 1), 2),
            both(pair.ours.pool[1], pair.theirs.pool[1], 0),
            both(pair.ours.total[1], pair.theirs.total[1], 0),
        )
        for pair in pairs
    ]
    return [list(row) for row in zip(names, *columns, strict=True)]


def shown(task: str, steps: int, pairs: Sequence[Pair]) -> Table:
    """The figures, to be printed."""
    result = Table(title=f"PPO on {task}, {steps:,} environment steps, ours and {PEER}")
    result.add_column("")
    for pair in pairs:
        result.add_column(f"seed {pair.seed}", justify="right")
    for row in figures(steps, pairs):
        result.add_row(*row)
    return result


def write_page(steps: int, pairs: Sequence[Pair]) -> None:
    """Puts the figures into the page."""
    columns = ["", *(f"seed {pair.seed}" for pair in pairs)]
    text = table(columns, figures(steps, pairs))
    fill(PAGE, lambda name, _: text if name == "learning" else None)


def draw(task: str, steps: int, pairs: Sequence[Pair]) -> str:
    """The curves: theirs broad and pale, ours thin on top of them."""
    curves = [(pair.ours.curve(steps), pair.theirs.curve(steps)) for pair in pairs]
    scores = [score for pair in curves for curve in pair for _, score in curve]
    low, high = min(0.0, *scores), max(1.0, *scores)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(step: float) -> float:
        return LEFT + step / steps * (right - LEFT)

    def y(score: float) -> float:
        return bottom - (score - low) / (high - low) * (bottom - TOP)

    def line(name: str, curve: Sequence[tuple[float, float]]) -> str:
        points = "L".join(f"{x(step):.1f} {y(score):.1f}" for step, score in curve)
        return f'<path class="{name}" stroke-linejoin="round" d="M{points}"/>'

    def text(x: float, y: float, words: str, style: str = 'class="m" font-size="11"') -> str:
        return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{words}</text>'

    parts = [
        text(20, 30, f"{task}: mean score of a game, a line for each seed", 'font-weight="600"')
    ]
    for score in np.arange(np.ceil(low), high + 1e-9, max(1, round((high - low) / 6))):
        parts.append(
            f'<line class="l" x1="{LEFT}" x2="{right}" y1="{y(score):.1f}" y2="{y(score):.1f}"/>'
        )
        parts.append(text(LEFT - 24, y(score) + 4, f"{score:g}"))
    for part in range(6):
        anchor = 'class="m" font-size="11" text-anchor="middle"'
        step = steps * part / 5
        parts.append(text(x(step), bottom + 18, f"{step / 1000:,.0f}", anchor))
    parts.append(text(LEFT, bottom + 36, "thousand environment steps"))
    for _, theirs in curves:
        parts.append(line("n", theirs))
    for ours, _ in curves:
        parts.append(line("a", ours))
    for at, name, label in ((520, "n", PEER), (650, "a", "ours")):
        parts.append(f'<path class="{name}" d="M{at} 26h24"/>')
        parts.append(text(at + 30, 30, label))
    return svg(TITLE, HEIGHT, parts)


def main() -> None:
    """Learns, and prints the table and draws the curves after every seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--task", default="Breakout-v5")
    parser.add_argument("--steps", type=int, default=20_000, help="of all environments")
    parser.add_argument("--seeds", type=int, default=1, help="how many: 1, 2, ...")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "learning")
    parser.add_argument("--docs", action="store_true", help="put the results into docs/")
    parser.add_argument("--peer", help="a Python that has EnvPool 1.2.5 and the same JAX")
    options = parser.parse_args()
    peer = options.peer or peer_python()
    pairs: list[Pair] = []
    for seed in range(1, options.seeds + 1):
        pairs.append(play(options.task, options.steps, seed, peer, options.out))
        Console(width=140).print(shown(options.task, options.steps, pairs))
        if options.docs:
            CURVES.write_text(draw(options.task, options.steps, pairs), encoding="utf-8")
            write_page(options.steps, pairs)
    sys.exit(0 if all(pair.same() for pair in pairs) else 1)


if __name__ == "__main__":
    main()
