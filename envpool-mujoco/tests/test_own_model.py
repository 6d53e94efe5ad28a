# SPDX-License-Identifier: Apache-2.0
"""MujocoXml-v0: a user's model, compared with MuJoCo's own Python package."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import envpool
import mujoco
import numpy as np
import pytest
from envpool.errors import ConfigError, SavedStateError, WorkerError
from envpool_mujoco import gymnasium_models
from models import CART

TASK = "MujocoXml-v0"
CONTROLS = np.linspace(-1, 1, 80, dtype="f4")


def _reference(frame_skip: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(CART)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return model, data


def test_equals_mujoco() -> None:
    """Observation, reward and end of every step are those of the same calls in Python."""
    model, data = _reference(3)
    options: dict[str, Any] = {
        "frame_skip": 3,
        "observation": ["qpos", "qvel", "place", "ctrl"],
        "reward": {"x": -1.0, "place[0]": 0.5},
        "terminate": {"angle": (-0.5, 0.5)},
        "keyframe": "leaning",
        "autoreset_mode": "disabled",
    }
    ended = False
    with envpool.make(TASK, num_envs=1, xml_file=CART, **options) as pool:
        observation, _ = pool.reset()
        for control in CONTROLS:
            wanted = np.concatenate((data.qpos, data.qvel, data.sensor("place").data, data.ctrl))
            assert np.array_equal(observation[0], wanted)
            observation, reward, terminated, _, info = pool.step(np.array([[control]]))
            data.ctrl[:] = control
            mujoco.mj_step(model, data, nstep=3)
            mujoco.mj_forward(model, data)
            x, place = data.sensor("x").data[0], data.sensor("place").data[0]
            terms = {"reward_x": -1.0 * x, "reward_place[0]": 0.5 * place}
            assert {name: info[name][0] for name in terms} == terms
            assert reward[0] == np.float32(terms["reward_place[0]"] + terms["reward_x"])
            ended = not -0.5 <= data.sensor("angle").data[0] <= 0.5
            assert terminated[0] == ended
            if ended:
                break
    assert ended


def test_path_and_text_are_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "cart.xml"
    path.write_text(CART)
    observations = []
    for source in (CART, str(path), path):
        with envpool.make(TASK, num_envs=2, xml_file=source, reset_noise_scale=0.1) as pool:
            observations.append(pool.reset()[0])
    assert np.array_equal(observations[0], observations[1])
    assert np.array_equal(observations[0], observations[2])
    assert not np.array_equal(observations[0][0], observations[0][1])


def test_a_dict_of_observations() -> None:
    with envpool.make(
        TASK, num_envs=3, xml_file=CART, observation=["qpos", "place"], flat_observation=False
    ) as pool:
        assert pool.observation_space["place"].shape == (3,)
        observation, _ = pool.reset()
    assert set(observation) == {"qpos", "place"}
    assert observation["qpos"].shape == (3, 2)


def test_cameras_beside_numbers() -> None:
    model = CART.replace(
        "<worldbody>",
        "<worldbody><light pos='0 -2 3'/><camera name='side' pos='0 -3 0.3' euler='90 0 0'/>"
        "<camera name='top' pos='0 0 4'/>",
    )
    sizes = {"camera_width": 40, "camera_height": 30}
    with envpool.make(
        TASK,
        num_envs=2,
        xml_file=model,
        cameras=["top", "side"],
        reset_noise_scale=0.2,
        render_mode="rgb_array",
        render_width=40,
        render_height=30,
        **sizes,
    ) as pool:
        assert pool.observation_space["camera:side"].shape == (3, 30, 40)
        assert pool.observation_space["state"].shape == (4,)
        pool.reset()
        observation = pool.step(np.ones((2, 1), "f4"))[0]
        for number, name in enumerate(("side", "top")):
            frames = pool.render(env_ids=[0, 1], camera_id=number)
            images = observation[f"camera:{name}"]
            assert np.array_equal(images, frames.transpose(0, 3, 1, 2))
            assert images.std() > 0
    assert not np.array_equal(observation["camera:side"][0], observation["camera:side"][1])


def test_a_file_that_was_written_again_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "cart.xml"
    path.write_text(CART)
    assert envpool.make_spec(TASK, xml_file=path).observation_space.shape == (4,)
    path.write_text(
        CART.replace('<joint name="hinge" type="hinge" axis="0 1 0"/>', "")
        .replace('<jointpos name="angle" joint="hinge"/>', "")
        .replace('qpos="0.3 0.1"', 'qpos="0.3"')
    )
    assert envpool.make_spec(TASK, xml_file=path).observation_space.shape == (2,)


@pytest.mark.parametrize("is_text", [False, True])
@pytest.mark.parametrize("keeps_time", [False, True])
def test_an_included_file_that_was_written_again(
    keeps_time: bool, is_text: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models are cached by all of their files, not only by the first.

    MuJoCo 3.17 reads included files from the working directory.
    """
    monkeypatch.chdir(tmp_path)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/mesh.obj").write_text(corners.format(1))
    body = """<mujoco><worldbody><body><joint axis="1 0 0" damping="{}"/>
      <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    (tmp_path / "part.xml").write_text(body.format(1))
    path = tmp_path / "model.xml"
    path.write_text(
        """<mujoco><compiler meshdir="parts"/><asset><mesh name="m" file="mesh.obj"/></asset>
        <include file="part.xml"/></mujoco>"""
    )

    def start() -> Any:
        model = path.read_text() if is_text else path
        with envpool.make(TASK, xml_file=model, frame_skip=50) as pool:
            pool.reset()
            return pool.step(np.zeros((1, 0), np.float32))[0]

    before = start()
    np.testing.assert_array_equal(start(), before)
    changed = tmp_path / "part.xml"
    times = changed.stat().st_atime_ns, changed.stat().st_mtime_ns
    changed.write_text(body.format(2))
    if keeps_time:
        os.utime(changed, ns=times)
    assert (start() != before).any()


@pytest.mark.parametrize("is_included", [False, True])
def test_files_that_never_end(is_included: bool, tmp_path: Path) -> None:
    """No byte is read from a pipe, which would wait for its writer, or from a file of 2 GB."""
    pipe, large, folder = (tmp_path / name for name in ("pipe.xml", "large.xml", "folder.xml"))
    os.mkfifo(pipe)
    large.touch()
    os.truncate(large, 2**31)  # a sparse file: it uses no space on the disk
    folder.mkdir()
    for path, text in ((pipe, "which is no file|a pipe"), (large, "1 GiB"), (folder, "folder.xml")):
        model = f'<mujoco><include file="{path}"/></mujoco>' if is_included else path
        with pytest.raises(ConfigError, match=text):
            envpool.make(TASK, xml_file=model)


def test_keyframes_without_names() -> None:
    model = CART.replace("</keyframe>", '<key qpos="0.7 -0.2"/></keyframe>')
    for keyframe in (1, "1"):
        with envpool.make(TASK, xml_file=model, keyframe=keyframe) as pool:
            assert pool.reset()[0][0, :2].tolist() == [0.7, -0.2]
    with pytest.raises(ConfigError, match=re.escape("0 .. 1")):
        envpool.make(TASK, xml_file=model, keyframe=2)


def test_a_model_that_sleeps_has_no_saved_state() -> None:
    """MuJoCo 3.17's mjSTATE_INTEGRATION lacks `tree_asleep`: a loaded state differed by 5e-4."""
    sleeps = CART.replace("<worldbody>", '<option><flag sleep="enable"/></option><worldbody>', 1)
    assert sleeps != CART
    with envpool.make(TASK, xml_file=sleeps) as pool:
        pool.reset()
        with pytest.raises(SavedStateError, match=r"flag sleep.*Remove the flag"):
            pool.save_state()
        pool.step(np.ones((1, 1), "f4"))


