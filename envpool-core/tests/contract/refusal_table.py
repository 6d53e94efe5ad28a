# SPDX-License-Identifier: Apache-2.0
"""The refusals of every kind of pool, and their words; as a program, a table of all kinds.

    python envpool-core/tests/contract/refusal_table.py [compiled] [python] [ray] [jax]

prints a row for each refusal: the words, and for each kind of pools that is installed whether they
are the same, or the words that it has.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from envpool.errors import (
    ActionError,
    ConfigError,
    EnvIdError,
    EnvPoolError,
    RecvTimeoutError,
    StateError,
)

ROOT = Path(__file__).resolve().parents[3]
TASK = "Test/Counter-v0"


class Refusal(NamedTuple):
    """A call that is refused.

    Attributes:
        call: The call, as a user would write it.
        act: Does it with a pool of four Counters that were reset.
        error: The class that is raised.
        got: The part of the message for the value that came.
        allowed: The part of the message for allowed values.
        config: Options of the pool beside num_envs=4.
    """

    call: str
    act: Callable[[Any], object]
    error: type[EnvPoolError]
    got: str
    allowed: str
    config: Mapping[str, Any] = MappingProxyType({})


def _sent(call: Callable[[Any], object]) -> Callable[[Any], object]:
    """The call after environments 1 and 2 were sent."""

    def act(pool: Any) -> object:
        pool.send([1, 2], [1, 2])
        try:
            return call(pool)
        finally:
            pool.recv()

    return act


def _closed(call: Callable[[Any], object]) -> Callable[[Any], object]:
    def act(pool: Any) -> object:
        pool.close()
        return call(pool)

    return act


def _ended(pool: Any) -> object:
    pool.step([1] * 4)
    return pool.step([1] * 4)


NUMBERS, ROWS = "a whole number or a one-dimensional array of them", "one row per environment id"
SEEDS = "a whole number from 0, or a sequence of 4 of them, one for each environment that is reset"
KEYS = "action, and optionally env_id, players.env_id"
IDLE, ONCE = "environments whose result was received", "every env id once per call"
OPENS = "reset and async_reset, which open it again"
REFUSALS = (
    Refusal("step(a, [4])", lambda p: p.step([0], [4]), EnvIdError, "env id 4", "0 .. 3"),
    Refusal("step(a, [-1])", lambda p: p.step([0], [-1]), EnvIdError, "env id -1", "0 .. 3"),
    Refusal("step(a, [1, 1])", lambda p: p.step([0, 0], [1, 1]), EnvIdError, "env 1 twice", ONCE),
    Refusal("reset([1, 1])", lambda p: p.reset([1, 1]), EnvIdError, "env 1 twice", ONCE),
    Refusal(
        "step(a, [[0, 1]])",
        lambda p: p.step([0, 0], [[0, 1]]),
        EnvIdError,
        "an array of 2 dimensions",
        NUMBERS,
    ),
    Refusal(
        "step(a, [0.5])",
        lambda p: p.step([0], [0.5]),
        EnvIdError,
        "[0.5] of dtype float64",
        NUMBERS,
    ),
    Refusal(
        "send(a, [2]) of one in flight",
        _sent(lambda p: p.send([0], [2])),
        EnvIdError,
        "env 2, which is in flight",
        IDLE,
    ),
    Refusal(
        "set_result_layouts(), one in flight",
        _sent(lambda p: p.set_result_layouts("obs", "obs")),
        StateError,
        "2 results in flight",
        "a pool that has nothing in flight",
    ),
    Refusal(
        "step([1, 2])", lambda p: p.step([1, 2]), ActionError, "shape (2,)", f"shape (4,), {ROWS}"
    ),
    Refusal(
        "step([0, 1000, 0, 0])",
        lambda p: p.step([0, 1000, 0, 0]),
        ActionError,
        "1000 for env 1",
        "whole numbers 0 .. 999",
    ),
    Refusal(
        "step([0.5, 0, 0, 0])",
        lambda p: p.step([0.5, 0, 0, 0]),
        ActionError,
        "0.5 for env 0",
        "whole numbers 0 .. 999",
    ),
    Refusal(
        "step([nan, 0, 0, 0])",
        lambda p: p.step([np.nan, 0, 0, 0]),
        ActionError,
        "nan for env 0",
        "whole numbers 0 .. 999",
    ),
    Refusal(
        "step(['a', ...])",
        lambda p: p.step(["a", "b", "c", "d"]),
        ActionError,
        "['a', 'b', 'c', 'd'] of dtype <U1",
        "numbers of shape (4,)",
    ),
    Refusal(
        "step('left')",
        lambda p: p.step("left"),
        ActionError,
        "'left' of dtype <U4",
        "numbers of shape (4,)",
    ),
    Refusal(
        "step({'action': a, 'x': 1})",
        lambda p: p.step({"action": [0] * 4, "x": 1}),
        ActionError,
        "key 'x'",
        KEYS,
    ),
    Refusal("step({})", lambda p: p.step({}), ActionError, "no key 'action'", KEYS),
    Refusal(
        "players.env_id=[0, 0, 2, 3]",
        lambda p: p.step({"action": [0] * 4, "players.env_id": [0, 0, 2, 3]}),
        ActionError,
        "more than 1 players for env 0",
        "at most max_num_players, 1",
    ),
    Refusal("reset(seed=-1)", lambda p: p.reset(None, -1), ConfigError, "-1", SEEDS),
    Refusal("reset(seed=[1, 2])", lambda p: p.reset(None, [1, 2]), ConfigError, "2 seeds", SEEDS),
    Refusal(
        "reset(seed=[1, None, 3, 4])",
        lambda p: p.reset(None, [1, None, 3, 4]),
        ConfigError,
        "[1, None, 3, 4]",
        SEEDS,
    ),
    Refusal(
        "recv(), nothing in flight",
        lambda p: p.recv(),
        StateError,
        "0 results in flight",
        "at least 1",
    ),
    Refusal(
        "recv(timeout=0), nothing in flight",
        lambda p: p.recv(False, 0),
        RecvTimeoutError,
        "0 of 1 results in flight before the time was over",
        "any timeout, or None to wait for as long as it takes",
    ),
    Refusal(
        "recv(timeout=-1)",
        lambda p: p.recv(False, -1),
        ConfigError,
        "-1.000000",
        "seconds from 0, or None to wait for as long as it takes",
    ),
    Refusal(
        "step(a), closed", _closed(lambda p: p.step([0] * 4)), StateError, "a closed pool", OPENS
    ),
    Refusal("recv(), closed", _closed(lambda p: p.recv()), StateError, "a closed pool", OPENS),
    Refusal(
        "step(a), episode over, 'disabled'",
        _ended,
        StateError,
        "env 0, whose episode is over or has not begun",
        'running episodes, since autoreset_mode is "disabled"',
        {"autoreset": "disabled", "goal": 1},
    ),
)


def words(pool: Any, refusal: Refusal) -> tuple[type[Exception], str, str]:
    """A pool's answer to a wrong call: the error's class, the wrong value, the allowed values."""
    try:
        refusal.act(pool)
    except EnvPoolError as error:
        return type(error), error.got, error.allowed
    except Exception as error:
        return type(error), str(error), ""
    return Exception, "no error", ""


# As a program.


def _compiled(stack: Path) -> Callable[..., Any]:
    import envpool
    from compiling import extension, load
    from raw_pools import make_raw

    load(extension(ROOT / "envpool-core/tests/engine/engine_envs.cc", "-O2", "-DENVPOOL_TEST"))
    envpool.register(envpool.Task("Counter-v0", "engine_envs:Counter"))
    return lambda **config: make_raw("Counter-v0", **config)


def _python(stack: Path) -> Callable[..., Any]:
    import gymnasium

    gymnasium.register("Counter-v0", "counter_gym:Counter")
    return _make_counter("python")


def _ray(stack: Path) -> Callable[..., Any]:
    make = _make_counter("ray")
    import ray_ledger

    ray_ledger.quiet_ray(stack)
    ray_ledger.install(stack / "family")
    head, address = ray_ledger.start_head(cpus=8)
    atexit.register(ray_ledger.stop_head, head)
    import ray

    ray.init(address=address, logging_level="ERROR", log_to_driver=False)
    return make


def _jax(stack: Path) -> Callable[..., Any]:
    return _make_counter("jax")


def _make_counter(family: str) -> Callable[..., Any]:
    """The function of a family's test that makes raw pools of Counters."""
    tests = ROOT / f"envpool-{family}/tests"
    sys.path.insert(0, str(tests))
    found = runpy.run_path(str(tests / "test_pool_contract.py"))["make_counter"]
    return functools.partial(found, "Counter")


