# SPDX-License-Identifier: Apache-2.0
"""WorkerRows: what a worker answers; how it is joined, cut, ordered, and shown to the caller.

It comes in three parts: the observation as the caller will see it, the other arrays by their names,
and infos that only some environments have. All arrays have a row for each environment, or for each
player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from envpool.pool_backend import ALL_ROWS, Layout, Rows, merge_infos
from numpy.typing import NDArray

from .wire.shared_buffers import BufferRows, join_rows

if TYPE_CHECKING:
    from envpool.typing import CompiledArray

ENV_ID = "info:env_id"
PLAYERS = "info:players.env_id"
DONE = "done"
RESTARTED = "info:actor_restarted"
FINAL_RESTARTED = f"final {RESTARTED}"


class WorkerLayout(NamedTuple):
    """The arrays that workers are asked for, so that the results of a pool can be built of them."""

    step: Any
    reset: Any
    """The layouts, as `PoolBackend.set_result_layouts` gets them."""
    names: tuple[str, ...]
    """Arrays that workers send."""
    obs: Any
    """The layout of the observation, where it stands for itself; else it is among the names."""
    final_obs: Any
    """The layout of the observation at the end of an episode; None if there is none."""

    @classmethod
    def of(cls, step: Any, reset: Any, own: Sequence[str], several: bool) -> WorkerLayout:
        """A plan for two layouts.

        Args:
            step: The layout of `step`.
            reset: The layout of `reset`.
            own: Arrays that the pool adds itself.
            several: Whether there are several players.
        """
        apart = _is_gymnasium(step)
        obs = step[0] if apart else None
        final_obs = step[-1].get("final_obs") if apart else None
        found = {ENV_ID, DONE} | ({PLAYERS} if several else set())
        for layout in (step, reset):
            rest = _without_obs(layout) if apart else layout
            _collect(rest, found)
        names = sorted(found - {*own, *(f"final {name}" for name in own)})
        return cls(step, reset, tuple(names), obs, final_obs)

    @property
    def arrays(self) -> list[str]:
        """All arrays that workers send, by their names in layouts."""
        found = {*self.names}
        for layout in (self.obs, self.final_obs):
            _collect(layout, found)
        return sorted(found)

    @property
    def obs_names(self) -> list[str]:
        """The arrays of the observation that stands for itself, in the order of its layout."""
        found: list[str] = []
        _map(found.append, self.obs)
        return found

    @property
    def obs_tree(self) -> Any:
        """That observation, with the places of its arrays behind those of the names."""
        return numbered(self.obs, len(self.names))

    @property
    def worker_layout(self) -> Any:
        """The layout that the pool in a worker gets."""
        same_step = {"_final_obs": DONE, "final_obs": self.final_obs, "final_info": {}}
        # The last part is a dict, so that families may add their infos to it.
        return (self.obs, self.names, {} if self.final_obs is None else same_step)


class PlayerRows(NamedTuple):
    """Which arrays have a row for each player."""

    names: frozenset[str]
    obs: bool


class WorkerRows(Rows):
    """Results of environments. Arrays in shared memory are built when they are used.

    Attributes:
        ids: The environment of each row; unlike that among the arrays, no caller can change it.
        info: Infos that only some environments have, with "final_obs" and "final_info".
        owner: The number of the worker that it is an answer of; None: it was put together here.
        players: The environment of each player's row; None if there is one player in each.
    """

    __slots__ = (
        "_columns", "_lying", "_names", "_obs", "_per_player", "info", "owner", "players"
    )  # fmt: skip

    def __init__(
        self,
        obs: Any,
        columns: dict[str, NDArray[Any]],
        info: dict[str, Any],
        per_player: PlayerRows,
        owner: int | None = None,
    ) -> None:
        """Keeps its parts.

        Args:
            obs: The observation: an array, or a tree of dicts and tuples of arrays; maybe None.
            columns: The other arrays, by name.
            info: See above.
            per_player: Which arrays have a row for each player.
            owner: See above.
        """
        self._obs, self.info, self.owner, self._per_player = obs, info, owner, per_player
        self._columns: dict[str, NDArray[Any]] | None = columns
        self._lying: BufferRows | None = None
        self._names: Sequence[str] = ()
        self._keep_ids()

    @classmethod
    def lying(
        cls,
        lying: BufferRows,
        names: Sequence[str],
        obs: Any,
        per_player: PlayerRows,
        owner: int | None,
    ) -> WorkerRows:
        """Rows in shared memory.

        Args:
            lying: The places of their arrays.
            names: The names of their arrays; those of the observation follow.
            obs: The observation, with the places of arrays for them.
            per_player: See above.
            owner: See above.
        """
        rows = cls.__new__(cls)
        rows._obs, rows._columns, rows.info, rows.owner = obs, None, {}, owner
        rows._lying, rows._names, rows._per_player = lying, names, per_player
        rows._keep_ids()
        return rows

    @property
    def obs(self) -> Any:
        """The observation: an array, or a tree of dicts and tuples of arrays; maybe None."""
        return self._built()._obs

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The other arrays, by name."""
        columns = self._built()._columns
        assert columns is not None
        return columns

    def column(self, name: str) -> NDArray[Any]:
        """One of these."""
        if self._columns is None and self._lying is not None:
            return self._lying.array(self._names.index(name))
        return self.columns[name]

    def done(self) -> NDArray[np.bool_]:
        """Whether the episode of each has ended."""
        return self.column(DONE)

    def take(self, index: Any) -> WorkerRows:
        """Some of these rows, by positions, a slice or a mask."""
        is_mask = isinstance(index, np.ndarray) and index.dtype == np.bool_
        rows = np.flatnonzero(index) if is_mask else index
        players = self._player_rows(rows)
        names, obs_is_per_player = self._per_player
        of_obs = players if obs_is_per_player else rows
        info = {}
        for key, value in self.info.items():
            info[key] = _map(lambda a: _pick(a, rows), value)
        if self.info.get("final_obs") is not None:
            info["final_obs"] = _map(lambda a: _pick(a, of_obs), self.info["final_obs"])
        columns = {
            name: column[players if name.removeprefix("final ") in names else rows]
            for name, column in self.columns.items()
        }
        columns[ENV_ID] = self.ids[rows]
        if self.players is not None:
            columns[PLAYERS] = self.players[players]
        obs = _map(lambda a: _pick(a, of_obs), self.obs)
        return WorkerRows(obs, columns, info, self._per_player)

    def _keep_ids(self) -> None:
        self.ids = self.column(ENV_ID).copy()
        self.players: NDArray[np.int32] | None = None
        if PLAYERS in (self._names or self.columns):
            self.players = self.column(PLAYERS).copy()

    def _built(self) -> WorkerRows:
        if self._columns is None and self._lying is not None:
            arrays = self._lying.arrays()
            self._columns = dict(zip(self._names, arrays, strict=False))
            self._obs = with_arrays(self._obs, arrays)
            mark_restarted(self._columns, len(self.ids))
        return self

    def _player_rows(self, rows: Any) -> Any:
        players = self.players
        if players is None:
            return rows
        wanted = self.ids[rows]
        order = np.argsort(players, kind="stable")
        first = np.searchsorted(players[order], wanted)
        beyond = np.searchsorted(players[order], wanted, side="right")
        parts = [order[a:b] for a, b in zip(first, beyond, strict=True)]
        return np.concatenate(parts) if parts else np.zeros(0, np.intp)


