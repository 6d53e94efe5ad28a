# SPDX-License-Identifier: Apache-2.0
"""The places of a state's arrays in results."""

from __future__ import annotations

import dm_env
import pytest
from envpool._pools.result_layouts import dm_layout, gymnasium_layouts, vector_layouts
from envpool.errors import PluginError
from fake_family import COMMON_STATE

NAMES = [*COMMON_STATE, "obs:a.x", "obs:b", "info:players.hp", "info:lives", "other"]
STEP = ("reward", "terminated", "trunc")


def test_gymnasium():
    obs = {"a": {"x": "obs:a.x"}, "b": "obs:b"}
    info = {
        "env_id": "info:env_id",
        "players": {"env_id": "info:players.env_id", "hp": "info:players.hp"},
        "lives": "info:lives",
        "elapsed_step": "elapsed_step",
    }
    assert gymnasium_layouts(NAMES, same_step=False) == ((obs, *STEP, info), (obs, info))
    step, reset = gymnasium_layouts(NAMES, same_step=True)
    assert reset == (obs, info)
    assert step[4] == info | {
        "final_obs": {"a": {"x": "final obs:a.x"}, "b": "final obs:b"},
        "_final_obs": "done",
        "final_info": {
            "env_id": "info:env_id",
            "players": {"env_id": "info:players.env_id", "hp": "final info:players.hp"},
            "lives": "final info:lives",
            "elapsed_step": "final elapsed_step",
        },
        "_final_info": "done",
    }


def test_vector():
    obs = {"a": {"x": "obs:a.x"}, "b": "obs:b"}
    info = {
        "players": {"hp": "info:players.hp", "_hp": "*"},
        "_players": "*",
        "lives": "info:lives",
        "_lives": "*",
        "elapsed_step": "elapsed_step",
        "_elapsed_step": "*",
    }
    assert vector_layouts(NAMES, same_step=False) == ((obs, *STEP, info), (obs, info))
    step, _ = vector_layouts([*COMMON_STATE, "obs"], same_step=True)
    assert step == (
        "obs",
        *STEP,
        {
            "elapsed_step": "elapsed_step",
            "_elapsed_step": "*",
            "final_obs": "final obs",
            "_final_obs": "done",
            "final_info": {"elapsed_step": "final elapsed_step"},
            "_final_info": "done",
        },
    )


def test_dm():
    time_step, step_type, reward, discount, state = dm_layout(NAMES, dm_env.TimeStep, False)
    assert time_step is dm_env.TimeStep
    assert (step_type, reward, discount) == ("step_type", "reward", "discount")
    assert state[0]._fields == ("env_id", "players", "a", "b", "lives")
    assert state[1] == "info:env_id"
    assert state[2][0]._fields == ("env_id", "hp")
    assert state[2][1:] == ["info:players.env_id", "info:players.hp"]
    assert state[3][1:] == ["obs:a.x"]
    assert state[4:] == ["obs:b", "info:lives"]
    state = dm_layout([*COMMON_STATE, "obs"], dm_env.TimeStep, True)[4]
    assert state[0]._fields == ("env_id", "players", "obs", "final")
    assert state[4][1] == "info:env_id"
    assert state[4][3] == "final obs"


def test_clashes():
    for names in (["info:elapsed_step"], ["info:env_id"], ["info:a", "info:a.b"]):
        with pytest.raises(PluginError, match="the info"):
            gymnasium_layouts([*COMMON_STATE, "obs", *names], same_step=False)
    with pytest.raises(PluginError, match="dm_env"):
        dm_layout([*COMMON_STATE, "obs:x", "info:x"], dm_env.TimeStep, False)
