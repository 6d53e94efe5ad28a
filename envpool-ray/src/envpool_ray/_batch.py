# SPDX-License-Identifier: Apache-2.0
"""Batch: results of some environments; how they are joined, cut, ordered, and shown to the caller.

A batch comes from a worker in three parts: the observation as the caller will see it, the other
arrays by their names, and infos that only some environments have. All arrays have a row for each
environment, or for each player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .wire.shared_buffers import BufferRows, join_rows

if TYPE_CHECKING:
    from envpool.typing import CompiledArray

ENV_ID = "info:env_id"
PLAYERS = "info:players.env_id"
DONE = "done"
RESTARTED = "info:actor_restarted"
FINAL_RESTARTED = f"final {RESTARTED}"


class ResultLayout(NamedTuple):
    """What is asked of workers, so that the results of a pool can be built of it."""

    step: Any
    reset: Any
    """The layouts, as `PoolBackend.set_result_layouts` gets them."""
    names: tuple[str, ...]
    """Arrays that workers send."""
    obs: Any
    """The layout of the observation, where it stands for itself; else it is among the names."""
    final_obs: Any
    """That of the observation at the end of an episode; None if there is none."""

    @classmethod
    def of(cls, step: Any, reset: Any, own: Sequence[str], several: bool) -> ResultLayout:
        """A plan for two layouts.

        Args:
            step: The layout of `step`.
            reset: That of `reset`.
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


