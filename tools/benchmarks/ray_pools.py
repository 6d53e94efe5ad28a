# SPDX-License-Identifier: Apache-2.0
"""Pools on Ray against one pool in this process, and against the same work done by hand on Ray.

    python tools/benchmarks/ray_pools.py --json out/bench/ray_pools.json
    python tools/benchmarks/ray_pools.py --json out/bench/ray_pools.json --parts atari

Peers take turns in one run. Actors of all peers have one thread each. The parts:

    atari       Pong against one pool in this process, and against what one writes by hand on Ray
    cartpole    the same with steps that cost nothing
    rllib       RLlib's env runners, with their own environments and with our pools
    actors      what a message takes, what each added actor costs, the model fitted to it, and what
                that means for a cluster of 64 nodes

What was not measured stays in the file. RLlib needs `ray[rllib]` and PyTorch.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.update({"RAY_worker_niceness": "0"})  # of all peers: else the caller goes before them

import envpool
import envpool_ray
import numpy as np
import psutil
import ray
from _report import Report, figure, finish

MakeEnv = Callable[[Any], Any]
Options = dict[str, Any]
FIRST_STEPS = 1200
"""Of env runners before they are measured: RLlib keeps what an episode of Pong has seen until it is
over, and new memory is slow."""
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


class Sampler:
    """RLlib's env runner in an actor, sampling at random: without a network."""

    def __init__(self, config: Any, index: int) -> None:
        """Makes it."""
        from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

        self._runner: Any = SingleAgentEnvRunner(config=config, worker_index=index)

    def sample(self, count: int) -> int:
        """Takes so many steps; the samples are dropped. How many there were."""
        episodes = self._runner.sample(num_timesteps=count, random_actions=True)
        self._runner.get_metrics()  # as an algorithm does: else all episodes are kept for them
        return sum(len(episode) for episode in episodes)


