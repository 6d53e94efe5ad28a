# SPDX-License-Identifier: Apache-2.0
"""Results of two pools, which have to be the same but for what only one of them has."""

from __future__ import annotations

from typing import Any

import numpy as np

OWN = {"actor_restarted", "_actor_restarted"}


def assert_same(ours: Any, reference: Any, path: str = "") -> None:
    """Every array, its dtype and its bytes."""
    if isinstance(reference, dict):
        assert set(ours) - OWN == set(reference), path
        for key, value in reference.items():
            assert_same(ours[key], value, f"{path}[{key!r}]")
    elif hasattr(reference, "_fields"):
        assert [name for name in ours._fields if name not in OWN] == [*reference._fields], path
        for name in reference._fields:
            assert_same(getattr(ours, name), getattr(reference, name), f"{path}.{name}")
    elif isinstance(reference, tuple):
        assert len(ours) == len(reference), path
        for number, value in enumerate(reference):
            assert_same(ours[number], value, f"{path}[{number}]")
    elif reference.dtype == object:
        for row, value in enumerate(reference):
            assert (ours[row] is None) == (value is None), path
            if value is not None and isinstance(value, dict):
                assert_same(ours[row], value, f"{path}[{row}]")
            elif value is not None:
                np.testing.assert_array_equal(ours[row], value, err_msg=path)
    else:
        assert ours.dtype == reference.dtype, path
        np.testing.assert_array_equal(ours, reference, err_msg=path)
