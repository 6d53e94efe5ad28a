# SPDX-License-Identifier: Apache-2.0
"""The global random number generators of a worker: Python's, NumPy's and PyTorch's.

Processes that were forked from the same process have the same numbers, and so do new processes if a
library starts from a constant. Here each process gets its own numbers, derived from the pool's
seed.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import random
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ._messages import WorkerSeeds

_torch_seed: int | None = None


def seed_for_imports(seeds: WorkerSeeds) -> None:
    """Seeds the numbers drawn during imports; call it before any user module is imported."""
    _seed(seeds, 0, seeds.worker, seeds.start)


def seed_for_making(seeds: WorkerSeeds, env_id: int, num_rebuilds: int = 0) -> None:
    """Seeds the numbers drawn when an environment is made: the same for any number of workers."""
    _seed(seeds, 1, env_id, num_rebuilds)


def seed_for_steps(seeds: WorkerSeeds) -> None:
    """Seeds the numbers of `reset` and `step` that come from global generators."""
    _seed(seeds, 2, seeds.worker, seeds.start)


def _seed(seeds: WorkerSeeds, *key: int) -> None:
    words = np.random.SeedSequence(seeds.pool, spawn_key=key).generate_state(8)
    random.seed(words.tobytes())
    np.random.seed(words)  # noqa: NPY002 (the generator that users draw from)
    _seed_torch(int(words[0]))


def _seed_torch(seed: int) -> None:
    """Seeds PyTorch now, or once it is imported: every new process starts from the same number."""
    global _torch_seed
    first, _torch_seed = _torch_seed is None, seed
    if "torch" in sys.modules:
        _apply(sys.modules["torch"])
    elif first:
        sys.meta_path.insert(0, _TorchFinder())


def _apply(torch: ModuleType) -> None:
    manual_seed = getattr(torch, "manual_seed", None)
    if manual_seed is not None:
        manual_seed(_torch_seed)


class _TorchFinder(importlib.abc.MetaPathFinder):
    """Finds PyTorch like the other finders, and seeds it when it is loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The other finders' spec, with a loader that seeds."""
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return spec
        loader: Any = spec.loader
        execute = loader.exec_module

        def execute_and_seed(module: ModuleType) -> None:
            execute(module)
            _apply(module)

        loader.exec_module = execute_and_seed
        return spec
