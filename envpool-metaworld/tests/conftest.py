# SPDX-License-Identifier: Apache-2.0
"""The shared setup of this wheel's tests."""

from __future__ import annotations

import os

import numpy_rounding  # noqa: F401 (before NumPy)

# The reference looks for a screen when it is imported.
os.environ.setdefault("MUJOCO_GL", "egl")
