# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: converts and checks the options of highway-env's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from envpool import Prepared, Task, make_spec, pixels
from envpool.errors import ConfigError, shorten, suggest

from ._configuration import (
    ACTION_DEFAULTS,
    KEYS_OF_TYPE,
    OBSERVATION_DEFAULTS,
    UPSTREAM_NAMES,
    WITHOUT_EFFECT,
    WITHOUT_EFFECT_IN_PART,
    applying,
    flat_options,
    option_name,
)
from ._rewards import compute_reward
from ._tasks import COMMON, MODULE, NAMES_ITEMS, ROWS, UNUSED, Row

_ROWS = {row.id: row for row in ROWS}
_PARTS = ("observation", "action")
# Options of roads: each task has only some of them.
_OF_SOME = {key for row in ROWS for key in row.config} - set(COMMON)
_OURS_OF_SOME = {key for row in ROWS for key in row.ours}


def prepare(task: Task, options: Mapping[str, Any], build: bool) -> Prepared:
    """See the hook `envpool_prepare`."""
    row = _ROWS[task.id]
    given = dict(options)
    config = _whole_config(row, given)
    items = _take_items(row, given, config)
    unused = UNUSED.get(row.scenario, frozenset())
    read = {key: value for key, value in config.items() if key not in unused}
    result = {**flat_options(read), **_plain(row, given)}
    known = {**_own_options(row), **result}
    if row.scenario in NAMES_ITEMS:
        result |= _named_items(items, known)
    result |= _grey_views({**known, **result})
    _check_applying(row, known, result)
    if known.get("multi_agent"):
        result["max_num_players"] = known.get("controlled_vehicles", 1)
    prepared = pixels.prepare(task, result, f"{MODULE}:HighwayPixels")
    if row.scenario != "parking":
        return prepared
    reward = partial(compute_reward, known["reward_weights"])
    return prepared._replace(methods={"compute_reward": reward})


def _own_options(row: Row) -> dict[str, Any]:
    unused = UNUSED.get(row.scenario, frozenset())
    return flat_options({k: v for k, v in {**COMMON, **row.config}.items() if k not in unused})


def _whole_config(row: Row, given: dict[str, Any]) -> dict[str, Any]:
    """Takes the package's configuration out of the given options, and checks it."""
    config = given.pop("config", None) or {}
    if not isinstance(config, Mapping):
        raise ConfigError(
            f"make({row.id!r}, config={shorten(config)})",
            shorten(config),
            "a dict, as gymnasium.make takes it",
            "Pass config={'name': value}",
        )
    config = dict(config)
    for part in _PARTS:
        own = given.pop(part, None)
        if own:
            _refuse_twice(row, part, config)
            config[part] = own
    for key in config:
        if key in given:
            _refuse_twice(row, key, given)
    own_config = {**COMMON, **row.config}
    for key, value in config.items():
        if key in _PARTS:
            _check_part(row, key, value, own_config[key])
        elif key not in own_config:
            raise ConfigError(
                f"make({row.id!r}, config={{{key!r}: {shorten(value)}}})",
                "a key that this task does not read",
                ", ".join(own_config),
                suggest(key, own_config, "Leave it out"),
            )
        else:
            _check_effect(row, f"config={{{key!r}: {shorten(value)}}}", key, value)
    _check_agents(row, {**own_config, **config})
    return config


def _take_items(row: Row, given: dict[str, Any], config: dict[str, Any]) -> dict[str, Any]:
    """Takes the items of lists out of the given options, by EnvPool 1.2.5's names."""
    if row.scenario not in NAMES_ITEMS:
        return {}
    items = {name: given.pop(name) for name in UPSTREAM_NAMES if name in given}
    for name in items:
        option, _ = UPSTREAM_NAMES[name]
        _refuse_twice(row, option, {**given, **config}, name)
    return items


