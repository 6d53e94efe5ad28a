# SPDX-License-Identifier: Apache-2.0
"""Imports that this wheel's tests need first."""

from __future__ import annotations

import os

import numpy_rounding  # noqa: F401 (before NumPy)

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
