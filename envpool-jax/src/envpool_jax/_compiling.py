# SPDX-License-Identifier: Apache-2.0
"""Compiles when a pool is made, reports a long compilation, and caches it for later processes."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ._describe import Array
from ._program import Carry, Program

_SLOW = 2.0  # seconds
_MEASURED = 0.2  # seconds for which each way to reset is measured


@contextlib.contextmanager
def progress(task_id: str) -> Iterator[threading.Timer]:
    """Prints to a terminal that a program is being compiled, after a while."""
    _keep_what_is_compiled()

    def say() -> None:
        if sys.stderr.isatty():
            print(f"{task_id}: XLA compiles the batch step ...", file=sys.stderr, flush=True)

    timer = threading.Timer(_SLOW, say)
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def _keep_what_is_compiled() -> None:
    """Makes JAX keep compiled programs in a folder, unless the user has configured this."""
    config: Any = jax.config
    if "JAX_COMPILATION_CACHE_DIR" in os.environ or config.jax_compilation_cache_dir:
        return
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    config.update("jax_compilation_cache_dir", str(Path(cache) / "envpool" / "jax"))


def warm_up(
    program: Program, carry: Callable[[], Carry], limit: Any
) -> tuple[Carry, dict[str, Any]]:
    """Runs a reset and a step, so that JAX compiles them; returns the next step's arguments."""
    begin = carry()
    rows = len(begin.ended)
    mask = np.ones(rows, np.bool_)
    key = np.zeros(begin.key.shape, np.uint32)
    begun, _ = program.reset(begin, mask, key, np.zeros(rows, np.bool_))
    action = {array.name: _any_action(array, rows) for array in program.actions}
    after, _ = program.step(begun, limit, action)
    after.ended.block_until_ready()
    return after, action


def _any_action(array: Array, rows: int) -> Any:
    value = 0 if array.dtype.kind == "f" else array.low
    return np.broadcast_to(value, (rows, *array.shape)).astype(array.dtype)


def fastest(programs: Sequence[Program], carry: Callable[[], Carry], limit: Any) -> Program:
    """The program that takes the least time, measured with the first possible actions."""
    seconds = []
    for program in programs:
        state, action = warm_up(program, carry, limit)
        steps, since = 0, time.perf_counter()
        while steps < 2 or time.perf_counter() - since < _MEASURED:
            state, _ = program.step(state, limit, action)
            state.ended.block_until_ready()
            steps += 1
        seconds.append((time.perf_counter() - since) / steps)
    return programs[seconds.index(min(seconds))]
