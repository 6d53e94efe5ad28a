# SPDX-License-Identifier: Apache-2.0
"""Fields of the model that differ between environments, beside whole models that MuJoCo steps."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import envpool
import gymnasium
import mujoco
import numpy as np
import pytest
from changed_models import check_rollouts, whole_model
from envpool.errors import ConfigError, EnvIdError, WorkerError
from envpool_mujoco import gymnasium_models
from models import CART
from sampling import FULL

XML = "MujocoXml-v0"
STEPS = 2000 if FULL else 200
DRAWS: dict[str, Any] = {
    "body_mass": ("scale", 0.8, 1.2),
    "geom_friction": ("scale", 0.3, 1.5),
    "dof_damping": ("scale", 0.5, 2.0),
    "opt.gravity[2]": ("uniform", -11.0, -9.0),
}
MODELS = {
    "Ant-v5": "ant.xml",
    "HalfCheetah-v5": "half_cheetah.xml",
    "Hopper-v5": "hopper.xml",
    "Humanoid-v5": "humanoid.xml",
}


def _model(task_id: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(Path(gymnasium_models()) / MODELS[task_id]))


@pytest.mark.parametrize("task_id", MODELS)
def test_rollouts_equal_a_whole_changed_model(task_id: str) -> None:
    """All values that MuJoCo derives from other fields, and 2,000 steps, bit for bit."""
    with envpool.make(task_id, num_envs=2, seed=3, randomize=DRAWS) as pool:
        pool.reset()
        check_rollouts(pool, _model(task_id), [*DRAWS, "body_inertia"], STEPS)


@pytest.mark.parametrize(
    "field", ["geom_solref", "geom_solimp", "geom_margin", "geom_gap", "geom_solmix", "geom_size"]
)
def test_listed_pairs_follow_from_each_field(field: str) -> None:
    draws = {field: ("scale", 0.9, 1.1), "body_mass": ("scale", 0.8, 1.2)}
    with envpool.make("Ant-v5", num_envs=1, seed=3, randomize=draws) as pool:
        pool.reset()
        check_rollouts(pool, _model("Ant-v5"), [*draws, "body_inertia"], STEPS)


@pytest.mark.parametrize("task_id", ["Ant-v5", "WalkerWalk-v1"])
def test_friction_of_listed_pairs_is_the_larger_of_two_geoms(task_id: str) -> None:
    """For shared mjData, where it is computed for each use, and for an environment's own mjData."""
    with envpool.make(
        task_id, num_envs=3, randomize={"geom_friction": DRAWS["geom_friction"]}
    ) as pool:
        pool.reset()
        pool.step(np.zeros((3, *pool.action_space.shape)))
        for pairs, geoms in zip(
            pool.model_fields("pair_friction"), pool.model_fields("geom_friction"), strict=True
        ):
            assert len(pairs) > 3
            larger = np.maximum(geoms[:, np.newaxis], geoms)[..., [0, 0, 1, 2, 2]]
            larger = larger[np.triu_indices(len(geoms), 1)]
            assert {tuple(row) for row in pairs} <= {tuple(row) for row in larger}


def test_rollouts_of_dm_control_equal_a_whole_changed_model() -> None:
    walker: Any = importlib.import_module("dm_control.suite.walker")
    with envpool.make("WalkerWalk-v1", num_envs=2, randomize=DRAWS) as pool:
        pool.reset()
        model = mujoco.MjModel.from_xml_string(*walker.get_model_and_assets())
        check_rollouts(pool, model, [*DRAWS, "body_inertia"], STEPS)


@pytest.mark.parametrize("task_id", MODELS)
def test_steps_equal_gymnasiums_with_the_same_fields(task_id: str) -> None:
    """Observations and rewards, which depend on masses, and frictions of listed pairs."""
    reference = gymnasium.make(task_id).unwrapped
    with envpool.make(task_id, num_envs=1, seed=5, randomize=DRAWS) as pool:
        observation, _ = pool.reset()
        reference.reset(seed=5)
        data = reference.data
        qpos, qvel = data.qpos.copy(), data.qvel.copy()
        whole_model(pool, reference.model, [*DRAWS, "body_inertia"], 0)
        mujoco.mj_resetData(reference.model, data)
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(reference.model, data)
        moving = len(data.qpos) + len(data.qvel) - 2
        assert np.array_equal(observation[0][:moving], reference._get_obs()[:moving])
        rng = np.random.default_rng(0)
        for _ in range(100):
            action = rng.uniform(-1, 1, pool.action_space.shape).astype(np.float32)
            action *= pool.action_space.high
            observation, reward, terminated, _, _ = pool.step(action[np.newaxis])
            wanted, wanted_reward, ends, _, _ = reference.step(action)
            assert np.array_equal(observation[0], wanted)
            assert reward[0] == np.float32(wanted_reward)
            assert terminated[0] == ends
            if ends:
                break


