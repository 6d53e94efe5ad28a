# SPDX-License-Identifier: Apache-2.0
"""Overlaps environment steps, copies and a network, and measures the gain.

    python overlap.py --task Pong-v5 --num-envs 32 --threads 1

In a synchronous pool the network waits for all environments, and they wait for it. In an
asynchronous pool with batches of half the size, half of the environments step while the network
processes the other half.
Needs `torch`; on a machine with CUDA results are page-locked and copied without waiting.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import envpool
import torch
from envpool.integrations import PinnedMemory, as_tensors
from torch import nn


def make_net(shape: tuple[int, ...], actions: int, device: str) -> nn.Module:
    """A network of the usual size: convolutions for frames, two hidden layers for vectors."""
    if len(shape) == 3:
        layers = [nn.Conv2d(shape[0], 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU()]
        layers += [nn.Flatten(), nn.LazyLinear(256), nn.ReLU(), nn.Linear(256, actions)]
    else:
        layers = [nn.Flatten(), nn.LazyLinear(1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU()]
        layers += [nn.Linear(1024, actions)]
    return nn.Sequential(*layers).to(device)


def play(pool: Any, net: nn.Module, device: str, steps: int) -> float:
    """Environment steps per second."""
    pinned = PinnedMemory() if device == "cuda" else None
    taken = 0
    pool.async_reset()
    start = time.perf_counter()
    while taken < steps:
        obs, *_, info = pool.recv()
        # Without a copy; the GPU takes it while the call goes on.
        batch = as_tensors(obs, pinned).to(device, non_blocking=True)
        with torch.no_grad():
            action = net(batch.float()).argmax(1)
        pool.send(action.cpu().numpy(), info["env_id"])
        taken += len(obs)
    return taken / (time.perf_counter() - start)


def main() -> None:
    """Measures both in turn, and prints medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--task", default="Acrobot-v1")
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1, help="of the pool")
    parser.add_argument("--steps", type=int, default=6400)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)  # the other CPUs are for the environments

    def make(batch_size: int) -> Any:
        return envpool.make(
            options.task,
            num_envs=options.num_envs,
            batch_size=batch_size,
            num_threads=options.threads,
            seed=1,
        )

    pools = {"synchronous": make(options.num_envs), "asynchronous": make(options.num_envs // 2)}
    space = pools["synchronous"].observation_space
    net = make_net(space.shape, int(pools["synchronous"].action_space.n), device)
    speeds: dict[str, list[float]] = {name: [] for name in pools}
    for turn in range(options.rounds + 1):
        for name, pool in pools.items():
            speed = play(pool, net, device, options.steps)
            if turn > 0:  # the first one warms up
                speeds[name].append(speed)
    medians = {name: statistics.median(values) for name, values in speeds.items()}
    for name, speed in medians.items():
        print(f"{name}: {speed:,.0f} steps/s")
    print(f"gain: {medians['asynchronous'] / medians['synchronous']:.2f}")


if __name__ == "__main__":
    main()
