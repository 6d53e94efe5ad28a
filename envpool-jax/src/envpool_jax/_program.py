# SPDX-License-Identifier: Apache-2.0
"""The batch step that JAX compiles, for a number of environments and an autoreset mode.

Row i of a `Carry` is environment i. Its n-th event, a reset or a step, gets the key
`fold_in(PRNGKey(seed), n)`: the key depends neither on other rows nor on their number.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ._describe import Array, Described, rebuild, start
from ._leaves import at
from ._packing import Kind, Packing

CHUNK = 32  # number of rows that are reset at a time with resets="chunks"
RESETS = ("cond", "chunks", "select")
Arrays = dict[str, Any]
"""Arrays by the layouts' names, as "obs", "reward" and "final obs"; a row for each environment."""
_COMMON: dict[str, Kind] = {
    "elapsed_step": (np.dtype(np.int32), ()),
    "reward": (np.dtype(np.float32), ()),
    "terminated": (np.dtype(np.bool_), ()),
    "trunc": (np.dtype(np.bool_), ()),
    "done": (np.dtype(np.bool_), ()),
    "discount": (np.dtype(np.float32), ()),
    "step_type": (np.dtype(np.int32), ()),
}


class Carry(NamedTuple):
    """The state of a batch of environments.

    Attributes:
        key: From the seed of each, uint32 (rows, 2).
        events: Number of resets and steps since that seed, uint32 (rows,).
        elapsed: Steps of the present episode, int32 (rows,).
        ended: True if the next step is a reset, bool (rows,).
        state: The environments' own states.
    """

    key: Any
    events: Any
    elapsed: Any
    ended: Any
    state: Any


class _Observed(NamedTuple):
    """A state and its observation and info."""

    state: Any
    observation: Any
    info: Any