class Runners:
    """Env runners of RLlib."""

    def __init__(self, task: str, num_envs: int, actors: int, own: Options | MakeEnv) -> None:
        """Starts them.

        Args:
            task: The task.
            num_envs: Environments of all runners.
            actors: How many runners.
            own: Options of `with_pool` for a pool of ours; or what makes one environment for RLlib.
        """
        from envpool_ray import rllib
        from ray.rllib.algorithms.ppo import PPOConfig
        from ray.tune.registry import register_env

        self._share = num_envs // actors
        config: Any = PPOConfig()  # type: ignore[no-untyped-call]
        config = config.env_runners(
            num_env_runners=actors, num_envs_per_env_runner=self._share
        ).experimental(_disable_preprocessor_api=True)
        if callable(own):
            register_env(own.__name__, own)
            config.environment(own.__name__)
        else:
            rllib.with_pool(config, task, num_threads=1, **own)
        config.freeze()
        make_actor = ray.remote(num_cpus=1)(Sampler)
        self._runners: list[Any] = [make_actor.remote(config, k + 1) for k in range(actors)]

    def step(self, action: Any) -> Any:
        """Sixteen steps in all environments."""
        count = 16 * self._share
        found = ray.get([runner.sample.remote(count) for runner in self._runners])
        assert sum(found) >= count * len(self._runners), found

    def play(self, steps: int) -> None:
        """At least so many steps in each environment."""
        for _ in range(-(-steps // 16)):
            self.step(None)

    def close(self) -> None:
        """Ends them."""
        for runner in self._runners:
            ray.kill(runner)


def with_rllibs_wrappers(context: Any) -> Any:
    """Pong as RLlib gives it to its networks by default."""
    import ale_py
    import gymnasium as gym
    from ray.rllib.env.wrappers.atari_wrappers import wrap_atari_for_new_api_stack

    gym.register_envs(ale_py)
    env = gym.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
    return wrap_atari_for_new_api_stack(env, dim=84, framestack=4)


def with_gymnasiums_wrappers(context: Any) -> Any:
    """Pong as Gymnasium preprocesses it, which RLlib's networks do not take."""
    import ale_py
    import gymnasium as gym
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gym.register_envs(ale_py)
    env = gym.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
    return FrameStackObservation(AtariPreprocessing(env), 4)


def cart_pole(context: Any) -> Any:
    """Gymnasium's."""
    import gymnasium as gym

    return gym.make("CartPole-v1")


# Ours as those: RLlib's wrappers begin after up to 30 frames, and end an episode with a life.
RLLIBS_OWN: dict[MakeEnv, tuple[str, str, Options]] = {
    with_rllibs_wrappers: ("Pong-v5", "RLlib's", {"noop_max": 30, "episodic_life": True}),
    with_gymnasiums_wrappers: ("Pong-v5", "Gymnasium's", {"images": False}),
    cart_pole: ("CartPole-v1", "none", {}),
}


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


COLUMNS = ("task, envs", "who", "steps/s", "CPU us/step", "of one pool", "2 actors / it")
ONE, TWO, LATER = "one pool, 2 threads", "2 actors", ", asynchronous"
TITLES = {
    "atari": "Pong on two actors",
    "cartpole": "CartPole on two actors",
    "rllib": "RLlib's env runners",
    "actors": "One environment in each actor",
}


def pools(task: str, envs: int) -> dict[str, tuple[Any, int]]:
    """Our peers: one pool in this process, and two actors, both in both modes."""
    half = envs // 2
    peers: dict[str, tuple[Any, int]] = {}
    for name, make, own in (
        (ONE, envpool.make, {"num_threads": 2}),
        (TWO, envpool_ray.make, {"num_actors": 2, "cpus_per_actor": 1, "num_threads": 1}),
    ):
        options: dict[str, Any] = {"num_envs": envs, **own}
        pool = make(task, **options)
        pool.reset()
        peers[name] = (pool, envs)
        peers[name + LATER] = (Asynchronous(make(task, batch_size=half, **options), half), half)
    return peers


def against(
    task: str,
    envs: int,
    hand: dict[str, type],
    options: argparse.Namespace,
    report: Report,
) -> dict[str, tuple[float, float]]:
    """Compares our pools with what is written by hand; adds the rows to the table."""
    peers = pools(task, envs)
    for name, cls in hand.items():
        peers[name] = (ByHand(cls, envs, 2), envs)
    found = compare(peers, np.zeros(envs, np.int64), options.rounds, options.seconds)
    for name, (speed, cpu) in found.items():
        mode = LATER if name.endswith(LATER) else ""  # each against its like
        report.add(
            f"{task}, {envs}", name, figure(speed), figure(cpu * 1e6),
            f"{speed / found[ONE + mode][0]:.2f}", f"{found[TWO + mode][0] / speed:.2f}",
        )  # fmt: skip
    return found


def atari(options: argparse.Namespace) -> tuple[Report, bool]:
    """Pong; whether the goals are met."""
    report = Report(TITLES["atari"], COLUMNS, texts=2)
    hand: dict[str, type] = {
        "ray.remote, AtariVectorEnv": AleEnvs,
        "ray.remote, SyncVectorEnv": GymnasiumEnvs,
    }
    found = against("Pong-v5", 64, hand, options, report)
    in_step, like_local = (found[TWO + mode][0] / found[ONE + mode][0] for mode in ("", LATER))
    ratios = {name: found[TWO][0] / found[name][0] for name in hand}
    told = ", ".join(f"{ratio:.2f} times {name}" for name, ratio in ratios.items())
    report.notes.append(
        f"2 actors make {like_local:.2f} of one pool in asynchronous mode and {in_step:.2f} in "
        f"synchronous mode, and in that {told}"
    )
    return report, like_local >= LIKE_LOCAL and min(ratios.values()) >= LIKE_PEERS


def cartpole(options: argparse.Namespace) -> tuple[Report, bool]:
    """CartPole, with few environments and with many; there is no goal."""
    report = Report(TITLES["cartpole"], COLUMNS, texts=2)
    against("CartPole-v1", 64, {"ray.remote, SyncVectorEnv": CartPoles}, options, report)
    against("CartPole-v1", 4096, {}, options, report)
    return report, True


def runners(options: argparse.Namespace) -> tuple[Report, bool]:
    """RLlib's env runners, with what they have and with our pools; whether the goal is met."""
    columns = ("task, envs", "wrappers", "RLlib's steps/s", "with our pools", "ours / RLlib's")
    report = Report(TITLES["rllib"], columns, texts=2)
    passed, envs = True, 64
    for theirs, (task, wrappers, ours) in RLLIBS_OWN.items():
        peers = {
            name: (Runners(task, envs, 2, own), envs * 16)
            for name, own in (("theirs", theirs), ("ours", ours))
        }
        for peer, _ in peers.values():
            peer.play(FIRST_STEPS)
        measured = compare(peers, None, options.rounds, options.seconds)
        found = {name: speed for name, (speed, _) in measured.items()}
        ratio = found["ours"] / found["theirs"]
        report.add(
            f"{task}, {envs}", wrappers, figure(found["theirs"]), figure(found["ours"]),
            f"{ratio:.2f}",
        )  # fmt: skip
        passed &= theirs is not with_rllibs_wrappers or ratio >= LIKE_PEERS
    return report, passed


class Idle:
    """An actor that does nothing."""

    def step(self) -> None:
        """Nothing."""


def empty_call(calls: int) -> float:
    """Median seconds of a call of an actor that does nothing."""
    idle: Any = ray.remote(num_cpus=0.01)(Idle).remote()
    walls = []
    for _ in range(calls):
        since = time.perf_counter()
        ray.get(idle.step.remote())
        walls.append(time.perf_counter() - since)
    ray.kill(idle)
    return statistics.median(walls[20:])


def added_actors(options: argparse.Namespace) -> tuple[Report, bool]:
    """What an actor adds to a step of one environment in each; the line fitted to it."""
    columns = ("actors", "us/step", "99 %", "us/actor", "CPU us in the caller", "of it per actor")
    report = Report(TITLES["actors"], columns, texts=0)
    counts, times, cpus = options.actors, [], []
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
        report.add(
            str(count), figure(times[-1] * 1e6), figure(float(np.quantile(walls, 0.99)) * 1e6),
            figure(times[-1] / count * 1e6), figure(here * 1e6), figure(here / count * 1e6),
        )  # fmt: skip
    # By relative errors: else the longest time, of actors that wait for CPUs, would decide alone.
    slope, base = np.polyfit(counts, cpus, 1, w=1 / np.asarray(cpus))
    wall_slope, wall_base = np.polyfit(counts, times, 1, w=1 / np.asarray(times))
    empty = empty_call(options.calls + 20)
    report.notes += [
        f"A call of an actor that does nothing takes {empty * 1e6:.0f} us, a step of one "
        f"environment in one actor {times[0] * 1e6:.0f} us",
        f"Model of a step on {os.cpu_count()} cores: {wall_base * 1e6:.0f} us + "
        f"{wall_slope * 1e6:.0f} us for each actor; of which in the caller "
        f"{base * 1e6:.0f} us + {slope * 1e6:.0f} us CPU for each message",
    ]
    report.notes += sizing(options.json, float(slope))
    return report, True


def sizing(path: Path | None, slope: float) -> list[str]:
    """What the cost of a message means for a large cluster, if Pong was measured."""
    tables = json.loads(path.read_text())["tables"] if path and path.exists() else []
    pong = next((table for table in tables if table["title"] == TITLES["atari"]), None)
    if pong is None:
        return []
    cpu = float(pong["rows"][0][3].replace(",", "")) * 1e-6
    made = NODES * CORES / cpu
    rows = made * slope
    return [
        f"{NODES} nodes of {CORES} cores make {made / 1e6:.1f} million steps of Pong a second at "
        f"{cpu * 1e6:.0f} us each. A caller takes {1 / slope:,.0f} messages a second: "
        f"{NODES} actors of {CORES} threads feed it if messages have {rows:,.0f} rows at least, "
        f"which is batch_size={rows:,.0f} and num_envs={2 * NODES * rows:,.0f}. But the frames are "
        f"{made * 28224 / 2**30:,.0f} GiB a second, and 100 Gbit/s carry those of "
        f"{12.5e9 / 28224 / (CORES / cpu):.1f} nodes: take a caller for that many"
    ]


PARTS: dict[str, Callable[[argparse.Namespace], tuple[Report, bool]]] = {
    "atari": atari,
    "cartpole": cartpole,
    "rllib": runners,
    "actors": added_actors,
}


def earlier(path: Path | None, title: str) -> Report | None:
    """The table of an earlier run."""
    tables = json.loads(path.read_text())["tables"] if path and path.exists() else []
    return next((Report(**table) for table in tables if table["title"] == title), None)


def main() -> None:
    """Measures and prints; fails if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each peer in a round")
    parser.add_argument("--calls", type=int, default=300, help="steps for each number of actors")
    counts = [1, 2, 4, 8, 16, 32]
    parser.add_argument("--actors", type=int, nargs="+", default=counts, help="of the part actors")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=[*PARTS])
    parser.add_argument("--json", type=Path, help="where to keep the tables")
    options = parser.parse_args()
    if not (importlib.util.find_spec("torch") and importlib.util.find_spec("gymnasium")):
        options.parts = [part for part in options.parts if part != "rllib"]
    ray.init(address="local", num_cpus=16, include_dashboard=False, log_to_driver=False,
             logging_level=logging.ERROR, object_store_memory=2**30)  # fmt: skip
    reports, passed = [], True
    for part, function in PARTS.items():
        if part in options.parts:
            report, good = function(options)
            reports.append(report)
            passed &= good
        elif (old := earlier(options.json, TITLES[part])) is not None:
            reports.append(old)
    ray.shutdown()
    finish(reports, options.json, passed)


if __name__ == "__main__":
    main()
