# SPDX-License-Identifier: Apache-2.0
"""Ids, arrays, options, and the errors for missing parts."""

from __future__ import annotations

import os
import re
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import envpool
import gymnasium
import model_checks
import myosuite_reference
import numpy as np
import pytest
from envpool.errors import ConfigError, MissingPackageError, WorkerError
from envpool_mujoco import family
from envpool_myosuite import FAMILY, _findings

TASKS = {task.id: task for task in FAMILY.envpool_tasks()}
CLASSES = (
    *("myobase.pose_v0:PoseEnvV0", "myobase.reach_v0:ReachEnvV0", "myodm.myodm_v0:TrackEnv"),
    *("walk_v0:ReachEnvV0", "walk_v0:WalkEnvV0", "walk_v0:TerrainEnvV0"),
    *("key_turn_v0:KeyTurnEnvV0", "obj_hold_v0:ObjHoldFixedEnvV0", "pen_v0:PenTwirlFixedEnvV0"),
    *("obj_hold_v0:ObjHoldRandomEnvV0", "pen_v0:PenTwirlRandomEnvV0", "torso_v0:TorsoEnvV0"),
    *(f"reorient_sar_v0:Geometries{count}EnvV0" for count in (8, 100)),
    *("reorient_sar_v0:InDistribution", "reorient_sar_v0:OutofDistribution"),
    *("reorient_v0:ReorientEnvV0", "relocate_v0:RelocateEnvV0", "baoding_v1:BaodingEnvV1"),
    *("run_track_v0:RunTrack", "chasetag_v0:ChaseTagEnvV0", "soccer_v0:SoccerEnvV0"),
    *("tabletennis_v0:TableTennisEnvV0", "bimanual_v0:BimanualEnvV1"),
)
SMALL: dict[str, Any] = {"render_width": 32, "render_height": 32, "render_quality": "fast"}


def test_every_id_of_these_classes() -> None:
    theirs = {
        name for name, spec in gymnasium.registry.items() if str(spec.entry_point).endswith(CLASSES)
    }
    assert theirs == set(TASKS)
    assert len(TASKS) == 398
    for name, task in TASKS.items():
        assert task.names == (name, f"MyoSuite/{name}")
        assert task.defaults["max_episode_steps"] == gymnasium.spec(name).max_episode_steps


ARRAYS = (
    *("myoElbowPose1D6MExoFixed-v0", "motorFingerReachFixed-v0", "MyoHandAppleFixed-v0"),
    *("MyoHandPhoneLift-v0", "myoLegStandRandom-v0", "myoLegWalk-v0"),
    *("myoHandKeyTurnRandom-v0", "myoHandObjHoldRandom-v0", "myoHandPenTwirlFixed-v0"),
    *("myoHandReorientOOD-v0", "myoTorsoExoPoseFixed-v0", "myoChallengeDieReorientP2-v0"),
    *("myoChallengeRelocateP2-v0", "myoChallengeBaodingP2-v1", "myoChallengeBimanual-v0"),
    *("myoChallengeOslRunRandom-v0", "myoChallengeChaseTagP2-v0", "myoChallengeSoccerP2-v0"),
    "myoChallengeTableTennisP2-v0",
)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name: str) -> None:
    env = myosuite_reference.make_reference(name, seed=0)
    spec = envpool.make_spec(name)
    shape = env.observation_space.shape
    # MyoSuite's space is from -10 to 10, and some of its observations exceed it.
    assert spec.observation_space == gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)
    assert spec.action_space == env.action_space


def test_resets_are_random_and_seeds_mean_something() -> None:
    with envpool.make("myoElbowPose1D6MRandom-v0", num_envs=2) as pool:
        first, second = pool.reset(seed=7)[0].copy(), pool.reset()[0].copy()
        assert not np.array_equal(first, second)
        assert not np.array_equal(first[0], first[1])
        np.testing.assert_array_equal(pool.reset(seed=7)[0], first)
        np.testing.assert_array_equal(pool.reset()[0], second)


