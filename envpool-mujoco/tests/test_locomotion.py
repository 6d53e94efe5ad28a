# SPDX-License-Identifier: Apache-2.0
"""The tasks of dm_control's locomotion are dm_control's, byte for byte, and keep the contract."""

from __future__ import annotations

import functools
import math
from typing import Any
from unittest import mock

import dm_control_reference as reference
import envpool
import numpy as np
import pytest
import sampling
import saved_states
from envpool.testing import CHECKS, check_task
from envpool_mujoco import _locomotion
from locomotion_reference import LOCOMOTION

# dm_control looks for a screen when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.*X11")

IDS = list(LOCOMOTION)
STEPS, ENVS = (300, 4) if sampling.FULL else (42, 2)


@functools.cache
def _compared() -> dict[str, dict[str, reference.Difference]]:
    return reference.compare(IDS, STEPS, ENVS)


@pytest.mark.parametrize("task_id", IDS)
def test_like_dm_control(task_id: str) -> None:
    # The tolerance is zero; episodes end, by falls as well, and the next start is compared as well.
    arrays = _compared()[task_id]
    assert {name for name, found in arrays.items() if found.differing} == set(), arrays


def test_starts_in_the_bowl() -> None:
    # Heights are found by a loop, without the terrain that dm_control has there.
    seeds = range(200 if sampling.FULL else 6)
    assert reference.compare_starts("DmcRodentEscapeBowl-v1", seeds) == []


@pytest.mark.parametrize("task_id", IDS)
def test_what_is_declared(task_id: str) -> None:
    env = reference.load(task_id, 0)
    spec = envpool.make_spec(task_id)
    task = _locomotion.TASKS[LOCOMOTION[task_id]]
    assert task.frame_skip == env._n_sub_steps
    assert task.fps == pytest.approx(1 / env.control_timestep())
    action = spec.action_array_spec["action"]
    np.testing.assert_array_equal(action.minimum, env.action_spec().minimum)
    np.testing.assert_array_equal(action.maximum, env.action_spec().maximum)
    # MuJoCo adds the seconds of an episode up, step by step.
    seconds = np.cumsum(
        np.full(2 * task.frame_skip * task.max_episode_steps, env.physics.timestep())
    )
    ends = seconds[task.frame_skip - 1 :: task.frame_skip] >= env._time_limit
    assert int(np.argmax(ends)) + 1 == task.max_episode_steps == spec.config.max_episode_steps


@pytest.mark.parametrize("name", _locomotion.TASKS)
def test_both_ids(name: str) -> None:
    rows = []
    for task_id in _locomotion.TASKS[name].ids:
        with envpool.make(task_id, "gymnasium", num_envs=1, seed=3) as pool:
            space = pool.action_space
            pool.reset()
            rows.append(pool.step(np.full((1, *space.shape), 0.1)))
    (observation, reward, *_), (other, other_reward, *_) = rows
    for part, values in observation["walker"].items():
        np.testing.assert_array_equal(values, other["walker"][part])
    np.testing.assert_array_equal(reward, other_reward)


def test_go_to_target() -> None:
    # Some of these seeds start within a metre of the target, and all fall.
    with envpool.make("DmcCmuHumanoidGoToTarget-v1", "dm", num_envs=64, seed=0) as pool:
        step = pool.reset()
        near, fallen = np.zeros(64, bool), np.zeros(64, bool)
        for _ in range(60):
            target = step.observation.walker.target
            step = pool.step(np.zeros((64, 56)))
            moved = np.linalg.norm(step.observation.walker.target - target, axis=1) < 1
            # The way to the target is in three dimensions, its reward in two.
            away = np.linalg.norm(step.observation.walker.target, axis=1)
            assert not (step.reward[(away > 2) & moved]).any()
            near |= step.reward == 1
            last = step.step_type == 2
            np.testing.assert_array_equal(step.discount == 0, last)
            fallen |= last
    assert fallen.all()
    assert near.any()


