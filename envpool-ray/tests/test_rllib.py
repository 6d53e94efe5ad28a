# SPDX-License-Identifier: Apache-2.0
"""What RLlib's env runners get. That they take it is what the nox session `rllib` shows."""

from __future__ import annotations

import sys

import envpool
import numpy as np
import pytest
from comparing import assert_same
from envpool.errors import MissingPackageError
from envpool_ray import rllib


class Context(dict[str, int]):
    """An `EnvContext` of RLlib: a dict with attributes."""

    worker_index = 2


def test_the_pool_of_an_env_runner() -> None:
    ours = rllib._make("Ledger-v0", 5, {"num_threads": 1}, Context(num_envs=3))
    reference = envpool.make("Ledger-v0", "vector", num_envs=3, seed=5 + 2 * 3)
    with ours, reference:
        assert ours.metadata["autoreset_mode"] is reference.metadata["autoreset_mode"]
        assert_same(ours.reset(), reference.reset())
        assert_same(ours.step(np.ones(3, np.int64)), reference.step(np.ones(3, np.int64)))


def test_without_rllib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray.tune.registry", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'ray\[rllib\]' torch"):
        rllib.with_pool(object(), "Ledger-v0")
