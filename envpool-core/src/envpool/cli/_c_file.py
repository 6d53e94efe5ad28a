# SPDX-License-Identifier: Apache-2.0
"""Reads an environment that is written in one C file: its struct, its functions, what it calls.

The shape is the one of PufferLib's environments: a struct with pointers `observations`, `actions`,
`rewards` and `terminals`, and functions `c_reset` and `c_step` of a pointer to it. No C is compiled
here; texts are searched, and what is not found or cannot work is refused with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import ConfigError

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
SIMULATED = ("GetRandomValue", "SetRandomSeed")  # what these have that an environment may step with
# What would make equal seeds give other trajectories.
_OTHER_SOURCES = (
    "time|clock|clock_gettime|gettimeofday|[delmn]rand48|arc4random\\w*|getrandom|getpid"
)
_DECLARED = r"\**\s*\b(\w+)\s*(?:\[[^\]]*\]\s*)*"  # in a declaration, what follows the type
_KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "defined"}


@dataclass(frozen=True)
class CFile:
    """What is known of a file.

    Attributes:
        path: Where it is.
        text: As it is there.
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
        ConfigError: If it cannot be read, is not in the shape above, or does what would make
            trajectories depend on other environments or on the time.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _refuse(path, f"{type(error).__name__}: {error}", "a C file in UTF-8") from error
    return _Reader(path, text).result(observe)


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.code = _without_comments(text)
        self.functions = _functions(self.code)  # bodies by names
        self.macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", self.code, re.M))

    def result(self, observe: str) -> CFile:
        struct = self._struct_name()
        fields = self._fields(struct)
        self._check_arrays(struct, fields)
        self._check_includes()
        self._check_shared()
        draws = any(f'"{name}"' in self.text or f"<{name}>" in self.text for name in DRAWING)
        drawing = self._drawing() if draws else ()
        self._check_stepping(drawing, fields)
        return CFile(
            self.path,
            self.text,
            struct,
            fields,
            self._observe(observe),
            self._takes_struct("init", struct),
            self._takes_struct("c_close", struct),
            draws,
            drawing,
        )

    def _struct_name(self) -> str:
        for name in ("c_reset", "c_step"):
            found = re.search(rf"\bvoid\s+{name}\s*\(\s*([^)]*)\)\s*{{", self.code)
            if found is None:
                got = f"no function void {name}(T* env) with a body"
                raise _refuse(self.path, got, "void c_reset(T* env) and void c_step(T* env)")
            takes = re.fullmatch(r"(?:struct\s+)?(\w+)\s*\*\s*(\w+)", found[1].strip())
            if takes is None:
                got = f"{name}({found[1].strip()})"
                raise _refuse(self.path, got, f"{name}(T* env)", self._line(found.start()))
        return takes[1]  # type: ignore[index]  # both loops have set it

    def _fields(self, struct: str) -> dict[str, str]:
        for start in re.finditer(r"\bstruct\b\s*\w*\s*{", self.code):
            end = _closing(self.code, start.end() - 1)
            named = re.match(r"\s*(\w*)\s*;", self.code[end + 1 :])
            tag = re.match(r"struct\s*(\w*)", start[0])
            if struct in ((named and named[1]), (tag and tag[1])):
                return _fields_of(self.code[start.end() : end])
        raise _refuse(self.path, f"no struct {struct} with a body", "the struct in the same file")

    def _check_arrays(self, struct: str, fields: dict[str, str]) -> None:
        for name in ARRAYS:
            kind = fields.get(name, "")
            if kind.removesuffix("*") not in TYPES or not kind.endswith("*"):
                got = (
                    f"{kind} {name} in struct {struct}" if kind else f"no {name} in struct {struct}"
                )
                raise _refuse(self.path, got, f"a pointer to numbers: {', '.join(TYPES)}")

    def _check_includes(self) -> None:
        for found in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', self.text, re.M):
            if Path(found[1]).name not in DRAWING:
                got = f'#include "{found[1]}"'
                allowed = "a single file; of others only headers of the system, and of raylib"
                then = "Put what it needs into the file"
                raise _refuse(self.path, got, allowed, self._line(found.start()), then)

    def _check_shared(self) -> None:
        """Variables that all environments would have in common."""
        for place, declared in _statements_outside(self.code, self.functions):
            if _is_shared_variable(declared):
                raise self._shared(declared, place)
        for name, (start, end) in self.functions.items():
            for found in re.finditer(r"\bstatic\b[^;{}()]*[;=]", self.code[start:end]):
                if not re.search(r"\bconst\b", found[0]):
                    raise self._shared(f"{found[0]} in {name}", start + found.start())

    def _shared(self, declared: str, place: int) -> ConfigError:
        got = f"a variable that all environments would share: {' '.join(declared.split())[:60]}"
        then = "Make it const, or a field of the struct"
        allowed = "the state of an environment in its struct alone"
        return _refuse(self.path, got, allowed, self._line(place), then)

    def _check_stepping(self, drawing: tuple[str, ...], fields: dict[str, str]) -> None:
        stepping = self._reached(["c_reset", "c_step", "init"])
        allowed = "c_reset, c_step and init that depend on the struct and its random numbers alone"
        for name in sorted(stepping):
            start, end = self.functions[name]
            body = self.code[start:end]
            other = re.search(rf"\b(?:{_OTHER_SOURCES})\s*\(", body)
            if other:
                got = f"{name}, which calls {other[0].rstrip('( ')}"
                then = "Use rand: here each environment has one of its own, with the pool's seed"
                raise _refuse(self.path, got, allowed, self._line(start + other.start()), then)
            for called in sorted(set(drawing) & set(_called(body))):
                place = start + re.search(rf"\b{called}\s*\(", body).start()  # type: ignore[union-attr]
                got = f"{name}, which calls {called} of raylib, of which there is none here"
                then = "Call it in c_render only"
                raise _refuse(self.path, got, allowed, self._line(place), then)
            for field, kind in fields.items():
                if not kind.endswith("*") or field in ARRAYS + OPTIONAL_ARRAYS:
                    continue
                assigned = re.search(rf"(?:->|\.)\s*{field}\s*=[^=]", self.code)
                used = re.search(rf"(?:->|\.)\s*{field}\b", body)
                if used and not assigned:
                    got = f"{name}, which uses the pointer {field}, which nothing sets"
                    then = "Set it in a function init(T* env)"
                    raise _refuse(self.path, got, allowed, self._line(start + used.start()), then)

    def _reached(self, names: list[str]) -> set[str]:
        """Functions that these lead to, themselves among them."""
        reached: set[str] = set()
        todo = [name for name in names if name in self.functions]
        while todo:
            name = todo.pop()
            if name not in reached:
                reached.add(name)
                start, end = self.functions[name]
                todo += [one for one in _called(self.code[start:end]) if one in self.functions]
        return reached

    def _observe(self, wanted: str) -> str:
        if wanted:
            if wanted not in self.functions:
                raise _refuse(self.path, f"no function {wanted}", "--observe of one that it has")
            return wanted
        start, end = self.functions["c_reset"]
        found = [
            name
            for name in _called(self.code[start:end])
            if "obs" in name.lower() and name in self.functions
        ]
        return found[-1] if found else ""

    def _takes_struct(self, name: str, struct: str) -> bool:
        pattern = rf"\b{name}\s*\(\s*(?:struct\s+)?{struct}\s*\*\s*\w+\s*\)\s*{{"
        return re.search(pattern, self.code) is not None

    def _drawing(self) -> tuple[str, ...]:
        """Calls with names as raylib's, which the file does not define."""
        own = set(self.functions) | self.macros | set(SIMULATED)
        return tuple(sorted(set(re.findall(r"\b([A-Z][a-z]\w*)\s*\(", self.code)) - own))

    def _line(self, place: int) -> int:
        return self.code.count("\n", 0, place) + 1


