# SPDX-License-Identifier: Apache-2.0
"""What a call of a pool costs in a program that JAX compiles: `recv` and `send` in a loop.

    python tools/xla_calls.py [--peer PYTHON]

Compares JAX's FFI with callbacks and, given a Python with envpool==1.2.5 and jax, with upstream.
All take turns, each time in a process of their own; medians of microseconds, by the clock and of
CPU.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

SIZES = ((8, 8), (64, 64), (1024, 1024), (64, 16))
CALLS = 2000


def measure(mode: str) -> list[list[float]]:
    """Microseconds of a call by the clock and of CPU time, for each of SIZES; in this process."""
    import envpool
    import jax
    import jax.numpy as jnp

    if mode == "callback":
        del jax.ffi  # as with a JAX that has none
    results = []
    for num_envs, batch_size in SIZES:
        pool = envpool.make(
            "CartPole-v1",
            env_type="gymnasium",
            num_envs=num_envs,
            batch_size=batch_size,
            num_threads=2,
            seed=1,
        )
        handle, recv, send, _ = pool.xla()
        pool.async_reset()
        action = jnp.zeros(batch_size, jnp.int32)

        def body(_, carry, recv=recv, send=send, action=action):  # type: ignore[no-untyped-def]
            handle, total = carry
            handle, result = recv(handle)
            handle = send(handle, action, result[4]["env_id"])
            return handle, total + result[1].sum()

        loop = jax.jit(lambda handle, body=body: jax.lax.fori_loop(0, CALLS, body, (handle, 0.0)))
        times = []
        for _ in range(4):
            start, cpu = time.perf_counter(), time.process_time()
            handle, total = loop(handle)
            float(total)  # waits
            times.append((time.perf_counter() - start, time.process_time() - cpu))
        # The first one was compiled.
        results.append([statistics.median(t[i] for t in times[1:]) / CALLS * 1e6 for i in (0, 1)])
    return results


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--peer", help="a Python with envpool==1.2.5 and jax")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=("ffi", "callback", "upstream"))
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    pythons = {"ffi": sys.executable, "callback": sys.executable}
    pythons |= {"upstream": options.peer} if options.peer else {}
    found: dict[str, list[list[list[float]]]] = {mode: [] for mode in pythons}
    for _ in range(options.rounds):
        for mode, python in pythons.items():
            command = [python, __file__, "--measure", mode]
            out = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
            found[mode].append(json.loads(out.stdout.splitlines()[-1]))
    print("| environments / batch |", " | ".join(f"{mode}, µs (CPU)" for mode in pythons), "|")
    print("|---|" + "---:|" * len(pythons))
    for size, (num_envs, batch_size) in enumerate(SIZES):
        cells = []
        for runs in found.values():
            wall, cpu = (statistics.median(run[size][i] for run in runs) for i in (0, 1))
            cells.append(f"{wall:.1f} ({cpu:.1f})")
        print(f"| {num_envs} / {batch_size} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
