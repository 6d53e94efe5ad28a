# SPDX-License-Identifier: Apache-2.0
"""From the options of a task to what workers make: those of this wheel are checked here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import envpool
from envpool import Prepared, Task
from envpool.errors import ConfigError, shorten, suggest

from ._env import RayEnv
from ._settings import Recipe
from ._tasks import OWN_OPTIONS, PREFIX

PLACEMENTS = ("spread", "pack")
_POSITIVE = ("num_actors", "cpus_per_actor", "checkpoint_every", "actor_timeout")
# They are about the whole pool, and mean something else to a slice of it.
_OF_THE_POOL = {"num_envs", "batch_size", "seed", "env_seed", "render_env_id", "env_fns"}


def prepare(task: Task, options: Mapping[str, Any], build: bool) -> Prepared:
    """An environment that knows what actors make."""
    own = {key: options.get(key, default) for key, default in OWN_OPTIONS.items()}
    _check(task.id, own)
    inner_id = task.id.removeprefix(PREFIX)
    given = {key: value for key, value in options.items() if key not in OWN_OPTIONS}
    try:
        spec = envpool.make_spec(inner_id, **given)
    except ConfigError as error:
        raise _with_own_options(error, task.id, inner_id, given) from None
    recipe = Recipe(
        inner_id,
        {key: value for key, value in given.items() if key not in _OF_THE_POOL},
        tuple(given.get("env_fns", ())),
        own,
    )
    env: Any = RayEnv(spec, recipe)
    return Prepared(env, {**spec.options, **own}, spec.notes)


def _with_own_options(
    error: ConfigError, task_id: str, inner_id: str, given: Mapping[str, Any]
) -> ConfigError:
    """The error, which names the options of this wheel, too, if one is unknown."""
    for key, value in given.items():
        asked = f"{key}={shorten(value)})"
        if error.asked == f"make({inner_id!r}, {asked}" and "does not have" in error.got:
            known = [*error.allowed.split(", "), *OWN_OPTIONS]
            then = suggest(key, known, "Leave it out")
            return ConfigError(f"make({task_id!r}, {asked}", error.got, ", ".join(known), then)
    return error


def _check(task_id: str, own: Mapping[str, Any]) -> None:
    """Raises ConfigError for options of this wheel that are out of range."""

    def refuse(key: str, allowed: str, then: str) -> ConfigError:
        value = shorten(own[key])
        return ConfigError(f"make({task_id!r}, {key}={value})", value, allowed, then)

    for key in _POSITIVE:
        if not own[key] >= 0:
            raise refuse(key, "0, or a number above it", f"Correct {key}")
    if not own["start_timeout"] > 0:
        raise refuse("start_timeout", "a number of seconds above 0", "Correct start_timeout")
    for key in ("resources", "labels", "runtime_env"):
        if not isinstance(own[key], Mapping):
            raise refuse(key, "a dict", f"Pass {key} as a dict")
    placement = own["placement"]
    if isinstance(placement, str) and placement not in PLACEMENTS:
        allowed = "'spread', 'pack', None, or a scheduling strategy of Ray"
        raise refuse("placement", allowed, suggest(placement, PLACEMENTS, "Pass one of these"))
