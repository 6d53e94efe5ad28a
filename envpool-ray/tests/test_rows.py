# SPDX-License-Identifier: Apache-2.0
"""Rows of several workers, joined."""

from __future__ import annotations

from typing import Any

import numpy as np
from envpool_ray import _rows

ONE_EACH = _rows.PlayerRows(frozenset(), False)


def rows(ids: list[int], info: dict[str, Any]) -> _rows.WorkerRows:
    """Results of these environments, with infos that only some have."""
    return _rows.WorkerRows(None, {_rows.ENV_ID: np.array(ids, np.int32)}, info, ONE_EACH)


def test_infos_that_a_rows_lacks_are_what_no_environment_has() -> None:
    texts = np.array(["red", None], object)
    first = {"lap": np.array([1, 2]), "deep": {"x": np.ones((2, 3))}, "none": {}}
    second = {"lap": np.array([3]), "text": texts[:1], "deep": {"y": np.array([True])}}
    joined = _rows.join([rows([0, 1], first), rows([2], second), rows([3], {})]).info
    assert list(joined) == ["lap", "deep", "none", "text"]
    assert joined["lap"].tolist() == [1, 2, 3, 0]
    assert joined["deep"]["x"].tolist() == [[1] * 3, [1] * 3, [0] * 3, [0] * 3]
    assert joined["deep"]["y"].tolist() == [False, False, True, False]
    assert joined["none"] == {}
    assert joined["text"].tolist() == [None, None, "red", None]


def test_rows_of_other_shapes_are_objects() -> None:
    parts = [rows([0], {"map": np.ones((1, 2))}), rows([1], {"map": np.zeros((1, 3))})]
    joined = _rows.join(parts).info["map"]
    assert joined.dtype == object
    assert [row.tolist() for row in joined] == [[1, 1], [0, 0, 0]]


def test_how_infos_are_joined_is_found_once() -> None:
    """Not for each step, only where a key, a dtype or a shape is another."""
    _rows._join_plan.cache_clear()

    def join(step: int, dtype: type) -> Any:
        info = {"lap": np.full(2, step, dtype), "deep": {"x": np.full((2, 1), step)}}
        return _rows.join([rows([0, 1], info), rows([2, 3], {"lap": info["lap"] + 1})]).info

    for step in range(20):
        assert join(step, int)["lap"].tolist() == [step, step, step + 1, step + 1]
    found = _rows._join_plan.cache_info()
    assert (found.misses, found.hits) == (2, 19)  # one for the dict in the dict
    join(0, float)
    assert _rows._join_plan.cache_info().misses == 3
