# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="import-not-found,import-untyped"
"""The checks of tools/clients.py: examples of libraries' documentation, and conformance suites.

A check is a function that yields a name and a callable for each case. Examples come from the
libraries' own wheels, which have their README and settings; only the environment is replaced;
figures are made smaller, code stays.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import re
import tempfile
import unittest
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import envpool
import numpy as np

Cases = Iterator[tuple[str, Callable[[], Any]]]


class Check(NamedTuple):
    """A line of the table."""

    distribution: str
    what: str
    cases: Callable[[], Cases]


CHECKS: dict[str, Check] = {}


def check(distribution: str, what: str) -> Callable[[Any], Any]:
    """Adds a function to CHECKS, by its name."""

    def put(cases: Callable[[], Cases]) -> Callable[[], Cases]:
        CHECKS[cases.__name__] = Check(distribution, what, cases)
        return cases

    return put


def readme(distribution: str, containing: list[str], changes: dict[str, str]) -> str:
    """Code of a README, with changes; raises if a change does not apply."""
    text = importlib.metadata.distribution(distribution).read_text("METADATA") or ""
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = ""
    for part in containing:
        code += next(block for block in blocks if part in block)
    for old, new in changes.items():
        if old not in code:
            raise ValueError(f"the README of {distribution} has no {old!r} any more")
        code = code.replace(old, new)
    return code


def run_code(code: str) -> None:
    """Runs an example as a program of its own."""
    exec(compile(code, "example.py", "exec"), {"__name__": "__main__"})


def recipe(name: str) -> dict[str, Any]:
    """Runs the block of docs/clients.md under `<!-- recipe: name -->`; returns its definitions."""
    page = Path(__file__).parents[1] / "docs" / "clients.md"
    _, found, rest = page.read_text("utf-8").partition(f"<!-- recipe: {name} -->\n")
    block = re.match(r"```python no-run\n(.*?)```", rest, re.DOTALL)
    if not found or block is None:
        raise ValueError(f"docs/clients.md has no recipe {name!r}")
    names: dict[str, Any] = {"envpool": envpool}
    exec(compile(block[1], name, "exec"), names)
    return names


@check("gymnasium", "the example of its README")
def gymnasium_readme() -> Cases:
    """The loop over a single environment."""
    change = {'gym.make("CartPole-v1")': '__import__("envpool").make("CartPole-v1")'}
    yield (
        "loop",
        lambda: run_code(readme("gymnasium", ["gym.make"], change)),
    )


@check("stable-baselines3", "the example of its README, by `sb3_vec_env(pool)`")
def sb3_readme() -> Cases:
    """PPO, then a thousand steps with pictures, without a window."""
    made = 'sb3_vec_env(envpool.make("CartPole-v1", render_mode="rgb_array", num_envs=4, '
    made += 'autoreset_mode="same_step"))'
    code = readme(
        "stable-baselines3",
        ["PPO("],
        {'gymnasium.make("CartPole-v1", render_mode="human")': made},
    )
    lines = "import envpool\nfrom envpool.integrations import sb3_vec_env\n"
    yield "PPO", lambda: run_code(lines + code)


@check("stable-baselines3", "`VecEnv` wrappers, `evaluate_policy`, A2C, DQN")
def sb3_wrappers() -> Cases:
    """Some steps of each wrapper."""
    from envpool.integrations import sb3_vec_env
    from stable_baselines3 import A2C, DQN, PPO
    from stable_baselines3.common import vec_env
    from stable_baselines3.common.evaluation import evaluate_policy

    def make() -> Any:
        return sb3_vec_env(envpool.make("CartPole-v1", num_envs=3, autoreset_mode="same_step"))

    def steps(name: str) -> None:
        options: dict[str, Any] = {"n_stack": 4} if name == "VecFrameStack" else {}
        envs = getattr(vec_env, name)(make(), **options)
        envs.reset()
        for _ in range(100):
            obs, reward, done, infos = envs.step(np.ones(3, int))
            assert len(obs) == len(reward) == len(done) == len(infos) == 3

    for name in ("VecCheckNan", "VecFrameStack", "VecMonitor", "VecNormalize"):
        yield name, partial(steps, name)
    yield "A2C", lambda: A2C("MlpPolicy", make()).learn(300)
    yield "DQN", lambda: DQN("MlpPolicy", make(), learning_starts=100).learn(300)
    yield "evaluate_policy", lambda: evaluate_policy(PPO("MlpPolicy", make()), make())


@check(
    "stable-baselines3", "MiniGrid by the recipes of docs/clients.md; a pool in place of a VecEnv"
)
def sb3_recipes() -> Cases:
    """Some steps of each recipe; the pool's refusal names the required setting."""
    from envpool.errors import ConfigError
    from stable_baselines3 import PPO

    def raw() -> None:
        hint = ""
        try:
            PPO("MlpPolicy", envpool.make("CartPole-v1", num_envs=3)).learn(64)
        except ConfigError as error:
            hint = error.hint
        assert "sb3_vec_env" in hint

    for name in ("sb3_image", "sb3_dict"):
        yield name, lambda name=name: recipe(name)["model"].learn(4096)  # type: ignore[misc]
    yield "a pool", raw


