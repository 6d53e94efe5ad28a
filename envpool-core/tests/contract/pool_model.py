# SPDX-License-Identifier: Apache-2.0
"""Any sequence of calls returns the results of a simple model, for every kind of pools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import counter_model
import pytest
from envpool.errors import EnvIdError, StateError
from hypothesis import strategies as st

# All calls are drawn before the first one: an asynchronous pool returns rows in any order.
CALLS = st.tuples(
    st.sampled_from(
        ["send", "send", "step", "reset", "async_reset", "recv", "recv", "recv", "all"]
    ),
    st.permutations(range(9)),
    st.integers(1, 9),  # so many of them
    st.integers(0, 999),
    st.none() | st.integers(0, 1000),
)
POOLS = st.fixed_dictionaries(
    {
        "num_envs": st.integers(1, 9),
        "batch_size": st.integers(1, 18),  # as many as there are, in half of the pools
        "goal": st.integers(0, 4),
        "limit": st.sampled_from([1, 3, 100]),
        "autoreset": st.sampled_from(["next_step", "same_step", "disabled"]),
        "seed": st.integers(0, 100),
    }
)
SOME_CALLS = st.lists(CALLS, min_size=5, max_size=30)


def play(
    make: Callable[..., Any],
    options: dict[str, Any],
    calls: list[tuple[str, list[int], int, int, int | None]],
    **config: Any,
) -> None:
    """Makes the calls of a pool, and of a model of it, which has to foretell the results."""
    options["batch_size"] = min(options["batch_size"], options["num_envs"])
    model = counter_model.Pool(**options)
    pool = make(
        "Counter",
        model.autoreset,
        num_envs=model.num_envs,
        batch_size=model.batch_size,
        goal=model.goal,
        max_episode_steps=model.limit,
        seed=model.seed,
        **config,
    )
    for call, order, count, action, seed in calls:
        ids = [i for i in order if i < model.num_envs][:count]
        CHECKS[call](pool, model, ids, action, seed)
        assert pool.num_in_flight == len(model.flying)
    pool.close()


def actions_of(ids: list[int], action: int) -> list[int]:
    return [(action + 7 * i) % 1000 for i in ids]


def send(pool: Any, model: counter_model.Pool, ids: list[int], action: int, _: object) -> None:
    ids = [i for i in ids if model.may_step(i)]
    actions = actions_of(ids, action)
    pool.send(actions, ids)
    model.step(ids, actions)


def step(pool: Any, model: counter_model.Pool, ids: list[int], action: int, _: object) -> None:
    ids = [i for i in ids if model.may_step(i)]
    actions = actions_of(ids, action)
    if not ids and model.synchronous:
        assert len(pool.step(actions, ids)["obs"]) == 0
    elif not model.can_receive(len(ids)):
        with pytest.raises(StateError):
            pool.step(actions, ids)
    else:
        model.step(ids, actions)
        model.receive(pool.step(actions, ids), newest=True)


def step_all(pool: Any, model: counter_model.Pool, _: object, action: int, __: object) -> None:
    ids = list(range(model.num_envs))
    actions = actions_of(ids, action)
    if all(map(model.may_step, ids)):
        pool.send(actions, ids)
        model.step(ids, actions)
    else:
        with pytest.raises((EnvIdError, StateError)):
            pool.send(actions, ids)


def reset(
    pool: Any, model: counter_model.Pool, ids: list[int], action: int, seed: int | None
) -> None:
    if named := some(model, ids, action):
        everybody = named == list(range(model.num_envs))
        model.close()
        model.reset(named, seed)
        result = pool.reset(None if everybody else named, seed)
        if everybody or model.synchronous:
            model.receive(result, newest=True)
        else:
            model.receive_of(result, named)
    else:
        assert len(pool.reset([], seed=[])["obs"]) == 0


def async_reset(
    pool: Any, model: counter_model.Pool, ids: list[int], action: int, seed: int | None
) -> None:
    if named := some(model, ids, action):
        model.reset(named, seed)
        pool.async_reset(None if named == list(range(model.num_envs)) else named, seed)
    else:
        pool.async_reset([])


def some(model: counter_model.Pool, ids: list[int], action: int) -> list[int]:
    """Environments that can be reset; of an asynchronous pool all, or any not in flight."""
    if action % 3 == 0:
        return list(range(model.num_envs))
    return ids if model.synchronous else [i for i in ids if i not in model.flying]


def recv(pool: Any, model: counter_model.Pool, *_: object) -> None:
    if model.can_receive():
        model.receive(pool.recv(timeout=60))
    else:
        with pytest.raises(StateError):
            pool.recv()


CHECKS: dict[str, Callable[..., None]] = {
    "send": send,
    "step": step,
    "all": step_all,
    "reset": reset,
    "async_reset": async_reset,
    "recv": recv,
}
