# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's tasks against Gymnasium, and the calls of users."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import envpool
import envpool_mujoco
import mujoco
import numpy as np
import pytest
from envpool.errors import ConfigError, WorkerError
from gymnasium_reference import UNKNOWN_TO_GYMNASIUM, compare, make_reference
from references import CASES

GYMNASIUM = [case.task_id for case in CASES if case.reference.startswith("gymnasium")]
STEPS = 120  # the whole run is a command: python tools/fidelity.py envpool-mujoco


@pytest.mark.parametrize("task_id", GYMNASIUM)
def test_equals_gymnasium(task_id: str) -> None:
    comparison = compare(task_id, STEPS)
    assert comparison.equal, comparison.differing


# Options that take another way through the code, each beside its default.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    (
        "Ant-v5",
        {
            "include_cfrc_ext_in_observation": False,
            "exclude_current_positions_from_observation": False,
            "main_body": "torso",
            "healthy_z_range": (0.3, 0.9),
            "reset_noise_scale": 0.3,
            "frame_skip": 3,
        },
    ),
    ("Ant-v5", {"terminate_when_unhealthy": False, "contact_force_range": (-0.2, 0.4)}),
    ("Ant-v4", {"use_contact_forces": True}),
    ("HalfCheetah-v5", {"forward_reward_weight": 2.5, "ctrl_cost_weight": 0.03}),
    ("Hopper-v5", {"terminate_when_unhealthy": False, "healthy_state_range": (-5.0, 5.0)}),
    ("Hopper-v4", {"terminate_when_unhealthy": False, "healthy_reward": 0.3}),
    (
        "Humanoid-v5",
        {
            "xml_file": "humanoidstandup.xml",
            "include_cinert_in_observation": False,
            "include_qfrc_actuator_in_observation": False,
            "contact_cost_weight": 5e-4,
            "contact_cost_range": (-1.0, 2.0),
        },
    ),
    ("HumanoidStandup-v5", {"include_cvel_in_observation": False, "impact_cost_weight": 1e-4}),
    ("InvertedDoublePendulum-v5", {"healthy_reward": 3.0, "reset_noise_scale": 0.01}),
    ("Pusher-v5", {"reward_near_weight": 0.1, "reward_control_weight": 0.7, "frame_skip": 2}),
    ("Reacher-v5", {"reward_dist_weight": 0.3, "reward_control_weight": 1.7}),
    ("Swimmer-v4", {"exclude_current_positions_from_observation": False}),
    ("Walker2d-v5", {"xml_file": "walker2d.xml", "healthy_angle_range": (-0.1, 0.1)}),
]


@pytest.mark.parametrize(("task_id", "options"), OPTIONS)
def test_options_equal_gymnasiums(task_id: str, options: dict[str, Any]) -> None:
    assert not compare(task_id, 60, **options).differing


def test_infos_are_gymnasiums() -> None:
    reference = make_reference("Humanoid-v5")
    reference.reset(seed=0)
    theirs = reference.step(reference.action_space.sample())[4]
    with envpool.make("Humanoid-v5", num_envs=1) as pool:
        pool.reset()
        ours = pool.step(np.zeros((1, 17), "f4"))[4]
    assert set(ours) == set(theirs) | UNKNOWN_TO_GYMNASIUM


def test_seed_of_reset_is_gymnasiums() -> None:
    reference = make_reference("Ant-v5")
    with envpool.make("Ant-v5", num_envs=3) as pool:
        observations, _ = pool.reset(seed=17)
        for i in range(3):
            assert np.array_equal(observations[i], reference.reset(seed=17 + i)[0])


def test_envpools_names_of_ranges() -> None:
    spec = envpool.make_spec("Ant-v5", healthy_z_min=0.3, contact_force_max=0.5)
    assert spec.options["healthy_z_range"] == [0.3, 1.0]
    assert spec.options["contact_force_range"] == [-1.0, 0.5]
    with pytest.raises(ConfigError, match="Leave one of them out"):
        envpool.make_spec("Ant-v5", healthy_z_min=0.3, healthy_z_range=(0.2, 1.0))


