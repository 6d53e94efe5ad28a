# SPDX-License-Identifier: Apache-2.0
"""Frames are compared with what OpenCV has scaled, which rounds otherwise on aarch64."""

from __future__ import annotations

import platform

import numpy as np
from numpy.typing import NDArray

ON_ARM = platform.machine() == "aarch64"


def assert_same_frames(ours: NDArray[np.uint8], theirs: NDArray[np.uint8], where: str = "") -> None:
    """Fails unless the frames are equal; on aarch64, unless no value differs by more than 1.

    OpenCV for aarch64 fuses multiplications and additions, so that a sum near a half is rounded to
    the other side: 1 of 230 pixels or fewer of noise and of games. Ours are the frames of x86-64
    on every CPU.
    """
    if ON_ARM:
        assert ours.shape == theirs.shape, where
        difference = np.abs(ours.astype(np.int16) - theirs)
        assert difference.max(initial=0) <= 1, where
    else:
        np.testing.assert_array_equal(ours, theirs, where)
