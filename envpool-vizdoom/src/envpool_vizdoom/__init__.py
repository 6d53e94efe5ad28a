# SPDX-License-Identifier: Apache-2.0
"""Doom: the scenarios of ViZDoom, and users' own scenarios.

The environments are in the compiled module `envpool_vizdoom._vizdoom`, which `envpool.make`
imports. Engine, game data and scenarios are those of the wheel `vizdoom`, which is not imported.

    spec = envpool.make_spec("Basic-v1", use_combined_action=True)
    envpool_vizdoom.action_meanings(spec)  # (), ("ATTACK",), ...: the buttons of each action
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool import Family

from . import _tasks

if TYPE_CHECKING:
    from envpool import EnvSpec

__all__ = ["action_meanings"]


def action_meanings(spec: EnvSpec) -> tuple[str, ...] | tuple[tuple[str, ...], ...]:
    """The meaning of actions: the names of buttons, or the buttons of each combined action.

    Args:
        spec: The result of `envpool.make_spec`, or `pool.spec`.

    Returns:
        Without `use_combined_action` a name for each number of an action, as ("MOVE_LEFT",
        "MOVE_RIGHT", "ATTACK"). With it, for each action the names of its buttons; the name of a
        delta button includes its value, as ("ATTACK", "TURN_LEFT_RIGHT_DELTA=-5").
    """
    from . import _vizdoom

    options = spec.options
    names = tuple(_vizdoom.buttons(options["cfg_path"]))
    if not options["use_combined_action"]:
        return names
    actions = _vizdoom.combined_actions(
        options["cfg_path"], options["force_speed"], options["delta_button_config"]
    )
    return tuple(
        tuple(
            f"{name}={value:g}" if name.endswith("_DELTA") else name
            for name, value in zip(names, action, strict=True)
            if value != 0
        )
        for action in actions
    )


FAMILY = Family(
    _tasks.tasks,
    prepare="envpool_vizdoom._prepare:prepare",
    findings="envpool_vizdoom._findings:findings",
)