def test_versions_before_4_observe_no_forces() -> None:
    with envpool.make("Ant-v3", num_envs=1) as pool:
        pool.reset()
        for _ in range(20):
            observation, *_ = pool.step(np.ones((1, 8), "f4"))
    assert observation.shape == (1, 111)
    assert not observation[0, 27:].any()


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Ant-v5", {}),
        ("Ant-v3", {}),
        ("Humanoid-v5", {}),
        ("Pusher-v4", {}),
        ("Reacher-v4", {}),
        # MuJoCo warns of these velocities, in some environments more often than in others.
        ("Hopper-v5", {"reset_noise_scale": 1e9}),
    ],
)
def test_environments_leave_nothing_to_each_other(task_id: str, options: dict[str, Any]) -> None:
    """Three that take turns in one thread are three that are alone, beside pools of other rules."""
    count = 3
    pools = [envpool.make(task_id, seed=4 + i, **options) for i in range(count)]
    with envpool.make(task_id, num_envs=count, num_threads=1, seed=4, **options) as together:
        rng = np.random.default_rng(2)
        rows = [together.reset()], [[pool.reset()] for pool in pools]
        for _ in range(30):
            actions = rng.uniform(-0.4, 0.4, (count, *together.action_space.shape)).astype("f4")
            rows[0].append(together.step(actions))
            for i in rng.permutation(count):
                rows[1][i].append(pools[i].step(actions[i : i + 1]))
    for pool in pools:
        pool.close()
    for step, row in enumerate(rows[0]):
        for i in range(count):
            alone = rows[1][i][step]
            for ours, other in zip(row[:-1], alone[:-1], strict=True):
                assert np.array_equal(ours[i], other[0], equal_nan=True), step
            for name in set(row[-1]) - {"env_id", "players"}:
                assert np.array_equal(row[-1][name][i], alone[-1][name][0], equal_nan=True), name
    warned = [row[-1]["mujoco_warning"] for row in rows[0]]
    assert np.any(warned) == bool(options)


