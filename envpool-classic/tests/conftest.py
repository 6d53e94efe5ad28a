# SPDX-License-Identifier: Apache-2.0
"""The tolerance of pixels: pygame's differ by CPU and with pygame-ce (Python 3.14)."""

from __future__ import annotations

from importlib import metadata

import pytest

# Gymnasium draws these with pygame's `draw.aalines` or `transform.scale`.
_OTHER_PIXELS = {
    "test_mountain_car[MountainCar-v0-0.5]",
    "test_mountain_car[MountainCarContinuous-v0-0.45]",
    "test_mountain_car_in_single_precision",
    "test_episodes[MountainCar-v0-mountain_car-shape1]",
    "test_sprites",
    "test_frozen_lake[9x9]",
    "test_frozen_lake[13x13]",
    "test_frozen_lake[2x20]",
    "test_frames_are_gymnasiums[MountainCar-v0]",
    "test_frames_are_gymnasiums[MountainCarContinuous-v0]",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expects these tests to fail, strictly: a test that passes is a failure."""
    if not any(True for _ in metadata.distributions(name="pygame-ce")):
        return
    reason = "pygame-ce's aalines and scale have other pixels than pygame's"
    for item in items:
        if item.name in _OTHER_PIXELS:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.fixture(scope="session")
def rounding() -> int:
    """The difference that a pixel may have from pygame's, whose rounding depends on the CPU.

    For x86, pygame scales by SSE and adds without fusing; ours does the same on every CPU. On other
    CPUs pygame fuses, and a pixel of a smooth line may differ by one; it scales by weights of more
    bits, so a pixel of Pendulum's arrow may differ by three times as much.
    """
    import pygame  # not above: the tests beside older packages run without it

    return 0 if pygame.transform.get_smoothscale_backend() != "GENERIC" else 1
