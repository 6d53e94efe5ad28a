# SPDX-License-Identifier: Apache-2.0
"""`make`, its shortcuts, and its errors."""

from __future__ import annotations

import sys

import dm_env
import envpool
import envpool.registration
import gymnasium
import pytest
from envpool.errors import ConfigError, PluginError, UnknownTaskError
from envpool.python import protocol
from envpool.python.envpool import EnvPoolMixin
from fake_family import COUNTER


@pytest.mark.parametrize(
    ("env_type", "name", "base"),
    [
        ("gymnasium", "CounterGymnasiumEnvPool", gymnasium.Env),
        ("gym", "CounterGymnasiumEnvPool", gymnasium.Env),
        ("vector", "CounterVectorEnvPool", gymnasium.vector.VectorEnv),
        ("dm", "CounterDMEnvPool", dm_env.Environment),
    ],
)
def test_env_types(env_type, name, base):
    with envpool.make("Counter-v0", env_type, num_envs=2) as pool:
        assert type(pool).__name__ == name
        assert isinstance(pool, base)
        assert isinstance(pool, EnvPoolMixin)
        assert repr(pool) == str(pool)
        assert repr(pool) == (
            f"{name}('Counter-v0', num_envs=2, batch_size=2, num_threads=1, seed=42)"
        )
        # Some libraries look at direct bases only.
        if env_type != "dm":
            assert base in type(pool).__bases__
        if env_type in ("gymnasium", "gym"):
            assert isinstance(pool, gymnasium.vector.VectorEnv)
            assert gymnasium.vector.VectorEnv in type(pool).__bases__


def test_gymnasium_is_the_default_and_everything_goes_by_name():
    pool = envpool.make(task_id="Counter-v0", num_envs=2)
    assert isinstance(pool, envpool.GymnasiumEnvPool)


@pytest.mark.parametrize(
    ("make", "env_type"),
    [("make_gym", "gymnasium"), ("make_gymnasium", "gymnasium"), ("make_dm", "dm")],
)
def test_shortcuts(make, env_type):
    for module in (envpool, envpool.registration):
        assert getattr(module, make)("Counter-v0", num_envs=2).env_type == env_type


def test_an_unknown_env_type():
    with pytest.raises(ConfigError, match=r"'gymnasium', 'vector', 'dm'.*Did you mean 'gymn"):
        envpool.make("Counter-v0", "Gymnasium")


@pytest.mark.parametrize("make", [envpool.make, envpool.make_spec, envpool.make_dm])
def test_an_unknown_task(make):
    with pytest.raises(UnknownTaskError, match="Did you mean 'Counter-v0'"):
        make("Countre-v0")


def test_an_unknown_option():
    with pytest.raises(ConfigError, match=r"make\('Counter-v0', goall=3\).*Did you mean 'goal'"):
        envpool.make("Counter-v0", goall=3)


def test_an_option_that_is_refused_when_environments_are_made(monkeypatch):
    def refuse(*_):
        error = ConfigError("option 'goal'", "3, which is too near", "4 or more", "Pass more")
        error.option = "goal"
        raise error

    monkeypatch.setattr(COUNTER, "make", refuse)
    with pytest.raises(ConfigError, match=r"make\('Counter-v0', goal=3\): got 3, which"):
        envpool.make("Counter-v0", goal=3)


@pytest.mark.parametrize(
    ("task_id", "texts"),
    [
        (
            "NoModule-v0",
            ["no module fake_family_that_is_not_there; allowed: a module on", "Correct import_pa"],
        ),
        ("NoName-v0", ["no 'COUNTR' in the module fake_family", "Did you mean 'COUNTER'"]),
        ("NoEnv-v0", ["an object of type function"]),
        ("Old-v0", ["interface number 0 in fake_family", "Build fake_family against"]),
        ("New-v0", ["interface number 99 in fake_family", "--upgrade envpool-core`"]),
    ],
)
def test_families_that_cannot_be_used(task_id, texts):
    with pytest.raises(PluginError) as caught:
        envpool.make(task_id)
    for text in texts:
        assert text in str(caught.value)


