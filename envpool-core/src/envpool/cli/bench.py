# SPDX-License-Identifier: Apache-2.0
"""`envpool bench`: how fast a pool is on this machine, alone or beside Gymnasium's own.

Both sides take turns, round by round, so that both see the same machine; quoted are medians over
the rounds. Actions are drawn beforehand, so drawing them is not part of the time.
"""

from __future__ import annotations

import enum
import os
import statistics
import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.table import Table

from .._pools.make import make
from ..errors import ConfigError
from ._output import count, print_json, progress, show
from ._tasks import AsJson, Settings, TaskId, find, parse

ROUNDS = 7
# Batches of actions that are drawn beforehand, and used again and again.
_BATCHES = 64
# Calls between two looks at the clock are so many that they take about this long, in seconds.
_GLANCE = 0.002


class Peer(str, enum.Enum):
    """What a pool can be compared with."""

    GYMNASIUM = "gymnasium"


class Round(NamedTuple):
    """What one side did in one round.

    Attributes:
        calls: Calls of `step`.
        steps: Rows that they returned.
        wall: Seconds of time.
        cpu: Seconds of CPU time that this process used.
    """

    calls: int
    steps: int
    wall: float
    cpu: float


class Side:
    """One of the sides: how it steps, and the rounds so far."""

    def __init__(self, name: str, call: Callable[[], int]) -> None:
        """Keeps a function that takes one step and returns the number of rows that came back."""
        self.name = name
        self.rounds: list[Round] = []
        self._call = call
        self._chunk = 1

    def run(self, seconds: float) -> Round:
        """Steps for so long."""
        call, calls, steps = self._call, 0, 0
        cpu, start = time.process_time(), time.perf_counter()
        now = start
        while now - start < seconds:
            before = now
            for _ in range(self._chunk):
                steps += call()
            calls += self._chunk
            now = time.perf_counter()
            if now - before < _GLANCE / 2:
                self._chunk *= 2
        return Round(calls, steps, now - start, time.process_time() - cpu)

    def facts(self) -> dict[str, Any]:
        """Medians over the rounds, and the rounds."""
        rates = [done.steps / done.wall for done in self.rounds]
        return {
            "name": self.name,
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
    task_id: TaskId,
    num_envs: Annotated[int, typer.Option(min=1, help="Environments in the pool.")] = 64,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Rows of a result; fewer than num-envs: asynchronous.")
    ] = None,
    num_threads: Annotated[
        int, typer.Option(min=0, help="Threads; 0: as many as the task is best served with.")
    ] = 0,
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds for each side, in all.")] = 3.0,
    versus: Annotated[Peer | None, typer.Option("--vs", help="Take turns with this peer.")] = None,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast a task is stepped with random actions."""
    find(task_id)
    config: dict[str, Any] = {**parse(settings), "num_envs": num_envs, "num_threads": num_threads}
    config["batch_size"] = batch_size or num_envs
    with make(task_id, **config) as pool:
        sides = [Side("envpool", _pool_call(pool))]
        threads = pool._compiled.num_threads
        envs = None
        if versus is not None:
            envs = _gymnasium_envs(task_id, num_envs)
            sides.append(Side("gymnasium", _gymnasium_call(envs)))
        try:
            _take_turns(sides, seconds)
        finally:
            if envs is not None:
                envs.close()
    facts = {
        "task": task_id,
        "num_envs": num_envs,
        "batch_size": config["batch_size"],
        "num_threads": threads,
        "cpus": os.cpu_count() or 1,
        "seconds": seconds,
        "sides": [side.facts() for side in sides],
    }
    if envs is not None:
        facts["peer"] = type(envs.unwrapped).__name__
        ours, theirs = facts["sides"]
        facts["ratio"] = ours["steps_per_second"] / theirs["steps_per_second"]
    if as_json:
        print_json(facts)
    else:
        _print(facts)


def _take_turns(sides: list[Side], seconds: float) -> None:
    """Runs the rounds: all sides once to warm up, then in turns."""
    share = seconds / ROUNDS
    total = (ROUNDS + 1) * len(sides)
    with progress() as bar:
        task = bar.add_task("measuring", total=total, visible=total * share > 1)
        for number in range(ROUNDS + 1):
            for side in sides:
                done = side.run(share)
                if number:
                    side.rounds.append(done)
                bar.update(task, advance=1, refresh=True)


def _pool_call(pool: Any) -> Callable[[], int]:
    rows = pool.config["batch_size"]
    if pool.config["max_num_players"] != 1:
        return _players_call(pool)
    actions = _actions(pool.action_space, rows)
    turn = 0
    if not pool.is_async:
        pool.reset()

        def step() -> int:
            nonlocal turn
            turn = (turn + 1) % _BATCHES
            pool.step(actions[turn])
            return int(rows)

        return step
    pool.async_reset()

    def recv_and_send() -> int:
        nonlocal turn
        turn = (turn + 1) % _BATCHES
        env_id = pool.recv()[4]["env_id"]
        pool.send(actions[turn], env_id)
        return int(rows)

    return recv_and_send


def _players_call(pool: Any) -> Callable[[], int]:
    """The same for several players: as many rows of a batch of actions as there are players now."""
    from ..testing import random_rows

    rows = pool.config["batch_size"]
    most = rows * pool.config["max_num_players"]
    rng = np.random.default_rng(0)
    own = list(pool.spec.own_actions.items())
    batches = [random_rows(pool.spec, rows, most, rng) for _ in range(_BATCHES)]
    actions = [batch if isinstance(batch, dict) else {own[0][0]: batch} for batch in batches]
    per_player = [name for name, array in own if array.per_player]
    turn = 0

    def action(info: Any) -> dict[str, Any]:
        nonlocal turn
        turn = (turn + 1) % _BATCHES
        players = len(info["players"]["env_id"])
        return actions[turn] | {name: actions[turn][name][:players] for name in per_player}

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


def _gymnasium_envs(task_id: str, num_envs: int) -> Any:
    """Gymnasium's fastest within a process: its own vectorised version, else one after another."""
    import gymnasium

    try:
        return gymnasium.make_vec(task_id, num_envs=num_envs)
    except gymnasium.error.Error as error:
        raise ConfigError(
            f"bench {task_id} --vs gymnasium",
            f"{type(error).__name__}: {error}",
            "tasks that this Gymnasium can make",
            "Leave --vs out, or install what the text names",
        ) from error


