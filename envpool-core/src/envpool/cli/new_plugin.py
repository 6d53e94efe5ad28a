# SPDX-License-Identifier: Apache-2.0
"""`envpool new-plugin`: writes a new family, which builds and passes its tests."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from .._discovery.known_families import FAMILIES
from .._version import __version__
from ..errors import ConfigError
from ._from_c import Shape
from ._from_c import texts as texts_from_c
from ._output import count, grid, print_json, show
from ._tasks import AsJson

# The destination of each file of the folder template/. `@NAME@`, `@WHEEL@`, `@PACKAGE@` and
# `@SERIES@` are replaced in both.
TEMPLATE = {
    "pyproject.toml.in": "pyproject.toml",
    "CMakeLists.txt.in": "CMakeLists.txt",
    "environment.cc.in": "cpp/@NAME@.cc",
    "init.py.in": "src/@PACKAGE@/__init__.py",
    "test.py.in": "tests/test_@NAME@.py",
    "ci.yml.in": ".github/workflows/ci.yml",
    "README.md.in": "README.md",
}
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def _of_c(example: str, text: str) -> Any:
    return typer.Option(metavar=example, help=text, rich_help_panel="With --from-c")


def new_plugin(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the family, as my_games.")],
    folder: Annotated[
        Path, typer.Option("--dir", metavar="D", help="Where to put it; the folder envpool-NAME.")
    ] = Path(),
    from_c: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="One C file in PufferLib's shape; needs the extra from-c."
        ),
    ] = None,
    obs: Annotated[
        str, _of_c("4 or 3,11,11", "Sizes of an observation; of an option: size*size.")
    ] = "",
    actions: Annotated[str, _of_c("5 or 3,3", "Numbers of choices of an action.")] = "",
    continuous: Annotated[int, _of_c("N", "An action is N numbers from -1 to 1.")] = 0,
    agents: Annotated[str, _of_c("2 or num_agents=4", "How many, maybe in a field.")] = "",
    option: Annotated[list[str] | None, _of_c("size=11", "A field that users may set.")] = None,
    observe: Annotated[
        str, _of_c("F", "The function that writes the last observation of an episode.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write a package with a new environment, which builds and passes its tests."""
    check_name(name)
    values = values_for(name)
    target = folder / values["@WHEEL@"]
    rendered = render(values)
    shape = Shape(obs, actions, continuous, agents, tuple(option or ()), observe)
    if from_c is not None:
        own, more = texts_from_c(from_c, shape, values)
        rendered.update(own)
        rendered["README.md"] = rendered["README.md"].replace("Hover", more["@STRUCT@"])
    elif shape != Shape():
        allowed = "--obs, --actions, --continuous, --agents, --option and --observe with --from-c"
        raise ConfigError(f"new-plugin {name}", "options of a C file", allowed, "Say which file")
    texts = {target / path: text for path, text in rendered.items()}
    _write(target, texts)
    facts: dict[str, Any] = {
        "name": name,
        "wheel": values["@WHEEL@"],
        "folder": str(target),
        "files": [str(path) for path in texts],
    }
    if as_json:
        print_json(facts)
        return
    table = grid()
    for path, text in texts.items():
        lines = count(len(text.splitlines()), "line")
        table.add_row(Text(str(path), "green"), Text(lines, "dim"))
    show(table, f"\nBuild it and test it: cd {target} && pip install . pytest && pytest")


def check_name(name: str) -> None:
    """Refuses text that cannot be the name of a family.

    Raises:
        ConfigError: If it is no valid name of a Python package, or a name of EnvPool's own.
    """
    if not _NAME.fullmatch(name):
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_").lstrip("0123456789_")
        then = f"Name it {plain!r}, for example" if plain else "Choose a name"
        allowed = "lower-case letters, digits and single underscores, a letter first"
        raise ConfigError(f"new-plugin {name}", repr(name), allowed, then)
    if name in {"core", *FAMILIES}:
        taken = f"a name that EnvPool's own wheel envpool-{name} has"
        then = f"Name it 'my_{name}', for example"
        raise ConfigError(f"new-plugin {name}", taken, "names that are free", then)


def values_for(name: str) -> dict[str, str]:
    """The values of the marks in the template."""
    return {
        "@NAME@": name,
        "@WHEEL@": f"envpool-{name.replace('_', '-')}",
        "@PACKAGE@": f"envpool_{name}",
        "@SERIES@": __version__.rpartition(".")[0],
    }


def render(values: dict[str, str]) -> dict[str, str]:
    """The texts of all files, by their paths in the new folder."""
    template = files(__package__) / "template"
    return {
        _replaced(path, values): _replaced((template / file).read_text("utf-8"), values)
        for file, path in TEMPLATE.items()
    }


def _replaced(text: str, values: dict[str, str]) -> str:
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def _write(target: Path, texts: dict[Path, str]) -> None:
    asked = f"new-plugin into {target}"
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        got, allowed = "something that is there already", "a folder that is new, or empty"
        raise ConfigError(asked, got, allowed, "Choose another name, or another --dir")
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        got = f"{type(error).__name__}: {error}"
        allowed = "a folder that can be written"
        raise ConfigError(asked, got, allowed, "Choose another --dir") from error
