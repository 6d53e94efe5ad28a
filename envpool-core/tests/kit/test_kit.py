# SPDX-License-Identifier: Apache-2.0
"""The contract checks pass for healthy tasks of every kind, and print the requested lines."""

from __future__ import annotations

from collections.abc import Callable

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool.testing import (
    CHECKS,
    Case,
    Check,
    _option_effects,
    assert_deterministic,
    check_option_effects,
    check_task,
    random_actions,
)
from gymnasium import spaces

HEALTHY = {
    "one walker": Case("Walk-v0"),
    "two environments": Case("Walk-v0", num_envs=2),
    "short episodes": Case("Walk-v0", {"goal": 0.5}),
    "episodes of several parts": Case("Hike-v0"),
    "nothing drawn": Case("Still-v0", deterministic=True),
    "nested and dynamic arrays": Case("Team-v0", deterministic=True),
    "up to three players": Case("Team-v0", {"max_num_players": 3}),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", HEALTHY)
def test_healthy_task_passes(check: Check, kind: str) -> None:
    check(HEALTHY[kind])


def test_checks_have_a_sentence_and_a_name() -> None:
    sentences = [(check.__doc__ or "").splitlines()[0] for check in CHECKS]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert len({check.__name__ for check in CHECKS}) == len(CHECKS)


def fails_alike(case: Case) -> None:
    """Never passes."""
    case.require(False, "it is so", "Look elsewhere")


def fails_again(case: Case) -> None:
    """Never passes either."""
    fails_alike(case)


def raises(case: Case) -> None:
    """Raises something else."""
    raise KeyError("oops")


def test_check_task_names_every_failure_once() -> None:
    checks = [fails_alike, fails_again, raises, *CHECKS[:2]]
    with pytest.raises(AssertionError) as failure:
        check_task("Walk-v0", checks=checks, goal=5.0)
    assert str(failure.value).split("\n\n") == [
        "Walk-v0 (goal=5.0) fails 3 of 5 checks",
        "fails_alike: Never passes.\nWalk-v0 (goal=5.0): it is so. Look elsewhere.\n"
        "The same in fails_again",
        "raises: Raises something else.\nKeyError: 'oops'",
    ]
    assert isinstance(failure.value.__cause__, AssertionError)


def test_check_task_tells_the_first_failures_only() -> None:
    def failing(number: int) -> Callable[[Case], None]:
        def check(case: Case) -> None:
            """No."""
            raise AssertionError(str(number))

        check.__name__ = f"check_{number}"
        return check

    with pytest.raises(AssertionError) as failure:
        check_task("Walk-v0", checks=map(failing, range(8)))
    *_, last, rest = str(failure.value).split("\n\n")
    assert last == "check_4: No.\n4"
    assert rest == "And 3 more: check_5, check_6, check_7"


def test_deterministic_has_to_be_true() -> None:
    with pytest.raises(AssertionError, match="declared deterministic, but another seed changes it"):
        check_task("Walk-v0", deterministic=True)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"num_envs": 1}, "2 or more"),
        ({"steps": 3}, "4 or more"),
        ({"batch_size": 2}, "an option that the checks choose"),
    ],
)
def test_case_refuses(arguments: dict[str, int], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        check_task("Walk-v0", **arguments)  # type: ignore[arg-type]


def test_unknown_task_is_told_once() -> None:
    with pytest.raises(AssertionError, match="Did you mean 'Walk-v0'"):
        check_task("Wolk-v0")


def test_assert_deterministic() -> None:
    config = {"num_envs": 5, "seed": 1}
    with (
        envpool.make("Walk-v0", **config) as first,
        envpool.make("Walk-v0", "dm", batch_size=2, num_threads=2, **config) as second,
        envpool.make("Walk-v0", num_envs=5, seed=[1, 2, 3, 4, 6]) as third,
    ):
        assert_deterministic(first, second, steps=30)
        first.reset(seed=1)
        with pytest.raises(AssertionError, match=r"differ: env 4, result 0 after the reset: 'obs'"):
            assert_deterministic(third, envpool.make("Walk-v0", **config))


SPACES = {
    "discrete": spaces.Discrete(3, start=-1),
    "multi discrete": spaces.MultiDiscrete([2, 5], start=[0, -2]),
    "binary": spaces.MultiBinary((2, 3)),
    "bounded": spaces.Box(-2.0, 3.0, (4,), np.float32),
    "unbounded": spaces.Box(-np.inf, np.inf, (2,), np.float64),
    "half bounded": spaces.Box(np.array([0, -np.inf]), np.array([np.inf, 5]), dtype=np.float64),
    "whole range of a float": spaces.Box(-3.4e38, 3.4e38, (100,), np.float32),
    "bytes": spaces.Box(0, 255, (3, 2), np.uint8),
    "64 bits": spaces.Box(-(2**63), 2**63 - 1, (2,), np.int64),
    "dict": spaces.Dict(a=spaces.Discrete(2), b=spaces.Dict(c=spaces.Box(0.0, 1.0, (1,)))),
    "tuple": spaces.Tuple([spaces.Discrete(2), spaces.Discrete(5)]),
}


@pytest.mark.parametrize("name", SPACES)
def test_random_actions_are_in_the_space(name: str) -> None:
    space = SPACES[name]
    batch = random_actions(space, 50, np.random.default_rng(0))
    rows = list(
        gymnasium.vector.utils.iterate(gymnasium.vector.utils.batch_space(space, 50), batch)
    )
    assert len(rows) == 50
    assert all(space.contains(row) for row in rows)


def test_random_actions_reach_the_ends() -> None:
    drawn = random_actions(spaces.Discrete(3, start=-1), 200, np.random.default_rng(0))
    assert set(drawn.tolist()) == {-1, 0, 1}
    drawn = random_actions(spaces.Box(0, 3, (2,), np.uint8), 200, np.random.default_rng(0))
    assert set(drawn.ravel().tolist()) == {0, 1, 2, 3}
    # 2000 draws from 0 .. 8 leave out an eighth of the range with a probability below 1e-100.
    drawn = random_actions(spaces.Box(0.0, 8.0, (1,)), 2000, np.random.default_rng(0))
    assert set(drawn.astype(int).ravel().tolist()) == set(range(8))


def test_random_actions_refuse_other_spaces() -> None:
    with pytest.raises(ConfigError, match="got a Text"):
        random_actions(spaces.Text(3), 1, np.random.default_rng(0))


def test_each_option_changes_something(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = check_option_effects("Walk-v0", without=["flaw", "horizon"])
    assert {"goal", "noise", "max_episode_steps"} <= {*tried}
    monkeypatch.setattr(_option_effects, "_STEPS_TO_FRAME", 0)  # where none has an effect yet
    with pytest.raises(
        AssertionError, match=r"Options of Walk-v0 change nothing: .*goal \(tried: "
    ):
        check_option_effects("Walk-v0", steps=0, without=["flaw", "noise"])
    # Options of other tasks in `together` are left out, and the option's own value is tried.
    beside = {"goal": {"noise": False, "goal": -7.0, "of_others": 1}}
    assert "goal" in check_option_effects("Walk-v0", together=beside, without=["flaw", "horizon"])