def test_an_extra_weight_changes_what_an_arm_does() -> None:
    name, action = "myoElbowPose1D6MExoRandom-v0", np.full((1, 7), -0.5, np.float32)
    ends = []
    for weight in (0.1, 2.0):
        with envpool.make(name, seed=3, weight_low=weight, weight_high=weight) as pool:
            pool.reset()
            for _ in range(10):
                obs = pool.step(action)[0]
            ends.append(obs[0, 0])
    assert ends[0] != ends[1]


def test_a_motion_of_ones_own() -> None:
    """From a file, and from arrays; this motion has the object's start as angles."""
    folder = family.assets_of("myosuite", "envs/myo/myodm/data", "")
    file = folder / "MyoHand_knife_lift.npz"
    assert np.load(file)["object_init"].shape == (6,)
    env = myosuite_reference.make_reference("MyoHandKnifeChop-v0", 0, reference=str(file))
    wanted = env.reset()[0]
    with np.load(file) as arrays:
        references = [file, str(file), f"envs/myo/myodm/data/{file.name}", dict(arrays)]
    for reference in references:
        with envpool.make("MyoHandKnifeChop-v0", reference=reference) as pool:
            np.testing.assert_array_equal(pool.reset()[0][0], wanted)
            pool.step(np.zeros((1, 45), np.float32))


def test_a_motion_begins_later_and_stays_at_its_end() -> None:
    rows = 4
    hand = np.zeros((rows, 29))
    hand[:, 0] = np.arange(rows) / 100
    reference = {
        "time": np.arange(rows) * 0.02,
        "robot": hand,
        "object": np.tile([0, 0, 0.05, 1, 0, 0, 0], (rows, 1)),
        "robot_init": np.zeros(29),
    }
    options = {"reference": reference, "terminate_obj_fail": False}
    with envpool.make("MyoHandMugPass-v0", motion_start_time=0.02, **options) as pool:
        errors = [pool.reset()[0][0]]
        errors += [pool.step(np.zeros((1, 45), np.float32))[0][0] for _ in range(4)]
    # The first joint's angle is the row's, minus its error.
    seen = [obs[0] - obs[70] for obs in errors]
    np.testing.assert_allclose(seen, [0.01, 0.02, 0.03, 0.03, 0.03], atol=1e-7)  # of float32


def test_a_hand_may_leave_its_pose() -> None:
    """Here it is far from the pose at once, which ends an episode only on request."""
    action = np.zeros((1, 45), np.float32)
    for ends in (False, True):
        options = {"terminate_obj_fail": False, "terminate_pose_fail": ends}
        reference = {"time": [0, 1], "robot": np.ones((1, 29)), "object": [[0, 0, 0.1, 1, 0, 0, 0]]}
        reference["robot_init"] = np.zeros(29)
        with envpool.make("MyoHandMugPass-v0", reference=reference, **options) as pool:
            pool.reset()
            assert pool.step(action)[2][0] == ends


