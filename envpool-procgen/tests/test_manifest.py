# SPDX-License-Identifier: Apache-2.0
"""Ids, options, arrays and spaces are those of EnvPool 1.2.5, in data/manifest.json."""

from __future__ import annotations

import json
from pathlib import Path

import envpool
import pytest
from envpool_procgen import FAMILY

_MANIFEST = json.loads((Path(__file__).parent / "data" / "manifest.json").read_text())
# Options that EnvPool 1.2.5 lacks.
_NEWER = ["debug_mode", "engine", "engine_path"]


def test_ids() -> None:
    assert sorted(task.id for task in FAMILY.envpool_tasks()) == sorted(_MANIFEST["tasks"])


@pytest.mark.parametrize("task_id", _MANIFEST["tasks"])
def test_options(task_id: str) -> None:
    spec = envpool.make_spec(task_id)
    expected = {**_MANIFEST["config_common"], **_MANIFEST["tasks"][task_id]}
    config = spec.config._asdict()
    assert {key: config[key] for key in expected} == expected
    own = list(config)[list(config).index(_MANIFEST["order"][0]) :]
    assert [name for name in own if name in {*_MANIFEST["order"], *_NEWER}] == [
        *_MANIFEST["order"],
        *_NEWER,
    ]
    assert spec.max_episode_steps == expected["max_episode_steps"]
    assert spec.reward_threshold is None


def test_arrays() -> None:
    spec = envpool.make_spec("CoinrunEasy-v0")
    for arrays, expected in (
        (spec.state_array_spec, _MANIFEST["state_common"]),
        (spec.action_array_spec, _MANIFEST["action_common"]),
    ):
        assert list(arrays)[-len(expected) :] == list(expected)
        for name, wanted in expected.items():
            array = arrays[name]
            assert array.dtype == wanted["dtype"]
            assert array.shape == tuple(wanted["shape"])
            assert (array.minimum.min(), array.maximum.max()) == (wanted["min"], wanted["max"])
    assert str(spec.observation_space) == _MANIFEST["observation_space"]
    assert str(spec.action_space) == _MANIFEST["action_space"]


def test_frames_of_another_layout() -> None:
    first, last = (
        envpool.make("NinjaHard-v0", num_envs=2, seed=5, channel_first=layout)
        for layout in (True, False)
    )
    with first, last:
        assert last.observation_space.shape == (64, 64, 3)
        assert (first.reset()[0].transpose(0, 2, 3, 1) == last.reset()[0]).all()