@check("tianshou", "a Collector on dicts of arrays, by the recipe of docs/clients.md")
def tianshou_dicts() -> Cases:
    """The replay buffer has the pool's own rows."""
    from tianshou.algorithm.algorithm_base import Policy
    from tianshou.data import Batch, Collector, VectorReplayBuffer

    class Forward(Policy):  # type: ignore[misc]
        def forward(self, batch: Any, state: Any = None, **given: Any) -> Any:
            return Batch(act=np.full(len(batch.obs), 2))

    def collect() -> None:
        envs = recipe("tianshou_dicts")["envs"]
        buffer = VectorReplayBuffer(400, len(envs))
        policy = Forward(action_space=envs.action_space)
        collector: Any = Collector(policy, envs, buffer)
        collector.reset(gym_reset_kwargs={"seed": 1})
        collector.collect(n_step=40)
        with envpool.make("MiniGrid-Empty-5x5-v0", num_envs=len(envs)) as pool:
            obs, _ = pool.reset(seed=1)
            for step in range(10):
                for env, at in enumerate(range(step, 400, 100)):
                    np.testing.assert_array_equal(buffer.obs.image[at], obs["image"][env])
                obs, *_ = pool.step(np.full(len(envs), 2))

    yield "Collector", collect


@check("tianshou", "the example of its README, DQN and two Collectors")
def tianshou_readme() -> Cases:
    """One epoch of 1,000 steps."""
    made = "ts.env.DummyVectorEnv([lambda: gym.make(task) for _ in range({})])"
    changes = {
        made.format(name): f"envpool.make(task, num_envs={name})"
        for name in ("num_training_envs", "num_test_envs")
    }
    changes |= {', render_mode="human"': "", "lr, epoch, batch_size = 1e-3, 10, 64": ""}
    changes |= {"epoch_num_steps, collection_step_num_env_steps = 10000, 10": ""}
    changes |= {"logger=logger,": ""}
    parts = ["import gymnasium", "gamma, n_step", "DummyVectorEnv", "DiscreteQLearningPolicy("]
    parts += ["training_collector = ", "run_training"]
    code = readme("tianshou", parts, changes)
    figures = "lr, epoch, batch_size, epoch_num_steps, collection_step_num_env_steps = "
    # The README itself lacks an import.
    lines = f"import envpool\nfrom tianshou.algorithm import DQN\n{figures}1e-3, 1, 64, 1000, 10\n"
    yield "DQN", lambda: run_code(lines + code)


@check("torchrl", "`check_env_specs`, a rollout, a collector, of `gymnasium.make_vec`")
def torchrl_wrapper() -> Cases:
    """`GymWrapper` around a pool."""
    import gymnasium
    from torchrl.collectors import Collector
    from torchrl.envs import GymWrapper
    from torchrl.envs.utils import check_env_specs

    def make(task: str) -> Any:
        name = f"envpool.gymnasium:envpool/{task}"
        return GymWrapper(gymnasium.make_vec(name, 3, autoreset_mode="disabled"))

    def specs(task: str) -> None:
        check_env_specs(make(task))

    def rollout(task: str) -> None:
        make(task).rollout(100, break_when_any_done=False)

    def collect(task: str) -> None:
        taken = 0
        collector = Collector(make(task), None, frames_per_batch=90, total_frames=270)
        for data in collector:
            assert data.shape == (3, 30)
            taken += data.numel()
        collector.shutdown()
        assert taken == 270

    for task in ("CartPole-v1", "Pendulum-v1"):
        yield f"{task}, check_env_specs", partial(specs, task)
        yield (
            f"{task}, rollout",
            partial(rollout, task),
        )
        yield f"{task}, collector", partial(collect, task)


@check("skrl", "`wrap_env`, which finds its wrapper by itself, 100 steps")
def skrl_wrap() -> Cases:
    """Random actions through skrl's wrapper."""
    from skrl.envs.wrappers.torch import wrap_env

    # A folder of the examples has this name, and mypy would take it.
    torch: Any = importlib.import_module("torch")

    def steps(task: str) -> None:
        envs = wrap_env(envpool.make(task, "vector", num_envs=3))
        assert envs.num_envs == 3
        envs.reset()
        for _ in range(100):
            action = torch.from_numpy(np.asarray(envs.action_space.sample())).reshape(1, -1)
            obs, reward, terminated, truncated, _ = envs.step(action.repeat(3, 1))
            assert obs.shape[0] == 3
            assert reward.shape == terminated.shape == truncated.shape == (3, 1)

    for task in ("CartPole-v1", "MountainCar-v0", "Pendulum-v1"):
        yield task, partial(steps, task)


