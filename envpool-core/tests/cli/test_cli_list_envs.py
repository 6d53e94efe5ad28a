# SPDX-License-Identifier: Apache-2.0
"""`envpool list-envs`."""

from __future__ import annotations

import json

import pytest
from envpool._discovery.registry import Registry
from envpool.cli import list_envs


def test_families_with_wheel_and_tasks(run):
    done = run("list-envs", "--family", "good")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "good  envpool-good 1.2.3, 3 tasks",
        "  Team-v0   Walk together.",
        "  Walk-v0   Walk back and forth [or not]. (also Stroll-v0)",
        "  Walk-v1    (deprecated: it will be removed in version 9.0; use 'Walk-v0' instead)",
    ]


def test_broken_families_hide_nothing(run):
    done = run("list-envs")
    assert done.returncode == 0
    assert "good  envpool-good 1.2.3, 3 tasks" in done.stdout
    assert "old  envpool-old 0.1, 1 task\n" in done.stdout
    assert "Not working: 1 plugin; `envpool doctor` says why." in done.stderr


def test_json(run):
    done = run("list-envs", "--json", "--family", "good")
    tasks = json.loads(done.stdout)
    assert [task["id"] for task in tasks] == ["Team-v0", "Walk-v0", "Walk-v1"]
    assert tasks[1] == {
        "id": "Walk-v0",
        "aliases": ["Stroll-v0"],
        "description": "Walk back and forth [or not].",
        "deprecated": None,
        "family": "good",
        "wheel": "envpool-good",
        "version": "1.2.3",
    }


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [
        ("walk", ["Walk-v0", "Walk-v1"]),
        ("STROLL", ["Walk-v0"]),
        ("*-V0", ["Team-v0", "Walk-v0"]),
        ("Walk-v?", ["Walk-v0", "Walk-v1"]),
        ("-v1", ["Walk-v1"]),
    ],
)
def test_pattern(run, pattern, ids):
    done = run("list-envs", "--json", "--family", "good", "--", pattern)
    assert [task["id"] for task in json.loads(done.stdout)] == ids


def test_pattern_that_fits_nothing(run):
    done = run("list-envs", "Wlak-v0")
    assert (done.returncode, done.stdout) == (1, "")
    assert "list-envs Wlak-v0: got a pattern that no id is like" in done.stderr
    assert "Did you mean 'Walk-v0'?" in done.stderr


def test_unknown_family(run):
    done = run("list-envs", "--family", "goood")
    assert (done.returncode, done.stdout) == (1, "")
    assert "list-envs --family goood: got a family that is not installed; allowed: " in done.stderr
    assert " Did you mean 'good'? If not, leave --family out to see all tasks." in done.stderr


def test_no_family(monkeypatch, capsys):
    monkeypatch.setattr(list_envs, "registry", Registry([]))
    list_envs.list_envs()
    assert "pip install envpool-classic" in capsys.readouterr().out
