# SPDX-License-Identifier: Apache-2.0
"""`envpool bench`: that its figures belong together, and not how large they are."""

from __future__ import annotations

import json
import statistics

import pytest
from envpool.cli import bench
from envpool.cli.bench import ROUNDS

SHORT = ("--seconds", "0.05")


@pytest.mark.parametrize(("batch_size", "rows"), [((), 8), (("--batch-size", "2"), 2)])
def test_figures(run, batch_size, rows):
    done = run("bench", "Walk-v0", "--num-envs", "8", *batch_size, *SHORT, "--json")
    (facts,) = json.loads(done.stdout)["runs"]
    assert (facts["num_envs"], facts["batch_size"]) == (8, rows)
    assert 1 <= facts["num_threads"] <= 8
    assert len(facts["rounds"]) == ROUNDS
    for played in facts["rounds"]:
        assert played["steps"] == rows * played["calls"] > 0
        assert played["wall"] >= 0.05 / ROUNDS
    rates = [played["steps"] / played["wall"] for played in facts["rounds"]]
    assert facts["steps_per_second"] == statistics.median(rates)
    assert (facts["slowest_round"], facts["fastest_round"]) == (min(rates), max(rates))
    calls = [1e6 * played["wall"] / played["calls"] for played in facts["rounds"]]
    assert facts["microseconds_per_call"] == statistics.median(calls)
    spent = [1e9 * played["cpu"] / played["steps"] for played in facts["rounds"]]
    assert facts["cpu_nanoseconds_per_step"] == statistics.median(spent)


def test_several_tasks_and_numbers_of_threads(run):
    words = ("Walk-v0", "Team-v0", "--num-threads", "1,2", "--num-envs", "4")
    runs = json.loads(run("bench", *words, *SHORT, "--json").stdout)["runs"]
    assert [(facts["task"], facts["num_threads"]) for facts in runs] == [
        *(("Walk-v0", 1), ("Walk-v0", 2), ("Team-v0", 1), ("Team-v0", 2))
    ]


def test_a_busy_machine_is_told(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr("os.getloadavg", lambda: (1.9, 0, 0), raising=False)
    assert bench._busy() is None
    monkeypatch.setattr("os.getloadavg", lambda: (2.6, 0, 0), raising=False)
    assert bench._busy() == "2.6 programs on 4 CPUs in the last minute"


def test_a_task_that_fails_costs_no_other(run):
    words = ("bench", "Team-v0", "Walk-v0", "--set", "horizon=9", *SHORT)
    done = run(*words)
    assert done.returncode == 1
    assert done.stderr.startswith("envpool: make('Team-v0'") and "horizon" in done.stderr
    assert done.stdout.startswith("Walk-v0 ")
    told = json.loads(run(*words, "--json").stdout)
    assert [facts["task"] for facts in told["runs"]] == ["Walk-v0"]
    assert [failure["task"] for failure in told["failed"]] == ["Team-v0"]


def test_options_reach_the_pool(run):
    done = run("bench", "Walk-v0", *SHORT, "--set", "flaw=throws")
    assert done.returncode == 1
    assert "lost its way" in done.stderr


@pytest.mark.parametrize(("batch_size", "rows"), [((), 6), (("--batch-size", "2"), 2)])
def test_several_players(run, batch_size, rows):
    words = ("--num-envs", "6", *batch_size, "--set", "max_num_players=3")
    done = run("bench", "Team-v0", *words, *SHORT, "--json")
    assert done.returncode == 0, done.stderr
    (facts,) = json.loads(done.stdout)["runs"]
    # Steps of environments, however many players each of them has.
    assert all(played["steps"] == rows * played["calls"] > 0 for played in facts["rounds"])


@pytest.mark.parametrize(
    "words",
    [
        *(("--num-envs", "0"), ("--seconds", "0")),
        *(("--num-threads", "1,x"), ("--num-threads", "-1")),
    ],
)
def test_wrong_command_line(run, words):
    assert run("bench", "Walk-v0", *words).returncode == 2
