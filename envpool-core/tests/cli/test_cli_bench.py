# SPDX-License-Identifier: Apache-2.0
"""`envpool bench`: that its figures belong together, and not how large they are."""

from __future__ import annotations

import json
import statistics
import sys
from xml.etree import ElementTree as ET

import gymnasium
import pytest
from envpool.cli import bench
from envpool.cli._peers import gymnasium_envs
from envpool.cli.bench import ROUNDS
from envpool.errors import ConfigError

STAND_IN = """
import numpy as np

class Pool:
    class action_space:
        sample = staticmethod(lambda: 0)
    def reset(self): pass
    def step(self, action): assert action.shape == (2,)

def make(task_id, env_type, num_envs, batch_size, num_threads):
    assert (task_id, env_type, batch_size) == ("Walk-v0", "gymnasium", 2)
    return Pool()
"""
SHORT = ("--seconds", "0.05")


@pytest.mark.parametrize(("batch_size", "rows"), [((), 8), (("--batch-size", "2"), 2)])
def test_figures(run, batch_size, rows):
    done = run("bench", "Walk-v0", "--num-envs", "8", *batch_size, *SHORT, "--json")
    (facts,) = json.loads(done.stdout)["runs"]
    assert (facts["num_envs"], facts["batch_size"]) == (8, rows)
    assert 1 <= facts["num_threads"] <= 8
    (side,) = facts["sides"]
    assert len(side["rounds"]) == ROUNDS
    for played in side["rounds"]:
        assert played["steps"] == rows * played["calls"] > 0
        assert played["wall"] >= 0.05 / ROUNDS
    rates = [played["steps"] / played["wall"] for played in side["rounds"]]
    assert side["steps_per_second"] == statistics.median(rates)
    assert (side["slowest_round"], side["fastest_round"]) == (min(rates), max(rates))
    calls = [1e6 * played["wall"] / played["calls"] for played in side["rounds"]]
    assert side["microseconds_per_call"] == statistics.median(calls)
    spent = [1e9 * played["cpu"] / played["steps"] for played in side["rounds"]]
    assert side["cpu_nanoseconds_per_step"] == statistics.median(spent)
    assert "ratio" not in facts


def test_beside_gymnasium(run):
    words = ("bench", "Walk-v0", "--num-envs", "2", "--vs", "gymnasium", *SHORT)
    (facts,) = json.loads(run(*words, "--json", WALK_IN_GYMNASIUM="1").stdout)["runs"]
    ours, theirs = facts["sides"]
    assert (ours["name"], theirs["name"], facts["peer"]) == (
        "envpool",
        "gymnasium",
        "SyncVectorEnv",
    )
    assert facts["ratio"] == ours["steps_per_second"] / theirs["steps_per_second"]
    assert all(played["steps"] == 2 * played["calls"] for played in theirs["rounds"])
    done = run(*words, WALK_IN_GYMNASIUM="1")
    assert done.stdout.startswith("Walk-v0  2 environments, at most ")
    assert "times the steps of SyncVectorEnv (medians of 7 rounds, in turns)\n" in done.stdout
    assert "rror" not in done.stderr


def test_several_tasks_and_numbers_of_threads(run, tmp_path):
    chart = tmp_path / "chart.svg"
    words = ("Walk-v0", "Team-v0", "--num-threads", "1,2", "--num-envs", "4", "--out", str(chart))
    runs = json.loads(run("bench", *words, *SHORT, "--json").stdout)["runs"]
    assert [(facts["task"], facts["num_threads"]) for facts in runs] == [
        *(("Walk-v0", 1), ("Walk-v0", 2), ("Team-v0", 1), ("Team-v0", 2))
    ]
    drawn = ET.parse(chart).getroot()
    assert len([part for part in drawn.iter() if part.tag.endswith("rect")]) == 4
    texts = [part.text for part in drawn.iter() if part.tag.endswith("text")]
    assert "Team-v0, 2 threads" in texts


def test_a_chart_needs_a_known_ending_and_a_place(run, tmp_path):
    assert run("bench", "Walk-v0", *SHORT, "--out", "chart.pdf").returncode == 2
    done = run("bench", "Walk-v0", *SHORT, "--out", str(tmp_path / "none" / "chart.svg"))
    assert (done.returncode, done.stdout) == (1, "")  # before anything is measured
    assert "Make the folder" in done.stderr


