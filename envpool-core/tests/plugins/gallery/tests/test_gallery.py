# SPDX-License-Identifier: Apache-2.0
"""A family from outside has everything that EnvPool's own have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import envpool
import envpool_gallery
import numpy as np
import pytest
from envpool.errors import ConfigError, PluginError
from envpool.testing import check_task

HALL, CLOSET, PIXELS, OLD = (
    "Gallery/Hall-v1",
    "Gallery/Closet-v0",
    "Gallery/ClosetPixels-v0",
    "Gallery/Hall-v0",
)
SMALL = {"from_pixels": True, "render_width": 12, "render_height": 10}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    code = "from envpool.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PYTHONWARNINGS": "ignore", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def planes(frames: np.ndarray) -> np.ndarray:
    """Frames as `render` gives them, in the order of observations."""
    return frames.transpose(0, 3, 1, 2)


def test_it_is_found():
    assert {HALL, CLOSET, PIXELS, OLD, "Gallery/Hall"} <= set(envpool.list_all_envs())
    assert envpool.failures() == []


def test_environments_share_a_file_that_is_read_once(tmp_path):
    from envpool_gallery import _gallery

    before = _gallery.plans_read()
    with envpool.make(HALL, num_envs=64) as pool, envpool.make(HALL, num_envs=64, num_threads=2):
        pool.reset()
        assert _gallery.plans_read() == before + 1
        envpool.make(CLOSET, num_envs=64).close()
        assert _gallery.plans_read() == before + 2
    envpool.make(HALL).close()  # no user held it any more
    assert _gallery.plans_read() == before + 3
    # A file that was changed is another one, also while the old one is in use.
    plan = tmp_path / "maps" / "hall.txt"
    plan.parent.mkdir()
    plan.write_text("####\n#.E#\n####\n")
    with envpool.make(HALL, base_path=str(tmp_path)):
        plan.write_text("#####\n#E..#\n#####\n")
        with envpool.make(HALL, base_path=str(tmp_path), num_envs=2) as pool:
            assert (pool.reset()[0][:, 1] >= 2).all()
    assert _gallery.plans_read() == before + 5


@pytest.mark.parametrize("options", [SMALL, SMALL | {"frame_stack": 3}])
def test_the_contract_holds_with_images(options):
    check_task(HALL, **options)


def test_files_are_read_once_and_when_they_are_needed():
    script = f"""
import threading, envpool, envpool_gallery
envpool.list_all_envs()
assert (envpool_gallery.prepared, envpool_gallery.palettes) == ([], [])
arrived = threading.Barrier(4)
def make():
    arrived.wait(timeout=30)
    envpool.make({HALL!r}, num_envs=2).reset()
threads = [threading.Thread(target=make) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join(timeout=30) for thread in threads]
assert envpool_gallery.prepared == [({HALL!r}, {{"num_envs": 2}}, True)] * 4
envpool.make_spec("Gallery/Hall", plan="closet")
assert envpool_gallery.prepared[4:] == [({HALL!r}, {{"plan": "closet"}}, False)]
assert len(envpool_gallery.palettes) == 1
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_path_of_the_assets_reaches_the_environment():
    assert envpool.make_spec(HALL).config.base_path == str(envpool_gallery.ASSETS)
    assert envpool.make_spec(HALL, base_path="").config.base_path == str(envpool_gallery.ASSETS)


def test_a_path_of_the_user_s_own(tmp_path: Path):
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "cell.txt").write_text("####\n#.E#\n####\n")
    pool = envpool.make(HALL, base_path=tmp_path, plan="cell", num_envs=2)
    assert pool.reset()[0].tolist() == [[1, 1]] * 2
    assert pool.step(np.array([1, 0]))[2].tolist() == [True, False]


def test_a_missing_file_is_explained():
    with pytest.raises(ConfigError) as caught:
        envpool.make(HALL, plan="attic")
    assert (
        "file 'maps/attic.txt' of the task: got nothing of that name in "
        f"{envpool_gallery.ASSETS}; allowed: files that the family's wheel brings, or that are in "
        "base_path. Install the wheel again, or correct base_path."
    ) in str(caught.value)


