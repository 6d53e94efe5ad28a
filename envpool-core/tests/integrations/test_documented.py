# SPDX-License-Identifier: Apache-2.0
"""Names and arguments in the documentation of EnvPool 1.2.5."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError

# Modules of `envpool.python`, and the names that code imports from them.
_NAMES = {
    "api": ["EnvPool", "py_env"],
    "data": ["dm_spec_transform", "gymnasium_spec_transform", "to_namedtuple", "to_nested_dict"],
    "dm_envpool": ["DMEnvPoolMeta", "DMEnvPoolMixin"],
    "env_spec": ["EnvSpecMixin"],
    "gymnasium_envpool": ["GymnasiumEnvPoolMeta", "GymnasiumEnvPoolMixin"],
    "lax": ["XlaMixin"],
}
_SEEDS = [
    5, np.int64(5), np.array(5), 5.0, [5, 6, 7, 8], (5.0, 6, 7, 8), range(5, 9), np.arange(5, 9),
    np.arange(5.0, 9), np.arange(5, 9, dtype=np.uint64),
]  # fmt: skip


@pytest.mark.parametrize("module", _NAMES)
def test_modules(module: str) -> None:
    found = import_module(f"envpool.python.{module}")
    assert sorted(found.__all__) == _NAMES[module]
    assert all(hasattr(found, name) for name in _NAMES[module])


def test_pools_are_instances_of_the_documented_classes() -> None:
    pool, dm = envpool.make("Pole-v0"), envpool.make("Pole-v0", "dm")
    python: Any = envpool.python
    assert isinstance(pool, python.gymnasium_envpool.GymnasiumEnvPoolMixin)
    assert isinstance(dm, python.dm_envpool.DMEnvPoolMixin)
    assert isinstance(pool.spec, python.env_spec.EnvSpecMixin)
    assert isinstance(pool, python.api.EnvPool) and isinstance(pool, python.lax.XlaMixin)


def test_conversions() -> None:
    from envpool.python import data

    tree = data.to_nested_dict({"a.b": 1, "a.c": 2, "d": 3})
    assert tree == {"a": {"b": 1, "c": 2}, "d": 3}
    named = data.to_namedtuple("T", tree)
    assert type(named).__name__ == "T" and named.a.c == 2 and named.d == 3
    spec = envpool.make_spec("Pole-v0")
    action = spec.action_array_spec["action"]
    assert data.gymnasium_spec_transform("action", action, "act") == spec.action_space
    assert data.dm_spec_transform("push", action, "act") == spec.action_spec().replace(name="push")


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "vector", "dm"])
def test_make_spec_takes_what_make_takes(env_type: str) -> None:
    config: dict[str, Any] = {"num_envs": 3, "seed": 1}
    spec = envpool.make_spec("Pole-v0", env_type=env_type, **config)
    made: Any = envpool.make("Pole-v0", env_type=env_type, **config)
    assert spec.config == made.spec.config
    with pytest.raises(ConfigError, match=r"make_spec\('Pole-v0', env_type='gynasium'\)"):
        envpool.make_spec("Pole-v0", env_type="gynasium")


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_reset_by_the_documented_name(env_type: str) -> None:
    def ids(result: Any) -> list[int]:
        info = result.observation if env_type == "dm" else result[1]
        return list(info.env_id if env_type == "dm" else info["env_id"])

    pool: Any = envpool.make("Pole-v0", env_type, num_envs=4)
    pool.reset()
    assert ids(pool.reset(id=np.array([2, 0]))) == [2, 0]
    with pytest.raises(ConfigError, match="both"):
        pool.reset(np.array([1]), id=np.array([1]))


@pytest.mark.parametrize("seed", _SEEDS, ids=repr)
@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
def test_reset_takes_the_seeds_of_make(env_type: str, seed: Any) -> None:
    def observation(pool: Any, **how: Any) -> Any:
        result = pool.reset(**how)
        return result.observation.obs if env_type == "dm" else result[0]

    expected = observation(envpool.make("Pole-v0", env_type, num_envs=4, seed=seed))
    pool: Any = envpool.make("Pole-v0", env_type, num_envs=4, seed=99)
    np.testing.assert_array_equal(observation(pool, seed=seed), expected)
    pool.seed(seed)
    np.testing.assert_array_equal(observation(pool), expected)


@pytest.mark.parametrize("seed", [True, "5", -1, 2**64, 1.5, [1.5, 2, 3, 4], [True] * 4, {}, [1]])
def test_reset_refuses_the_seeds_that_make_refuses(seed: Any) -> None:
    with pytest.raises(ConfigError):
        envpool.make("Pole-v0", num_envs=4, seed=seed)
    pool = envpool.make("Pole-v0", num_envs=4)
    with pytest.raises(ConfigError):
        pool.reset(seed=seed)


def test_the_package_is_the_command() -> None:
    command = [sys.executable, "-m", "envpool", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.startswith("envpool-core ")
