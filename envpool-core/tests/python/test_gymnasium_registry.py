# SPDX-License-Identifier: Apache-2.0
"""Tasks in Gymnasium's own registry."""

from __future__ import annotations

import subprocess
import sys

import envpool
import envpool.gymnasium
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode


@pytest.fixture(autouse=True)
def registered():
    envpool.register_gymnasium_envs()


def test_make_vec():
    envs = gymnasium.make_vec("envpool/Counter-v0", num_envs=4, goal=2)
    assert isinstance(envs, envpool.EnvPool)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    assert envs.spec.id == "envpool/Counter-v0"
    assert envs.spec.kwargs["goal"] == 2
    obs, _ = envs.reset(seed=3)
    assert obs[:, 0].tolist() == [3, 4, 5, 6]
    envs.step(envs.action_space.sample())
    assert envs.step(np.zeros(4, np.int32))[2].all()
    again = gymnasium.make_vec(envs.spec)
    assert len(again) == 4


def test_limit():
    assert gymnasium.spec("envpool/Limited-v0").max_episode_steps == 2
    assert gymnasium.spec("envpool/Counter-v0").max_episode_steps is None
    assert gymnasium.make_vec("envpool/Limited-v0").config["max_episode_steps"] == 2
    longer = gymnasium.make_vec("envpool/Limited-v0", max_episode_steps=3)
    assert longer.config["max_episode_steps"] == 3


def test_options_of_gymnasium():
    envs = gymnasium.make_vec(
        "envpool/Zaehler-v0",
        num_envs=2,
        autoreset_mode=AutoresetMode.SAME_STEP,
        max_episode_steps=1,
    )
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    envs.reset()
    assert envs.step(np.zeros(2, np.int32))[3].all()


def test_registering_twice_changes_nothing():
    spec = gymnasium.spec("envpool/Limited-v0")
    names = envpool.register_gymnasium_envs()
    assert gymnasium.spec("envpool/Limited-v0") is spec
    assert names == sorted(names)
    assert {"envpool/Counter-v0", "envpool/Zaehler-v0"} <= set(names)


@pytest.mark.parametrize("task_id", ["a/Counter-v0", "a:Counter-v1", "a/b:Counter"])
def test_ids_with_a_slash_or_a_colon_are_known_by_hyphens(task_id):
    """Gymnasium 1.4 takes one slash and one colon in an id, which its own prefixes need."""
    envpool.register(envpool.Task(task_id, "fake_family:COUNTER"))
    registered = envpool.gymnasium.registered_id(task_id)
    assert registered == f"envpool/{task_id.replace('/', '-').replace(':', '-')}"
    assert registered in envpool.register_gymnasium_envs()
    envs = gymnasium.make_vec(f"envpool.gymnasium:{registered}", num_envs=2)
    assert envs.spec.kwargs["task_id"] == task_id


def test_gymnasium_takes_every_registered_id():
    names = envpool.register_gymnasium_envs()
    assert {envpool.gymnasium.registered_id(name) for name in envpool.list_all_envs()} <= {*names}
    for name in names:
        namespace, *_ = gymnasium.envs.registration.parse_env_id(name)
        assert namespace == "envpool", name


def test_wrappers_run_on_it():
    envs = gymnasium.make_vec("envpool/Counter-v0", num_envs=2)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    envs.reset()
    for _ in range(3):
        *_, info = envs.step(np.zeros(2, np.int32))
    assert info["episode"]["l"].tolist() == [3, 3]


def test_in_the_way_of_gymnasium():
    script = """
import gymnasium, envpool
envpool.register(envpool.Task("A-v0", "fake_family:COUNTER"))
gymnasium.register_envs(envpool.gymnasium)
assert "envpool/A-v0" in gymnasium.registry
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)


@pytest.mark.parametrize("first", ["", "import envpool"])
def test_no_import_of_ours_is_needed(first):
    script = f"""{first}
import gymnasium
try:
    gymnasium.make_vec("envpool.gymnasium:envpool/NotThere-v0")
except gymnasium.error.Error as error:
    assert "envpool" in str(error), error
else:
    raise SystemExit("made")
import envpool.gymnasium
assert envpool.gymnasium.register_gymnasium_envs() is not None
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)
