# SPDX-License-Identifier: Apache-2.0
"""Core without any family: it imports, lists no task, and names the missing wheel.

Run by the session `alone`, in an environment that has the wheel of core and no other of ours.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import envpool
import pytest
from envpool.errors import UnknownTaskError

ROOT = Path(__file__).parents[2]
FAMILIES = {  # from `tool.envpool.task` in each pyproject.toml
    found[1]: path.parent.name
    for path in sorted(ROOT.glob("envpool-*/pyproject.toml"))
    if (found := re.search(r'^task = "(.+?)"', path.read_text(encoding="utf-8"), re.MULTILINE))
}


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_no_family_is_installed() -> None:
    assert not entry_points(group="envpool"), "the other tests of this file would mean nothing"
    assert envpool.list_all_envs() == []
    assert envpool.failures() == []


def test_import_brings_no_interface_along() -> None:
    code = "import sys, envpool; print({'gymnasium', 'dm_env', 'typer', 'jax'} & {*sys.modules})"
    done = _run(sys.executable, "-c", code)
    assert done.stdout.strip() == "set()", done.stderr


@pytest.mark.parametrize("task_id", FAMILIES)
def test_known_task_names_the_wheel_to_install(task_id: str) -> None:
    with pytest.raises(UnknownTaskError) as error:
        envpool.make(task_id)
    assert task_id in str(error.value)
    assert f"pip install {FAMILIES[task_id]}" in str(error.value)


def test_unknown_task_says_that_nothing_is_installed() -> None:
    with pytest.raises(UnknownTaskError) as error:
        envpool.make("NoSuchTask")
    assert "NoSuchTask" in str(error.value)


@pytest.mark.parametrize("command", ["list-envs", "doctor"])
def test_command_works_and_suggests_a_family(command: str) -> None:
    done = _run("envpool", command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "envpool-classic" in done.stdout + done.stderr


def test_command_with_an_unknown_task_fails_in_words() -> None:
    done = _run("envpool", "info", "CartPole-v1")
    assert done.returncode != 0
    assert "envpool-classic" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
