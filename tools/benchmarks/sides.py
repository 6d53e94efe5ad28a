# SPDX-License-Identifier: Apache-2.0
"""The sides that worker.py can step: pools, ours and the original's, and other vector environments.

Each function makes environments, and returns a function that makes a call with random actions drawn
before. A Python that has a peer imports this file, too: packages are imported at their first use.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

BATCHES = 64  # of actions, used in turn
HUGE = 1e6  # a bound that no environment is meant to reach
SEED = 1
Call = Callable[[], Any]


def batches(space: Any, rows: int, whole: bool = False) -> Iterator[Any]:
    """Batches of random actions of one environment's space, without end.

    Args:
        space: A space of Gymnasium.
        rows: The rows of a batch.
        whole: Whether numbers of a box are rounded: buttons, pressed or not.
    """
    if type(space).__name__ in ("Dict", "Tuple"):
        from gymnasium.vector.utils import batch_space

        batch = batch_space(space, rows)
        batch.seed(SEED)
        return itertools.cycle([batch.sample() for _ in range(BATCHES)])
    if np.abs(getattr(space, "high", 0)).max() > HUGE:
        # Forces of up to 1e10, as LQR's, end in a simulation that is not valid; without bounds,
        # values are drawn around 0.
        low = np.where(space.low < -HUGE, -np.inf, space.low)
        space = type(space)(low, np.where(space.high > HUGE, np.inf, space.high), dtype=space.dtype)
    space.seed(SEED)
    drawn = np.stack([space.sample() for _ in range(BATCHES * rows)])
    drawn = drawn.reshape(BATCHES, rows, *drawn.shape[1:])
    if np.issubdtype(drawn.dtype, np.integer):
        drawn = drawn.astype(np.int32)  # as the original's pools take them without a copy
    return itertools.cycle(np.rint(drawn) if whole else drawn)


def pool(
    task: str, num_envs: int, batch_size: int = 0, whole: bool = False, **options: Any
) -> Call:
    """A `step` of a pool, or `recv` and `send`: the same code for ours and the original's.

    Args:
        task: Its id.
        num_envs: As for `make`.
        batch_size: The same; the pool is asynchronous if it is smaller than `num_envs`.
        whole: See `batches`.
        **options: Other options of `make`.
    """
    import envpool

    rows = batch_size or num_envs
    options = {"num_envs": num_envs, "batch_size": rows, "seed": SEED, **options}
    made = envpool.make(task, env_type="gymnasium", **options)
    actions = batches(made.action_space, rows, whole)
    if rows == num_envs:
        made.reset()
        return lambda: made.step(next(actions))
    made.async_reset()

    def recv_and_send() -> None:
        info = made.recv()[4]
        made.send(next(actions), info["env_id"])

    return recv_and_send


def resets(task: str, num_envs: int, **options: Any) -> Call:
    """A `reset` of all environments of a pool: new episodes."""
    import envpool

    made = envpool.make(task, env_type="gymnasium", num_envs=num_envs, seed=SEED, **options)
    reset: Call = made.reset
    return reset


def vector(
    task: str,
    num_envs: int,
    mode: str = "async",
    imports: Sequence[str] = (),
    only_reset: bool = False,
    **options: Any,
) -> Call:
    """A `step` of Gymnasium's vector environment.

    Args:
        task: Its id.
        num_envs: The number of environments.
        mode: "async", "sync", or "vector_entry_point" for a task's own vectorised version.
        imports: Modules that register ids.
        only_reset: Whether `reset` is called instead.
        **options: Other options of `make_vec`.
    """
    import gymnasium

    for name in imports:
        importlib.import_module(name)
    made: Any = gymnasium.make_vec(task, num_envs, vectorization_mode=mode, **options)
    made.reset(seed=SEED)
    actions = batches(made.single_action_space, num_envs)
    return made.reset if only_reset else lambda: made.step(next(actions))


def ale(game: str, num_envs: int, batch_size: int, num_threads: int) -> Call:
    """A `step`, or `send` and `recv`, of ALE's own vector environment."""
    library: Any = importlib.import_module("ale_py")
    library.ALEInterface.setLoggerMode(library.LoggerMode.Error)
    made = library.AtariVectorEnv(
        game, num_envs=num_envs, batch_size=batch_size, num_threads=num_threads
    )
    drawn = itertools.islice(batches(made.single_action_space, batch_size), BATCHES)
    actions = itertools.cycle([np.asarray(batch, np.int64) for batch in drawn])
    made.reset(seed=SEED)
    if batch_size == num_envs:
        return lambda: made.step(next(actions))

    def send_and_recv() -> None:
        made.send(next(actions))
        made.recv()

    return send_and_recv
