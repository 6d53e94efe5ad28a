# SPDX-License-Identifier: Apache-2.0
"""SimulatorPool: a pool of environments that can only begin an episode and step.

Steps are counted, episodes are cut off at the limit, and the next episodes begin, as the engine
does it for compiled environments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arguments import ActionRows, Ids
from .in_flight import Rows
from .python_pool import PythonPool

if TYPE_CHECKING:
    from .._backend import CompiledArray


class Answer(NamedTuple):
    """The answers of some environments to a reset, or to a step.

    Attributes:
        ids: The environments, int32 of shape (rows,).
        arrays: The environment's own arrays by name, as "obs" and "info:x", a row for each.
        reward: Numbers of shape (rows,); 0 for a reset.
        terminated: Whether a terminal state was reached, bool of shape (rows,).
        truncated: Whether the environment itself cuts the episode off.
    """

    ids: Ids
    arrays: Mapping[str, NDArray[Any]]
    reward: Any = 0.0
    terminated: Any = False
    truncated: Any = False


class SimulatorPool(PythonPool):
    """A pool whose rows are read from a simulator: a subclass sends requests and reads answers.

    A subclass writes `ask_reset`, `ask_step` and `answers`. Each environment answers its requests
    in their order; it has one at a time.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        state: Sequence[CompiledArray],
        action: Sequence[CompiledArray],
        task_id: str,
        autoreset_mode: str,
    ) -> None:
        """Opens the pool; see `PythonPool`."""
        self._limit: int = config["max_episode_steps"]
        self._own = [array[0] for array in state if array[7]]
        super().__init__(config, state, action, task_id, autoreset_mode)

    def ask_reset(self, ids: Ids, seeds: Sequence[int | None]) -> None:
        """Asks environments to begin episodes; those with a seed begin their generators anew."""
        raise NotImplementedError

    def ask_step(self, ids: Ids, action: Mapping[str, NDArray[Any]]) -> None:
        """Asks environments for a step; the arrays of the action have a row for each."""
        raise NotImplementedError

    def answers(self, seconds: float | None) -> Iterable[Answer]:
        """Waits for answers of some environments, at most so many seconds (None: no limit).

        A subclass calls `fail` for environments that failed.
        """
        raise NotImplementedError

    def open(self) -> None:
        """No environment has an episode; a subclass that has more to open does it before this."""
        self._elapsed = np.zeros(self.num_envs, np.int32)
        self._resets = np.zeros(self.num_envs, np.bool_)  # the request in flight is a reset
        self._over = np.zeros(self.num_envs, np.bool_)  # the next step is a reset
        self._is_new = np.ones(self.num_envs, np.bool_)  # it has not received its seed
        self._ended: dict[int, Rows] = {}  # last rows of episodes, while their resets are in flight

    def begin_episodes(self, ids: Ids, seeds: list[int] | None) -> None:
        """Asks for resets."""
        given: list[int | None] = [*(seeds or [])] or [None] * len(ids)
        for i, env_id in enumerate(ids.tolist()):
            if self._is_new[env_id] and given[i] is None:
                given[i] = int(self.seeds[env_id])
        self._is_new[ids] = self._over[ids] = False
        self._resets[ids] = True
        self.ask_reset(ids, given)

    def begin_steps(self, ids: Ids, action: ActionRows) -> None:
        """Asks for steps; where an episode is over, for a reset."""
        over = self._over[ids]
        if over.any():
            self.begin_episodes(ids[over], None)
            rows = np.flatnonzero(~over)
            ids, action = ids[rows], action.take(rows, ids[rows], self.arguments.per_player)
        if len(ids):
            self._resets[ids] = False
            self.ask_step(ids, action.arrays)

    def collect(self, seconds: float | None) -> None:
        """Reads answers and makes rows of them."""
        for answer in self.answers(seconds):
            self._take_answer(answer)

    def fail(self, ids: Ids, text: str) -> None:
        """Marks environments as failed: they begin anew, with their last seed."""
        self._is_new[ids] = True
        for env_id in ids.tolist():
            self._ended.pop(env_id, None)
        super().fail(ids, text)

    def _take_answer(self, answer: Answer) -> None:
        ids = np.asarray(answer.ids, np.int32)
        count, resets = len(ids), self._resets[ids]
        elapsed = np.where(resets, 0, self._elapsed[ids] + 1).astype(np.int32)
        self._elapsed[ids] = elapsed
        terminated = np.broadcast_to(answer.terminated, count) & ~resets
        truncated = (np.broadcast_to(answer.truncated, count) | (elapsed >= self._limit)) & ~resets
        done = terminated | truncated
        rows = Rows(
            ids,
            {
                **{name: np.asarray(answer.arrays[name]) for name in self._own},
                "elapsed_step": elapsed,
                "reward": np.where(resets, 0, answer.reward).astype(np.float32),
                "terminated": terminated,
                "trunc": truncated,
                "done": done,
                "discount": np.where(terminated, 0, 1).astype(np.float32),
                "step_type": np.where(resets, 0, np.where(done, 2, 1)).astype(np.int32),
            },
        )
        if self.mode == "same_step":
            self._deliver_same_step(rows)
        else:
            self._over[ids] = done
            self.deliver(rows)

    def _deliver_same_step(self, rows: Rows) -> None:
        """Rows that end an episode wait for the first observation of the next episode."""
        shown = (*self._own, "elapsed_step")
        for name in shown:
            rows.arrays[f"final {name}"] = np.zeros_like(rows.arrays[name])
        for i, env_id in enumerate(rows.ids.tolist()):
            ended = self._ended.pop(env_id, None)
            if ended is None:
                continue
            for name in ("reward", "terminated", "trunc", "done", "discount", "step_type"):
                rows.arrays[name][i] = ended.arrays[name][0]
            for name in shown:
                rows.arrays[f"final {name}"][i] = ended.arrays[name][0]
        over = rows.arrays["done"] & ~self._resets[rows.ids]
        for row in np.flatnonzero(over).tolist():
            self._ended[int(rows.ids[row])] = rows.take(slice(row, row + 1))
        if over.any():
            self.begin_episodes(rows.ids[over], None)
        if not over.all():
            self.deliver(rows.take(~over))
