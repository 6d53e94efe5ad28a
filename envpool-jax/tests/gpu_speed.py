# SPDX-License-Identifier: Apache-2.0
"""Steps per second on JAX's default device, of pools and of the libraries' own wrappers.

    python envpool-jax/tests/gpu_speed.py

There are two ways to step: a call from Python for each step, whose arrays stay on the device, and a
scan in one compiled program. Each is measured by the clock, in turns, as the median of `ROUNDS`; a
round ends when its results are computed. A line is one task, number of environments and way.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import envpool
import jax
import jax.numpy as jnp
import speed_sides

TASKS = {"gymnax/CartPole-v1": 2, "gymnax/Breakout-MinAtar": 3, "pgx/go_9x9": 82}  # and actions
SIZES = (1024, 16_384, 262_144)
STEPS, ROUNDS = 100, 5


def main() -> None:
    """Prints the table."""
    print(f"{jax.devices()[0].device_kind}; JAX {jax.__version__}; M steps/s: ours, library, ratio")
    for task, choices in TASKS.items():
        for num_envs in SIZES:
            key = jax.random.PRNGKey(0)
            actions = jax.random.randint(key, (STEPS, num_envs), 0, choices, jnp.int32)
            for way, ours, theirs in ways(task, num_envs, actions):
                mine, its = measure(ours), measure(theirs)
                for _ in range(ROUNDS - 1):
                    mine, its = [*mine, *measure(ours)], [*its, *measure(theirs)]
                rates = [STEPS * num_envs / statistics.median(t) / 1e6 for t in (mine, its)]
                print(
                    f"| {task} | {num_envs:,} | {way} | {rates[0]:.3g} | {rates[1]:.3g} "
                    f"| {rates[0] / rates[1]:.2f} |",
                    flush=True,
                )


def ways(task: str, num_envs: int, actions: Any) -> Any:
    """Both ways to step, each as a name and two functions without arguments, already warm."""
    library, _, name = task.partition("/")
    step, state = {"gymnax": speed_sides._gymnax, "pgx": speed_sides._pgx}[library](name, num_envs)
    rows = list(actions)
    with envpool.make(f"jax:{task}", num_envs=num_envs, array="jax") as pool:
        pool.reset()
        carry, own_step = pool.functional()
        kept = {"library": (jax.random.PRNGKey(0), state)}
        single = jax.jit(step, donate_argnums=0)

        def ours() -> Any:
            return [pool.step(row)[:4] for row in rows][-1]

        def theirs() -> Any:
            for row in rows:
                kept["library"], seen = single(kept["library"], row)
            return seen

        yield "calls", warm(ours), warm(theirs)
    yield "scan", scan(own_step, carry, actions), scan(step, kept["library"], actions)


def scan(step: Any, carry: Any, actions: Any) -> Callable[[], Any]:
    """All steps in one program; their results are summed, so that none is optimized away."""

    def one(carry: Any, action: Any) -> Any:
        carry, seen = step(carry, action)
        return carry, sum(leaf.astype(jnp.float32).sum() for leaf in jax.tree.leaves(seen[:4]))

    program = jax.jit(lambda carry: jax.lax.scan(one, carry, actions))
    return warm(lambda: program(carry))


def warm(function: Callable[[], Any]) -> Callable[[], Any]:
    """The function, after one call."""
    jax.block_until_ready(function())
    return function


def measure(function: Callable[[], Any]) -> list[float]:
    """Seconds of a call."""
    since = time.perf_counter()
    jax.block_until_ready(function())
    return [time.perf_counter() - since]


if __name__ == "__main__":
    main()
