# SPDX-License-Identifier: Apache-2.0
"""Rollouts: the rows of each environment of a pool, grouped for a comparison of any two pools.

A row is one environment's part of every array of one result, by the array's full name, copied. A
rollout has the rows of each environment in the order in which they came, whatever the batches were.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._specs.arrays import observation_paths, split, state_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._pools.base import EnvPoolMixin
    from ._actions import ActionPlan

Row = dict[str, "NDArray[Any]"]
Rollout = dict[int, list[Row]]

RECV_TIMEOUT = 60.0
"""The longest time of a batch, in seconds; then the environment counts as stuck."""

FLAGS = ("reward", "terminated", "trunc", "discount", "step_type")
"""Arrays that a step has and a reset lacks, in some env type."""


class Actor:
    """Drives a pool: counts the steps and players of each environment, and keeps its rows."""

    def __init__(self, pool: EnvPoolMixin, plan: ActionPlan) -> None:
        """Sends nothing yet; assumes that every environment needs a reset."""
        self.pool: Any = pool
        self.plan = plan
        self.rows: Rollout = {i: [] for i in range(len(pool))}
        self.steps = dict.fromkeys(range(len(pool)), 0)
        self._players = dict.fromkeys(range(len(pool)), 1)

    def moment(self) -> tuple[dict[int, int], dict[int, int]]:
        """The place of every environment in the plan, for `go_back` of this actor or another."""
        return dict(self.steps), dict(self._players)

    def go_back(self, moment: tuple[dict[int, int], dict[int, int]]) -> None:
        """Continues the plan from there; the caller restores the pool."""
        self.steps, self._players = map(dict, moment)

    def action(self, env_ids: Sequence[int] | None = None) -> Any:
        """The next actions of some environments, or of all."""
        return self.plan.batch(self._ids(env_ids), self.steps, self._players)

    def reset(self, env_ids: Sequence[int] | None = None, seed: Any = None) -> dict[int, Row]:
        """Resets some environments, or all, and keeps the rows."""
        keywords: dict[str, Any] = {} if seed is None else {"seed": seed}
        if env_ids is not None:
            keywords["env_id"] = np.asarray(env_ids, np.int32)
        return self.keep(self.pool.reset(**keywords))

    def step(self, env_ids: Sequence[int] | None = None) -> dict[int, Row]:
        """Takes the next planned step in some environments, or all, and keeps the rows."""
        arguments = () if env_ids is None else (np.asarray(env_ids, np.int32),)
        return self.keep(self.pool.step(self.action(env_ids), *arguments))

    def run(self, steps: int) -> Rollout:
        """Starts a new episode everywhere and steps until every environment has `steps` steps.

        An asynchronous pool may give some environments more.

        Returns:
            The rows since the start, the rows of the resets first.
        """
        self.rows = {i: [] for i in range(len(self.pool))}
        if not self.pool.is_async:
            self.reset()
            for _ in range(steps):
                self.step()
            return self.rows
        self.pool.async_reset()
        deadline = time.monotonic() + RECV_TIMEOUT
        while min(map(len, self.rows.values())) <= steps:
            new = self.keep(self.pool.recv(timeout=RECV_TIMEOUT))
            if max(map(len, self.rows.values())) <= 100 * (steps + 1):
                deadline = time.monotonic() + RECV_TIMEOUT
            elif time.monotonic() > deadline:  # not by counts: a first frame may take a second
                counts = {env_id: len(rows) for env_id, rows in self.rows.items()}
                raise AssertionError(
                    f"{self.pool!r}: results by environment are {counts}. Environments that were "
                    "sent first must not wait for ever while others come back again and again."
                )
            self.pool.send(self.action(list(new)), np.asarray(list(new), np.int32))
        return self.rows

    def keep(self, result: Any) -> dict[int, Row]:
        """Adds a result to the rows; returns its rows by environment, in the result's order."""
        new = rows_of(self.pool, result)
        for env_id, row in new.items():
            before = self.rows[env_id][-1] if self.rows[env_id] else None
            self.rows[env_id].append(row)
            # The action at the end of an episode is not taken, so it is planned again.
            self.steps[env_id] += not is_first(row, before)
            self._players[env_id] = len(row["info:players.env_id"])
        return new

    def _ids(self, env_ids: Sequence[int] | None) -> Sequence[int]:
        return range(len(self.pool)) if env_ids is None else env_ids


def is_first(row: Row, before: Row | None = None) -> bool:
    """Whether a row is the start of an episode, not a step.

    Args:
        row: The row.
        before: The row before it, or None. An episode that continues the last one begins with
            the last one's count.
    """
    if "step_type" in row:
        return bool(row["step_type"] == 0)
    start: Any = 0
    if before is not None and is_last(before) and not before.get("trunc", False):
        start = before.get("elapsed_step", 0)
    return bool(row["elapsed_step"] in (0, start)) and not is_last(row)


def is_last(row: Row) -> bool:
    """Whether an episode ended in a row."""
    if "step_type" in row:
        return bool(row["step_type"] == 2)
    return bool(row.get("terminated", False)) or bool(row.get("trunc", False))