def test_steps_equal_mujoco_batch() -> None:
    """`mujoco.batch` with the same fields, set by hand, and `set_const`."""
    batches: Any = importlib.import_module("mujoco.batch")
    path = str(Path(gymnasium_models()) / "half_cheetah.xml")
    model = mujoco.MjModel.from_xml_path(path)
    count = 4
    batch = batches.Batch(model, nsim=count, nthread=1)
    with envpool.make(XML, num_envs=count, xml_file=path, frame_skip=5, stage="none") as pool:
        rng = np.random.default_rng(1)
        names = ("body_mass", "geom_friction", "dof_damping", "actuator_gear")
        for name in names:
            own = getattr(model, name)
            values = own * rng.uniform(0.5, 1.5, (count, *own.shape))
            pool.set_model_fields(name, values)
            batch.expand(name)[:] = values
        batch.set_const()
        observation, _ = pool.reset()
        # A reset ends with mj_forward, from which the solver starts next.
        batch.forward()
        for _ in range(100):
            controls = rng.uniform(-1, 1, (count, model.nu)).astype(np.float32)
            observation = pool.step(controls)[0]
            batch.bind("ctrl")[:] = controls
            batch.step(nstep=5)
            found = np.hstack((batch.bind("qpos"), batch.bind("qvel")))
            assert np.array_equal(observation, found)


def test_draws_do_not_depend_on_threads_batches_and_neighbours() -> None:
    names = ("body_mass", "body_inertia", "geom_friction", "dof_damping", "opt.gravity")

    def draws(**options: Any) -> dict[str, Any]:
        with envpool.make("Ant-v5", seed=7, randomize=DRAWS, **options) as pool:
            pool.reset()
            for _ in range(2):
                pool.reset() if not pool.is_async else (pool.async_reset(), _receive(pool))
            return {name: pool.model_fields(name, [0, 1, 2]) for name in names}

    first = draws(num_envs=3, num_threads=1)
    for other in (
        draws(num_envs=8, num_threads=2),
        draws(num_envs=4, batch_size=2, num_threads=2),
    ):
        for name in names:
            assert np.array_equal(first[name], other[name])
    assert not np.array_equal(first["body_mass"][0], first["body_mass"][1])