def _refuse(path: Path, got: str, allowed: str, line: int = 0, then: str = "") -> ConfigError:
    where = f" in line {line}" if line else ""
    then = then or "See the page on environments of others"
    return ConfigError(f"new-plugin --from-c {path}", got + where, allowed, then)


def _without_comments(text: str) -> str:
    """With blanks for comments, strings and characters, so that places stay what they are."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.S)


def _closing(code: str, start: int) -> int:
    """Where the brace of `start` ends."""
    depth = 0
    for place in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return len(code) - 1


def _functions(code: str) -> dict[str, tuple[int, int]]:
    """Where the bodies of all functions are."""
    found = {}
    place = 0
    head = re.compile(r"\b(\w+)\s*\([^(){};]*(?:\([^(){};]*\)[^(){};]*)*\)\s*{")
    while (match := head.search(code, place)) is not None:
        end = _closing(code, match.end() - 1)
        if match[1] not in _KEYWORDS:
            found[match[1]] = (match.end(), end)
        place = end + 1
    return found


def _called(body: str) -> list[str]:
    return [name for name in re.findall(r"\b(\w+)\s*\(", body) if name not in _KEYWORDS]


def _fields_of(body: str) -> dict[str, str]:
    while (inner := re.search(r"\b(?:struct|union|enum)\b[^{};]*{", body)) is not None:
        end = _closing(body, inner.end() - 1)
        body = body[: inner.start()] + "struct inner" + body[end + 1 :]
    fields = {}
    for statement in body.split(";"):
        first, *others = statement.split(",")
        words = re.fullmatch(rf"\s*(?:const\s+)?([\w\s]+?)\s*({_DECLARED})\s*", first)
        for one in (words[2], *others) if words else ():
            name = re.fullmatch(_DECLARED, one.strip())
            if name and words:
                stars = "*" * one.count("*") + ("[]" if "[" in one else "")
                fields[name[1]] = " ".join(words[1].split()) + stars
    return fields


def _statements_outside(code: str, functions: dict[str, tuple[int, int]]) -> list[tuple[int, str]]:
    """Declarations outside of functions, with their places; directives left out."""
    kept = list(
        re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m[0]), code, flags=re.M)
    )
    for start, end in functions.values():
        for place in range(start - 1, end + 1):
            kept[place] = ";" if place == end else " "
    found, begin, depth = [], 0, 0
    for place, character in enumerate(kept):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ";" and depth == 0:
            statement = "".join(kept[begin:place])
            skipped = len(statement) - len(statement.lstrip())
            found.append((begin + skipped, statement.strip()))
            begin = place + 1
    return found


def _is_shared_variable(declared: str) -> bool:
    head = re.split(r"[={]", declared)[0]
    words = re.findall(r"\w+", head)
    if not words or "(" in head or words[0] in ("typedef", "extern"):
        return False
    if "const" in words:
        return False
    if words[0] in ("struct", "union", "enum"):  # a type, unless a variable of it is named
        after = declared[declared.rfind("}") + 1 :] if "{" in declared else declared
        names = re.findall(r"\w+", after)
        return len(names) > (0 if "{" in declared and "=" not in head else 2)
    return len(words) > 1
