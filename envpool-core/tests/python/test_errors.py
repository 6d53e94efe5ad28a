# SPDX-License-Identifier: Apache-2.0
"""The error tree and the wording of messages."""

from __future__ import annotations

import pickle

import pytest
from envpool import errors


@pytest.mark.parametrize(
    ("name", "bases"),
    [
        ("ConfigError", (ValueError, TypeError)),
        ("UnknownTaskError", (LookupError,)),
        ("PluginError", (ImportError,)),
        ("ActionError", (ValueError,)),
        ("EnvIdError", (ValueError,)),
        ("StateError", (RuntimeError,)),
        ("RecvTimeoutError", (errors.StateError, TimeoutError)),
        ("WorkerError", (RuntimeError,)),
        ("RenderError", (RuntimeError,)),
        ("SavedStateError", (ValueError,)),
    ],
)
def test_tree(name, bases):
    cls = getattr(errors, name)
    assert name in errors.__all__
    for base in (errors.EnvPoolError, *bases):
        assert issubclass(cls, base)
    again = pickle.loads(pickle.dumps(cls("what went wrong")))
    assert type(again) is cls
    assert str(again) == "what went wrong"


def test_attributes_survive_pickling():
    error = errors.PluginError("no", plugin="toy", wheel="envpool-toy", version="1.2")
    again = pickle.loads(pickle.dumps(error))
    assert (again.plugin, again.wheel, again.version) == ("toy", "envpool-toy", "1.2")
    error = errors.WorkerError(
        "no", task_id="Toy-v0", env_id=3, failures=[(3, "boom"), (5, "bang")]
    )
    again = pickle.loads(pickle.dumps(error))
    assert (again.task_id, again.env_id) == ("Toy-v0", 3)
    assert again.failures == [(3, "boom"), (5, "bang")]


def test_a_message_has_four_parts():
    error = errors.EnvPoolError("make(x=1)", "1", "2 .. 3", "Pass 2")
    assert (error.asked, error.got, error.allowed, error.hint) == (
        *("make(x=1)", "1", "2 .. 3", "Pass 2"),
    )
    assert str(error) == "make(x=1): got 1; allowed: 2 .. 3. Pass 2."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("num_env", "num_envs"),
        ("NUM_ENVS", "num_envs"),
        ("nmu_envs", "num_envs"),
        ("SEED", "Seed"),
        ("batch_size_per_process-v2", "batch_size"),
        ("batchsize", "batch_size"),
        ("quite different", None),
        ("", None),
        (7, None),
    ],
)
def test_nearest(name, expected):
    assert errors.nearest(name, ["num_envs", "batch_size", "Seed"]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ALE/Pong-v5", "Pong-v5"),
        ("PongNoFrameskip-v4", "Pong-v5"),
        ("Pong-ram-v0", "Pong-v5"),
        ("Pong2NoFrameskip-v4", "Pong2-v5"),
        ("Pongg-v5", "Pong-v5"),
        ("pong", "Pong-v5"),
        ("EtNoFrameskip-v4", "Et-v5"),
        ("Eternal-v5", None),
        ("ALE/Venture-v5", "Venture-v5"),
        ("Combat-v5", None),
        ("CartPol-v0", "CartPole-v0"),
        ("CartPole-v9", "CartPole-v1"),
        ("gym/CartPole-v1", "CartPole-v1"),
        ("PHYS2D/CARTPOLE-V0", "phys2d/CartPole-v0"),
        ("phys2d/CartPol-v0", "phys2d/CartPole-v0"),
    ],
)
def test_nearest_id(name, expected):
    """Ids are not similar because of equal versions or equal parts before a slash."""
    ids = "Pong-v5 Pong2-v5 Et-v5 Adventure-v5 Venture-v5 Robotank-v5 CartPole-v0 CartPole-v1"
    assert errors.nearest(name, [*ids.split(), "phys2d/CartPole-v0", "phys2d/CartPole-v1"]) == (
        expected
    )


def test_suggest():
    assert errors.suggest("sead", ["seed"], "Leave it out") == (
        "Did you mean 'seed'? If not, leave it out"
    )
    assert errors.suggest("xyz", ["seed"], "Leave it out") == "Leave it out"


def test_shorten():
    assert errors.shorten("ab") == "'ab'"
    text = errors.shorten(list(range(1000)))
    assert len(text) <= 80
    assert text.startswith("[0, 1, 2")
    assert text.endswith("998, 999]")
