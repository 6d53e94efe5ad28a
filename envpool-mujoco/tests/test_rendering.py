# SPDX-License-Identifier: Apache-2.0
"""Frames are Gymnasium's, pixel for pixel; images as observations; OpenGL is a guest.

The reference is Gymnasium's own renderer, in this process and with the same OpenGL. No pixel may
differ: the same library draws with the same numbers.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["MUJOCO_GL"] = "egl"  # otherwise Gymnasium looks for a window

import envpool
import gymnasium
import mujoco
import numpy as np
import pytest
from dm_control import suite
from envpool.errors import ConfigError, RenderError
from envpool_mujoco import FAMILY, _dm_control, family
from models import CART
from numpy.typing import NDArray
from sampling import FULL

Frame = NDArray[np.uint8]

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date.*:DeprecationWarning")

_IDS = [task.id for task in FAMILY.envpool_tasks()]
_REFERENCES = [name for name in _IDS if name in gymnasium.registry]
# Version 4 applies a configuration that version 5 ignores in one task only.
_DRAWN = [x for x in _REFERENCES if x.endswith("-v5") or x == "InvertedDoublePendulum-v4"]
_TIMEOUT = 300  # seconds for another process; an emulated one takes minutes


class Reference:
    """Gymnasium's environment, from its start on."""

    def __init__(self, task_id: str, **options: Any) -> None:
        options = {"render_mode": "rgb_array", "disable_env_checker": True, **options}
        self.env: Any = gymnasium.make(task_id, **options)

    def __enter__(self) -> Any:
        """The environment."""
        return self.env

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.env.close()


def _actions(space: Any) -> Iterator[NDArray[np.float32]]:
    random = np.random.default_rng(5)
    while True:
        yield random.uniform(space.low, space.high).astype(np.float32)


def _render_threads() -> int:
    names = [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]
    return names.count("envpool-render\n")


def _resident() -> float:
    """MB of memory that this process uses."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def _run(script: str, timeout: float = _TIMEOUT) -> str:
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=timeout
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("task_id", _DRAWN)
def test_frames_are_those_of_gymnasium(task_id: str) -> None:
    pool = envpool.make(task_id, seed=7, render_mode="rgb_array", max_episode_steps=3)
    with pool, Reference(task_id, max_episode_steps=3) as env:
        pool.reset()
        env.reset(seed=7)
        over = False
        for i, action in enumerate(_actions(env.action_space)):
            if i in (0, 2, 4):  # the last is an automatic reset's
                frame = pool.render()
                assert frame.shape == (1, 480, 480, 3)
                assert frame.std() > 5, "there is something to be seen"
                np.testing.assert_array_equal(frame[0], env.render(), err_msg=f"step {i}")
            if i == 4:
                break
            if over:
                env.reset()
                over = False
            else:
                over = any(env.step(action)[2:4])
            pool.step(action[None])


@pytest.mark.parametrize(("width", "height"), [(83, 61), (128, 200)])
def test_sizes_and_cameras_are_those_of_gymnasium(width: int, height: int) -> None:
    size = {"width": width, "height": height}
    drawn = {f"render_{key}": value for key, value in size.items()}
    pool = envpool.make("Ant-v5", seed=3, render_mode="rgb_array", **drawn)
    with (
        pool,
        Reference("Ant-v5", **size) as env,
        Reference("Ant-v5", camera_id=0, **size) as fixed,
    ):
        for one in (pool.reset, lambda: env.reset(seed=3), lambda: fixed.reset(seed=3)):
            one()
        np.testing.assert_array_equal(pool.render()[0], env.render())
        np.testing.assert_array_equal(pool.render(camera_id=0)[0], fixed.render())


def test_depths_are_those_of_gymnasium() -> None:
    """Beside the colors, and alone; also in a vector pool's order."""
    with (
        envpool.make("Ant-v5", num_envs=2, seed=3, render_mode="depth_array") as pool,
        envpool.make("Ant-v5", "vector", num_envs=2, seed=3, render_mode="rgbd_tuple") as both,
        Reference("Ant-v5", render_mode="rgbd_tuple") as env,
    ):
        for one in (pool.reset, both.reset, lambda: env.reset(seed=3)):
            one()
        for _ in range(3):
            rgb, depth = env.render()
            depths, pairs = pool.render(env_ids=[0, 1]), both.render()
            assert depths.dtype == np.float32
            assert depths.shape == (2, 480, 480)
            np.testing.assert_array_equal(depths[0], depth)
            assert depth.min() < depth.max()
            np.testing.assert_array_equal(pairs[0][0], rgb)
            np.testing.assert_array_equal([pair[1] for pair in pairs], depths)
            env.step(np.ones(8, np.float32))
            pool.step(np.ones((2, 8), np.float32))
            both.step(np.ones((2, 8), np.float32))


