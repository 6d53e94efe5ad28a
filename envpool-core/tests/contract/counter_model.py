# SPDX-License-Identifier: Apache-2.0
"""The results that the environment Counter must return, in a few lines of Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Env:
    """One environment as its caller knows it."""

    seed: int
    count: int = 0
    over: bool = True  # no episode is running
    life: int = 0


Row = tuple[int, int, int, int, float, bool, bool, int, int, int]
"""env_id, count, action, elapsed_step, reward, terminated, truncated, step_type, seed, life."""


COLUMNS = (
    "elapsed_step", "reward", "terminated", "trunc", "step_type", "info:seed", "info:life",
)  # fmt: skip


class Batch(dict[int, Row]):
    """Rows that come back together, by environment, in the order of the sends."""

    closed = False  # nothing is added any more


@dataclass
class Pool:
    """A pool of Counters: the environments in flight, and their expected rows.

    A synchronous pool returns batches as they were sent. Of an asynchronous one it is not known
    which rows share a batch: all that is in flight is one.
    """

    num_envs: int
    batch_size: int
    goal: int
    limit: int
    autoreset: str
    seed: int
    envs: list[Env] = field(init=False)
    batches: list[Batch] = field(default_factory=list)

    def __post_init__(self) -> None:
        """All environments, none reset."""
        self.envs = [Env(self.seed + i) for i in range(self.num_envs)]

    @property
    def synchronous(self) -> bool:
        """Whether every batch has all rows that were sent."""
        return self.batch_size == self.num_envs

    @property
    def flying(self) -> set[int]:
        """The environments that are in flight."""
        return {i for batch in self.batches for i in batch}

    def send(self, row: Row) -> None:
        """Sends a step: its row is in flight."""
        if not self.batches or self.batches[-1].closed:
            self.batches.append(Batch())
        self.batches[-1][row[0]] = row

    def reset(self, ids: list[int], seed: int | None = None) -> None:
        """Sends resets; results in flight of the same environments are dropped."""
        if self.flying & set(ids):
            for batch in self.batches:
                batch.closed = True
                for i in ids:
                    batch.pop(i, None)
            self.batches = [batch for batch in self.batches if batch]
        for i in ids:
            if seed is not None:
                self.envs[i] = Env(seed + i)
            env = self.envs[i]
            env.count, env.over = 0, False
            self.send((i, 0, 0, 0, 0.0, False, False, 0, env.seed, env.life))

    def step(self, ids: list[int], actions: list[int]) -> None:
        """Sends actions."""
        for i, action in zip(ids, actions, strict=True):
            env = self.envs[i]
            if env.over:
                self.reset([i])
                continue
            env.count += 1
            env.life += 1
            terminated = 0 < self.goal <= env.count
            truncated = env.count >= self.limit
            env.over = terminated or truncated
            shown = (env.count, action, env.count, float(env.count))
            if env.over and self.autoreset == "same_step":
                shown = (0, 0, 0, float(env.count))
                env.count = 0
            kind = 2 if env.over else 1
            env.over = env.over and self.autoreset != "same_step"
            self.send((i, *shown, terminated, truncated, kind, env.seed, env.life))

    def may_step(self, i: int) -> bool:
        """Whether an action may be sent to an environment now."""
        return i not in self.flying and not (self.autoreset == "disabled" and self.envs[i].over)

    def can_receive(self, more: int = 0) -> bool:
        """Whether there is a batch to wait for, once `more` environments are sent."""
        return len(self.flying) + more >= (1 if self.synchronous else self.batch_size)

    def receive(self, result: dict[str, Any], newest: bool = False) -> None:
        """Compares a result with the expected rows, and removes them from the list.

        Raises:
            AssertionError: If it is anything else.
        """
        rows = self._rows(result)
        if self.synchronous:
            expected = self.batches.pop(-1 if newest else 0).values()
            assert rows == [self._shown(row, result) for row in expected]
            return
        assert len(rows) == self.batch_size
        assert rows == [self._shown(self.batches[0].pop(row[0]), result) for row in rows]
        self.batches = [batch for batch in self.batches if batch]

    def close(self) -> None:
        """The next send belongs to another batch, if the pool is synchronous."""
        if self.synchronous and self.batches:
            self.batches[-1].closed = True

    def receive_of(self, result: dict[str, Any], ids: list[int]) -> None:
        """Compares the result of an asynchronous reset, and removes its rows from the list.

        Raises:
            AssertionError: If it is anything else than a row for each of the environments.
        """
        flying = self.batches[0]
        assert self._rows(result) == [self._shown(flying.pop(i), result) for i in ids]
        self.batches = [batch for batch in self.batches if batch]

    @staticmethod
    def _rows(result: dict[str, Any]) -> list[Any]:
        values = [result["info:env_id"].tolist(), *result["obs"].T.tolist()]
        values += [result[name].tolist() for name in COLUMNS if name in result]
        return list(zip(*values, strict=True))

    @staticmethod
    def _shown(row: Row, result: dict[str, Any]) -> tuple[Any, ...]:
        """A row in the form of a result: not every kind of pool has seed and life."""
        has = [True] * 3 + [name in result for name in COLUMNS]
        return tuple(value for value, shown in zip(row, has, strict=True) if shown)
