# SPDX-License-Identifier: Apache-2.0
"""Every building block colors the same pixels as pygame, inside and across the frame's edge."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pygame
import pytest
from numpy.typing import NDArray
from pygame import gfxdraw

Image = NDArray[np.uint8]
HEIGHT, WIDTH = 60, 90
ROUNDS = 300


@pytest.fixture
def compare(
    draw_on: Callable[..., None],
    surface: Callable[[Image], pygame.Surface],
    pixels: Callable[[pygame.Surface], Image],
    expect_same: Callable[..., None],
) -> Callable[..., None]:
    """``compare(theirs, arguments, name, *values, text, largest)``: draws over the same noise.

    pygame's way is theirs(surface, *arguments), ours is the drawing of that name.
    """
    noise = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)

    def check(
        theirs: Callable[..., object],
        arguments: tuple[object, ...],
        name: str,
        *values: float,
        text: str = "",
        largest: int = 0,
    ) -> None:
        ours = noise.copy()
        draw_on(ours, name, *values, text=text)
        reference = surface(noise)
        theirs(reference, *arguments)
        expect_same(ours, pixels(reference), (name, values), largest)

    return check


def rounds(seed: int) -> Iterator[tuple[np.random.Generator, tuple[int, int, int]]]:
    """Random generator and color of each round; every third color is a grey."""
    rng = np.random.default_rng(seed)
    for i in range(ROUNDS):
        red, green, blue = rng.integers(0, 256, 3).tolist()
        yield rng, (red, red, red) if i % 3 == 0 else (red, green, blue)


def points(rng: np.random.Generator, count: int) -> list[tuple[int, int]]:
    """Corners in the image, around it, or far away; sometimes two corners are level or equal."""
    reach = rng.choice([0, 40, 2000], p=[0.5, 0.4, 0.1])
    xs = rng.integers(-reach, WIDTH + reach, count)
    ys = rng.integers(-reach, HEIGHT + reach, count)
    if rng.random() < 0.2:
        xs[0] = xs[-1]
    if rng.random() < 0.2:
        ys[0] = ys[1]
    return list(zip(xs.tolist(), ys.tolist(), strict=True))


def flat(corners: list[tuple[int, int]]) -> list[int]:
    return [coordinate for corner in corners for coordinate in corner]


def test_horizontal_and_vertical_lines(compare: Callable[..., None]) -> None:
    for rng, colour in rounds(1):
        x0, x1, y = rng.integers(-20, WIDTH + 20, 3).tolist()
        compare(gfxdraw.hline, (x0, x1, y, colour), "hline", x0, x1, y, *colour)
        compare(gfxdraw.vline, (y, x0, x1, colour), "vline", y, x0, x1, *colour)


def test_rectangles(compare: Callable[..., None]) -> None:
    for rng, colour in rounds(2):
        x, y = rng.integers(-20, WIDTH, 2).tolist()
        box = (x, y, *rng.integers(0, 40, 2).tolist())
        compare(pygame.draw.rect, (colour, box), "rectangle", *box, *colour)
        inside = (*rng.integers(0, 50, 2).tolist(), *rng.integers(3, 11, 2).tolist())
        compare(pygame.draw.rect, (colour, inside, 1), "frame", *inside, *colour)


@pytest.mark.parametrize(("name", "corners"), [("triangle", 3), ("quad", 4)])
def test_polygons(compare: Callable[..., None], name: str, corners: int) -> None:
    for rng, colour in rounds(3):
        shape = points(rng, corners)
        values = (*flat(shape), *colour)
        compare(gfxdraw.filled_polygon, (shape, colour), name, *values)
        compare(gfxdraw.aapolygon, (shape, colour), f"{name}_outline", *values)


def test_circles(compare: Callable[..., None]) -> None:
    for rng, colour in rounds(4):
        (x, y), radius = points(rng, 2)[0], int(rng.integers(1, 41))
        values = (x, y, radius, *colour)
        compare(gfxdraw.filled_circle, (x, y, radius, colour), "circle", *values)
        compare(gfxdraw.aacircle, (x, y, radius, colour), "circle_outline", *values)


def test_smooth_lines(compare: Callable[..., None], rounding: int) -> None:
    for rng, colour in rounds(5):
        # Single precision, as in pygame: both get the same ends.
        ends = rng.uniform(0, (WIDTH - 1, HEIGHT - 1), (2, 2)).astype(np.float32).tolist()
        values = (*ends[0], *ends[1], *colour)
        compare(pygame.draw.aaline, (colour, *ends), "smooth_line", *values, largest=rounding)


def test_sprites(
    compare: Callable[..., None],
    set_sprite: Callable[[str, Image], None],
    surface: Callable[[Image], pygame.Surface],
) -> None:
    for rng, _ in rounds(6):
        height, width = rng.integers(1, 30, 2).tolist()
        rgba = rng.integers(0, 256, (height, width, 4), np.uint8)
        rgba[rng.random((height, width)) < 0.2, 3] = 255
        rgba[rng.random((height, width)) < 0.2, 3] = 0
        set_sprite("test", rgba)
        x, y = points(rng, 2)[0]
        size = (width, height) if rng.random() < 0.5 else tuple(rng.integers(1, 30, 2).tolist())
        if size == (2 * width, 2 * height):  # pygame smooths when it exactly doubles
            continue
        flips = rng.integers(0, 2, 2).tolist() if size == (width, height) else [0, 0]
        image = pygame.transform.scale(surface(rgba), size)
        image = pygame.transform.flip(image, *map(bool, flips))
        compare(pygame.Surface.blit, (image, (x, y)), "blit", x, y, *size, *flips, text="test")


def test_every_mixture(
    draw_on: Callable[..., None],
    set_sprite: Callable[[str, Image], None],
    surface: Callable[[Image], pygame.Surface],
    pixels: Callable[[pygame.Surface], Image],
    expect_same: Callable[..., None],
) -> None:
    """Alpha against source value for 16 values below, exhaustively."""
    alpha, value = np.meshgrid(np.arange(256), np.arange(256), indexing="ij")
    rgba = np.stack([value, 255 - value, value, alpha], axis=-1).astype(np.uint8)
    set_sprite("mixture", rgba)
    for below in range(0, 256, 17):
        ours = np.full((256, 256, 3), below, np.uint8)
        reference = surface(ours)
        reference.blit(surface(rgba), (0, 0))
        draw_on(ours, "blit", 0, 0, 256, 256, 0, 0, text="mixture")
        expect_same(ours, pixels(reference), below)