KINDS: dict[str, tuple[str, Callable[[Path], Callable[..., Any]]]] = {
    "compiled": ("pybind11", _compiled),
    "python": ("envpool_python", _python),
    "ray": ("envpool_ray", _ray),
    "jax": ("envpool_jax", _jax),
}


@contextmanager
def pools_for(make: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Pools for refusals, of which those with the same options are one."""
    kept: dict[str, Any] = {}

    def pool_for(refusal: Refusal) -> Any:
        key = repr(dict(refusal.config))
        if key not in kept:
            kept[key] = make(num_envs=4, **refusal.config)
        kept[key].reset()
        return kept[key]

    yield pool_for
    for pool in kept.values():
        pool.close()


def main(names: list[str]) -> int:
    """Prints the table; 1 if the words of a kind differ."""
    sys.path.insert(0, str(ROOT / "tools"))
    kinds = [n for n in names or KINDS if importlib.util.find_spec(KINDS[n][0]) is not None]
    found: dict[str, list[Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            with pools_for(KINDS[kind][1](Path(folder))) as pool_for:
                found[kind] = [words(pool_for(refusal), refusal) for refusal in REFUSALS]
    print(f"| call | error: got; allowed | {' | '.join(kinds)} |\n|---|---|{'---|' * len(kinds)}")
    differ = 0
    for row, refusal in enumerate(REFUSALS):
        wanted = refusal.error, refusal.got, refusal.allowed
        cells = ["same" if found[kind][row] == wanted else str(found[kind][row]) for kind in kinds]
        differ += sum(cell != "same" for cell in cells)
        text = f"{refusal.error.__name__}: {refusal.got}; {refusal.allowed}"
        print(f"| {refusal.call} | {text} | {' | '.join(cells)} |")
    print(f"\n{len(REFUSALS)} refusals, {len(kinds)} kinds of pools, {differ} differ")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