def test_a_file_of_the_wheel_that_is_missing_is_explained(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(envpool_gallery, "ASSETS", Path("/not/there"))
    with pytest.raises(PluginError) as caught:
        envpool.make(HALL)
    message = str(caught.value)
    assert "envpool_prepare() of envpool_gallery for task 'Gallery/Hall-v1': got " in message
    assert "FileNotFoundError: [Errno 2] No such file or directory: '/not/there/pal" in message
    assert message.endswith("run `pip install --force-reinstall envpool-gallery`.")


@pytest.mark.parametrize("stack", [1, 3])
def test_observations_are_images(stack):
    options = {"num_envs": 3, "seed": 5, "render_mode": "rgb_array", "max_episode_steps": 8}
    pool = envpool.make(HALL, **options, **SMALL, frame_stack=stack)
    other = envpool.make(HALL, **options)
    assert pool.observation_space.shape == (3 * stack, 10, 12)
    assert pool.observation_space.dtype == np.uint8
    obs, info = pool.reset()
    expected = other.reset()
    history = [planes(pool.render(range(3)))] * stack
    rng = np.random.default_rng(1)
    for _ in range(40):
        np.testing.assert_array_equal(obs, np.concatenate(history, axis=1))
        np.testing.assert_array_equal(info["steps"], expected[-1]["steps"])
        assert [len(trail) for trail in info["trail"]] == info["steps"].tolist()
        action = rng.integers(4, size=3)
        obs, *rest, info = pool.step(action)
        expected = other.step(action)
        for mine, theirs in zip(rest, expected[1:4], strict=True):
            np.testing.assert_array_equal(mine, theirs)
        frame = planes(pool.render(range(3)))
        first = (info["elapsed_step"] == 0)[:, None, None, None]
        history = [np.where(first, frame, old) for old in [*history[1:], frame]]


def test_the_size_that_images_have():
    assert envpool.make_spec(HALL, from_pixels=True).observation_space.shape == (3, 84, 84)
    assert envpool.make_spec(PIXELS).observation_space.shape == (6, 16, 20)
    assert envpool.make_spec(PIXELS, render_width=8).observation_space.shape == (6, 16, 8)
    assert envpool.make_spec(PIXELS, from_pixels=False, frame_stack=1).observation_space.shape == (
        2,
    )
    time_step = envpool.make_dm(PIXELS, num_envs=2).reset()
    assert time_step.observation.pixels.shape == (2, 6, 16, 20)


def test_images_are_saved_and_loaded():
    pool = envpool.make(HALL, num_envs=2, **SMALL, frame_stack=4)
    pool.reset()
    for action in (0, 1, 2, 3):
        pool.step(np.full(2, action))
    states = pool.save_state()
    expected = [pool.step(np.full(2, action))[0] for action in (1, 2, 0)]
    pool.reset()
    pool.load_state(states)
    for action, wanted in zip((1, 2, 0), expected, strict=True):
        np.testing.assert_array_equal(pool.step(np.full(2, action))[0], wanted)
    with pytest.raises(envpool.errors.SavedStateError, match="of a pool with another frame_stack"):
        envpool.make(HALL, num_envs=2, **SMALL).load_state(states)


def test_a_stack_of_no_images_is_refused():
    with pytest.raises(ConfigError) as caught:
        envpool.make(HALL, frame_stack=4)
    assert str(caught.value) == (
        "make('Gallery/Hall-v1', frame_stack=4): got a number of images for observations that "
        "are none; allowed: frame_stack with from_pixels=True. Pass from_pixels=True too, or leave "
        "frame_stack out."
    )
    with pytest.raises(ConfigError, match=r"frame_stack=0\): got 0; allowed: 1 \.\. 1024"):
        envpool.make(HALL, frame_stack=0, from_pixels=True)


def test_render():
    pool = envpool.make(CLOSET, num_envs=2, render_mode="rgb_array", render_env_id=1)
    (y, x), *_ = pool.reset()[0][1:]
    frame = pool.render()
    assert frame.shape == (1, 16, 20, 3)
    assert frame[0, 4 * y, 4 * x].tolist() == [200, 0, 0]
    assert frame[0, 0, 0].tolist() == [40, 40, 40]
    assert pool.spec.task.render_fps == 8


def test_defaults_of_each_task():
    configs = {task: envpool.make_spec(task).config for task in (HALL, CLOSET, "Gallery/Hall")}
    assert [c.plan for c in configs.values()] == ["hall", "closet", "hall"]
    assert [c.max_episode_steps for c in configs.values()] == [60, 20, 60]
    assert envpool.make_spec(CLOSET).reward_threshold == -2.0


def test_an_alias_is_the_task():
    pool = envpool.make("Gallery/Hall")
    assert pool.spec.id == "Gallery/Hall"
    assert pool.spec.task.id == HALL


def test_a_deprecated_task_says_so():
    with pytest.warns(DeprecationWarning, match="deprecated") as caught:
        envpool.make_spec(OLD)
    said = (
        "outdated since version 0.1.0, it will be removed in version 0.3.0; "
        "use 'Gallery/Hall-v1' instead"
    )
    assert [str(warning.message) for warning in caught] == [
        f"task 'Gallery/Hall-v0' is deprecated: {said}"
    ]
    assert caught[0].filename == __file__
    assert json.loads(run("info", OLD, "--json").stdout)["deprecated"] == said
    assert f"deprecated {said}" in " ".join(run("info", OLD).stdout.split())
    assert f"(deprecated: {said})\n" in run("list-envs", "--family", "gallery").stdout


def test_info_explains_the_options():
    facts = json.loads(run("info", HALL, "--json", "--set", "from_pixels=true").stdout)
    options = {option["key"]: option for option in facts["options"] if option["of"] == "task"}
    assert options["plan"]["meaning"].startswith("name of the floor plan")
    assert options["from_pixels"] == {
        "key": "from_pixels",
        "default": False,
        "value": True,
        "of": "task",
        "meaning": "True: observations are images, of render_width x render_height (84 x 84)",
    }
    assert options["frame_stack"]["default"] == 1
    assert (facts["pixels"], facts["files"]) == (True, str(envpool_gallery.ASSETS))
    lines = [" ".join(line.split()) for line in run("info", HALL).stdout.splitlines()]
    can = "draw itself; save and load its state; be seen by its images (from_pixels=True)"
    assert {f"can {can}", f"files {envpool_gallery.ASSETS}"} <= set(lines)


def test_its_commands():
    assert run("gallery", "plans").stdout == "closet\nhall\n"
    assert run("gallery", "show", "closet").stdout == "#####\n#..E#\n#...#\n#####\n"
    assert "Floor plans of the gallery." in run("--help").stdout
