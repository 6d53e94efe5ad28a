# SPDX-License-Identifier: Apache-2.0
"""Images of screens, byte for byte those of OpenCV for x86, with every kind of vectors."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from on_arm import ON_ARM, assert_same_frames

Screen = NDArray[np.uint8]

INTERPOLATIONS = {"area": cv2.INTER_AREA, "linear": cv2.INTER_LINEAR}
MODES = ("gray", "planar", "last")
HEIGHTS = (210, 214, 220, 230, 250)  # of the games
SIZES = [
    pytest.param(84, 84, id="usual"),
    pytest.param(160, 210, id="same"),
    pytest.param(80, 105, id="half"),
    pytest.param(40, 42, id="whole-factors"),
    pytest.param(160, 70, id="same-across"),
    pytest.param(84, 210, id="same-down"),
    pytest.param(42, 42, id="far-taps"),
    pytest.param(5, 7, id="small"),
    pytest.param(1, 1, id="one-pixel"),
    pytest.param(161, 211, id="a-little-larger"),
    pytest.param(100, 300, id="enlarged-down"),
    pytest.param(300, 100, id="enlarged-across"),
    pytest.param(320, 420, id="double"),
    pytest.param(640, 480, id="vga"),
]


def expected(
    palette: NDArray[np.uint8],
    newer: Screen,
    older: Screen | None,
    size: tuple[int, int],
    interpolation: str,
    mode: str,
) -> NDArray[np.uint8]:
    """The image as upstream makes it: palette, maximum, cv2.resize."""
    entries = palette[:, 3] if mode == "gray" else palette[:, :3]
    image = entries[newer] if older is None else np.maximum(entries[newer], entries[older])
    scale = _scale_linear_on_arm if ON_ARM and interpolation == "linear" else cv2.resize
    scaled = scale(image, size, interpolation=INTERPOLATIONS[interpolation])
    assert scaled.dtype == np.uint8
    return np.asarray(scaled.transpose(2, 0, 1) if mode == "planar" else scaled, np.uint8)


def _scale_linear_on_arm(image: Screen, size: tuple[int, int], interpolation: int) -> Screen:
    """By OpenCV itself: of up to 4 channels, libraries inside of it scale otherwise, by up to 6."""
    channels = np.atleast_3d(image)
    scaled = np.asarray(cv2.resize(np.tile(channels, 5), size, interpolation=interpolation))
    wanted = scaled[:, :, : channels.shape[2]]
    return wanted if image.ndim == 3 else wanted[:, :, 0]


def noise(rng: np.random.Generator, height: int, repeated: float = 0) -> Screen:
    """A screen of random pixels, of whose rows a part repeats the row above."""
    screen = rng.integers(0, 256, (height, 160), dtype=np.uint8)
    for y in range(1, height):
        if rng.random() < repeated:
            screen[y] = screen[y - 1]
    return screen


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_noise_of_every_height(
    width: int, height: int, interpolation: str, mode: str, module: ModuleType, kinds: list[str]
) -> None:
    rng = np.random.default_rng(width + 1000 * height)
    palette = module.palette("pal")
    for source_height in HEIGHTS:
        newer, older = noise(rng, source_height), noise(rng, source_height)
        older[: source_height // 2] = newer[: source_height // 2]
        for other in (older, None):
            want = expected(palette, newer, other, (width, height), interpolation, mode)
            for kind in kinds:
                args = (source_height, width, height, interpolation, mode, "pal", kind)
                assert_same_frames(module.Scaler(*args)(newer, other), want, f"{args}")


@settings(
    max_examples=300,
    deadline=None,  # an image may have a million pixels
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    source_height=st.one_of(st.sampled_from(HEIGHTS), st.integers(1, 260)),
    width=st.integers(1, 400),
    height=st.integers(1, 500),
    interpolation=st.sampled_from(list(INTERPOLATIONS)),
    mode=st.sampled_from(MODES),
    name=st.sampled_from(["ntsc", "pal"]),
    repeated=st.sampled_from([0.0, 0.5, 0.95]),
    pooled=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_size(
    source_height: int,
    width: int,
    height: int,
    interpolation: str,
    mode: str,
    name: str,
    repeated: float,
    pooled: bool,
    seed: int,
    module: ModuleType,
    kinds: list[str],
) -> None:
    rng = np.random.default_rng(seed)
    newer = noise(rng, source_height, repeated)
    older = noise(rng, source_height, repeated) if pooled else None
    palette = module.palette(name)
    want = expected(palette, newer, older, (width, height), interpolation, mode)
    for kind in kinds:
        scaler = module.Scaler(source_height, width, height, interpolation, mode, name, kind)
        assert_same_frames(scaler(newer, older), want, kind)


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
@pytest.mark.parametrize(("width", "height"), [(84, 84), (80, 105), (96, 100), (200, 300)])
def test_every_row_and_column_has_its_weight(
    width: int, height: int, interpolation: str, module: ModuleType, kinds: list[str]
) -> None:
    """A single bright line: no other pixel hides a weight that is wrong or in the wrong place."""
    palette = module.palette("ntsc")
    scalers = [module.Scaler(210, width, height, interpolation, "gray", "ntsc", k) for k in kinds]
    for axis, length in enumerate((210, 160)):
        for line in range(length):
            screen = np.zeros((210, 160), np.uint8)
            screen[(line, slice(None)) if axis == 0 else (slice(None), line)] = 0x0E
            want = expected(palette, screen, None, (width, height), interpolation, "gray")
            for scaler in scalers:
                assert_same_frames(scaler(screen, None), want, f"{axis} {line}")


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("pong", "ntsc"),
        ("ms_pacman", "ntsc"),
        ("carnival", "ntsc"),
        ("air_raid", "pal"),
        ("king_kong", "pal"),
    ],
)
def test_screens_of_games(
    game: str,
    name: str,
    play: Callable[[str, int], list[Screen]],
    module: ModuleType,
    kinds: list[str],
) -> None:
    palette = module.palette(name)
    screens = play(game, 6)
    for mode in MODES:
        for width, height in ((84, 84), (160, screens[0].shape[0])):
            args = (screens[0].shape[0], width, height, "area", mode, name)
            scalers = [module.Scaler(*args, kind) for kind in kinds]
            for older, newer in itertools.pairwise(screens):
                want = expected(palette, newer, older, (width, height), "area", mode)
                for scaler in scalers:
                    assert_same_frames(scaler(newer, older), want)


@pytest.mark.parametrize(
    ("odd", "even"), [(False, True), (True, False), (True, True)], ids=["even", "odd", "both"]
)
def test_every_colour_beside_every_other(
    odd: bool, even: bool, module: ModuleType, kinds: list[str]
) -> None:
    """The look-up tells by the lowest bits of neighbours which tables it needs."""
    values = np.array([v for v in range(256) if (odd and v % 2) or (even and v % 2 == 0)], np.uint8)
    rng = np.random.default_rng(3)
    newer, older = rng.choice(values, (2, 64, 160))
    for name in ("ntsc", "pal"):
        palette = module.palette(name)
        for mode in MODES:
            want = expected(palette, newer, older, (160, 64), "area", mode)
            for kind in kinds:
                scaler = module.Scaler(64, 160, 64, "area", mode, name, kind)
                assert_same_frames(scaler(newer, older), want, kind)


@pytest.mark.parametrize("sizes", [(0, 84, 84), (210, 0, 84), (210, 84, 0), (210, -1, 84)])
def test_a_size_below_one_is_an_error(sizes: tuple[int, int, int], module: ModuleType) -> None:
    source_height, width, height = sizes
    message = f"height {source_height} cannot become an image of width {width} and height {height}"
    with pytest.raises(ValueError, match=message):
        module.Scaler(*sizes, "area", "gray", "ntsc", "portable")


def test_the_best_kind_can_be_lowered(module: ModuleType, kinds: list[str]) -> None:
    assert module.best_simd_up_to("portable") == "portable"
    assert module.best_simd_up_to("avx512") == kinds[-1]
    for kind in kinds:
        assert module.best_simd_up_to(kind) == kind


@pytest.mark.parametrize("limit", ["portable", "", "sse9"])
def test_the_environment_variable(
    limit: str, module_path: Path, module: ModuleType, kinds: list[str]
) -> None:
    code = f"""\
import importlib.util
spec = importlib.util.spec_from_file_location("screen_module", {str(module_path)!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
try:
    print(module.best_simd())
except ValueError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ENVPOOL_ATARI_SIMD": limit},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    error = "ENVPOOL_ATARI_SIMD is 'sse9'; it has to be portable, neon, avx2 or avx512"
    assert done.stdout.strip() == {"portable": "portable", "": kinds[-1], "sse9": error}[limit]


def test_a_kind_that_the_machine_lacks_is_an_error(module: ModuleType, kinds: list[str]) -> None:
    missing = [k for k in ("portable", "neon", "avx2", "avx512") if k not in kinds]
    assert missing  # no machine has both NEON and AVX
    for kind in missing:
        with pytest.raises(ValueError, match="no such vector instructions"):
            module.Scaler(210, 84, 84, "area", "gray", "ntsc", kind)
