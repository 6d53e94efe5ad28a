# SPDX-License-Identifier: Apache-2.0
"""The characters of CarRacing's score, from an installed pygame-ce.

Gymnasium writes the score with pygame's default font. This module draws its eleven characters once,
onto surfaces in memory, and hands them to the compiled module; no window is opened. The kerning
(the pixels by which two characters stand nearer) is measured in 1/64 pixel, since pygame does not
tell it.
"""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any

import numpy as np
from envpool.errors import MissingPackageError

_CHARACTERS = "0123456789-"
_SIZE = 42  # pixels, as Gymnasium's
_MANY = 64  # copies of a pair: widths are whole pixels, so that many give 1/64 pixel

_installed = False
# Several threads may make their first pools at once.
_installing = threading.Lock()


def install_once(task_id: str) -> None:
    """Hands the characters to the compiled module, once in a process.

    Raises:
        MissingPackageError: If pygame is not installed. The next call tries again.
    """
    global _installed
    from . import _box2d

    with _installing:
        if _installed:
            return
        try:
            font = _font()
        except ImportError as error:
            raise MissingPackageError(
                f"make({task_id!r})",
                f"no pygame, whose font the score of the picture is written in ({error})",
                "pygame-ce, or score_text=False",
                'Run `pip install "envpool-box2d[carracing]"`; with score_text=False the score is '
                "left out, and pictures differ from Gymnasium's",
            ) from error
        _box2d.set_score_glyphs([_ink(font, c) for c in _CHARACTERS], _kerning(font))
        _installed = True


def _font() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pygame's imports warn
        import pygame.font
    pygame.font.init()
    return pygame.font.Font(pygame.font.get_default_font(), _SIZE)


def _ink(font: Any, character: str) -> Any:
    """A character in white on black, as a uint8 array of shape (height, width)."""
    import pygame

    surface = font.render(character, True, (255, 255, 255), (0, 0, 0))
    rgb = pygame.image.tobytes(surface, "RGB")
    width, height = surface.get_size()
    return np.frombuffer(rgb, np.uint8).reshape(height, width, 3)[:, :, 0].copy()


def _kerning(font: Any) -> list[list[int]]:
    """The kerning of each pair, in 1/64 pixel. No character has kerning with a space."""

    def width(text: str) -> int:
        return int(font.size(text * _MANY)[0])

    alone = {c: width(f"{c} ") for c in _CHARACTERS}
    space = width(" ")
    return [
        [width(f"{a}{b} ") - alone[a] - alone[b] + space for b in _CHARACTERS] for a in _CHARACTERS
    ]
