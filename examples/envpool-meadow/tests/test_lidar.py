# SPDX-License-Identifier: Apache-2.0
"""Compares the lidar to brute force: a walk along each ray in small steps to the first object."""

from __future__ import annotations

import math

import numpy as np
import pytest
from envpool_meadow._meadow import Sandbox
from numpy.typing import NDArray

BARRIER, FOX, HARE, CLOVER = range(4)
RADII = {FOX: 0.35, HARE: 0.28, CLOVER: 0.22}
STEP = 0.002  # m of the walk
RANGE = 10.0

Circle = tuple[int, float, float, float]


def walk(
    half: tuple[float, float], x: float, y: float, angle: float, circles: list[Circle]
) -> NDArray[np.float64]:
    """Distance to the first object of each kind along a ray, up to the first solid object."""
    way = np.arange(0.0, RANGE, STEP)
    px, py = x + way * math.cos(angle), y + way * math.sin(angle)
    met = np.full(4, np.inf)
    out = (np.abs(px) > half[0]) | (np.abs(py) > half[1])
    if out.any():
        met[BARRIER] = way[np.argmax(out)]
    for sort, cx, cy, radius in circles:
        inside = np.hypot(px - cx, py - cy) < radius
        if inside.any():
            met[sort] = min(met[sort], way[np.argmax(inside)])
    met[met > met[:CLOVER].min() + 2 * STEP] = np.inf
    return met


@pytest.mark.parametrize("seed", range(12))
def test_against_a_walk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    half = (8.0, 6.0)
    box = Sandbox(16.0, 12.0)
    circles: list[Circle] = []
    x, y, heading = *rng.uniform(-2, 2, 2), rng.uniform(-3, 3)
    box.add_fox(x, y, heading)

    def place() -> tuple[float, float]:
        while True:
            at = rng.uniform(-5.5, 5.5, 2)
            if math.hypot(at[0] - x, at[1] - y) > 1.2:
                return float(at[0]), float(at[1])

    for _ in range(4):
        radius = float(rng.uniform(0.4, 1.0))
        circles.append((BARRIER, *place(), radius))
        box.add_stone(*circles[-1][1:])
    for sort, add in ((FOX, box.add_fox), (HARE, box.add_hare), (CLOVER, box.add_clover)):
        for _ in range(4):
            circles.append((sort, *place(), RADII[sort]))
            add(*circles[-1][1:3])
    rays = 48
    scan = box.scan(0, rays, RANGE)
    assert scan.shape == (rays, 4) and scan.dtype == np.float32
    wrong = 0
    for i in range(rays):
        met = walk(half, x, y, heading + 2 * math.pi * i / rays, circles)
        expected = np.where(np.isfinite(met), 1 - met / RANGE, 0.0)
        # The walk stops up to a step late, and steps over the very edge of a circle: at most the
        # chord of a step, along which a ray is within 1e-6 m of it. No ray of these seeds is.
        wrong += int((np.abs(scan[i] - expected) > (STEP + 1e-5) / RANGE).sum())
    assert wrong == 0


def test_what_a_ray_tells() -> None:
    box = Sandbox(16.0, 12.0)
    box.add_fox(0.0, 0.0)
    box.add_hare(4.0, 0.0)
    box.add_clover(2.0, 0.0)  # before the hare
    box.add_fox(6.0, 0.0)  # behind it
    box.add_clover(0.0, 5.9)  # nothing solid before the hedge
    box.add_stone(-3.0, 0.0, 1.0)
    box.add_clover(-6.0, 0.0)  # behind the stone
    ahead, left, back, right = box.scan(0, 4, RANGE).astype(np.float64)
    for got, expected in (
        (ahead, [0, 0, 1 - 0.372, 1 - 0.178]),
        (left, [1 - 0.6, 0, 0, 1 - 0.568]),
        (back, [1 - 0.2, 0, 0, 0]),
        (right, [1 - 0.6, 0, 0, 0]),
    ):
        assert got == pytest.approx(expected, abs=1e-6)  # 24 bits of numbers up to 10


def test_beyond_the_range_is_nothing() -> None:
    box = Sandbox(60.0, 60.0)
    box.add_hare(0.0, 0.0)
    box.add_fox(9.0, 0.0)
    assert not box.scan(0, 16, 8.6).any()
    assert box.scan(0, 16, 8.7)[0, FOX] > 0


def test_rays_turn_with_the_animal() -> None:
    def look(turn: float) -> NDArray[np.float32]:
        box = Sandbox(60.0, 60.0)
        box.add_fox(0.0, 0.0, turn)
        box.add_hare(5 * math.cos(1.0 + turn), 5 * math.sin(1.0 + turn))
        return box.scan(0, 64, RANGE)

    first = look(0.0)
    assert first[:, HARE].any()
    np.testing.assert_allclose(look(2.0), first, atol=1e-5)  # 24 bits, near an edge of the circle


def test_those_that_were_caught_are_not_seen() -> None:
    box = Sandbox(20.0, 20.0)
    box.add_fox(0.0, 0.0)
    box.add_hare(1.0, 0.0)
    assert box.scan(0, 8, RANGE)[:, HARE].any()
    for leap in ([1, 0], [0, 0]):
        box.advance(np.zeros((2, 2)), leap)
    assert box.caught_by == [-1, 0]
    assert not box.scan(0, 8, RANGE)[:, HARE].any()
