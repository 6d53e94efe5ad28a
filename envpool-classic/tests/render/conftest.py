# SPDX-License-Identifier: Apache-2.0
"""Builds the drawings into a small shared library and calls it through ctypes.

The tests need a C++ compiler (``CXX`` or ``c++``), gymnasium and pygame, no compiled family module.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import compiling
import numpy as np
import pytest
from numpy.typing import NDArray

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pygame's import of pkg_resources
    import pygame

_WHEEL = Path(__file__).parents[2]
_MESSAGE_BYTES = 1000

Image = NDArray[np.uint8]


def _pixels(image: Image) -> ctypes.c_void_p:
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    return ctypes.c_void_p(image.ctypes.data)


@pytest.fixture(scope="session")
def library() -> ctypes.CDLL:
    """The drawings as a shared library, see images.cc."""
    # Fused multiply-add, a default of some compilers for some CPUs, would move single pixels.
    headers = (_WHEEL / "cpp", _WHEEL.parent / "envpool-core" / "include")
    flags = ("-O2", "-ffp-contract=off", *(f"-I{folder}" for folder in headers))
    return ctypes.CDLL(str(compiling.library(Path(__file__).with_name("images.cc"), *flags)))


@pytest.fixture(scope="session")
def sprites() -> ModuleType:
    """The module ``envpool_classic._sprites`` without the package and its compiled module."""
    path = _WHEEL / "src" / "envpool_classic" / "_sprites.py"
    spec = importlib.util.spec_from_file_location("_sprites", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(status: int, message: ctypes.Array[ctypes.c_char]) -> None:
    if status != 0:
        raise RuntimeError(message.value.decode())


@pytest.fixture(scope="session")
def set_sprite(library: ctypes.CDLL) -> Callable[[str, Image], None]:
    """``set_sprite(name, rgba)``, as the compiled family module offers it."""

    def call(name: str, rgba: Image) -> None:
        height, width, _ = rgba.shape
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        arguments = (name.encode(), height, width, _pixels(rgba), message, _MESSAGE_BYTES)
        _check(library.ImageSetSprite(*arguments), message)

    return call


@pytest.fixture(scope="session")
def draw_on(library: ctypes.CDLL) -> Callable[..., None]:
    """``draw_on(image, name, *values, text="")`` draws over an image (height, width, 3)."""

    def call(image: Image, name: str, *values: float, text: str = "") -> None:
        height, width, _ = image.shape
        numbers = (ctypes.c_double * len(values))(*(float(value) for value in values))
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        target = (_pixels(image), width, height, message, _MESSAGE_BYTES)
        _check(library.ImageDraw(name.encode(), numbers, text.encode(), *target), message)

    return call


@pytest.fixture(scope="session")
def draw(
    draw_on: Callable[..., None],
    sprites: ModuleType,
    set_sprite: Callable[[str, Image], None],
) -> Callable[..., Image]:
    """``draw(name, (height, width), *values, text="")`` returns an image; sprites are loaded."""
    for drawing in sprites.SPRITES:
        sprites.install(drawing, set_sprite)

    def call(name: str, shape: tuple[int, int], *values: float, text: str = "") -> Image:
        # Garbage instead of zeros: a drawing must cover the whole image.
        image = np.full((*shape, 3), 123, np.uint8)
        draw_on(image, name, *values, text=text)
        return image

    return call


@pytest.fixture(scope="session")
def scale(library: ctypes.CDLL) -> Callable[[Image, tuple[int, int]], Image]:
    """``scale(rgba, (height, width))`` scales an image (height, width, 4) smoothly."""

    def call(rgba: Image, shape: tuple[int, int]) -> Image:
        target = np.full((*shape, 4), 123, np.uint8)
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        source = (_pixels(rgba), rgba.shape[1], rgba.shape[0])
        result = (_pixels(target), shape[1], shape[0], message, _MESSAGE_BYTES)
        _check(library.ImageScale(*source, *result), message)
        return target

    return call


@pytest.fixture(scope="session")
def expect_same() -> Callable[..., None]:
    """``expect_same(ours, theirs, what)`` fails unless all bytes are equal; says how much.

    With ``largest``, bytes may differ by as much.
    """

    def check(ours: Image, theirs: Image, what: object, largest: int = 0) -> None:
        assert ours.shape == theirs.shape, f"{what}: shape {ours.shape}, expected {theirs.shape}"
        difference = np.abs(ours.astype(int) - theirs)
        if difference.max() > largest:
            wrong = difference.any(axis=-1)
            pytest.fail(
                f"{what}: {wrong.sum()} of {wrong.size} pixels differ, mean absolute difference "
                f"{difference.mean():.5f}, largest {difference.max()}, first at (y, x) = "
                f"{np.argwhere(wrong)[0].tolist()}"
            )

    return check


@pytest.fixture
def surface() -> Callable[[Image], pygame.Surface]:
    """``surface(image)``: a pygame surface of these pixels (height, width, 3 or 4)."""

    def make(image: Image) -> pygame.Surface:
        height, width, channels = image.shape
        flags = pygame.SRCALPHA if channels == 4 else 0
        made = pygame.Surface((width, height), flags, 32)
        pygame.surfarray.blit_array(made, image[:, :, :3].swapaxes(0, 1))
        if channels == 4:
            pygame.surfarray.pixels_alpha(made)[...] = image[:, :, 3].T
        return made

    return make


@pytest.fixture
def pixels() -> Callable[[pygame.Surface], Image]:
    """``pixels(surface)``: its pixels as (height, width, 3), or 4 with alpha."""

    def read(source: pygame.Surface) -> Image:
        rgb = pygame.surfarray.array3d(source).swapaxes(0, 1)
        if not source.get_flags() & pygame.SRCALPHA:
            return np.ascontiguousarray(rgb)
        alpha = pygame.surfarray.array_alpha(source).T[:, :, None]
        return np.ascontiguousarray(np.concatenate([rgb, alpha], axis=2))

    return read
