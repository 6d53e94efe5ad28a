# SPDX-License-Identifier: Apache-2.0
"""Tests of the options of every family: a sample by default, all tasks under `--full`.

    test_option_values = option_values_test(IDS)
    test_option_effects = option_effects_test(IDS)

pytest ends with a line with the numbers of values tried, refused and taken.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import pytest
from envpool.testing import check_option_effects, check_option_values
from sampling import FULL, sampled

# The first frame of a process starts OpenGL, which takes seconds without a GPU.
_SLOW = ("from_pixels",)
SECONDS = float(os.environ.get("ENVPOOL_OPTION_SECONDS", "1"))  # for a value


def option_values_test(
    ids: Iterable[str], count: int = 3, *, without: Collection[str] = (), **config: Any
) -> Callable[..., None]:
    """A test of `check_option_values` for `count` of the ids, of all under `--full`."""

    @pytest.mark.parametrize("task_id", sampled(ids, count, salt="option values"))
    def test_option_values(task_id: str, record_property: Callable[[str, object], None]) -> None:
        examples = 300 if FULL else 60
        left_out = (*_SLOW, *without)
        tried = check_option_values(
            task_id, examples=examples, seconds=SECONDS, without=left_out, **config
        )
        assert sum(tried) >= examples
        record_property("option values", list(tried))

    return test_option_values


def option_effects_test(
    ids: Iterable[str],
    count: int = 1,
    *,
    steps: int = 60,
    together: Mapping[str, Mapping[str, object]] | None = None,
    without: Collection[str] = (),
) -> Callable[..., None]:
    """A test of `check_option_effects` for `count` of the ids, of all under `--full`."""

    @pytest.mark.parametrize("task_id", sampled(ids, count, salt="option effects"))
    def test_option_effects(task_id: str) -> None:
        left_out = (*_SLOW, *without)
        check_option_effects(task_id, steps=steps, together=together, without=left_out)

    return test_option_effects
