# SPDX-License-Identifier: Apache-2.0
"""Atari 2600: the 104 tasks that the wheel envpool-atari adds to EnvPool.

The emulator is in the compiled module `envpool_atari._atari`, which `envpool.make` imports. The
cartridges are not in the wheel: `pip install "envpool-atari[roms]"`, or see `_roms.py` for the
folders that are looked into.
"""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Finding, Task, hookimpl

from ._games import GAMES, task_id, title
from ._presets import OPTION_DOCS

_FRAMES_PER_SECOND = 60
_FRAME_SKIP = 4


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    for game in GAMES:
        yield Task(
            task_id(game),
            "envpool_atari._env:AtariEnvSpec",
            description=f"{title(game)}, a game for the Atari 2600.",
            config_docs=OPTION_DOCS,
            render_fps=_FRAMES_PER_SECOND / _FRAME_SKIP,
            max_episode_steps=27_000,
            task=game,
        )


@hookimpl
def envpool_findings() -> Iterator[Finding]:
    """Whether the cartridges are there."""
    from . import _atari, _roms

    yield _roms.survey({game: _atari.md5(game) for game in GAMES})
