# SPDX-License-Identifier: Apache-2.0
"""Ids, options, arrays and spaces are those of EnvPool 1.2.5, as data/manifest.json records them.

Two things are meant to differ: the bounds of an array without bounds are minus and plus infinity,
and there are further options and infos, after the old ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool_atari import FAMILY

_MANIFEST = json.loads((Path(__file__).parent / "data" / "manifest.json").read_text())
_TASKS: dict[str, tuple[str, int]] = _MANIFEST["actions"]
_COMMON_STATE = 9
_UNBOUNDED = {
    float(np.finfo(np.float32).tiny): -np.inf,
    float(np.finfo(np.float32).max): np.inf,
}


def test_ids() -> None:
    names = [n for task in FAMILY.envpool_tasks() for n in task.names]
    assert sorted(names) == sorted([*_TASKS, "AtariRom-v5"])


@pytest.mark.parametrize("task_id", _TASKS)
def test_options(task_id: str) -> None:
    spec = envpool.make_spec(task_id)
    config = spec.config._asdict()
    expected = {**_MANIFEST["config"], **_MANIFEST["common_config"], "task": _TASKS[task_id][0]}
    assert {key: config[key] for key in expected} == expected
    own = list(config)[list(config).index("stack_num") :]
    assert own[: len(_MANIFEST["config_order"])] == _MANIFEST["config_order"]
    assert spec.max_episode_steps == 27_000
    assert spec.reward_threshold is None


@pytest.mark.parametrize("task_id", _TASKS)
def test_arrays(task_id: str) -> None:
    spec = envpool.make_spec(task_id)
    arrays = spec.state_array_spec
    wanted: dict[str, Any] = _MANIFEST["state"]
    assert list(arrays)[_COMMON_STATE : _COMMON_STATE + len(wanted)] == list(wanted)
    for name, expected in wanted.items():
        assert arrays[name].dtype == expected["dtype"]
        assert arrays[name].shape == tuple(expected["shape"])
        for bound, key in ((arrays[name].minimum, "min"), (arrays[name].maximum, "max")):
            number = float(expected[key])
            assert (bound == _UNBOUNDED.get(number, number)).all()
    action = spec.action_array_spec["action"]
    assert (action.dtype, action.shape) == (np.int32, (-1,))
    assert (action.minimum, action.maximum) == (0, _TASKS[task_id][1] - 1)


@pytest.mark.parametrize("task_id", _TASKS)
def test_spaces(task_id: str) -> None:
    spec = envpool.make_spec(task_id)
    assert str(spec.observation_space) == _MANIFEST["observation_space"]
    assert str(spec.action_space) == f"Discrete({_TASKS[task_id][1]})"


@pytest.mark.parametrize(
    "variant", _MANIFEST["variants"], ids=lambda variant: str(variant["config"])
)
def test_variants(variant: dict[str, Any]) -> None:
    spec = envpool.make_spec(variant["task"], **variant["config"])
    assert list(spec.state_array_spec["obs"].shape) == variant["shape"]
    assert str(spec.action_space) == variant["action_space"]