class Program:
    """The compiled functions of one environment, mode and way to reset.

    JAX compiles them once for each number of rows.
    """

    def __init__(
        self,
        env: Any,
        described: Described,
        mode: str,
        resets: str,
        wanted: frozenset[str],
        packs: bool,
    ) -> None:
        """Compiles nothing yet.

        Args:
            env: A `JaxEnv`.
            described: Its arrays.
            mode: "next_step", "same_step" or "disabled".
            resets: How the resets within a step are computed, see `RESETS`.
            wanted: The names of the outputs; others are not computed.
            packs: True to pack outputs into few buffers, for NumPy.
        """
        self._env, self._described, self._mode = env, described, mode
        self.actions = described.actions
        self._kinds, self._packs = _kinds(described, wanted), packs
        self._resets = {"cond": _cond, "chunks": _chunks, "select": _select}[resets]
        self.packing = functools.cache(self._packing)
        self.empty = jax.jit(self._empty)
        self.reset = self._compiled(self._reset)
        self.step = self._compiled(self._step)
        self.step_some = self._compiled(self._step_some)

    def _packing(self, rows: int) -> Packing:
        return Packing(self._kinds, rows, self._packs)

    def _compiled(self, function: Callable[..., tuple[Carry, Arrays]]) -> Any:
        """The function for compiled calls; its outputs are the buffers of `packing(rows)`."""

        def packed(carry: Carry, *arguments: Any) -> tuple[Carry, list[Any]]:
            carry, outputs = function(carry, *arguments)
            return carry, self.packing(len(carry.ended)).pack(self._only_wanted(outputs))

        return jax.jit(packed, donate_argnums=0)

    def _empty(self, key: Any) -> Carry:
        """A carry whose environments have no episode yet; `key` as in `keys_of`."""
        rows = len(key)
        shapes = self._described.state
        if any(_is_key(leaf) for leaf in jax.tree.leaves(shapes)):  # such keys have no zero
            state = jax.vmap(lambda one: start(self._env, one)[0])(key)
        else:
            state = jax.tree.map(lambda leaf: jnp.zeros((rows, *leaf.shape), leaf.dtype), shapes)
        return Carry(
            key,
            jnp.zeros(rows, jnp.uint32),
            jnp.zeros(rows, jnp.int32),
            jnp.ones(rows, bool),
            state,
        )

    def _reset(self, carry: Carry, mask: Any, key: Any, reseed: Any) -> tuple[Carry, Arrays]:
        """Starts episodes in the rows of `mask`; the rows of `reseed` get a new key before."""
        key = jnp.where(reseed[:, None], key, carry.key)
        events = jnp.where(reseed, jnp.uint32(0), carry.events)
        new = self._start(key, events)
        state = _choose(mask, new.state, carry.state)
        elapsed = jnp.where(mask, 0, carry.elapsed)
        carry = Carry(key, events + mask, elapsed, carry.ended & ~mask, state)
        rows = len(mask)
        no, zero = jnp.zeros(rows, bool), jnp.zeros(rows, jnp.int32)
        outputs = self._outputs(new, zero, jnp.zeros(rows, jnp.float32), no, no)
        if self._mode == "same_step":
            outputs |= self._final(new, zero, no)
        return carry, outputs | {"step_type": zero}

    def _only_wanted(self, outputs: Arrays) -> Arrays:
        return {name: outputs[name].astype(dtype) for name, (dtype, _) in self._kinds.items()}

    def _step_some(
        self, carry: Carry, limit: Any, action: Mapping[str, Any], mask: Any
    ) -> tuple[Carry, Arrays]:
        """A step of the rows of `mask`; other rows of the outputs are undefined."""
        stepped, outputs = self._step(carry, limit, action)
        return jax.tree.map(functools.partial(_where, mask), stepped, carry), outputs

    def pure_step(
        self, carry: Carry, limit: Any, action: Mapping[str, Any]
    ) -> tuple[Carry, Arrays]:
        """A step of all rows.

        Args:
            carry: The state before.
            limit: Steps after which an episode is truncated.
            action: Arrays by their names, with a row for each environment.

        Returns:
            The carry afterwards, and the outputs.
        """
        carry, outputs = self._step(carry, limit, action)
        return carry, self._only_wanted(outputs)

    def _step(self, carry: Carry, limit: Any, action: Mapping[str, Any]) -> tuple[Carry, Arrays]:
        tree = rebuild(
            self._env.action_space, {a.path: action[a.name] for a in self._described.actions}
        )
        keys = _keys(carry.key, carry.events)
        state, step = jax.vmap(self._env.step)(keys, carry.state, tree)
        stepped = self._as_described(state, step.observation, step.info)
        elapsed = carry.elapsed + 1
        terminated = jnp.asarray(step.terminated).astype(bool)
        truncated = jnp.asarray(step.truncated).astype(bool) | (elapsed >= limit)
        reward = jnp.asarray(step.reward).astype(jnp.float32)
        events = carry.events + jnp.uint32(1)
        if self._mode == "next_step":
            fresh = carry.ended  # these rows are reset, not stepped
            rows = self._resets(fresh, carry.key, carry.events, self._start, stepped)
            elapsed = jnp.where(fresh, 0, elapsed)
            terminated, truncated = terminated & ~fresh, truncated & ~fresh
            ended = terminated | truncated
            reward = jnp.where(fresh, 0, reward)
            outputs = self._outputs(rows, elapsed, reward, terminated, truncated)
            outputs["step_type"] = jnp.where(fresh, 0, 1 + ended)
            return Carry(carry.key, events, elapsed, ended, rows.state), outputs
        ended = terminated | truncated
        if self._mode == "disabled":
            outputs = self._outputs(stepped, elapsed, reward, terminated, truncated)
            outputs["step_type"] = 1 + ended
            return Carry(carry.key, events, elapsed, ended, stepped.state), outputs
        final = self._final(stepped, elapsed, ended)
        rows = self._resets(ended, carry.key, events, self._start, stepped)
        elapsed = jnp.where(ended, 0, elapsed)
        outputs = self._outputs(rows, elapsed, reward, terminated, truncated) | final
        outputs["step_type"] = 1 + ended
        events = events + ended
        return Carry(carry.key, events, elapsed, jnp.zeros_like(ended), rows.state), outputs

    def _start(self, key: Any, events: Any) -> _Observed:
        """New episodes, with zeros for values that only a step has."""
        state, observation, info = jax.vmap(lambda key: start(self._env, key))(_keys(key, events))
        return self._as_described(state, observation, info)

    def _as_described(self, state: Any, observation: Any, info: Any) -> _Observed:
        """Converts to the declared dtypes: a Python number has no dtype of its own."""
        state = jax.tree.map(_cast, state, self._described.state)
        rows = len(jax.tree.leaves(state)[0])
        return _Observed(
            state,
            [_array(observation, array, rows) for array in self._described.observations],
            [_array(info, array, rows) for array in self._described.infos],
        )

    def _outputs(
        self, rows: _Observed, elapsed: Any, reward: Any, terminated: Any, truncated: Any
    ) -> Arrays:
        return self._seen(rows) | {
            "elapsed_step": elapsed,
            "reward": reward,
            "terminated": terminated,
            "trunc": truncated,
            "done": terminated | truncated,
            "discount": 1 - terminated.astype(jnp.float32),
        }

    def _seen(self, rows: _Observed) -> Arrays:
        arrays = [*self._described.observations, *self._described.infos]
        values = [*rows.observation, *rows.info]
        return {array.name: value for array, value in zip(arrays, values, strict=True)}

    def _final(self, rows: _Observed, elapsed: Any, ended: Any) -> Arrays:
        """The last values of episodes that ended, and zeros in the other rows."""
        seen = self._seen(rows) | {"elapsed_step": elapsed}
        return {
            f"final {name}": _where(ended, value, jnp.zeros_like(value))
            for name, value in seen.items()
        }


