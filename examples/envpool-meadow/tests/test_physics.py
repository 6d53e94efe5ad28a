# SPDX-License-Identifier: Apache-2.0
"""Animals move by the equations of physics.h, and by laws that it does not mention."""

from __future__ import annotations

import numpy as np
import pytest
from envpool_meadow._meadow import Sandbox
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

FOX_MASS, HARE_MASS = 6.0, 3.8  # kg
FOX_RADIUS, HARE_RADIUS = 0.35, 0.28  # m
FOX_TOP, HARE_TOP = 3.0, 3.5  # m/s
GRIP, DT, SUBSTEPS = 5.0, 0.025, 4  # m/s^2, s
ANIMAL_BOUNCE, WALL_BOUNCE = 0.5, 0.3
# Positions are a few metres and differ in the last of 53 bits for each of some dozens of sums.
EXACT = 1e-13


def idle(box: Sandbox, steps: int = 1) -> None:
    n = len(box.position)
    for _ in range(steps):
        box.advance(np.zeros((n, 2)), np.zeros(n, np.int64))


def energy(box: Sandbox, masses: NDArray[np.float64]) -> float:
    return float((masses * (box.velocity**2).sum(axis=1)).sum() / 2)


@pytest.mark.parametrize(("add", "top"), [("add_fox", FOX_TOP), ("add_hare", HARE_TOP)])
def test_top_speed_is_where_grip_and_drag_balance(add: str, top: float) -> None:
    box = Sandbox(200.0, 20.0)
    getattr(box, add)(-90.0, 0.0)
    speed = 0.0
    for _ in range(100):
        box.advance([[1.0, 0.0]], [0])
        for _ in range(SUBSTEPS):
            speed = (speed + GRIP * DT) / (1 + GRIP / top * DT)
        assert box.velocity[0] == pytest.approx([speed, 0.0], abs=EXACT)
    # exp(-100 steps / 7 steps of time constant) of it is left.
    assert speed == pytest.approx(top, rel=1e-6)


def test_drag_slows_and_nothing_else_does() -> None:
    box = Sandbox(50.0, 20.0)
    box.add_hare(-20.0, 0.0, velocity=(3.0, 1.0))
    idle(box, 5)
    left = (1 + GRIP / HARE_TOP * DT) ** (-5 * SUBSTEPS)
    assert box.velocity[0] == pytest.approx([3.0 * left, 1.0 * left], abs=EXACT)


def test_a_turn_goes_to_the_left() -> None:
    box = Sandbox(20.0, 20.0)
    box.add_fox(0.0, 0.0)
    box.add_hare(5.0, 5.0)
    box.advance([[0.0, 1.0], [0.0, -0.5]], [0, 0])
    assert box.heading == pytest.approx([0.4, -0.3], abs=EXACT)  # 4 and 6 rad/s at most


def test_a_leap_is_a_flight() -> None:
    box = Sandbox(40.0, 20.0)
    box.add_fox(-10.0, 0.0, heading=0.5)
    leap = 3.0 * np.array([np.cos(0.5), np.sin(0.5)])
    places = [box.position[0]]
    for _ in range(4):  # 0.4 s in the air, in which neither drive nor turn helps
        box.advance([[-1.0, 1.0]], [1])
        places.append(box.position[0])
        assert box.velocity[0] == pytest.approx(leap, abs=EXACT)
        assert box.heading == [0.5]
    np.testing.assert_allclose(np.diff(places, axis=0), np.tile(0.1 * leap, (4, 1)), atol=EXACT)
    box.advance([[0.0, 0.0]], [1])
    assert np.linalg.norm(box.velocity[0]) < 3.0  # landed; too early for the next leap
    idle(box, 9)
    box.advance([[0.0, 0.0]], [0])
    box.advance([[0.0, 0.0]], [1])  # 1.5 s after the first
    assert np.linalg.norm(box.velocity[0]) > 3.0