def test_a_loaded_state_goes_on_bit_for_bit() -> None:
    with envpool.make(TASK, num_envs=2, xml_file=CART, reset_noise_scale=0.1) as pool:
        pool.reset()
        for _ in range(5):
            pool.step(np.ones((2, 1), "f4"))
        states = pool.save_state()
        first = [pool.step(np.full((2, 1), c))[0] for c in CONTROLS]
        pool.load_state(states)
        second = [pool.step(np.full((2, 1), c))[0] for c in CONTROLS]
    assert np.array_equal(first, second)


def test_an_error_of_mujoco_is_a_worker_error() -> None:
    """MuJoCo would end the process."""
    bodies = "".join(
        f'<body pos="0 0 {height}"><freejoint/><geom size=".1"/></body>' for height in range(12)
    )
    floor = '<geom type="plane" size="5 5 .1"/>'
    model = f"""<mujoco><size memory="20K"/><worldbody>{floor}{bodies}</worldbody>
    <keyframe><key name="fallen" qpos="{"0 0 0.1 1 0 0 0 " * 12}"/></keyframe></mujoco>"""
    with envpool.make(TASK, num_envs=2, xml_file=model, keyframe="fallen") as pool:
        for _ in range(3):
            with pytest.raises(WorkerError, match="out of memory"):
                pool.reset()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"xml_file": 3}, "Pass xml_file as a string"),
        ({"xml_file": "nothing.xml"}, "which is no file"),
        ({"xml_file": "<mujoco><bad/></mujoco>"}, "unrecognized element"),
        ({"observation": ["speed"]}, "the name of a sensor"),
        ({"reward": {"speed": 1.0}}, "sensors of the model: 'x', 'angle', 'place'"),
        ({"reward": {"place": 1.0}}, r"write 'place\[0\]' \.\. 'place\[2\]'"),
        ({"reward": {"place[3]": 1.0}}, "the sensor has 3"),
        ({"terminate": {"angle": 3}}, "a value like the default"),
        ({"terminate": {"speed": (0, 1)}}, "sensors of the model"),
        ({"keyframe": "down"}, "name one of the 1 keyframes"),
        ({"frame_skip": 0}, "1 .. 1000"),
        ({"cameras": ["front"]}, "name one of them"),
        ({"camera_width": 0}, "1 .. 4096"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=f"(?i){text}"):
        envpool.make_spec(TASK, **{"xml_file": CART, **options})