def test_the_error_of_a_family_names_its_wheel(monkeypatch):
    from envpool._discovery.registry import Registry
    from envpool._pools import make
    from test_registry import Entry, task

    entry = Entry("toy", [task("Toy-v0"), envpool.Task("Bad-v0", "not_there:COUNTER")])
    monkeypatch.setattr(make, "registry", Registry([entry]))
    assert len(envpool.make("Toy-v0", num_envs=3)) == 3
    with pytest.raises(PluginError, match="pip install --force-reinstall envpool-toy") as caught:
        envpool.make("Bad-v0")
    error = caught.value
    assert (error.plugin, error.wheel, error.version) == ("toy", "envpool-toy", "1.0")
    assert isinstance(error.__cause__, ModuleNotFoundError)


def test_deprecated_tasks_work_and_warn():
    for make in (envpool.make, envpool.make_gym, envpool.make_spec):
        with pytest.warns(DeprecationWarning, match="use 'Counter-v0' instead") as caught:
            make("Gone-v0")
        assert [warning.filename for warning in caught] == [__file__]


def test_classes_made_by_hand():
    envpool.register(
        task_id="Documented-v0",
        import_path="fake_classes",
        spec_cls="CounterEnvSpec",
        dm_cls="CounterDMEnvPool",
        gymnasium_cls="CounterGymnasiumEnvPool",
        goal=4,
    )
    import fake_classes

    assert type(envpool.make_spec("Documented-v0")) is fake_classes.CounterEnvSpec
    assert envpool.make_spec("Documented-v0").config.goal == 4
    assert type(envpool.make_dm("Documented-v0")) is fake_classes.CounterDMEnvPool
    assert type(envpool.make_gym("Documented-v0")) is fake_classes.CounterGymnasiumEnvPool
    assert envpool.make("Documented-v0", "vector").num_envs == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, r"got no module m_of_hand, which|got no module m_of_hand; allowed: a module on"),
        ("import not_there_either", "got no module not_there_either, which m_of_hand imports; "),
        ("1 / 0", r"got ZeroDivisionError: division by zero \(.*m_of_hand.py, line 1\)"),
        ("", "got no 'B' in the module m_of_hand"),
    ],
)
def test_what_was_registered_by_hand_is_nothing_to_install_again(text, said, tmp_path, monkeypatch):
    if text is not None:
        (tmp_path / "m_of_hand.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "m_of_hand", raising=False)
    task_id = f"Hand{abs(hash(text))}-v0"
    envpool.register(
        task_id=task_id, import_path="m_of_hand", spec_cls="B", dm_cls="C", gymnasium_cls="D"
    )
    with pytest.raises(PluginError, match=said) as caught:
        envpool.make(task_id)
    assert "--force-reinstall" not in str(caught.value)
    if text != "import not_there_either":  # the error there is about another module
        assert any(word in caught.value.hint for word in ("import_path", "the path 'm_of_hand:B"))


def test_make_spec_knows_the_env_types_of_make():
    assert envpool.make_spec("Counter-v0", env_type="dm").config == (
        envpool.make_spec("Counter-v0").config
    )
    with pytest.raises(ConfigError, match=r"make_spec.*Did you mean 'gymnasium'"):
        envpool.make_spec("Counter-v0", env_type="gymnasum")


def test_names_of_the_documentation():
    assert envpool.EnvPool is protocol.EnvPool is EnvPoolMixin
    assert isinstance(envpool.make_spec("Counter-v0"), envpool.EnvSpec)
    assert envpool.GymnasiumEnvPool is protocol.GymnasiumEnvPool
    assert envpool.DMEnvPool is protocol.DMEnvPool
    assert envpool.ArraySpec is protocol.ArraySpec
    assert envpool.registration.list_all_envs is envpool.list_all_envs
    assert envpool.registration.registry.find("Counter-v0").id == "Counter-v0"
    assert set(envpool.__all__) <= set(dir(envpool)) | {
        name for name in envpool.__all__ if hasattr(envpool, name)
    }
    for module in (envpool, protocol):
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            _ = module.nonsense


def test_the_repr_of_a_pool_is_short_and_tells_what_it_runs_with():
    pool = envpool.make(
        "Counter-v0", num_envs=4, batch_size=2, num_threads=3, seed=range(4), goal=7, is_fast=False
    )
    assert repr(pool) == (
        "CounterGymnasiumEnvPool('Counter-v0', num_envs=4, batch_size=2, num_threads=3, "
        "seed=[0, 1, 2, 3], goal=7, is_fast=False)"
    )
    with envpool.make("Counter-v0", seed=None) as pool:
        assert f"seed={pool.config['seed']}" in repr(pool)
    assert len(repr(envpool.make("Counter-v0", num_envs=999, seed=range(999)))) < 250
