# SPDX-License-Identifier: Apache-2.0
"""Observations: sizes, stacks, the other buffers, compared with ViZDoom's own and OpenCV."""

from __future__ import annotations

import platform
from typing import Any

import cv2
import envpool
import numpy as np
import pytest
import vizdoom
from numpy.typing import NDArray
from references import FRAME_SKIP, SCENARIOS, doom_game, has_sound, planes

_ON_ARM = platform.machine() == "aarch64"
_RAW: dict[str, Any] = {"img_width": 320, "img_height": 240, "stack_num": 1}


def _frames(task: str, steps: int, **options: Any) -> list[np.ndarray]:
    """Observations of one environment that presses all buttons in every second step."""
    with envpool.make(task, num_envs=1, seed=7, **options) as pool:
        obs, _ = pool.reset()
        shape = (1, *pool.action_space.shape)
        steps_taken = (pool.step(np.full(shape, float(step % 2))) for step in range(steps))
        return [obs[0], *(result[0][0] for result in steps_taken)]


@pytest.mark.parametrize(
    ("resolution", "width", "height", "by_area"),
    [
        ("320x240", 84, 84, True),
        ("160x120", 84, 84, True),
        ("320x240", 160, 120, True),
        ("640x480", 100, 31, True),
        ("160x120", 200, 180, True),
        ("320x240", 84, 84, False),
        ("160x120", 250, 180, False),
    ],
)
def test_resizing_is_that_of_opencv(
    resolution: str, width: int, height: int, by_area: bool
) -> None:
    full = {"img_width": int(resolution[:3]), "img_height": int(resolution[4:]), "stack_num": 1}
    options = {"render_resolution": resolution, "use_inter_area_resize": by_area}
    raw = _frames("DeadlyCorridor-v1", 20, **options, **full)
    small = {"img_width": width, "img_height": height, "stack_num": 1}
    resized = _frames("DeadlyCorridor-v1", 20, **options, **small)
    method = cv2.INTER_AREA if by_area else cv2.INTER_LINEAR
    differing = total = 0
    for whole, ours in zip(raw, resized, strict=True):
        theirs = np.stack([_resize(plane, (width, height), method) for plane in whole])
        difference = np.abs(theirs.astype(int) - ours)
        assert difference.max() <= 1
        differing += np.count_nonzero(difference)
        total += difference.size
    shrinks = width <= int(resolution[:3]) and height <= int(resolution[4:])
    # For aarch64 OpenCV fuses multiplications and additions: at most 1 of 230 pixels of noise
    # differs. Its libraries there interpolate otherwise if an area grows.
    on_arm = 0.0 if not by_area else 0.005 if shrinks else 0.1
    assert differing <= (on_arm if _ON_ARM else 0) * total


def _resize(plane: NDArray[np.uint8], size: tuple[int, int], method: int) -> NDArray[np.uint8]:
    """OpenCV's result; for aarch64, some of its libraries scale up to 4 channels otherwise."""
    if not _ON_ARM or method == cv2.INTER_AREA:
        return np.asarray(cv2.resize(plane, size, interpolation=method), np.uint8)
    five = np.repeat(plane[:, :, np.newaxis], 5, axis=2)
    return np.asarray(cv2.resize(five, size, interpolation=method)[:, :, 0], np.uint8)


def test_stacks_have_the_oldest_frame_first() -> None:
    single = _frames("Basic-v1", 9, **_RAW)
    stacked = _frames("Basic-v1", 9, **{**_RAW, "stack_num": 3})
    for step, stack in enumerate(stacked):
        for place in range(3):
            frame = single[max(step - 2 + place, 0)]
            np.testing.assert_array_equal(stack[3 * place : 3 * place + 3], frame)


def test_a_new_episode_fills_the_stack() -> None:
    with envpool.make("Basic-v1", num_envs=1, max_episode_steps=3, seed=1) as pool:
        pool.reset()
        for _ in range(3):
            *_, truncated, _ = pool.step(np.ones((1, 3)))
        assert truncated[0]
        obs, *_ = pool.step(np.ones((1, 3)))
        for place in range(1, 4):
            np.testing.assert_array_equal(obs[0, :3], obs[0, 3 * place : 3 * place + 3])


