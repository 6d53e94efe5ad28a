# SPDX-License-Identifier: Apache-2.0
"""Reads an environment written in one C file: its struct, its functions and their calls.

The shape is the one of PufferLib's environments: a struct with pointers `observations`, `actions`,
`rewards` and `terminals`, and functions `c_reset` and `c_step` of a pointer to it. No C is compiled
here: tree-sitter parses the file, and missing or unusable parts are refused with their line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigError, MissingPackageError

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

ARRAYS = ("observations", "actions", "rewards", "terminals")
OPTIONAL_ARRAYS = ("truncations",)
# Element types of arrays and fields, and the same in C++.
TYPES = {
    "float": "float",
    "double": "double",
    "bool": "bool",
    "_Bool": "bool",
    "char": "std::int8_t",
    "signed char": "std::int8_t",
    "unsigned char": "std::uint8_t",
    "short": "std::int16_t",
    "unsigned short": "std::uint16_t",
    "int": "std::int32_t",
    "unsigned": "std::uint32_t",
    "unsigned int": "std::uint32_t",
    "int8_t": "std::int8_t",
    "uint8_t": "std::uint8_t",
    "int16_t": "std::int16_t",
    "uint16_t": "std::uint16_t",
    "int32_t": "std::int32_t",
    "uint32_t": "std::uint32_t",
    "int64_t": "std::int64_t",
    "uint64_t": "std::uint64_t",
}
DRAWING = ("raylib.h", "raymath.h", "rlgl.h")  # headers that are replaced
SIMULATED = ("GetRandomValue", "SetRandomSeed")  # their functions that an environment may step with
RESET_IN_STEP = "ResetInStep"  # the function of the template that calls c_reset
# Sources of numbers that would give different trajectories for equal seeds.
_OTHER_SOURCES = re.compile(
    "time|clock|clock_gettime|gettimeofday|[delmn]rand48|arc4random\\w*|getrandom|getpid"
)
_QUALIFIERS = ("type_qualifier", "storage_class_specifier")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class CFile:
    """The contents of a file, as far as the template needs them.

    Attributes:
        path: The file's path.
        text: Its text, in which calls of c_reset are calls of `RESET_IN_STEP`.
        struct: The struct's name, as in `struct* env`.
        fields: Types of the struct's plain fields and pointers by their names: `int`, `float*`.
        observe: The function that writes the observation, which c_reset calls, or "".
        has_init, has_close: Whether it has a function `init`, and `c_close`, of the struct alone.
        draws: Whether it includes headers of raylib.
        drawing: Functions that it takes from raylib.
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


