# SPDX-License-Identifier: Apache-2.0
"""RLlib's env runners with our pools as their vector environment.

    config = PPOConfig().env_runners(num_env_runners=2, num_envs_per_env_runner=64)
    with envpool_ray.cluster(num_cpus=3):  # else RLlib starts Ray, which dies on a busy machine
        algorithm = rllib.with_pool(config, "Pong-v5", reward_clip=True).build_algo()

Every env runner is an actor already, so its pool is an ordinary one, in its process. This is for
RLlib's new API stack: `SingleAgentEnvRunner`, the default.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar

import envpool
import numpy as np
from envpool.errors import ConfigError, MissingPackageError

Config = TypeVar("Config")
_OF_RLLIB = {
    "num_envs": "num_envs_per_env_runner of config.env_runners()",
    "batch_size": "nothing: RLlib steps all environments of a runner at once",
    "env_type": "nothing: RLlib takes 'vector'",
    "autoreset_mode": "nothing: RLlib expects 'next_step'",
}


def with_pool(
    config: Config, task_id: str, *, seed: int = 0, images: bool = True, **options: Any
) -> Config:
    """Lets the env runners of an RLlib algorithm use pools.

    Args:
        config: An `AlgorithmConfig` of RLlib, as `PPOConfig()`.
        task_id: As of `envpool.make`; not one of "ray:", since env runners are actors.
        seed: Environment i of env runner k has the seed `seed + k * num_envs + i`.
        images: Whether an observation that is an image, uint8 of shape (channels, height, width),
            becomes what RLlib's networks take: float32 of shape (height, width, channels), 0 to 1.
            Say no with a network or a connector of your own that takes it as it is.
        **options: As of `envpool.make`; num_envs is RLlib's num_envs_per_env_runner.

    Returns:
        The same config.

    Raises:
        ConfigError: If an option is RLlib's to set, or unknown.
        MissingPackageError: If RLlib is not installed.
    """
    call = f"with_pool({task_id!r})"
    try:
        from ray.tune.registry import register_env
    except ImportError as cause:
        raise MissingPackageError(
            call, f"no RLlib: {cause}", "RLlib", "Run `pip install 'ray[rllib]' torch`"
        ) from cause
    for key, instead in _OF_RLLIB.items():
        if key in options:
            raise ConfigError(
                f"{call}, {key}={options[key]!r}", key, instead, f"Leave {key} out here"
            )
    envpool.make_spec(task_id, **options)  # refuses what is wrong before anything starts
    # The registry is of the whole process: an evaluation with other options needs another name. It
    # is the same in a process that loads a checkpoint with the same call.
    recipe = repr((seed, images, sorted(options.items())))
    name = f"envpool:{task_id}:{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    register_env(name, functools.partial(_make, task_id, seed, images, options))
    made: Any = config
    made.environment(name)
    made.env_runners(gym_env_vectorize_mode="vector_entry_point")
    return config


def _make(task_id: str, seed: int, images: bool, options: Mapping[str, Any], context: Any) -> Any:
    """The pool of one env runner."""
    num_envs = int(context.get("num_envs", 1))
    first = seed + int(getattr(context, "worker_index", 0) or 0) * num_envs
    pool: Any = envpool.make(task_id, "vector", num_envs=num_envs, seed=first, **options)
    space = pool.single_observation_space
    if images and len(space.shape or ()) == 3 and space.dtype == np.uint8:
        return _with_images_for_networks(pool)
    return pool


def _with_images_for_networks(pool: Any) -> Any:
    """The pool in a wrapper of Gymnasium, which is imported where it is used: not all have it."""
    from gymnasium import spaces, vector

    class ImagesForNetworks(vector.VectorObservationWrapper):
        """Images as float32 with the channels last, 0 to 1."""

        def __init__(self, env: Any) -> None:
            super().__init__(env)
            channels, height, width = env.single_observation_space.shape
            one = spaces.Box(0, 1, (height, width, channels), np.float32)
            self.single_observation_space = one
            self.observation_space = vector.utils.batch_space(one, env.num_envs)

        def observations(self, observations: Any) -> Any:
            last = np.moveaxis(observations, 1, -1)
            return np.multiply(last, 1 / 255, dtype=np.float32, order="C")

    return ImagesForNetworks(pool)