def _plain_tanh() -> Any:
    """Meanwhile, NumPy has the C library's tanh: here, it may use its own."""
    return mock.patch.object(np, "tanh", np.vectorize(math.tanh, otypes=[np.float64]))


class _Beside:
    """One environment here and in dm_control, in both of which things are moved in the same way."""

    def __init__(self, task_id: str, seed: int) -> None:
        self.pool = envpool.make(task_id, "dm", num_envs=1, seed=seed)
        self.env = reference.load(task_id, seed)
        self.physics = self.env.physics
        self._actions = np.random.default_rng(1)

    def reset(self) -> None:
        with _plain_tanh():
            self._compare(self.pool.reset(), self.env.reset())
        self.physics = self.env.physics

    def step(self) -> Any:
        action = self._actions.uniform(-0.2, 0.2, self.env.action_spec().shape)
        with _plain_tanh():
            theirs = self.env.step(action)
        self._compare(self.pool.step(action[None]), theirs)
        return theirs

    def move(self, array: str, row: int, place: Any) -> None:
        """Puts something elsewhere, by writing into the model."""
        self._write(getattr(self.physics.model, array), row, place)

    def bring_walker(self, place: Any) -> None:
        """Puts the walker elsewhere, by writing into its free joint."""
        first = self.physics.model.jnt_qposadr[self.number("joint", "walker/")]
        self._write(self.physics.data.qpos, slice(first, first + 3), place)
        self.physics.forward()

    def _write(self, field: Any, row: Any, place: Any) -> None:
        (state,) = self.pool.save_state()
        before = np.array(field[row]).tobytes()
        assert state.count(before) == 1
        field[row] = place
        self.pool.load_state(
            [saved_states.sealed(state.replace(before, np.array(field[row]).tobytes()))]
        )

    def number(self, kind: str, name: str) -> int:
        return int(self.physics.model.name2id(name, kind))

    @staticmethod
    def _compare(ours: Any, theirs: Any) -> None:
        flat = reference.flat(ours.observation)
        for name, values in theirs.observation.items():
            np.testing.assert_array_equal(flat[name][0], values, name)
        assert ours.step_type[0] == theirs.step_type
        assert ours.reward[0] == np.float32(theirs.reward or 0)
        assert ours.discount[0] == (1 if theirs.discount is None else theirs.discount)


@pytest.mark.parametrize(
    ("touches", "logics"),
    [
        # Steps in which the orb is at a hand, and the task's results.
        ({5, 45}, [0, 1, 2, 0]),  # 0.8 seconds apart
        (set(range(5, 30)), [0, 1, 3, 0]),  # too soon
        ({5}, [0, 1, 4, 0]),  # not again
        ({5, 52}, [0, 1, 4, 0]),  # too late
    ],
)
def test_two_touch(touches: set[int], logics: list[int]) -> None:
    both = _Beside("DmcRodentTwoTouch-v1", 3)
    both.reset()
    orb, hand = both.number("geom", "target_0_0/geom"), both.number("body", "walker/hand_L")
    seen, rewards = [0], []
    for step in range(140):
        near = both.physics.data.xpos[hand].copy()
        if step in touches:
            both.move("geom_pos", orb, near)
        elif step - 1 in touches:
            both.move("geom_pos", orb, near + np.array([0.3 + step / 100, 1, 0.1]))
        result = both.step()
        rewards.append(result.reward)
        logic = int(result.observation["task_logic"][0])
        if logic != seen[-1]:
            seen.append(logic)
    assert seen == logics
    assert sum(reward > 20 for reward in rewards) == (2 if 2 in logics else 1)


