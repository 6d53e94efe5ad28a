# SPDX-License-Identifier: Apache-2.0
"""The hook `envpool_prepare`, which runs before a pool is built."""

from __future__ import annotations

import copy
import itertools
import pickle

import envpool
import fake_family
import numpy as np
import pytest
from envpool import Deprecation, Prepared, Task, hookimpl, pixels
from envpool._discovery.registry import Registry
from envpool._pools import make as make_module
from envpool.errors import ConfigError, PluginError, RenderError
from test_registry import Entry

_numbers = itertools.count()


@pytest.fixture
def task(monkeypatch):
    """Has a family prepare a task in a way, and returns the task's id."""

    def add(prepare, **more):
        entry = Entry("toy", [Task("Toy-v0", "fake_family:COUNTER", **more)])
        entry.module.envpool_prepare = hookimpl(prepare, specname="envpool_prepare")
        monkeypatch.setattr(make_module, "registry", Registry([entry]))
        return "Toy-v0"

    return add


def test_its_options_take_the_place_of_those_that_were_given(task):
    calls = []

    def prepare(task, options, build):
        calls.append((task.id, options, build))
        return Prepared(task.env, {"base_path": "/found", "scale": 7, **options})

    task_id = task(prepare, goal=2)
    spec = envpool.make_spec(task_id, num_envs=3)
    assert (spec.options["base_path"], spec.options["scale"]) == ("/found", 7.0)
    assert (spec.options["goal"], spec.kwargs) == (2, {"num_envs": 3})
    pool = envpool.make(task_id, goal=5)
    assert fake_family.COUNTER.pools[-1].config["base_path"] == "/found"
    assert (pool.config["base_path"], pool.config["goal"]) == ("/found", 5)
    assert envpool.make(task_id, base_path="/mine").config["base_path"] == "/mine"
    assert envpool.make_spec(task_id, base_path="").config.base_path == "/found"
    assert calls == [
        (task_id, {"num_envs": 3}, False),
        (task_id, {"goal": 5}, True),
        (task_id, {"base_path": "/mine"}, True),
        (task_id, {}, False),
    ]


def test_it_is_asked_for_each_pool(task):
    """Files for other options are other files."""
    task_id = task(lambda task, options: Prepared(task.env, {"title": options["level"], **options}))
    with pytest.raises(PluginError, match="KeyError: 'level'"):
        envpool.make_spec(task_id)
    task_id = task(
        lambda task, options: Prepared(task.env, {"title": f"map of {options['goal']}", **options})
    )
    titles = [envpool.make(task_id, goal=goal).config["title"] for goal in (3, 4)]
    assert titles == ["map of 3", "map of 4"]


