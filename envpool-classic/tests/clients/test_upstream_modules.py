# SPDX-License-Identifier: Apache-2.0
"""The modules of EnvPool 1.2.5 by their names: `envpool.classic_control` and `envpool.toy_text`."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

import envpool
import numpy as np
import pytest

# The names of `__all__` of EnvPool 1.2.5, without the endings.
_MODULES = {
    "classic_control": "CartPole Pendulum MountainCar MountainCarContinuous Acrobot",
    "toy_text": "Catch FrozenLake Taxi NChain CliffWalking Blackjack",
}
_NAMES = [(module, name) for module, names in _MODULES.items() for name in names.split()]


def _class(module: str, name: str) -> Any:
    return getattr(import_module(f"envpool.{module}"), name)


@pytest.mark.parametrize("module", _MODULES)
def test_all_names(module: str) -> None:
    found = import_module(f"envpool.{module}")
    endings = ("EnvSpec", "DMEnvPool", "GymnasiumEnvPool")
    names = [name + ending for name in _MODULES[module].split() for ending in endings]
    assert sorted(found.__all__) == sorted(names)
    assert {*names} <= {*dir(found)}
    assert getattr(envpool, module) is found
    assert import_module(f"envpool.{module}.registration").register is envpool.register
    with pytest.raises(ImportError, match="cannot import name 'AntEnvSpec'"):
        exec(f"from envpool.{module} import AntEnvSpec")


@pytest.mark.parametrize(("module", "name"), _NAMES)
def test_classes(module: str, name: str) -> None:
    spec_class = _class(module, f"{name}EnvSpec")
    spec = spec_class(spec_class.gen_config(num_envs=3, seed=5))
    assert type(spec).__name__ == f"{name}EnvSpec"
    assert spec.config.num_envs == spec.config.batch_size == 3
    again = pickle.loads(pickle.dumps(spec))
    assert again.config == spec.config
    with _class(module, f"{name}GymnasiumEnvPool")(spec) as pool:
        made = envpool.make(spec.task.id, num_envs=3, seed=5)
        np.testing.assert_array_equal(pool.reset()[0], made.reset()[0])
        assert type(pool) is type(made)
    with _class(module, f"{name}DMEnvPool")(again) as pool:
        assert pool.reset().first().all()


def test_options_of_the_task_and_of_the_caller() -> None:
    from envpool.classic_control import CartPoleEnvSpec

    assert CartPoleEnvSpec().config.max_episode_steps == 500
    assert CartPoleEnvSpec({"max_episode_steps": 7}).config.max_episode_steps == 7
    assert CartPoleEnvSpec({"seed": np.arange(1)}).config.env_seed == [0]
    with pytest.raises(envpool.errors.ConfigError, match="Did you mean 'num_envs'"):
        CartPoleEnvSpec({"num_env": 3})