class Batch:
    """Results of environments. Arrays in shared memory are built when they are used.

    Attributes:
        info: Infos that only some environments have, with "final_obs" and "final_info".
        owner: The number of the worker that it is an answer of; None: it was put together here.
        env_ids: The environment of each row; unlike that among the arrays, no caller can change it.
        players: The environment of each player's row; None if there is one player in each.
    """

    __slots__ = ("_arrays", "_names", "_obs", "_rows", "env_ids", "info", "owner", "players")

    def __init__(
        self,
        obs: Any,
        arrays: dict[str, NDArray[Any]],
        info: dict[str, Any],
        owner: int | None = None,
    ) -> None:
        """Keeps its parts.

        Args:
            obs: The observation: an array, or a tree of dicts and tuples of arrays; maybe None.
            arrays: The other arrays, by name.
            info: See above.
            owner: See above.
        """
        self._obs, self.info, self.owner = obs, info, owner
        self._arrays: dict[str, NDArray[Any]] | None = arrays
        self._rows: BufferRows | None = None
        self._names: Sequence[str] = ()
        self._keep_ids()

    @classmethod
    def lying(cls, rows: BufferRows, names: Sequence[str], obs: Any, owner: int | None) -> Batch:
        """A batch in shared memory.

        Args:
            rows: Where it lies.
            names: Of its arrays, without those of the observation, which follow.
            obs: The observation, with the places of arrays for them.
            owner: See above.
        """
        batch = cls.__new__(cls)
        batch._obs, batch._arrays, batch.info, batch.owner = obs, None, {}, owner
        batch._rows, batch._names = rows, names
        batch._keep_ids()
        return batch

    @property
    def obs(self) -> Any:
        """The observation: an array, or a tree of dicts and tuples of arrays; maybe None."""
        return self._built()._obs

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The other arrays, by name."""
        arrays = self._built()._arrays
        assert arrays is not None
        return arrays

    def array(self, name: str) -> NDArray[Any]:
        """One of these."""
        if self._arrays is None and self._rows is not None:
            return self._rows.array(self._names.index(name))
        return self.arrays[name]

    def _keep_ids(self) -> None:
        self.env_ids: NDArray[np.int32] = self.array(ENV_ID).copy()
        self.players: NDArray[np.int32] | None = None
        if PLAYERS in (self._names or self.arrays):
            self.players = self.array(PLAYERS).copy()

    def _built(self) -> Batch:
        if self._arrays is None and self._rows is not None:
            arrays = self._rows.arrays()
            self._arrays = dict(zip(self._names, arrays, strict=False))
            self._obs = with_arrays(self._obs, arrays)
            mark_restarted(self._arrays, len(self.env_ids))
        return self

    def __len__(self) -> int:
        """Environments in it."""
        return len(self.env_ids)


class Shape(NamedTuple):
    """Which arrays have a row for each player."""

    per_player: frozenset[str]
    obs_per_player: bool

    def take(self, batch: Batch, rows: Any) -> Batch:
        """The rows of some environments, in the order of `rows`: a slice or an array of ints."""
        players = self._player_rows(batch, rows)

        def pick(name: str, array: Any) -> Any:
            plain = name.removeprefix("final ")
            return array[players if plain in self.per_player else rows]

        of_obs = players if self.obs_per_player else rows
        info = {}
        for key, value in batch.info.items():
            info[key] = _map(lambda a: _pick(a, rows), value)
        if batch.info.get("final_obs") is not None:
            info["final_obs"] = _map(lambda a: _pick(a, of_obs), batch.info["final_obs"])
        arrays = {name: pick(name, array) for name, array in batch.arrays.items()}
        arrays[ENV_ID] = batch.env_ids[rows]
        if batch.players is not None:
            arrays[PLAYERS] = batch.players[players]
        return Batch(_map(lambda a: _pick(a, of_obs), batch.obs), arrays, info)

    def _player_rows(self, batch: Batch, rows: Any) -> Any:
        players = batch.players
        if players is None:
            return rows
        wanted = batch.env_ids[rows]
        order = np.argsort(players, kind="stable")
        first = np.searchsorted(players[order], wanted)
        beyond = np.searchsorted(players[order], wanted, side="right")
        parts = [order[a:b] for a, b in zip(first, beyond, strict=True)]
        return np.concatenate(parts) if parts else np.zeros(0, np.intp)


def no_rows(layout: ResultLayout, results: Sequence[CompiledArray]) -> Batch:
    """A batch of no environment, of arrays as they are described."""
    arrays = {}
    for name, dtype, shape, *_ in results:
        item = shape[1:] if shape[:1] == (-1,) else shape
        arrays[name] = arrays[f"final {name}"] = np.zeros((0, *item), dtype)
    info = {}
    if layout.final_obs is not None:
        info["final_obs"] = _map(arrays.__getitem__, layout.final_obs)
    batch = Batch(_map(arrays.__getitem__, layout.obs), {n: arrays[n] for n in layout.names}, info)
    mark_restarted(batch.arrays, 0)
    return batch


def mark_restarted(arrays: dict[str, NDArray[Any]], rows: int) -> None:
    """Adds what only pools on Ray say: whether workers were replaced. They were not."""
    arrays[RESTARTED] = np.zeros(rows, np.bool_)
    arrays[FINAL_RESTARTED] = np.zeros(rows, np.bool_)


def join(batches: Sequence[Batch]) -> Batch:
    """All rows, one batch after the other; the one batch itself, if it is alone."""
    if len(batches) == 1:
        return batches[0]
    first = batches[0]
    lying = [b._rows for b in batches if b._rows is not None and b._arrays is None]
    if len(lying) == len(batches) and (rows := join_rows(lying)) is not None:
        return Batch.lying(rows, first._names, first._obs, None)
    arrays = {
        name: np.concatenate([batch.arrays[name] for batch in batches]) for name in first.arrays
    }
    obs = _join([batch.obs for batch in batches])
    finals = [batch.info.get("final_obs") for batch in batches]
    rest = [{k: v for k, v in batch.info.items() if k != "final_obs"} for batch in batches]
    info = _join_infos(rest, [len(batch) for batch in batches])
    if finals[0] is not None:
        info["final_obs"] = _join(finals)
    return Batch(obs, arrays, info)


class ResultBuilder:
    """What a caller gets of a batch: a layout with arrays in the places of their names."""

    def __init__(self, layout: Any) -> None:
        """Looks into the layout once, since each batch is shown."""
        self._apart = _is_gymnasium(layout)
        self._same_step = self._apart and "final_obs" in layout[-1]
        if self._apart:
            self._fill_info = _filler({k: v for k, v in layout[-1].items() if k != "final_obs"})
            layout = layout[1:-1]
        self._fill = _filler(layout)

    def of(self, batch: Batch) -> Any:
        """The result."""
        if not self._apart:
            return self._fill(batch)
        info = self._fill_info(batch)
        if not batch.info:
            return (batch.obs, *self._fill(batch), info)
        for key, value in batch.info.items():
            if key == "final_obs" and self._same_step:
                info[key] = value
            elif key == "final_info" and self._same_step:
                _update(info[key], value)
            elif key not in ("final_obs", "_final_obs", "final_info"):
                _update(info, {key: value})
        return (batch.obs, *self._fill(batch), info)


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


def _filler(layout: Any) -> Callable[[Batch], Any]:
    """What fills a layout with the arrays of a batch."""
    if _is_name(layout):
        return lambda batch: batch.arrays[layout]
    if layout == "*":
        return lambda batch: np.ones(len(batch), np.bool_)
    if isinstance(layout, dict):
        plain = [(key, leaf) for key, leaf in layout.items() if _is_name(leaf)]
        others = [(key, _filler(leaf)) for key, leaf in layout.items() if not _is_name(leaf)]
        empty = dict.fromkeys(layout)  # in its order

        def fill_dict(batch: Batch) -> dict[str, Any]:
            arrays, filled = batch.arrays, empty.copy()
            for key, name in plain:
                filled[key] = arrays[name]
            for key, fill in others:
                filled[key] = fill(batch)
            return filled

        return fill_dict
    if isinstance(layout, (list, tuple)):
        call = layout[0] if isinstance(layout, list) else None
        fills = [_filler(leaf) for leaf in (layout[1:] if call else layout)]
        if call is not None:
            return lambda batch: call(*[fill(batch) for fill in fills])
        if all(map(_is_name, layout)):
            return lambda batch: tuple(map(batch.arrays.__getitem__, layout))
        return lambda batch: tuple([fill(batch) for fill in fills])
    return lambda batch: None


def _is_name(layout: Any) -> bool:
    return isinstance(layout, str) and layout != "*"


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
"""Of the dicts in a dict, their keys and plans."""


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


def _update(info: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(info.get(key), dict):
            _update(info[key], value)
        else:
            info[key] = value