def test_a_busy_machine_is_told(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr("os.getloadavg", lambda: (1.9, 0, 0), raising=False)
    assert bench._busy() is None
    monkeypatch.setattr("os.getloadavg", lambda: (2.6, 0, 0), raising=False)
    assert bench._busy() == "2.6 programs on 4 CPUs in the last minute"


def test_beside_upstream(run, tmp_path):
    """A stand-in for upstream's distribution, in a Python that finds it and nothing of ours."""
    package = tmp_path / "envpool"
    package.mkdir()
    (package / "__init__.py").write_text("__version__ = '1.2.5'")
    (package / "registration.py").write_text(STAND_IN)
    python = tmp_path / "python"
    # An editable installation has a finder of its own, which would be asked first.
    code = "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'Scikit' not in str(f)]; "
    code += f"import runpy; sys.path[:0] = [{str(tmp_path)!r}]; sys.argv[:] = sys.argv[2:]; "
    code += "runpy.run_path(sys.argv[0], run_name='__main__')"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
    python.chmod(0o755)
    words = ("Walk-v0", "--num-envs", "2", "--vs", "envpool", *SHORT, "--json")
    done = run("bench", *words, "--peer-python", str(python))
    assert done.returncode == 0, done.stderr
    (facts,) = json.loads(done.stdout)["runs"]
    assert facts["peer"] == "envpool 1.2.5"
    assert all(played["steps"] == 2 * played["calls"] for played in facts["sides"][1]["rounds"])
    done = run("bench", *words[:-1], "--peer-python", str(tmp_path / "none"))
    assert done.returncode == 1
    assert "pip install envpool" in done.stderr
    package.joinpath("registration.py").write_text("raise ImportError('no such thing')")
    done = run("bench", *words[:-1], "--peer-python", str(python))
    assert done.returncode == 1
    assert "got ImportError: no such thing; allowed: a Python that has" in done.stderr


def test_ale_has_only_games(run):
    done = run("bench", "Walk-v0", "--vs", "ale", *SHORT)
    assert done.returncode == 1
    assert "got a task that is no game of Atari" in done.stderr


def test_peer_without_the_task(run):
    done = run("bench", "Walk-v0", "--vs", "gymnasium", *SHORT)
    assert done.returncode == 1
    assert "under none of these ids: 'Walk-v0', 'ALE/Walk-v0'" in done.stderr


def test_a_task_that_fails_costs_no_other(run, tmp_path):
    chart = tmp_path / "chart.svg"
    words = ("bench", "Team-v0", "Walk-v0", "--vs", "gymnasium", *SHORT, "--out", str(chart))
    done = run(*words, WALK_IN_GYMNASIUM="1")
    assert done.returncode == 1
    assert done.stderr.startswith("envpool: bench Team-v0 --vs gymnasium: ")
    assert done.stdout.startswith("Walk-v0 ") and "Walk-v0" in chart.read_text()
    told = json.loads(run(*words, "--json", WALK_IN_GYMNASIUM="1").stdout)
    assert [facts["task"] for facts in told["runs"]] == ["Walk-v0"]
    assert [failure["task"] for failure in told["failed"]] == ["Team-v0"]


def test_a_module_that_the_peer_lacks_is_told():
    gymnasium.register("Lacking-v0", entry_point="no_such_module_at_all:Env")
    try:
        with pytest.raises(ConfigError, match=r"no_such_module_at_all.*gymnasium\[mujoco"):
            gymnasium_envs("Lacking-v0", 1, 1)
    finally:
        del gymnasium.registry["Lacking-v0"]


def test_options_reach_the_pool(run):
    done = run("bench", "Walk-v0", *SHORT, "--set", "flaw=throws")
    assert done.returncode == 1
    assert "lost its way" in done.stderr


@pytest.mark.parametrize(("batch_size", "rows"), [((), 6), (("--batch-size", "2"), 2)])
def test_several_players(run, batch_size, rows):
    words = ("--num-envs", "6", *batch_size, "--set", "max_num_players=3")
    done = run("bench", "Team-v0", *words, *SHORT, "--json")
    assert done.returncode == 0, done.stderr
    (side,) = json.loads(done.stdout)["runs"][0]["sides"]
    # Steps of environments, however many players each of them has.
    assert all(played["steps"] == rows * played["calls"] > 0 for played in side["rounds"])


@pytest.mark.parametrize(
    "words",
    [
        *(("--num-envs", "0"), ("--seconds", "0"), ("--vs", "nothing")),
        *(("--num-threads", "1,x"), ("--num-threads", "-1")),
    ],
)
def test_wrong_command_line(run, words):
    assert run("bench", "Walk-v0", *words).returncode == 2
