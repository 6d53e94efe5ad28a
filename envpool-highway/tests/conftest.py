# SPDX-License-Identifier: Apache-2.0
"""What the tests of this wheel share."""

from __future__ import annotations

import os

import numpy_rounding  # noqa: F401 (before NumPy)

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
