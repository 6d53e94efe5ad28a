# SPDX-License-Identifier: Apache-2.0
"""Wrong values at every argument, and from every function of an environment.

Each either works or is an error of ours with a remedy; an error from an environment names it.
Afterwards the pool continues.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import envpool_python
import numpy as np
import pytest
from envpool.errors import EnvPoolError, RenderError, WorkerError
from wrong_values import ARGUMENTS, PLACES, WRONG, Liar

NUM_ENVS = 2
PARTS = re.compile(r"BadValueError: env 1.*: got .*; allowed: .*\. .*\.", re.DOTALL)


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    with envpool_python.make([Liar] * NUM_ENVS, num_workers=1, render_mode="rgb_array") as pool:
        pool.reset()
        yield pool


def goes_on(pool: Any) -> None:
    pool.set_attr("place", "")
    pool.reset()
    obs, reward, terminated, truncated, info = pool.step(np.zeros(NUM_ENVS, np.int64))
    assert obs["n"].tolist() == [1, 1] and obs["text"] == ("ab", "ab")
    assert reward.tolist() == [1, 1] and not terminated.any() and not truncated.any()
    assert info["speed"].tolist() == [1.5, 1.5]


def test_every_return_value(pool: Any, record_property: Any) -> None:
    refused = 0
    for place, value in itertools.product(PLACES, WRONG):
        pool.reset()
        pool.set_attr("value", value)
        pool.set_attr("place", place, 1)
        result: Any = ()
        failures = None
        try:
            result = pool.reset()
            result = pool.step(np.zeros(NUM_ENVS, np.int64))
        except WorkerError as error:
            failures = error.failures
        if failures is not None:
            refused += 1
            assert [env_id for env_id, _ in failures] == [1], (place, value)
            assert PARTS.search(failures[0][1]), (place, value, failures[0][1])
            # The other environment's result is not lost.
            assert pool.recv()[4]["env_id"].tolist() == [0], (place, value)
        else:
            assert len(result) == 5 and len(result[1]) == NUM_ENVS, (place, value)
            assert result[4]["speed"][0] == 1.5, (place, value)
        goes_on(pool)
    count = len(PLACES) * len(WRONG)
    print(f"{count} wrong values returned, {refused} of them refused")
    record_property("values", count)
    assert refused > count // 2


def test_every_frame(pool: Any) -> None:
    for value in WRONG:
        pool.set_attr("value", value)
        pool.set_attr("place", "frame", 1)
        with pytest.raises(RenderError):
            pool.render([0, 1])
        goes_on(pool)
    print(f"{len(WRONG)} wrong frames returned")


def test_every_argument(pool: Any) -> None:
    zeros = np.zeros(NUM_ENVS, np.int64)
    calls = {
        "step action": lambda v: pool.step(v),
        "step env_id": lambda v: pool.step(zeros, v),
        "send action": lambda v: (pool.send(v), pool.recv()),
        "send env_id": lambda v: (pool.send(zeros, v), pool.recv()),
        "recv timeout": lambda v: (pool.send(zeros), pool.recv(timeout=v)),
        "reset seed": lambda v: pool.reset(seed=v),
        "reset options": lambda v: pool.reset(options=v),
        "reset an option": lambda v: pool.reset(options={"a": v}),
        "reset env_id": lambda v: pool.reset(env_id=v),
        "async_reset seed": lambda v: (pool.async_reset(seed=v), pool.recv(reset=True)),
        "render env_ids": lambda v: pool.render(v),
        "render camera_id": lambda v: pool.render([0], v),
        "call name": lambda v: pool.call(v),
        "call argument": lambda v: pool.call("render", v),
        "get_attr name": lambda v: pool.get_attr(v),
        "get_attr env_ids": lambda v: pool.get_attr("place", v),
        "set_attr name": lambda v: pool.set_attr(v, 1),
        "set_attr values": lambda v: pool.set_attr("other", v),
        "set_attr env_ids": lambda v: pool.set_attr("other", 1, v),
    }
    wrong = []
    for (name, call), value in itertools.product(calls.items(), ARGUMENTS):
        try:
            call(WRONG[value]())
        except EnvPoolError as error:
            if not str(error):
                wrong.append((name, value, "says nothing"))
        except Exception as error:
            wrong.append((name, value, f"{type(error).__name__}: {error}"))
        while pool.compiled.num_in_flight:
            try:
                pool.recv()
            except EnvPoolError as error:
                wrong.append((name, value, str(error)))
        goes_on(pool)
    print(f"{len(calls) * len(ARGUMENTS)} wrong values passed")
    assert not wrong, "\n".join(map(str, wrong))


def test_every_argument_of_make() -> None:
    names = ("env_fns", "num_workers", "start_method", "on_error", "step_timeout", "env_kind")
    wrong = []
    for name, value in itertools.product((*names, "env_type", "batch_size", "seed"), ARGUMENTS):
        try:
            config = {"env_fns": [Liar] * NUM_ENVS, "num_workers": 1} | {name: WRONG[value]()}
            envpool_python.make(**config).close()
        except EnvPoolError as error:
            if not str(error):
                wrong.append((name, value, "says nothing"))
        except Exception as error:
            wrong.append((name, value, f"{type(error).__name__}: {error}"))
    print(f"{(len(names) + 3) * len(ARGUMENTS)} wrong values passed to make")
    assert not wrong, "\n".join(map(str, wrong))