def read(path: Path, observe: str = "") -> CFile:
    """Reads a file.

    Args:
        path: The file.
        observe: The function that writes the observation; empty: the one with "obs" in its name
            that c_reset calls.

    Raises:
        MissingPackageError: If the extra `from-c` of envpool-core is not installed.
        ConfigError: If it cannot be read, is not in the shape above, or has calls that would make
            trajectories depend on other environments or on the time.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _refuse(path, f"{type(error).__name__}: {error}", "a C file in UTF-8") from error
    return _Reader(path, text).result(observe)


class _Reader:
    """The answers to questions about one text."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.parse = _parser()
        self.roots = self._roots(text.removeprefix(_BYTE_ORDER_MARK))
        self.functions: dict[str, list[Node]] = {}  # definitions by name
        self.macros: dict[str, list[Node]] = {}
        for node in self._each("function_definition"):
            self.functions.setdefault(_name_node(node), []).append(node)
        for node in self._each("preproc_def", "preproc_function_def"):
            self.macros.setdefault(_text(node.child_by_field_name("name")), []).append(node)

    def result(self, observe: str) -> CFile:
        struct = self._struct_name()
        fields = self._fields(struct)
        self._check_arrays(struct, fields)
        draws = self._check_includes()
        self._check_shared()
        drawing = self._drawing() if draws else ()
        self._check_stepping(drawing, fields)
        return CFile(
            self.path,
            self._renamed(),
            struct,
            fields,
            self._observe(observe),
            self._takes("init") == struct,
            self._takes("c_close") == struct,
            draws,
            drawing,
        )

    def _roots(self, text: str) -> list[Node]:
        """The file as one tree, or, if a brace depends on an `#if`, a tree for each branch."""
        whole = self._root(text)
        if not whole.has_error:
            return [whole]
        return [self._root(one) for one in _branches(text)]

    def _root(self, text: str) -> Node:
        return self.parse(text.encode()).root_node

    def _each(self, *types: str) -> Iterator[Node]:
        for root in self.roots:
            yield from _within(root, *types)

    def _struct_name(self) -> str:
        for name in ("c_reset", "c_step"):
            if name not in self.functions:
                broken = next(self._each("ERROR"), None)
                got = f"no function void {name}(T* env) with a body"
                got += f", and text that is no C in line {_line(broken)}" if broken else ""
                raise _refuse(self.path, got, "void c_reset(T* env) and void c_step(T* env)")
            if not self._takes(name):
                node = self.functions[name][0]
                kind = _text(node.child_by_field_name("type"))
                got = _text(node.child_by_field_name("declarator"))
                got = got if kind == "void" else f"{kind} {got}"
                raise _refuse(self.path, got, f"void {name}(T* env)", node)
        return self._takes("c_step")

    def _takes(self, name: str) -> str:
        """The struct of `void name(T* env)`; empty: no function has this name."""
        for node in self.functions.get(name, ()):
            declarator = node.child_by_field_name("declarator")
            parameters = declarator and declarator.child_by_field_name("parameters")
            given = [
                one
                for one in (parameters.named_children if parameters else ())
                if one.type != "comment"
            ]
            kind = given[0].child_by_field_name("type") if len(given) == 1 else None
            pointer = given[0].child_by_field_name("declarator") if kind else None
            if (
                kind
                and pointer
                and pointer.type == "pointer_declarator"
                and _stars(pointer) == "*"
                and _text(node.child_by_field_name("type")) == "void"
            ):
                return _text(kind.child_by_field_name("name") or kind)
        return ""

    def _fields(self, struct: str) -> dict[str, str]:
        for node in self._each("struct_specifier"):
            body = node.child_by_field_name("body")
            names = [_text(node.child_by_field_name("name"))]
            if node.parent and node.parent.type == "type_definition":
                names += map(_text, node.parent.children_by_field_name("declarator"))
            if body and struct in names:
                return _fields_of(body)
        raise _refuse(self.path, f"no struct {struct} with a body", "the struct in the same file")

    def _check_arrays(self, struct: str, fields: dict[str, str]) -> None:
        for name in ARRAYS:
            kind = fields.get(name, "")
            if kind.removesuffix("*") not in TYPES or not kind.endswith("*"):
                got = (
                    f"{kind} {name} in struct {struct}" if kind else f"no {name} in struct {struct}"
                )
                raise _refuse(self.path, got, f"a pointer to numbers: {', '.join(TYPES)}")

    def _check_includes(self) -> bool:
        """Whether it includes headers of raylib; headers other than the system's are refused."""
        draws = False
        for node in self._each("preproc_include"):
            path = node.child_by_field_name("path")
            if Path(_text(path).strip('"<>')).name in DRAWING:
                draws = True
            elif path is not None and path.type == "string_literal":
                got = f"#include {_text(path)}"
                allowed = "a single file; of others only headers of the system, and of raylib"
                raise _refuse(self.path, got, allowed, node, "Put what it needs into the file")
        return draws

    def _check_shared(self) -> None:
        """Refuses variables that all environments would share."""
        for node in self._each("declaration"):
            words = {_text(one) for one in node.children if one.type in _QUALIFIERS}
            inside = _function_around(node)
            declarators = node.children_by_field_name("declarator")
            if {"const", "extern"} & words or all(map(_is_function, declarators)):
                continue
            if inside is None or "static" in words:
                declared = " ".join(_text(node).rstrip(";").split())[:60]
                got = f"a variable that all environments would share: {declared}"
                got += f" in {_name_node(inside)}" if inside else ""
                then = "Make it const, or a field of the struct"
                allowed = "the state of an environment in its struct alone"
                raise _refuse(self.path, got, allowed, node, then)

    def _check_stepping(self, drawing: tuple[str, ...], fields: dict[str, str]) -> None:
        pointers = {
            name
            for name, kind in fields.items()
            if kind.endswith("*") and name not in ARRAYS + OPTIONAL_ARRAYS
        }
        unset = pointers - self._assigned()
        allowed = "c_reset, c_step and init that depend on the struct and its random numbers alone"
        for name in sorted(self._reached(["c_reset", "c_step", "init"])):
            for definition in self._definitions(name):
                for called, node in _calls(definition):
                    if _OTHER_SOURCES.fullmatch(called):
                        got = f"{name}, which calls {called}"
                        then = "Use rand: each environment has its own, with the pool's seed"
                        raise _refuse(self.path, got, allowed, node, then)
                    if called in drawing:
                        got = f"{name}, which calls {called} of raylib, of which there is none here"
                        raise _refuse(self.path, got, allowed, node, "Call it in c_render only")
                for node in _within(definition, "field_expression"):
                    field = _text(node.child_by_field_name("field"))
                    if field in unset:
                        got = f"{name}, which uses the pointer {field}, which nothing sets"
                        then = "Set it in a function init(T* env)"
                        raise _refuse(self.path, got, allowed, node, then)

    def _assigned(self) -> set[str]:
        """Fields that an assignment or an initializer sets."""
        names = set()
        for node in self._each("assignment_expression", "initializer_pair"):
            part = node.child_by_field_name("left") or node.child_by_field_name("designator")
            if part is not None and part.type == "field_expression":
                names.add(_text(part.child_by_field_name("field")))
            elif part is not None and part.type == "field_designator":
                names.add(_text(part).removeprefix("."))
        return names

    def _definitions(self, name: str) -> list[Node]:
        return self.functions.get(name, []) + self.macros.get(name, [])

    def _reached(self, names: list[str]) -> set[str]:
        """Functions and macros reached from these names, these names included."""
        reached: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in reached and self._definitions(name):
                reached.add(name)
                for definition in self._definitions(name):
                    todo += [called for called, _ in _calls(definition)]
                    used = {_text(one) for one in _within(definition, "identifier")}
                    todo += used & set(self.macros)  # a macro may stand for a call
        return reached

    def _observe(self, wanted: str) -> str:
        if wanted:
            if wanted not in self.functions:
                raise _refuse(self.path, f"no function {wanted}", "--observe of one that it has")
            return wanted
        called = [name for one in self.functions["c_reset"] for name, _ in _calls(one)]
        found = [name for name in called if "obs" in name.lower() and name in self.functions]
        return found[-1] if found else ""

    def _drawing(self) -> tuple[str, ...]:
        """Calls of raylib's functions, which the file does not define."""
        called = {name for root in self.roots for name, _ in _calls(root)}
        own = {*self.functions, *self.macros, *SIMULATED}
        return tuple(sorted(name for name in called - own if re.fullmatch(r"[A-Z][a-z]\w*", name)))

    def _renamed(self) -> str:
        """The text, in which calls of c_reset are calls of `RESET_IN_STEP`."""
        places = {
            node.start_byte
            for node in self._each("identifier")
            if _text(node) == "c_reset" and not _is_declared(node)
        }
        for node in self._each("preproc_arg"):
            for match in re.finditer(rb"\bc_reset\b", node.text or b""):
                places.add(node.start_byte + match.start())
        code = self.text.removeprefix(_BYTE_ORDER_MARK).encode()
        for place in sorted(places, reverse=True):
            code = code[:place] + RESET_IN_STEP.encode() + code[place + len("c_reset") :]
        return code.decode()