def _resident() -> float:
    """KB of memory that this process uses."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e3


def test_an_environment_takes_little_memory() -> None:
    count = 1000
    with envpool.make("Ant-v5", num_envs=2, num_threads=1) as few:
        few.reset()
        before = _resident()
        with envpool.make("Ant-v5", num_envs=count, num_threads=1) as many:
            many.reset()
            many.step(np.zeros((count, 8), "f4"))
            assert (_resident() - before) / count < 30, "an mjData alone takes 200 kB"


def _play(pool: Any, steps: int) -> list[np.ndarray[Any, Any]]:
    """Observations of every environment in its own order, under actions of its own."""
    histories: list[list[Any]] = [[] for _ in range(len(pool))]
    generators = [np.random.default_rng(i) for i in range(len(pool))]
    pool.async_reset()
    while min(map(len, histories)) < steps:
        observation, *_, info = pool.recv()
        ids = info["env_id"]
        for row, i in zip(observation, ids, strict=True):
            histories[i].append(row)
        actions = [generators[i].uniform(-1, 1, 6).astype("f4") for i in ids]
        pool.send(np.stack(actions), ids)
    return [np.stack(history[:steps]) for history in histories]


def test_findings() -> None:
    told = [f for f in envpool_mujoco.FAMILY.envpool_findings() if isinstance(f, envpool.Finding)]
    found = {finding.name: finding for finding in told}
    assert found["MuJoCo"].detail.startswith(mujoco.__version__)
    assert {finding.status for finding in found.values()} == {"ok"}
    assert "models of Gymnasium" in found and "models of dm_control" in found


def test_threads_and_batches_change_nothing() -> None:
    plays = []
    for batch_size, num_threads in ((6, 1), (6, 2), (2, 2), (1, 1)):
        with envpool.make(
            "Walker2d-v5", num_envs=6, batch_size=batch_size, num_threads=num_threads, seed=3
        ) as pool:
            plays.append(_play(pool, 60))
    for play in plays[1:]:
        for ours, first in zip(play, plays[0], strict=True):
            assert np.array_equal(ours, first)


@pytest.mark.parametrize("task_id", ["Ant-v5", "Humanoid-v4", "Reacher-v4", "Pusher-v5"])
@pytest.mark.parametrize("steps", [0, 7])
def test_a_loaded_state_goes_on_bit_for_bit(task_id: str, steps: int) -> None:
    with envpool.make(task_id, num_envs=2, seed=1) as pool:
        shape = (2, *pool.action_space.shape)
        rng = np.random.default_rng(0)
        actions = [rng.uniform(-0.4, 0.4, shape).astype("f4") for _ in range(steps + 60)]
        pool.reset()
        for action in actions[:steps]:
            pool.step(action)
        states = pool.save_state()
        first = [pool.step(action) for action in actions[steps:]]
        pool.load_state(states)
        second = [pool.step(action) for action in actions[steps:]]
    for a, b in zip(first, second, strict=True):
        for x, y in zip(a[:4], b[:4], strict=True):
            assert np.array_equal(x, y)
        for name in a[4]:
            if name != "players":
                assert np.array_equal(a[4][name], b[4][name]), name


def test_stacked_observations() -> None:
    with envpool.make("Hopper-v5", num_envs=1, frame_stack=3, seed=2) as pool:
        assert pool.observation_space.shape == (3, 11)
        stacked = [pool.reset()[0][0]]
        stacked += [pool.step(np.zeros((1, 3), "f4"))[0][0] for _ in range(5)]
    with envpool.make("Hopper-v5", num_envs=1, seed=2) as pool:
        single = [pool.reset()[0][0]]
        single += [pool.step(np.zeros((1, 3), "f4"))[0][0] for _ in range(5)]
    for step, frames in enumerate(stacked):
        wanted = [single[max(step - age, 0)] for age in (2, 1, 0)]
        assert np.array_equal(frames, np.stack(wanted))


def test_a_model_of_the_users(tmp_path: Path) -> None:
    assets = Path(envpool_mujoco.gymnasium_models())
    text = (assets / "half_cheetah.xml").read_text().replace('gear="120"', 'gear="60"')
    path = tmp_path / "cheetah.xml"
    path.write_text(text)
    assert not compare("HalfCheetah-v5", 30, xml_file=str(path)).differing


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"xml_file": "nothing.xml"}, "which is no file"),
        ({"xml_file": "/nothing/at/all.xml"}, "which is no file"),
        ({"frame_skip": 0}, "1 .. 1000"),
        ({"frame_stack": 0}, "1 .. 1024"),
        ({"healthy_z_range": [1.0]}, "both ends"),
        ({"healthy_z_range": [1.0, 0.5]}, "Exchange the two"),
        ({"contact_force_max": -2.0}, "Exchange the two"),
        ({"main_body": "tail"}, "a body of the model"),
        ({"main_body": 99}, "a body of the model"),
        ({"version": 6}, "2, 3, 4, 5"),
        ({"use_contact_forces": True}, "include_cfrc_ext_in_observation"),
        ({"version": 1}, "2, 3, 4, 5"),
        ({"reset_noise_scale": -0.1}, "0 or more"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        envpool.make("Ant-v5", **options)


def test_contacts_cost_a_humanoid_of_version_4_nothing() -> None:
    with pytest.raises(ConfigError, match=r"contact_cost_weight=1\.0\).*of other tasks"):
        envpool.make("Humanoid-v4", contact_cost_weight=1.0)


@pytest.mark.parametrize("task_id", ["Ant-v3", "Ant-v4", "Ant-v5"])
def test_the_way_forward_has_a_weight_in_all_versions(task_id: str) -> None:
    """Gymnasium's has it since version 5, EnvPool 1.2.5 in all."""
    told = []
    for weight in (1.0, 3.0):
        with envpool.make(task_id, num_envs=1, seed=1, forward_reward_weight=weight) as pool:
            pool.reset()
            told.append(pool.step(np.ones((1, 8), "f4"))[4]["reward_forward"][0])
    assert told[1] == 3 * told[0] != 0


@pytest.mark.parametrize("task_id", ["Pusher-v2", "Pusher-v4", "Pusher-v5"])
def test_the_distance_to_the_goal_has_a_weight_in_all_versions(task_id: str) -> None:
    found = []
    for weight in (1.0, 2.0, 3.0):
        with envpool.make(task_id, num_envs=1, seed=1, reward_dist_weight=weight) as pool:
            pool.reset()
            found.append(float(pool.step(np.zeros((1, 7), "f4"))[1][0]))
    less, least = found[1] - found[0], found[2] - found[1]
    assert less < -0.1
    assert abs(less - least) < 1e-6  # rewards are float32


