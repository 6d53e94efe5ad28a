# SPDX-License-Identifier: Apache-2.0
"""The texts of a family made of a C file and of the user's answers about it."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ..errors import ConfigError
from . import _c_file
from ._c_file import ARRAYS, DRAWING, TYPES, CFile

_WHOLE = "template/from_c"
_MOST_OBSERVED = 2**24  # the most numbers in an agent's observation
# C's operators on whole numbers that are not negative.
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
}
_COLORS = re.compile(
    r"(?:(?:LIGHT|DARK|RAY)?(?:GRAY|GREEN|BLUE|PURPLE|BROWN|WHITE)|YELLOW|GOLD|ORANGE|PINK|RED|MAROON|"
    r"LIME|SKYBLUE|VIOLET|BEIGE|BLACK|BLANK|MAGENTA)"
)
_NUMBERS = re.compile(
    r"(?:KEY|MOUSE|FLAG|CAMERA|LOG|TEXTURE|BLEND|GAMEPAD|GESTURE|SHADER|MATERIAL|PIXELFORMAT|"
    r"FONT|RL)_[A-Z0-9_]+"
)
# The results of functions of raylib that return a struct, by the begin of their names; others may
# return 0. The first that fits.
_RETURNS = (
    ("Vector[23](?:Length|Distance|Dot|Angle|LineAngle|Equals)", ""),
    (
        "Vector2|GetMousePosition|GetMouseDelta|GetScreenToWorld2D|GetWorldTo|MeasureTextEx",
        "Vector2",
    ),
    ("Vector3", "Vector3"),
    ("Matrix", "Matrix"),
    ("Quaternion", "Quaternion"),
    ("LoadTexture", "Texture2D"),
    ("LoadRenderTexture", "RenderTexture2D"),
    ("LoadImage|GenImage|ImageCopy|ImageFrom", "Image"),
    ("LoadFont|GetFontDefault", "Font"),
    ("LoadShader", "Shader"),
    ("LoadModel", "Model"),
    ("GenMesh", "Mesh"),
    ("LoadMaterialDefault", "Material"),
    ("LoadSound|LoadMusic|LoadWave", "Sound"),
    ("Fade|Color[A-Z]|GetColor", "Color"),
    ("GetMouseRay|GetScreenToWorldRay", "Ray"),
    ("GetMeshBoundingBox|GetModelBoundingBox", "BoundingBox"),
)


@dataclass(frozen=True)
class Shape:
    """The author's description of the environment beside its file.

    Attributes:
        obs: Sizes of an agent's observation, as C expressions of numbers and options: `size*size`.
        actions: Choices of each of an agent's actions, as `5` or `3,3`; empty: there are none.
        continuous: The number of actions from -1 to 1; 0: actions are choices.
        agents: Empty: one agent; `2`: always two; `num_agents=4`: as many as that field says.
        options: Fields of the struct that are options, as `size=11`.
        observe: The function that writes the observation at the end of an episode; empty: none.
    """

    obs: str = ""
    actions: str = ""
    continuous: int = 0
    agents: str = ""
    options: tuple[str, ...] = ()
    observe: str = ""


def texts(path: Path, shape: Shape, names: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The files that differ from those of a family that begins in C++.

    Args:
        path: The C file.
        shape: Its description by the author.
        names: The values of `@NAME@` and `@PACKAGE@`.

    Returns:
        Their texts by their paths in the new folder, and the values of more marks.

    Raises:
        ConfigError: If the file or its description cannot be used.
    """
    file = _c_file.read(path, shape.observe)
    values = {**names, **_values(file, shape)}
    paths = {
        "CMakeLists.txt.in": "CMakeLists.txt",
        "environment.cc.in": f"cpp/{names['@NAME@']}.cc",
        "c_side.h.in": "cpp/c_side.h",
        "c_side.c.in": "cpp/c_side.c",
        "init.py.in": f"src/{names['@PACKAGE@']}/__init__.py",
    }
    found = {to: _read(source, values) for source, to in paths.items()}
    found[f"cpp/given/{path.name}"] = file.text
    if file.draws:
        found["cpp/given/raylib.h"] = _read(
            "raylib.h.in", {**values, "@CONSTANTS@": _of_raylib(file)}
        )
        for name in DRAWING[1:]:
            found[f"cpp/given/{name}"] = '#include "raylib.h"\n'
    return found, values


