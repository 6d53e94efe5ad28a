# SPDX-License-Identifier: Apache-2.0
"""Sprites are drawn, turned and put on pictures as pygame-ce 2.5.8 does it, to the pixel."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, NamedTuple

import compiling
import numpy as np
import pytest

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame

_FLAGS = ("-O2", "-ffp-contract=off", f"-I{compiling.CORE}")  # fused products move single pixels
_ROUNDS = 150
_QUARTERS = (0.0, 90.0, -90.0, 180.0, 270.0, -360.0, 450.0)
# Angles near a quarter, where the size and the way round change.
_NEAR = tuple(q + d for q in (0.0, 90.0, -180.0) for d in (1e-7, -1e-7, 1e-4, -1e-4, 0.3))


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    """The functions of sprites.cc."""
    path = compiling.library(Path(__file__).with_name("sprites.cc"), *_FLAGS)
    return ctypes.CDLL(str(path))


class Both(NamedTuple):
    """The same sprite in the library and as a surface of pygame."""

    library: ctypes.CDLL
    surface: pygame.Surface

    def turned(self, degrees: float) -> Any:
        """Ours, turned: its pixels (height, width, 4)."""
        size = (ctypes.c_int * 2)()
        self.library.SpriteTurned(ctypes.c_float(degrees), None, size)
        pixels = np.zeros((size[1], size[0], 4), np.uint8)
        data = pixels.ctypes.data_as(ctypes.c_void_p)
        self.library.SpriteTurned(ctypes.c_float(degrees), data, size)
        return pixels


def drawn(library: ctypes.CDLL, rng: np.random.Generator, largest: int = 40) -> Both:
    """A sprite of some rectangles, some of which go beyond its sides."""
    width, height = (int(side) for side in rng.integers(1, largest, 2))
    library.SpriteNew(width, height)
    surface = pygame.Surface((width, height), pygame.SRCALPHA, 32)
    for _ in range(5):
        outline = int(rng.integers(2))
        x, y = (int(v) for v in rng.integers(-5, largest, 2))
        size = [int(v) for v in rng.integers(1, largest, 2)]
        color = [int(v) for v in rng.integers(0, 256, 3)]
        library.SpriteRectangle(outline, x, y, *size, *color)
        pygame.draw.rect(surface, color, (x, y, *size), outline)
    return Both(library, surface)


def pixels_of(surface: pygame.Surface) -> Any:
    """(height, width, 4); black where nothing is."""
    rgb = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    alpha = pygame.surfarray.array_alpha(surface).T[:, :, None]
    return np.concatenate([rgb * (alpha == 255), alpha], axis=2)


def origin_in_pygame(size: tuple[int, int], at: tuple[int, int], degrees: float) -> tuple[int, int]:
    """The corner of a surface that is rotated about its centre, by pygame's vectors."""
    width, height = size
    vectors = [pygame.Vector2(*v) for v in ((0, 0), (width, 0), (width, -height), (0, -height))]
    corners = [vector.rotate(degrees) for vector in vectors]
    pivot = pygame.Vector2(width / 2, -height / 2)
    moved = pivot.rotate(degrees) - pivot
    left, top = min(c.x for c in corners), max(c.y for c in corners)
    x, y = at[0] - width / 2 + left - moved.x, at[1] - height / 2 - top + moved.y
    return int(x), int(y)


def angles(rng: np.random.Generator) -> list[float]:
    """Quarter turns, angles near them, and others."""
    return [*_QUARTERS, *_NEAR, *rng.uniform(-400, 400, 20)]


def test_rectangles(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(0)
    for _ in range(_ROUNDS):
        both = drawn(library, rng)
        np.testing.assert_array_equal(both.turned(0), pixels_of(both.surface))


def test_turned(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(1)
    for _ in range(_ROUNDS // 10):
        both = drawn(library, rng)
        for degrees in angles(rng):
            expected = pixels_of(pygame.transform.rotate(both.surface, degrees))
            got = both.turned(degrees)
            np.testing.assert_array_equal(got, expected, err_msg=f"{degrees!r} degrees")


def test_on_a_picture(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(2)
    for _ in range(_ROUNDS // 10):
        both = drawn(library, rng)
        for degrees in angles(rng):
            width, height = 64, 48
            picture = rng.integers(0, 256, (height, width, 3), np.uint8)
            expected = pygame.Surface((width, height), 0, 32)
            pygame.surfarray.blit_array(expected, picture.swapaxes(0, 1))
            at = (int(rng.integers(-20, width + 20)), int(rng.integers(-20, height + 20)))
            turned = pygame.transform.rotate(both.surface, degrees)
            expected.blit(turned, origin_in_pygame(both.surface.get_size(), at, degrees))
            data = picture.ctypes.data_as(ctypes.c_void_p)
            library.SpriteOnPicture(*at, ctypes.c_double(degrees), data, width, height)
            theirs = pygame.surfarray.array3d(expected).swapaxes(0, 1)
            np.testing.assert_array_equal(picture, theirs, err_msg=f"{degrees!r} degrees")


def test_on_a_sprite(library: ctypes.CDLL) -> None:
    rng = np.random.default_rng(3)
    side = 50
    for _ in range(_ROUNDS // 10):
        both = drawn(library, rng)
        for degrees in angles(rng):
            expected = pygame.Surface((side, side), pygame.SRCALPHA, 32)
            at = (int(rng.integers(side)), int(rng.integers(side)))
            turned = pygame.transform.rotate(both.surface, degrees)
            expected.blit(turned, origin_in_pygame(both.surface.get_size(), at, degrees))
            got = np.zeros((side, side, 4), np.uint8)
            data = got.ctypes.data_as(ctypes.c_void_p)
            library.SpriteOnSprite(*at, ctypes.c_double(degrees), side, data)
            np.testing.assert_array_equal(got, pixels_of(expected), err_msg=f"{degrees!r} degrees")


def test_what_differs_shows(library: ctypes.CDLL) -> None:
    """The comparisons are sensitive: a tenth of a degree moves pixels."""
    both = drawn(library, np.random.default_rng(4))
    theirs = pixels_of(pygame.transform.rotate(both.surface, 30.1))
    ours = both.turned(30.0)
    assert ours.shape != theirs.shape or (ours != theirs).any()