def test_the_camera_is_where_the_option_says() -> None:
    config = {"distance": 6.0, "elevation": -50.0, "azimuth": 30, "lookat": np.array([1, 0, 0.5])}
    pool = envpool.make(
        "Hopper-v5", seed=3, render_mode="rgb_array", render_width=90, default_camera_config=config
    )
    small = {"width": 90, "height": 90}
    with pool, Reference("Hopper-v5", default_camera_config=config, **small) as env:
        pool.reset()
        env.reset(seed=3)
        np.testing.assert_array_equal(pool.render()[0], env.render())
    for wrong in ({"distance": [1, 2]}, {"height": 3}, {"lookat": 1}):
        with pytest.raises(ConfigError, match="Pass some of these"):
            envpool.make_spec("Hopper-v5", default_camera_config=wrong)


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Walker2d-v5", {"camera_name": "track"}),
        ("Ant-v4", {"camera_name": "track"}),
        ("Hopper-v5", {"max_geom": 4}),
        (
            "Humanoid-v5",
            {"visual_options": dict.fromkeys(range(mujoco.mjtVisFlag.mjNVISFLAG), True)},
        ),
        (
            "HalfCheetah-v5",
            {
                "visual_options": {
                    mujoco.mjtVisFlag.mjVIS_CONTACTPOINT: True,
                    mujoco.mjtVisFlag.mjVIS_JOINT: np.True_,
                    mujoco.mjtVisFlag.mjVIS_TEXTURE: False,
                }
            },
        ),
    ],
)
def test_rendering_options_are_gymnasiums(task_id: str, options: dict[str, Any]) -> None:
    shape = {"width": 60, "height": 40}
    ours = {"render_width": 60, "render_height": 40, "render_mode": "rgb_array"}
    with (
        envpool.make(task_id, seed=3, **ours, **options) as pool,
        envpool.make(task_id, seed=3, **ours) as plain,
        Reference(task_id, **shape, **options) as env,
    ):
        for one in (pool.reset, plain.reset, lambda: env.reset(seed=3)):
            one()
        for action in itertools.islice(_actions(env.action_space), 3):
            np.testing.assert_array_equal(pool.render()[0], env.render())
            assert not np.array_equal(pool.render(), plain.render())
            for one in (pool, plain):
                one.step(action[None])
            env.step(action)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"camera_name": "trakc"}, "cameras of the model, by name: track. Did you mean 'track'"),
        ({"camera_name": "track", "render_camera_id": 0}, "Leave one of them out"),
        ({"max_geom": 0}, "1 .. 1000000"),
        ({"visual_options": {99: True}}, "mjtVisFlag, 0 .. "),
    ],
)
def test_rendering_options_that_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(text)):
        envpool.make("Ant-v5", **options)


# NumPy 2.5, which is for Python 3.12 and newer, warns of dm_control's code.
@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning:dm_control")
@pytest.mark.parametrize(
    "task_id",
    # A tendon, a skin, arrays that the task changes, terrain, and rays that are not drawn.
    ["BallInCupCatch-v1", "CheetahRun-v1", "DogWalk-v1", "FishSwim-v1", "QuadrupedEscape-v1"],
)
def test_frames_are_those_of_dm_control(task_id: str) -> None:
    task = _dm_control.TASKS[task_id]
    env = suite.load(task.domain, task.task, task_kwargs={"random": 3})
    physics = env.physics
    size = {"render_width": 84, "render_height": 84}
    with envpool.make(task_id, "dm", seed=3, render_mode="rgb_array", **size) as pool:
        actions = _actions(pool.spec.action_space)
        env.reset()
        pool.reset()
        for _ in range(2):
            for camera in (-1, 0):
                frame = pool.render(camera_id=camera)[0]
                np.testing.assert_array_equal(frame, physics.render(84, 84, camera_id=camera))
            action = next(actions)
            env.step(action)
            pool.step(action[None])
    physics.free()


