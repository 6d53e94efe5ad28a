# SPDX-License-Identifier: Apache-2.0
"""`envpool bench`: that its figures belong together, and not how large they are."""

from __future__ import annotations

import json
import statistics

import pytest
from envpool.cli.bench import ROUNDS

SHORT = ("--seconds", "0.05")


@pytest.mark.parametrize(("batch_size", "rows"), [((), 8), (("--batch-size", "2"), 2)])
def test_figures(run, batch_size, rows):
    done = run("bench", "Walk-v0", "--num-envs", "8", *batch_size, *SHORT, "--json")
    facts = json.loads(done.stdout)
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
    facts = json.loads(run(*words, "--json", WALK_IN_GYMNASIUM="1").stdout)
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
    assert done.stderr.strip() == ""


def test_peer_without_the_task(run):
    done = run("bench", "Walk-v0", "--vs", "gymnasium", *SHORT)
    assert done.returncode == 1
    assert "NameNotFound" in done.stderr


def test_options_reach_the_pool(run):
    done = run("bench", "Walk-v0", *SHORT, "--set", "flaw=throws")
    assert done.returncode == 1
    assert "lost its way" in done.stderr


@pytest.mark.parametrize(("batch_size", "rows"), [((), 6), (("--batch-size", "2"), 2)])
def test_several_players(run, batch_size, rows):
    words = ("--num-envs", "6", *batch_size, "--set", "max_num_players=3")
    done = run("bench", "Team-v0", *words, *SHORT, "--json")
    assert done.returncode == 0, done.stderr
    (side,) = json.loads(done.stdout)["sides"]
    # Steps of environments, however many players each of them has.
    assert all(played["steps"] == rows * played["calls"] > 0 for played in side["rounds"])


@pytest.mark.parametrize("words", [("--num-envs", "0"), ("--seconds", "0"), ("--vs", "nothing")])
def test_wrong_command_line(run, words):
    assert run("bench", "Walk-v0", *words).returncode == 2
