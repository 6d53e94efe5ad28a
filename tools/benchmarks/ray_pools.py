# SPDX-License-Identifier: Apache-2.0
"""Pools on Ray against one pool in this process, and against the same work done by hand on Ray.

    python tools/benchmarks/ray_pools.py --rounds 5

Peers take turns in one run. Actors of all peers have one thread each. RLlib's env runner is
measured if `ray[rllib]` and PyTorch are installed. Then: what each added actor costs,
the model fitted to it, and what that means for a cluster of 64 nodes.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import envpool
import envpool_ray
import numpy as np
import psutil
import ray
from _report import Report, figure, finish

LIKE_LOCAL = 0.85
LIKE_PEERS = 3.0
NODES, CORES = 64, 32


class AleEnvs:
    """ALE's own vector environment in an actor."""

    def __init__(self, num_envs: int) -> None:
        """Makes it."""
        import ale_py

        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self._envs = ale_py.AtariVectorEnv("pong", num_envs=num_envs, num_threads=1)
        self._envs.reset(seed=0)

    def step(self, action: Any) -> Any:
        """One step in each."""
        return self._envs.step(action)


class GymnasiumEnvs:
    """Gymnasium's vector environment in an actor, with its own wrappers for Atari."""

    def __init__(self, num_envs: int) -> None:
        """Makes it."""
        import ale_py
        import gymnasium as gym
        from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

        gym.register_envs(ale_py)
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

        def make() -> Any:
            env = gym.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
            return FrameStackObservation(AtariPreprocessing(env), 4)

        self._envs = gym.vector.SyncVectorEnv([make] * num_envs)
        self._envs.reset(seed=0)

    def step(self, action: Any) -> Any:
        """One step in each."""
        return self._envs.step(action)


class CartPoles:
    """Gymnasium's vectorized CartPole in an actor."""

    def __init__(self, num_envs: int) -> None:
        """Makes it."""
        import gymnasium as gym

        self._envs = gym.make_vec("CartPole-v1", num_envs, vectorization_mode="sync")
        self._envs.reset(seed=0)

    def step(self, action: Any) -> Any:
        """One step in each."""
        return self._envs.step(action)


class ByHand:
    """What one writes without us: remote vector environments, results put together."""

    def __init__(self, cls: type, num_envs: int, actors: int) -> None:
        """Starts the actors."""
        share = num_envs // actors
        self._actors: list[Any] = [ray.remote(num_cpus=1)(cls).remote(share) for _ in range(actors)]

    def step(self, action: Any) -> Any:
        """One step in all environments."""
        parts = np.array_split(action, len(self._actors))
        found = ray.get([a.step.remote(p) for a, p in zip(self._actors, parts, strict=True)])
        return [np.concatenate([result[k] for result in found]) for k in range(4)]

    def close(self) -> None:
        """Ends them."""
        for actor in self._actors:
            ray.kill(actor)


class Runner:
    """RLlib's env runner, sampling at random: without a network."""

    def __init__(self, ours: bool, task: str, gym_id: str, num_envs: int, actors: int) -> None:
        """Starts remote runners."""
        from ray.rllib.algorithms.ppo import PPOConfig
        from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

        config: Any = PPOConfig()  # type: ignore[no-untyped-call]
        config = config.env_runners(
            num_env_runners=actors, num_envs_per_env_runner=num_envs // actors
        )
        if ours:
            from envpool_ray import rllib

            rllib.with_pool(config, task, num_threads=1)
        else:
            config.environment(_rllib_atari(gym_id) if "ALE" in gym_id else gym_id)
        config.freeze()
        make = ray.remote(num_cpus=1)(SingleAgentEnvRunner)
        self._runners: list[Any] = [
            make.remote(config=config, worker_index=k + 1) for k in range(actors)
        ]
        self._share = num_envs // actors

    def step(self, action: Any) -> Any:
        """Sixteen steps in all environments; the samples stay where they are."""
        count = 16 * self._share
        refs = [r.sample.remote(num_timesteps=count, random_actions=True) for r in self._runners]
        ray.wait(refs, num_returns=len(refs))

    def close(self) -> None:
        """Ends them."""
        for runner in self._runners:
            ray.kill(runner)


