# SPDX-License-Identifier: Apache-2.0
"""The program itself: its commands, and its exit status."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Annotated

import typer

from .._discovery.registry import registry
from .._version import __version__
from ..errors import EnvPoolError
from . import bench, doctor, info, list_envs, new_plugin, play, render
from ._output import allow_other_encodings, complain, count, errors, print_json
from ._program import OWN_COMMANDS, Program

_FUNCTIONS: tuple[Callable[..., None], ...] = (
    list_envs.list_envs,
    info.info,
    bench.bench,
    render.render,
    play.play,
    play.watch,
    doctor.doctor,
    new_plugin.new_plugin,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program, and ends Python with its exit status.

    Args:
        arguments: Its arguments; None: those of this process.

    Raises:
        SystemExit: Always.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    allow_other_encodings()
    try:
        signal.signal(signal.SIGINT, _interrupt)
        try:
            _run(arguments)
        finally:
            sys.stdout.flush()
    except _CtrlC:
        sys.exit(130)  # as programs in C end
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        # The rest of the output goes nowhere, or Python would report the same error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        complain(
            EnvPoolError(
                "the output of envpool",
                "a device without space",
                "a file or a terminal that takes it",
                "Make space, or write to another device",
            )
        )
        sys.exit(1)


class _CtrlC(BaseException):
    """Ctrl-C was pressed.

    Typer would end the program with another status at a KeyboardInterrupt. A plugin may raise
    SystemExit in its import, which makes it a broken plugin.
    """


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise _CtrlC


def _run(arguments: list[str]) -> None:
    app = _app()
    command = next((word for word in arguments if not word.startswith("-")), "")
    # Plugins are imported if the user may mean one of their commands, not for our own commands.
    if command not in OWN_COMMANDS:
        registry.add_commands(app)
        broken = len(registry.failures())
        if broken and command and command not in app.owners:
            hint = f"{count(broken, 'plugin')} not working, so commands may be missing"
            errors().print(f"[yellow]envpool:[/] {hint}; see `envpool doctor`")
    try:
        app(arguments, prog_name="envpool")
    except EnvPoolError as error:
        if "--json" in arguments:
            print_json({"error": type(error).__name__, "message": str(error)})
        else:
            complain(error)
        sys.exit(1)


def _app() -> Program:
    app = Program(
        name="envpool",
        help="Pools of reinforcement-learning environments.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name, function in zip(OWN_COMMANDS, _FUNCTIONS, strict=True):
        app.add_own(name, function)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"envpool-core {__version__}")
        for plugin in registry.plugins():
            typer.echo(f"{plugin.provider} {plugin.version}".rstrip())
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=_print_version,
            is_eager=True,
            help="Show the version of every wheel and exit.",
        ),
    ] = False,
) -> None:
    """The options before the command."""