def test_frames_of_environments_that_take_turns() -> None:
    """A frame shows its environment's last values, contacts too, after others' turns."""
    options: dict[str, Any] = {
        "render_mode": "rgb_array",
        "render_width": 60,
        "visual_options": {mujoco.mjtVisFlag.mjVIS_CONTACTPOINT: True},
    }
    pools = [envpool.make("Ant-v5", seed=6 + i, **options) for i in range(3)]
    with envpool.make("Ant-v5", num_envs=3, num_threads=1, seed=6, **options) as together:
        for pool in (together, *pools):
            pool.reset()
        for action in itertools.islice(_actions(together.action_space), 12):
            frames = together.render(env_ids=[0, 1, 2])
            for i, pool in enumerate(pools):
                np.testing.assert_array_equal(frames[i], pool.render()[0])
                pool.step(action[None])
            together.step(np.stack([action] * 3))
    for pool in pools:
        pool.close()


def test_images_and_frames_of_dm_control_have_its_sizes() -> None:
    with (
        envpool.make("CheetahRun-v1", "dm", render_mode="rgb_array") as pool,
        envpool.make("CheetahRun-v1", "dm", from_pixels=True, render_quality="fast") as images,
    ):
        pool.reset()
        assert pool.render().shape == (1, 240, 320, 3)
        assert images.reset().observation.pixels.shape == (1, 3, 84, 84)


def test_own_models_are_drawn_as_mujoco_draws_them() -> None:
    model = mujoco.MjModel.from_xml_string(CART)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with (
        envpool.make(
            "MujocoXml-v0", xml_file=CART, render_mode="rgb_array", render_width=90
        ) as pool,
        envpool.make("MujocoXml-v0", xml_file=CART, from_pixels=True, frame_stack=2) as images,
        mujoco.Renderer(model, 90, 90) as renderer,
    ):
        pool.reset()
        renderer.update_scene(data)
        frame = pool.render()[0]
        np.testing.assert_array_equal(frame, renderer.render())
        assert frame.std() > 5
        assert images.reset()[0].shape == (1, 6, 84, 84)


def test_one_side_alone_gives_a_square() -> None:
    with envpool.make("Ant-v5", render_mode="rgb_array", render_height=40) as pool:
        pool.reset()
        assert pool.render().shape == (1, 40, 40, 3)


def test_a_saved_state_has_its_frame() -> None:
    options = {"num_envs": 2, "render_mode": "rgb_array", "render_width": 60}
    with envpool.make("Ant-v5", **options) as pool, envpool.make("Ant-v5", **options) as other:
        pool.reset()
        first = pool.render([0])  # from here on its camera looks at the robot's present place
        for action in np.full((10, 2, 8), 0.7, np.float32):
            pool.step(action)
        saved = pool.save_state([0])
        frame = pool.render([0])
        pool.reset()
        assert not np.array_equal(pool.render([0]), frame)
        pool.load_state(saved, [0])
        np.testing.assert_array_equal(pool.render([0]), frame)
        other.reset()
        other.render()
        other.load_state(saved, [1])
        np.testing.assert_array_equal(other.render([1]), frame)
        assert not np.array_equal(first, frame)


def _play(task_id: str, frames: list[Frame]) -> None:
    with envpool.make(
        task_id, num_envs=2, render_mode="rgb_array", render_env_id=1, render_width=50
    ) as pool:
        pool.reset()
        for action in np.full((2, 2, pool.action_space.shape[0]), 0.3, np.float32):
            pool.step(action)
            frames.append(pool.render()[0])


