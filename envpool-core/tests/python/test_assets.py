# SPDX-License-Identifier: Apache-2.0
"""Assets of tasks, pixel variants and deprecations, as far as they are Python."""

from __future__ import annotations

import itertools

import envpool
import fake_family
import pytest
from envpool import Deprecation, Task
from envpool.errors import ConfigError, PluginError, RenderError

_numbers = itertools.count()


@pytest.fixture
def task(monkeypatch):
    """Registers a task whose assets are a function, and returns its id."""

    def add(function, **more):
        number = next(_numbers)
        monkeypatch.setattr(fake_family, f"assets_{number}", function, raising=False)
        path = f"fake_family:assets_{number}"
        envpool.register(Task(f"Assets-v{number}", "fake_family:COUNTER", assets=path, **more))
        return f"Assets-v{number}"

    return add


def test_what_it_returns_is_set_where_the_user_set_nothing(task):
    calls = []

    def find(options):
        calls.append(options)
        return {"base_path": "/found", "goal": 7}

    task_id = task(find, assets_for="pools", goal=2)
    assert envpool.make_spec(task_id, num_envs=3).options["base_path"] == "/found"
    pool = envpool.make(task_id, goal=5)
    assert fake_family.COUNTER.pools[-1].config["base_path"] == "/found"
    assert (pool.config["base_path"], pool.config["goal"]) == ("/found", 5)
    assert envpool.make(task_id, base_path="/mine").config["base_path"] == "/mine"
    assert len(calls) == 1
    assert (calls[0]["num_envs"], calls[0]["goal"], calls[0]["base_path"]) == (3, 2, "")


def test_for_pictures_only_where_there_are_some(task):
    calls = []
    task_id = task(calls.append)
    envpool.make_spec(task_id)
    envpool.make(task_id)
    assert calls == []
    envpool.make(task_id, render_mode="rgb_array")
    assert len(calls) == 1


def test_a_failure_is_explained_and_tried_again(task):
    answers = iter([FileNotFoundError("no statue.obj"), RenderError("its own words"), None])

    def find(_options):
        answer = next(answers)
        if answer is not None:
            raise answer

    task_id = task(find, assets_for="pools")
    with pytest.raises(PluginError) as caught:
        envpool.make(task_id)
    number = task_id.removeprefix("Assets-v")
    assert str(caught.value) == (
        f"fake_family:assets_{number}, the assets of task '{task_id}': got FileNotFoundError: "
        "no statue.obj; allowed: what fake_family brings, or finds on this machine. "
        "Install what is missing, or run `pip install --force-reinstall fake_family`."
    )
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    with pytest.raises(RenderError, match=r"^its own words$"):
        envpool.make(task_id)
    envpool.make(task_id)
    envpool.make(task_id)


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (["base_path"], PluginError, r"got \['base_path'\]; allowed: a dict of options, or None"),
        ({"base_paht": "x"}, PluginError, "'base_paht'.*Did you mean 'base_path'"),
        ({"goal": "far"}, ConfigError, "goal='far'"),
    ],
)
def test_answers_that_are_no_options(task, answer, error, said):
    task_id = task(lambda _options: answer, assets_for="pools")
    with pytest.raises(error, match=said):
        envpool.make(task_id)


def test_impossible_tasks():
    with pytest.raises(ConfigError) as caught:
        Task("A-v0", "a:B", assets_for="picture")
    assert str(caught.value) == (
        "Task('A-v0', assets_for='picture'): got 'picture'; allowed: 'pictures' or 'pools'. "
        "Did you mean 'pictures'? If not, pass one of the two."
    )
    with pytest.raises(ConfigError, match="'module:Name'"):
        Task("A-v0", "a:B", pixels="a.B")


def test_from_pixels_takes_the_other_environment():
    envpool.register(
        Task("Seen-v0", "fake_family:COUNTER", pixels="fake_family:PICTURES", render_width=40)
    )
    assert envpool.make_spec("Seen-v0").env is fake_family.COUNTER
    assert envpool.make_spec("Seen-v0").options["from_pixels"] is False
    spec = envpool.make_spec("Seen-v0", from_pixels=True, render_height=30)
    assert spec.env is fake_family.PICTURES
    assert (spec.options["render_width"], spec.options["render_height"]) == (40, 30)
    with pytest.raises(ConfigError, match="pictures; allowed: tasks that have this option"):
        envpool.make("Counter-v0", from_pixels=True)


def test_what_a_deprecation_says():
    full = Deprecation("2.0.0", use="B-v1", since="1.4.0")
    assert str(full) == (
        "outdated since version 1.4.0, it will be removed in version 2.0.0; use 'B-v1' instead"
    )
    assert str(Deprecation("2.0")) == "it will be removed in version 2.0"


@pytest.mark.parametrize("versions", [("",), ("soon",), ("2.0", "", "last year")])
def test_impossible_deprecations(versions):
    with pytest.raises(ConfigError, match=r"allowed: a version of the wheel, as '2\.0\.0'"):
        Deprecation(*versions)
