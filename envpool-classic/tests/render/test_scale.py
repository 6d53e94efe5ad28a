# SPDX-License-Identifier: Apache-2.0
"""Smooth scaling equals pygame's, and a drawing has the requested size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pygame
import pytest
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Scale = Callable[[Image, tuple[int, int]], Image]


@pytest.fixture(params=["SSE", "GENERIC"])
def tolerance(request: pytest.FixtureRequest) -> Iterator[int]:
    """Largest difference allowed, for each of pygame's two kinds of arithmetic.

    Ours is the arithmetic of x86 (SSE, weights of 8 or 14 bits): equal. The portable arithmetic has
    weights of 16 bits. They differ by up to 1 / 256, so each of the two passes differs by up to one
    before it rounds, and the second also inherits the first one's difference. If pygame has no SSE,
    both parameters compare with the portable arithmetic.
    """
    usual = pygame.transform.get_smoothscale_backend()
    backend = usual if request.param == "SSE" else "GENERIC"  # pygame-ce's is called SSE2
    pygame.transform.set_smoothscale_backend(backend)
    yield 3 if backend == "GENERIC" else 0
    pygame.transform.set_smoothscale_backend(usual)


def test_equals_pygame(
    scale: Scale,
    tolerance: int,
    surface: Callable[[Image], pygame.Surface],
    pixels: Callable[[pygame.Surface], Image],
) -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        height, width = rng.integers(1, 80, 2).tolist()
        shape = tuple(rng.integers(1, 80, 2).tolist())
        rgba = rng.integers(0, 256, (height, width, 4), np.uint8)
        theirs = pixels(pygame.transform.smoothscale(surface(rgba), shape[::-1]))
        difference = np.abs(scale(rgba, shape).astype(int) - theirs)
        assert difference.max() <= tolerance, ((height, width), shape)


def test_shrinking_a_lot_averages(scale: Scale) -> None:
    # Beyond 257 to 1 pygame's sums overflow. 1 / 512 is exact in 16 bits, so one rounding is left.
    column = np.full((512, 1, 4), 200, np.uint8)
    column[::2] = 100
    assert np.abs(scale(column, (1, 1)).astype(int) - 150).max() <= 1


@pytest.mark.parametrize("shape", [(400, 600), (200, 300), (84, 84), (600, 900), (500, 10)])
def test_drawing_at_a_size(
    draw: Callable[..., Image],
    scale: Scale,
    expect_same: Callable[..., None],
    shape: tuple[int, int],
) -> None:
    native = draw("cartpole", (400, 600), 0.3, 0.1)
    with_alpha = np.concatenate([native, native[:, :, :1]], axis=2)
    expected = scale(np.ascontiguousarray(with_alpha), shape)[:, :, :3]
    expect_same(draw("cartpole_scaled", shape, 0.3, 0.1), expected, shape)
