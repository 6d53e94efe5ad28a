# SPDX-License-Identifier: Apache-2.0
"""The pictures of `render`: the package's picture of 512 x 512 pixels."""

from __future__ import annotations

import envpool
import numpy as np
import pytest
from references import _package


def test_the_picture_is_the_packages() -> None:
    package = _package().ProcgenGym3Env(
        num=1, env_name="plunder", rand_seed=4, num_threads=0, render_mode="rgb_array"
    )
    with envpool.make("PlunderHard-v0", seed=4, render_mode="rgb_array") as pool:
        pool.reset()
        for step in range(12):
            package.observe()
            expected = package.get_info()[0]["rgb"]
            np.testing.assert_array_equal(pool.render()[0], expected)
            package.act(np.array([step]))
            pool.step(np.array([step]))
    package.close()


def test_an_episode_that_ended_is_shown() -> None:
    with envpool.make("StarpilotEasy-v0", seed=2, render_mode="rgb_array") as pool:
        pool.reset()
        for _ in range(600):
            _, _, terminated, _, _ = pool.step(np.array([4]))
            if terminated[0]:
                break
        else:
            raise AssertionError("no episode ended")
        frames = [pool.render()[0].astype(int)]
        for _ in range(2):
            pool.step(np.array([4]))
            frames.append(pool.render()[0].astype(int))
    # The picture of a last frame differs from the next episode's two pictures, which are alike.
    last, first, second = frames
    assert np.abs(first - second).mean() < np.abs(last - first).mean()


@pytest.mark.parametrize(("width", "height", "size"), [(0, 0, 512), (128, 0, 128), (700, 700, 700)])
def test_sizes(width: int, height: int, size: int) -> None:
    with envpool.make(
        "MazeEasy-v0", render_mode="rgb_array", render_width=width, render_height=height
    ) as pool:
        pool.reset()
        frame = pool.render()[0]
    assert frame.shape == (size, size, 3)


def test_a_smaller_picture_has_the_means() -> None:
    large = envpool.make("MazeEasy-v0", render_mode="rgb_array")
    small = envpool.make("MazeEasy-v0", render_mode="rgb_array", render_width=64)
    with large, small:
        large.reset()
        small.reset()
        means = large.render()[0].reshape(64, 8, 64, 8, 3).mean((1, 3))
        # Half a unit: the mean is rounded.
        assert np.abs(small.render()[0] - means).max() <= 0.5


def test_generated_pictures_are_enlarged() -> None:
    with envpool.make("MazeEasy-v0", render_mode="rgb_array", use_generated_assets=True) as pool:
        obs, _ = pool.reset()
        np.testing.assert_array_equal(pool.render()[0][4::8, 4::8], obs[0].transpose(1, 2, 0))
