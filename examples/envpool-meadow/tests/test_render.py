# SPDX-License-Identifier: Apache-2.0
"""Frames: exact colors at known places, and the view of a camera."""

from __future__ import annotations

import envpool
import numpy as np
import pytest
from envpool.errors import RenderError
from envpool_meadow._meadow import Sandbox
from numpy.typing import NDArray

GRASS, HEDGE, STONE = (118, 168, 78), (46, 88, 52), (158, 156, 150)
ORANGE, BROWN, CREAM, CLOVER = (222, 112, 38), (156, 118, 80), (250, 240, 222), (46, 122, 62)
INK = (38, 28, 26)
SCALE = 50  # pixels per metre of a meadow of 8 x 6 m in 480 x 380 pixels, with hedges of 0.8 m


def pixel(frame: NDArray[np.uint8], x: float, y: float) -> tuple[int, ...]:
    """The color at a place of the meadow of 8 x 6 m."""
    row, column = int((3.8 - y) * SCALE), int((4.8 + x) * SCALE)
    return tuple(int(value) for value in frame[row, column])


def test_every_thing_has_its_colour() -> None:
    box = Sandbox(8.0, 6.0)
    box.add_stone(-2.0, 1.0, 0.8)
    box.add_clover(1.0, -2.0)
    box.add_fox(0.0, 0.0, heading=np.pi / 2)
    box.add_hare(2.0, 1.0)
    frame = box.draw(480, 380, plain=True)
    assert pixel(frame, -3.9, 2.9) == GRASS and pixel(frame, -4.1, 2.9) == HEDGE
    assert pixel(frame, -2.0, 1.0) == STONE and pixel(frame, -2.0, 1.77) == STONE
    assert pixel(frame, -2.0, 1.83) == GRASS
    assert pixel(frame, 1.0, -2.0) == CLOVER
    assert pixel(frame, 0.0, 0.0) == ORANGE
    assert pixel(frame, 0.0, 0.4) == CREAM  # its face, up as it looks
    assert pixel(frame, 0.0, -0.6) == ORANGE  # its tail
    assert pixel(frame, 0.6, 0.0) == GRASS
    assert pixel(frame, 2.0, 1.0) == BROWN and pixel(frame, 2.25, 1.0) == INK


def test_edges_are_smooth() -> None:
    """A disc covers as many pixels as its area predicts."""
    box = Sandbox(8.0, 6.0)
    box.add_stone(0.013, -0.007, 0.7)
    frame = box.draw(480, 380, plain=True).astype(np.float64)
    share = (frame - GRASS)[40:340, 40:440, 2] / (STONE[2] - GRASS[2])
    # Half a grey level in each of some 220 pixels of the edge, at random, and the half pixel of
    # a smoothed edge, in which the outer half has a little more than the inner one.
    assert share.sum() == pytest.approx(np.pi * (0.7 * SCALE) ** 2, abs=2.0)
    assert set(np.unique(share)) != {0.0, 1.0}


def test_a_half_turn_of_the_meadow_turns_the_frame() -> None:
    frames = []
    for sign in (1, -1):
        box = Sandbox(8.0, 6.0)
        box.add_stone(sign * 2.0, sign * 1.0, 0.5)
        box.add_fox(sign * -1.0, sign * 0.3, heading=0.0 if sign > 0 else np.pi)
        box.add_hare(sign * 0.5, sign * -2.0, heading=1.0 if sign > 0 else 1.0 - np.pi)
        frames.append(box.draw(480, 380, plain=True).astype(int))
    # Mirrored sums are rounded the other way: by one grey level, in the smooth edges only.
    assert np.abs(frames[0] - frames[1][::-1, ::-1]).max() <= 1


def test_grass_stays_where_it_is() -> None:
    empty, full = Sandbox(8.0, 6.0), Sandbox(8.0, 6.0)
    full.add_hare(2.0, 0.0)
    one, other = empty.draw(480, 380), full.draw(480, 380)
    rows, columns = np.nonzero((one != other).any(axis=2))
    assert len(rows) > 100
    assert columns.min() > (4.8 + 2.0 - 0.6) * SCALE  # about the hare, and nowhere else
    assert np.hypot(rows - 3.8 * SCALE, columns - 6.8 * SCALE).max() < 0.7 * SCALE


def test_cameras() -> None:
    with envpool.make("Meadow/Duel-v0", num_envs=1, seed=3, render_mode="rgb_array") as pool:
        pool.reset()
        whole, fox, hare = (pool.render(camera_id=camera)[0] for camera in (0, 1, 2))
        assert whole.shape == (680, 880, 3)  # 16 x 12 m, hedges of 0.8 m, 50 pixels per metre
        np.testing.assert_array_equal(pool.render()[0], whole)
        # Each animal is in the middle of its own image, its back in the color of the breed.
        assert fox[340, 440, 0] > 200 > fox[340, 440, 1]
        assert abs(hare[340, 440].astype(int) - (184, 148, 106)).max() < 30
        with pytest.raises(RenderError, match=r"camera_id=3, there are 0 \.\. 2"):
            pool.render(camera_id=3)


def test_rays_are_drawn_when_asked_for() -> None:
    frames = {}
    for player in (-1, 0, 1):
        with envpool.make(
            "Meadow/Duel-v0",
            seed=3,
            render_mode="rgb_array",
            render_width=330,
            show_lidar=player,
        ) as pool:
            pool.reset()
            frames[player] = pool.render()[0].astype(int)
    for player in (0, 1):
        assert 1000 < (frames[player] != frames[-1]).any(axis=2).sum() < 20_000
    assert (frames[0] != frames[1]).any()


def test_a_players_image() -> None:
    with envpool.make("Meadow/TagPixels-v0", num_envs=2, seed=1, image_size=64) as pool:
        obs, info = pool.reset()
        image = obs["players"]["image"]
        assert image.shape == (12, 3, 64, 64) and image.dtype == np.uint8
        hares = info["players"]["is_hare"]
        centre = image[:, :, 32, 32]
        # Seen from above with 8 pixels per metre; a body is some three pixels wide.
        assert (np.abs(centre[~hares].astype(int) - ORANGE).max(axis=1) <= 40).all()
        assert (np.abs(centre[hares].astype(int) - BROWN).max(axis=1) <= 60).all()
        # Up is ahead and left is left: the area beyond a hedge is on the right side of the image.
        beyond = 0
        for player in range(12):
            x, y, cos, sin = obs["players"]["body"][player, 4:8] * (8, 6, 1, 1)
            for row, ahead in ((0, 1), (63, -1)):
                for column, left in ((0, 1), (63, -1)):
                    reach = 31.5 / 8  # m from the middle to the centre of a corner's pixel
                    corner_x = x + reach * (ahead * cos - left * sin)
                    corner_y = y + reach * (ahead * sin + left * cos)
                    out = abs(corner_x) > 8 or abs(corner_y) > 6
                    assert (tuple(image[player, :, row, column]) == HEDGE) == out
                    beyond += out
        assert 5 < beyond < 43
