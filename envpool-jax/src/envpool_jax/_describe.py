# SPDX-License-Identifier: Apache-2.0
"""Finds an environment's arrays by tracing it; nothing is compiled."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from envpool.errors import ConfigError, WorkerError, shorten
from envpool.pool_backend import array
from envpool.typing import CompiledArray
from gymnasium import spaces

from ._leaves import Path, at, bounds, leaves, name_of, one_if_alike
from .protocol import Step


class Array(NamedTuple):
    """One array of an observation, an info or an action.

    Attributes:
        name: The pool's name, "obs", "obs:board", "info:score", "action".
        path: Its place in the environment's own tree.
        dtype: Of its elements.
        shape: Of one environment's.
        low: The least values, or one number if all are equal.
        high: The highest.
    """

    name: str
    path: Path
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    low: Any
    high: Any

    def compiled(self, per_player: bool = False) -> CompiledArray:
        """The array in core's form; `per_player`: an action has a row for its one player."""
        return array(self.name, self.dtype, self.shape, self.low, self.high, per_player=per_player)


class Described(NamedTuple):
    """The arrays of an environment, and the shapes of its state."""

    observations: list[Array]
    infos: list[Array]
    actions: list[Array]
    state: Any


def describe(env: Any, asked: str) -> Described:
    """Traces `reset` and `step`, and checks that they fit each other and the spaces.

    Args:
        env: A `JaxEnv`.
        asked: The call of the user, for messages.

    Raises:
        ConfigError: If shapes, dtypes or trees do not agree; the message names the array.
        WorkerError: If the environment raises an exception.
    """
    key = jax.eval_shape(lambda: jax.random.PRNGKey(0))
    actions = [_action(path, one, asked) for path, one in leaves(env.action_space)]
    values = {array.path: jax.eval_shape(functools.partial(_zeros, array)) for array in actions}
    action = rebuild(env.action_space, values)
    state, observation, start_info = _traced(lambda k: start(env, k), asked, "reset(key)", key)
    shown = jax.tree.map(lambda leaf: f"{leaf.dtype}{list(leaf.shape)}", action)
    call = f"step(key, state, action), action {shorten(shown)}"
    end_state, step = _traced(functools.partial(_step, env, asked), asked, call, key, state, action)
    if not isinstance(step, Step):
        raise ConfigError(
            f"step() of {asked}", f"a {type(step).__name__}", "an envpool_jax.Step", "Return one"
        )
    _same_trees(asked, "state", state, end_state)
    _same_trees(asked, "observation", observation, step.observation)
    for name in ("reward", "terminated", "truncated"):
        shape = np.shape(getattr(step, name))
        if shape != ():
            raise ConfigError(
                f"{name} of {asked}", f"shape {shape}", "one number: shape ()", "Reduce it"
            )
    return Described(
        [
            _observation(path, one, observation, asked)
            for path, one in leaves(env.observation_space)
        ],
        _infos(start_info, step.info, asked),
        actions,
        state,
    )


def start(env: Any, key: Any) -> tuple[Any, Any, Any]:
    """State, observation and info of a new episode. The environment may leave the info out."""
    found = env.reset(key)
    if not isinstance(found, tuple) or len(found) not in (2, 3):
        raise ConfigError(
            f"reset(key) of {type(env).__name__}",
            _values_of(found),
            "(state, observation) or (state, observation, info)",
            "Return these",
        )
    state, observation, *info = found
    return state, observation, info[0] if info else {}


def _step(env: Any, asked: str, key: Any, state: Any, action: Any) -> tuple[Any, Any]:
    """The result of `step`, if it is a pair.

    gymnax 0.0.9's `step` returns (observation, state, reward, done, info); gymnax 1.0's separates
    termination from truncation.
    """
    found = env.step(key, state, action)
    if isinstance(found, tuple) and len(found) == 2:
        return found
    raise ConfigError(
        f"step(key, state, action) of {asked}",
        _values_of(found),
        "(state, envpool_jax.Step(observation, reward, terminated, truncated, info))",
        "Return these; one of gymnax itself is made by its id, as 'jax:gymnax/CartPole-v1'",
    )


def _values_of(found: Any) -> str:
    if isinstance(found, tuple):
        return f"{len(found)} values"
    return f"a {type(found).__name__}"


