# SPDX-License-Identifier: Apache-2.0
"""Where the columns of a state go."""

from __future__ import annotations

import dm_env
import pytest
from envpool._pools.result_layouts import dm_layout, gymnasium_layouts, vector_layouts
from envpool.errors import PluginError
from fake_family import COMMON_STATE

NAMES = [*COMMON_STATE, "obs:a.x", "obs:b", "info:players.hp", "info:lives", "other"]


def test_gymnasium():
    obs = {"a": {"x": 9}, "b": 10}
    info = {"env_id": 0, "players": {"env_id": 1, "hp": 11}, "lives": 12, "elapsed_step": 2}
    assert gymnasium_layouts(NAMES, same_step=False) == ((obs, 4, 8, 7, info), (obs, info))
    step, reset = gymnasium_layouts(NAMES, same_step=True)
    assert reset == (obs, info)
    assert step[4] == info | {
        "final_obs": {"a": {"x": -11}, "b": -12},
        "_final_obs": 3,
        "final_info": {
            "env_id": 0,
            "players": {"env_id": 1, "hp": -13},
            "lives": -14,
            "elapsed_step": -4,
        },
        "_final_info": 3,
    }


def test_vector():
    obs = {"a": {"x": 9}, "b": 10}
    info = {
        "players": {"hp": 11, "_hp": -1},
        "_players": -1,
        "lives": 12,
        "_lives": -1,
        "elapsed_step": 2,
        "_elapsed_step": -1,
    }
    assert vector_layouts(NAMES, same_step=False) == ((obs, 4, 8, 7, info), (obs, info))
    step, _ = vector_layouts([*COMMON_STATE, "obs"], same_step=True)
    assert step == (
        9,
        4,
        8,
        7,
        {
            "elapsed_step": 2,
            "_elapsed_step": -1,
            "final_obs": -11,
            "_final_obs": 3,
            "final_info": {"elapsed_step": -4},
            "_final_info": 3,
        },
    )


def test_dm():
    time_step, step_type, reward, discount, state = dm_layout(NAMES, dm_env.TimeStep, False)
    assert time_step is dm_env.TimeStep
    assert (step_type, reward, discount) == (6, 4, 5)
    assert state[0]._fields == ("env_id", "players", "a", "b", "lives")
    assert state[1] == 0
    assert state[2][0]._fields == ("env_id", "hp")
    assert state[2][1:] == [1, 11]
    assert state[3][1:] == [9]
    assert state[4:] == [10, 12]
    state = dm_layout([*COMMON_STATE, "obs"], dm_env.TimeStep, True)[4]
    assert state[0]._fields == ("env_id", "players", "obs", "final")
    assert state[4][1] == 0
    assert state[4][3] == -11


def test_clashes():
    for names in (["info:elapsed_step"], ["info:env_id"], ["info:a", "info:a.b"]):
        with pytest.raises(PluginError, match="the info"):
            gymnasium_layouts([*COMMON_STATE, "obs", *names], same_step=False)
    with pytest.raises(PluginError, match="dm_env"):
        dm_layout([*COMMON_STATE, "obs:x", "info:x"], dm_env.TimeStep, False)
