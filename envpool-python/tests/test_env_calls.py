# SPDX-License-Identifier: Apache-2.0
"""call, get_attr and set_attr of pools, as `gymnasium.vector` has them."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import Any

import envpool_python
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError, EnvIdError, StateError, WorkerError
from gymnasium.vector import SyncVectorEnv


class Counter(gymnasium.Env[Any, Any]):
    """Has a number, a method and a property."""

    observation_space = gymnasium.spaces.Box(0, 99, (), np.int64)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, number: int) -> None:
        self.number = number

    @property
    def double(self) -> int:
        return 2 * self.number

    def add(self, more: int, times: int = 1) -> int:
        self.number += more * times
        return self.number

    def broken(self) -> None:
        raise ZeroDivisionError(f"number {self.number}")

    def lock(self) -> Any:
        return threading.Lock()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return np.array(self.number), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return np.array(self.number), 0.0, False, False, {}


def make(number: int) -> Any:
    """One that is wrapped."""
    return gymnasium.wrappers.TimeLimit(Counter(number), 5)


MAKE = [functools.partial(make, number) for number in (1, 2, 3)]


@pytest.fixture(params=["gymnasium", "vector", "dm"])
def pool(request: pytest.FixtureRequest) -> Iterator[Any]:
    with envpool_python.make(MAKE, request.param, num_workers=2) as pool:
        pool.reset()
        yield pool


def test_results_are_those_of_sync_vector_env(pool: Any) -> None:
    reference = SyncVectorEnv(MAKE)
    for calls in (
        lambda env: env.call("add", 5),
        lambda env: env.call("add", 1, times=3),
        lambda env: env.call("double"),
        lambda env: env.get_attr("number"),
        lambda env: env.set_attr("number", [7, 8, 9]),
        lambda env: env.get_attr("double"),
        lambda env: env.set_attr("number", 4),
        lambda env: env.get_attr("number"),
        lambda env: env.set_attr("fresh", (1, 2, 3)),
        lambda env: env.get_attr("fresh"),
    ):
        assert calls(pool) == calls(reference)


def test_some_environments(pool: Any) -> None:
    assert pool.call("add", 10, env_ids=[2, 0]) == (13, 11)
    pool.set_attr("number", [5, 6], env_ids=np.array([1, 2]))
    assert pool.get_attr("number") == (11, 5, 6)
    assert pool.get_attr("number", 1) == (5,) and pool.get_attr("number", []) == ()


def test_what_is_wrong_is_explained(pool: Any) -> None:
    for env_ids in ([3], [-1], [0, 0], 0.5, "0", [[0]], {0}):
        with pytest.raises(EnvIdError, match=r"0 \.\. 2"):
            pool.get_attr("number", env_ids)
    with pytest.raises(ConfigError, match=r"2 values.*allowed: 3"):
        pool.set_attr("number", [1, 2])
    with pytest.raises(ConfigError, match=r"Call pool\.reset\(\)"):
        pool.call("reset")
    with pytest.raises(ConfigError, match=r"cannot be pickled"):
        pool.call("add", threading.Lock())
    with pytest.raises(WorkerError, match=r"ZeroDivisionError: number 1.*env 0"):
        pool.call("broken")
    with pytest.raises(WorkerError, match=r"cannot pickle.*lock"):
        pool.call("lock")
    with pytest.raises(WorkerError, match=r"AttributeError.*nothing"):
        pool.get_attr("nothing")
    pool.send(np.zeros(3, np.int64))
    with pytest.raises(StateError, match="Call recv"):
        pool.get_attr("number")
    pool.recv()
    assert pool.get_attr("number") == (1, 2, 3)


def test_ctrl_c_in_a_call_leaves_no_answer_to_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with envpool_python.make(MAKE, num_workers=2) as pool:
        group = type(pool.compiled.workers)
        fetch = group.fetch_calls

        def interrupted(*arguments: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(group, "fetch_calls", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.get_attr("number")
        monkeypatch.setattr(group, "fetch_calls", fetch)
        assert pool.get_attr("double") == (2, 4, 6)