PLACE = [0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("velocities", [0, 1])
def test_a_hand_that_stays_and_a_goal_that_is_drawn(velocities: int) -> None:
    """One row for the hand and two for the object: only x of the goal is drawn."""
    hand = [[0.25] * 29]
    reference = {
        "robot": hand,
        "robot_vel": hand * velocities,
        "object": [PLACE, [1.0, *PLACE[1:]]],
    }
    options = {"reference": reference, "terminate_obj_fail": False, "robot_init": [0.0] * 29}
    with envpool.make("MyoHandMugRandom-v0", seed=1, **options) as pool:
        seen = [pool.reset()[0][0]]
        seen += [pool.step(np.zeros((1, 45), np.float32))[0][0] for _ in range(2)]
    # Angles and velocities of 35 joints, the hand's errors, those of its velocities, the object's.
    for obs in seen:
        np.testing.assert_allclose(obs[:29] - obs[70:99], 0.25, atol=1e-6)  # of float32
        if velocities:
            np.testing.assert_allclose(obs[35:64] - obs[99:128], 0.25, rtol=1e-5, atol=1e-5)
    goals = [obs[29] - obs[99 + (29 if velocities else 1)] for obs in seen]
    assert len(set(goals)) == 3
    assert all(-0.2 < goal < 1.2 for goal in goals)  # the center of mass differs from the place


@pytest.mark.parametrize("damage", ["empty", "compressed", "cut"])
def test_files_that_cannot_be_read(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "motion.npz"
    np.savez_compressed(file, time=np.arange(1000.0))
    content = bytearray(file.read_bytes())
    # A byte of the compressed numbers: it begins an invalid kind of block.
    start = 30 + int.from_bytes(content[26:28], "little") + int.from_bytes(content[28:30], "little")
    content[start] = 0xFF
    file.write_bytes({"empty": b"", "compressed": content, "cut": content[:-30]}[damage])
    with pytest.raises(ConfigError, match=r"motion\.npz: .*Correct the path"):
        envpool.make("MyoHandMugPass-v0", reference=file)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "motion.npz")
    with pytest.raises(ConfigError, match="a pipe or a device"):
        envpool.make("MyoHandMugPass-v0", reference=tmp_path / "motion.npz")


def test_a_file_that_the_package_lacks(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Install MyoSuite's package again: `pip install"):
        envpool.make("MyoHandMugPass-v0", base_path=str(tmp_path))


SMALL_HAND = """<mujoco><worldbody><site name="target"/>
<body name="lunate"><joint name="wrist" axis="1 0 0"/><geom name="body" size="0.1"/></body>
<body name="OBJECT_NAME" pos="0 0 1"><geom size="0.1"/>
<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide"/>
<joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/></body>
</worldbody><actuator><motor joint="wrist" ctrlrange="-1 1"/></actuator></mujoco>"""
ONE_JOINT: dict[str, Any] = {"reference": {"robot": [[0.0]], "object": [PLACE]}}


def test_the_text_of_a_model_has_the_objects_name() -> None:
    """Like its file, so that the body is found."""
    for text in (SMALL_HAND, SMALL_HAND.replace("OBJECT_NAME", "mug")):
        with envpool.make("MyoHandMugFixed-v0", xml_file=text, **ONE_JOINT) as pool:
            assert pool.reset()[0].shape == (1, 7 + 7 + 1 + 1 + 3)


def test_rigid_fingers_of_a_text() -> None:
    """The finger's joint is removed, and a site for the goal is added."""
    roots = [f'<body name="{name}mc"/>' for name in ("first", "third", "fourth", "fifth")]
    tip = '<joint/><geom size="0.1"/><site name="IFtip" pos="0 0 0.1"/>'
    finger = f'<body name="secondmc"><body name="distph2">{tip}</body></body>'
    arm = f'<body><joint/><geom size="0.1"/>{finger}{"".join(roots)}</body>'
    text = f"<mujoco><worldbody>{arm}</worldbody></mujoco>"
    options = {"sites": ["IFtip"], "xml_file": text}
    for rigid, joints in ((False, 2), (True, 1)):
        spec = envpool.make_spec("myoArmReachFixed-v0", rigid_fingers=rigid, **options)
        assert spec.observation_space.shape == (2 * joints + 6,)


@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
def test_flavours(env_type: str) -> None:
    with envpool.make("myoFingerPoseRandom-v0", env_type, num_envs=3, frame_stack=2) as pool:
        if env_type == "dm":
            assert pool.reset().observation.obs.shape == (3, 2, 17)
        else:
            assert pool.reset()[0].shape == (3, 2, 17)


MOTIONS: list[tuple[dict[str, Any], str]] = [
    ({"robot": np.full((1, 29), np.nan), "object": [PLACE]}, "nan at [0]"),
    ({"robot": np.zeros((1, 29)), "object": [[np.inf, *PLACE[1:]]]}, "inf at [0]"),
    (
        {"robot": np.zeros((1, 29)), "robot_vel": np.full((1, 29), -np.inf), "object": [PLACE]},
        "-inf at [0]",
    ),
    (
        {"robot": [np.ones(29), np.zeros(29)], "object": [PLACE, PLACE]},
        "1.000000 and below it 0.000000 in column 0",
    ),
    ({"robot": np.zeros((1, 29)), "object": [PLACE, [0.0, -1.0, *PLACE[2:]]]}, "in column 1"),
    (
        {"time": np.arange(5), "robot": np.zeros((5, 29)), "object": [PLACE] * 3},
        "5 rows, where `reference_object` has 3",
    ),
]
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("myoElbowPose1D6MRandom-v0", {"muscle_condition": "tired"}, "'fatigue'"),
    ("myoElbowPose1D6MRandom-v0", {"muscle_condition": "reafferentation"}, "EPL"),
    ("myoElbowPose1D6MRandom-v0", {"target_type": "switch"}, "'generate', 'fixed'"),
    ("myoElbowPose1D6MRandom-v0", {"reset_type": "none"}, "'init', 'random'"),
    ("myoElbowPose1D6MRandom-v0", {"target_low": [0.0, 1.0]}, "one for each joint"),
    ("myoElbowPose1D6MRandom-v0", {"weight_body": "carry_weight"}, "carry_weight"),
    ("myoElbowPose1D6MRandom-v0", {"xml_file": "nothing.xml"}, "no file"),
    ("myoElbowPose1D6MRandom-v0", {"frame_skip": 0}, "1 .. 1000"),
    ("myoElbowPose1D6MRandom-v0", {"frame_skip": 2**31 - 1}, "1 .. 1000"),
    ("myoFingerReachRandom-v0", {"sites": []}, "three for each of `sites`"),
    ("myoFingerReachRandom-v0", {"sites": ["THtip"]}, "THtip"),
    ("myoElbowPose1D6MRandom-v0", {"weight_body": "base"}, "no geom"),
    ("myoElbowPose1D6MRandom-v0", {"target_low": [3.0]}, "at least target_low's 3"),
    ("myoElbowPose1D6MExoRandom-v0", {"weight_low": 3.0}, "0 < weight_low <= weight_high"),
    ("myoElbowPose1D6MExoRandom-v0", {"weight_high": np.inf}, "got inf; allowed: finite numbers"),
    (
        "myoElbowPose1D6MRandom-v0",
        {"target_low": [-1e308], "target_high": [1e308]},
        "a finite distance",
    ),
    ("myoFingerReachRandom-v0", {"rigid_fingers": True}, "the fingers of myoarm.xml"),
    ("MyoHandMugPass-v0", {"reference": "nothing.npz"}, "numpy.savez"),
    ("MyoHandMugPass-v0", {"reference": 3}, "numpy.savez"),
    ("MyoHandMugPass-v0", {"reference": {"robots": 1}}, "robot_vel"),
    ("MyoHandMugPass-v0", {"reference": {"robot": [[1, 2], [3]]}}, "the same length"),
    ("MyoHandMugPass-v0", {"reference": {"robot": [[0.0] * 29]}}, "rows of 7 numbers"),
    ("MyoHandMugPass-v0", {"robot_init": [1.0]}, "one for each joint"),
    ("MyoHandMugPass-v0", {"robot_init": [np.nan] * 29}, "nan at [0]"),
    ("MyoHandMugPass-v0", {"object_init": [0.0, np.inf, 0.0, 1.0, 0.0, 0.0, 0.0]}, "inf at [1]"),
    ("MyoHandMugPass-v0", {"motion_start_time": np.inf}, "finite numbers"),
    ("MyoHandMugPass-v0", {"reference_time": [np.nan]}, "reference_time"),
    ("MyoHandMugPass-v0", {"reference_time": [1.0]}, "one for each of the"),
    ("MyoHandMugPass-v0", {"reference_time": []}, "one for each of the"),
    ("MyoHandMugPass-v0", {"object_init": [1.0]}, "7: a place and a quaternion"),
    ("MyoHandMugPass-v0", {"object_name": "anvil"}, "with object_name anvil"),
    ("MyoHandMugPass-v0", {"object_name": ""}, "the name of an object"),
    ("MyoHandMugPass-v0", {"xml_file": "nothing.xml"}, "no file"),
    ("MyoHandMugPass-v0", {"xml_file": "/"}, "no file"),
    (
        "MyoHandMugPass-v0",
        {"xml_file": SMALL_HAND.replace("OBJECT_NAME", "cup"), **ONE_JOINT},
        "without a body 'mug'",
    ),
    *(("MyoHandMugPass-v0", {"reference": reference}, text) for reference, text in MOTIONS),
    (
        "MyoHandMugPass-v0",
        {"xml_file": "simhive/myo_sim/leg/myolegs.xml"},
        "an object on six joints",
    ),
    ("myoLegWalk-v0", {"terrain": "ice"}, "'rough', 'hilly', 'stairs'"),
    ("myoLegWalk-v0", {"reset_type": "fixed"}, "'init', 'random', 'none'"),
    ("myoLegWalk-v0", {"hip_period": 0}, "1 or more"),
    ("myoLegWalk-v0", {"target_rot": [1.0]}, "a quaternion"),
    ("myoLegWalk-v0", {"xml_file": "simhive/myo_sim/arm/myoarm.xml"}, "begins with a free joint"),
    ("myoLegStandRandom-v0", {"joint_random_range": [0.2]}, "got 1 numbers"),
    ("myoLegStandRandom-v0", {"joint_random_range": [0.2, 0.1]}, "0.200000 and 0.100000"),
    ("myoLegStandRandom-v0", {"joint_random_range": [0.0, np.nan]}, "nan at [1]"),
    ("myoLegStandRandom-v0", {"joint_random_range": [-np.inf, 0.0]}, "-inf at [0]"),
    ("myoHandKeyTurnRandom-v0", {"key_init_range": [0.0]}, "two numbers"),
    ("myoHandKeyTurnRandom-v0", {"key_init_range": [1.0, 0.0]}, "the least and the greatest"),
    ("myoHandObjHoldFixed-v0", {"target_type": "random"}, "'generate', 'fixed'"),
    ("myoHandObjHoldFixed-v0", {"xml_file": "simhive/myo_sim/arm/myoarm.xml"}, "last joints are"),
    ("myoHandPenTwirlFixed-v0", {"xml_file": "simhive/myo_sim/leg/myolegs.xml"}, "on six joints"),
    ("myoHandReorient8-v0", {"objects": "9"}, "'8', '100', 'ID', 'OOD'"),
    ("myoHandReorient8-v0", {"boxes": [0.1]}, "three for each size"),
    ("myoHandReorient8-v0", {"boxes": [0.1, 0.0, 0.1]}, "sizes above 0"),
    ("myoTorsoPoseFixed-v0", {"target_low": []}, "1 to 18"),
    ("myoTorsoPoseFixed-v0", {"target_low": [0.0]}, "as many as target_low"),
    ("myoChallengeDieReorientP2-v0", {"obj_size_change": 0.5}, "less than the smallest size"),
    ("myoChallengeDieReorientP2-v0", {"obj_mass_range": [0.0, 1.0]}, "none below"),
    ("myoChallengeDieReorientP2-v0", {"obj_friction_change": [0.1]}, "got 1 numbers"),
    ("myoChallengeRelocateP2-v0", {"obj_xyz_low": []}, "three in both ends, or none"),
    ("myoChallengeRelocateP2-v0", {"target_xyz_low": [9.0, 9.0, 9.0]}, "or more"),
    ("myoChallengeBaodingP2-v1", {"goal_time_period": [0.0, 1.0]}, "none below"),
    ("myoChallengeBaodingP2-v1", {"task_choice": "hold"}, "'fixed', 'random'"),
    ("myoChallengeTableTennisP0-v0", {"ball_qvel": True}, "ball_xyz_low"),
    ("myoChallengeTableTennisP2-v0", {"paddle_mass_range": [0.0, 1.0]}, "none below"),
    ("myoChallengeTableTennisP2-v0", {"xml_file": "simhive/myo_sim/arm/myoarm.xml"}, "'femur_l'"),
    ("myoChallengeBimanual-v0", {"obj_scale_change": [1.0, 0.0, 0.0]}, "shares below 1"),
    ("myoChallengeBimanual-v0", {"obj_mass_change": [-9.0, 0.0]}, "more than what the object has"),
    ("myoChallengeOslRunRandom-v0", {"terrain": "ice"}, "'flat', 'random'"),
    ("myoChallengeOslRunRandom-v0", {"hills_difficulties": []}, "1 to 100"),
    ("myoChallengeOslRunRandom-v0", {"xml_file": "simhive/myo_sim/leg/myolegs.xml"}, "two motors"),
    ("myoChallengeChaseTagP2-v0", {"min_spawn_distance": 6.0}, "0 .. 5"),
    ("myoChallengeChaseTagP2-v0", {"opponent_probabilities": [1.0]}, "got 1 numbers"),
    ("myoChallengeChaseTagP2-v0", {"relief": [0.0, 1.0]}, "1089"),
    ("myoChallengeChaseTagP2-v0", {"xml_file": "simhive/myo_sim/arm/myoarm.xml"}, "28 others"),
    ("myoChallengeSoccerP2-v0", {"goalkeeper_probabilities": [1.0, 0.0]}, "got 2 numbers"),
    ("myoChallengeSoccerP2-v0", {"reset_type": "init"}, "'none', 'random'"),
    ("myoElbowPose1D6MRandom-v0", {"target_low": [np.nan]}, "nan at [0]"),
    ("myoElbowPose1D6MRandom-v0", {"target_high": [np.inf]}, "inf at [0]"),
]


@pytest.mark.parametrize(("task_id", "options", "text"), BAD)
def test_refused(task_id: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(text)):
        envpool.make(task_id, **options)


SAVED = (
    *("myoHandKeyTurnRandom-v0", "myoHandReorient8-v0", "myoChallengeBaodingP2-v1"),
    *("myoChallengeRelocateP2-v0", "myoChallengeDieReorientP2-v0", "myoChallengeBimanual-v0"),
    *("myoFatiChallengeOslRunRandom-v0", "myoChallengeChaseTagP2eval-v0"),
    "myoFatiChallengeDieReorientP1-v0",
    *("myoChallengeSoccerP2-v0", "myoChallengeTableTennisP2-v0"),
    *("myoFatiFingerPoseRandom-v0", "myoFingerReachRandom-v0", "MyoHandMugRandom-v0"),
    *("myoLegStandRandom-v0", "myoLegRoughTerrainWalk-v0"),
)


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_state_and_a_frame_change_nothing(name: str) -> None:
    options: dict[str, Any] = {"num_envs": 2, "seed": 4, **SMALL}
    rng = np.random.default_rng(0)
    with envpool.make(name, **options) as plain:
        shape = plain.action_space.shape
        actions = rng.uniform(-1, 1, (5, 2, *shape)).astype(np.float32)
        plain.reset()
        plain.step(actions[0])
        wanted = [plain.step(action)[0].copy() for action in actions]
    with envpool.make(name, render_mode="rgb_array", **options) as pool:
        pool.reset()
        pool.step(actions[0])
        assert np.asarray(pool.render()).std() > 0
        saved = pool.save_state()
        for _ in range(2):
            for action, obs in zip(actions, wanted, strict=True):
                np.testing.assert_array_equal(pool.step(action)[0], obs)
            pool.load_state(saved)


@pytest.mark.parametrize("terrain", ["rough", "hilly", "stairs"])
def test_ground_of_heights_that_are_drawn(terrain: str) -> None:
    """It is in the saved state, as the reference has it."""
    name = "myoLegHillyTerrainWalk-v0"
    env = myosuite_reference.make_reference(name, 2, terrain=terrain, variant=None)
    with envpool.make(name, terrain=terrain, variant="", seed=2) as pool:
        saved = []
        for _ in range(2):
            np.testing.assert_array_equal(pool.reset()[0][0], env.reset()[0])
            saved.append(pool.save_state())
            assert env.mj_model.hfield_data.tobytes() in saved[-1][0]
        assert saved[0] != saved[1]


def test_walks_from_other_starts() -> None:
    for start in ("random", "none"):
        env = myosuite_reference.make_reference("myoLegWalk-v0", 2, reset_type=start)
        with envpool.make("myoLegWalk-v0", reset_type=start, seed=2) as pool:
            for _ in range(3):
                np.testing.assert_array_equal(pool.reset()[0][0], env.reset()[0])


def test_depths() -> None:
    with envpool.make("myoElbowPose1D6MFixed-v0", render_mode="rgbd_tuple", **SMALL) as pool:
        pool.reset()
        rgb, depth = pool.render()
        assert rgb.shape == (1, 32, 32, 3)
        assert depth.shape == (1, 32, 32)
        assert depth.dtype == np.float32
        assert depth.min() < depth.max()


def test_without_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"pip install --no-deps myosuite==2\.12\.2"):
        envpool.make("myoElbowPose1D6MFixed-v0")


