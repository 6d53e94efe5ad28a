# SPDX-License-Identifier: Apache-2.0
"""`envpool ray bench`: how fast a task is on the actors of a cluster."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import typer


def add_commands(app: typer.Typer) -> None:
    """Adds the group `ray`."""
    group = typer.Typer(help="Pools on Ray.", no_args_is_help=True)

    @group.callback()
    def ray() -> None:
        """Pools on Ray."""

    group.command("bench")(bench)
    app.add_typer(group, name="ray")


def bench(
    task_id: Annotated[str, typer.Argument(help="A task of any family.")],
    num_envs: Annotated[int, typer.Option(help="Environments of all actors.")] = 64,
    batch_size: Annotated[int, typer.Option(help="Rows of a batch; 0: all.")] = 0,
    num_actors: Annotated[int, typer.Option(help="0: one for each node.")] = 0,
    num_threads: Annotated[int, typer.Option(help="Of an actor; 0: its CPUs.")] = 0,
    address: Annotated[str, typer.Option(help="The cluster; empty: a local one.")] = "",
    seconds: Annotated[float, typer.Option(help="How long to measure.")] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Measures steps per second of a pool on Ray, at random actions, and what each actor does."""
    from rich.console import Console
    from rich.table import Table

    from ._tasks import make

    with make(
        task_id,
        num_envs=num_envs,
        batch_size=batch_size,
        num_actors=num_actors,
        num_threads=num_threads,
        address=address,
    ) as pool:
        facts = measure(pool, seconds)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    table = Table(title=f"{task_id}: {facts['steps_per_second']:,.0f} steps per second")
    for column in ("actor", "threads", "steps/s", "busy", "restarts"):
        table.add_column(column, justify="right")
    for row in facts["actors"]:
        busy = f"{row['busy']:.0%}"
        cells = (row["actor"], row["threads"], f"{row['steps_per_second']:,.0f}", busy)
        table.add_row(*map(str, cells), str(row["restarts"]))
    Console().print(table)


def measure(pool: Any, seconds: float) -> dict[str, Any]:
    """Steps of a pool for so many seconds, after some to warm up."""
    space = pool.action_space
    pool.async_reset()
    actions: dict[int, Any] = {}

    def turn() -> int:
        info = pool.recv()[-1]
        rows = len(info["players"]["env_id"])
        if rows not in actions:
            actions[rows] = _batch([space.sample() for _ in range(rows)])
        action = actions[rows]
        if isinstance(action, dict):
            action = {**action, "players.env_id": info["players"]["env_id"]}
        pool.send(action, info["env_id"])
        return len(info["env_id"])

    for _ in range(5):
        turn()
    workers = pool._compiled._group.workers
    before = [(worker.steps, worker.seconds) for worker in workers]
    since, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - since) < seconds:
        count += turn()
    rows = [
        {
            "actor": worker.index,
            "threads": worker.threads,
            "steps_per_second": (worker.steps - steps) / passed,
            "busy": (worker.seconds - used) / passed,
            "restarts": worker.restarts,
        }
        for worker, (steps, used) in zip(workers, before, strict=True)
    ]
    return {"steps_per_second": count / passed, "seconds": passed, "actors": rows}


def _batch(samples: list[Any]) -> Any:
    import numpy as np

    if isinstance(samples[0], dict):
        return {key: _batch([sample[key] for sample in samples]) for key in samples[0]}
    return np.asarray(samples)
