# SPDX-License-Identifier: Apache-2.0
"""Pools on two actors against one pool in this process, work done by hand on Ray, and RLlib's own.

Actors of all have one thread each. RLlib's rows need `ray[rllib]` and PyTorch, Pong's ale-py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from comparison import Comparison, Report, Row, Settings, Side, figure, mode, take_turns

FILE = Path(__file__).with_name("speed_sides.py")
ONE = "one pool, 2 threads"


def ours(task: str, num_envs: int, batch_size: int, num_actors: int = 2) -> Side:
    """A pool on actors."""
    options = {"num_envs": num_envs, "batch_size": batch_size, "num_actors": num_actors}
    return Side("ours", {"task": task, **options}, "pool", FILE)


def rows(task: str, num_envs: int, hand: dict[str, str], goal: float | None) -> Iterator[Row]:
    """Both modes; by hand there is only one."""
    for batch_size in (num_envs, num_envs // 2):
        local = {"task": task, "num_envs": num_envs, "batch_size": batch_size, "num_threads": 2}
        sides = [ours(task, num_envs, batch_size), Side(ONE, local)]
        goals: dict[str, float] = {}
        if batch_size == num_envs:
            for name, function in hand.items():
                options: dict[str, Any] = {"num_envs": num_envs, "num_actors": 2}
                sides.append(Side(name, {"function": function, **options}, "by_hand", FILE))
                goals |= {name: 3.0} if goal else {}
        else:
            goals |= {ONE: goal} if goal else {}
        yield Row((task, str(num_envs), mode(num_envs, batch_size)), batch_size, sides, goals)


def runner_row(task: str, wrappers: str, own: str, goal: float | None, **pool: Any) -> Row:
    """RLlib's env runners, with what they have and with our pools."""
    options = {"task": task, "num_envs": 64, "num_actors": 2}
    sides = [
        Side("ours", {**options, "own": "", **pool}, "runners", FILE),
        Side("RLlib's own", {**options, "own": own}, "runners", FILE),
    ]
    return Row((task, wrappers), 64 * 16, sides, goal)


@dataclass(frozen=True)
class AddedActors:
    """The time that an actor adds to a step of one environment in each, and a line fitted to it."""

    title: str = "One environment in each actor"
    counts: tuple[int, ...] = (1, 2, 4, 8, 16, 32)

    def measure(self, settings: Settings) -> list[Report]:
        """Measures each number of actors."""
        report = Report(self.title, ("actors", "us/step", "us/actor", "CPU us, actors and all"), 0)
        counts = [count for count in self.counts if settings.wants(f"{count} actors")]
        times = []
        for count in counts:
            row = Row(
                (), 1, [ours("CartPole-v1", count, count, count), Side("", {}, "nothing", FILE)]
            )
            step, empty = take_turns(row, settings.rounds or 5, settings.seconds or 0.5)
            times.append(float(np.median(step.wall)))
            cells = (times[-1], times[-1] / count, float(np.median(step.cpu)))
            report.add(str(count), *map(figure, cells))
            report.notes = [
                f"A call of an actor that does nothing takes {np.median(empty.wall):.0f} us"
            ]
        if len(counts) > 1:
            # By relative errors: else the longest, of actors that wait for CPUs, would decide.
            slope, base = np.polyfit(counts, times, 1, w=1 / np.asarray(times))
            report.notes.append(f"Model of a step: {base:.0f} us + {slope:.0f} us for each actor")
        return [report]


BY_HAND = {
    "ray.remote, AtariVectorEnv": "ale",
    "ray.remote, SyncVectorEnv": "gymnasium_atari",
}
TABLES = [
    Comparison(
        "Two actors",
        ("task", "envs", "mode"),
        [
            *rows("Pong-v5", 64, BY_HAND, 0.85),
            *rows("CartPole-v1", 64, {"ray.remote, SyncVectorEnv": "cartpole"}, None),
            *rows("CartPole-v1", 4096, {}, None),
        ],
        rounds=5,
        seconds=1.0,
    ),
    Comparison(
        "RLlib's env runners",
        ("task", "wrappers"),
        [
            # Ours as those: they begin after up to 30 frames, and end an episode with a life.
            runner_row(
                "Pong-v5",
                "RLlib's wrappers",
                "with_rllibs_wrappers",
                3.0,
                noop_max=30,
                episodic_life=True,
            ),
            runner_row(
                "Pong-v5", "Gymnasium's wrappers", "with_gymnasiums_wrappers", None, images=False
            ),
            runner_row("CartPole-v1", "no wrappers", "cart_pole", None),
        ],
        rounds=5,
        seconds=1.0,
    ),
    AddedActors(),
]