def _read(name: str, values: dict[str, str]) -> str:
    text = (files(__package__) / _WHOLE / name).read_text("utf-8")
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def _values(file: CFile, shape: Shape) -> dict[str, str]:
    struct = file.struct
    options = dict(_option(file, option) for option in shape.options)
    sizes = _sizes(file, shape.obs, options)
    count_field, count = _agents(file, shape.agents)
    many = count != 1 or bool(count_field)
    setup = [f"side->env.{name} = options->{name};" for name in options]
    setup += [
        f"side->env.{name} = seed;"
        for name in ("rng", "seed")
        if file.fields.get(name) in TYPES and name not in options
    ]
    if count_field:
        setup.append(f"side->env.{count_field} = options->{count_field};")
    if "truncations" in file.fields:
        setup.append("side->env.truncations = (void*)arrays->truncations;")
    if file.has_init:
        setup.append("init(&side->env);")
    fields = {name: file.fields[name] for name in options}
    values = {name: f'config["{name}"_]' for name in options}
    if count_field:
        fields[count_field] = file.fields[count_field]
        values[count_field] = "max_num_players_"
    element = {name: file.fields[name].removesuffix("*") for name in ARRAYS}
    element["truncations"] = file.fields.get("truncations", "unsigned char*").removesuffix("*")
    players = "players." if many else ""
    defaults = ", ".join(f'"{name}"_ = {value}' for name, value in options.items())
    result = {
        "@STRUCT@": struct,
        "@FILE@": file.path.name,
        "@OBSERVE@": f"    {file.observe}(&side->env);\n" if file.observe else "",
        "@SETUP@": "\n".join(f"  {line}" for line in setup),
        "@CLOSE@": "  c_close(&side->env);\n" if file.has_close else "",
        "@OPTION_FIELDS@": "\n".join(f"  {_c_type(t)} {n};" for n, t in fields.items())
        or "  char none;",
        "@DEFAULTS@": f"Dict{{{defaults}}}" if options else "Dict<>{}",
        "@OPTION_DOCS@": ", ".join(f'"{n}": "{n} of {file.path.name}"' for n in options),
        "@LOCALS@": "".join(
            f'    [[maybe_unused]] const auto {n} = config["{n}"_];\n' for n in options
        ),
        "@VALUES@": ", ".join(
            f".{n} = static_cast<{TYPES[t]}>({values[n]})" for n, t in fields.items()
        ),
        "@SHAPE@": ", ".join(f"static_cast<int>({size})" for size in sizes),
        "@PLAYERS@": "kPlayers, " if many else "",
        "@PLAYERS_OPTION@": f"\n            max_num_players={count}," if many else "",
        "@OBS_KEY@": f"obs:{players}agent" if many else "obs",
        "@ACTION_KEY@": f"{players}action",
        "@AGENTS@": "static_cast<std::size_t>(max_num_players_)" if many else "1",
        "@CHECK@": _check_of_agents(count) if many and not count_field else "",
        "@STATE_MORE@": f',\n{" " * 16}"info:players.terminal"_ = Spec<bool>({{kPlayers}})'
        if many
        else "",
        "@WRITE_MORE@": '\n      state["info:players.terminal"_][i] = terminals_[i] != 0;'
        '\n      state["discount"_][i] = terminals_[i] != 0 ? 0 : 1;'
        if many
        else "",
        **_action(file, shape, "kPlayers, " if many else ""),
    }
    for mark, name in {
        "@OBS": ARRAYS[0],
        "@ACTION": ARRAYS[1],
        "@REWARD": ARRAYS[2],
        "@TERMINAL": ARRAYS[3],
        "@TRUNCATION": "truncations",
    }.items():
        result[f"{mark}_CPP@"] = TYPES[element[name]]
        result[f"{mark}@"] = _c_type(element[name])
    return result


def _c_type(name: str) -> str:
    """A type's name that C and C++ both know."""
    return TYPES[name].removeprefix("std::")


def _check_of_agents(count: int) -> str:
    return f"""    if (max_num_players_ != {count}) {{
      throw std::invalid_argument("max_num_players is {count}, as many agents as there are");
    }}
"""


