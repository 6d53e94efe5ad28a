# SPDX-License-Identifier: Apache-2.0
"""Plays every installed family at random: speeds as a table, an image of every task in a folder.

    python tools/main_job.py --out out --tasks 20 --seconds 0.5

Every task is played by a synchronous pool and by an asynchronous one. The speed is counted in
environment steps, resets included, and depends on the machine; compare within one table only. Tasks
that wait for programs of their own play in few environments; those that need a file of the user's,
as their spec notes by "needs", or options, are listed without a speed.
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
from envpool.errors import ConfigError, EnvPoolError, RenderError, WorkerError
from envpool.registration import registry
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

NUM_ENVS = 64
NUM_BLOCKING = 8  # environments that wait for something else, as a program for each
HUGE = 1e6  # a bound that no environment means to be reached
SLICES = 16  # different random batches of actions, used in turn


class Row(NamedTuple):
    """What was measured for one task: environment steps per second, or why there is no number."""

    family: str
    task_id: str
    sync: float = 0.0
    async_: float = 0.0
    error: str = ""
    needs: str = ""


def main() -> int:
    """Plays and prints; the exit status is 1 if a task failed or no family is installed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the images")
    parser.add_argument("--tasks", type=int, default=20, help="tasks per family; 0: all")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each pool")
    options = parser.parse_args()
    console = Console()
    families = _families(options.tasks)
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows: list[Row] = []
    images = 0
    with Progress(*bar, console=console) as progress:
        job = progress.add_task("", total=sum(map(len, families.values())))
        for family, tasks in families.items():
            for task_id in tasks:
                progress.update(job, description=task_id)
                rows.append(_measure(family, task_id, options.seconds))
                images += _image(task_id, options.out)
                progress.advance(job)
    console.print(_table(rows))
    console.print(f"{images} images are in {options.out}")
    for failure in envpool.failures():
        console.print(f"[red]{failure}")
    return 0 if rows and not envpool.failures() and not any(row.error for row in rows) else 1


def _families(count: int) -> dict[str, list[str]]:
    """The task ids of every family, no more than `count` each, spread over its list."""
    families: dict[str, list[str]] = defaultdict(list)
    for task in registry.tasks():
        families[task.env.split(".")[0].removeprefix("envpool_")].append(task.id)
    if count == 0:
        return families
    return {name: ids[:: -(-len(ids) // count)] for name, ids in families.items()}


def _measure(family: str, task_id: str, seconds: float) -> Row:
    try:
        try:
            spec = envpool.make_spec(task_id)
        except ConfigError:
            return Row(family, task_id, needs="options of your own")
        if needs := spec.notes.get("needs", ""):
            return Row(family, task_id, needs=needs)
        count = NUM_BLOCKING if spec.env.step_kind == "blocking" else NUM_ENVS
        speeds = (
            _sync(task_id, spec.action_space, count, seconds),
            _async(task_id, spec.action_space, count, seconds),
        )
    except (EnvPoolError, OSError) as error:
        return Row(family, task_id, error=str(error).splitlines()[0])
    return Row(family, task_id, *speeds)


def _sync(task_id: str, space: gymnasium.Space[Any], count: int, seconds: float) -> float:
    actions = _actions(space, count)
    with envpool.make(task_id, num_envs=count, seed=0) as pool:
        pool.reset()
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for action in actions:
                pool.step(action)
            steps += SLICES * count
        return steps / (time.perf_counter() - start)


def _async(task_id: str, space: gymnasium.Space[Any], count: int, seconds: float) -> float:
    actions = _actions(space, count // 2)
    with envpool.make(task_id, num_envs=count, batch_size=count // 2, seed=0) as pool:
        pool.async_reset()
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for action in actions:
                env_id = pool.recv()[-1]["env_id"]
                pool.send(action, env_id)
            steps += SLICES * count // 2
        return steps / (time.perf_counter() - start)


def _actions(space: gymnasium.Space[Any], rows: int) -> list[Any]:
    if isinstance(space, gymnasium.spaces.Box):
        # Forces of up to 1e10, as LQR's, end in a simulation that is not valid. Where there are no
        # bounds, values are drawn around 0.
        low = np.where(space.low < -HUGE, -np.inf, space.low)
        high = np.where(space.high > HUGE, np.inf, space.high)
        space = gymnasium.spaces.Box(low, high, dtype=space.dtype.type)
    batch = batch_space(space, rows)
    batch.seed(0)
    return [batch.sample() for _ in range(SLICES)]


def _image(task_id: str, folder: Path) -> bool:
    """Draws a task after a few steps; whether it can be drawn."""
    try:
        with envpool.make(task_id, render_mode="rgb_array", seed=0) as pool:
            pool.reset()
            for action in _actions(pool.action_space, 1):
                pool.step(action)
            frame: NDArray[np.uint8] = pool.render()[0]
    except (ConfigError, RenderError, WorkerError):  # what draws may not be installed
        return False
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(frame).save(folder / f"{task_id.replace('/', '-')}.png")
    return True


def _table(rows: list[Row]) -> Table:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    pools = f"{NUM_ENVS} environments, {NUM_BLOCKING} that wait; async: in batches of half as many"
    table = Table(title="Environment steps per second", caption=f"{pools}\n{machine}")
    for name, right in (("family", False), ("task", False), ("sync", True), ("async", True)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in rows:
        text = row.error or (row.needs and f"needs {row.needs}")
        speeds = [text, ""] if text else [f"{row.sync:,.0f}", f"{row.async_:,.0f}"]
        table.add_row(row.family, row.task_id, *speeds)
    return table


if __name__ == "__main__":
    sys.exit(main())
