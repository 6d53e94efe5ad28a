# SPDX-License-Identifier: Apache-2.0
"""Ids, options, arrays and spaces are those of EnvPool 1.2.5, as data/manifest.json records them.

One thing is meant to differ: EnvPool 1.2.5 gives an unbounded array the least positive float as its
minimum, ours is minus infinity.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool_classic import FAMILY

_MANIFEST = json.loads((Path(__file__).parent / "data" / "manifest.json").read_text())
_LEAST_POSITIVE = float(np.finfo(np.float32).tiny)
_LARGEST = float(np.finfo(np.float32).max)
# Ids of Gymnasium only; everything else is in the manifest.
_NEWER = {"Taxi-v4"}


def _bound(value: Any) -> list[float]:
    elements = value["elementwise"] if isinstance(value, dict) else [value]
    unbounded = {_LEAST_POSITIVE: -np.inf, _LARGEST: np.inf}
    return [unbounded.get(float(element), float(element)) for element in elements]


def test_ids() -> None:
    names = [n for task in FAMILY.envpool_tasks() for n in task.names]
    assert sorted(names) == sorted({*_MANIFEST["tasks"], *_NEWER})


@pytest.mark.parametrize("task_id", _MANIFEST["tasks"])
def test_options(task_id: str) -> None:
    expected = _MANIFEST["tasks"][task_id]
    spec = envpool.make_spec(task_id)
    config = spec.config._asdict()
    own = ["max_episode_steps", *expected["config_order"]]
    assert {key: config[key] for key in own} == expected["config"]
    common = _MANIFEST["common_config"]
    assert {key: config[key] for key in common} == common
    assert spec.max_episode_steps == expected["max_episode_steps"]
    assert spec.reward_threshold == expected["reward_threshold"]


@pytest.mark.parametrize("task_id", _MANIFEST["tasks"])
@pytest.mark.parametrize("group", ["state", "action"])
def test_arrays(task_id: str, group: str) -> None:
    expected = _MANIFEST["tasks"][task_id][group]
    spec = envpool.make_spec(task_id)
    arrays = spec.state_array_spec if group == "state" else spec.action_array_spec
    own = list(arrays)[-len(expected) :]
    assert own == list(expected)
    for name, wanted in expected.items():
        array = arrays[name]
        assert array.dtype == wanted["dtype"]
        assert array.shape == tuple(wanted["shape"])
        for bound, key in ((array.minimum, "min"), (array.maximum, "max")):
            # Exact: the manifest's numbers are float32 values.
            np.testing.assert_array_equal(
                np.ravel(bound), np.broadcast_to(_bound(wanted[key]), bound.size)
            )


@pytest.mark.parametrize("task_id", _MANIFEST["tasks"])
def test_spaces(task_id: str) -> None:
    expected = _MANIFEST["tasks"][task_id]
    spec = envpool.make_spec(task_id)
    for space, key in (
        (spec.observation_space, "observation_space"),
        (spec.action_space, "action_space"),
    ):
        assert str(space) == expected[key]


@pytest.mark.parametrize(
    ("task_id", "config", "shape"),
    [
        ("Catch-v0", {"height": 7, "width": 9}, (7, 9)),
        ("FrozenLake-v1", {"size": 8}, ()),
    ],
)
def test_size_options(task_id: str, config: dict[str, int], shape: tuple[int, ...]) -> None:
    spec = envpool.make_spec(task_id, **config)
    assert spec.state_array_spec["obs"].item_shape == shape
    assert spec.state_array_spec["obs"].maximum.max() == (1 if shape else 63)
