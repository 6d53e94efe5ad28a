# SPDX-License-Identifier: Apache-2.0
"""A task beside the package's own environment, for tools/fidelity.py and for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import envpool
import numpy as np
from envpool.testing.fidelity import Comparison, play_beside
from references import Case, Package

UNIT = "steps"
NUM_ENVS = 4
SEEDS = (0, 7, 1234)
INFOS = ("prev_level_seed", "prev_level_complete", "level_seed")


class Reference:
    """The package's environment, which begins an episode by itself, as one that waits for reset.

    It shows no frame of the end of an episode: that one is not compared.
    """

    def __init__(self, case: Case, seed: int) -> None:
        """Seeds it, as the package does only when it makes one."""
        self.package = Package(case, 1, seed)

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """The package's present values."""
        del seed
        _, _, frame, info = self.package.look()[0]
        return frame, {key: info[key] for key in INFOS}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step."""
        self.package.act(np.array([action]))
        reward, ended, frame, info = self.package.look()[0]
        if ended:
            info = info | {"level_seed": info["prev_level_seed"]}
        shown = None if ended else frame
        return shown, reward, ended, False, {key: info[key] for key in INFOS}


def align(
    case: Case,
    steps: int,
    seeds: Sequence[int] = SEEDS,
    modes: Sequence[str] = ("same_step", "next_step"),
    **options: Any,
) -> Comparison:
    """Plays both with the same random actions."""
    found = Comparison()
    config = {**case.options, "engine": case.engine, **options}
    for seed in seeds:
        for mode in modes:
            references = [Reference(case, seed + i) for i in range(NUM_ENVS)]
            with envpool.make(
                case.task_id, num_envs=NUM_ENVS, seed=seed, autoreset_mode=mode, **config
            ) as pool:
                play_beside(pool, references, steps=steps, seed=seed, comparison=found)
            for reference in references:
                reference.package.close()
    return found
