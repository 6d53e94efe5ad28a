# SPDX-License-Identifier: Apache-2.0
"""Plays a family at random; prints a table of speeds, and draws a sheet of pictures of some tasks.

    python tools/run_families.py classic --sheet out/run.png
    python tools/run_families.py atari --sheet out/run.png --tiles 6:12 --tasks 0 --seconds 0.5

Every task is played by a synchronous pool and by an asynchronous one. The speed is counted in
environment steps, resets included, and depends on the machine; compare only within a table. Tasks
that wait for other programs play in few environments; tasks that need a file of the user's,
as their spec notes by "needs", or options, are listed without a speed. A sheet has twelve tiles;
tiles of other families on an existing sheet stay.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import envpool
import numpy as np
from envpool.errors import ConfigError, EnvPoolError
from envpool.registration import registry
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageOps
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

sys.path.insert(0, str(Path(__file__).with_name("benchmarks")))
from sides import batches, pool

NUM_ENVS = 64
NUM_BLOCKING = 8  # environments that wait for another program each
SLICES = 16  # calls between two readings of the clock
COLUMNS, LINES = 4, 3  # of the sheet
TILE = (240, 200)  # pixels of a picture and its name
NAME_HEIGHT = 20


class Row(NamedTuple):
    """The measurement of a task: environment steps per second, or the reason for no number."""

    task_id: str
    sync: float = 0.0
    async_: float = 0.0
    error: str = ""
    needs: str = ""


def main() -> int:
    """Plays and prints; the exit status is 1 if a task failed or the family has none."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("family", help="as classic, or anyone's: of the package envpool_classic")
    parser.add_argument("--sheet", type=Path, default=Path("out/run.png"), help="of the pictures")
    parser.add_argument("--tiles", default=f"0:{COLUMNS * LINES}", help="of the sheet to draw on")
    parser.add_argument("--tasks", type=int, default=8, help="how many; 0: all")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each pool")
    options = parser.parse_args()
    first, last = map(int, options.tiles.split(":"))
    console = Console()
    every = [t.id for t in registry.tasks() if t.env.split(".")[0] == f"envpool_{options.family}"]
    tasks = _spread(every, options.tasks or len(every))
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows: list[Row] = []
    with Progress(*bar, console=console) as progress:
        job = progress.add_task("", total=len(tasks))
        for task_id in tasks:
            progress.update(job, description=task_id)
            rows.append(_measure(task_id, options.seconds))
            progress.advance(job)
    console.print(_table(options.family, rows, len(every)))
    drawn = _draw(options.sheet, first, _pictures(every, last - first))
    console.print(f"{drawn} pictures are in {options.sheet}")
    for failure in envpool.failures():
        console.print(f"[red]{failure}")
    return 0 if rows and not envpool.failures() and not any(row.error for row in rows) else 1


def _spread(tasks: list[str], count: int) -> list[str]:
    """`count` of the tasks, or all, at equal distances in the list."""
    step = max(1, len(tasks) / max(1, count))
    return [tasks[int(i * step)] for i in range(min(count, len(tasks)))]


def _measure(task_id: str, seconds: float) -> Row:
    try:
        try:
            spec = envpool.make_spec(task_id)
        except ConfigError:
            return Row(task_id, needs="options of your own")
        if needs := spec.notes.get("needs", ""):
            return Row(task_id, needs=needs)
        count = NUM_BLOCKING if spec.env.step_kind == "blocking" else NUM_ENVS
        sync, half = (_speed(task_id, count, rows, seconds) for rows in (count, count // 2))
    except (EnvPoolError, OSError) as error:
        return Row(task_id, error=str(error).splitlines()[0])
    return Row(task_id, sync, half)


def _speed(task_id: str, num_envs: int, rows: int, seconds: float) -> float:
    call = pool(task_id, num_envs, rows)
    steps, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        for _ in range(SLICES):
            call()
        steps += SLICES * rows
    return steps / passed


def _pictures(tasks: list[str], count: int) -> Iterator[tuple[str, Image.Image]]:
    """A frame of each of up to `count` drawable tasks, after a few steps."""
    chosen = _spread(tasks, count)
    found = 0
    for task_id in [*chosen, *(t for t in tasks if t not in chosen)][: 3 * count]:
        if found == count:
            return
        try:
            with envpool.make(task_id, render_mode="rgb_array", seed=0) as drawn:
                drawn.reset()
                for action in itertools.islice(batches(drawn.action_space, 1), SLICES):
                    drawn.step(action)
                frame: NDArray[np.uint8] = drawn.render()[0]
        except (EnvPoolError, OSError):  # a package or library for drawing may be missing
            continue
        found += 1
        yield task_id, Image.fromarray(frame)


def _draw(path: Path, first: int, pictures: Iterator[tuple[str, Image.Image]]) -> int:
    """Puts pictures on a sheet, from a tile on; returns their number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    width, height = TILE
    if path.exists() and first > 0:
        sheet = Image.open(path).convert("RGB")
    else:
        sheet = Image.new("RGB", (COLUMNS * width, LINES * height), "white")
    pen = ImageDraw.Draw(sheet)
    count = 0
    for count, (task_id, picture) in enumerate(pictures, 1):
        line, column = divmod(first + count - 1, COLUMNS)
        x, y = column * width, line * height
        tile = ImageOps.pad(picture, (width - 8, height - NAME_HEIGHT - 4), color="white")
        sheet.paste(tile, (x + 4, y + 4))
        pen.text((x + 8, y + height - NAME_HEIGHT + 4), task_id, fill="black")
    sheet.save(path)
    return count


def _table(family: str, rows: list[Row], total: int) -> Table:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    pools = f"{NUM_ENVS} environments, {NUM_BLOCKING} that wait; async: in batches of half as many"
    title = f"{family}: environment steps per second, {len(rows)} of {total} tasks"
    table = Table(title=title, caption=f"{pools}\n{machine}")
    for name, right in (("task", False), ("sync", True), ("async", True)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in rows:
        text = row.error or (row.needs and f"needs {row.needs}")
        speeds = [text, ""] if text else [f"{row.sync:,.0f}", f"{row.async_:,.0f}"]
        table.add_row(row.task_id, *speeds)
    return table


if __name__ == "__main__":
    sys.exit(main())