def test_a_wrong_value_does_not_make_a_family_broken(task):
    """Whatever it raises where it looks at a value of the user's."""
    task_id = task(
        lambda task, options: Prepared(task.env, {"goal": len(options.get("title", ""))})
    )
    with pytest.raises(ConfigError, match=r"title=7\).*allowed: a string"):
        envpool.make(task_id, title=7, num_envs=2)
    task_id = task(lambda task, options: Prepared(task.env, {"goal": 1 // options.get("goal", 1)}))
    with pytest.raises(
        ConfigError, match=r"goal=0\).*its family fails: ZeroDivisionError"
    ) as caught:
        envpool.make(task_id, goal=0, num_envs=2)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    task_id = task(lambda task, options: 1 // 0)
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        envpool.make(task_id, goal=3)
    with pytest.raises(ConfigError, match=r"base_path=.*allowed: a string"):
        envpool.make(task_id, base_path=np.zeros(2))


def test_it_has_real_names_and_right_types(task):
    given = []
    task_id = task(
        lambda options: given.append(options),
        options={"level": 1, "far.away": 2},
        config_docs={"nested.key": "a key"},
    )
    spec = envpool.make_spec(task_id, nested_key=3, level=4.0, far_away=5)
    assert given == [{"nested.key": 3, "level": 4, "far.away": 5}]
    assert [spec.options[key] for key in ("nested.key", "level", "far.away")] == [3, 4, 5]
    assert "level" not in spec.env_options
    assert "level=4" in repr(spec)
    assert (envpool.make_spec(task_id).config.level, spec.config.far_away) == (1, 5)
    with pytest.raises(ConfigError, match=r"make\('Toy-v0', level='high'\)"):
        envpool.make_spec(task_id, level="high")
    with pytest.raises(ConfigError, match=r"make\('Toy-v0', levels=3\).*Did you mean 'level'"):
        envpool.make_spec(task_id, levels=3)


@pytest.mark.parametrize("env", ["fake_family:QUIET", fake_family.QUIET])
def test_it_chooses_the_environment(task, env):
    task_id = task(lambda options: Prepared(env, options, {"maps": "8"}))
    spec = envpool.make_spec(task_id)
    assert spec.env is fake_family.QUIET
    assert spec.notes == {"maps": "8"}
    for again in (copy.deepcopy(spec), pickle.loads(pickle.dumps(spec))):
        assert (again.env, again.notes) == (fake_family.QUIET, {"maps": "8"})


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ("fake_family:NOTHING", "no 'NOTHING' in the module fake_family"),
        ("not_there:ENV", "no module not_there, which|no module not_there; .*install envpool-toy"),
        (3, "import of int: got an object of type int"),
        (fake_family.OLD, "interface number 0 in envpool-toy"),
    ],
)
def test_environments_that_are_none(task, env, said):
    with pytest.raises(PluginError, match=said) as caught:
        envpool.make(task(lambda options: Prepared(env, options)))
    error = caught.value
    assert (error.plugin, error.wheel, error.version) == ("toy", "envpool-toy", "1.0")


def test_a_failure_is_explained_and_tried_again(task):
    answers = iter([FileNotFoundError("no statue.obj"), RenderError("its own words"), None])

    def prepare():
        answer = next(answers)
        if answer is not None:
            raise answer

    task_id = task(prepare)
    with pytest.raises(PluginError) as caught:
        envpool.make(task_id)
    error = caught.value
    assert error.asked == (
        "plugin 'toy' of envpool-toy 1.0: envpool_prepare() of module_toy for task 'Toy-v0'"
    )
    assert error.got.startswith("FileNotFoundError: no statue.obj (")
    assert error.hint == (
        "Install what is missing, or run `pip install --force-reinstall envpool-toy`"
    )
    assert (error.plugin, error.wheel, error.version) == ("toy", "envpool-toy", "1.0")
    assert isinstance(error.__cause__, FileNotFoundError)
    with pytest.raises(RenderError, match=r"^its own words$"):
        envpool.make(task_id)
    envpool.make(task_id)


def test_it_may_be_interrupted(task):
    answers = iter([KeyboardInterrupt, None])

    def prepare():
        answer = next(answers)
        if answer is not None:
            raise answer

    task_id = task(prepare)
    with pytest.raises(KeyboardInterrupt):
        envpool.make(task_id)
    envpool.make(task_id)


def test_a_module_that_is_missing_is_explained(task):
    def prepare():
        import toy_that_is_not_there  # noqa: F401

    with pytest.raises(PluginError, match="Run `pip install toy_that_is_not_there`"):
        envpool.make(task(prepare))


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        ({"goal": 3}, PluginError, r"got \{'goal': 3\}; allowed: an envpool.Prepared, or None"),
        (Prepared("a:B", 3), PluginError, r"got Prepared\(options=3\); allowed: "),
        (
            Prepared("fake_family:COUNTER", {"base_paht": "x"}),
            PluginError,
            r"base_paht='x'; .*Did you mean 'base_path'",
        ),
        (Prepared("fake_family:COUNTER", {"goal": "far"}), ConfigError, "goal='far'"),
    ],
)
def test_answers_that_are_none(task, answer, error, said):
    with pytest.raises(error, match=said):
        envpool.make(task(lambda: answer))


def test_hooks_are_pluggy_s(task):
    """Wrappers and the order of pluggy's options work, and its tracing."""
    task_id = task(lambda task, options: Prepared(task.env, options))
    entry = Entry("wrapped", [])

    class Family:
        @hookimpl(wrapper=True)
        def envpool_tasks(self):
            return [[*tasks, Task("More-v0", "fake_family:COUNTER")] for tasks in (yield)]

        @hookimpl(specname="envpool_tasks")
        def some(self):
            yield Task("Some-v0", "fake_family:COUNTER")

        @hookimpl
        def envpool_prepare(self, task, options):
            return Prepared(task.env, {"title": "late", **options})

        @hookimpl(tryfirst=True, specname="envpool_prepare")
        def early(self, task, options):
            return Prepared(task.env, {"title": "early", **options}) if "goal" in options else None

    entry.module = Family()
    found = Registry([entry, Entry("other", [Task("Other-v0", "fake_family:COUNTER")])])
    assert found.list_all_envs() == ["More-v0", "Other-v0", "Some-v0"]
    some = found.find("Some-v0")
    assert found.prepare(some, {}, True).options == {"title": "late"}
    assert found.prepare(some, {"goal": 1}, True).options == {"title": "early", "goal": 1}
    assert found.prepare(found.find("Other-v0"), {}, True) is None
    (plugin,) = (plugin for plugin in found.plugins() if plugin.name == "wrapped")
    seen = []
    plugin.manager.add_hookcall_monitoring(
        lambda name, implementations, arguments: seen.append((name, arguments["build"])),
        lambda *_: None,
    )
    found.prepare(some, {}, False)
    assert seen == [("envpool_prepare", False)]
    assert envpool.make_spec(task_id).id == task_id


def by_hand(prepare, **more):
    task_id = f"Hand-v{next(_numbers)}"
    envpool.register(Task(task_id, "fake_family:COUNTER", **more), prepare=prepare)
    return task_id


