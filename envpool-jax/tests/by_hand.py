# SPDX-License-Identifier: Apache-2.0
"""Episodes played with each library itself, one environment at a time, without our adapters.

The n-th event of environment i, a reset or a step, gets `fold_in(PRNGKey(seed + i), n)`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

SEED = 7


class Library(NamedTuple):
    """Two functions of one environment of a library.

    Attributes:
        begin: From a key: the state and the observation.
        advance: From a state, an action and a key: the state, the observation, the reward, and the
        library's terminated and truncated.
        limit: Steps after which the library itself truncates, or None.
    """

    begin: Callable[..., Any]
    advance: Callable[..., Any]


class Event(NamedTuple):
    """The result of one event."""

    observation: dict[str, Any]
    reward: Any
    terminated: bool
    truncated: bool
    elapsed: int


def library_of(task_id: str) -> Library:
    """The functions of a task."""
    library, _, name = task_id.removeprefix("jax:").partition("/")
    functions = {
        "gymnax": _gymnax,
        "pgx": _pgx,
        "jumanji": _jumanji,
        "craftax": _craftax,
        "brax": _brax,
        "playground": _playground,
    }
    return functions[library](name)


def events(
    library: Library, env_id: int, actions: Any, limit: int | None, seed: int = SEED
) -> Iterator[Event]:
    """The events of one environment: a reset, then for each action a step, or a reset after an end.

    Args:
        library: The library of the environment.
        env_id: Its number.
        actions: One for each event after the first; a reset ignores its action.
        limit: Steps after which an episode is truncated.
        seed: Of the pool.
    """
    key = jax.random.PRNGKey(seed + env_id)
    elapsed, over, state = 0, True, None
    for number, action in enumerate([None, *actions]):
        event_key = jax.random.fold_in(key, number)
        if over:
            state, observation = library.begin(event_key)
            elapsed, over = 0, False
            yield Event(named(observation), np.float32(0), False, False, 0)
            continue
        state, observation, reward, terminated, truncated = library.advance(
            state, action, event_key
        )
        elapsed += 1
        terminated, truncated = bool(terminated), bool(truncated)
        truncated |= limit is not None and elapsed >= limit
        over = terminated or truncated
        yield Event(named(observation), np.float32(reward), terminated, truncated, elapsed)


def named(observation: Any) -> dict[str, Any]:
    """The arrays of an observation by name; a single array is ""."""
    if hasattr(observation, "_fields"):
        observation = observation._asdict()
    if not isinstance(observation, dict):
        return {"": np.asarray(observation)}
    found = {}
    for key, value in observation.items():
        for inner, array in named(value).items():
            found[f"{key}.{inner}".rstrip(".")] = array
    return found


def _gymnax(name: str) -> Library:
    gymnax: Any = importlib.import_module("gymnax")
    env, params = gymnax.make(name)

    @jax.jit
    def begin(key: Any) -> Any:
        observation, state = env.reset(key, params)
        return state, observation

    @jax.jit
    def advance(state: Any, action: Any, key: Any) -> Any:
        observation, state, reward, terminated, _ = env.step_env(key, state, action, params)
        return state, observation, reward, terminated, env.is_truncated(state, params)

    return Library(begin, advance)


def _pgx(name: str) -> Library:
    pgx: Any = importlib.import_module("pgx")
    env = pgx.make(name)

    @jax.jit
    def begin(key: Any) -> Any:
        state = env.init(key)
        return state, state.observation

    @jax.jit
    def advance(state: Any, action: Any, key: Any) -> Any:
        mover = state.current_player
        state = env.step(state, action, key)
        return state, state.observation, state.rewards[mover], state.terminated, state.truncated

    return Library(begin, advance)


def _jumanji(name: str) -> Library:
    jumanji: Any = importlib.import_module("jumanji")
    env = jumanji.make(name)

    @jax.jit
    def begin(key: Any) -> Any:
        state, step = env.reset(key)
        return state, step.observation

    @jax.jit
    def advance(state: Any, action: Any, key: Any) -> Any:
        state, step = env.step(state, action)
        over = step.last()
        return (
            state,
            step.observation,
            step.reward,
            over & (step.discount == 0),
            over & (step.discount != 0),
        )

    return Library(begin, advance)


def _craftax(name: str) -> Library:
    make: Any = importlib.import_module("craftax.craftax_env").make_craftax_env_from_name
    env = make(name, auto_reset=False)
    params = env.default_params

    @jax.jit
    def begin(key: Any) -> Any:
        observation, state = env.reset(key, params)
        return state, observation

    @jax.jit
    def advance(state: Any, action: Any, key: Any) -> Any:
        observation, state, reward, done, _ = env.step(key, state, action, params)
        late = state.timestep >= params.max_timesteps
        return state, observation, reward, done & ~late, done & late

    return Library(begin, advance)


def _brax(name: str) -> Library:
    return _of_states(importlib.import_module("brax.envs").get_environment(name))


def _playground(name: str) -> Library:
    registry: Any = importlib.import_module("mujoco_playground").registry
    return _of_states(registry.load(name, config_overrides={"impl": "jax"}))


def _of_states(env: Any) -> Library:
    """A library whose functions return a state with the observation, the reward and `done`."""

    @jax.jit
    def begin(key: Any) -> Any:
        state = env.reset(key)
        return state, state.obs

    @jax.jit
    def advance(state: Any, action: Any, key: Any) -> Any:
        state = env.step(state, action)
        return state, state.obs, state.reward, state.done > 0, False

    return Library(begin, advance)