@pytest.mark.parametrize("stage", ["none", "velocity", "all"])
def test_stages(stage: str) -> None:
    """After the steps, the results of MuJoCo's functions, or nothing."""
    model, data = _reference(3)
    sensors = [] if stage == "none" else ["place"]
    observed = ["qpos", "qvel", *sensors]
    with envpool.make(
        TASK, num_envs=1, xml_file=CART, frame_skip=3, keyframe="leaning", stage=stage,
        observation=observed,
    ) as pool:  # fmt: skip
        pool.reset()
        for control in CONTROLS:
            observation = pool.step(np.array([[control]]))[0]
            data.ctrl[:] = control
            mujoco.mj_step(model, data, nstep=3)
            if stage == "velocity":
                mujoco.mj_step1(model, data)
            if stage == "all":
                mujoco.mj_forward(model, data)
            place = [data.sensor("place").data] if sensors else []
            assert np.array_equal(observation[0], np.concatenate((data.qpos, data.qvel, *place)))


def test_auto_stage_is_what_is_read() -> None:
    accelerations = CART.replace(
        "<sensor>", '<sensor><framelinacc name="a" objtype="body" objname="pole"/>'
    )
    found = {}
    for parts, stage in ((["qpos"], "none"), (["place"], "velocity"), (["a"], "all")):
        for chosen in (stage, "auto"):
            with envpool.make(
                TASK, num_envs=1, xml_file=accelerations, observation=parts, stage=chosen
            ) as pool:
                pool.reset()
                found[chosen] = [pool.step(np.full((1, 1), 0.5))[0] for _ in range(20)]
        assert np.array_equal(found[stage], found["auto"])
    for parts, stage in ((["place"], "none"), (["a"], "velocity"), (["qacc"], "velocity")):
        with pytest.raises(ConfigError, match="stage"):
            envpool.make(TASK, xml_file=accelerations, observation=parts, stage=stage)


def test_controls_for_each_step() -> None:
    model, data = _reference(4)
    rng = np.random.default_rng(1)
    with envpool.make(
        TASK, num_envs=2, xml_file=CART, frame_skip=4, keyframe="leaning", substep_controls=True
    ) as pool:
        assert pool.action_space.shape == (4, 1)
        pool.reset()
        for _ in range(20):
            action = rng.uniform(-1, 1, (2, 4, 1)).astype(np.float32)
            observation = pool.step(action)[0]
            for control in action[1]:
                data.ctrl[:] = control
                mujoco.mj_step(model, data)
            mujoco.mj_forward(model, data)
            assert np.array_equal(observation[1], np.concatenate((data.qpos, data.qvel)))


@pytest.mark.parametrize("name", ["ant", "humanoid"])
def test_quick_contacts(name: str) -> None:
    """These models give the same numbers: Ant's bodies have one geom each, Humanoid's have more."""
    path = Path(gymnasium_models()) / f"{name}.xml"
    found = []
    for quick in (False, True):
        with envpool.make(
            TASK, num_envs=1, xml_file=path, frame_skip=5, quick_contacts=quick
        ) as pool:
            pool.reset()
            rng = np.random.default_rng(0)
            low, high = pool.action_space.low, pool.action_space.high
            found.append(
                [pool.step(rng.uniform(low, high)[np.newaxis].astype("f4"))[0] for _ in range(200)]
            )
    assert np.array_equal(*found)
