# SPDX-License-Identifier: Apache-2.0
"""Every task gives, from the same seed, the episodes of highway-env: bit for bit.

The test plays a few steps of each, which take the package most of the time of these tests; `python
tools/fidelity.py envpool-highway` plays 500 steps of each id in four environments, and 60 with
every option, alone and in pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

# isort: off
from references import (
    ALONE_CASES,
    CONTROLS,
    FRAME_CASES,
    GREY_CASES,
    ID_CASES,
    OPTION_CASES,
    PAIR_CASES,
    Case,
)

# isort: on
from alignment import align
from highway_env.vehicle.behavior import IDMVehicle
from highway_env.vehicle.controller import ControlledVehicle
from sampling import FULL, sampled

# Tasks in which a step takes the package a tenth of a second and more.
_SLOW = ("highway-v0", "intersection")
_OPTIONS = ALONE_CASES + PAIR_CASES + OPTION_CASES + GREY_CASES


@pytest.mark.parametrize("case", ID_CASES, ids=str)
def test_episodes_are_those_of_the_reference(case: Case) -> None:
    # No tolerance: both compute the same operations in the same order.
    steps = 4 if case.task_id.startswith(_SLOW) else 8
    result = align(case, case.steps if FULL else steps, num_envs=4 if FULL else 2)
    assert result.equal, result.differing


@pytest.mark.parametrize("case", sampled(_OPTIONS, 24), ids=str)
def test_options_are_those_of_the_reference(case: Case) -> None:
    result = align(case, case.steps if FULL else 3, num_envs=4 if FULL else 1)
    assert result.equal, result.differing


@pytest.mark.parametrize("case", sampled(FRAME_CASES, 10), ids=str)
def test_frames_are_those_of_the_reference(case: Case) -> None:
    # No tolerance: both color the same pixels.
    result = align(case, case.steps if FULL else 3, num_envs=4 if FULL else 1)
    assert result.equal, result.differing
    assert result.counts["frames"]


@pytest.mark.parametrize("case", CONTROLS, ids=str)
def test_what_differs_shows(case: Case) -> None:
    """The comparison finds small differences."""
    assert align(case, 3, num_envs=1).differing


def nearer(vehicle: Any, *args: Any, **kwargs: Any) -> float:
    return 0.999 * float(_GAP(vehicle, *args, **kwargs))


def softer(vehicle: Any, *args: Any) -> float:
    return 0.9999 * float(_STEERING(vehicle, *args))


_GAP, _STEERING = IDMVehicle.desired_gap, ControlledVehicle.steering_control


@pytest.mark.parametrize(
    ("task_id", "owner", "name", "changed"),
    [
        ("highway-fast-v0", IDMVehicle, "desired_gap", nearer),
        ("merge-v0", ControlledVehicle, "steering_control", softer),
    ],
)
def test_a_changed_rule_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
    task_id: str,
    owner: type,
    name: str,
    changed: Callable[..., Any],
) -> None:
    monkeypatch.setattr(owner, name, changed)
    assert align(Case(task_id), 3, num_envs=1).differing