def test_other_buffers_are_those_of_the_reference() -> None:
    seen: dict[str, Any] = {
        "depth_buffer_enabled": True,
        "labels_buffer_enabled": True,
        "automap_buffer_enabled": True,
    }
    with (
        envpool.make("DeadlyCorridor-v1", num_envs=1, seed=3, **_RAW, **seen) as pool,
        doom_game(SCENARIOS / "deadly_corridor.cfg", 3, {**seen, "episode_timeout": 0}) as game,
    ):
        obs, _ = pool.reset()
        assert set(obs) == {"screen", "depth", "labels", "automap"}
        labels = set()
        for step in range(30):
            state = game.get_state()
            np.testing.assert_array_equal(obs["screen"][0], planes(state.screen_buffer))
            np.testing.assert_array_equal(obs["depth"][0, 0], state.depth_buffer)
            np.testing.assert_array_equal(obs["labels"][0, 0], state.labels_buffer)
            np.testing.assert_array_equal(obs["automap"][0], planes(state.automap_buffer))
            labels |= set(np.unique(obs["labels"]).tolist())
            action = [float((step + k) % 3 == 0) for k in range(7)]
            game.make_action(action, FRAME_SKIP)
            if game.is_episode_finished():
                break
            obs, *_ = pool.step(np.array([action]))
        assert len(labels) > 2 and len(np.unique(obs["depth"])) > 10


def test_labels_keep_their_numbers_when_they_are_resized() -> None:
    options = {"labels_buffer_enabled": True, "render_resolution": "160x120"}
    with envpool.make("DefendTheCenter-v1", num_envs=1, seed=2, **options) as small:
        obs, _ = small.reset()
        size = {"img_width": 160, "img_height": 120}
        with envpool.make("DefendTheCenter-v1", num_envs=1, seed=2, **options, **size) as whole:
            all_of_them, _ = whole.reset()
    assert obs["labels"].shape == (1, 4, 84, 84)
    assert len(np.unique(obs["labels"])) > 1
    assert set(np.unique(obs["labels"])) <= set(np.unique(all_of_them["labels"]))


def test_sound_is_heard_as_by_the_reference() -> None:
    if not has_sound():  # `make` has then refused it; the reference is silent, or ends
        return
    seen = {"audio_buffer_enabled": True}
    settings = {"episode_timeout": 0, "audio_buffer_size": FRAME_SKIP, "audio_buffer_enabled": True}
    with (
        envpool.make("BasicAudio-v1", num_envs=1, seed=3, **seen) as pool,
        doom_game(SCENARIOS / "basic_audio.cfg", 3, settings) as game,
    ):
        obs, _ = pool.reset()
        assert set(obs) == {"screen", "audio"}
        assert obs["audio"].shape == (1, 4 * 44100 // 35, 2) and obs["audio"].dtype == np.int16
        heard = False
        for _ in range(10):
            heard |= bool(obs["audio"].any())
            np.testing.assert_array_equal(obs["audio"][0], game.get_state().audio_buffer)
            game.make_action([0.0, 0.0, 1.0], FRAME_SKIP)
            if game.is_episode_finished():
                break
            obs, *_ = pool.step(np.array([[0.0, 0.0, 1.0]]))
        assert heard


def test_a_recording_can_be_played_again(tmp_path: Any) -> None:
    folder = tmp_path / "demos"
    options = {**_RAW, "num_envs": 1, "seed": 6, "lmp_save_dir": folder, "max_episode_steps": 20}
    episodes: list[list[np.ndarray]] = [[], []]
    with envpool.make("DefendTheCenter-v1", **options) as pool:
        obs, _ = pool.reset()
        random = np.random.default_rng(1)
        for episode in episodes:
            over = False
            while not over:
                obs, _, terminated, truncated, _ = pool.step(
                    random.integers(0, 2, (1, 3)).astype(float)
                )
                episode.append(obs[0])
                over = bool(terminated[0] or truncated[0])
            pool.step(np.zeros((1, 3)))
    assert sorted(path.name for path in folder.iterdir())[:2] == ["env_0_1.lmp", "env_0_2.lmp"]
    for number, episode in enumerate(episodes, 1):
        game = vizdoom.DoomGame()
        game.load_config(str(SCENARIOS / "defend_the_center.cfg"))
        game.set_window_visible(False)
        game.set_mode(vizdoom.Mode.PLAYER)
        game.set_doom_map("map01")
        game.set_episode_timeout(0)
        game.init()
        game.replay_episode(str(folder / f"env_0_{number}.lmp"))
        shown = []
        for _ in range(4 * len(episode)):
            if game.is_episode_finished():
                break
            shown.append(game.get_state().screen_buffer.tobytes())
            game.advance_action(1)
        game.close()
        frames = [frame.tobytes() for frame in episode]
        # A replay may begin a tic earlier or later; each frame of the episode is among its frames.
        assert len(set(frames) & set(shown)) > 0.8 * len(set(frames))
