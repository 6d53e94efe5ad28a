# SPDX-License-Identifier: Apache-2.0
"""`envpool bench`: the speed of pools on this machine.

The numbers are medians over rounds. Actions are drawn beforehand, so drawing them takes no measured
time.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.table import Table

from .._pools.make import make
from ..errors import EnvPoolError
from ._output import complain, count, errors, print_json, progress, show
from ._tasks import AsJson, Settings, find, ids_like, parse

ROUNDS = 7
# Batches of actions that are drawn beforehand and used repeatedly.
_BATCHES = 64
# The time between two readings of the clock, in seconds, determines the number of calls.
_POLL_INTERVAL = 0.002
# The load per CPU, in waiting programs, from which on the machine counts as busy.
_BUSY = 0.5


class Round(NamedTuple):
    """The counts and times of a round.

    Attributes:
        calls: Calls of `step`.
        steps: Rows that these calls returned.
        wall: Seconds of time.
        cpu: Seconds of CPU time that this process used.
    """

    calls: int
    steps: int
    wall: float
    cpu: float


class Stepper:
    """A step function of a pool, and the rounds measured so far."""

    def __init__(self, call: Callable[[], int]) -> None:
        """Keeps a function that takes one step and returns the number of rows that came back."""
        self.rounds: list[Round] = []
        self._call = call
        self._chunk = 1

    def run(self, seconds: float) -> Round:
        """Steps for so many seconds."""
        call, calls, steps = self._call, 0, 0
        cpu, start = time.process_time(), time.perf_counter()
        now = start
        while now - start < seconds:
            before = now
            for _ in range(self._chunk):
                steps += call()
            calls += self._chunk
            now = time.perf_counter()
            if now - before < _POLL_INTERVAL / 2:
                self._chunk *= 2
        return Round(calls, steps, now - start, time.process_time() - cpu)

    def facts(self) -> dict[str, Any]:
        """Medians over the rounds, and the rounds."""
        rates = [done.steps / done.wall for done in self.rounds]
        return {
            "steps_per_second": statistics.median(rates),
            "slowest_round": min(rates),
            "fastest_round": max(rates),
            "microseconds_per_call": statistics.median(
                1e6 * done.wall / done.calls for done in self.rounds
            ),
            "cpu_nanoseconds_per_step": statistics.median(
                1e9 * done.cpu / done.steps for done in self.rounds
            ),
            "rounds": [done._asdict() for done in self.rounds],
        }


def bench(
    tasks: Annotated[
        list[str],
        typer.Argument(
            metavar="TASK...", help="Task ids, as CartPole-v1.", autocompletion=ids_like
        ),
    ],
    num_envs: Annotated[int, typer.Option(min=1, help="Environments in a pool.")] = 64,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Rows of a result; fewer than num-envs: asynchronous.")
    ] = None,
    num_threads: Annotated[
        str,
        typer.Option(
            metavar="N[,N...]",
            help="Threads, as 1,2,4 to measure with each; 0: as many as the task is best served "
            "with.",
        ),
    ] = "0",
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds for each side, in all.")] = 3.0,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast tasks are stepped with random actions."""
    threads = _threads(num_threads)
    for task_id in tasks:
        find(task_id)
    busy = _busy()
    runs: list[dict[str, Any]] = []
    failed: list[dict[str, str]] = []
    for task_id in tasks:
        for number in threads:
            config = {**parse(settings), "num_envs": num_envs, "num_threads": number}
            config["batch_size"] = batch_size or num_envs
            try:
                runs.append(_measure(task_id, config, seconds))
            except EnvPoolError as error:
                if len(tasks) == 1:
                    raise
                failed.append({"task": task_id, "message": str(error)})
                complain(error)
                break  # it fails with any number of threads
            if not as_json:
                if len(runs) > 1:
                    show("")
                _print(runs[-1])
    if as_json:
        print_json({"busy": busy, "runs": runs, "failed": failed})
    elif busy:
        errors().print(f"\n[yellow]The machine is busy: {busy}. The figures are too low.[/]")
    if failed:
        raise typer.Exit(1)


def _threads(text: str) -> list[int]:
    try:
        threads = [int(word) for word in text.split(",")]
    except ValueError:
        threads = [-1]
    if min(threads) < 0:
        raise typer.BadParameter(f"{text!r} is no list as 1,2,4", param_hint="--num-threads")
    return threads