def _option(file: CFile, text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    kind = file.fields.get(name, "")
    if kind not in TYPES:
        raise _refuse(
            file, f"--option {text}", f"a number of struct {file.struct}: {_numbers(file)}"
        )
    try:
        if TYPES[kind] == "bool":
            return name, {"0": "false", "1": "true", "false": "false", "true": "true"}[value]
        if TYPES[kind] in ("float", "double"):
            return name, repr(float(value))
        return name, str(int(value))
    except (KeyError, ValueError):
        raise _refuse(file, f"--option {text}", f"{name}= and a value of type {kind}") from None


def _numbers(file: CFile) -> str:
    return ", ".join(name for name, kind in file.fields.items() if kind in TYPES) or "it has none"


def _sizes(file: CFile, text: str, options: dict[str, str]) -> list[str]:
    """The sizes of an observation as C expressions, which are tried with the options' defaults."""
    sizes = [size.strip() for size in text.split(",")] if text else []
    values = [_value_of(size, options) for size in sizes]
    if not values or min(values) < 1 or math.prod(values) > _MOST_OBSERVED:
        got = f"--obs {text}" if text else "no --obs"
        allowed = (
            "sizes of an agent's observation, as 4 or 3,11,11, or size*size of an --option, each 1 "
            f"or more, {_MOST_OBSERVED:,} numbers at most"
        )
        names = [name for name in re.findall(r"[A-Za-z_]\w*", text) if name in file.fields]
        missing = next((name for name in names if name not in options), "")
        raise _refuse(file, got, allowed, f"Add --option {missing}=VALUE" if missing else "")
    return sizes


def _value_of(size: str, options: dict[str, str]) -> int:
    """The value of a size with the default options; 0 if it is not of whole numbers."""
    try:
        return _evaluated(ast.parse(size, mode="eval").body, options)
    except (SyntaxError, ValueError, ArithmeticError, MemoryError, RecursionError):
        return 0


def _evaluated(node: ast.expr, options: dict[str, str]) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name) and node.id in options:
        return int(options[node.id])
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _evaluated(node.left, options), _evaluated(node.right, options)
        return _OPERATORS[type(node.op)](left, right)
    raise ValueError(ast.unparse(node))


def _agents(file: CFile, text: str) -> tuple[str, int]:
    field, equals, count = text.rpartition("=")
    if not text:
        return "", 1
    if not count.isdigit() or not int(count) or (equals and file.fields.get(field) not in TYPES):
        allowed = "a number, or a field with one, as num_agents=4"
        raise _refuse(file, f"--agents {text}", allowed)
    return field, int(count)


def _action(file: CFile, shape: Shape, players: str) -> dict[str, str]:
    choices = [one.strip() for one in shape.actions.split(",")] if shape.actions else []
    good = all(one.isdigit() and int(one) for one in choices)
    if bool(choices) == bool(shape.continuous) or not good or shape.continuous < 0:
        got = f"--actions '{shape.actions}' --continuous {shape.continuous}"
        allowed = "one of them: --actions 5 (or 3,3), numbers of choices, or --continuous 2"
        raise _refuse(file, got, allowed)
    kind = file.fields["actions"].removesuffix("*")
    if shape.continuous:
        if kind not in ("float", "double"):
            raise _refuse(
                file, f"--continuous with {kind}* actions", "float* actions, or --actions"
            )
        spec, count = f"Box<{kind}>({{{players}{shape.continuous}}}, -1, 1)", shape.continuous
    elif len(choices) == 1:
        spec, count = f"Discrete({choices[0]})", 1
    else:
        spec, count = f"MultiDiscrete({{{', '.join(choices)}}})", len(choices)
    return {"@ACTION_SPEC@": spec, "@NUM_ACTIONS@": str(count)}


def _of_raylib(file: CFile) -> str:
    lines = [f"#define {name} ((Color){{0}})" for name in file.constants if _COLORS.fullmatch(name)]
    lines += [f"#define {name} 0" for name in file.constants if _NUMBERS.fullmatch(name)]
    for name in file.drawing:
        kind = next((kind for pattern, kind in _RETURNS if re.match(pattern, name)), "")
        lines.append(f"#define {name}(...) {f'(({kind}){{0}})' if kind else '0'}")
    return "\n".join(lines)


def _refuse(file: CFile, got: str, allowed: str, then: str = "") -> ConfigError:
    then = then or "See `envpool new-plugin --help`"
    return ConfigError(f"new-plugin --from-c {file.path}", got, allowed, then)
