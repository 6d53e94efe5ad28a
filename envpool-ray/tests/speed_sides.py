# SPDX-License-Identifier: Apache-2.0
"""Pools on Ray, and the same work done by hand on Ray. Each side has a cluster of its own here."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.update({"RAY_worker_niceness": "0"})  # of all: else the caller goes before them
FIRST_CALLS = 75
"""Calls of env runners before they are measured: RLlib keeps what an episode of Pong has seen until
it is over, and new memory is slow."""


def pool(task: str, num_envs: int, batch_size: int, num_actors: int) -> Callable[[], Any]:
    """Our pool on actors of one thread each; a call is a batch."""
    import envpool_ray

    _start()
    options: Any = {"num_envs": num_envs, "batch_size": batch_size, "num_threads": 1}
    made = envpool_ray.make(task, num_actors=num_actors, cpus_per_actor=0.01, **options)
    action = np.zeros(batch_size, np.int64)
    if batch_size == num_envs:
        made.reset()
        return lambda: made.step(action)
    made.async_reset()

    def recv_and_send() -> None:
        info = made.recv()[-1]
        made.send(action, info["env_id"])

    return recv_and_send


def ale(num_envs: int) -> Any:
    """ALE's own vector environment."""
    import ale_py

    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    return ale_py.AtariVectorEnv("pong", num_envs=num_envs, num_threads=1)


def gymnasium_atari(num_envs: int) -> Any:
    """Gymnasium's vector environment, with its own wrappers for Atari."""
    import gymnasium

    return gymnasium.vector.SyncVectorEnv([lambda: with_gymnasiums_wrappers({})] * num_envs)


def cartpole(num_envs: int) -> Any:
    """Gymnasium's CartPole, one after another."""
    import gymnasium

    return gymnasium.make_vec("CartPole-v1", num_envs, vectorization_mode="sync")


class Remote:
    """A vector environment in an actor."""

    def __init__(self, function: str, num_envs: int) -> None:
        """Makes it by a function of this file."""
        self._envs = globals()[function](num_envs)
        self._envs.reset(seed=0)

    def step(self, action: Any) -> Any:
        """One step in each."""
        return self._envs.step(action)


def by_hand(function: str, num_envs: int, num_actors: int) -> Callable[[], Any]:
    """A pool as one writes it without us: remote vector environments, results put together."""
    import ray

    _start()
    share = num_envs // num_actors
    make: Any = ray.remote(num_cpus=1)(Remote)
    actors = [make.remote(function, share) for _ in range(num_actors)]
    action = np.zeros(share, np.int64)

    def step() -> Any:
        found: Any = ray.get([actor.step.remote(action) for actor in actors])
        return [np.concatenate([result[k] for result in found]) for k in range(4)]

    return step


def nothing() -> Callable[[], Any]:
    """A call of an actor that does nothing."""
    import ray

    class Idle:
        def step(self) -> None:
            pass

    _start()
    actor: Any = ray.remote(Idle).remote()
    return lambda: ray.get(actor.step.remote())


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


def with_rllibs_wrappers(context: Any) -> Any:
    """Pong as RLlib gives it to its networks by default."""
    from ray.rllib.env.wrappers.atari_wrappers import wrap_atari_for_new_api_stack

    return wrap_atari_for_new_api_stack(_pong(), dim=84, framestack=4)


def with_gymnasiums_wrappers(context: Any) -> Any:
    """Pong as Gymnasium preprocesses it, which RLlib's networks do not take."""
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    return FrameStackObservation(AtariPreprocessing(_pong()), 4)


def cart_pole(context: Any) -> Any:
    """Gymnasium's."""
    import gymnasium

    return gymnasium.make("CartPole-v1")


def runners(task: str, own: str, num_envs: int, num_actors: int, **pool: Any) -> Callable[[], Any]:
    """Sixteen steps in all environments by RLlib's env runners.

    Args:
        task: The task.
        own: The function of this file that makes one environment for RLlib; none: our pools.
        num_envs: Environments of all runners.
        num_actors: How many runners.
        **pool: Options of `with_pool`.
    """
    import ray
    from envpool_ray import rllib
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.tune.registry import register_env

    _start()
    share = num_envs // num_actors
    config: Any = PPOConfig()  # type: ignore[no-untyped-call]
    config = config.env_runners(
        num_env_runners=num_actors, num_envs_per_env_runner=share
    ).experimental(_disable_preprocessor_api=True)
    if own:
        register_env(own, globals()[own])
        config.environment(own)
    else:
        rllib.with_pool(config, task, num_threads=1, **pool)
    config.freeze()
    make: Any = ray.remote(num_cpus=1)(Sampler)
    actors = [make.remote(config, k + 1) for k in range(num_actors)]

    def sample() -> None:
        found: Any = ray.get([actor.sample.remote(16 * share) for actor in actors])
        assert sum(found) >= 16 * share * len(actors), found

    for _ in itertools.repeat(None, FIRST_CALLS):
        sample()
    return sample


def _start() -> None:
    import ray

    ray.init(address="local", num_cpus=16, include_dashboard=False, log_to_driver=False,
             logging_level=logging.ERROR, object_store_memory=2**29)  # fmt: skip


def _pong() -> Any:
    import ale_py
    import gymnasium

    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    return gymnasium.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
