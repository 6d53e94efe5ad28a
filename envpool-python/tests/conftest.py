# SPDX-License-Identifier: Apache-2.0
"""What the tests of this wheel share."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # SWIG's types lack an attribute; raised as an error, the warning would crash their import.
    warnings.simplefilter("ignore", DeprecationWarning)
    import Box2D  # noqa: F401