def _busy() -> str | None:
    """The evidence that other programs want the CPUs; None if there is none."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):  # this system does not report the load
        return None
    cpus = os.cpu_count() or 1
    busy = load > max(_BUSY * cpus, 0.75)
    return f"{load:.1f} programs on {count(cpus, 'CPU')} in the last minute" if busy else None


def _measure(task_id: str, config: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The facts of a task with a number of threads."""
    with make(task_id, **config) as pool:
        stepper = Stepper(_pool_call(pool))
        share = seconds / ROUNDS
        with progress() as bar:
            total = ROUNDS + 1  # the first one warms up
            task = bar.add_task(f"measuring {task_id}", total=total, visible=total * share > 1)
            for number in range(total):
                done = stepper.run(share)
                if number:
                    stepper.rounds.append(done)
                bar.update(task, advance=1, refresh=True)
        return {
            "task": task_id,
            "num_envs": config["num_envs"],
            "batch_size": config["batch_size"],
            "num_threads": pool.compiled.num_threads,
            "cpus": os.cpu_count() or 1,
            "seconds": seconds,
            **stepper.facts(),
        }


def _pool_call(pool: Any) -> Callable[[], int]:
    rows = pool.config["batch_size"]
    if pool.config["max_num_players"] != 1:
        return _players_call(pool)
    actions = _actions(pool.action_space, rows)
    index = 0
    if not pool.is_async:
        pool.reset()

        def step() -> int:
            nonlocal index
            index = (index + 1) % _BATCHES
            pool.step(actions[index])
            return int(rows)

        return step
    pool.async_reset()

    def recv_and_send() -> int:
        nonlocal index
        index = (index + 1) % _BATCHES
        env_id = pool.recv()[4]["env_id"]
        pool.send(actions[index], env_id)
        return int(rows)

    return recv_and_send


def _players_call(pool: Any) -> Callable[[], int]:
    """The same for several players: each step takes as many action rows as there are players."""
    from ..testing import random_rows

    rows = pool.config["batch_size"]
    most = rows * pool.config["max_num_players"]
    rng = np.random.default_rng(0)
    own = list(pool.spec.own_actions.items())
    batches = [random_rows(pool.spec, rows, most, rng) for _ in range(_BATCHES)]
    actions = [batch if isinstance(batch, dict) else {own[0][0]: batch} for batch in batches]
    per_player = [name for name, array in own if array.per_player]
    index = 0

    def action(info: Any) -> dict[str, Any]:
        nonlocal index
        index = (index + 1) % _BATCHES
        players = len(info["players"]["env_id"])
        return actions[index] | {name: actions[index][name][:players] for name in per_player}

    if pool.is_async:
        pool.async_reset()

        def recv_and_send() -> int:
            info = pool.recv()[4]
            pool.send(action(info), info["env_id"])
            return int(rows)

        return recv_and_send
    info = pool.reset()[-1]

    def step() -> int:
        nonlocal info
        info = pool.step(action(info))[4]
        return int(rows)

    return step


def _actions(space: Any, rows: int) -> list[Any]:
    from ..testing import random_actions  # it imports Gymnasium and dm_env

    rng = np.random.default_rng(0)
    return [random_actions(space, rows, rng) for _ in range(_BATCHES)]


def _print(facts: dict[str, Any]) -> None:
    batches = f" in batches of {facts['batch_size']}"
    mode = "" if facts["batch_size"] == facts["num_envs"] else batches
    envs, threads = count(facts["num_envs"], "environment"), count(facts["num_threads"], "thread")
    cpus = count(facts["cpus"], "CPU")
    table = Table(box=None, pad_edge=True, padding=(0, 1, 0, 2), header_style="dim")
    for title in ("steps/s", "slowest .. fastest", "µs per call", "CPU ns per step"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_row(
        f"[bold]{_rate(facts['steps_per_second'])}[/]",
        f"{_rate(facts['slowest_round'])} .. {_rate(facts['fastest_round'])}",
        _number(facts["microseconds_per_call"]),
        _number(facts["cpu_nanoseconds_per_step"]),
    )
    head = f"[bold green]{facts['task']}[/]  {envs}{mode}, at most {threads}, {cpus}"
    show(head, table, f"[dim]medians of {ROUNDS} rounds[/]")


def _rate(value: float) -> str:
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.3g}"


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