@given(
    st.floats(-0.6, 0.6),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(-3, 3),
)
@settings(max_examples=200, deadline=None)
def test_a_collision_keeps_momentum_and_loses_energy(
    offset: float, ax: float, ay: float, bx: float, by: float
) -> None:
    """Both animals in the air would be free of drag, but a fox in the air bites: two foxes."""
    box = Sandbox(60.0, 60.0)
    masses = np.array([FOX_MASS, FOX_MASS])
    box.add_fox(-0.5, 0.0, velocity=(ax, ay))
    box.add_fox(0.5, offset, velocity=(bx, by))
    # A leap along its heading adds 3 m/s to each, away from any hedge.
    box.advance(np.zeros((2, 2)), [1, 1])
    momentum, before = masses @ box.velocity, energy(box, masses)
    centre = box.position.mean(axis=0)
    for _ in range(3):
        box.advance(np.zeros((2, 2)), [0, 0])
        np.testing.assert_allclose(masses @ box.velocity, momentum, atol=1e-12)
        now = energy(box, masses)
        assert now <= before * (1 + 1e-12)
        before = now
        centre = centre + 0.1 * momentum / masses.sum()
        np.testing.assert_allclose(box.position.mean(axis=0), centre, atol=1e-12)


def test_unequal_masses_share_an_impulse() -> None:
    """Head on: speeds after it by the textbook, with a coefficient of restitution."""
    box = Sandbox(20.0, 20.0)
    gap = 1e-6
    box.add_fox(0.0, 0.0, velocity=(2.0, 0.0))
    box.add_hare(FOX_RADIUS + HARE_RADIUS + gap, 0.0, velocity=(-1.0, 0.0))
    idle(box)
    drag_fox, drag_hare = 1 + GRIP / FOX_TOP * DT, 1 + GRIP / HARE_TOP * DT
    fox, hare = 2.0 / drag_fox, -1.0 / drag_hare  # when they meet, in the first substep
    approach = fox - hare
    fox -= (1 + ANIMAL_BOUNCE) * approach * HARE_MASS / (FOX_MASS + HARE_MASS)
    hare += (1 + ANIMAL_BOUNCE) * approach * FOX_MASS / (FOX_MASS + HARE_MASS)
    expected = [fox / drag_fox**3, hare / drag_hare**3]
    assert box.velocity[:, 0] == pytest.approx(expected, abs=EXACT)
    assert box.caught_by == [-1, -1]  # a touch without a leap is no catch


@pytest.mark.parametrize("swapped", [False, True])
def test_a_collision_knows_no_first_and_second(swapped: bool) -> None:
    box = Sandbox(20.0, 20.0)
    bodies = [("add_fox", 0.0, 0.1, (2.5, 0.3)), ("add_hare", 0.8, 0.0, (-1.5, 0.2))]
    for add, x, y, velocity in bodies[::-1] if swapped else bodies:
        getattr(box, add)(x, y, velocity=velocity)
    idle(box, 4)
    ends = np.hstack([box.position, box.velocity])
    ends = ends[::-1] if swapped else ends
    mirrored = Sandbox(20.0, 20.0)
    for add, x, y, (vx, vy) in bodies:
        getattr(mirrored, add)(-x, y, velocity=(-vx, vy))
    idle(mirrored, 4)
    other = np.hstack([mirrored.position, mirrored.velocity]) * [-1, 1, -1, 1]
    np.testing.assert_allclose(ends, other, rtol=0, atol=EXACT)
    assert ends[0, 2] < ends[1, 2]  # they met, and part


