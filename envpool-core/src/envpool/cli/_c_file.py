# SPDX-License-Identifier: Apache-2.0
"""Reads an environment written in one C file: its struct, its functions and their calls.

The shape is the one of PufferLib's environments: a struct with pointers `observations`, `actions`,
`rewards` and `terminals`, and functions `c_reset` and `c_step` of a pointer to it. No C is compiled
here: tree-sitter parses the file, and missing or unusable parts are refused with their line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigError, MissingPackageError

if TYPE_CHECKING:
    from tree_sitter import Node

ARRAYS = ("observations", "actions", "rewards", "terminals")
# Element types of arrays and fields, and the same in C++.
TYPES = {
    **{name: name for name in ("float", "double", "bool")},
    "_Bool": "bool",
    **dict.fromkeys(("char", "signed char"), "std::int8_t"),
    "unsigned char": "std::uint8_t",
    "short": "std::int16_t",
    "unsigned short": "std::uint16_t",
    "int": "std::int32_t",
    **dict.fromkeys(("unsigned", "unsigned int"), "std::uint32_t"),
    **{f"{u}int{bits}_t": f"std::{u}int{bits}_t" for bits in (8, 16, 32, 64) for u in ("", "u")},
}
DRAWING = ("raylib.h", "raymath.h", "rlgl.h")  # headers that are replaced
RESET_OF_FILE = "ResetOfFile"  # the name in the family's copy of the c_reset that the file defines
_SIMULATED = {"GetRandomValue", "SetRandomSeed"}  # raylib's functions that c_step may call
# Functions that would give different trajectories for equal seeds.
_OTHER_SOURCES = re.compile(
    "time|clock|clock_gettime|gettimeofday|[delmn]rand48|arc4random\\w*|getrandom|getpid"
)
_PARTS = """
(function_definition) @definition
(preproc_def) @macro
(preproc_function_def) @macro
(preproc_arg) @macro_text
(preproc_include) @include
(struct_specifier body: (_)) @struct
(enumerator name: (_) @constant)
(init_declarator declarator: (identifier) @constant)
(declaration) @declaration
(identifier) @identifier
(call_expression function: (identifier) @called)
(field_expression field: (_) @field)
(assignment_expression left: (field_expression field: (_) @set))
(initializer_pair designator: (field_designator (_) @set))
(ERROR) @error
"""
_VOID_OF_STRUCT = """
(function_definition
  type: (primitive_type) @result
  declarator: (function_declarator
    declarator: (identifier) @name
    parameters: (parameter_list
      (parameter_declaration
        type: [(type_identifier) @struct (struct_specifier name: (_) @struct)]
        declarator: (pointer_declarator declarator: (identifier)))) @parameters)
  (#eq? @result "void"))
"""


@dataclass(frozen=True)
class CFile:
    """The contents of a file, as far as the template needs them.

    Attributes:
        path: The file's path.
        text: Its text, in which the defined c_reset has the name `RESET_OF_FILE`.
        struct: The struct's name, as in `struct* env`.
        fields: Types of the struct's plain fields and pointers by their names: `int`, `float*`.
        observe: The function that writes the last observation of an episode, or "".
        has_init, has_close: Whether it has a function `init`, and `c_close`, of the struct alone.
        draws: Whether it includes headers of raylib.
        drawing: Functions that it takes from raylib.
        constants: Names in capitals that it uses and does not define.
    """

    path: Path
    text: str
    struct: str
    fields: dict[str, str]
    observe: str
    has_init: bool
    has_close: bool
    draws: bool
    drawing: tuple[str, ...]
    constants: tuple[str, ...]


def read(path: Path, observe: str = "") -> CFile:
    """Reads a file.

    Args:
        path: The file.
        observe: The function that writes the observation, which is called in the state in which an
            episode ends; empty: none is called then.

    Raises:
        MissingPackageError: If the extra `from-c` of envpool-core is not installed.
        ConfigError: If it cannot be read, is not in the shape above, or has calls that would make
            trajectories depend on other environments or on the time.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _refuse(path, f"{type(error).__name__}: {error}", "a C file in UTF-8") from error
    return _Reader(path, text).result(observe)


class _Reader:
    """The answers to questions about one text."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        parse, self._find = _parser()
        roots = [parse(text)]
        if roots[0].has_error:  # a brace may depend on an `#if`
            roots = [parse(branch) for branch in _branches(text)]
        self.parts = self._parts(roots)
        self.functions: dict[str, list[Node]] = defaultdict(list)  # definitions by name
        self.macros: dict[str, list[Node]] = defaultdict(list)
        for node in self.parts["definition"]:
            self.functions[_text(_declared(node))].append(node)
        for node in self.parts["macro"]:
            self.macros[_text(node.child_by_field_name("name"))].append(node)
        self.struct_of: dict[str, str] = {}  # T of each `void name(T* env)`
        for root in roots:
            for found in self._find(_VOID_OF_STRUCT, root):
                given = [node.type for node in found["parameters"][0].named_children]
                if given.count("parameter_declaration") == 1 and "variadic_parameter" not in given:
                    self.struct_of[_text(found["name"][0])] = _text(found["struct"][0])

    def _parts(self, roots: list[Node]) -> dict[str, list[Node]]:
        """The nodes of each name of `_PARTS`, in the order of the text."""
        parts: dict[str, list[Node]] = defaultdict(list)
        for root in roots:
            for found in self._find(_PARTS, root):
                for name, nodes in found.items():
                    parts[name] += nodes
        return parts

    def result(self, observe: str) -> CFile:
        struct = self._struct_name()
        fields = self._fields(struct)
        self._check_arrays(struct, fields)
        draws = self._check_includes()
        self._check_shared()
        called = {*self._calls(self.parts)} - {*self.functions, *self.macros}
        drawing = {name for name in called - _SIMULATED if re.fullmatch("[A-Z][a-z]\\w*", name)}
        self._check_stepping(drawing if draws else set(), fields)
        return CFile(
            self.path,
            self._renamed(),
            struct,
            fields,
            self._observe(observe),
            self.struct_of.get("init") == struct,
            self.struct_of.get("c_close") == struct,
            draws,
            tuple(sorted(drawing)),
            self._constants(),
        )

    def _struct_name(self) -> str:
        for name in ("c_reset", "c_step"):
            if name not in self.functions:
                got = f"no function void {name}(T* env) with a body"
                if self.parts["error"]:
                    got += f", and text that is no C in line {_line(self.parts['error'][0])}"
                raise _refuse(self.path, got, "void c_reset(T* env) and void c_step(T* env)")
            if name not in self.struct_of:
                node = self.functions[name][0]
                kind = _text(node.child_by_field_name("type"))
                got = _text(node.child_by_field_name("declarator"))
                got = got if kind == "void" else f"{kind} {got}"
                raise _refuse(self.path, got, f"void {name}(T* env)", node)
        return self.struct_of["c_step"]

    def _fields(self, struct: str) -> dict[str, str]:
        for node in self.parts["struct"]:
            names = node.children_by_field_name("name")
            if node.parent and node.parent.type == "type_definition":
                names += node.parent.children_by_field_name("declarator")
            if struct in map(_text, names):
                return _fields_of(node.child_by_field_name("body"))
        raise _refuse(self.path, f"no struct {struct} with a body", "the struct in the same file")

    def _check_arrays(self, struct: str, fields: dict[str, str]) -> None:
        for name in ARRAYS:
            kind = fields.get(name, "")
            if kind.removesuffix("*") not in TYPES or not kind.endswith("*"):
                got = f"{kind or 'no'} {name} in struct {struct}"
                raise _refuse(self.path, got, f"a pointer to numbers: {', '.join(TYPES)}")

    def _check_includes(self) -> bool:
        """Whether it includes headers of raylib; headers other than the system's are refused."""
        draws = False
        for node in self.parts["include"]:
            header = _text(node.child_by_field_name("path"))
            if Path(header.strip('"<>')).name in DRAWING:
                draws = True
            elif header.startswith('"'):
                allowed = "a single file; of others only headers of the system, and of raylib"
                then = "Put what it needs into the file"
                raise _refuse(self.path, f"#include {header}", allowed, node, then)
        return draws

    def _check_shared(self) -> None:
        """Refuses variables that all environments would share."""
        for node in self.parts["declaration"]:
            words = set(map(_text, node.children))
            inside = _function_around(node)
            if {"const", "extern"} & words or (inside and "static" not in words):
                continue
            if not all(map(_is_function, node.children_by_field_name("declarator"))):
                declared = " ".join(_text(node).rstrip(";").split())[:60]
                got = f"a variable that all environments would share: {declared}"
                got += f" in {_text(_declared(inside))}" if inside else ""
                then = "Make it const, or a field of the struct"
                allowed = "the state of an environment in its struct alone"
                raise _refuse(self.path, got, allowed, node, then)

    def _check_stepping(self, drawing: set[str], fields: dict[str, str]) -> None:
        unset = {name for name, kind in fields.items() if kind.endswith("*")}
        unset -= {*ARRAYS, "truncations", *map(_text, self.parts["set"])}
        allowed = "c_reset, c_step and init that depend on the struct and its random numbers alone"
        for name, parts in sorted(self._reached().items()):
            for called, node in self._calls(parts).items():
                if _OTHER_SOURCES.fullmatch(called):
                    got = f"{name}, which calls {called}"
                    then = "Use rand: each environment has its own, with the pool's seed"
                    raise _refuse(self.path, got, allowed, node, then)
                if called in drawing:
                    got = f"{name}, which calls {called} of raylib, of which there is none here"
                    raise _refuse(self.path, got, allowed, node, "Call it in c_render only")
            for node in parts["field"]:
                if _text(node) in unset:
                    got = f"{name}, which uses the pointer {_text(node)}, which nothing sets"
                    then = "Set it in a function init(T* env)"
                    raise _refuse(self.path, got, allowed, node, then)

    def _reached(self) -> dict[str, dict[str, list[Node]]]:
        """The parts of functions and macros that c_reset, c_step and init reach, by name."""
        reached: dict[str, dict[str, list[Node]]] = {}
        todo = ["c_reset", "c_step", "init"]
        while todo:
            name = todo.pop()
            definitions = self.functions.get(name, []) + self.macros.get(name, [])
            if definitions and name not in reached:
                reached[name] = self._parts(definitions)
                # A macro may stand for a call.
                todo += {*map(_text, reached[name]["identifier"])} & {*self.macros}
                todo += self._calls(reached[name])
        return reached

    @staticmethod
    def _calls(parts: dict[str, list[Node]]) -> dict[str, Node]:
        """Names of called functions with a place; in the text of a macro each name before a `(`."""
        calls = {_text(node): node for node in reversed(parts["called"])}
        for node in parts["macro_text"]:
            for name in re.findall(r"\b([A-Za-z_]\w*)\s*\(", _text(node)):
                calls.setdefault(name, node)
        return calls

    def _observe(self, wanted: str) -> str:
        if wanted and wanted not in self.functions:
            raise _refuse(self.path, f"no function {wanted}", "--observe of one that it has")
        return wanted

    def _constants(self) -> tuple[str, ...]:
        used = set(map(_text, self.parts["identifier"]))
        for node in self.parts["macro_text"]:
            used.update(re.findall(r"\w+", _text(node)))
        own = {*self.macros, *map(_text, self.parts["constant"])}
        return tuple(sorted(name for name in used - own if name.isupper()))

    def _renamed(self) -> str:
        """The text, in which the definition of c_reset is a declaration and one of ResetOfFile.

        Calls of c_reset stay as they are.
        """
        code = self.text.encode()
        declarators = [node.child_by_field_name("declarator") for node in self.functions["c_reset"]]
        for node in sorted(filter(None, declarators), key=lambda node: -node.start_byte):
            begin, end = _declared(node).byte_range
            declared = f"{_text(node)}; void {RESET_OF_FILE}".encode()
            code = code[:begin] + declared + code[end:]
        return code.decode()


def _parser() -> tuple[Callable[[str], Node], Callable[[str, Node], list[dict[str, list[Node]]]]]:
    """Functions that parse a text, and that find the named nodes of a query in a node."""
    try:
        import tree_sitter_c
        from tree_sitter import Language, Parser, Query, QueryCursor
    except ImportError as cause:
        raise MissingPackageError(
            "new-plugin --from-c",
            f"no parser of C ({cause})",
            "a Python that has tree-sitter and tree-sitter-c",
            "Run `pip install 'envpool-core[from-c]'`",
        ) from cause
    language = Language(tree_sitter_c.language())
    cursors = {text: QueryCursor(Query(language, text)) for text in (_PARTS, _VOID_OF_STRUCT)}
    return (
        lambda text: Parser(language).parse(text.encode()).root_node,
        lambda query, node: [names for _, names in cursors[query].matches(node)],
    )


def _refuse(
    path: Path, got: str, allowed: str, node: Node | None = None, then: str = ""
) -> ConfigError:
    where = f" in line {_line(node)}" if node else ""
    then = then or "See docs/howto/other_environments.md, 'An environment that is one C file'"
    return ConfigError(f"new-plugin --from-c {path}", got + where, allowed, then)


def _line(node: Node) -> int:
    return int(node.start_point[0]) + 1


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node else ""


def _declared(node: Node) -> Node:
    """The identifier that a definition or a declarator declares, as `name` of `*name[3]`."""
    while inner := node.child_by_field_name("declarator") or next(iter(node.named_children), None):
        node = inner
    return node


def _is_function(declarator: Node) -> bool:
    parent = _declared(declarator).parent
    return parent is not None and parent.type == "function_declarator"


def _function_around(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type != "function_definition":
        around = around.parent
    return around


def _fields_of(body: Node | None) -> dict[str, str]:
    fields: dict[str, str] = {}
    for node in body.named_children if body else ():
        kind = node.child_by_field_name("type")
        inner = kind.child_by_field_name("body") if kind else None
        declarators = node.children_by_field_name("declarator")
        if inner and not declarators:
            fields |= _fields_of(inner)  # the fields of an anonymous struct
        elif node.type.startswith("preproc_"):
            fields |= _fields_of(node)
        word = "struct inner" if inner else " ".join(_text(kind).split())
        for declarator in declarators:
            name = _text(_declared(declarator))
            fields[name] = word + _text(declarator).replace(name, "", 1).strip()
    return fields


def _branches(text: str) -> list[str]:
    """The text with the first branch of each `#if`, with the second, and so on.

    All texts have the same bytes in the same places, with blanks for the other branches and for the
    directives. An `#if` with fewer branches keeps its last.
    """
    lines = text.splitlines(keepends=True)
    around = []  # for each line the branches around it: the line of the `#if`, and a number
    last: dict[int, int] = {}  # the number of the last branch of each `#if`
    inside: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        directive = re.match(r"\s*#\s*(if|el|endif)", line)
        if directive and directive[1] == "if":
            inside.append((number, 0))
        elif directive and inside:
            first, branch = inside.pop()
            inside += [(first, branch + 1)] if directive[1] == "el" else []
        last.update(inside)
        around.append(None if directive else tuple(inside))
    return [
        "".join(
            line
            if branches is not None and all(min(chosen, last[at]) == one for at, one in branches)
            else re.sub(rb"[^\r\n]", b" ", line.encode()).decode()
            for line, branches in zip(lines, around, strict=True)
        )
        for chosen in range(max(last.values(), default=0) + 1)
    ]
