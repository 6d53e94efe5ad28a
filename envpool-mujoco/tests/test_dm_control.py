# SPDX-License-Identifier: Apache-2.0
"""The tasks of dm_control's suite are dm_control's, byte for byte, and keep EnvPool's contract."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any

import dm_control_reference as reference
import envpool
import numpy as np
import pytest
import saved_states
from envpool.errors import ConfigError, MissingPackageError, WorkerError
from envpool.testing import CHECKS, check_task
from envpool_mujoco import _dm_control

TASKS = list(_dm_control.TASKS.values())
IDS = list(_dm_control.TASKS)

# dm_control looks for a display when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.*X11")


DOMAINS = sorted({task.domain for task in TASKS})
_PROCESSES = 4  # in all: to import dm_control takes longer than to compare a small domain


@functools.cache
def _compared(process: int) -> dict[str, dict[str, reference.Difference]]:
    domains = DOMAINS[process::_PROCESSES]
    return reference.compare([task.id for task in TASKS if task.domain in domains])


@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_like_dm_control(task: _dm_control.SuiteTask) -> None:
    # The tolerance is zero.
    arrays = _compared(DOMAINS.index(task.domain) % _PROCESSES)[task.id]
    assert {name for name, found in arrays.items() if found.differing} == set(), arrays


@pytest.mark.parametrize("frame_skip", [1, 3])
def test_other_frame_skips(frame_skip: int) -> None:
    # One task for each way in which sensors and integrators are treated.
    tasks = ["CartpoleSwingup-v1", "HopperHop-v1", "HumanoidWalk-v1", "QuadrupedFetch-v1"]
    for task_id, arrays in reference.compare(tasks, frame_skip=frame_skip).items():
        assert not any(found.differing for found in arrays.values()), (task_id, arrays)


# Tasks that repeat the draw of a start until nothing touches, or nothing is too near.
DRAWN_AGAIN = (
    *("ManipulatorInsertPeg-v1", "ManipulatorInsertBall-v1", "ManipulatorBringPeg-v1"),
    *("ManipulatorBringBall-v1", "StackerStack2-v1", "FingerTurnHard-v1", "BallInCupCatch-v1"),
    *("HumanoidStand-v1", "FishSwim-v1"),
)
# For these seeds the loop once accepted contacts that only just touch.
JUST_TOUCHING = {
    "ManipulatorInsertPeg-v1": (11, 57, 97, 144, 158),
    "ManipulatorInsertBall-v1": (54, 134, 135, 175),
}


@pytest.mark.parametrize("task_id", JUST_TOUCHING)
def test_starts_where_something_just_touches(task_id: str) -> None:
    assert reference.compare_starts(task_id, JUST_TOUCHING[task_id]) == []


@pytest.mark.full
@pytest.mark.parametrize("task_id", DRAWN_AGAIN)
def test_a_thousand_starts(task_id: str) -> None:
    assert reference.compare_starts(task_id, range(1000)) == []


def test_all_of_the_suite() -> None:
    from dm_control import suite

    assert {(task.domain, task.task) for task in TASKS} == set(suite.ALL_TASKS)


@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_steps_are_as_long(task: _dm_control.SuiteTask) -> None:
    env = reference.load(task.id, 0)
    assert task.frame_skip == env._n_sub_steps
    assert task.fps == pytest.approx(1 / env.control_timestep())
    action = envpool.make_spec(task.id).action_array_spec["action"]
    np.testing.assert_array_equal(action.minimum, env.action_spec().minimum)
    np.testing.assert_array_equal(action.maximum, env.action_spec().maximum)


@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_contract(task: _dm_control.SuiteTask) -> None:
    # No episode ends before its limit, so long rollouts show no more than short ones. In short ones
    # the springs of LqrLqr62 stand the forces, up to 1e10 N: its motors have no bounds. Frames show
    # the model, which a domain's tasks share.
    draws = task is next(other for other in TASKS if other.domain == task.domain)
    checks = [check for check in CHECKS if draws or check.__name__ != "check_render"]
    options = {"render_width": 32, "render_quality": "fast"}
    check_task(task.id, num_envs=2, steps=12, checks=checks, **options)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_saved_states(task: _dm_control.SuiteTask, several: bool) -> None:
    # With one step of the simulation for an action, and with several.
    saved_states.check(task.id, frame_skip=max(2, task.frame_skip) if several else 1)


def test_seeds_of_single_environments() -> None:
    # The draws of an environment's constructor are repeated: the springs.
    with envpool.make("LqrLqr62-v1", "gymnasium", num_envs=2, seed=[3, 5]) as pool:
        first, _ = pool.reset()
        pool.step(np.zeros((2, 2)))
        again, _ = pool.reset(seed=[5, 3])
        np.testing.assert_array_equal(first["position"], again["position"][::-1])
        a = pool.step(np.ones((2, 2)))[0]["velocity"]
        pool.reset(seed=[3, 5])
        b = pool.step(np.ones((2, 2)))[0]["velocity"]
        np.testing.assert_array_equal(a, b[::-1])


def test_stacked_frames() -> None:
    options = {"num_envs": 2, "seed": 4}
    with (
        envpool.make("StackerStack2-v1", "gymnasium", frame_stack=3, **options) as stacked,
        envpool.make("StackerStack2-v1", "gymnasium", **options) as single,
    ):
        seen, frames = stacked.reset()[0], [single.reset()[0]] * 3
        for _ in range(4):
            for name, values in seen.items():
                wanted = np.stack([frame[name] for frame in frames[-3:]], 1)
                np.testing.assert_array_equal(values, wanted)
            action = np.ones((2, 5))
            seen = stacked.step(action)[0]
            frames.append(single.step(action)[0])


@pytest.mark.parametrize("task_id", ["LqrLqr21-v1", "LqrLqr62-v1"])
def test_an_episode_that_ends(task_id: str) -> None:
    # The best controller brings the springs to rest, which is a terminal state.
    from dm_control.suite import lqr_solver

    env = reference.load(task_id, 6)
    _, gain, _ = lqr_solver.solve(env)
    right = env.reset()
    with envpool.make(task_id, "dm", num_envs=1, seed=6, max_episode_steps=100_000) as pool:
        pool.reset()
        while not right.last():
            state = np.hstack([right.observation["position"], right.observation["velocity"]])
            right = env.step(gain @ state)
            step = pool.step((gain @ state)[None])
            assert step.step_type == right.step_type
            assert step.discount == right.discount
            assert step.reward == np.float32(right.reward)
        assert right.discount == 0


def test_impossible_physics() -> None:
    # dm_control raises PhysicsError in the same step.
    from dm_control.rl.control import PhysicsError

    env = reference.load("LqrLqr21-v1", 6)
    step = env.reset()
    with envpool.make("LqrLqr21-v1", "dm", num_envs=1, seed=6) as pool:
        pool.reset()
        for _ in range(1000):
            # Pushes it further and further.
            action = np.copysign(1e10, step.observation["velocity"][:1])
            try:
                step = env.step(action)
            except PhysicsError:
                break
            pool.step(action[None])
        else:
            pytest.fail("dm_control raised nothing")
        with pytest.raises(WorkerError, match="the state of the simulation is invalid"):
            pool.step(action[None])
        # It continues with a new episode.
        assert np.isfinite(pool.reset().observation.position).all()


@pytest.mark.parametrize("task_id", ["WalkerRun-v1", "StackerStack2-v1"])
def test_without_dm_control(task_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dm_control", None)
    monkeypatch.setitem(sys.modules, "dm_control.suite.stacker", None)
    _dm_control._model.cache_clear()
    with pytest.raises(MissingPackageError, match=r'pip install "envpool-mujoco\[dmc\]"'):
        envpool.make(task_id, "gymnasium", num_envs=1)


@pytest.mark.parametrize("domain", sorted({*DOMAINS} - set(_dm_control._GENERATORS)))
def test_models_that_are_files(domain: str) -> None:
    # They are read without dm_control's functions, which return the same.
    module = importlib.import_module(f"dm_control.suite.{domain}")
    assert _dm_control._make(domain, "balance") == module.get_model_and_assets()


@pytest.mark.parametrize(("task", "poles"), _dm_control._POLES.items())
def test_carts_with_poles(task: str, poles: int) -> None:
    # As MuJoCo parses them: the texts differ in spaces.
    import mujoco
    from dm_control.suite import cartpole

    def compiled(text: str | bytes, files: dict[str, str | bytes]) -> bytes:
        text = text.decode() if isinstance(text, bytes) else text
        model = mujoco.MjModel.from_xml_string(text, dict(files))
        buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
        mujoco.mj_saveModel(model, None, buffer)
        return buffer.tobytes()

    wanted = compiled(*cartpole.get_model_and_assets(poles))
    assert compiled(*_dm_control._make("cartpole", task)) == wanted


def test_a_model_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    envpool.make_spec("WalkerRun-v1")
    monkeypatch.setattr(_dm_control, "_make", lambda *_: pytest.fail("the model was made again"))
    envpool.make_spec("WalkerRun-v1", num_envs=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domain": "wolf"}, "domain"),
        ({"task_name": "fly"}, "task_name"),
        ({"frame_skip": 0}, "frame_skip"),
        ({"frame_stack": 0}, "frame_stack"),
        ({"model": "nowhere.xml"}, "model"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        envpool.make_spec("WalkerRun-v1", **options)
