# SPDX-License-Identifier: Apache-2.0
"""What differs between a task and its reference, array by array.

After `differences.look("observation", ours, theirs)`, `differences.found` says what differs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

# The columns of the table of fidelity, and the first words of what belongs there.
_COLUMNS = {
    "observation": ("observation", "obs"),
    "reward": ("reward", "compute_reward"),
    "ends": ("ends", "terminated", "truncated"),
    "infos": ("infos", "info"),
}


@dataclass
class Differences:
    """By array, how many values were compared, and the first difference where there was one.

    Attributes:
        steps: Of all environments.
        episodes: That ended.
        successes: Of them.
        counts_successes: Whether the table of fidelity shows them.
        compared: Values of each array.
        found: The first difference of each array that has one.
        near: The largest difference of each array that may have some.
    """

    steps: int = 0
    episodes: int = 0
    successes: int = 0
    counts_successes: bool = False
    compared: dict[str, int] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    near: dict[str, float] = field(default_factory=dict)

    def look(self, name: str, ours: Any, theirs: Any, within: float = 0.0) -> None:
        """Compares one array: bit for bit, or `within` a distance."""
        a, b = np.asarray(ours), np.asarray(theirs)
        self.compared[name] = self.compared.get(name, 0) + a.size
        if a.shape != b.shape or a.dtype != b.dtype:
            self.found[name] = f"{a.dtype} {a.shape}, not {b.dtype} {b.shape}"
        elif a.tobytes() != b.tobytes():
            away = np.abs(a.astype(float) - b.astype(float))
            if np.max(away) <= within:
                self.near[name] = max(self.near.get(name, 0.0), float(np.max(away)))
                return
            text = f"first off by {np.max(away):.2g} at {np.argmax(away)} in step {self.steps}"
            self.found.setdefault(name, text)

    def columns(self) -> dict[str, str]:
        """For the table of fidelity."""
        texts = {"episodes": str(self.episodes)}
        if self.counts_successes:
            texts["successes"] = str(self.successes)
        texts["steps"] = str(self.steps)
        for column, words in _COLUMNS.items():
            said = [f"{name}: {text}" for name, text in self.found.items() if _is(name, words)]
            said += [f"{n} within {away:.1g}" for n, away in self.near.items() if _is(n, words)]
            texts[column] = "; ".join(said) or "equal"
        return texts


def _is(name: str, words: tuple[str, ...]) -> bool:
    return name.split()[0] in words
