# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it, and the ids of this family."""

from __future__ import annotations

import envpool
import envpool_python
import gymnasium
import pytest
from envpool.errors import ConfigError, UnknownTaskError
from envpool.testing import check_task


def test_contract() -> None:
    check_task("python:CartPole-v1", num_envs=3, steps=32)


def test_any_id_of_gymnasium_is_a_task() -> None:
    listed = envpool.list_all_envs()
    assert {"python:CartPole-v1", "python:LunarLander-v3", "python:Taxi-v4"} <= set(listed)
    assert not [name for name in listed if name.startswith("python:envpool/")]
    spec = envpool.make_spec("python:LunarLander-v3", env_kwargs={"continuous": True})
    assert spec.action_space == gymnasium.spaces.Box(-1, 1, (2,))
    assert (spec.max_episode_steps, spec.reward_threshold) == (1000, 200)
    # What was registered since is found, though it was not listed.
    gymnasium.register("Unlisted-v0", "toys:Sampler", max_episode_steps=9)
    try:
        assert envpool.make_spec("python:Unlisted-v0").max_episode_steps == 9
        assert "python:Unlisted-v0" not in envpool.list_all_envs()
    finally:
        del gymnasium.registry["Unlisted-v0"]


@pytest.mark.parametrize(("version", "listed"), [("3.17.0", False), ("2.3.7", True)])
def test_what_gymnasium_refuses_is_not_listed(
    monkeypatch: pytest.MonkeyPatch, version: str, listed: bool
) -> None:
    """As if MuJoCo were installed with all that Gymnasium draws its robots with."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    monkeypatch.setattr("importlib.metadata.version", lambda name: version)
    names = {task.id for task in envpool_python.envpool_tasks()}
    assert {"python:Ant-v4", "python:Pusher-v5"} <= names
    assert ("python:Pusher-v4" in names) == listed
    assert not {"python:Pusher-v2", "python:Ant-v3"} & names


def test_what_is_wrong_is_explained() -> None:
    with pytest.raises(UnknownTaskError, match="Did you mean 'python:CartPole-v1'"):
        envpool.make("python:CartPoll-v1")
    with pytest.raises(ConfigError, match=r"start_method='fork'.*'forkserver', 'spawn'"):
        envpool.make("python:CartPole-v1", start_method="fork")
    with pytest.raises(ConfigError, match="num_workers=-1"):
        envpool.make("python:CartPole-v1", num_workers=-1)
    with pytest.raises(ConfigError, match="num_envz"):
        envpool.make("python:CartPole-v1", num_envz=2)
    with pytest.raises(ConfigError, match="one function for each environment"):
        envpool.make("python:env_fns", num_envs=2)