def _receive(pool: Any) -> None:
    for _ in range(len(pool) // pool.config["batch_size"]):
        pool.recv()


def test_the_order_of_keys_does_not_matter() -> None:
    backwards = dict(reversed(DRAWS.items()))
    found = []
    for draws in (DRAWS, backwards):
        with envpool.make("Hopper-v5", num_envs=2, randomize=draws) as pool:
            pool.reset()
            found.append(pool.model_fields("body_mass"))
    assert np.array_equal(*found)


def test_starts_are_those_without_the_option() -> None:
    observations = []
    for options in ({}, {"randomize": DRAWS}):
        with envpool.make("HalfCheetah-v5", num_envs=3, seed=2, **options) as pool:
            observations.append(pool.reset()[0])
    assert np.array_equal(*observations)


def test_kinds_of_draws() -> None:
    own = _model("Ant-v5")
    draws = {
        "geom_friction/floor[0]": ("choice", 0.25, 0.5),
        "dof_armature/hip_*": ("add", 0.5, 0.75),
        "dof_damping": ("scale", 1.0, 3.0, "together"),
        "actuator_gear[0]": ("normal", 100.0, 5.0),
        "opt.gravity[2]": ("uniform", -12.0, -11.0),
    }
    with envpool.make("Ant-v5", num_envs=64, randomize=draws) as pool:
        pool.reset()
        floor = mujoco.mj_name2id(own, mujoco.mjtObj.mjOBJ_GEOM, "floor")
        friction = pool.model_fields("geom_friction")
        assert set(np.unique(friction[:, floor, 0])) == {0.25, 0.5}
        friction[:, floor, 0] = own.geom_friction[floor, 0]
        assert np.array_equal(friction, np.broadcast_to(own.geom_friction, friction.shape))
        added = pool.model_fields("dof_armature") - own.dof_armature
        hips = [own.jnt_dofadr[i] for i in range(own.njnt) if own.joint(i).name.startswith("hip_")]
        assert len(hips) == 4
        assert ((added[:, hips] >= 0.5) & (added[:, hips] <= 0.75)).all()
        others = np.delete(added, hips, axis=1)
        assert not others.any()
        factors = pool.model_fields("dof_damping")[:, 6:] / own.dof_damping[6:]
        assert np.allclose(factors, factors[:, :1], rtol=1e-15)  # a product, divided again
        assert len(np.unique(factors[:, 0])) == 64
        gear = pool.model_fields("actuator_gear")[..., 0]
        assert abs(gear.mean() - 100) < 1  # 512 numbers: four standard errors are 0.88
        assert 4 < gear.std() < 6
        gravity = pool.model_fields("opt.gravity")
        assert ((gravity[:, 2] >= -12) & (gravity[:, 2] <= -11)).all()


def test_fields_are_scaled_from_the_model_at_each_reset() -> None:
    """Not from the last draw."""
    own = _model("Hopper-v5").body_mass
    with envpool.make("Hopper-v5", num_envs=1, randomize={"body_mass": ("scale", 2, 2)}) as pool:
        for _ in range(3):
            pool.reset()
            assert np.array_equal(pool.model_fields("body_mass")[0], 2 * own)


def test_set_fields_count_from_the_next_reset_on() -> None:
    own = _model("Hopper-v5").dof_damping
    with envpool.make("Hopper-v5", num_envs=3) as pool:
        pool.reset()
        pool.set_model_fields("dof_damping", [own * 2, own * 3], [0, 2])
        assert np.array_equal(pool.model_fields("dof_damping"), [own] * 3)
        pool.reset()
        assert np.array_equal(pool.model_fields("dof_damping"), [own * 2, own, own * 3])
        pool.reset(seed=4)  # new objects, with the same models
        assert np.array_equal(pool.model_fields("dof_damping"), [own * 2, own, own * 3])
        pool.reset(options={"model_fields": {"dof_damping": own * 5}})
        assert np.array_equal(pool.model_fields("dof_damping"), [own * 5] * 3)
        pool.set_model_fields("dof_damping", None)
        pool.reset()
        assert np.array_equal(pool.model_fields("dof_damping"), [own] * 3)


def test_draws_begin_with_what_was_set() -> None:
    own = _model("Hopper-v5").body_mass
    draw = {"body_mass": ("scale", 2, 2)}
    with envpool.make("Hopper-v5", num_envs=1, randomize=draw) as pool:
        pool.set_model_fields("body_mass", own * 3)
        pool.reset()
        assert np.array_equal(pool.model_fields("body_mass")[0], own * 3 * 2)


def test_infos_show_fields() -> None:
    options: dict[str, Any] = {"randomize": DRAWS, "model_info": ["body_mass", "opt.gravity"]}
    with envpool.make("Ant-v5", num_envs=2, **options) as pool:
        _, info = pool.reset()
        shown = info["model"]["body_mass"]
        assert shown.dtype == np.float64
        assert np.array_equal(shown, pool.model_fields("body_mass"))
        gravity = info["model"]["opt"]["gravity"]
        assert np.array_equal(gravity, pool.model_fields("opt.gravity"))
        info = pool.step(np.zeros((2, 8), np.float32))[-1]
        assert np.array_equal(info["model"]["body_mass"], shown)


@pytest.mark.parametrize("task_id", ["Humanoid-v5", "FingerSpin-v1", XML])
def test_saved_states_have_fields(task_id: str) -> None:
    """FingerSpin owns the damping of one joint, which is drawn here."""
    options: dict[str, Any] = {"num_envs": 2, "seed": 1, "max_episode_steps": 12}
    draws = {name: DRAWS[name] for name in ("body_mass", "dof_damping")}
    rng = np.random.default_rng(3)

    def go_on(pool: Any, actions: Any) -> list[Any]:
        return [pool.step(action)[0] for action in actions]

    def numbers(observation: Any) -> Any:
        parts = observation.values() if isinstance(observation, dict) else [observation]
        return np.hstack([np.asarray(part) for part in parts])

    with (
        envpool.make(task_id, randomize=draws, **options) as pool,
        envpool.make(task_id, randomize=draws, **options | {"seed": 9}) as other,
        envpool.make(task_id, **options) as plain,
    ):
        space = pool.action_space
        actions = rng.uniform(-0.4, 0.4, (30, 2, *space.shape)).astype(space.dtype)
        pool.reset(), other.reset(), plain.reset()
        pool.set_model_fields("dof_damping", pool.model_fields("dof_damping")[0] * 1.5, 0)
        go_on(pool, actions[:5])
        states = pool.save_state()
        fields = pool.model_fields("body_invweight0")
        wanted = go_on(pool, actions[5:])  # over the next start
        other.load_state(states)
        assert np.array_equal(other.model_fields("body_invweight0"), fields)
        for mine, its in zip(wanted, go_on(other, actions[5:]), strict=True):
            assert np.array_equal(numbers(mine), numbers(its))
        added = max(len(a) - len(b) for a, b in zip(states, plain.save_state(), strict=True))
        assert 0 < added < 3000


def test_states_load_beside_other_infos() -> None:
    """`model_info` has no effect after a state."""
    options: dict[str, Any] = {"num_envs": 1, "randomize": {"body_mass": ("scale", 0.8, 1.2)}}
    with (
        envpool.make("Hopper-v5", seed=1, **options) as pool,
        envpool.make("Hopper-v5", seed=2, model_info=["body_mass"], **options) as other,
    ):
        pool.reset(), other.reset()
        other.load_state(pool.save_state())
        action = np.zeros((1, 3), np.float32)
        observation, *_, info = other.step(action)
        assert np.array_equal(observation, pool.step(action)[0])
        assert np.array_equal(info["model"]["body_mass"], pool.model_fields("body_mass"))
        pool.load_state(other.save_state())


def test_a_state_without_the_option_is_as_long_as_before() -> None:
    """One byte tells the last computation, and whether there are fields."""
    with envpool.make("Hopper-v5", num_envs=1) as pool:
        pool.reset()
        before = len(pool.save_state()[0])
        pool.set_model_fields("dof_damping", pool.model_fields("dof_damping")[0])
        pool.reset()
        assert len(pool.save_state()[0]) > before
        pool.set_model_fields("dof_damping", None)


# Runs in a process of its own, without free memory left by other tests.
MEMORY = """
import os, sys
from pathlib import Path
import envpool, numpy as np

def used():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

names = "body_mass", "geom_friction", "dof_damping"
option = {name: ("scale", 0.8, 1.2) for name in names} if COUNTED else {}
with envpool.make("Humanoid-v5", num_envs=2, num_threads=1, randomize=option) as few:
    few.reset()
    before = used()
    with envpool.make("Humanoid-v5", num_envs=1000, num_threads=1, randomize=option) as many:
        many.reset(), many.step(np.zeros((1000, 17), "f4"))
        print(used() - before)
"""


def test_three_fields_of_a_humanoid_take_little_memory(in_new_process: Any) -> None:
    """A thousand with three fields take 10.8 MB more than a thousand without; 543 MB are copies."""
    without, fields = (
        float(in_new_process(MEMORY.replace("COUNTED", str(counted)))) for counted in (False, True)
    )
    assert 1 < fields - without < 12


@pytest.mark.parametrize(
    ("draws", "reason"),
    [
        ({"body_mas": ("scale", 1, 2)}, "body_mass"),
        ({"body_subtreemass": ("scale", 1, 2)}, "computes"),
        ({"geom_type": ("scale", 1, 2)}, "whole numbers"),
        ({"body_simple": ("scale", 1, 2)}, "whole numbers"),
        ({"opt.timestep": ("scale", 1, 2)}, "time that tasks count in"),
        ({"mesh_vert": ("scale", 1, 2)}, "share"),
        ({"pair_friction": ("scale", 1, 2)}, "geoms"),
        ({"tendon_range": ("scale", 1, 2)}, "none of these things"),
        ({"body_mass/tors": ("scale", 1, 2)}, "torso"),
        ({"body_mass[1]": ("scale", 1, 2)}, "column 1"),
        ({"body_mass": ("scale", 0, 2)}, "above 0"),
        ({"geom_friction": ("normal", 1, 2)}, "below 0"),
        ({"geom_friction": ("add", -5, 2)}, "from 0"),
        ({"body_mass": ("scale", 2, 1)}, "lowest"),
        ({"body_mass": ("scales", 1, 2)}, "scale"),
        ({"body_mass": ("scale", 1)}, "two"),
        ({"body_mass": 3}, "kind of draw"),
        ({"body_mass": ("scale", 1, 2), "body_mass/torso": ("scale", 1, 2)}, "too"),
        (["body_mass"], "dict"),
    ],
)
def test_refusals(draws: Any, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        envpool.make("Ant-v5", num_envs=1, randomize=draws)


def test_centres_of_simple_bodies_are_refused() -> None:
    """MuJoCo would raise at the reset, with the advice to write simple="false"."""
    ball = '<body name="ball"{}><freejoint/><geom size=".1"/></body>'
    text = "<mujoco><worldbody>{}</worldbody></mujoco>"
    draws = {"body_ipos/ball": ("add", 0.01, 0.02)}
    with pytest.raises(ConfigError, match="simple"):
        envpool.make(XML, xml_file=text.format(ball.format("")), randomize=draws)
    free = text.format(ball.format(' simple="false"'))
    with envpool.make(XML, num_envs=1, xml_file=free, randomize=draws) as pool:
        pool.reset()
        assert (pool.model_fields("body_ipos")[0, 1] >= 0.01).all()


def test_refusals_of_set_fields() -> None:
    with envpool.make("Ant-v5", num_envs=2) as pool:
        pool.reset()
        mass = pool.model_fields("body_mass")[0]
        for name, values, reason in (
            ("body_mass", mass[1:], "shape"),
            ("body_mass", -mass - 1, "above 0"),
            ("geom_friction", np.full((2, 14, 3), np.nan), "finite"),
            ("body_rootid", [1], "whole numbers"),
            ("body_mass", mass + 1j, "numbers of shape"),
            ("body_mas", mass, r"^set_model_fields\('body_mas'\).*Did you mean 'body_mass'"),
            ("opt.gravty", [0, 0, 0], "no field of mjModel.*Did you mean 'opt.gravity'"),
            ("opt.weather", [0, 0, 0], "no field of mjModel.* Name one of these"),
            (3, mass, "string"),
        ):
            with pytest.raises(ConfigError, match=reason):
                pool.set_model_fields(name, values)
        with pytest.raises(EnvIdError, match=r"^set_model_fields\('body_mass'\): got env id 2"):
            pool.set_model_fields("body_mass", mass, [2])
        pool.set_model_fields("body_mass", 2 * mass, [])  # of no environment
        assert pool.model_fields("body_mass", []).shape == (0, 14)
        with pytest.raises(ConfigError, match="reset of Ant-v5"):
            pool.reset(options={"model_fields": {"body_mass": [1.0]}})
        with pytest.raises(ConfigError, match="model_info"):
            envpool.make("Ant-v5", model_info=["body_mas"])
        pool.reset()
        assert np.array_equal(pool.model_fields("body_mass")[0], mass)


def test_rollouts_leave_environments_alone() -> None:
    rng = np.random.default_rng(2)
    found = []
    for asks in (False, True):
        with envpool.make("Ant-v5", num_envs=2, num_threads=2, seed=1) as pool:
            pool.reset()
            for _ in range(5):
                if asks:
                    controls = rng.uniform(-1, 1, (6, 20, 8))
                    pool.rollout(pool.physics_states(0)[0], controls)
                observation = pool.step(np.full((2, 8), 0.3, np.float32))[0]
            found.append(observation)
    assert np.array_equal(*found)


def test_rollouts_equal_mujocos() -> None:
    """`mujoco.rollout`, sensors as well."""
    library: Any = importlib.import_module("mujoco.rollout")
    model = mujoco.MjModel.from_xml_string(CART)
    rng = np.random.default_rng(2)
    controls = rng.uniform(-1, 1, (5, 50, 1))
    with envpool.make(XML, num_envs=2, xml_file=CART, reset_noise_scale=0.1) as pool:
        pool.reset()
        starts = pool.physics_states(np.arange(5) % 2)
        states, sensors = pool.rollout(starts, controls)
        wanted, read = library.rollout(model, mujoco.MjData(model), starts, controls)
        assert np.array_equal(states, wanted)
        assert np.array_equal(sensors, read)
        with pytest.raises(ConfigError, match="controls of shape"):
            pool.rollout(starts, controls[:, :, :0])


def test_rollouts_move_mocap_bodies() -> None:
    """As `mujoco.rollout` with a control of `mjSTATE_MOCAP_POS` and `mjSTATE_MOCAP_QUAT`."""
    library: Any = importlib.import_module("mujoco.rollout")
    hand = """<mujoco><worldbody>
      <body name="mocap" mocap="true"><geom size=".01" contype="0" conaffinity="0"/></body>
      <body name="hand"><freejoint/><geom size=".05"/></body>
    </worldbody><equality><weld body1="mocap" body2="hand"/></equality></mujoco>"""
    model = mujoco.MjModel.from_xml_string(hand)
    rng = np.random.default_rng(2)
    controls = np.concatenate(
        (rng.uniform(-0.1, 0.1, (3, 40, 3)), rng.normal(size=(3, 40, 4))), axis=2
    )
    with envpool.make(XML, num_envs=3, xml_file=hand) as pool:
        pool.reset()
        starts = pool.physics_states()
        states, _ = pool.rollout(starts, controls)
        spec = mujoco.mjtState.mjSTATE_MOCAP_POS | mujoco.mjtState.mjSTATE_MOCAP_QUAT
        wanted, _ = library.rollout(
            model, mujoco.MjData(model), starts, controls, control_spec=int(spec)
        )
        assert np.array_equal(states, wanted)
        still, _ = pool.rollout(starts, np.zeros((3, 40, 0)))
        wanted, _ = library.rollout(model, mujoco.MjData(model), starts, nstep=40)
        assert np.array_equal(still, wanted)
        assert not np.array_equal(still, states)
        with pytest.raises(ConfigError, match="with 1 mocap bodies"):
            pool.rollout(starts, controls[:, :, :5])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1j, "x", None, [[0], [0, 0]]], ids=str)
