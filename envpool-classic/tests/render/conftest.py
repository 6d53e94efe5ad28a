# SPDX-License-Identifier: Apache-2.0
"""Builds the drawings into a small shared library and calls it through ctypes.

The tests need a C++ compiler (``CXX`` or ``c++``), gymnasium and pygame, no compiled family module.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

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

Picture = NDArray[np.uint8]


def _pixels(picture: Picture) -> ctypes.c_void_p:
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    return ctypes.c_void_p(picture.ctypes.data)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The drawings as a shared library, see pictures.cc."""
    output = tmp_path_factory.mktemp("render") / "pictures.so"
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-shared", "-fPIC"]
    # Fused multiply-add, a default of some compilers for some processors, would move single pixels.
    command += ["-ffp-contract=off", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += [f"-I{_WHEEL / 'cpp'}", str(Path(__file__).with_name("pictures.cc")), "-o"]
    subprocess.run([*command, str(output)], check=True, timeout=300)
    return ctypes.CDLL(str(output))


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
def set_sprite(library: ctypes.CDLL) -> Callable[[str, Picture], None]:
    """``set_sprite(name, rgba)``, as the compiled family module offers it."""

    def call(name: str, rgba: Picture) -> None:
        height, width, _ = rgba.shape
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        arguments = (name.encode(), height, width, _pixels(rgba), message, _MESSAGE_BYTES)
        _check(library.PictureSetSprite(*arguments), message)

    return call


@pytest.fixture(scope="session")
def draw_on(library: ctypes.CDLL) -> Callable[..., None]:
    """``draw_on(picture, name, *values, text="")`` draws over a picture (height, width, 3)."""

    def call(picture: Picture, name: str, *values: float, text: str = "") -> None:
        height, width, _ = picture.shape
        numbers = (ctypes.c_double * len(values))(*(float(value) for value in values))
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        target = (_pixels(picture), width, height, message, _MESSAGE_BYTES)
        _check(library.PictureDraw(name.encode(), numbers, text.encode(), *target), message)

    return call


@pytest.fixture(scope="session")
def draw(
    draw_on: Callable[..., None],
    sprites: ModuleType,
    set_sprite: Callable[[str, Picture], None],
) -> Callable[..., Picture]:
    """``draw(name, (height, width), *values, text="")`` returns a picture; sprites are loaded."""
    for drawing in sprites.SPRITES:
        sprites.install(drawing, set_sprite)

    def call(name: str, shape: tuple[int, int], *values: float, text: str = "") -> Picture:
        # Garbage instead of zeros: a drawing must cover the whole picture.
        picture = np.full((*shape, 3), 123, np.uint8)
        draw_on(picture, name, *values, text=text)
        return picture

    return call


@pytest.fixture(scope="session")
def scale(library: ctypes.CDLL) -> Callable[[Picture, tuple[int, int]], Picture]:
    """``scale(rgba, (height, width))`` scales a picture (height, width, 4) smoothly."""

    def call(rgba: Picture, shape: tuple[int, int]) -> Picture:
        target = np.full((*shape, 4), 123, np.uint8)
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        source = (_pixels(rgba), rgba.shape[1], rgba.shape[0])
        result = (_pixels(target), shape[1], shape[0], message, _MESSAGE_BYTES)
        _check(library.PictureScale(*source, *result), message)
        return target

    return call


@pytest.fixture(scope="session")
def expect_same() -> Callable[..., None]:
    """``expect_same(ours, theirs, what)`` fails unless all bytes are equal; says how far off."""

    def check(ours: Picture, theirs: Picture, what: object) -> None:
        assert ours.shape == theirs.shape, f"{what}: shape {ours.shape}, expected {theirs.shape}"
        difference = np.abs(ours.astype(int) - theirs)
        if difference.any():
            wrong = difference.any(axis=-1)
            pytest.fail(
                f"{what}: {wrong.sum()} of {wrong.size} pixels differ, mean absolute difference "
                f"{difference.mean():.5f}, largest {difference.max()}, first at (y, x) = "
                f"{np.argwhere(wrong)[0].tolist()}"
            )

    return check


@pytest.fixture
def surface() -> Callable[[Picture], pygame.Surface]:
    """``surface(picture)``: a pygame surface of these pixels (height, width, 3 or 4)."""

    def make(picture: Picture) -> pygame.Surface:
        height, width, channels = picture.shape
        flags = pygame.SRCALPHA if channels == 4 else 0
        made = pygame.Surface((width, height), flags, 32)
        pygame.surfarray.blit_array(made, picture[:, :, :3].swapaxes(0, 1))
        if channels == 4:
            pygame.surfarray.pixels_alpha(made)[...] = picture[:, :, 3].T
        return made

    return make


@pytest.fixture
def pixels() -> Callable[[pygame.Surface], Picture]:
    """``pixels(surface)``: its pixels as (height, width, 3), or 4 with alpha."""

    def read(source: pygame.Surface) -> Picture:
        rgb = pygame.surfarray.array3d(source).swapaxes(0, 1)
        if not source.get_flags() & pygame.SRCALPHA:
            return np.ascontiguousarray(rgb)
        alpha = pygame.surfarray.array_alpha(source).T[:, :, None]
        return np.ascontiguousarray(np.concatenate([rgb, alpha], axis=2))

    return read
