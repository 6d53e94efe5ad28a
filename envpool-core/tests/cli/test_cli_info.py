# SPDX-License-Identifier: Apache-2.0
"""`envpool info`, and how a task is named on the command line."""

from __future__ import annotations

import json

import pytest
from envpool._version import API_VERSION


@pytest.fixture
def facts(run):
    """The output of `envpool info --json`."""

    def read(*words):
        done = run("info", "--json", *words)
        assert done.returncode == 0, done.stdout
        return json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))

    return read


def test_head(run):
    done = run("info", "Walk-v0")
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[:5] == [
        "Walk-v0",
        "Walk back and forth [or not].",
        "also known as Stroll-v0",
        "family good, from envpool-good 1.2.3",
        lines[4],
    ]
    assert lines[4].startswith(f"environment walks:Walk (interface {API_VERSION}, compiled by ")
    assert "episode at most 30 steps" in lines
    assert "solved at a mean return of 1.5" in lines
    assert "can draw itself; save and load its state" in lines
    assert "step kind default" in lines


def test_arrays(run):
    lines = [" ".join(line.split()) for line in run("info", "Walk-v0").stdout.splitlines()]
    assert lines[lines.index("Observation") + 1] == "obs float32 (2,) [-8, 0] .. [8, inf]"
    assert lines[lines.index("Action") + 1] == "action int32 () 0 .. 2 (3 choices)"
    assert "side int32 () -1 .. 1 (3 choices)" in lines[lines.index("Info") :]


def test_arrays_of_players(run):
    lines = [" ".join(line.split()) for line in run("info", "Team-v0").stdout.splitlines()]
    assert "players.at float64 (2,) per player -100 .. 100" in lines
    assert "clock uint8 () 0 .. 255" in " ".join(lines)
    assert "players.trail float32 () per player unbounded, arrays of their own shape" in lines
    assert "deep.score int64 () any int64" in lines
    assert "can neither draw itself nor save its state" in lines
    assert "episode without a limit" in lines


def test_options(run):
    lines = [" ".join(line.split()) for line in run("info", "Walk-v0").stdout.splitlines()]
    own = lines.index("Options of the task")
    assert "goal 6.0 how far it is" in lines[own : lines.index("Options of every task")]
    assert "num_envs 1 environments in the pool" in lines


def test_every_option_has_a_sentence(facts):
    options = facts("Walk-v0")["options"]
    assert {option["of"] for option in options} == {"task", "common", "pool"}
    assert [option["key"] for option in options if not option["meaning"]] == []


def test_defaults_are_the_task_s(facts):
    options = {
        option["key"]: option for option in facts("Walk-v1", "--set", "num_envs=3")["options"]
    }
    assert (options["goal"]["default"], options["goal"]["value"]) == (2.0, 2.0)
    assert (options["num_envs"]["default"], options["num_envs"]["value"]) == (1, 3)
    assert (options["batch_size"]["default"], options["batch_size"]["value"]) == (0, 3)


def test_json_has_null_for_infinity(facts):
    (obs,) = facts("Walk-v0")["observation"]
    assert (obs["low"], obs["high"]) == ([-8.0, 0.0], [8.0, None])


def test_notes_are_the_family_s(facts):
    assert facts("Walk-v0")["notes"] == {}


def test_alias(facts):
    assert facts("Stroll-v0")["id"] == "Walk-v0"


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5.0), ("2.5", 2.5), ("1e3", 1000.0)],
)
def test_set_numbers(facts, text, value):
    options = {
        option["key"]: option for option in facts("Walk-v0", "--set", f"goal={text}")["options"]
    }
    assert options["goal"]["value"] == value


def test_set_words(facts):
    words = ("--set", "noise=false", "--set", "flaw=seed_ignored", "--set", "render_mode=none")
    values = {option["key"]: option["value"] for option in facts("Walk-v0", *words)["options"]}
    assert values["noise"] is False
    assert values["flaw"] == "seed_ignored"
    assert values["render_mode"] is None


@pytest.mark.parametrize(
    ("task_id", "then"),
    [
        ("Wolk-v0", "did you mean 'Walk-v0'? If not, see `envpool list-envs`"),
        ("D1Basic-v1", "run `pip install envpool-vizdoom`: that wheel has ids like this one"),
        ("zzz", "see `envpool list-envs`"),
    ],
)
@pytest.mark.parametrize("name", ["info", "bench", "render"])
def test_unknown_task_is_one_line(run, name, task_id, then):
    words = ("--out", "x.png") if name == "render" else ()
    done = run(name, task_id, *words)
    assert (done.returncode, done.stdout) == (1, "")
    hint = " (not working: 1 plugin, see `envpool doctor`)"
    assert done.stderr == f"envpool: there is no task {task_id!r}: {then}{hint}\n"


def test_unknown_task_for_programs(run):
    done = run("info", "Wolk-v0", "--json", ENVPOOL_DISABLE_PLUGINS="broken")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "error": "UnknownTaskError",
        "message": "there is no task 'Wolk-v0': did you mean 'Walk-v0'? "
        "If not, see `envpool list-envs`",
    }


def test_wrong_option(run):
    done = run("info", "Walk-v0", "--set", "gaol=3")
    assert done.returncode == 1
    assert "Did you mean 'goal'?" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_setting_without_value(run):
    done = run("info", "Walk-v0", "--set", "goal")
    assert done.returncode == 2
    assert "KEY=VALUE" in done.stderr


def test_family_of_another_interface(run):
    done = run("info", "Old-v0")
    assert done.returncode == 1
    assert "pip install --upgrade envpool-old" in done.stderr