def _gymnasium_call(envs: Any) -> Callable[[], int]:
    actions = _actions(envs.single_action_space, envs.num_envs)
    envs.reset(seed=0)
    turn = 0

    def step() -> int:
        nonlocal turn
        turn = (turn + 1) % _BATCHES
        envs.step(actions[turn])
        return int(envs.num_envs)

    return step


def _actions(space: Any, rows: int) -> list[Any]:
    from ..testing import random_actions  # Gymnasium and dm_env come with it

    rng = np.random.default_rng(0)
    return [random_actions(space, rows, rng) for _ in range(_BATCHES)]


def _print(facts: dict[str, Any]) -> None:
    batches = f" in batches of {facts['batch_size']}"
    mode = "" if facts["batch_size"] == facts["num_envs"] else batches
    envs, threads = count(facts["num_envs"], "environment"), count(facts["num_threads"], "thread")
    cpus = count(facts["cpus"], "CPU")
    table = Table(box=None, pad_edge=True, padding=(0, 1, 0, 2), header_style="dim")
    table.add_column("", no_wrap=True)
    for title in ("steps/s", "slowest .. fastest", "µs per call", "CPU ns per step"):
        table.add_column(title, justify="right", no_wrap=True)
    for side in facts["sides"]:
        table.add_row(
            f"[cyan]{side['name']}[/]",
            f"[bold]{_rate(side['steps_per_second'])}[/]",
            f"{_rate(side['slowest_round'])} .. {_rate(side['fastest_round'])}",
            _number(side["microseconds_per_call"]),
            _number(side["cpu_nanoseconds_per_step"]),
        )
    head = f"[bold green]{facts['task']}[/]  {envs}{mode}, at most {threads}, {cpus}"
    note = f"[dim]medians of {ROUNDS} rounds[/]"
    if "ratio" in facts:
        times = f"[bold]{_number(facts['ratio'])}[/] times the steps of {facts['peer']}"
        note = f"{times} [dim](medians of {ROUNDS} rounds, in turns)[/]"
    show(head, table, note)


def _rate(value: float) -> str:
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.3g}"


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
