# SPDX-License-Identifier: Apache-2.0
"""Finding plugins and tasks: lazily, one failure never hiding the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import types

import pytest
from envpool import Deprecation, Task, hookimpl, register
from envpool._discovery.known_families import family_of
from envpool._discovery.registry import Registry, registry
from envpool.errors import ConfigError, PluginError, UnknownTaskError


class Entry:
    """An entry point that notes when its module is loaded."""

    def __init__(self, name, tasks, wheel=None, error=None):
        self.name, self.value, self.error = name, f"module_{name}", error
        self.dist = types.SimpleNamespace(name=wheel or f"envpool-{name}", version="1.0")
        self.loads = 0
        self.module = types.ModuleType(self.value)
        if tasks is not None:
            self.module.envpool_tasks = hookimpl(lambda: tasks, specname="envpool_tasks")

    def load(self):
        self.loads += 1
        if self.error is not None:
            raise self.error
        return self.module


def task(task_id, **kwargs):
    return Task(task_id, "fake_family:COUNTER", **kwargs)


@pytest.fixture
def entries():
    return [
        Entry("atari", [task("Pong-v5"), task("Breakout-v5")]),
        Entry("broken", None, error=ImportError("libfoo.so: cannot open")),
        Entry("toy", [task("Toy-v0", aliases=("Spielzeug-v0",)), task("Toy-v1")]),
    ]


def test_nothing_is_loaded_before_it_is_needed(entries):
    found = Registry(entries)
    assert [plugin.state for plugin in found.plugins()] == ["found"] * 3
    assert [entry.loads for entry in entries] == [0, 0, 0]


def test_the_likely_family_is_asked_first(entries):
    found = Registry(list(reversed(entries)))
    assert found.find("Breakout-v5").id == "Breakout-v5"
    assert [entry.loads for entry in entries] == [1, 0, 0]
    assert found.origin("Breakout-v5").wheel == "envpool-atari"


def test_a_broken_plugin_hides_no_other(entries):
    found = Registry(entries)
    assert "Toy-v0" in found.list_all_envs()
    assert found.find("Spielzeug-v0") is found.find("Toy-v0")
    (failure,) = found.failures()
    assert (failure.plugin, failure.wheel, failure.version) == ("broken", "envpool-broken", "1.0")
    assert "libfoo.so" in str(failure)
    assert isinstance(failure.__cause__, ImportError)
    with pytest.raises(UnknownTaskError, match=r"libfoo\.so"):
        found.find("Toy-v9")
    assert [entry.loads for entry in entries] == [1, 1, 1]


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3)])
def test_any_error_of_a_plugin_is_kept(error):
    found = Registry([Entry("bad", None, error=error), Entry("toy", [task("Toy-v0")])])
    assert found.list_all_envs() == ["Toy-v0"]
    assert type(error).__name__ in str(found.failures()[0])


def test_an_error_that_a_family_raises_itself_is_its_own():
    found = Registry([Entry("bad", None, error=PluginError("no licence"))])
    assert found.list_all_envs() == []
    (failure,) = found.failures()
    assert (failure.plugin, failure.wheel, str(failure)) == ("bad", "envpool-bad", "no licence")


def test_list_is_sorted_and_has_aliases(entries):
    found = Registry(entries)
    assert found.list_all_envs() == ["Breakout-v5", "Pong-v5", "Spielzeug-v0", "Toy-v0", "Toy-v1"]
    assert [task.id for task in found.tasks()] == ["Breakout-v5", "Pong-v5", "Toy-v0", "Toy-v1"]
    states = {plugin.name: plugin.state for plugin in found.plugins()}
    assert states == {"atari": "loaded", "broken": "failed", "toy": "loaded"}


def test_threads_may_ask_at_once(entries):
    found = Registry(entries)
    arrived = threading.Barrier(8)
    answers = []

    def ask():
        arrived.wait(timeout=30)
        answers.append(found.find("Toy-v0").id)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert answers == ["Toy-v0"] * 8
    assert [entry.loads for entry in entries] == [0, 0, 1]


def test_commands_of_plugins():
    good, bad = Entry("good", [task("Toy-v0")]), Entry("bad", [])
    good.module.envpool_commands = hookimpl(
        lambda app: app.append("toy"), specname="envpool_commands"
    )
    bad.module.envpool_commands = hookimpl(lambda app: app.missing(), specname="envpool_commands")
    found = Registry([bad, good])
    app = []
    found.add_commands(app)
    assert app == ["toy"]
    (failure,) = found.failures()
    assert failure.plugin == "bad"
    assert "missing" in str(failure)
    Registry([]).add_commands(app)


def test_a_module_without_hooks_is_a_failure():
    found = Registry([Entry("empty", None)])
    assert found.list_all_envs() == []
    assert "envpool_tasks" in str(found.failures()[0])


def test_a_hook_of_a_wrong_name_or_signature_is_a_failure():
    misspelt = Entry("misspelt", None)

    def envpool_taks():
        return []

    misspelt.module.envpool_taks = hookimpl(envpool_taks)
    extra = Entry("extra", None)
    extra.module.envpool_tasks = hookimpl(lambda nothing: [], specname="envpool_tasks")
    found = Registry([misspelt, extra, Entry("toy", [task("Toy-v0")])])
    assert found.list_all_envs() == ["Toy-v0"]
    assert {failure.plugin for failure in found.failures()} == {"misspelt", "extra"}


def test_what_is_no_task_is_a_failure():
    found = Registry([Entry("toy", ["Toy-v0"])])
    assert found.list_all_envs() == []
    assert "'Toy-v0'" in str(found.failures()[0])


@pytest.mark.parametrize("before", ["nothing", "one", "two", "all"])
def test_of_two_plugins_with_an_id_always_the_same_has_it(before):
    one = Entry("one", [task("Two/Toy-v0", goal=1), task("A-v0", goal=1)])
    two = Entry("two", [task("Two/Toy-v0", goal=2), task("A-v0", goal=2), task("Two/B-v0")])
    found = Registry([two, one])
    if before == "all":
        found.list_all_envs()
    elif before == "one":
        found._load(found.plugins()[0])
    elif before == "two":
        found.find("Two/B-v0")
    # The likeliest by its name, else the first by name.
    assert found.find("Two/Toy-v0").defaults == {"goal": 2}
    assert found.find("A-v0").defaults == {"goal": 1}
    found.list_all_envs()
    assert [found.find(name).defaults["goal"] for name in ("Two/Toy-v0", "A-v0")] == [2, 1]
    assert [found.origin(name).name for name in ("Two/Toy-v0", "A-v0")] == ["two", "one"]
    assert {task.id: task.defaults.get("goal") for task in found.tasks()} == {
        "A-v0": 1,
        "Two/B-v0": None,
        "Two/Toy-v0": 2,
    }
    said = {failure.asked: failure for failure in found.failures()}
    assert set(said) == {"task 'Two/Toy-v0'", "task 'A-v0'"}
    assert said["task 'Two/Toy-v0'"].plugin == "one"
    assert str(said["task 'A-v0'"]) == (
        "task 'A-v0': got two tasks of this id, from plugin 'one' of envpool-one 1.0, whose task "
        "make() takes, and from plugin 'two' of envpool-two 1.0; allowed: one. Uninstall one of "
        "the two wheels, or name its plugin in ENVPOOL_DISABLE_PLUGINS."
    )
    assert said["task 'A-v0'"].plugin == "two"


def test_ctrl_c_while_tasks_are_listed():
    """The next look-up tries again; tasks that the module has registered stay."""
    entry = Entry("toy", None)
    pressed = []
    found = Registry([entry])
    load = entry.load

    def load_and_register():
        module = load()
        if entry.loads == 1:
            found.add(task("Toy/Hand-v0"))
        return module

    def tasks():
        yield task("Toy-v0")
        if not pressed:
            pressed.append(True)
            raise KeyboardInterrupt

    entry.load = load_and_register
    entry.module.envpool_tasks = hookimpl(tasks, specname="envpool_tasks")
    with pytest.raises(KeyboardInterrupt):
        found.list_all_envs()
    assert found.find("Toy-v0").id == "Toy-v0"
    assert found.list_all_envs() == ["Toy-v0", "Toy/Hand-v0"]
    assert found.origin("Toy/Hand-v0").name == "toy"
    assert found.failures() == []


@pytest.mark.parametrize("error", [None, ValueError("late")])
def test_a_task_belongs_to_the_thread_that_registers_it(error):
    """Not to a plugin that another thread happens to import, and does not go with it."""
    entry = Entry("slow", [], error=error)
    importing, registered = threading.Event(), threading.Event()
    load = entry.load

    def wait():
        importing.set()
        assert registered.wait(timeout=30)
        found.add(task("Slow-v0"))
        return load()

    entry.load = wait
    found = Registry([entry])
    thread = threading.Thread(target=found.list_all_envs)
    thread.start()
    assert importing.wait(timeout=30)
    found.add(task("Mine-v0"))
    registered.set()
    thread.join(timeout=30)
    assert found.origin("Mine-v0") is None
    assert found.find("Mine-v0").id == "Mine-v0"
    assert found.list_all_envs() == (["Mine-v0"] if error else ["Mine-v0", "Slow-v0"])
    if not error:
        assert found.origin("Slow-v0").name == "slow"


def test_a_module_that_was_imported_before_has_registered_its_tasks_by_hand(monkeypatch):
    entry = Entry("toy", None)
    monkeypatch.setitem(sys.modules, entry.value, entry.module)
    found = Registry([entry])
    found.add(task("Toy-v0"))
    assert found.list_all_envs() == ["Toy-v0"]
    assert found.failures() == []


def test_plugins_can_be_disabled(entries, monkeypatch):
    monkeypatch.setenv("ENVPOOL_DISABLE_PLUGINS", "broken, envpool-toy,")
    found = Registry(entries)
    assert found.list_all_envs() == ["Breakout-v5", "Pong-v5"]
    assert found.failures() == []
    assert [entry.loads for entry in entries] == [1, 0, 0]


def test_a_disabled_family_is_named(entries, monkeypatch):
    monkeypatch.setenv("ENVPOOL_DISABLE_PLUGINS", "atari")
    with pytest.raises(UnknownTaskError, match="ENVPOOL_DISABLE_PLUGINS"):
        Registry(entries).find("Pong-v5")


@pytest.mark.parametrize(
    ("task_id", "hint"),
    [
        ("Pnog-v5", "Did you mean 'Pong-v5'?"),
        ("toy-V0", "Did you mean 'Toy-v0'?"),
        ("Ant-v4", "pip install envpool-mujoco"),
        ("WalkerWalk-v1", "pip install envpool-mujoco"),
        ("D1Basic-v1", "pip install envpool-vizdoom"),
        ("CartPole-v1", "pip install envpool-classic"),
        ("LunarLander-v3", "pip install envpool-box2d"),
        ("LunarLander-v1", "Run `pip install envpool-python` and use 'python:LunarLander-v3'"),
        (
            "GymV26Environment-v0",
            "Run `pip install envpool-python` and use 'python:GymV26Environment-v0'",
        ),
        ("NothingLikeIt", "list_all_envs"),
    ],
)
def test_unknown_ids(entries, task_id, hint):
    with pytest.raises(UnknownTaskError) as caught:
        Registry(entries).find(task_id)
    message = str(caught.value)
    assert hint in message
    assert repr(task_id) in message
    assert "5 ids of the families atari, toy" in message


def test_an_id_is_a_string():
    with pytest.raises(ConfigError, match="string"):
        Registry([]).find(None)


def test_deprecated_tasks_warn_the_caller():
    found = Registry([])
    found.add(task("Old-v0", deprecated=Deprecation("0.3.0", use="New-v0")))
    with pytest.warns(DeprecationWarning, match=r"removed in version 0\.3\.0.*'New-v0'") as caught:
        found.find("Old-v0")
    assert caught[0].filename == __file__


def test_what_is_registered_by_hand_wins():
    by_hand = task("Toy-v0", goal=9)
    found = Registry([Entry("toy", [task("Toy-v0")])])
    found.add(by_hand)
    found.list_all_envs()
    assert found.find("Toy-v0") is by_hand
    (failure,) = found.failures()
    assert failure.plugin == "toy"
    assert "registered by hand before, which make() takes" in failure.got
    assert failure.hint == "Register it under another id if that of the plugin is wanted too"
    with pytest.raises(ConfigError, match="taken"):
        found.add(task("Other-v0", aliases=("Toy-v0",)))
    with pytest.raises(UnknownTaskError):
        found.find("Other-v0")


def test_register_in_the_documented_way():
    register(
        task_id="ByHand-v0",
        import_path="fake_classes",
        spec_cls="CounterEnvSpec",
        dm_cls="CounterDMEnvPool",
        gymnasium_cls="CounterGymnasiumEnvPool",
        aliases=["ByHand-v00"],
        goal=4,
        task="an option that is called task",
    )
    found = registry.find("ByHand-v00")
    assert found.env == "fake_classes:CounterEnvSpec.env"
    assert registry.prepare(found, {}, True).pools["dm"] == "fake_classes:CounterDMEnvPool"
    assert found.defaults == {"goal": 4, "task": "an option that is called task"}


def test_register_says_what_is_missing():
    with pytest.raises(ConfigError, match="no dm_cls"):
        register(task_id="A-v0", import_path="a", spec_cls="b", gymnasium_cls="c")
    with pytest.raises(ConfigError, match="no task_id"):
        register(import_path="a", spec_cls="b", dm_cls="d", gymnasium_cls="c")


@pytest.mark.parametrize(
    "arguments",
    [("", "a:B"), (" A-v0", "a:B"), (3, "a:B"), ("A-v0", "a.B"), ("A-v0", "a:")],
)
def test_impossible_tasks(arguments):
    with pytest.raises(ConfigError):
        Task(*arguments)


def test_task_repr():
    assert repr(Task("A-v0", "a:B", goal=3)) == "Task('A-v0', 'a:B', goal=3)"


@pytest.mark.parametrize(
    ("family", "ids"),
    [
        ("atari", "Pong-v5 BasicMath-v5 Blackjack-v5 TicTacToe3d-v5"),
        (
            "mujoco",
            "Ant-v3 HalfCheetah-v5 InvertedDoublePendulum-v2 HumanoidStandup-v4 Walker2d-v5",
        ),
        ("mujoco", "AcrobotSwingupSparse-v1 HumanoidCMURun-v1 LqrLqr62-v1 SwimmerSwimmer15-v1"),
        ("vizdoom", "D3Battle-v1 D4Battle2-v1 Basic-v1 HealthGatheringSupreme-v1 VizdoomCustom-v1"),
        ("classic", "CartPole-v0 phys2d/Pendulum-v0 Blackjack-v1 FrozenLake8x8-v1 Taxi-v3"),
        ("classic", "CliffWalkingSlippery-v1 tabular/Blackjack-v0 MountainCarContinuous-v0"),
        ("box2d", "LunarLander-v2 BipedalWalkerHardcore-v3 CarRacing-v3"),
        ("robotics", "FetchReach-v4 HandManipulateEggRotate-v0 AntMaze_UMaze-v5 FrankaKitchen-v1"),
        ("mujoco", "MujocoXml-v0"),
        ("myosuite", "myoFatiHandPose3Fixed-v0 MyoSuite/motorFingerReachRandom-v0"),
        ("myosuite", "MyoHandMugPass-v0 myoFatiLegStandRandom-v0 myoArmReachFixed-v0"),
        ("metaworld", "MetaWorld/PickPlace-v3 MetaWorld/reach-v3 MetaWorld/MT10"),
        ("minigrid", "MiniGrid-DoorKey-8x8-v0 BabyAI-GoToObjS6-v1 MiniGrid-WFC-MazeSimple-v0"),
        ("highway", "highway-fast-v0 HighwayFast-v0 racetrack-oval-v1 intersection-multi-agent-v2"),
        ("gfootball", "gfootball/5_vs_5-v1 gfootball/tests.penalty-v1"),
        ("nethack", "NetHack-v0 NetHackChallenge-v0 MiniHack-Room-5x5-v0 MiniHack-Sokoban1a-v1"),
        ("procgen", "BigfishEasy-v0 CoinrunExploration-v0 JumperMemory-v0 StarpilotExtreme-v0"),
        (None, "LunarLander-v1 Pong-v4 ant-v4 CartPole"),
    ],
)
def test_families_of_ids(family, ids):
    assert [family_of(task_id) for task_id in ids.split()] == [family] * len(ids.split())


PLUGIN = """
from envpool import Task, hookimpl

@hookimpl
def envpool_tasks():
    yield Task("Real-v0", "fake_family:COUNTER", goal=2)
"""


def test_a_real_entry_point(tmp_path):
    (tmp_path / "envpool_real.py").write_text(PLUGIN)
    (tmp_path / "envpool_bad.py").write_text("import a_module_that_is_not_there")
    for name in ("real", "bad"):
        info = tmp_path / f"envpool_{name}-2.5.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: envpool-{name}\nVersion: 2.5\n"
        )
        (info / "entry_points.txt").write_text(f"[envpool]\n{name} = envpool_{name}\n")
    script = """
    import envpool
    assert "Real-v0" in envpool.list_all_envs()
    failure, = [f for f in envpool.failures() if f.plugin == "bad"]
    assert (failure.wheel, failure.version) == ("envpool-bad", "2.5"), failure
    pool = envpool.make("Real-v0")
    pool.reset()
    assert [bool(pool.step([0])[2][0]) for _ in range(2)] == [False, True]
    """
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=os.environ | {"PYTHONPATH": path},
        check=True,
        timeout=60,
    )
