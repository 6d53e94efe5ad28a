# SPDX-License-Identifier: Apache-2.0
"""Soccer is dm_control's, byte for byte, for all players, and keeps the contract."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator
from typing import Any
from unittest import mock

import dm_control_reference as reference
import envpool
import numpy as np
import pytest
import sampling
import saved_states
from envpool.errors import ConfigError
from envpool.testing import CHECKS, check_task
from locomotion_reference import SOCCER, load_soccer

# dm_control looks for a screen when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.*X11")

IDS = list(SOCCER)
STEPS, ENVS = (300, 4) if sampling.FULL else (42, 2)


@functools.cache
def _compared() -> dict[str, dict[str, reference.Difference]]:
    return reference.compare(IDS, STEPS, ENVS)


@pytest.mark.parametrize("task_id", IDS)
def test_like_dm_control(task_id: str) -> None:
    # The tolerance is zero, and the next start is compared as well.
    arrays = _compared()[task_id]
    assert {name for name, found in arrays.items() if found.differing} == set(), arrays


@contextlib.contextmanager
def _plain_functions() -> Iterator[None]:
    """Meanwhile, NumPy has the C library's functions: in this process, it may use its own."""
    with contextlib.ExitStack() as stack:
        for name, plain in (("cos", math.cos), ("sin", math.sin), ("arctan2", math.atan2)):
            stack.enter_context(
                mock.patch.object(np, name, np.vectorize(plain, otypes=[np.float64]))
            )
        yield


class _Beside:
    """One environment here and in dm_control, in both of which the ball is put somewhere."""

    def __init__(self, task_id: str, seed: int, team_size: int) -> None:
        self.pool = envpool.make(task_id, "dm", num_envs=1, seed=seed, team_size=team_size)
        self.env = load_soccer(SOCCER[task_id], seed, team_size)
        self._actions = np.random.default_rng(1)

    def reset(self) -> Any:
        with _plain_functions():
            return self._compared(self.pool.reset(), self.env.reset())

    def step(self) -> Any:
        spec = self.env.action_spec()
        actions = self._actions.uniform(-1, 1, (len(spec), *spec[0].shape))
        return self._compared(self.pool.step(actions), self.env.step(list(actions)))

    def put_ball(self, *place: float) -> None:
        """To be called at a start, of which a saved state has the positions."""
        qpos = self.env.physics.data.qpos
        (state,) = self.pool.save_state()
        before = np.array(qpos[:3]).tobytes()
        assert state.count(before) == 1
        qpos[:3] = place
        self.env.physics.forward()
        self.pool.load_state(
            [saved_states.sealed(state.replace(before, np.array(qpos[:3]).tobytes()))]
        )

    @staticmethod
    def _compared(ours: Any, step: Any) -> Any:
        theirs = reference.row_of(step)
        rows = {**reference.flat(ours.observation), "reward": ours.reward}
        for name, right in theirs.items():
            if name != "discount":
                np.testing.assert_array_equal(rows[name], right, name)
        np.testing.assert_array_equal(ours.discount, theirs["discount"])
        np.testing.assert_array_equal(ours.step_type, int(step.step_type))
        return ours


@pytest.mark.parametrize(("task_id", "side"), [(IDS[0], -1), (IDS[1], 1)])
def test_goal(task_id: str, side: int) -> None:
    both = _Beside(task_id, 3, 2)
    both.reset()
    both.put_ball(side * (both.env.task.arena.size[0] - 1), 0, 0.5)
    step = both.step()
    # The goal of the home team is on the left.
    np.testing.assert_array_equal(step.reward, [side, side, -side, -side])
    assert (step.step_type == 2).all()
    assert not step.discount.any()
    # The next start still tells of it, as it does there.
    step = both.reset()
    assert step.observation.stats_home_score.sum() == 2
    assert not both.step().observation.stats_home_score.any()


@pytest.mark.parametrize("task_id", IDS)
def test_throw_in(task_id: str) -> None:
    both = _Beside(task_id, 4, 1)
    both.reset()
    both.put_ball(1, both.env.task.arena.size[1] - 2, 0.5)
    both.step()
    outside = both.env.physics.data.qpos[1]
    both.step()
    assert 0.6 < both.env.physics.data.qpos[1] / outside < 0.95
    both.step()


def test_players_that_touch() -> None:
    # With 14 on the pitch, some starts have to be drawn again.
    attempts = 0

    def counted(*arguments: Any) -> Any:
        nonlocal attempts
        attempts += 1
        return initialize(*arguments)

    starts = 40 if sampling.FULL else 4
    both = _Beside("DmcSoccerBoxhead-v1", 7, 7)
    initializer = both.env.task._initializer
    initialize = initializer._initialize_entities
    with mock.patch.object(initializer, "_initialize_entities", counted):
        for _ in range(starts):
            both.reset()
    assert attempts > starts


def test_against_a_wall() -> None:
    # Box heads that roll on without turning meet the planes around the pitch.
    both = _Beside("DmcSoccerBoxhead-v1", 5, 1)
    both.reset()
    walls, met = range(1, 5), set()
    for _ in range(300):
        actions = np.array([[-1.0, 0, 0], [1.0, 0, 0]])
        both._compared(both.pool.step(actions), both.env.step(list(actions)))
        contacts = both.env.physics.data.contact
        met |= {*contacts.geom1, *contacts.geom2} & {*walls}
    assert met


@pytest.mark.parametrize(
    "options",
    [{"team_size": 0}, {"team_size": 12}, {"walker": "dog"}, {"max_num_players": 3}],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        envpool.make_spec(IDS[0], **options)


@pytest.mark.parametrize("task_id", IDS if sampling.FULL else IDS[1:])
def test_contract(task_id: str) -> None:
    options = {"render_width": 32, "render_quality": "fast"}
    check_task(task_id, num_envs=2, steps=8, deterministic=False, checks=CHECKS, **options)