@check("rl-games", "its `ppo_cartpole.yaml` and its `ppo_pong_envpool.yaml`, 2 epochs each")
def rl_games_settings() -> Cases:
    """Settings from its wheel; the settings of Pong name EnvPool themselves."""
    import yaml
    from rl_games.torch_runner import Runner

    spec = importlib.util.find_spec("rl_games")
    assert spec is not None and spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0], "configs")

    def train(file: str, more: dict[str, Any]) -> None:
        settings = yaml.safe_load((folder / file).read_text())
        config = settings["params"]["config"]
        config |= {"max_epochs": 2, "device": "cpu", "torch_compile": False}
        config |= {"train_dir": tempfile.mkdtemp(), "mixed_precision": False, **more}
        runner = Runner()
        runner.load(settings)
        runner.run({"train": True})

    pool = {"env_name": "envpool", "env_config": {"env_name": "CartPole-v1"}}
    yield "ppo_cartpole", lambda: train("ppo_cartpole.yaml", pool)
    small = {"num_actors": 8, "horizon_length": 16, "minibatch_size": 128}
    yield "ppo_pong_envpool", lambda: train("atari/ppo_pong_envpool.yaml", small)


@check("sample-factory", "its `sf_examples.envpool.atari.train_envpool_atari`, 1,024 steps of Pong")
def sample_factory_atari() -> Cases:
    """Unchanged, except for a smaller network's number of steps."""
    import sys

    from sf_examples.envpool.atari import train_envpool_atari

    def train() -> None:
        settings = {"env": "atari_pong", "env_agents": 8, "rollout": 16, "batch_size": 128}
        settings |= {"num_batches_per_epoch": 1, "device": "cpu", "train_for_env_steps": 1024}
        settings |= {"train_dir": tempfile.mkdtemp(), "experiment": "pong"}
        sys.argv = ["train", *(f"--{key}={value}" for key, value in settings.items())]
        assert train_envpool_atari.main() == 0

    yield "atari_pong", train


@check("dm-env", "`test_utils.EnvironmentTestMixin`, on the row of a `make_dm` pool of one")
def dm_env_mixin() -> Cases:
    """The tests of dm_env's mixin, for each task."""
    import dm_env
    from absl.testing import absltest
    from dm_env import test_utils

    class Row(dm_env.Environment):  # type: ignore[misc]
        """The only environment of a pool, without the axis of environments."""

        def __init__(self, task: str) -> None:
            self.pool: Any = envpool.make_dm(task)

        def _row(self, timestep: Any) -> Any:
            kind = dm_env.StepType(int(timestep.step_type[0]))
            obs = timestep.observation.obs[0]
            if kind is dm_env.StepType.FIRST:
                return dm_env.restart(obs)
            return dm_env.TimeStep(kind, timestep.reward[0], timestep.discount[0], obs)

        def reset(self) -> Any:
            return self._row(self.pool.reset())

        def step(self, action: Any) -> Any:
            return self._row(self.pool.step(np.asarray(action)[None]))

        def observation_spec(self) -> Any:
            return self.pool.observation_spec().obs

        def action_spec(self) -> Any:
            return self.pool.action_spec()

        def reward_spec(self) -> Any:
            return self.pool.reward_spec()

        def discount_spec(self) -> Any:
            return self.pool.discount_spec()

    def run(task: str, name: str) -> None:
        class OfTask(test_utils.EnvironmentTestMixin, absltest.TestCase):  # type: ignore[misc]
            def make_object_under_test(self) -> Any:
                return Row(task)

        result = unittest.TestResult()
        OfTask(name).run(result)
        for _, text in result.errors + result.failures:
            raise AssertionError(text)

    for task in ("CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "Taxi-v4"):
        for name in (n for n in dir(test_utils.EnvironmentTestMixin) if n.startswith("test")):
            yield f"{task}, {name}", partial(run, task, name)


@check(
    "pettingzoo", "`parallel_api_test`, `parallel_seed_test`, `api_test` of `parallel_env(task)`"
)
def pettingzoo_suites() -> Cases:
    """Runs them on the task of several players of examples/envpool-meadow."""
    from envpool.integrations import parallel_env
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
    from pettingzoo.utils import parallel_to_aec

    task = "Meadow/Tag-v0"
    yield "parallel_api_test", lambda: parallel_api_test(parallel_env(task), num_cycles=300)
    yield (
        "parallel_seed_test",
        lambda: parallel_seed_test(lambda: parallel_env(task), num_cycles=100),
    )
    yield "api_test", lambda: api_test(parallel_to_aec(parallel_env(task)), num_cycles=300)