def test_rollouts_refuse_what_is_no_number(wrong: Any) -> None:
    """MuJoCo takes zeros for controls that are not finite; of states it takes the model's start."""
    with envpool.make("HalfCheetah-v5", num_envs=2) as pool:
        pool.reset()
        states = pool.physics_states()
        controls = np.zeros((2, 3, 6))
        is_number = isinstance(wrong, float | complex)
        with pytest.raises(ConfigError, match=r"(?s)controls=.*finite numbers"):
            pool.rollout(states, controls + wrong if is_number else wrong)
        with pytest.raises(ConfigError, match=r"(?s)states=.*finite numbers"):
            pool.rollout(states + wrong if is_number else wrong, controls)
        with pytest.raises(ConfigError, match="and 0 ids"):
            pool.rollout(states, controls, [])


def test_errors_of_rollouts_name_environments() -> None:
    """One error has MuJoCo's message for each: here there is no memory for contacts."""
    ball = '<body pos="{} 0 5"><freejoint/><geom size=".1"/></body>'
    text = f"""<mujoco><size memory="30K"/><worldbody>
      <geom type="plane" size="9 9 1"/>{"".join(map(ball.format, range(8)))}
      <body><joint name="slide" type="slide"/><geom size=".01" contype="0" conaffinity="0"/></body>
    </worldbody><actuator><motor joint="slide"/></actuator></mujoco>"""
    with envpool.make(XML, num_envs=3, xml_file=text) as pool:
        pool.reset()
        states = pool.physics_states()
        states[1:, 3:59:7] = 0.05  # heights: in the floor
        with pytest.raises(WorkerError) as caught:
            pool.rollout(states, np.zeros((3, 3, 1)))
        texts = {env_id: text for env_id, text, *_ in caught.value.failures}
        assert set(texts) == {1, 2}
        assert all("memory" in text for text in texts.values())
        pool.rollout(states[:1], np.zeros((1, 3, 1)))
