# SPDX-License-Identifier: Apache-2.0
"""The agents of PettingZoo's environments as rows of Stable-Baselines3's VecEnv."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import envpool_python
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool.integrations import sb3_vec_env
from gymnasium import spaces
from parties import Party

NUM_ENVS, NAMES = 2, Party().possible_agents
ROWS = NUM_ENVS * len(NAMES)


class VecEnv:
    """The base class, as Stable-Baselines3 2.9's treats a subclass."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs = num_envs
        self.observation_space = observation_space
        self.action_space = action_space
        self._reset_seeds()
        self._reset_options()
        modes = self.get_attr("render_mode")
        assert len(modes) == num_envs
        self.render_mode = modes[0]

    def _reset_seeds(self) -> None:
        self._seeds: list[int | None] = [None] * self.num_envs

    def _reset_options(self) -> None:
        self._options: list[dict[str, Any]] = [{}] * self.num_envs

    def seed(self, seed: int) -> list[int | None]:
        self._seeds = [seed + i for i in range(self.num_envs)]
        return self._seeds

    def get_attr(self, name: str, indices: Any = None) -> list[Any]:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Stable-Baselines3 that has this VecEnv only."""
    name = "stable_baselines3.common.vec_env"
    module = ModuleType(name)
    module.VecEnv = VecEnv  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, name, module)


def parties(**config: Any) -> Any:
    return envpool_python.make([Party] * NUM_ENVS, num_workers=1, **config)


class Numbered(gymnasium.Env[Any, Any]):
    """Ends with each step, and says something under a number."""

    observation_space = spaces.Box(0, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[Any, Any]]:
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[Any, Any]]:
        return np.zeros(1, np.float32), 1.0, True, False, {1: 2.5, "speed": 3}


def test_infos_under_numbers_have_no_masks() -> None:
    with envpool_python.make([Numbered] * 2, autoreset_mode="same_step") as pool:
        env = sb3_vec_env(pool)
        env.reset()
        env.step_async(np.zeros(2, np.int64))
        info = env.step_wait()[3][0]
        assert info[1] == 2.5 and info["speed"] == 3 and not {"_1", "_speed"} & info.keys()


class Nested(gymnasium.Env[Any, Any]):
    """Observes a goal inside of a dict, as FrankaKitchen does, and ends with every second step."""

    observation_space = spaces.Dict(
        {
            "goal": spaces.Dict({"a": spaces.Box(0, 9, (1,)), "b": spaces.Box(0, 9, (2,))}),
            "at": spaces.Box(0, 9, (1,)),
        }
    )
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self._steps = 0
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._steps += 1
        return self._observe(), 1.0, self._steps == 2, False, {}

    def _observe(self) -> dict[str, Any]:
        at = np.full(1, self._steps, np.float32)
        return {"goal": {"a": at + 1, "b": np.repeat(at, 2) + 2}, "at": at}


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
def test_dicts_in_dicts_are_one_dict(env_type: str) -> None:
    options: Any = {"env_type": env_type, "autoreset_mode": "same_step"}
    with envpool_python.make([Nested] * 2, **options) as pool:
        env = sb3_vec_env(pool)
        shapes = {key: space.shape for key, space in env.observation_space.spaces.items()}
        assert shapes == {"goal/a": (1,), "goal/b": (2,), "at": (1,)}
        for obs in (env.reset(), step(env)[0]):
            assert {key: rows.shape[1:] for key, rows in obs.items()} == shapes
        obs, _, done, infos = step(env)
        assert done.all() and obs["goal/b"].tolist() == [[2, 2], [2, 2]]
        last = infos[1]["terminal_observation"]
        assert {key: row.tolist() for key, row in last.items()} == {
            "goal/a": [3],
            "goal/b": [4, 4],
            "at": [2],
        }


def step(env: Any) -> Any:
    env.step_async(np.zeros(env.num_envs, np.int64))
    return env.step_wait()


class DeepParty(Party):
    """Observes the same inside of a dict."""

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Dict({"own": super().observation_space(agent)})

    def _observe(self) -> dict[str, Any]:
        return {agent: {"own": obs} for agent, obs in super()._observe().items()}


def test_dicts_in_dicts_of_agents_are_one_dict() -> None:
    options: Any = {"num_workers": 1, "autoreset_mode": "disabled"}
    with (
        envpool_python.make([Party] * NUM_ENVS, **options) as flat,
        envpool_python.make([DeepParty] * NUM_ENVS, **options) as deep,
    ):
        envs = sb3_vec_env(flat), sb3_vec_env(deep)
        results = []
        for env in envs:
            env.seed(3)
            results.append([env.reset(), *(step(env)[0] for _ in range(12))])
        for expected, found in zip(*results, strict=True):
            assert found.keys() == {f"own/{key}" for key in expected}
            for key, rows in expected.items():
                np.testing.assert_array_equal(found[f"own/{key}"], rows)


class Reference:
    """A party by hand: rows of zeros for absent agents, restarted in the step that ends it."""

    def __init__(self, seed: int) -> None:
        self.env = Party()
        self.observed, _ = self.env.reset(seed=seed)
        self.returns = dict.fromkeys(NAMES, 0.0)
        self.steps = 0

    def rows(self) -> list[Any]:
        return [self.observed.get(name) for name in NAMES]

    def step(self, actions: Any) -> tuple[list[float], bool, list[Any], dict[str, float]]:
        """Rewards, whether it is over, and the last observations and the returns if so."""
        wanted = dict(zip(NAMES, actions.tolist(), strict=True))
        self.observed, rewards, *_ = self.env.step({name: wanted[name] for name in self.env.agents})
        self.steps += 1
        for name, reward in rewards.items():
            self.returns[name] += reward
        last, returns, over = self.rows(), dict(self.returns), not self.env.agents
        if over:
            self.observed, _ = self.env.reset()
            self.returns, self.steps = dict.fromkeys(NAMES, 0.0), 0
        return [rewards.get(name, 0.0) for name in NAMES], over, last, returns


def same(obs: Any, row: int, wanted: Any) -> None:
    wanted = wanted or {"left": 0, "mood": np.zeros(2)}
    assert obs["left"][row] == wanted["left"]
    np.testing.assert_array_equal(obs["mood"][row], wanted["mood"])


def test_rows_are_those_of_the_agents() -> None:
    rng = np.random.default_rng(1)
    with parties(autoreset_mode="disabled") as pool:
        envs = sb3_vec_env(pool)
        assert envs.num_envs == ROWS and envs.action_space == spaces.Discrete(4)
        assert set(envs.observation_space) == {"left", "mood"}
        references = [Reference(seed=3 + i * len(NAMES)) for i in range(NUM_ENVS)]
        envs.seed(3)
        obs = envs.reset()
        ended = 0
        for _ in range(60):
            for i, reference in enumerate(references):
                for j, wanted in enumerate(reference.rows()):
                    same(obs, i * len(NAMES) + j, wanted)
            actions = rng.integers(0, 4, ROWS)
            envs.step_async(actions)
            obs, reward, done, infos = envs.step_wait()
            for i, reference in enumerate(references):
                mine = range(i * len(NAMES), (i + 1) * len(NAMES))
                steps = reference.steps + 1
                rewards, over, last, returns = reference.step(actions[mine])
                assert reward[mine].tolist() == rewards
                assert done[mine].tolist() == [over] * len(NAMES)
                ended += over
                for j, row in enumerate(mine):
                    assert ("terminal_observation" in infos[row]) == over
                    if over:
                        own = infos[row]["terminal_observation"]
                        same({key: [value] for key, value in own.items()}, 0, last[j])
                        assert infos[row]["episode"]["r"] == returns[NAMES[j]]
                        assert infos[row]["episode"]["l"] == steps
        assert ended > 10


def test_attributes_of_agents_are_those_of_their_environments() -> None:
    with parties(autoreset_mode="disabled") as pool:
        envs = sb3_vec_env(pool)
        envs.reset()
        envs.set_attr("word", "a", indices=[0, 2])
        envs.set_attr("word", "b", indices=4)
        assert envs.get_attr("word") == ["a"] * 3 + ["b"] * 3
        assert envs.get_attr("word", [5, 0]) == ["b", "a"]
        assert len(envs.env_method("observation_space", "ann", indices=[1, 2, 3])) == 3
        assert envs.env_is_wrapped(Party) == [False] * ROWS


@pytest.mark.parametrize("config", [{}, {"autoreset_mode": "disabled", "batch_size": 1}], ids=str)
def test_other_pools_are_refused(config: dict[str, Any]) -> None:
    with parties(**config) as pool, pytest.raises(ConfigError, match="autoreset_mode='disabled'"):
        sb3_vec_env(pool)
