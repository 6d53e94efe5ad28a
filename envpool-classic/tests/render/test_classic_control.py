# SPDX-License-Identifier: Apache-2.0
"""The classic-control drawings equal Gymnasium's frames, byte for byte."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest
from numpy.typing import NDArray

Draw = Callable[..., NDArray[np.uint8]]
ExpectSame = Callable[..., None]
QUARTER = math.pi / 2


def make(task: str, **kwargs: Any) -> Any:
    env = gymnasium.make(task, render_mode="rgb_array", **kwargs)
    env.reset(seed=3)
    return env.unwrapped


def test_cartpole(draw: Draw, expect_same: ExpectSame) -> None:
    env = make("CartPole-v1")
    rng = np.random.default_rng(0)
    states = [(0.0, 0.0), (0.0, 1e-7), (0.0, math.pi), (1.0, -QUARTER), (0.5, 0.2095)]
    # Cart and pole leave the frame: partly, at a corner of the pole, wholly.
    states += [(2.4, 0.2), (-2.4, -0.2), (2.6, 0.21), (-2.61, 3.0), (2.39, 1.5), (-2.45, 0.9)]
    states += [(5.0, 0.0), (-4.8, 0.4)]
    states += [tuple(rng.uniform((-2.5, -0.3), (2.5, 0.3))) for _ in range(30)]
    states += [tuple(rng.uniform((-3, -4), (3, 4))) for _ in range(30)]
    for x, theta in states:
        env.state = np.array([x, 0, theta, 0])
        expect_same(draw("cartpole", (400, 600), x, theta), env.render(), (x, theta))


@pytest.mark.parametrize(
    ("task", "goal"), [("MountainCar-v0", 0.5), ("MountainCarContinuous-v0", 0.45)]
)
def test_mountain_car(draw: Draw, expect_same: ExpectSame, task: str, goal: float) -> None:
    env = make(task)
    rng = np.random.default_rng(1)
    extremes = [-1.2, -1.199, 0.6, 0.5, 0.45, -0.5, -math.pi / 6, 0]
    for position in [*extremes, *rng.uniform(-1.2, 0.6, 50)]:
        env.state = np.array([position, 0])
        frame = draw("mountain_car", (400, 600), position, goal)
        expect_same(frame, env.render(), position)


def test_mountain_car_in_single_precision(draw: Draw) -> None:
    # The continuous task's steps leave a float32 state, and Gymnasium then computes the frame in
    # float32. A coordinate within 3e-5 of a whole pixel may be rounded to the other side: this
    # moves one corner or wheel, under 120 of 240000 pixels, in less than 1 of 1000 frames.
    env = make("MountainCarContinuous-v0")
    rng = np.random.default_rng(2)
    different = 0
    for position in [-1.2, 0.6, *rng.uniform(-1.2, 0.6, 58)]:
        env.state = np.array([position, 0], np.float32)
        frame = draw("mountain_car", (400, 600), env.state[0], 0.45)
        wrong = (frame != env.render()).any(axis=-1).sum()
        assert wrong < 120, position
        different += wrong > 0
    assert different <= 1


def test_pendulum(draw: Draw) -> None:
    # pygame scales the arrow with coarser arithmetic on x86; ours uses the same.
    tolerance = 2 if pygame.transform.get_smoothscale_backend() == "GENERIC" else 0
    env = make("Pendulum-v1")
    rng = np.random.default_rng(3)
    # The arrow's side is 56.8 pixels per N m: 0.0176 gives one pixel, less gives none.
    states: list[tuple[float, float | None]] = [(0, None), (math.pi, None), (QUARTER, 2), (0, -2)]
    states += [(1, 0), (1, 0.01), (1, 0.0177), (2, -0.04), (-QUARTER, 1), (3, 1e-3)]
    states += [tuple(rng.uniform((-8, -2), (8, 2))) for _ in range(50)]
    for theta, torque in states:
        env.state = np.array([theta, 0])
        env.last_u = None if torque is None else np.float32(torque)
        frame = draw("pendulum", (500, 500), theta, torque or 0, torque is not None)
        difference = np.abs(frame.astype(int) - env.render())
        assert difference.max() <= tolerance, (theta, torque)


def test_acrobot(draw: Draw, expect_same: ExpectSame) -> None:
    env = make("Acrobot-v1")
    rng = np.random.default_rng(4)
    states = [(0, 0), (math.pi, 0), (QUARTER, 0), (-QUARTER, QUARTER), (-math.pi, math.pi)]
    states += [tuple(rng.uniform(-math.pi, math.pi, 2)) for _ in range(60)]
    for theta1, theta2 in states:
        env.state = np.array([theta1, theta2, 0, 0])
        frame = draw("acrobot", (500, 500), theta1, theta2)
        expect_same(frame, env.render(), (theta1, theta2))


def arguments(task: str, env: Any) -> tuple[float, ...]:
    """The drawing's arguments, taken from Gymnasium's environment."""
    state = env.state
    if task == "CartPole-v1":
        return state[0], state[2]
    if task == "MountainCar-v0":
        return state[0], 0.5
    if task == "Pendulum-v1":
        return state[0], env.last_u or 0, env.last_u is not None
    return state[0], state[1]


@pytest.mark.parametrize(
    ("task", "name", "shape"),
    [
        ("CartPole-v1", "cartpole", (400, 600)),
        ("MountainCar-v0", "mountain_car", (400, 600)),
        ("Pendulum-v1", "pendulum", (500, 500)),
        ("Acrobot-v1", "acrobot", (500, 500)),
    ],
)
def test_episodes(
    draw: Draw,
    expect_same: ExpectSame,
    rounding: int,
    task: str,
    name: str,
    shape: tuple[int, int],
) -> None:
    """States of real episodes, with the types that reset and step give them."""
    env = make(task)
    env.action_space.seed(5)
    for episode in range(10):
        env.reset(seed=episode)
        for step in range(5):
            frame = draw(name, shape, *arguments(task, env))
            largest = 3 * rounding if name == "pendulum" else 0  # its arrow: test_scale.py
            expect_same(frame, env.render(), (episode, step), largest)
            env.step(env.action_space.sample())


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300, -1e300, 1e5])
def test_absurd_states_draw_something(draw: Draw, bad: float) -> None:
    """Gymnasium raises for these; a pool must neither hang nor crash."""
    white = np.full(3, 255)
    for name, shape in [("cartpole", (400, 600)), ("mountain_car", (400, 600))]:
        assert (draw(name, shape, bad, 0.5)[0, 0] == white).all()
    assert (draw("cartpole", (400, 600), 0, bad)[0, 0] == white).all()
    assert (draw("pendulum", (500, 500), bad, 0, False)[0, 0] == white).all()
    assert (draw("acrobot", (500, 500), bad, bad)[0, 0] == white).all()