def test_forage() -> None:
    both = _Beside("DmcCmuHumanoidHeterogeneousForage-v1", 3)
    both.reset()
    root = both.number("body", "walker/root")
    names = [f"target_{kind}_{number}/" for kind in (0, 1) for number in range(3)]
    rewards = []
    for group in (names[:1], names[3:4], [names[1], names[4]], [names[2], names[5]]):
        for name in group:
            x, y, _ = both.physics.data.xpos[root]
            both.move("body_pos", both.number("body", name), [x, y + len(rewards) / 1e3, 0])
        result = both.step()
        rewards.append(round(result.reward, 2))
    assert rewards == [30.01, -9.99, 20.01, 20.01]
    # All are taken, which is no failure.
    assert result.last()
    assert result.discount == 1
    both.step()
    # And a fall ends an episode with the same discount, as it is there.
    while not (result := both.step()).last():
        pass
    assert result.discount == 1


CORRIDORS = {
    "DmcCmuHumanoidRunGaps-v1": "ground",
    "DmcCmuHumanoidRunWalls-v1": "walls",
    "DmcRodentRunGaps-v1": "ground",
}
"""With the body whose boxes each episode has elsewhere."""


def _boxes(env: Any, body: str) -> slice:
    model = env.physics.model
    number = model.name2id(body, "body")
    return slice(
        model.body_geomadr[number], model.body_geomadr[number] + model.body_geomnum[number]
    )


@pytest.mark.parametrize("task_id", CORRIDORS)
def test_boxes(task_id: str) -> None:
    fields = ("geom_pos", "geom_size", "geom_aabb", "geom_rbound", "geom_quat")
    with envpool.make(task_id, num_envs=1, seed=3, model_info=list(fields)) as pool:
        env = reference.load(task_id, 3)
        counts = set()
        for _ in range(100 if sampling.FULL else 3):
            infos = pool.reset()[1]
            env.reset()
            there = _boxes(env, CORRIDORS[task_id])
            for field in fields:
                theirs = getattr(env.physics.model, field)[there]
                ours = infos["model"][field][0][there]
                np.testing.assert_array_equal(ours.reshape(theirs.shape), theirs, field)
            counts.add(there.stop)
    assert len(counts) > ("Gaps" in task_id)


@pytest.mark.parametrize("task_id", CORRIDORS)
def test_contacts_in_corridors(task_id: str) -> None:
    both = _Beside(task_id, 3)
    both.reset()
    there = _boxes(both.env, CORRIDORS[task_id])
    met = set()
    for box in np.linspace(1, there.stop - there.start - 1, 4, dtype=int):
        both.reset()
        model, there = both.physics.model, _boxes(both.env, CORRIDORS[task_id])
        geom = min(there.start + box, there.stop - 1)
        edge = model.geom_pos[geom] - (model.geom_size[geom][0], 0, 0)
        both.bring_walker((*edge[:2], both.physics.data.qpos[2]))
        for _ in range(10):
            done = both.step().last()
            contacts = both.physics.data.contact
            touched = {*contacts.geom1, *contacts.geom2} & {*range(there.start, there.stop)}
            met |= {geom - there.start for geom in touched}
            if done:
                break
    assert len(met) >= 4, met


@pytest.mark.parametrize("task_id", [name for name, body in CORRIDORS.items() if body == "ground"])
def test_below_platforms(task_id: str) -> None:
    both = _Beside(task_id, 3)
    both.reset()
    # Below the platforms, and far above the bodies below them.
    both.bring_walker((7, 0, -3))
    result = both.step()
    assert result.last()
    assert result.discount == 0


# One of each body, one with whole numbers, and one that ends without a failure.
CONTRACT = ("DmcCmuHumanoidHeterogeneousForage-v1", "DmcRodentTwoTouch-v1")


@pytest.mark.parametrize("task_id", IDS if sampling.FULL else CONTRACT)
def test_contract(task_id: str) -> None:
    options = {"render_width": 32, "render_quality": "fast"}
    # Only a camera shows the places of targets.
    blind = "Forage" in task_id
    check_task(task_id, num_envs=2, steps=12, deterministic=blind, checks=CHECKS, **options)


@pytest.mark.parametrize("task_id", IDS)
def test_saved_states(task_id: str) -> None:
    saved_states.check(task_id)
