# SPDX-License-Identifier: Apache-2.0
"""Generated parts of the reference: directives for headers, commands and options.

    ```{cpp-header} envpool/dict.h
    ```
    ```{command-line}
    ```
    ```{common-options}
    ```
    ```{families}
    ```
    ```{scripts} examples/learners
    ```

A public C++ name without a comment is a warning, and so is a declaration that Sphinx' C++ domain
cannot read. Docstrings may have code by indentation, as comments have.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import envpool
from cpp_headers import Entry, read_header
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "envpool-core" / "include"
_LOG = logging.getLogger(__name__)


class Generated(SphinxDirective):
    """A directive that writes its own content as Markdown."""

    def markdown(self) -> Iterator[str]:
        """The lines."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """The nodes of the Markdown text."""
        lines = StringList(list(self.markdown()), source=self.get_source_info()[0])
        container = nodes.Element()
        self.state.nested_parse(lines, self.content_offset, container)
        return list(container.children)


class CppHeader(Generated):
    """The comment at the top of a header and its public declarations.

    With `:inside:` the header is not for authors of environments: members of classes need no
    comment, and only commented members are shown.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "inside": directives.flag,
    }

    def markdown(self) -> Iterator[str]:
        """The lines."""
        path = INCLUDE / self.arguments[0]
        self.env.note_dependency(str(path))
        header = read_header(path)
        yield from header.intro.splitlines()
        yield ""
        inside = "inside" in self.options
        for entry in header.entries:
            for name in entry.undocumented():
                if not inside or name is entry:
                    where = f"{path}:{name.line}"
                    _LOG.warning("%s has no comment", name.signature, location=where)
            yield from _directive(entry, inside, 7)


def _directive(entry: Entry, inside: bool, ticks: int) -> Iterator[str]:
    fence = "`" * ticks
    domain = "c" if entry.kind == "macro" else "cpp"
    yield f"{fence}{{{domain}:{entry.kind}}} {entry.signature}"
    yield ""
    yield from entry.doc.splitlines()
    if entry.body:
        yield from ("", "```cpp", *entry.body.splitlines(), "```")
    yield ""
    for inner in entry.entries:
        if not inside or inner.doc or inner.kind == "enumerator":
            yield from _directive(inner, inside, ticks - 1)
    yield fence
    yield ""


class CommandLine(Generated):
    """Every command of the program `envpool`, with its arguments and options."""

    def markdown(self) -> Iterator[str]:
        """The lines."""
        from envpool.cli._app import _app
        from typer.main import get_command

        program: Any = get_command(_app())
        for name, command in program.commands.items():
            yield from (f"## envpool {name}", "", _markdown_of(command.help or ""), "")
            yield from ("```text", _usage(name, command), "```", "")
            rows = [_parameter(parameter) for parameter in command.params]
            if rows:
                yield from ("| argument | default | what it is |", "|---|---|---|")
                yield from rows
            yield ""


# Some versions of typer have a click of their own, so its types cannot be named here.
def _usage(name: str, command: Any) -> str:
    words = [_argument(p) for p in command.params if p.param_type_name == "argument"]
    return " ".join(["envpool", name, *words, "[OPTIONS]"])


def _argument(parameter: Any) -> str:
    name: str = (parameter.metavar or parameter.name).strip("[]").upper()
    return name if parameter.required else f"[{name}]"


def _parameter(about: Any) -> str:
    name = ", ".join(f"`{option}`" for option in (*about.opts, *about.secondary_opts))
    if about.param_type_name == "argument":
        name = f"`{_argument(about)}`"
    default = about.default
    shown = "" if default in (None, False, ()) or callable(default) else f"`{default}`"
    text = " ".join((about.help or "").split()).replace("|", "\\|")
    return f"| {name} | {shown} | {text} |"


def _markdown_of(text: str) -> str:
    return re.sub(r"\s*\n(?!\n)(?! )", "\n", text.partition("\f")[0]).strip()


class CommonOptions(Generated):
    """The options that every task has, with their defaults."""

    def markdown(self) -> Iterator[str]:
        """The lines."""
        from envpool.cli._option_docs import COMMON, OF_MANY_TASKS, POOL

        spec = envpool.make_spec("CartPole-v1")
        plain: dict[str, object] = dict(type(spec).gen_config()._asdict())
        yield from ("| option | default | what it is |", "|---|---|---|")
        for key, text in (COMMON | POOL | OF_MANY_TASKS).items():
            default = plain.get(key, "")
            shown = (
                "the task's" if key in ("max_episode_steps", *OF_MANY_TASKS) else f"`{default!r}`"
            )
            yield f"| `{key}` | {shown} | {text} |"


class Families(Generated):
    """The pages of the families, by title: docs/classic.md of envpool-classic."""

    def markdown(self) -> Iterator[str]:
        """The lines."""
        yield from ("```{toctree}", ":caption: Environments", ":hidden:", "")
        names = (folder.name.removeprefix("envpool-") for folder in ROOT.glob("envpool-*"))
        pages = [page for name in names if (page := ROOT / "docs" / f"{name}.md").exists()]
        yield from (page.stem for page in sorted(pages, key=lambda page: page.read_text("utf-8")))
        yield "```"


class Scripts(Generated):
    """The whole scripts of a folder, each under the first line of its docstring."""

    required_arguments = 1

    def markdown(self) -> Iterator[str]:
        """The lines."""
        folder = ROOT / self.arguments[0]
        up = "../" * (self.env.docname.count("/") + 1)
        self.env.note_dependency(str(folder))
        for path in sorted(folder.glob("[!_]*.py")):
            self.env.note_dependency(str(path))
            words = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split(
                "\n"
            )
            yield from (f":::{{dropdown}} {words[0].rstrip('.')}", f":name: {path.stem}", "")
            yield from (f"`python {self.arguments[0]}/{path.name}`", "")
            yield from (f"````{{literalinclude}} {up}{path.relative_to(ROOT)}", ":language: python")
            yield from ("````", ":::", "")


def mark_code(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Makes literal blocks of indented text between empty lines in a docstring."""
    del app, what, name, obj, options
    out: list[str] = []
    for i, line in enumerate(lines):
        opens = line.startswith("    ") and i > 0 and not lines[i - 1].strip()
        before = next((row for row in reversed(out) if row.strip()), "")
        if opens and not before.startswith("    ") and not before.endswith("::"):
            out += ["::", ""]
        out.append(line)
    lines[:] = out


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the directives to Sphinx."""
    # Sphinx shows a class under another name as an alias, without its members.
    for public in ("EnvPool", "GymnasiumEnvPool", "DMEnvPool"):
        getattr(envpool, public).__name__ = public
    found: Sequence[tuple[str, type[SphinxDirective]]] = (
        ("cpp-header", CppHeader),
        ("command-line", CommandLine),
        ("common-options", CommonOptions),
        ("families", Families),
        ("scripts", Scripts),
    )
    for name, directive in found:
        app.add_directive(name, directive)
    # Before Napoleon, which takes indented lines for the content of sections.
    app.connect("autodoc-process-docstring", mark_code, priority=100)
    return {"parallel_read_safe": True}