def no_rows(
    layout: WorkerLayout, results: Sequence[CompiledArray], per_player: PlayerRows
) -> WorkerRows:
    """Rows of no environment, of arrays as they are described."""
    arrays = {}
    for name, dtype, shape, *_ in results:
        item = shape[1:] if shape[:1] == (-1,) else shape
        arrays[name] = arrays[f"final {name}"] = np.zeros((0, *item), dtype)
    info = {}
    if layout.final_obs is not None:
        info["final_obs"] = _map(arrays.__getitem__, layout.final_obs)
    columns = {name: arrays[name] for name in layout.names}
    mark_restarted(columns, 0)
    return WorkerRows(_map(arrays.__getitem__, layout.obs), columns, info, per_player)


def mark_restarted(columns: dict[str, NDArray[Any]], rows: int) -> None:
    """Adds what only pools on Ray say: whether workers were replaced. They were not."""
    columns[RESTARTED] = np.zeros(rows, np.bool_)
    columns[FINAL_RESTARTED] = np.zeros(rows, np.bool_)


def join(parts: Sequence[WorkerRows]) -> WorkerRows:
    """All rows, one part after the other; the one part itself, if it is alone."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    lying = [part._lying for part in parts if part._lying is not None and part._columns is None]
    if len(lying) == len(parts) and (together := join_rows(lying)) is not None:
        return WorkerRows.lying(together, first._names, first._obs, first._per_player, None)
    found = [part.columns for part in parts]
    columns = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
    obs = _join([part.obs for part in parts])
    finals = [part.info.get("final_obs") for part in parts]
    rest = [{k: v for k, v in part.info.items() if k != "final_obs"} for part in parts]
    info = _join_infos(rest, [len(part.ids) for part in parts])
    if finals[0] is not None:
        info["final_obs"] = _join(finals)
    return WorkerRows(obs, columns, info, first._per_player)


class ResultBuilder:
    """Builds what a caller gets: a layout with arrays in the places of their names."""

    def __init__(self, tree: Any) -> None:
        """Looks into the layout once, since each batch is shown."""
        self._apart = _is_gymnasium(tree)
        self._same_step = self._apart and "final_obs" in tree[-1]
        if self._apart:
            self._info = Layout({k: v for k, v in tree[-1].items() if k != "final_obs"})
            tree = tree[1:-1]
        self._rest = Layout(tree)
        layouts = [self._rest, self._info] if self._apart else [self._rest]
        self._has_all_rows = any(layout.has_all_rows for layout in layouts)

    def of(self, rows: WorkerRows) -> Any:
        """The result."""
        arrays = rows.columns
        if self._has_all_rows:
            arrays = {**arrays, ALL_ROWS: np.ones(len(rows.ids), np.bool_)}
        if not self._apart:
            return self._rest.build(arrays)
        info = self._info.build(arrays)
        for key, value in rows.info.items():
            if key == "final_obs" and self._same_step:
                info[key] = value
            elif key == "final_info" and self._same_step:
                merge_infos(info[key], value)
            elif key not in ("final_obs", "_final_obs", "final_info"):
                merge_infos(info, {key: value})
        return (rows.obs, *self._rest.build(arrays), info)


def without_arrays(tree: Any, arrays: list[NDArray[Any]]) -> Any:
    """A tree with numbers in place of its arrays, which are put at those places of the list."""

    def put(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray) or leaf.dtype.kind not in "biufc":
            return leaf
        arrays.append(leaf)
        return len(arrays) - 1

    return _map(put, tree) if type(tree) is not np.ndarray else put(tree)


def numbered(layout: Any, first: int) -> Any:
    """A layout with numbers in place of its names, as `without_arrays` has for arrays."""
    numbers = count(first)
    return _map(lambda name: next(numbers), layout)


def with_arrays(tree: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """The tree of `without_arrays` with its arrays."""
    if type(tree) is int:
        return arrays[tree]
    return _map(lambda leaf: arrays[leaf] if type(leaf) is int else leaf, tree)


def _is_gymnasium(layout: Any) -> bool:
    return isinstance(layout, tuple) and isinstance(layout[-1], dict)


def _without_obs(layout: Any) -> Any:
    return (*layout[1:-1], {k: v for k, v in layout[-1].items() if k != "final_obs"})


def _collect(layout: Any, found: set[str]) -> None:
    if isinstance(layout, str):
        if layout != "*":
            found.add(layout)
    elif isinstance(layout, dict):
        for leaf in layout.values():
            _collect(leaf, found)
    elif isinstance(layout, (tuple, list)):
        for leaf in layout:
            if not isinstance(leaf, type):
                _collect(leaf, found)


def _is_texts(tree: Any) -> bool:
    """Whether this is not a tuple of arrays but a batch of texts."""
    return isinstance(tree, tuple) and bool(tree) and isinstance(tree[0], str)


def _map(function: Callable[[Any], Any], tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _map(function, leaf) for key, leaf in tree.items()}
    if isinstance(tree, tuple) and not _is_texts(tree):
        return tuple(_map(function, leaf) for leaf in tree)
    return tree if tree is None else function(tree)


def _pick(leaf: Any, rows: Any) -> Any:
    if not isinstance(leaf, tuple):
        return leaf[rows]
    return leaf[rows] if isinstance(rows, slice) else tuple(leaf[row] for row in rows)


def _join(trees: Sequence[Any]) -> Any:
    first = trees[0]
    if isinstance(first, dict):
        return {key: _join([tree[key] for tree in trees]) for key in first}
    if isinstance(first, tuple):
        if any(map(_is_texts, trees)):
            return tuple(text for tree in trees for text in tree)
        return tuple(map(_join, zip(*trees, strict=True)))
    return None if first is None else np.concatenate(trees)


def _join_infos(infos: Sequence[dict[str, Any]], sizes: Sequence[int]) -> dict[str, Any]:
    """Infos of several batches; where a batch lacks one, it is what no environment has."""
    return _join_as(_join_plan(tuple(map(_info_layout, infos))), infos, sizes)


def _info_layout(info: dict[str, Any]) -> tuple[Any, ...]:
    """Keys, dtypes and shapes of rows; for a dict, its layout and None."""
    return tuple(
        [
            (key, _info_layout(value), None)
            if isinstance(value, dict)
            else (key, value.dtype, value.shape[1:])
            for key, value in info.items()
        ]
    )


class _Part(NamedTuple):
    """One array of joined infos, and how it is made."""

    key: str
    missing: bool
    """Whether some batches lack it."""
    dtype: np.dtype[Any]
    item: tuple[int, ...]
    """The shape of a row, where a batch lacks it."""
    as_objects: bool
    """Whether rows differ in shape between batches."""


_Plan: TypeAlias = "list[_Part | tuple[str, _Plan]]"
"""A dict in a dict is a pair of its key and its plan."""


@lru_cache(maxsize=1024)
def _join_plan(layouts: tuple[tuple[Any, ...], ...]) -> _Plan:
    """How infos of these layouts are joined: found once, since those of most steps are the same."""
    plan: _Plan = []
    by_key = [{key: (what, item) for key, what, item in layout} for layout in layouts]
    for key in dict.fromkeys(key for layout in by_key for key in layout):
        given = [layout.get(key) for layout in by_key]
        what, item = next(one for one in given if one is not None)
        if item is None:
            plan.append((key, _join_plan(tuple(() if one is None else one[0] for one in given))))
            continue
        shapes = {item if one is None else one[1] for one in given}
        plan.append(_Part(key, None in given, what, item, len(shapes) > 1))
    return plan


def _join_as(plan: _Plan, infos: Sequence[dict[str, Any]], sizes: Sequence[int]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for part in plan:
        if not isinstance(part, _Part):
            key, inner = part
            joined[key] = _join_as(inner, [info.get(key) or {} for info in infos], sizes)
            continue
        key, missing, dtype, item, as_objects = part
        if missing:
            nothing = None if dtype.kind == "O" else 0
            arrays = [
                info[key] if key in info else np.full((size, *item), nothing, dtype)
                for info, size in zip(infos, sizes, strict=True)
            ]
        else:
            arrays = [info[key] for info in infos]
        joined[key] = np.concatenate([*map(_as_objects, arrays)] if as_objects else arrays)
    return joined


def _as_objects(array: NDArray[Any]) -> NDArray[Any]:
    objects = np.empty(len(array), object)
    for row, value in enumerate(array):
        objects[row] = value
    return objects