def test_a_model_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_text("<mujoco><nonsense/></mujoco>")
    with pytest.raises(ConfigError, match="unrecognized element"):
        envpool.make("Ant-v5", xml_file=str(path))
    path.write_text("<mujoco/>")
    with pytest.raises(ConfigError, match="a model of 0 positions"):
        envpool.make("Reacher-v5", xml_file=str(path))


WILD = """<mujoco><option timestep="1"/><worldbody>
<body><joint name="slider" type="slide"/><geom size="1" mass="1e-4"/>
<body pos="0 0 1"><joint name="hinge" type="hinge" axis="0 1 0"/>
<geom size="1" mass="1e-4"/></body></body></worldbody>
<actuator><motor joint="slider" gear="1e30"/></actuator></mujoco>"""


SMALL = """<mujoco><worldbody><body name="torso">{joints}<geom size=".1"/></body></worldbody>
<actuator><motor joint="j0" ctrlrange="-1 1"/></actuator></mujoco>"""


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize(
    "robot",
    [
        *("Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum"),
        *("InvertedPendulum", "Pusher", "Reacher", "Swimmer", "Walker2d"),
    ],
)
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_models_that_are_too_small(robot: str, version: int, count: int, tmp_path: Path) -> None:
    """A task reads places of the model by number: those that are not there are no memory of it."""
    joints = "".join(
        f'<joint name="j{i}" type="hinge" axis="{i % 3} 1 {(i + 1) % 3}"/>' for i in range(count)
    )
    path = tmp_path / "small.xml"
    text = SMALL.format(joints=joints)
    path.write_text(text if count else text.replace('joint="j0"', 'body="torso"'))
    task_id = f"{robot}-v{version}"
    try:
        pool = envpool.make(task_id, num_envs=2, xml_file=str(path))
    except ConfigError as error:
        assert "xml_file" in str(error) or "body" in str(error)  # noqa: PT017
        return
    with pool:  # it is large enough
        pool.reset()
        pool.step(np.zeros((2, *pool.action_space.shape), np.float32))


def test_an_unstable_simulation_does_not_spread(tmp_path: Path, monkeypatch: Any) -> None:
    """MuJoCo resets an unstable simulation, counts a warning, and writes no log file."""
    path = tmp_path / "wild.xml"
    path.write_text(WILD)
    monkeypatch.chdir(tmp_path)
    actions = np.array([[1.0], [0.0]], "f4")
    reference = make_reference("InvertedPendulum-v5", xml_file=str(path))
    reference.reset(seed=1)
    (tmp_path / "MUJOCO_LOG.TXT").unlink(missing_ok=True)
    with envpool.make("InvertedPendulum-v5", num_envs=2, xml_file=str(path), seed=1) as pool:
        pool.reset()
        counts = pool.step(actions)[4]["mujoco_warning"]
        assert counts[0, int(mujoco.mjtWarning.mjWARN_BADQACC)] > 0
        assert not counts[1].any()
        assert [file.name for file in tmp_path.iterdir()] == ["wild.xml"]
        theirs = reference.step(actions[0])
        observations, rewards, *_ = pool.step(actions)
    theirs = reference.step(actions[0])
    assert np.array_equal(observations[0], theirs[0], equal_nan=True)
    assert np.isfinite(observations[1]).all()
    assert rewards[0] == theirs[1]


def test_nan_actions_are_refused() -> None:
    with envpool.make("Ant-v5", num_envs=1) as pool:
        pool.reset()
        with pytest.raises(envpool.errors.ActionError):
            pool.step(np.full((1, 8), np.nan, "f4"))


CROWD = f"""<mujoco><size memory="20K"/><worldbody><geom type="plane" size="5 5 .1"/>
<body><joint name="slider" type="slide"/><geom size="1"/></body>
{"<body><freejoint/><geom size='.1'/></body>" * 12}</worldbody>
<actuator><motor joint="slider"/></actuator></mujoco>"""


def test_an_error_of_mujoco_is_a_worker_error(tmp_path: Path) -> None:
    """MuJoCo would end the process; no later call begins with the broken state."""
    path = tmp_path / "crowd.xml"
    path.write_text(CROWD)
    with envpool.make("InvertedPendulum-v5", num_envs=2, xml_file=str(path)) as pool:
        for _ in range(3):
            with pytest.raises(WorkerError, match="out of memory"):
                pool.reset()
