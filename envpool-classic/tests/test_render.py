# SPDX-License-Identifier: Apache-2.0
"""Pools draw Gymnasium's frames, at any size."""

from __future__ import annotations

import os
import warnings
from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from alignment import UNKNOWN
from envpool.errors import MissingPackageError, RenderError
from envpool.testing.fidelity import Comparison, play_beside
from envpool_classic import FAMILY, _sprites

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pygame's import of pkg_resources
    import pygame  # noqa: F401

# Task, the Gymnasium task that draws it, width and height, options.
_DRAWN = (
    ("CartPole-v1", "CartPole-v1", (600, 400), {}),
    ("MountainCar-v0", "MountainCar-v0", (600, 400), {}),
    ("MountainCarContinuous-v0", "MountainCarContinuous-v0", (600, 400), {}),
    ("Pendulum-v1", "Pendulum-v1", (500, 500), {}),
    ("Acrobot-v1", "Acrobot-v1", (500, 500), {}),
    ("FrozenLake-v1", "FrozenLake-v1", (256, 256), {}),
    ("FrozenLake8x8-v1", "FrozenLake8x8-v1", (512, 512), {}),
    ("FrozenLake-v1", "FrozenLake-v1", (192, 128), {"desc": ["SFS", "HFG"]}),
    ("Taxi-v3", "Taxi-v4", (536, 456), {}),
    ("Taxi-v4", "Taxi-v4", (536, 456), {}),
    ("CliffWalking-v1", "CliffWalking-v1", (768, 256), {}),
    ("Blackjack-v1", "Blackjack-v1", (384, 376), {}),
)


@pytest.mark.parametrize(("task_id", "source", "size", "options"), _DRAWN, ids=str)
def test_frames_are_gymnasiums(
    task_id: str, source: str, size: tuple[int, int], options: dict[str, Any], rounding: int
) -> None:
    env: gymnasium.Env[Any, Any] = gymnasium.make(
        source, render_mode="rgb_array", disable_env_checker=True, **options
    )
    # The arrow of Pendulum: test_scale.py.
    largest = 3 * rounding if source == "Pendulum-v1" else 0
    comparison = Comparison(within={"pixels": largest}, skip=UNKNOWN.get(task_id, ()))
    with envpool.make(task_id, num_envs=1, seed=5, render_mode="rgb_array", **options) as pool:
        play_beside(pool, [env], steps=60, seed=5, frames=1, comparison=comparison)
        assert pool.render().shape == (1, size[1], size[0], 3)
    assert comparison.equal, comparison.differing
    assert comparison.counts["frames"] == 61
    env.close()


@pytest.mark.parametrize("task_id", [n for task in FAMILY.envpool_tasks() for n in task.names])
def test_asked_size(task_id: str) -> None:
    frames = {}
    for width, height in ((None, None), (120, 80), (100, None), (None, 100)):
        with envpool.make(
            task_id,
            num_envs=2,
            seed=1,
            render_mode="rgb_array",
            render_width=width,
            render_height=height,
        ) as pool:
            pool.reset()
            frames[width, height] = pool.render(env_ids=[1, 0])
    full = frames[None, None]
    assert frames[120, 80].shape == (2, 80, 120, 3)
    # One side alone is given: the other side keeps the proportions, to the nearest pixel.
    ratio = full.shape[1] / full.shape[2]
    assert frames[100, None].shape[1:3] == (max(1, round(100 * ratio)), 100)
    assert frames[None, 100].shape[1:3] == (100, max(1, round(100 / ratio)))
    for frame in frames.values():
        assert frame.dtype == np.uint8 and len(np.unique(frame)) > 1


def test_environments_draw_themselves() -> None:
    with envpool.make("CartPole-v1", num_envs=3, seed=0, render_mode="rgb_array") as pool:
        pool.reset()
        for _ in range(8):
            pool.step(np.array([0, 1, 0]))
        left, right = pool.render(env_ids=[0, 1])
        np.testing.assert_array_equal(pool.render(env_ids=[1, 0]), [right, left])
        assert (left != right).any()


def test_frames_made_of_images_need_gymnasium_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """The images are searched before a pool that draws is built, again after a failure."""
    monkeypatch.setattr(_sprites, "_installed", set())
    with monkeypatch.context() as patch:
        patch.setattr(_sprites, "find_spec", lambda name: None)
        _sprites.load.cache_clear()
        with pytest.raises(MissingPackageError, match=r"pip install \"gymnasium>=1\.4\"") as caught:
            envpool.make("Taxi-v4", render_mode="rgb_array")
        assert caught.value.got.endswith("images of the package gymnasium, which is missing")
        envpool.make_spec("Taxi-v4", render_mode="rgb_array")
        envpool.make("Taxi-v4").close()
        envpool.make("CartPole-v1", render_mode="rgb_array").close()
    envpool.make("Taxi-v4", render_mode="rgb_array").close()
    assert "Taxi" in _sprites._installed


def test_cameras_beyond_the_only_one_are_refused() -> None:
    with envpool.make("CartPole-v1", num_envs=1, render_mode="rgb_array") as pool:
        pool.reset()
        assert np.array_equal(pool.render(camera_id=0), pool.render())
        with pytest.raises(RenderError, match="one view"):
            pool.render(camera_id=1)