def test_beside_a_myosuite_without_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in 3.0.0; a user with 2.12.2 elsewhere passes its folder."""
    elsewhere = family.assets_of("myosuite", "simhive", "").parent
    spec = ModuleSpec("myosuite", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(family, "find_spec", lambda name: spec)
    monkeypatch.setattr(family, "version", lambda name: "3.0.0")
    with pytest.raises(MissingPackageError, match=r"which is 3\.0\.0.*myosuite==2\.12\.2"):
        envpool.make("myoElbowPose1D6MFixed-v0")
    with envpool.make("myoElbowPose1D6MFixed-v0", base_path=elsewhere) as pool:
        pool.reset()


@pytest.mark.parametrize("damage", ["nothing", "syntax", "other"])
def test_sizes_of_another_myosuite(tmp_path: Path, damage: str) -> None:
    """Users who pass sizes need no file."""
    file = tmp_path / "envs/myo/myobase/reorient_sar_v0.py"
    file.parent.mkdir(parents=True)
    if damage != "nothing":
        file.write_text(
            "class" if damage == "syntax" else "class Geometries8EnvV0:\n    caps = {}\n"
        )
    with pytest.raises(ConfigError, match="Install it again: `pip install"):
        envpool.make("myoHandReorient8-v0", base_path=str(tmp_path))
    sizes = {name: [0.02, 0.03, 0.03] for name in ("capsules", "ellipsoids", "cylinders", "boxes")}
    model = family.assets_of("myosuite", "envs", "") / "myo/assets/hand/myohand_sar.xml"
    with envpool.make(
        "myoHandReorient8-v0", base_path=str(tmp_path), xml_file=str(model), **sizes
    ) as pool:
        pool.reset()


def test_an_object_that_always_touches_something() -> None:
    """It is drawn again, but not for ever."""
    under = {"obj_xyz_low": [0.0, -0.25, 0.9], "obj_xyz_high": [0.0, -0.25, 0.9]}
    with (
        envpool.make("myoChallengeRelocateP2-v0", **under) as pool,
        pytest.raises(WorkerError, match="more room"),
    ):
        pool.reset()


def test_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    model_checks.check_findings(monkeypatch, _findings.models, "3.0.0")
