# SPDX-License-Identifier: Apache-2.0
"""The references, case by case: the package's own environment, with the engine in use."""

from __future__ import annotations

import importlib
import itertools
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from envpool_procgen import _engine, _procgen
from envpool_procgen._tasks import GAMES
from numpy.typing import NDArray

STEPS = 300
"""Steps of a whole comparison, of each environment, seed and mode."""
_MODES = {"Easy": "easy", "Hard": "hard", "Extreme": "extreme", "Memory": "memory"} | {
    "Exploration": "exploration"
}


@dataclass(frozen=True)
class Case:
    """A task and options, in the form for both sides."""

    game: str
    mode: str
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "auto"
    steps: int = STEPS

    @property
    def task_id(self) -> str:
        """The id."""
        return f"{self.game.capitalize()}{self.mode}-v0"

    @property
    def reference(self) -> str:
        """The other side's name in the table."""
        return "ProcgenGym3Env of procgen 0.10.7"

    def __str__(self) -> str:
        """The case's name in the table."""
        shown = {**self.options} | ({} if self.engine == "auto" else {"engine": self.engine})
        options = ", ".join(f"{key}={value!r}" for key, value in shown.items())
        return f"{self.task_id} ({options})" if options else self.task_id


CASES = (
    *(Case(game.name, mode) for game in GAMES for mode in ("Easy", "Hard")),
    *(Case(game.name, mode) for game in GAMES for mode in game.modes),
    *(Case(name, "Easy", engine="libenv") for name in _procgen.own_games()),
    Case("coinrun", "Easy", {"num_levels": 3, "start_level": 50}),
    Case("coinrun", "Easy", {"use_sequential_levels": True, "num_levels": 5}),
    Case("starpilot", "Hard", {"paint_vel_info": True, "use_backgrounds": False}),
    Case("miner", "Hard", {"center_agent": False, "restrict_themes": True}),
    Case("chaser", "Easy", {"use_monochrome_assets": True}),
    Case("bigfish", "Easy", {"use_generated_assets": True}),
)


class Package:
    """Environments of the package, each as `ProcgenGym3Env(num=1, rand_seed=seed + i)`."""

    def __init__(self, case: Case, num_envs: int, seed: int) -> None:
        """Makes them."""
        options = {"distribution_mode": _MODES[case.mode], **case.options}
        self.envs = [
            _package().ProcgenGym3Env(
                num=1, env_name=case.game, rand_seed=seed + i, num_threads=0, **options
            )
            for i in range(num_envs)
        ]

    def act(self, actions: NDArray[np.int32]) -> None:
        """Takes a step in each."""
        for env, action in zip(self.envs, actions, strict=True):
            env.act(np.array([action]))

    def look(self) -> list[tuple[np.float32, bool, NDArray[np.uint8], dict[str, int]]]:
        """For each: reward, whether an episode begins, frame, info."""
        rows = []
        for env in self.envs:
            reward, obs, first = env.observe()
            info = {key: int(value) for key, value in env.get_info()[0].items()}
            rows.append((reward[0], bool(first[0]), obs["rgb"][0].transpose(2, 0, 1), info))
        return rows

    def close(self) -> None:
        """Frees them."""
        for env in self.envs:
            env.close()


def vector(game: str, mode: str, num_envs: int) -> Callable[[], Any]:
    """One step of the package's own vector, in the calling thread, with the results of its `step`.

    Random actions are drawn before.
    """
    made = _package().ProcgenGym3Env(
        num=num_envs, env_name=game, distribution_mode=mode, rand_seed=1, num_threads=0
    )
    drawn = np.random.default_rng(1).integers(0, 15, (64, num_envs), dtype=np.int32)
    actions = itertools.cycle(drawn)

    def step() -> Any:
        made.act(next(actions))
        return made.observe(), made.get_info()

    return step


def _package() -> Any:
    """The module `procgen.env` beside the engine that pools use, without the rest of the package.

    The package itself imports Gym. The engine is the same file, and so loaded once.
    """
    name = "package_of_the_engine"
    if name not in sys.modules:
        package = types.ModuleType(name)
        package.__path__ = [str(_engine.FILE.find().parents[2])]
        sys.modules[name] = package
    return importlib.import_module(f"{name}.env")