def _named_items(items: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The lists with these items, and all items by name."""
    result: dict[str, Any] = {}
    for name, (option, place) in UPSTREAM_NAMES.items():
        values = list(result.get(option, known[option]))
        if len(values) != 2:  # the environment refuses other lengths
            continue
        values[place] = result[name] = items.get(name, values[place])
        result[option] = values
    return result


def _grey_views(known: Mapping[str, Any]) -> dict[str, Any]:
    """The views of grey observations, filled in from options of frames, which saved states lack."""
    views = {"scaling": [known["scaling"]], "centering_position": known["centering_position"]}
    grey = "GrayscaleObservation"
    if known["observation_type"] == grey:
        return {
            "observation_scaling": known["observation_scaling"] or known["scaling"],
            "observation_centering_position": known["observation_centering_position"]
            or known["centering_position"],
        }
    return {
        "observation_configs": [
            ({**views, **numbers} if words.get("type") == [grey] else numbers, words)
            for numbers, words in known.get("observation_configs", ())
        ]
    }


def _refuse_twice(row: Row, key: str, other: Mapping[str, Any], name: str = "") -> None:
    """Refuses an option that is also in `other`; `name`: its name there."""
    if key in other:
        twice = f"{name}=..., {key}=..." if name else f"{key}=..., config={{{key!r}: ...}}"
        raise ConfigError(
            f"make({row.id!r}, {twice})",
            "two values for one option",
            "one of them",
            f"Leave out {name} or {key}" if name else f"Leave {key} out of one of the two",
        )


def _check_effect(row: Row, call: str, key: str, value: object) -> None:
    """Refuses a value without an effect, unless it describes the actual behavior."""
    default = {**COMMON, **row.config}.get(key)
    inert = key in UNUSED.get(row.scenario, ())
    allowed = WITHOUT_EFFECT.get(key, (default,) if inert else None)
    if allowed is None or value in allowed or value == default:
        return
    if key == "other_vehicles_type" and str(default).endswith(f".{value}"):  # lacks its module
        return
    raise ConfigError(
        f"make({row.id!r}, {call})",
        f"{shorten(value)}, which would do nothing",
        ", ".join(map(repr, allowed)),
        "Leave it out",
    )


def _check_part(row: Row, part: str, value: Any, default: Mapping[str, Any]) -> None:
    """Checks the dict "observation" or "action"."""
    call = f"make({row.id!r}, {part}={shorten(value)})"
    if not isinstance(value, Mapping):
        raise ConfigError(
            call, shorten(value), "a dict with a 'type'", f"Pass {part}={{'type': ...}}"
        )
    inner = f"{part}_config"
    if value.get("type") == {"observation": "MultiAgentObservation"}.get(part, "MultiAgentAction"):
        if not isinstance(value.get(inner), Mapping):
            raise ConfigError(
                call, f"no {inner}", f"a dict {inner!r} of one agent", f"Add {inner!r}"
            )
        default = default.get(inner, default)
        value = value[inner]
    defaults = OBSERVATION_DEFAULTS if part == "observation" else ACTION_DEFAULTS
    kinds = [name for name in KEYS_OF_TYPE if name.endswith("Action") == (part == "action")]
    kind = value.get("type")
    if kind not in kinds:
        raise ConfigError(
            call, f"the type {kind!r}", ", ".join(kinds), suggest(kind, kinds, "Pass one of these")
        )
    if kind == "TupleObservation":
        _check_parts(row, call, value.get("observation_configs"))
    for name, item in value.items():
        short = option_name(part, name).removeprefix(f"{part}_")
        if name == "type" or short in KEYS_OF_TYPE[kind]:
            continue
        key = f"{part}_{short}"
        if item in WITHOUT_EFFECT_IN_PART.get(key, ()) or (
            name in default and item == default[name]
        ):
            continue
        if key in defaults and item == defaults[key]:
            continue
        names = sorted(KEYS_OF_TYPE[kind])
        raise ConfigError(
            call,
            f"the key {name!r}, which {kind} does not read",
            ", ".join(["type", *names]),
            suggest(name, names, "Leave it out"),
        )


def _check_parts(row: Row, call: str, parts: Any) -> None:
    """Checks the observations of a TupleObservation, each like a single observation."""
    if not isinstance(parts, (list, tuple)) or not parts:
        raise ConfigError(
            call,
            f"observation_configs={shorten(parts)}",
            "a list of dicts with a 'type'",
            "Pass one dict or more",
        )
    several = ("TupleObservation", "MultiAgentObservation")
    for part in parts:
        if isinstance(part, Mapping) and part.get("type") in several:
            raise ConfigError(
                call,
                f"a {part['type']} in a TupleObservation",
                "observations of one kind each",
                "Name its observations in the outer list; agents have one TupleObservation each",
            )
        _check_part(row, "observation", part, {})
        make_spec(row.id, observation=part)


def _check_agents(row: Row, config: Mapping[str, Any]) -> None:
    """Refuses several observations with one action, and one observation with several actions."""
    several = [config[part].get("type", "").startswith("MultiAgent") for part in _PARTS]
    if several[0] != several[1]:
        got = "MultiAgentObservation" if several[0] else "MultiAgentAction"
        raise ConfigError(
            f"make({row.id!r}, config={{'observation': ..., 'action': ...}})",
            f"{got} for one of the two",
            "MultiAgentObservation with MultiAgentAction, or neither",
            "Make both of several agents, or both of one",
        )


def _plain(row: Row, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options given beside the configuration; those of the task are checked."""
    own = {**COMMON, **row.config, **row.ours}
    result: dict[str, Any] = {}
    for key, value in given.items():
        if key in _OF_SOME | _OURS_OF_SOME and key not in own:
            names = [name for name in own if name not in _PARTS]
            raise ConfigError(
                f"make({row.id!r}, {key}={shorten(value)})",
                "an option that this task does not read",
                ", ".join(names),
                suggest(key, names, "Leave it out"),
            )
        _check_effect(row, f"{key}={shorten(value)}", key, value)
        if key in WITHOUT_EFFECT or key in UNUSED.get(row.scenario, ()):
            continue
        result |= flat_options({key: value}) if key in own else {key: value}
    return result


def _check_applying(row: Row, known: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Refuses options of other kinds of observations and actions."""
    applies = applying(known)
    defaults = {**OBSERVATION_DEFAULTS, **ACTION_DEFAULTS}
    own = _own_options(row)
    for key, value in result.items():
        if key not in defaults or key in applies or value in (defaults[key], own.get(key)):
            continue
        part = key.partition("_")[0]
        raise ConfigError(
            f"make({row.id!r}, {key}={shorten(value)})",
            f"an option that {known[f'{part}_type']} does not read",
            ", ".join(sorted(name for name in applies if name.startswith(part))),
            suggest(key, applies, "Leave it out"),
        )
