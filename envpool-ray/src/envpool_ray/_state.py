# SPDX-License-Identifier: Apache-2.0
"""State: what the parts of a pool share while it is open."""

from __future__ import annotations

from typing import NamedTuple

from ._crew import Crew
from ._envs import Envs
from ._results import Results
from ._seen import Seen
from ._settings import Settings


class State(NamedTuple):
    """State of an open pool."""

    settings: Settings
    crew: Crew
    """The actors."""
    envs: Envs
    """How environments stand."""
    seen: Seen
    """What the caller saw last."""
    results: Results
    """Rows that are ready, and failures."""
