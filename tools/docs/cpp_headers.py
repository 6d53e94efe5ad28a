# SPDX-License-Identifier: Apache-2.0
"""Reads the public declarations of a C++ header, and the comments that explain them.

    header = read_header(Path("envpool-core/include/envpool/dict.h"))
    header.intro         # the comment at the top, as Markdown
    header.entries       # classes, functions ... in their order; classes have entries of their own

The comment of a declaration is the `///` lines above it, or `///<` after it. Overloads that follow
it with no empty line in between share its comment. Declarations that are in a namespace `detail`,
private, deleted or defined outside of its class is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_cpp.language()))
_HIDDEN_NAMESPACES = {"detail", "python"}
_CLASSES = {"class_specifier": "class", "struct_specifier": "struct"}
_ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]|__attribute__\(\([^)]*\)\)")
# Words of no interest to callers.
_HOW = re.compile(r"\b(inline|friend)\s+|\s*\b(override|final|noexcept)\b")


@dataclass
class Entry:
    """One declaration.

    Attributes:
        kind: The directive of Sphinx' C++ domain: "class", "function", "member" ...
        name: Its name alone.
        signature: The declaration, without a definition.
        line: Where it begins, counted from 1.
        last: The line where it ends.
        doc: Its comment, Markdown; empty if there is none.
        body: Code that defines it, for concepts.
        entries: The entries of a class or an enum.
        quiet: Whether it needs no comment.
    """

    kind: str
    name: str
    signature: str
    line: int
    last: int
    doc: str = ""
    body: str = ""
    entries: list[Entry] = field(default_factory=list)
    quiet: bool = False

    def undocumented(self) -> Iterator[Entry]:
        """This entry and the entries in it that lack a comment."""
        if not (self.doc or self.quiet):
            yield self
        for entry in self.entries:
            yield from entry.undocumented()


@dataclass
class Header:
    """The declarations of a header, and the comment at its top."""

    intro: str
    entries: list[Entry]


def read_header(path: Path) -> Header:
    """The public part of a header.

    Raises:
        ValueError: If the header has no comment at the top.
    """
    source = path.read_bytes()
    root = _PARSER.parse(source).root_node
    lines = source.decode().splitlines()
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    intro = [line[2:].removeprefix(" ") for line in lines[:end] if "SPDX" not in line]
    if not intro:
        raise ValueError(f"{path}: no comment at the top")
    entries = _Reader(root).entries
    for entry in entries:  # a header may be about a single class, which its top explains
        entry.quiet = (
            entry.quiet or re.match(rf"{re.escape(entry.name)}(<\w+>)?: ", intro[0]) is not None
        )
    return Header(_markdown("\n".join(intro).strip("\n")), entries)


def _markdown(text: str) -> str:
    """A comment as Markdown: indented drawings and code become blocks."""
    out: list[tuple[str, str]] = []  # the language, "" for prose, and a text
    for paragraph in re.split(r"\n\s*\n", text):
        rows = paragraph.splitlines()
        block = "\n".join(row.removeprefix("  ") for row in rows)
        language = _language(block) if all(row.startswith("  ") for row in rows) else ""
        if language and out and out[-1][0] == language:
            out[-1] = (language, f"{out[-1][1]}\n\n{block}")
        else:
            out.append((language, block if language else _escaped(paragraph)))
    return "\n\n".join(
        f"```{language}\n{block}\n```" if language else block for language, block in out
    )


def _escaped(prose: str) -> str:
    """Prose in which View<T> is no HTML."""
    parts = prose.split("`")
    return "`".join(p if i % 2 else p.replace("<", "\\<") for i, p in enumerate(parts))


def _language(block: str) -> str:
    """The language of an indented paragraph of a comment."""
    if re.search(r"-->|\^ |  \||^error: ", block):
        return "text"
    return "python" if re.search(r"^Task\(|^envpool\.|# ", block) else "cpp"


class _Reader:
    """Goes through the nodes of a header."""

    def __init__(self, root: Node) -> None:
        self.entries: list[Entry] = []
        self._seen: set[str] = set()
        self._scope(root.named_children, self.entries)

    def _scope(self, nodes: list[Node], entries: list[Entry], public: bool = True) -> None:
        comment: list[Node] = []
        for node in nodes:
            if node.type == "comment":
                text = _text(node)
                if text.startswith("///<"):
                    for entry in entries:
                        if entry.last == _row(node):
                            entry.doc = text[4:].strip()
                    comment = [node]
                elif comment and node.start_point.row == comment[-1].end_point.row + 1:
                    comment.append(node)
                else:
                    comment = [node]
                continue
            if node.type == "access_specifier":
                public = _text(node) != "private"
            elif node.type in ("namespace_definition", "linkage_specification"):
                self._namespace(node, entries)
            elif node.type.startswith("preproc_if"):
                self._scope(node.named_children, entries)
            elif public:
                self._declaration(node, _doc_of(comment, node), entries)
            comment = []

    def _namespace(self, node: Node, entries: list[Entry]) -> None:
        name = node.child_by_field_name("name")
        names = set(_text(name).split("::")) if name is not None else set()
        body = node.child_by_field_name("body")
        if body is not None and not names & _HIDDEN_NAMESPACES:
            self._scope(body.named_children, entries)

    def _declaration(self, node: Node, doc: str, entries: list[Entry]) -> None:
        for entry in _entries_of(node):
            key = f"{id(entries)} {entry.signature}"
            if key in self._seen:
                continue
            self._seen.add(key)
            entry.doc = doc
            body = _class_body(node)
            if body is not None:
                self._scope(body.named_children, entry.entries, entry.kind == "struct")
                for inner in entry.entries:  # an alias needs no other text
                    inner.quiet = inner.quiet or inner.kind == "type"
            if not doc and entries:
                before = entries[-1]
                alike = entry.kind == before.kind
                alike &= entry.kind == "macro" or entry.name.lower() == before.name.lower()
                entry.quiet = entry.quiet or (alike and entry.line == before.last + 1)
            entries.append(entry)


def _row(node: Node) -> int:
    return node.start_point.row + 1


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _doc_of(comment: list[Node], node: Node) -> str:
    """The `///` lines that end in the row above a declaration."""
    if not comment or comment[-1].end_point.row != node.start_point.row - 1:
        return ""
    rows = [_text(row) for row in comment if _text(row).startswith("///")]
    rows = [row for row in rows if not row.startswith("///<")]
    return _markdown("\n".join(row[3:].removeprefix(" ") for row in rows))


def _class_body(node: Node) -> Node | None:
    inner = _innermost(node)
    return inner.child_by_field_name("body") if inner.type in _CLASSES else None


def _innermost(node: Node) -> Node:
    """The declaration in a template."""
    while node.type == "template_declaration":
        node = node.named_children[-1]
    if node.type == "field_declaration":  # a nested class
        inner = node.child_by_field_name("type")
        if inner is not None and inner.child_by_field_name("body") is not None:
            return inner
    return node


def _entries_of(node: Node) -> list[Entry]:
    """The declarations of a node: none if it is not public, several for `int a, b`."""
    inner = _innermost(node)
    declarators = inner.children_by_field_name("declarator")
    if inner.type == "field_declaration" and len(declarators) > 1:
        what = _text(_field(inner, "type"))
        names = [_text(declarator).partition("{")[0] for declarator in declarators]
        last = node.end_point.row + 1
        return [Entry("member", name, f"{what} {name}", _row(node), last) for name in names]
    entry = _entry_of(node, inner)
    return [] if entry is None else [entry]


def _entry_of(node: Node, inner: Node) -> Entry | None:
    head = _clean(_between(node, inner))
    ends = node.end_point
    row = (_row(node), ends.row + (1 if ends.column > 0 else 0))
    if inner.type in _CLASSES or inner.type == "enum_specifier":
        return _type_entry(inner, head, row)
    if inner.type == "preproc_function_def":
        name = _text(_field(inner, "name"))
        if name.startswith("ENVPOOL_"):
            return None
        return Entry("macro", name, name + _text(_field(inner, "parameters")), *row)
    if inner.type == "concept_definition":
        name = _text(_field(inner, "name"))
        return Entry("concept", name, f"{head} {name}", *row, body=f"{head}\n{_text(inner)}")
    if inner.type == "alias_declaration":
        name = _text(_field(inner, "name"))
        what = _clean(_text(_field(inner, "type")))
        shown = "" if "detail::" in what else f" = {what}"
        return Entry("type", name, f"{head} {name}{shown}".strip(), *row)
    if inner.type in ("declaration", "field_declaration", "function_definition"):
        return _value_entry(node, inner, row)
    return None


def _type_entry(inner: Node, head: str, row: tuple[int, int]) -> Entry | None:
    body = inner.child_by_field_name("body")
    name = inner.child_by_field_name("name")
    if body is None or name is None or "::" in _text(name):
        return None
    rest = _clean(_between(inner, body))
    if inner.type != "enum_specifier":
        kind = _CLASSES[inner.type]
        signature = rest.removeprefix(kind).strip()
        return Entry(kind, _text(name), f"{head} {signature}".strip(), *row)
    kind = "enum-class" if rest.startswith("enum class") else "enum"
    entry = Entry(kind, _text(name), re.sub(r"^enum (class )?", "", rest), *row)
    comment: list[Node] = []  # above the next declaration
    for child in body.named_children:
        if child.type == "enumerator":
            item = _text(_field(child, "name"))
            about = _doc_of(comment, child)
            entry.entries.append(Entry("enumerator", item, item, _row(child), _row(child), about))
            comment = []
        elif child.type == "comment" and _text(child).startswith("///<"):
            if entry.entries:
                entry.entries[-1].doc = _text(child)[4:].strip()
        elif child.type == "comment":
            comment.append(child)
    for item_entry in entry.entries:
        item_entry.quiet = True
    return entry


def _value_entry(node: Node, inner: Node, row: tuple[int, int]) -> Entry | None:
    """A function or a variable."""
    declarator = inner.child_by_field_name("declarator")
    if declarator is None:
        return None
    function = _find(declarator, "function_declarator")
    converts = _find(declarator, "operator_cast")
    if function is not None and _text(_field(function, "declarator")).startswith("("):
        function = None  # a pointer to a function
    name_node = _field(function, "declarator") if function is not None else declarator
    if function is None and declarator.type == "init_declarator":
        name_node = _field(declarator, "declarator")
    name = _text(name_node).lstrip("*& ")
    hidden = ("= delete", "= default")
    whole = _text(inner)
    if "::" in re.sub(r"operator.*", "", name) or name.startswith("~"):
        return None
    if any(text in whole for text in hidden) and whole.rstrip(";").endswith(("delete", "default")):
        return None
    if "override" in whole.partition("{")[0] or re.match(r"^[A-Z]\w*\(.*->", whole):
        return None
    if function is None and converts is None:
        signature = _clean(_between(node, inner) + whole).rstrip(";")
        if "(*" in signature:
            return Entry("member", re.sub(r".*\(\*(\w+)\).*", r"\1", name), signature, *row)
        signature = re.sub(r"\s*(\{.*\}|= .*)$", "", signature) if "(" in signature else signature
        signature = re.sub(r"\s*\{[^{}]*\}$", "", signature)
        if declarator.type == "init_declarator" and name.endswith("]"):
            signature = signature.partition(" = {")[0]  # an array has many elements
        return Entry("member", re.split(r"[{[]", name)[0], signature, *row)
    end = next(
        (c for c in inner.children if c.type in ("compound_statement", "field_initializer_list")),
        None,
    )
    signature = _between(node, end) if end is not None else _text(node)
    signature = _clean(signature).rstrip(";").strip()
    return Entry("function", "operator" if converts else name.partition("(")[0], signature, *row)


def _find(node: Node, kind: str) -> Node | None:
    if node.type == kind:
        return node
    for child in node.children:
        if child.type not in ("parameter_list", "argument_list"):
            found = _find(child, kind)
            if found is not None:
                return found
    return None


def _field(node: Node, name: str) -> Node:
    child = node.child_by_field_name(name)
    assert child is not None, f"{node.type} without {name} in row {_row(node)}"
    return child


def _between(outer: Node, inner: Node) -> str:
    """The text of `outer` that stands before `inner`."""
    source = outer.text or b""
    return source[: inner.start_byte - outer.start_byte].decode()


def _clean(text: str) -> str:
    """Code in one line, without attributes and words of no interest to a caller."""
    text = re.sub(r"//[^\n]*", "", text)
    text = _HOW.sub("", _ATTRIBUTE.sub("", text))
    return re.sub(r"\s+", " ", text).strip()