def rebuild(space: spaces.Space[Any], values: dict[Path, Any], path: Path = ()) -> Any:
    """A tree with a space's structure, from its leaves by their paths."""
    if isinstance(space, spaces.Dict):
        return {key: rebuild(one, values, (*path, str(key))) for key, one in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(rebuild(one, values, (*path, str(i))) for i, one in enumerate(space))
    return values[path]


def _zeros(array: Array) -> Any:
    return jnp.zeros(array.shape, array.dtype)


def _traced(function: Any, asked: str, call: str, *arguments: Any) -> Any:
    try:
        return jax.eval_shape(function, *arguments)
    except ConfigError:
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
        raise WorkerError(
            f"{call} of {asked}",
            text,
            "an environment that JAX can trace",
            "Correct the environment; the exception above has its lines",
            task_id=asked,
            failures=[(0, text)],
        ) from error


def _same_trees(asked: str, what: str, first: Any, second: Any) -> None:
    """Raises ConfigError, naming a leaf, if reset and step return different trees."""
    flat: list[Any] = [jax.tree_util.tree_flatten_with_path(tree) for tree in (first, second)]
    by_path = [{jax.tree_util.keystr(path): leaf for path, leaf in one[0]} for one in flat]
    for path in dict.fromkeys([*by_path[0], *by_path[1]]):
        shown = [_shape(tree[path]) if path in tree else "nothing" for tree in by_path]
        if shown[0] != shown[1]:
            raise ConfigError(
                f"{what}{path} of {asked}",
                f"{shown[1]} after step",
                f"{shown[0]}, as after reset",
                "Have both return the same shapes and dtypes, with .astype() if need be",
            )
    if flat[0][1] != flat[1][1]:
        raise ConfigError(
            f"{what} of {asked}",
            f"{shorten(flat[1][1])} after step",
            f"{shorten(flat[0][1])}, as after reset",
            "Have both return the same tree",
        )


def _shape(leaf: Any) -> str:
    return f"{leaf.dtype} of shape {leaf.shape}"


def _observation(path: Path, space: spaces.Space[Any], observation: Any, asked: str) -> Array:
    name = name_of(path)
    shape, dtype, low, high = bounds(space, f"observation_space of {asked}")
    where = f"observation{'.' if name else ''}{name} of {asked}"
    try:
        leaf = at(observation, path)
        found = tuple(leaf.shape)
    except (KeyError, AttributeError):
        raise ConfigError(
            where,
            "nothing of this name in what reset returns",
            "an array for every part of observation_space",
            "Correct observation_space, or return it",
        ) from None
    kinds = "biu" if dtype.kind in "biu" else "f"
    own = _numpy_dtype(leaf.dtype)
    if found != shape or (own.kind not in kinds and not (own.kind in "biu" and dtype.kind == "f")):
        raise ConfigError(
            where,
            _shape(leaf),
            f"{dtype} of shape {shape}, as observation_space says",
            "Correct observation_space, or what reset and step return",
        )
    return Array(
        f"obs:{name}" if name else "obs", path, own, shape,
        one_if_alike(low, own), one_if_alike(high, own),
    )  # fmt: skip


def _infos(first: Any, later: Any, asked: str) -> list[Array]:
    in_steps = {name_of(path): (path, leaf) for path, leaf in leaves(later) if path}
    for path, leaf in leaves(first):
        name = name_of(path)
        if path and (name not in in_steps or _shape(in_steps[name][1]) != _shape(leaf)):
            raise ConfigError(
                f"info.{name} of {asked}",
                f"{_shape(leaf)} after reset",
                "an array that step has, too, of the same shape and dtype",
                "Have step return it",
            )
    return [_info(name, path, leaf) for name, (path, leaf) in in_steps.items()]


def _info(name: str, path: Path, leaf: Any) -> Array:
    dtype = _numpy_dtype(leaf.dtype)
    low: Any = {"f": -np.inf, "b": False}.get(dtype.kind)
    high: Any = {"f": np.inf, "b": True}.get(dtype.kind)
    if low is None:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    bounds = np.asarray(low, dtype), np.asarray(high, dtype)
    return Array(f"info:{name}", path, dtype, tuple(leaf.shape), *bounds)


def _action(path: Path, space: spaces.Space[Any], asked: str) -> Array:
    shape, dtype, low, high = bounds(space, f"action_space of {asked}")
    dtype = np.dtype(jax.dtypes.canonicalize_dtype(dtype))
    name = name_of(path) or "action"
    return Array(name, path, dtype, shape, one_if_alike(low, dtype), one_if_alike(high, dtype))


def _numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """The NumPy dtype for a dtype: bfloat16 and similar dtypes become float32."""
    found = np.dtype(dtype)
    return found if found.kind in "biuf" else np.dtype(np.float32)
