# SPDX-License-Identifier: Apache-2.0
"""Pools of JAX environments, the libraries' own wrappers that reset, and EnvPool 1.2.5.

Each call ends with the arrays of the result in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

TASKS = {  # ours, and EnvPool's id
    "gymnax/CartPole-v1": "CartPole-v1",
    "pgx/tic_tac_toe": "TicTacToe-v1",
    "jumanji/Game2048-v1": "Game2048-v1",
}
BATCHES = 16


def pool(task: str, num_envs: int, resets: str) -> Callable[[], Any]:
    """Our pool."""
    import envpool

    made = envpool.make(f"jax:{task}", num_envs=num_envs, resets=resets)
    made.reset()
    return _by_turns(made.step, _actions(task, num_envs))


def upstream(task: str, num_envs: int) -> Callable[[], Any]:
    """EnvPool 1.2.5, in C++."""
    import envpool

    pool: Any = envpool.make(TASKS[task], env_type="gymnasium", num_envs=num_envs, num_threads=2)
    pool.reset()
    if task != "pgx/tic_tac_toe":
        return _by_turns(pool.step, _actions(task, num_envs))
    actions = _actions(task, num_envs)  # it has two players; one of them moves
    ids = np.arange(num_envs, dtype=np.int32)
    players = np.repeat(ids, 2)
    dicts = [
        {"action": np.repeat(a, 2), "env_id": ids, "players": {"env_id": players}} for a in actions
    ]
    return _by_turns(pool.step, dicts)


def library(task: str, num_envs: int) -> Callable[[], Any]:
    """The library's own wrapper, mapped and compiled, its results copied as a pool's are."""
    import jax

    step, state = {"gymnax": _gymnax, "pgx": _pgx, "jumanji": _jumanji}[task.partition("/")[0]](
        task.partition("/")[2], num_envs
    )
    compiled = jax.jit(step, donate_argnums=0)
    carry: Any = (jax.random.PRNGKey(0), state)

    def call(action: Any) -> Any:
        nonlocal carry
        carry, seen = compiled(carry, action)
        return [np.array(leaf) for leaf in jax.tree.leaves(seen)]

    return _by_turns(call, _actions(task, num_envs))


def _actions(task: str, num_envs: int) -> list[Any]:
    choices = {"gymnax/CartPole-v1": 2, "pgx/tic_tac_toe": 9, "jumanji/Game2048-v1": 4}[task]
    rng = np.random.default_rng(0)
    return [rng.integers(0, choices, num_envs).astype(np.int32) for _ in range(BATCHES)]


def _by_turns(function: Callable[[Any], Any], actions: list[Any]) -> Callable[[], Any]:
    turn = 0

    def call() -> Any:
        nonlocal turn
        turn = (turn + 1) % BATCHES
        return function(actions[turn])

    return call


def _gymnax(name: str, num_envs: int) -> Any:
    import gymnax  # type: ignore[import-not-found,unused-ignore]
    import jax

    env, params = gymnax.make(name)
    keys = jax.random.split(jax.random.PRNGKey(1), num_envs)
    _, state = jax.vmap(env.reset, (0, None))(keys, params)

    def step(carry: Any, action: Any) -> Any:
        key, state = carry
        key, some = jax.random.split(key)
        keys = jax.random.split(some, num_envs)
        obs, state, reward, terminated, truncated, _ = jax.vmap(env.step, (0, 0, 0, None))(
            keys, state, action, params
        )
        return (key, state), (obs, reward, terminated, truncated)

    return step, state


def _pgx(name: str, num_envs: int) -> Any:
    import jax
    import pgx  # type: ignore[import-not-found,unused-ignore]
    from pgx.experimental import auto_reset  # type: ignore[import-not-found,unused-ignore]

    env = pgx.make(name)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), num_envs))
    advance = jax.vmap(auto_reset(env.step, env.init))

    def step(carry: Any, action: Any) -> Any:
        key, state = carry
        key, some = jax.random.split(key)
        state = advance(state, action, jax.random.split(some, num_envs))
        seen = state.observation, state.rewards, state.terminated, state.truncated
        return (key, state), (*seen, state.current_player, state.legal_action_mask)

    return step, state


def _jumanji(name: str, num_envs: int) -> Any:
    import jax
    import jumanji  # type: ignore[import-not-found,unused-ignore]
    from jumanji.wrappers import VmapAutoResetWrapper  # type: ignore[import-not-found,unused-ignore]

    env = VmapAutoResetWrapper(jumanji.make(name))
    state, _ = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(1), num_envs))

    def step(carry: Any, action: Any) -> Any:
        key, state = carry
        state, seen = env.step(state, action)
        return (key, state), (seen.observation, seen.reward, seen.discount, seen.step_type)

    return step, state
