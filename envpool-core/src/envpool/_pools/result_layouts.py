# SPDX-License-Identifier: Apache-2.0
"""The place of each state array in the result of `step` and `reset`.

The compiled side builds every result from one of these layouts, so that no Python code runs for it.
`PoolBackend.set_result_layouts` defines layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._specs.arrays import as_observation, named_tuple, nest, observation_paths, split, state_tree

ALL_ROWS = "*"
"""Leaf of a layout that stands for an array of True, one per row."""


def final(name: str) -> str:
    """Leaf of a layout that stands for the last value of an array before an automatic reset."""
    # The environment of a row does not change at its reset.
    return name if name in ("info:env_id", "info:players.env_id") else f"final {name}"


def gymnasium_layouts(names: Sequence[str], same_step: bool) -> tuple[Any, Any]:
    """Layouts of `(obs, reward, terminated, truncated, info)` and `(obs, info)`.

    Args:
        names: All state arrays.
        same_step: Whether episodes start in the step that ended the one before: the info then has
            "final_obs" and "final_info" like the observation and the info, filled in the rows that
            are True in "_final_obs" and "_final_info".
    """
    obs = _observation(names)
    info = _info(names)
    step_info = dict(info)
    if same_step:
        step_info |= {
            "final_obs": _map(final, obs),
            "_final_obs": "done",
            "final_info": _map(final, info),
            "_final_info": "done",
        }
    return (obs, "reward", "terminated", "trunc", step_info), (obs, info)


def vector_layouts(names: Sequence[str], same_step: bool) -> tuple[Any, Any]:
    """Layouts for the contract of gymnasium.vector: every key of the info has a mask `_key`.

    The ids of environments are left out: row i is always environment i. The masks of the keys under
    "final_info" are not here, they differ from step to step.
    """
    obs = _observation(names)
    plain = _info(names)
    del plain["env_id"], plain["players"]["env_id"]
    if not plain["players"]:
        del plain["players"]
    info = _with_masks(plain)
    step_info = dict(info)
    if same_step:
        step_info |= {
            "final_obs": _map(final, obs),
            "_final_obs": "done",
            "final_info": _map(final, plain),
            "_final_info": "done",
        }
    return (obs, "reward", "terminated", "trunc", step_info), (obs, info)


def dm_layout(names: Sequence[str], time_step: type, same_step: bool) -> Any:
    """Layout of a `dm_env.TimeStep` whose observation is a namedtuple `State`.

    State has the observation and the info merged: "obs" is `State.obs`, "obs:a.b" `State.a.b` and
    "info:x" `State.x`; it starts with `env_id` and `players`. With `same_step` it ends with
    `final`, the same fields as they were at the end of an episode that ended in this step.
    """
    tree = state_tree(names, {name: name for name in names})
    if same_step:
        tree["final"] = _map(final, tree)
    return [time_step, "step_type", "reward", "discount", _as_lists(named_tuple("State", tree))]


def _observation(names: Sequence[str]) -> Any:
    return as_observation({name: name for name in observation_paths(names)}, "the observation")


def _info(names: Sequence[str]) -> dict[str, Any]:
    items = [(split(name)[1], name) for name in names if split(name)[0] == "info"]
    return nest([*items, ("elapsed_step", "elapsed_step")], "the info")


def _map(function: Callable[[str], Any], tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _map(function, leaf) for key, leaf in tree.items()}
    return function(tree)


def mask_keys(info: Mapping[Any, Any]) -> set[str]:
    """The keys of an info that are masks of others: "_speed" beside "speed", "_1" beside 1."""
    return {f"_{key}" for key in info}.intersection(info)


def _with_masks(tree: dict[str, Any]) -> dict[str, Any]:
    masked: dict[str, Any] = {}
    for key, leaf in tree.items():
        masked[key] = _with_masks(leaf) if isinstance(leaf, dict) else leaf
        masked[f"_{key}"] = ALL_ROWS
    return masked


def _as_lists(template: Any) -> Any:
    if isinstance(template, tuple):
        return [type(template), *map(_as_lists, template)]
    return template
