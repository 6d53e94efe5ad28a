# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it, and the ids of this family."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import envpool
import envpool_python
import gymnasium
import pytest
from envpool.errors import ConfigError, MissingPackageError, UnknownTaskError
from envpool.testing import check_task
from envpool_python import _findings


def test_contract() -> None:
    check_task("python:CartPole-v1", num_envs=3, steps=32)


def test_any_id_of_gymnasium_is_a_task() -> None:
    listed = envpool.list_all_envs()
    assert {"python:CartPole-v1", "python:Taxi-v4"} <= set(listed)
    assert not [name for name in listed if name.startswith("python:envpool/")]
    # An id that was registered since is found, though it was not listed.
    gymnasium.register("Unlisted-v0", "toys:Sampler", max_episode_steps=9)
    try:
        assert envpool.make_spec("python:Unlisted-v0").max_episode_steps == 9
        assert "python:Unlisted-v0" not in envpool.list_all_envs()
    finally:
        del gymnasium.registry["Unlisted-v0"]


@pytest.mark.needs_box2d
def test_arguments_of_an_environment_change_its_spaces() -> None:
    assert "python:LunarLander-v3" in envpool.list_all_envs()
    spec = envpool.make_spec("python:LunarLander-v3", env_kwargs={"continuous": True})
    assert spec.action_space == gymnasium.spaces.Box(-1, 1, (2,))
    assert (spec.max_episode_steps, spec.reward_threshold) == (1000, 200)


@pytest.mark.parametrize(("version", "listed"), [("3.17.0", False), ("2.3.7", True)])
def test_what_gymnasium_refuses_is_not_listed(
    monkeypatch: pytest.MonkeyPatch, version: str, listed: bool
) -> None:
    """The test pretends that MuJoCo is installed with all that Gymnasium's drawings need."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    monkeypatch.setattr("importlib.metadata.version", lambda name: version)
    names = {task.id for task in envpool_python.FAMILY.envpool_tasks()}
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


def test_an_id_may_name_the_module_that_registers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
import gymnasium
gymnasium.register("Late-v0", "gymnasium.envs.classic_control:CartPoleEnv", max_episode_steps=7)
"""
    (tmp_path / "registers_late.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    task_id = "python:registers_late:Late-v0"
    assert envpool.make_spec(task_id).max_episode_steps == 7
    with envpool.make(task_id, num_envs=2, num_workers=1) as pool:
        assert pool.reset(seed=0)[0].shape == (2, 4)
    with pytest.raises(MissingPackageError, match="no package 'registers_never'"):
        envpool.make("python:registers_never:Late-v0")
    with pytest.raises(UnknownTaskError, match="registers_late:Early-v0"):
        envpool.make("python:registers_late:Early-v0")


def test_the_command_line_knows_these_tasks() -> None:
    listed = json.loads(envpool_command("list-envs", "CartPole", "--json"))
    assert "python:CartPole-v1" in json.dumps(listed)
    measured = json.loads(
        envpool_command(
            *("bench", "python:CartPole-v1", "--num-envs", "4", "--seconds", "0.1", "--json")
        )
    )
    assert measured["runs"][0]["steps_per_second"] > 0


def envpool_command(*words: str) -> str:
    code = "from envpool.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *words],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout


def _findings_of_the_machine() -> dict[str, envpool.Finding]:
    told = [f for f in envpool_python.FAMILY.envpool_findings() if isinstance(f, envpool.Finding)]
    return {finding.name: finding for finding in told}


def test_findings() -> None:
    found = _findings_of_the_machine()
    assert set(found) == {"workers", "shared memory", "limits"}
    assert found["workers"].status == "ok" and "forkserver and spawn" in found["workers"].detail


def test_findings_of_a_machine_that_lacks_something(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str) -> int:
        raise PermissionError(f"{name}: not in this container")

    monkeypatch.setattr("os.memfd_create", refused)
    monkeypatch.setattr("resource.getrlimit", lambda which: (100, 100))
    monkeypatch.setattr(_findings, "_memory", lambda: (2**30, 2**27))
    found = _findings_of_the_machine()
    assert [found[name].status for name in ("workers", "shared memory", "limits")] == [
        "problem",
        "warning",
        "warning",
    ]
    assert "not in this container" in found["workers"].detail
    assert "50 workers" in found["limits"].detail and "ulimit -n" in found["limits"].fix


class Terminal(io.StringIO):
    """A terminal for a person."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("seconds", "shown"), [(0.0, True), (3600.0, False)])
def test_a_slow_start_shows_a_progress_bar(
    monkeypatch: pytest.MonkeyPatch, seconds: float, shown: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("envpool.progress._SLOW", seconds)
    envpool.make("python:CartPole-v1", num_envs=3, num_workers=3).close()
    assert ("Workers of python:CartPole-v1" in terminal.getvalue()) == shown