def test_pools_in_several_threads_draw_the_same() -> None:
    names = ["Ant-v5", "HalfCheetah-v5", "Ant-v4"]
    alone: list[list[Frame]] = [[] for _ in names]
    together: list[list[Frame]] = [[] for _ in names]
    for name, frames in zip(names, alone, strict=True):
        _play(name, frames)
    threads = [
        threading.Thread(target=_play, args=pair) for pair in zip(names, together, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_TIMEOUT)
    np.testing.assert_array_equal(together, alone)


def test_the_context_of_another_renderer_survives() -> None:
    size = {"width": 64, "height": 64}
    with Reference("HalfCheetah-v5", **size) as env:
        env.reset(seed=1)
        before = env.render()
        with envpool.make("Ant-v5", num_envs=2, from_pixels=True, render_quality="fast") as pool:
            pool.reset()
            np.testing.assert_array_equal(env.render(), before)
            pool.step(np.zeros((2, 8), np.float32))
            np.testing.assert_array_equal(env.render(), before)
        np.testing.assert_array_equal(env.render(), before)
        assert before.std() > 5


@pytest.mark.parametrize("quality", ["full", "fast"])
def test_images_are_observations(quality: str) -> None:
    options = {"num_envs": 2, "frame_stack": 3, "render_quality": quality, "max_episode_steps": 3}
    pool = envpool.make("Ant-v5", from_pixels=True, render_mode="rgb_array", **options)
    with pool:
        assert pool.observation_space.shape == (9, 84, 84)
        last, _ = pool.reset()
        assert last.dtype == np.uint8
        np.testing.assert_array_equal(last[:, :3], last[:, 6:])
        for i, action in enumerate(np.full((5, 2, 8), 0.5, np.float32)):
            seen = pool.step(action)[0]
            drawn = pool.render([0, 1]).transpose(0, 3, 1, 2)
            np.testing.assert_array_equal(seen[:, 6:], drawn)
            first = i == 3  # the automatic reset
            np.testing.assert_array_equal(
                seen[:, :6], last[:, 3:] if not first else np.tile(drawn, (1, 2, 1, 1))
            )
            last = seen


def test_images_of_full_quality_are_those_of_gymnasium() -> None:
    with (
        envpool.make("HalfCheetah-v5", seed=2, from_pixels=True) as pool,
        Reference("HalfCheetah-v5", width=84, height=84) as env,
    ):
        seen = pool.reset()[0]
        env.reset(seed=2)
        np.testing.assert_array_equal(seen[0].transpose(1, 2, 0), env.render())


def test_images_are_the_same_for_any_number_of_threads() -> None:
    seen: list[list[Frame]] = []
    for num_threads in (1, 3):
        with envpool.make(
            "HalfCheetah-v5", num_envs=6, from_pixels=True, render_quality="fast",
            num_threads=num_threads,
        ) as pool:  # fmt: skip
            frames = [pool.reset()[0]]
            frames += [pool.step(np.full((6, 6), 0.5, np.float32))[0] for _ in range(5)]
        seen.append(frames)
    np.testing.assert_array_equal(seen[0], seen[1])


def test_saved_images() -> None:
    with envpool.make("Ant-v5", from_pixels=True, frame_stack=2, render_quality="fast") as pool:
        pool.reset()
        action = np.full((1, 8), 0.5, np.float32)
        pool.step(action)
        saved = pool.save_state()
        wanted = pool.step(action)[0]
        pool.reset()
        pool.load_state(saved)
        np.testing.assert_array_equal(pool.step(action)[0], wanted)


def test_contexts_belong_to_threads_and_end_with_the_pools() -> None:
    assert _render_threads() == 0
    options = {"from_pixels": True, "render_quality": "fast", "num_threads": 2}
    with envpool.make("Ant-v5", num_envs=8, **options) as small:
        small.reset()
        before = _resident()
        with envpool.make("Ant-v5", num_envs=72, **options) as large:
            large.reset()
            grown = (_resident() - before) / 72
            assert 1 <= _render_threads() <= 2
        assert grown < 2, f"{grown:.2f} MB for each environment"
        assert _render_threads() >= 1
    assert _render_threads() == 0


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(ConfigError, match=r"render_quality='fsat'.*Did you mean 'fast'"):
        envpool.make("Ant-v5", render_quality="fsat")
    with pytest.raises(ConfigError, match=r"make\('Ant-v5', render_camera_id=7\).*0 \(track\)"):
        envpool.make("Ant-v5", from_pixels=True, render_camera_id=7)
    with envpool.make("Ant-v5", render_mode="rgb_array") as pool:
        pool.reset()
        with pytest.raises(RenderError, match=r"got 1; allowed: -1 \(the free camera\), 0 \(track"):
            pool.render(camera_id=1)
        assert pool.render().shape == (1, 480, 480, 3)
    with envpool.make("Ant-v5", render_mode="rgb_array", render_width=16_000) as pool:
        pool.reset()
        with pytest.raises(RenderError, match=r"16000 x 16000.* in all, at most"):
            pool.render()


def test_without_opengl() -> None:
    printed = _run("""
import envpool
from envpool.errors import ConfigError, RenderError
from envpool_mujoco import _mujoco, family

_mujoco.look_for_gl(egl="libnothing.so.1", osmesa="libnothing.so.8")
print(family.gl_finding())
pool = envpool.make("Ant-v5", render_mode="rgb_array")
pool.reset()
for draw in (pool.render, lambda: envpool.make("Ant-v5", from_pixels=True)):
    try:
        draw()
    except (ConfigError, RenderError) as error:
        print(error)
pool.step([[0] * 8])
""")
    finding, render, make = printed.splitlines()
    for text in (finding, render, make):
        assert "libnothing.so.1: cannot open" in text
        assert "libegl1 libgl1-mesa-dri" in text
        assert "libosmesa6" in text
    assert "'missing'" in finding
    assert make.startswith("make('Ant-v5', from_pixels=True): got no OpenGL")


def test_forked_processes() -> None:
    printed = _run("""
import os
import envpool

def draw(pool):
    try:
        pool.reset()
        return f"drawn {pool.render().std() > 5}"
    except Exception as error:  # whatever it is, its name is what the test looks at
        return f"{type(error).__name__} {error}"

def child(work):
    pid = os.fork()
    if pid == 0:
        print(work(), flush=True)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0

make = lambda: envpool.make("Ant-v5", render_mode="rgb_array", render_width=32)
child(lambda: draw(make()))
pool = make()
print(draw(pool), flush=True)
child(lambda: draw(pool))
child(lambda: draw(make()))
print(draw(pool), flush=True)
pool.close()
child(lambda: draw(make()))
""")
    fresh, first, same, new, again, closed = printed.splitlines()
    assert fresh == first == again == "drawn True"
    assert same.startswith("StateError")
    for text in (new, closed):
        assert text.startswith("RenderError")
        assert "'spawn'" in text


def test_forked_children_end() -> None:
    """Also children that are forked while another thread draws, and that end as Python ends."""
    forks = 1000 if FULL else 8
    printed = _run(
        f"""
import os, sys, threading, time
import envpool

make = lambda: envpool.make("Hopper-v5", num_envs=2, render_mode="rgb_array", render_width=32)
pool, drawn = make(), make()
for each in (pool, drawn):
    each.reset()
    each.render()
ends = threading.Event()

def draw():
    while not ends.is_set():
        drawn.render()

thread = threading.Thread(target=draw)
thread.start()
ended = 0
for _ in range({forks}):
    pid = os.fork()
    if pid == 0:
        sys.exit()
    limit = time.monotonic() + 60
    while not (found := os.waitpid(pid, os.WNOHANG))[0] and time.monotonic() < limit:
        time.sleep(0.001)
    if not found[0]:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    ended += found == (pid, 0)
ends.set()
thread.join()
print(ended)
""",
        timeout=120 + forks,
    )
    assert printed.split() == [str(forks)]


def test_the_process_may_end_at_any_time() -> None:
    """With pools open, frames in flight, and another renderer whose display is closed first."""
    _run("""
import os
os.environ["MUJOCO_GL"] = "egl"
import envpool, gymnasium

env = gymnasium.make("Ant-v5", render_mode="rgb_array", width=32, height=32)
env.reset()
pools = [
    envpool.make("Ant-v5", num_envs=4, batch_size=2, from_pixels=True, num_threads=2)
    for _ in range(2)
]
for pool in pools:
    pool.async_reset()
env.render()
""")


def test_the_environment_of_the_process_is_as_before() -> None:
    assert "LP_NUM_THREADS" not in os.environ
    with envpool.make("Ant-v5", render_mode="rgb_array", render_width=32) as pool:
        pool.reset()
        pool.render()
        assert "LP_NUM_THREADS" not in _run("import os; print(list(os.environ))")


def test_the_doctor_says_what_draws() -> None:
    finding = family.gl_finding()
    assert finding.status == "ok"
    assert finding.detail.startswith(("EGL, ", "OSMesa, "))
