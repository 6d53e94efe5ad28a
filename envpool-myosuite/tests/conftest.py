# SPDX-License-Identifier: Apache-2.0
"""Imports and settings that this wheel's tests need first."""

from __future__ import annotations

import os

import numpy_rounding  # noqa: F401 (before NumPy)

# The reference looks for a display when it is imported.
os.environ.setdefault("MUJOCO_GL", "egl")
