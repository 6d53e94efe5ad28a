# SPDX-License-Identifier: Apache-2.0
"""The compiled step of gymnasium.vector's pools, beside the method that it replaces."""

from __future__ import annotations

import envpool
import numpy as np
import pytest
from envpool.errors import EnvIdError


class Mixin:
    """Counts the calls of a pool's step."""

    calls = 0

    def step(self, actions):
        self.calls += 1
        return super().step(actions)


def two_pools():
    """A pool with the compiled step, and one whose class overrides the method."""
    compiled = envpool.make("CartPole-v1", "vector", num_envs=2, seed=3)
    overridden = type("Counting", (Mixin, type(compiled)), {})(compiled.spec)
    return compiled, overridden


def test_both_give_the_same():
    compiled, overridden = two_pools()
    assert "step" in vars(compiled) and "step" not in vars(overridden)
    compiled.reset(), overridden.reset()
    action = np.array([0, 1])
    for step in range(120):
        actions = {"action": action, "env_id": [0, 1]} if step % 3 == 0 else action
        ours, theirs = compiled.step(actions), overridden.step(actions=actions)
        for one, other in zip(ours[:4], theirs[:4], strict=True):
            np.testing.assert_array_equal(one, other)
        assert list(ours[4]) == list(theirs[4])
        for key, value in ours[4].items():
            np.testing.assert_array_equal(value, theirs[4][key])
    assert overridden.calls == 120


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((0,), (0,)), {}),
        ((), {"action": (0, 0)}),
        ((), {}),
    ],
)
def test_wrong_arguments_are_those_of_step(arguments, words):
    compiled, _ = two_pools()
    with pytest.raises(TypeError, match=r"^step\(\) (takes|got|needs)"):
        compiled.step(*arguments, **words)


@pytest.mark.parametrize("ids", [[1, 0], [0], np.array([1]), 0])
def test_both_refuse_other_ids_in_the_same_words(ids):
    texts = []
    for pool in two_pools():
        pool.reset()
        with pytest.raises(EnvIdError) as caught:
            pool.step({"action": np.zeros(np.size(ids)), "env_id": ids})
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
