# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about this family."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding
from envpool.errors import EnvPoolError

from . import _engine
from ._prepare import described

__all__ = ["COMPARED", "findings"]

_MEANS = "its levels, rules or frames may differ from these"
COMPARED = (
    Compared("procgen", ("0.10.7",), _MEANS, "pip install --no-deps procgen==0.10.7"),
    # Its frames differ as the page describes.
    Compared("procgen-mirror", ("0.10.7",), _MEANS, "pip install --no-deps procgen-mirror==0.10.7"),
)
"""The packages, with versions, with which the tasks were compared."""


def findings() -> Iterator[Finding | Compared]:
    """Reports engine, images, libraries of the system, and whether last frames are available."""
    yield from COMPARED
    try:
        library = _engine.FILE.find()
    except EnvPoolError as error:
        yield Finding("engine", error.got, "missing", f"run `{_engine.FILE.command}`")
        return
    names = _engine.missing_libraries(library)
    if names:
        plays = "no game plays" if _engine.ZLIB in names else "only games with engine='own' play"
        got = f"{library} needs {', '.join(names)}; until then {plays}"
        yield Finding("engine", got, "problem", f"run `{_engine.install_command(names)}`")
    elif not _engine.is_reference(distribution := _engine.distribution_of(library)):
        got = f"{library} of {distribution}, whose frames differ from those of procgen 0.10.7"
        fix = f"uninstall it and run `{_engine.FILE.command}`, or set {_engine.FILE.variable}"
        yield Finding("engine", got, "warning", fix)
    else:
        yield Finding("engine", described(library))
    folder = library.parent.parent / "assets"
    if images := _engine.missing_images(library):
        fix = f"install its package again, or run `{_engine.FILE.command}`"
        yield Finding("images", f"{len(images)} missing in {folder}", "problem", fix)
        return
    yield Finding("images", f"all, in {folder}")
    if not names:
        yield _last_frames(str(library))


def _last_frames(library: str) -> Finding:
    """Makes an environment, in a separate process: it takes 340 MB."""
    import subprocess
    import sys

    program = (
        "import sys, envpool, envpool_procgen._procgen as p\n"
        "envpool.make('MazeEasy-v0', num_envs=1, engine='libenv', engine_path=sys.argv[1])\n"
        "print(p.hook_problem())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, library], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        text = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Finding(
            "games", f"none can be made: {text}", "problem", f"run `{_engine.FILE.command}`"
        )
    if problem := done.stdout.strip():
        return Finding(
            "last frames",
            f"not known, as the engine has {problem}: rows of ends repeat the frame before",
            "warning",
            f"use the engine that `{_engine.FILE.command}` brings",
        )
    return Finding("last frames", "of episodes are known")