def _parser() -> Callable[[bytes], Tree]:
    try:
        import tree_sitter_c
        from tree_sitter import Language, Parser
    except ImportError as cause:
        raise MissingPackageError(
            "new-plugin --from-c",
            f"no parser of C ({cause})",
            "a Python that has tree-sitter and tree-sitter-c",
            "Run `pip install 'envpool-core[from-c]'`",
        ) from cause
    return Parser(Language(tree_sitter_c.language())).parse


def _refuse(
    path: Path, got: str, allowed: str, node: Node | None = None, then: str = ""
) -> ConfigError:
    where = f" in line {_line(node)}" if node else ""
    then = then or "See the page on environments of others"
    return ConfigError(f"new-plugin --from-c {path}", got + where, allowed, then)


def _line(node: Node) -> int:
    return int(node.start_point[0]) + 1


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node else ""


def _within(root: Node, *types: str) -> Iterator[Node]:
    """Nodes of these types, in the order of the text, without recursion in Python."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in types:
            yield node
        todo += reversed(node.children)


def _name_of(declarator: Node) -> Node:
    """The identifier that a declarator declares, as `name` of `*name[3]`."""
    node = declarator
    while True:
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type == "parenthesized_declarator":
            inner = node.named_children[0]
        if inner is None:
            return node
        node = inner


def _name_node(definition: Node) -> str:
    declarator = definition.child_by_field_name("declarator")
    return _text(_name_of(declarator)) if declarator else ""


def _stars(declarator: Node) -> str:
    """`*` for each pointer of a declarator, and `[]` if it is an array."""
    stars, node = "", declarator
    while node.type in ("pointer_declarator", "array_declarator"):
        stars += "*" if node.type == "pointer_declarator" else ""
        inner = node.child_by_field_name("declarator")
        if inner is None:
            break
        node = inner
    is_array = any(True for _ in _within(declarator, "array_declarator"))
    is_function = any(True for _ in _within(declarator, "function_declarator"))
    return stars + ("[]" if is_array else "") + ("()" if is_function else "")


def _is_function(declarator: Node) -> bool:
    parent = _name_of(declarator).parent
    return parent is not None and parent.type == "function_declarator"


def _is_declared(identifier: Node) -> bool:
    """Whether this is the declared name of a declaration, as in `void c_reset(T* env)`."""
    return identifier.parent is not None and identifier.parent.type == "function_declarator"


def _function_around(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type != "function_definition":
        around = around.parent
    return around


def _calls(root: Node) -> Iterator[tuple[str, Node]]:
    """The names of called functions; in the text of a macro each name before a `(`."""
    for node in _within(root, "call_expression", "preproc_arg"):
        called = node.child_by_field_name("function")
        if called is not None and called.type == "identifier":
            yield _text(called), node
        elif node.type == "preproc_arg":
            for name in re.findall(r"\b([A-Za-z_]\w*)\s*\(", _text(node)):
                yield name, node


def _fields_of(body: Node) -> dict[str, str]:
    fields: dict[str, str] = {}
    for node in body.named_children:
        if node.type.startswith("preproc_"):
            fields.update(_fields_of(node))
        if node.type != "field_declaration":
            continue
        kind = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        inner = kind.child_by_field_name("body") if kind else None
        if inner is not None and not declarators:
            fields.update(_fields_of(inner))  # the fields of an anonymous struct
        word = " ".join(_text(kind).split()) if inner is None else "struct inner"
        for declarator in declarators:
            fields[_text(_name_of(declarator))] = word + _stars(declarator)
    return fields


def _branches(text: str) -> list[str]:
    """The text with the first branch of each `#if`, with the second, and so on.

    All texts have the same bytes in the same places, with blanks for the other branches and for the
    directives. An `#if` with fewer branches keeps its last.
    """
    lines = text.splitlines(keepends=True)
    # The branches around a line: for each, the outermost first, its `#if` and its number in that.
    around: list[tuple[tuple[int, int], ...]] = []
    counts: dict[int, int] = {}
    open_ifs: list[tuple[int, int]] = []
    directives = set()
    for number, line in enumerate(lines):
        match = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b", line)
        word = match[1] if match else ""
        if word:
            directives.add(number)
        if word.startswith("if"):
            open_ifs.append((number, 0))
            counts[number] = 1
        elif open_ifs and word in ("elif", "else"):
            first, branch = open_ifs.pop()
            open_ifs.append((first, branch + 1))
            counts[first] = branch + 2
        elif open_ifs and word == "endif":
            open_ifs.pop()
        around.append(tuple(open_ifs))
    return [
        "".join(
            line
            if number not in directives
            and all(branch == min(chosen, counts[first] - 1) for first, branch in around[number])
            else _blank(line)
            for number, line in enumerate(lines)
        )
        for chosen in range(max(counts.values(), default=1))
    ]


def _blank(line: str) -> str:
    return re.sub(rb"[^\r\n]", b" ", line.encode()).decode()