def rows_of(pool: EnvPoolMixin, result: Any) -> dict[int, Row]:
    """The rows of one result, by environment, in the order of the result."""
    arrays = columns(pool, result)
    owners = np.asarray(arrays["info:players.env_id"])
    specs = pool.spec.state_array_spec
    rows: dict[int, Row] = {}
    for number, env_id in enumerate(np.asarray(arrays["info:env_id"]).tolist()):
        mine = np.flatnonzero(owners == env_id)
        rows[env_id] = {
            name: array[mine] if specs[name].per_player else np.array(array[number])
            for name, array in arrays.items()
        }
    return rows


def columns(pool: EnvPoolMixin, result: Any) -> dict[str, NDArray[Any]]:
    """The arrays of one result of `step`, `recv` or `reset`, by their names in the spec."""
    names = list(pool.spec.state_array_spec)
    if pool.env_type == "dm":
        state = state_tree(names, {name: name for name in names})
        arrays = dict(zip(leaves(state).values(), leaves(result.observation).values(), strict=True))
        return arrays | {
            "step_type": result.step_type,
            "reward": result.reward,
            "discount": result.discount,
        }
    obs, info = result[0], result[-1]
    paths = observation_paths(names)
    lone = len(paths) == 1
    if isinstance(obs, tuple):  # of choices: see Task.tuple_choices
        obs = np.stack(obs, axis=1).astype(pool.spec.state_array_spec["obs"].dtype)
    arrays = {name: obs if lone else at(obs, path) for name, path in paths.items()}
    for name, array in arrays.items():
        spec = pool.spec.state_array_spec[name]
        if isinstance(array, tuple) and spec.dtype == np.uint8:  # of strings: see Task.texts
            (size,) = spec.item_shape
            rows = [text.encode("latin-1").ljust(size, b"\0") for text in array]
            arrays[name] = np.array([np.frombuffer(row, np.uint8) for row in rows])
    if pool.env_type == "vector":  # row i is environment i, so the info has no ids
        info = info | {"env_id": np.arange(len(pool), dtype=np.int32)}
        info["players"] = info.get("players", {}) | {"env_id": info["env_id"]}
    arrays |= {name: at(info, split(name)[1]) for name in names if split(name)[0] == "info"}
    arrays["elapsed_step"] = info["elapsed_step"]
    if len(result) == 5:
        arrays |= {"reward": result[1], "terminated": result[2], "trunc": result[3]}
    return arrays


def final_rows(pool: EnvPoolMixin, result: Any) -> dict[int, Row]:
    """The last rows of episodes that ended in a step, for a pool with autoreset_mode="same_step".

    Has the observation, the info and the step counter only; for pools of env type "gymnasium".
    """
    info = result[4]
    rows = rows_of(pool, (info["final_obs"], info["final_info"]))
    ended = info["_final_obs"].tolist()
    return {env_id: row for (env_id, row), over in zip(rows.items(), ended, strict=True) if over}


def at(tree: Any, path: str) -> Any:
    """The leaf of nested dicts with this dotted name."""
    for key in path.split("."):
        tree = tree[key]
    return tree


def leaves(tree: Any, path: str = "") -> dict[str, Any]:
    """The leaves of nested dicts and tuples, by path."""
    items: Iterable[tuple[Any, Any]]
    if isinstance(tree, dict):
        items = tree.items()
    elif isinstance(tree, tuple):
        items = zip(getattr(tree, "_fields", range(len(tree))), tree, strict=True)
    else:
        return {path: tree}
    found: dict[str, Any] = {}
    for key, leaf in items:
        found |= leaves(leaf, f"{path}.{key}" if path else str(key))
    return found


def difference(got: Rollout, expected: Rollout, names: Iterable[str] | None = None) -> str | None:
    """The first difference of two rollouts, in words, or None if they are equal bit for bit.

    Args:
        got: One rollout.
        expected: The other rollout; only as many rows as both have are compared.
        names: The arrays to compare; None: those that both have.
    """
    for env_id in sorted(got.keys() & expected.keys()):
        pairs = zip(got[env_id], expected[env_id], strict=False)
        for number, (ours, theirs) in enumerate(pairs):
            found = row_difference(ours, theirs, names)
            if found is not None:
                return f"env {env_id}, result {number} after the reset: {found}"
    return None


def row_difference(got: Row, expected: Row, names: Iterable[str] | None = None) -> str | None:
    """The difference of two rows, in words, or None."""
    for name in (name for name in got if name in expected) if names is None else names:
        ours, theirs = np.asarray(got[name]), np.asarray(expected[name])
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return (
                f"{name!r} is {ours.dtype}{list(ours.shape)} "
                f"and not {theirs.dtype}{list(theirs.shape)}"
            )
        for index, one, other in _elements(ours, theirs):
            return f"{name!r}{index} is {one} and not {other}"
    return None


def _elements(ours: NDArray[Any], theirs: NDArray[Any]) -> Iterator[tuple[str, Any, Any]]:
    """The elements that differ in two arrays of one dtype and shape."""
    if ours.dtype == object:
        for index in np.ndindex(ours.shape):
            one, other = ours[index], theirs[index]
            if one is None or other is None:
                same = one is other
            else:
                same = row_difference({"": one}, {"": other}) is None
            if not same:
                yield str(list(index)), one, other
        return
    # Bits, not values: a NaN equals itself, and 0.0 is not -0.0.
    if ours.tobytes() == theirs.tobytes():
        return
    for index in np.ndindex(ours.shape):
        if ours[index].tobytes() != theirs[index].tobytes():
            yield str(list(map(int, index))) if index else "", ours[index], theirs[index]
