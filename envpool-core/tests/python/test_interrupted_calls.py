# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at the begin or end of a function of a call leaves a pool in Python unlocked."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
from envpool.errors import EnvPoolError
from envpool.pool_backend import PythonPool, Rows, array, common_action

ACTION = [*common_action(), array("action", np.int32, high=5)]
STATE = [array("obs", np.float32), array("done", np.bool_)]


class ZerosPool(PythonPool):
    """Environments whose steps are done at once."""

    def begin_episodes(self, ids: Any, seeds: Any) -> None:
        """Delivers the first rows."""
        self.begin_steps(ids, None)

    def begin_steps(self, ids: Any, action: Any) -> None:
        """Delivers rows."""
        done = np.zeros(len(ids), np.bool_)
        self.deliver(Rows(ids, {"obs": np.zeros(len(ids), np.float32), "done": done}))


def interrupted(call: Callable[[], object], count: int) -> bool:
    """Whether KeyboardInterrupt came at the `count`th begin or end of a function of the pool."""
    left = count

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith("python_pool.py"):
            return None
        left -= event in ("call", "return")
        if left == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def check_free(pool: PythonPool) -> None:
    """Fails if this thread or another one cannot use the pool."""
    answers: list[str] = []

    def use() -> None:
        try:
            pool.load_state([], np.zeros(1, np.int32))
        except EnvPoolError as refusal:
            answers.append(str(refusal))

    thread = threading.Thread(target=use, daemon=True)
    thread.start()
    thread.join(10)
    use()
    assert len(answers) == 2
    assert not any("another call" in answer for answer in answers)


@pytest.mark.parametrize("name", ["step", "reset", "recv", "set_result_layouts"])
def test_an_interrupt_never_leaves_the_pool_locked(name: str) -> None:
    config = {"num_envs": 2, "batch_size": 2, "seed": 0, "env_seed": [], "max_num_players": 1}
    args: dict[str, tuple[Any, ...]] = {
        "step": (np.zeros(2, np.int32),),
        "recv": (False, 1e-6),
        "set_result_layouts": (("obs",), ("obs",)),
    }
    for count in range(1, 1000):
        pool = ZerosPool(config, STATE, ACTION, "Zeros-v0", "next_step")
        pool.set_result_layouts(("obs",), ("obs",))
        pool.reset()
        if name == "recv":
            pool.send(np.zeros(2, np.int32))
        call = functools.partial(getattr(pool, name), *args.get(name, ()))
        if not interrupted(call, count):
            break
        check_free(pool)
    assert 2 < count < 999
