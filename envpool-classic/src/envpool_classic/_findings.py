# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about the references and Gymnasium's images."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding

from . import _sprites

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("gymnasium", ("1.4.0",), "its rules or frames may differ from these"),
    Compared(
        "numpy",
        ("2.4.6",),
        "draws may differ; with NumPy 1 Gymnasium's Pendulum and MountainCarContinuous do",
    ),
)
"""The packages, with versions, with which the tasks were compared."""


def findings() -> Iterator[Finding | Compared]:
    """Reports whether frames of toy text can be drawn, and the packages of the comparison."""
    yield images()
    yield from COMPARED


def images() -> Finding:
    """Reports whether the installed Gymnasium has the images of toy text, as from 1.4 on."""
    name = "images of toy text"
    try:
        for sprite in (sprites[0] for sprites in _sprites.SPRITES.values()):
            _sprites.load(sprite)
    except (ModuleNotFoundError, FileNotFoundError) as error:
        detail = f"no frames of FrozenLake, Taxi, CliffWalking and Blackjack: {error}"
        fix = 'run `pip install "gymnasium>=1.4"`'
        return Finding(name, detail.partition(";")[0], "warning", fix)
    return Finding(name, "those of the installed gymnasium")
