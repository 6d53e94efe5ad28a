# SPDX-License-Identifier: Apache-2.0
"""What a task prepares before its first pool that renders: the pictures its drawing is made of.

Each function takes the task's options, as ``envpool.Task(assets=...)`` has it, and raises what
``_sprites.install`` raises.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import _classic, _sprites


def pendulum(_config: Mapping[str, object]) -> None:
    """Pendulum's torque arrow."""
    _sprites.install("Pendulum", _classic.set_sprite)


def frozen_lake(_config: Mapping[str, object]) -> None:
    """FrozenLake's ice, holes and elf."""
    _sprites.install("FrozenLake", _classic.set_sprite)


def cliff_walking(_config: Mapping[str, object]) -> None:
    """CliffWalking's ground, cliff and agent."""
    _sprites.install("CliffWalking", _classic.set_sprite)


def taxi(_config: Mapping[str, object]) -> None:
    """Taxi's map, taxis and passenger."""
    _sprites.install("Taxi", _classic.set_sprite)


def blackjack(_config: Mapping[str, object]) -> None:
    """Blackjack's cards, digits and labels."""
    _sprites.install("Blackjack", _classic.set_sprite)
