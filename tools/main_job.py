# SPDX-License-Identifier: Apache-2.0
"""Plays every installed family at random: speeds as a table, one picture per family in a folder.

    python tools/main_job.py --out out --tasks 4 --seconds 0.5

Every task is played by a synchronous pool and by an asynchronous one. The speed is counted in
environment steps, resets included, and depends on the machine; compare within one table only.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import envpool
import gymnasium
import numpy as np
from envpool.errors import EnvPoolError
from gymnasium.vector.utils import batch_space
from PIL import Image
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

NUM_ENVS = 64
BATCH_SIZE = 32  # of the asynchronous pools
SLICES = 16  # different random batches of actions, used in turn


class Row(NamedTuple):
    """What was measured for one task: environment steps per second, or why there is no number."""

    family: str
    task_id: str
    sync: float = 0.0
    async_: float = 0.0
    error: str = ""


def main() -> int:
    """Plays and prints; the exit status is 1 if a task failed or no family is installed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the pictures")
    parser.add_argument("--tasks", type=int, default=8, help="tasks per family; 0: all")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each pool")
    options = parser.parse_args()
    console = Console()
    families = _families(options.tasks)
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows: list[Row] = []
    pictures: list[Path] = []
    with Progress(*bar, console=console) as progress:
        job = progress.add_task("", total=sum(map(len, families.values())))
        for family, tasks in families.items():
            for task_id in tasks:
                progress.update(job, description=task_id)
                rows.append(_measure(family, task_id, options.seconds))
                progress.advance(job)
            pictures += _picture(family, tasks, options.out)
    console.print(_table(rows))
    for path in pictures:
        console.print(f"picture: {path}")
    for failure in envpool.failures():
        console.print(f"[red]{failure}")
    return 0 if rows and not envpool.failures() and not any(row.error for row in rows) else 1


def _families(count: int) -> dict[str, list[str]]:
    """The task ids of every family, no more than `count` each, spread over its list."""
    families: dict[str, list[str]] = defaultdict(list)
    for task_id in envpool.list_all_envs():
        task = envpool.make_spec(task_id).task
        if task is not None and task.id == task_id:  # otherwise an alias
            families[task.env.split(".")[0]].append(task_id)
    if count == 0:
        return families
    return {name: ids[:: -(-len(ids) // count)] for name, ids in families.items()}


def _measure(family: str, task_id: str, seconds: float) -> Row:
    try:
        space = envpool.make_spec(task_id).action_space
        speeds = (_sync(task_id, space, seconds), _async(task_id, space, seconds))
    except (EnvPoolError, OSError) as error:
        return Row(family, task_id, error=str(error).splitlines()[0])
    return Row(family, task_id, *speeds)


def _sync(task_id: str, space: gymnasium.Space[Any], seconds: float) -> float:
    actions = _actions(space, NUM_ENVS)
    with envpool.make(task_id, num_envs=NUM_ENVS, seed=0) as pool:
        pool.reset()
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for action in actions:
                pool.step(action)
            steps += SLICES * NUM_ENVS
        return steps / (time.perf_counter() - start)


def _async(task_id: str, space: gymnasium.Space[Any], seconds: float) -> float:
    actions = _actions(space, BATCH_SIZE)
    with envpool.make(task_id, num_envs=NUM_ENVS, batch_size=BATCH_SIZE, seed=0) as pool:
        pool.async_reset()
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for action in actions:
                env_id = pool.recv()[-1]["env_id"]
                pool.send(action, env_id)
            steps += SLICES * BATCH_SIZE
        return steps / (time.perf_counter() - start)


def _actions(space: gymnasium.Space[Any], rows: int) -> list[Any]:
    batch = batch_space(space, rows)
    batch.seed(0)
    return [batch.sample() for _ in range(SLICES)]


def _picture(family: str, tasks: list[str], folder: Path) -> list[Path]:
    """Draws the family's first task that can be drawn; the paths of what was written."""
    for task_id in tasks:
        try:
            with envpool.make(task_id, render_mode="rgb_array", seed=0) as pool:
                pool.reset()
                frame: np.ndarray[Any, Any] = pool.render()[0]
        except EnvPoolError:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{family}-{task_id.replace('/', '-')}.png"
        Image.fromarray(frame).save(path)
        return [path]
    return []


def _table(rows: list[Row]) -> Table:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    table = Table(title=f"Environment steps per second ({machine})")
    table.add_column("family")
    table.add_column("task")
    table.add_column(f"sync, {NUM_ENVS} envs", justify="right")
    table.add_column(f"async, {NUM_ENVS} envs in batches of {BATCH_SIZE}", justify="right")
    for row in rows:
        speeds = [row.error, ""] if row.error else [f"{row.sync:,.0f}", f"{row.async_:,.0f}"]
        table.add_row(row.family, row.task_id, *speeds)
    return table


if __name__ == "__main__":
    sys.exit(main())
