# SPDX-License-Identifier: Apache-2.0
"""The VecEnv of Stable-Baselines3; its base class is reduced to its effect on a subclass."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError, MissingPackageError
from envpool.integrations import sb3_vec_env


class VecEnv:
    """The base class, as the documentation of Stable-Baselines3 2.9 describes it."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs = num_envs
        self.observation_space = observation_space
        self.action_space = action_space
        self._reset_seeds()
        self._reset_options()
        self.render_mode = self.get_attr("render_mode")[0]

    def _reset_seeds(self) -> None:
        self._seeds: list[int | None] = [None] * self.num_envs

    def _reset_options(self) -> None:
        self._options: list[dict[str, Any]] = [{}] * self.num_envs

    def seed(self, seed: int) -> list[int | None]:
        self._seeds = [seed + i for i in range(self.num_envs)]
        return self._seeds

    def get_attr(self, name: str) -> list[Any]:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Stable-Baselines3 that has this VecEnv only."""
    name = "stable_baselines3.common.vec_env"
    module = ModuleType(name)
    module.VecEnv = VecEnv  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, name, module)


def _vec_env(**config: Any) -> Any:
    return sb3_vec_env(envpool.make("CartPole-v1", autoreset_mode="same_step", **config))


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("module", ["monitor", "vec_env.dummy_vec_env"])
def test_a_pool_in_the_place_of_one_environment(module: str, wrapped: bool) -> None:
    """The caller is a module with the name of Stable-Baselines3's wrapper of one environment."""
    names: dict[str, Any] = {"__name__": f"stable_baselines3.common.{module}"}
    exec("def reset(env):\n    return env.reset(seed=None)", names)
    with envpool.make("CartPole-v1", num_envs=4) as pool:
        env = gymnasium.wrappers.ClipReward(pool, -1, 1) if wrapped else pool
        with pytest.raises(ConfigError, match=r"Pass envpool\.integrations\.sb3_vec_env"):
            names["reset"](env)
        assert len(env.reset(seed=None)[0]) == 4


def _step(env: Any, actions: Any) -> Any:
    env.step_async(actions)
    return env.step_wait()


def test_rollout_is_that_of_gymnasium() -> None:
    """As DummyVecEnv: the next episode's first observation, and the last one in the info."""
    env = _vec_env(num_envs=2, max_episode_steps=30)
    env.seed(5)
    obs = env.reset()
    assert env.observation_space == gymnasium.make("CartPole-v1").observation_space
    singles = [gymnasium.make("CartPole-v1", max_episode_steps=30) for _ in range(2)]
    for i, single in enumerate(singles):
        np.testing.assert_array_equal(obs[i], single.reset(seed=5 + i)[0])
    rng = np.random.default_rng(0)
    lengths = np.zeros(2, int)
    limits = 0
    for number in range(200):
        # Upright, every other time, so that some episodes reach the limit.
        actions = (obs[:, 2] > 0).astype(int) if number < 100 else rng.integers(2, size=2)
        obs, rewards, dones, infos = _step(env, actions)
        lengths += 1
        assert len({id(info) for info in infos}) == 2
        for i, single in enumerate(singles):
            wanted, reward, terminated, truncated, _ = single.step(actions[i])
            assert (rewards[i], dones[i]) == (reward, terminated or truncated)
            if not dones[i]:
                assert infos[i] == {}
            else:
                np.testing.assert_array_equal(infos[i]["terminal_observation"], wanted)
                limit = truncated and not terminated
                assert infos[i]["TimeLimit.truncated"] is limit
                limits += limit
                assert infos[i]["episode"]["l"] == infos[i]["episode"]["r"] == lengths[i]
                assert type(infos[i]["episode"]["r"]) is float
                lengths[i] = 0
                wanted, _ = single.reset()
            np.testing.assert_array_equal(obs[i], wanted)
    assert limits > 1
    env.close()


def test_attributes_and_frames() -> None:
    env = _vec_env(num_envs=3, render_mode="rgb_array")
    assert env.render_mode == "rgb_array"
    assert env.get_attr("is_async", [0, 2]) == [False, False]
    env.set_attr("note", 7)
    assert env.get_attr("note", 1) == [7]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    assert len(env.env_method("__len__")) == 3
    env.reset()
    assert len(env.get_images()) == 3
    assert env.reset().shape == (3, 4)


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
def test_infos_of_the_task(env_type: str) -> None:
    """As DummyVecEnv: at an end the infos are the last step's, not the next episode's."""
    config: dict[str, Any] = {"num_envs": 2, "max_episode_steps": 3, "autoreset_mode": "same_step"}
    env = sb3_vec_env(envpool.make("Taxi-v4", env_type, **config))
    env.seed(5)
    env.reset()
    singles = [gymnasium.make("Taxi-v4", max_episode_steps=3) for _ in range(2)]
    first = [single.reset(seed=5 + i)[1] for i, single in enumerate(singles)]
    for info, wanted in zip(env.reset_infos, first, strict=True):
        np.testing.assert_array_equal(info["action_mask"], wanted["action_mask"])
    rng = np.random.default_rng(1)
    for _ in range(20):
        actions = rng.integers(4, size=2)
        _, _, dones, infos = _step(env, actions)
        for i, single in enumerate(singles):
            *_, wanted = single.step(actions[i])
            ending = (
                {"terminal_observation", "TimeLimit.truncated", "episode"} if dones[i] else {*()}
            )
            assert {*infos[i]} == {"prob", "action_mask"} | ending
            np.testing.assert_array_equal(infos[i]["action_mask"], wanted["action_mask"])
            if dones[i]:
                single.reset()


def test_indices() -> None:
    env = _vec_env(num_envs=3, render_mode="rgb_array")
    env.reset()
    frames = env.get_images()
    np.testing.assert_array_equal(env.env_method("render", indices=[2, 0]), [frames[2], frames[0]])
    assert len(env.env_method("save_state", indices=1)) == 1
    for call in (
        lambda: env.env_method("__len__", indices=[0]),
        lambda: env.set_attr("note", 7, indices=[0]),
    ):
        with pytest.raises(ConfigError, match="all environments"):
            call()
    with pytest.raises(ConfigError, match="which have no methods"):
        env.env_method("teleport")


def test_options_reach_the_reset() -> None:
    env = _vec_env(num_envs=2)
    env._options = [{"reset_mask": np.array([True, True])}] * 2
    assert env.reset().shape == (2, 4)
    assert env._options == [{}, {}]
    env._options = [{"mass": 1}, {"mass": 2}]
    with pytest.raises(ConfigError, match="mass"):
        env.reset()


def test_other_pools_are_refused() -> None:
    for config in ({}, {"num_envs": 4, "batch_size": 2, "autoreset_mode": "same_step"}):
        with pytest.raises(ConfigError, match="Pass autoreset_mode='same_step'"):
            sb3_vec_env(envpool.make("CartPole-v1", **config))
    with pytest.raises(ConfigError, match="NoneType"):
        sb3_vec_env(None)


def test_without_stable_baselines3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.vec_env", None)
    with pytest.raises(MissingPackageError, match="pip install stable-baselines3"):
        sb3_vec_env(envpool.make("CartPole-v1"))
