# SPDX-License-Identifier: Apache-2.0
"""Fields of the model that differ between environments, beside whole models that MuJoCo steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import envpool
import mujoco
import numpy as np
import pytest
from changed_models import check_rollouts, whole_model
from envpool.errors import ConfigError
from sampling import FULL, sampled

STEPS = 2000 if FULL else 40
DRAWS: dict[str, Any] = {
    "body_mass": ("scale", 0.8, 1.2),
    "geom_friction": ("scale", 0.5, 1.5),
    "dof_damping": ("scale", 0.5, 2.0),
    "actuator_gainprm[2]": ("scale", 0.8, 1.2),  # the force of muscles
}
# One of each class whose constructor and starts change only the fields PLACED of the model.
TASKS = [
    "myoElbowPose1D6MRandom-v0",
    "myoHandReachRandom-v0",
    "myoLegStandRandom-v0",
    "myoLegWalk-v0",
    "myoHandKeyTurnRandom-v0",
    "myoHandObjHoldRandom-v0",
    "myoHandPenTwirlRandom-v0",
    "myoTorsoPoseFixed-v0",
    "myoChallengeDieReorientP2-v0",
    "myoChallengeRelocateP1-v0",
    "myoChallengeBaodingP2-v1",
    "myoChallengeBimanual-v0",
    "myoChallengeSoccerP1-v0",
]
# Some tasks set these at a start, as the reference does, without recomputing derived values.
PLACED = [
    "body_pos", "body_quat", "geom_pos", "geom_rgba", "geom_size", "site_pos", "site_size",
]  # fmt: skip
# One of each class: the observation at a start may be drawn, or draws come later.
STARTS = [
    *TASKS,
    "MyoHandAirplaneRandom-v0",
    "myoHandReorientOOD-v0",
    "myoChallengeChaseTagP2-v0",
    "myoChallengeOslRunRandom-v0",
    "myoChallengeRelocateP2-v0",
    "myoChallengeTableTennisP2-v0",
]


def _model(pool: Any) -> mujoco.MjModel:
    path = Path(pool.config["base_path"]) / pool.config["xml_file"]
    return mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize("task_id", sampled(TASKS, 4, salt="whole changed models"))
def test_rollouts_equal_a_whole_changed_model(task_id: str) -> None:
    with envpool.make(task_id, num_envs=2, randomize=DRAWS) as pool:
        pool.reset()
        names = [*DRAWS, "body_inertia"]
        check_rollouts(pool, _model(pool), names, STEPS, PLACED)


@pytest.mark.parametrize("task_id", sampled(STARTS, 6, salt="starts without the option"))
def test_starts_are_those_without_the_option(task_id: str) -> None:
    """Positions with other fields; the whole observation with draws of the model's own values."""

    def start(draws: dict[str, Any]) -> tuple[Any, Any]:
        with envpool.make(task_id, num_envs=2, seed=3, randomize=draws) as pool:
            return pool.reset()[0], pool.physics_states()

    observed, state = start({})
    assert np.array_equal(start(DRAWS)[1], state)
    same, same_state = start(dict.fromkeys(DRAWS, ("scale", 1, 1)))
    assert np.array_equal(same_state, state)
    assert np.array_equal(same, observed)


def test_draws_do_not_depend_on_threads_and_neighbours() -> None:
    found = []
    for options in ({"num_envs": 3, "num_threads": 1}, {"num_envs": 5, "num_threads": 2}):
        with envpool.make("myoLegWalk-v0", seed=7, randomize=DRAWS, **options) as pool:
            pool.reset()
            pool.reset()
            names = (*(name.partition("[")[0] for name in DRAWS), "body_inertia")
            found.append([pool.model_fields(name, [0, 1, 2]) for name in names])
    for mine, its in zip(*found, strict=True):
        assert np.array_equal(mine, its)
        assert not np.array_equal(mine[0], mine[1])


def test_the_centre_of_mass_is_that_of_the_drawn_masses() -> None:
    """The walker's height, which the reference divides by a sum that it keeps."""
    with envpool.make("myoLegWalk-v0", num_envs=2, randomize=DRAWS) as pool:
        model = _model(pool)
        place = model.nq - 2 + model.nv + 2 + 4 + 2  # before it: the joints, and the feet's heights
        for env_id, row in enumerate(pool.reset()[0]):
            whole_model(pool, model, [*DRAWS, "body_inertia"], env_id, PLACED)
            data = mujoco.MjData(model)
            state = pool.physics_states(env_id)[0]
            mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            mujoco.mj_forward(model, data)
            mass = model.body_mass
            height = (mass @ data.xipos[:, 2]) / mass.sum()
            # Sums of 30 products in another order, then a float32: two of its last places.
            assert abs(row[place] - height) <= 2 * np.spacing(np.float32(height))
            unchanged = np.asarray(_model(pool).body_mass)
            assert abs(row[place] * unchanged.sum() / mass.sum() - height) > 1e-3


def test_saved_states_have_fields() -> None:
    """For legs whose controller weighs them, and for a hand whose task draws masses itself."""
    for task_id in ("myoChallengeOslRunRandom-v0", "myoChallengeBaodingP2-v1"):
        options: dict[str, Any] = {"num_envs": 2, "max_episode_steps": 6}
        options["randomize"] = {"body_mass": DRAWS["body_mass"]}
        with (
            envpool.make(task_id, seed=1, **options) as pool,
            envpool.make(task_id, seed=9, **options) as other,
        ):
            actions = np.random.default_rng(3).uniform(
                -1, 1, (12, 2, *pool.action_space.shape)
            ).astype(np.float32)  # fmt: skip
            pool.reset(), other.reset()
            pool.set_model_fields("body_mass", pool.model_fields("body_mass")[0] * 1.5, 0)
            for action in actions[:4]:
                pool.step(action)
            other.load_state(pool.save_state())
            for action in actions[4:]:  # over the next start
                assert np.array_equal(pool.step(action)[0], other.step(action)[0])
            for name in ("body_mass", "body_subtreemass"):
                assert np.array_equal(pool.model_fields(name), other.model_fields(name))


def test_fields_are_set_and_shown() -> None:
    options: dict[str, Any] = {"num_envs": 2, "model_info": ["body_mass", "opt.gravity"]}
    with envpool.make("myoElbowPose1D6MRandom-v0", **options) as pool:
        pool.reset()
        own = pool.model_fields("body_mass")[0]
        pool.set_model_fields("body_mass", own * 2, 1)
        info = pool.reset(options={"model_fields": {"opt.gravity": [0, 0, -1.62]}})[1]
        assert np.array_equal(info["model"]["body_mass"], [own, own * 2])
        assert np.array_equal(info["model"]["opt"]["gravity"], [[0, 0, -1.62]] * 2)
        with pytest.raises(ConfigError, match="numbers for 'body_mass'"):
            pool.reset(options={"model_fields": {"body_mass": [1.0]}})
    with pytest.raises(ConfigError, match="meshes"):
        envpool.make("myoHandReachFixed-v0", randomize={"geom_size": ("scale", 1, 2)})