def _kinds(described: Described, wanted: frozenset[str]) -> dict[str, Kind]:
    """Dtype and shape of the wanted outputs."""
    seen = {a.name: (a.dtype, a.shape) for a in (*described.observations, *described.infos)}
    final = {f"final {n}": k for n, k in {**seen, "elapsed_step": _COMMON["elapsed_step"]}.items()}
    return {name: kind for name, kind in {**seen, **_COMMON, **final}.items() if name in wanted}


@jax.jit
def keys_of(low: Any, high: Any) -> Any:
    """The keys of seeds, given as lower and upper 32 bits; PRNGKey's own keys below 2^32."""

    def one(low: Any, high: Any) -> Any:
        key = jax.random.PRNGKey(low)
        return jnp.where(high == 0, key, jax.random.fold_in(key, high))

    return jax.vmap(one)(low, high)


_keys: Callable[[Any, Any], Any] = jax.vmap(jax.random.fold_in)


Begin = Callable[[Any, Any], _Observed]
"""Makes new episodes from keys and numbers of events."""


def _select(mask: Any, key: Any, events: Any, begin: Begin, rows: _Observed) -> _Observed:
    """Computes a reset of every row in every step."""
    chosen: _Observed = _choose(mask, begin(key, events), rows)
    return chosen


def _cond(mask: Any, key: Any, events: Any, begin: Begin, rows: _Observed) -> _Observed:
    """Computes a reset of every row, in steps with at least one reset."""

    def reset() -> Any:
        return _choose(mask, begin(key, events), rows)

    chosen: _Observed = jax.lax.cond(mask.any(), reset, lambda: rows)
    return chosen


def _chunks(mask: Any, key: Any, events: Any, begin: Begin, rows: _Observed) -> _Observed:
    """Computes only the needed resets, some rows at a time."""
    size = min(CHUNK, len(mask))
    count = mask.sum()
    padded = -(-len(mask) // size) * size
    (ids,) = jnp.nonzero(mask, size=padded, fill_value=len(mask))  # beyond the last row: dropped

    def body(at_and_rows: tuple[Any, Any]) -> tuple[Any, Any]:
        first, rows = at_and_rows
        some = jax.lax.dynamic_slice(ids, (first,), (size,))
        new = begin(key[some], events[some])
        put = jax.tree.map(lambda old, one: old.at[some].set(one, mode="drop"), rows, new)
        return first + size, put

    return jax.lax.while_loop(lambda it: it[0] < count, body, (jnp.int32(0), rows))[1]


def _choose(mask: Any, new: Any, old: Any) -> Any:
    return jax.tree.map(functools.partial(_where, mask), new, old)


def _where(mask: Any, new: Any, old: Any) -> Any:
    return jnp.where(mask.reshape(mask.shape + (1,) * (new.ndim - 1)), new, old)


def _is_key(leaf: Any) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def _cast(value: Any, leaf: Any) -> Any:
    if _is_key(leaf):
        return value
    return jnp.asarray(value).astype(leaf.dtype)


def _array(tree: Any, array: Array, rows: int) -> Any:
    try:
        value = jnp.asarray(at(tree, array.path))
    except KeyError:
        return jnp.zeros((rows, *array.shape), array.dtype)
    return value.astype(array.dtype)
