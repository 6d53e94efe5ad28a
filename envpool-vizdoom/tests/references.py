# SPDX-License-Identifier: Apache-2.0
"""The reference: ViZDoom's own client, `vizdoom.DoomGame`, as a task of this wheel plays it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import vizdoom

SCENARIOS = Path(vizdoom.__file__).parent / "scenarios"
FRAME_SKIP = 4


@contextlib.contextmanager
def doom_game(cfg: Path, seed: int, **settings: Any) -> Iterator[Any]:
    """A game that has begun its first episode by `new_episode`, as a pool does.

    Args:
        cfg: The configuration.
        seed: Of the game.
        **settings: Of setters, as `doom_scenario_path="…"` for `set_doom_scenario_path`.
    """
    game = vizdoom.DoomGame()
    game.load_config(str(cfg))
    game.set_window_visible(False)
    game.set_mode(vizdoom.Mode.PLAYER)
    game.set_seed(seed)
    game.set_episode_timeout(0)
    for name, value in settings.items():
        getattr(game, f"set_{name}" if name != "game_args" else "add_game_args")(value)
    game.init()
    try:
        game.new_episode()
        yield game
    finally:
        game.close()


def variable(game: Any, name: str) -> float:
    """A game variable by its name."""
    value: float = game.get_game_variable(getattr(vizdoom.GameVariable, name))
    return value


def screen(game: Any) -> np.ndarray[Any, Any]:
    """The screen as planes."""
    frame = game.get_state().screen_buffer
    return frame if frame.ndim == 3 else frame[None]