def _rllib_atari(gym_id: str) -> Callable[[Any], Any]:
    def make(context: Any) -> Any:
        import ale_py
        import gymnasium as gym
        from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

        gym.register_envs(ale_py)
        env = gym.make(gym_id, frameskip=1, repeat_action_probability=0.0)
        return FrameStackObservation(AtariPreprocessing(env), 4)

    return make


class Asynchronous:
    """`recv` and `send` of a pool, so that a call is a batch."""

    def __init__(self, pool: Any, batch: int) -> None:
        """Starts."""
        self._pool, self._batch = pool, batch
        pool.async_reset()

    def step(self, action: Any) -> Any:
        """One batch."""
        info = self._pool.recv()[-1]
        self._pool.send(action[: self._batch], info["env_id"])

    def close(self) -> None:
        """Ends the pool."""
        self._pool.close()


def cpu_seconds() -> float:
    """CPU time of this process and of all below it."""
    me = psutil.Process()
    total = 0.0
    for process in [me, *me.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def measure(peer: Any, action: Any, rows: int, seconds: float) -> tuple[float, float]:
    """Steps per second, and CPU seconds per step."""
    count, cpu, since = 0, cpu_seconds(), time.perf_counter()
    while (passed := time.perf_counter() - since) < seconds:
        peer.step(action)
        count += rows
    return count / passed, (cpu_seconds() - cpu) / count


def compare(
    peers: dict[str, tuple[Any, int]], action: Any, rounds: int, seconds: float
) -> dict[str, tuple[float, float]]:
    """Medians of steps per second and of CPU seconds per step, measured in turns."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in peers}
    for _ in range(rounds + 1):
        for name, (peer, rows) in peers.items():
            found[name].append(measure(peer, action, rows, seconds))
    for peer, _ in peers.values():
        peer.close()
    return {
        name: (statistics.median(a for a, _ in all_[1:]), statistics.median(b for _, b in all_[1:]))
        for name, all_ in found.items()
    }


def throughput(options: argparse.Namespace, report: Report) -> tuple[bool, float]:
    """Atari and CartPole; whether goals are met, and CPU seconds of an Atari step in process."""
    passed, atari_cpu = True, 0.0
    rllib = importlib.util.find_spec("torch") and importlib.util.find_spec("ray.rllib")
    for task, gym_id, envs, hand in (
        ("Pong-v5", "ALE/Pong-v5", 64, {"ray.remote, AtariVectorEnv": AleEnvs,
                                        "ray.remote, SyncVectorEnv": GymnasiumEnvs}),
        ("CartPole-v1", "CartPole-v1", 64, {"ray.remote, SyncVectorEnv": CartPoles}),
        ("CartPole-v1", "CartPole-v1", 4096, {}),
    ):  # fmt: skip
        small: dict[str, Any] = {
            "num_actors": 2,
            "cpus_per_actor": 1,
            "num_threads": 1,
            "num_envs": envs,
        }
        local = envpool.make(task, num_envs=envs, num_threads=2)
        ours = envpool_ray.make(task, **small)
        for pool in (local, ours):
            pool.reset()
        half = envs // 2
        ready = Asynchronous(envpool_ray.make(task, batch_size=half, **small), half)
        peers: dict[str, tuple[Any, int]] = {
            "one pool, 2 threads": (local, envs),
            "2 actors": (ours, envs),
            "2 actors, asynchronous": (ready, half),
        }
        for name, cls in hand.items():
            peers[name] = (ByHand(cls, envs, 2), envs)
        if rllib and hand:
            peers["RLlib's runners"] = (Runner(False, task, gym_id, envs, 2), envs * 16)
            peers["RLlib's runners, our pools"] = (Runner(True, task, gym_id, envs, 2), envs * 16)
        action = np.zeros(envs, np.int64)
        found = compare(peers, action, options.rounds, options.seconds)
        base, best = found["one pool, 2 threads"], found["2 actors, asynchronous"]
        if task == "Pong-v5":
            atari_cpu = base[1]
            passed &= max(found["2 actors"][0], best[0]) / base[0] >= LIKE_LOCAL
            passed &= best[0] / found["ray.remote, SyncVectorEnv"][0] >= LIKE_PEERS
        for name, (speed, cpu) in found.items():
            report.add(
                f"{task}, {envs}", name, figure(speed), figure(cpu * 1e6),
                f"{speed / base[0]:.2f}", f"{found['2 actors'][0] / speed:.2f}",
            )  # fmt: skip
    report.notes.append(
        f"Goals on Pong: {LIKE_LOCAL} of one pool, {LIKE_PEERS} times SyncVectorEnv"
    )
    return passed, atari_cpu


def added_actors(options: argparse.Namespace, report: Report) -> tuple[float, float]:
    """What an actor adds to a step of one environment in each; the fitted line in seconds."""
    counts, times, cpus = [1, 2, 4, 8, 16, 32], [], []
    for count in counts:
        config: Any = {"num_envs": count, "num_actors": count, "num_threads": 1}
        with envpool_ray.make("CartPole-v1", cpus_per_actor=0.01, **config) as pool:
            pool.reset()
            action = np.zeros(count, np.int64)
            for _ in range(20):
                pool.step(action)
            walls, here = [], time.process_time()
            for _ in range(options.calls):
                since = time.perf_counter()
                pool.step(action)
                walls.append(time.perf_counter() - since)
            here = (time.process_time() - here) / options.calls
        times.append(statistics.median(walls))
        cpus.append(here)
        report.add(str(count), figure(times[-1] * 1e6), figure(times[-1] / count * 1e6),
                   figure(here * 1e6), figure(here / count * 1e6))  # fmt: skip
    slope, base = np.polyfit(counts, cpus, 1)
    wall_slope, wall_base = np.polyfit(counts, times, 1)
    report.notes.append(
        f"Model of a step: {wall_base * 1e6:.0f} us + {wall_slope * 1e6:.0f} us for each actor; of "
        f"which in the caller: {base * 1e6:.0f} us + {slope * 1e6:.0f} us CPU for each message"
    )
    return float(slope), float(base)


def main() -> None:
    """Measures and prints; fails if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each peer in a round")
    parser.add_argument("--calls", type=int, default=200, help="steps for each number of actors")
    parser.add_argument("--only", choices=["throughput", "actors"], help="one of the two parts")
    parser.add_argument("--json", type=Path, help="where to keep the tables")
    options = parser.parse_args()
    ray.init(address="local", num_cpus=16, include_dashboard=False, log_to_driver=False,
             logging_level=logging.ERROR, object_store_memory=2**30)  # fmt: skip
    reports, passed, atari_cpu, slope = [], True, 100e-6, 0.0
    if options.only != "actors":
        columns: tuple[str, ...] = (
            "task, envs",
            "who",
            "steps/s",
            "CPU us/step",
            "of one pool",
            "2 actors / it",
        )
        reports.append(Report("Pools on Ray", columns, texts=2))
        passed, atari_cpu = throughput(options, reports[-1])
    if options.only != "throughput":
        columns = ("actors", "us/step", "us/actor", "CPU us in the caller", "of it for each actor")
        reports.append(Report("One environment in each actor", columns, texts=0))
        slope, _ = added_actors(options, reports[-1])
        made = NODES * CORES / atari_cpu
        rows = made * slope
        reports[-1].notes.append(
            f"{NODES} nodes of {CORES} cores make {made / 1e6:.1f} million steps of Pong a "
            f"second at {atari_cpu * 1e6:.0f} us each. A caller that only receives takes "
            f"{1 / slope:,.0f} messages per second: it is fed by {NODES} actors of {CORES} threads "
            f"whose messages have {rows:,.0f} rows at least, batch_size={rows:,.0f}; the frames "
            f"are {made * 28224 / 2**30:,.0f} GiB/s, which takes a caller for each "
            f"{12.5e9 / 28224 / (CORES / atari_cpu):.1f} nodes at 100 Gbit/s"
        )
    ray.shutdown()
    finish(reports, options.json, passed)


if __name__ == "__main__":
    main()
