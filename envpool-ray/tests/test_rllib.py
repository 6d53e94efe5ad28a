# SPDX-License-Identifier: Apache-2.0
"""The vector environments of RLlib's env runners; the nox session `rllib` shows that they run."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import envpool
import gymnasium as gym
import numpy as np
import pytest
from comparing import assert_same
from envpool.errors import MissingPackageError
from envpool_ray import rllib


class Context(dict[str, int]):
    """An `EnvContext` of RLlib: a dict with attributes."""

    worker_index = 2


def test_the_pool_of_an_env_runner() -> None:
    ours = rllib._make("Ledger-v0", 5, True, {"num_threads": 1}, Context(num_envs=3))
    reference = envpool.make("Ledger-v0", "vector", num_envs=3, seed=5 + 2 * 3)
    with ours, reference:
        assert ours.metadata["autoreset_mode"] is reference.metadata["autoreset_mode"]
        assert_same(ours.reset(), reference.reset())
        assert_same(ours.step(np.ones(3, np.int64)), reference.step(np.ones(3, np.int64)))


class Images(gym.vector.VectorEnv[Any, Any, Any]):
    """Images as those of Atari, with the channels first."""

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": gym.vector.AutoresetMode.NEXT_STEP}
    num_envs = 2
    single_observation_space = gym.spaces.Box(0, 255, (3, 4, 5), np.uint8)
    observation_space = gym.spaces.Box(0, 255, (2, 3, 4, 5), np.uint8)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """No two numbers of an image are the same."""
        return np.arange(120, dtype=np.uint8).reshape(2, 3, 4, 5) + 100, {}


def test_images_are_what_networks_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envpool, "make", lambda *args, **options: Images())
    plain = rllib._make("Pong-v5", 0, False, {}, Context(num_envs=2))
    wrapped = rllib._make("Pong-v5", 0, True, {}, Context(num_envs=2))
    before, after = plain.reset()[0], wrapped.reset()[0]
    assert isinstance(plain, Images)
    assert after.dtype == np.float32
    assert after.flags.c_contiguous
    assert wrapped.observation_space.contains(after)
    assert wrapped.single_observation_space.contains(after[1])
    for env, channel, y, x in ((0, 0, 0, 0), (0, 2, 3, 4), (1, 1, 2, 3), (1, 2, 3, 4)):
        # One rounding of 1 / 255 and one of the product.
        assert after[env, y, x, channel] == pytest.approx(
            before[env, channel, y, x] / 255, rel=2e-7
        )


class Registry:
    """The environments that are registered, by name, as by `ray.tune.registry`."""

    def __init__(self) -> None:
        """Has nothing."""
        self.made: dict[str, Any] = {}

    def register_env(self, name: str, make: Any) -> None:
        """The later one of the same name stays, as in Ray."""
        self.made[name] = make


class AlgorithmConfig:
    """An `AlgorithmConfig` of RLlib that keeps the name."""

    name = ""

    def environment(self, name: str) -> None:
        """Keeps it."""
        self.name = name

    def env_runners(self, **options: Any) -> None:
        """Has none."""


def test_other_options_are_another_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation with other options would replace those of the training."""
    registry = Registry()
    monkeypatch.setitem(sys.modules, "ray.tune.registry", registry)
    calls: list[dict[str, Any]] = [{}, {"max_episode_steps": 3}, {"seed": 5}, {"images": False}]
    names = [
        rllib.with_pool(AlgorithmConfig(), "Ledger-v0", **options).name
        for options in (*calls, *calls)
    ]
    assert len({*names}) == len(registry.made) == 4
    assert names[:4] == names[4:]
    limited = registry.made[names[1]](Context(num_envs=1))
    assert limited.spec.config.max_episode_steps == 3


def test_without_rllib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray.tune.registry", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'ray\[rllib\]' torch"):
        rllib.with_pool(object(), "Ledger-v0")