@pytest.mark.parametrize("out", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_a_hedge_gives_back_a_part_of_the_speed(out: tuple[int, int]) -> None:
    box = Sandbox(10.0, 10.0)
    side = (-out[1], out[0])
    x, y = (5.0 - FOX_RADIUS) * np.array(out)
    vx, vy = 2.0 * np.array(out) + 1.0 * np.array(side)
    box.add_fox(x, y, velocity=(vx, vy))
    idle(box)
    drag = 1 + GRIP / FOX_TOP * DT
    # It meets the hedge in the first substep.
    assert box.velocity[0] @ out == pytest.approx(-WALL_BOUNCE * 2.0 / drag**4, abs=EXACT)
    assert box.velocity[0] @ side == pytest.approx(1.0 / drag**4, abs=EXACT)


def test_a_stone_turns_away_only_what_comes_at_it() -> None:
    box = Sandbox(20.0, 20.0)
    box.add_stone(0.0, 0.0, 1.0)
    box.add_fox(-1.0 - FOX_RADIUS, 0.0, velocity=(2.0, 0.0))
    box.add_fox(0.0, 1.0 + FOX_RADIUS, velocity=(2.0, 0.0))
    idle(box)
    drag = 1 + GRIP / FOX_TOP * DT
    assert box.velocity[0] == pytest.approx([-WALL_BOUNCE * 2.0 / drag**4, 0.0], abs=EXACT)
    assert box.velocity[1] == pytest.approx([2.0 / drag**4, 0.0], abs=EXACT)


def test_those_who_part_are_moved_apart_and_not_turned_back() -> None:
    box = Sandbox(20.0, 20.0)
    box.add_stone(5.0, 0.0, 1.0)
    for x, speed in ((0.0, -1.0), (0.5, 1.0), (6.2, 1.0)):  # two in one place, one in the stone
        box.add_fox(x, 0.0, velocity=(speed, 0.0))
    idle(box)
    drag = (1 + GRIP / FOX_TOP * DT) ** SUBSTEPS
    assert box.velocity[:, 0] == pytest.approx([-1 / drag, 1 / drag, 1 / drag], abs=EXACT)
    first, second, third = box.position[:, 0]
    assert second - first >= 2 * FOX_RADIUS and third >= 6.0 + FOX_RADIUS


def test_a_fox_in_the_air_catches_and_the_hare_is_gone() -> None:
    box = Sandbox(20.0, 20.0)
    box.add_hare(1.2, 0.0)
    box.add_fox(0.0, 0.0)
    box.add_fox(3.0, 0.0, velocity=(-3.0, 0.0))
    box.advance(np.zeros((3, 2)), [0, 1, 0])
    assert box.caught_by == [-1, -1, -1]
    box.advance(np.zeros((3, 2)), [0, 0, 0])
    assert box.caught_by == [1, -1, -1]
    assert box.velocity[1] == pytest.approx([3.0, 0.0])  # no collision with the caught hare
    at = box.position[0].copy()
    idle(box, 5)
    assert (box.position[0] == at).all()


def test_nobody_leaves_the_meadow_or_enters_a_stone() -> None:
    rng = np.random.default_rng(0)
    box = Sandbox(8.0, 7.0)
    stones = [(-1.5, 0.0, 0.9), (2.0, 1.2, 0.6)]
    for stone in stones:
        box.add_stone(*stone)
    for i in range(12):
        getattr(box, "add_fox" if i < 6 else "add_hare")(*rng.uniform(-3, 3, 2), rng.uniform(-3, 3))
    radii = np.array([FOX_RADIUS] * 6 + [HARE_RADIUS] * 6)
    inside = 0
    for _ in range(3000):
        move = np.stack([rng.uniform(0.5, 1, 12), rng.uniform(-1, 1, 12)], axis=1)
        leap = rng.random(12) < 0.2
        leap[:6] = False  # or all hares were caught soon
        box.advance(move, leap)
        beyond = np.abs(box.position) - ([4.0, 3.5] - radii[:, None])
        assert beyond.max() <= 0
        for x, y, radius in stones:
            room = np.hypot(*(box.position - [x, y]).T) - radius - radii
            # The hedge has the last word: between it and a stone there may be too little room.
            inside += (room < -1e-9).sum()
    assert inside == 0


def test_a_push_of_many_into_a_corner_stays_finite() -> None:
    box = Sandbox(6.0, 6.0)
    for i in range(10):
        box.add_fox(2.0, 2.0 - 0.01 * i, heading=np.pi / 4)
    box.add_fox(2.0, 2.0)  # at the exact place of another
    for _ in range(100):
        box.advance(np.tile([1.0, 0.0], (11, 1)), np.ones(11, np.int64))
        assert np.isfinite(box.velocity).all()
        assert np.abs(box.position).max() <= 3.0 - FOX_RADIUS