def test_a_task_that_is_registered_by_hand_has_it_too():
    task_id = by_hand(lambda task, options, build: Prepared(task.env, {"title": "b", **options}))
    assert envpool.make(task_id).config["title"] == "b"
    with pytest.raises(
        PluginError, match=r"the function `prepare` that task '.*' was registered w"
    ):
        envpool.make(by_hand(lambda task, options, build: 1 / 0))
    with pytest.raises(PluginError, match=r"got 3; allowed: an envpool\.Prepared, or None"):
        envpool.make(by_hand(lambda task, options, build: 3))
    with pytest.raises(RenderError):
        envpool.make(by_hand(lambda task, options, build: [][1:] or _raise(RenderError("no"))))


def _raise(error):
    raise error


def test_classes_made_by_hand():
    """The documentation of EnvPool registers tasks with these classes."""
    envpool.register(
        task_id="Documented-v1",
        import_path="fake_classes",
        spec_cls="CounterEnvSpec",
        dm_cls="CounterDMEnvPool",
        gymnasium_cls="CounterGymnasiumEnvPool",
        goal=4,
        prepare=lambda task, options, build: Prepared(task.env, {"title": "c", **options}),
    )
    import fake_classes

    spec = envpool.make_spec("Documented-v1")
    assert type(spec) is fake_classes.CounterEnvSpec
    assert (spec.config.goal, spec.config.title) == (4, "c")
    assert type(envpool.make_dm("Documented-v1")) is fake_classes.CounterDMEnvPool
    assert type(envpool.make_gym("Documented-v1")) is fake_classes.CounterGymnasiumEnvPool
    assert envpool.make("Documented-v1", "vector").num_envs == 1


def test_classes_may_be_given_themselves():
    import fake_classes

    class Own(fake_classes.CounterDMEnvPool):
        pass

    task_id = by_hand(lambda task, options, build: Prepared(task.env, options, pools={"dm": Own}))
    assert type(envpool.make_dm(task_id)) is Own
    assert type(envpool.make(task_id)).__name__ == "CounterGymnasiumEnvPool"


def test_impossible_tasks():
    with pytest.raises(ConfigError, match="'module:Name'"):
        Task("A-v0", "a.B")
    with pytest.raises(PluginError, match=r"a default for the option 'levels'.*mean 'level'"):
        envpool.make(by_hand(None, options={"level": 3}, levels=4))


def test_from_pixels_takes_the_other_environment():
    assert envpool.make_spec("Seen-v0").env is fake_family.COUNTER
    assert envpool.make_spec("Seen-v0").options["from_pixels"] is False
    spec = envpool.make_spec("Seen-v0", from_pixels=True, render_height=30)
    assert spec.env is fake_family.IMAGES
    assert (spec.options["render_width"], spec.options["render_height"]) == (40, 30)
    assert envpool.make_spec("Seen-v0", from_pixels=1).config.render_height == 84
    pool = envpool.make("Seen-v0", from_pixels=True, frame_stack=2)
    config = fake_family.IMAGES.pools[-1].config
    assert "from_pixels" not in config
    assert [config[key] for key in ("frame_stack", "render_width", "render_height")] == [2, 40, 84]
    assert (pool.config["from_pixels"], pool.config["frame_stack"]) == (True, 2)
    with pytest.raises(ConfigError, match="images; allowed: tasks that have this option"):
        envpool.make("Counter-v0", from_pixels=True)
    assert "from_pixels" not in envpool.make_spec("Counter-v0", from_pixels=False).options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"frame_stack": 4}, "got a number of images for observations that are none; allowed: fra"),
        ({"frame_stack": "2", "from_pixels": True}, "'2' of type str; allowed: a whole number"),
        ({"from_pixels": "yes"}, "'yes' of type str; allowed: True or False"),
        ({"from_pixels": True, "render_width": -1}, r"got -1; allowed: 0 \.\. 16384"),
    ],
)
def test_impossible_images(options, said):
    with pytest.raises(ConfigError, match=said) as caught:
        envpool.make("Seen-v0", **options)
    assert str(caught.value).startswith("make('Seen-v0', ")


def test_a_plain_environment_beside_the_one_with_images():
    task = Task("A-v0", "a:B", options=pixels.options(), from_pixels=True, render_height=5)
    assert pixels.prepare(task, {"from_pixels": False}, "a:P", "a:C") == Prepared(
        "a:C", {"from_pixels": False}
    )
    assert pixels.prepare(task, {"goal": 1}, "a:P") == Prepared("a:P", {"goal": 1})
    # No size, said in any way, is the environment's own.
    given = {"render_width": 0, "render_height": None, "goal": 1}
    assert pixels.prepare(task, given, "a:P") == Prepared("a:P", {"goal": 1})


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


def test_fixed_options_are_none_of_the_task(task):
    task_id = task(
        lambda task, options: Prepared(task.env, {"title": "a map", **options}), fixed=("title",)
    )
    spec = envpool.make_spec(task_id)
    assert "title" not in spec.options
    assert spec.env_options["title"] == "a map"
    with pytest.raises(ConfigError, match=r"title='mine'.*an option of other tasks.*Leave it out"):
        envpool.make_spec(task_id, title="mine")
