# SPDX-License-Identifier: Apache-2.0
"""Plays one task in the environment of this Python, for tools/admitted.py.

    python tools/_admitted_child.py CartPole-v1 numpy gymnasium

Any warning is an error, except deprecations between other packages. Prints the versions of the
named packages, and a hash of the pool's results.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from importlib import metadata

warnings.simplefilter("error")
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"(?!envpool|__main__)")

import envpool  # noqa: E402
import gymnasium  # noqa: E402
import numpy as np  # noqa: E402

STEPS = 30


def main() -> None:
    """Plays with every interface of pools that this Gymnasium has."""
    task, *names = sys.argv[1:]
    digest = hashlib.sha256()
    with envpool.make(task, "gymnasium", num_envs=2, seed=3) as pool:
        space = pool.action_space
        space.seed(0)
        _add(digest, pool.reset()[0])
        rng = np.random.default_rng(0)
        for _ in range(STEPS):
            observation, reward, terminated, truncated, _ = pool.step(_actions(space, rng))
            for part in (observation, reward, terminated, truncated):
                _add(digest, part)
    with envpool.make(task, "dm", num_envs=2, seed=3) as pool:
        pool.reset()
    if not gymnasium.__version__.startswith("0."):
        with envpool.make(task, "vector", num_envs=2, seed=3) as pool:
            pool.reset()
    versions = {}
    for name in names:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # not required on this Python
            continue
    print(json.dumps({"versions": versions, "episodes": digest.hexdigest(), "error": ""}))


def _actions(space: object, rng: np.random.Generator) -> object:
    """Actions drawn by NumPy, as samples of spaces differ between versions of Gymnasium."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return rng.integers(int(space.n), size=2).astype(space.dtype)
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        return rng.integers(space.nvec, size=(2, *space.nvec.shape)).astype(space.dtype)
    assert isinstance(space, gymnasium.spaces.Box)
    low, high = np.maximum(space.low, -1), np.minimum(space.high, 1)
    return rng.uniform(low, high, (2, *space.low.shape)).astype(space.dtype)


def _add(digest: object, value: object) -> None:
    """Adds arrays, in dicts or tuples, in their order."""
    if isinstance(value, dict):
        for key in sorted(value):
            _add(digest, value[key])
    elif isinstance(value, tuple):
        for part in value:
            _add(digest, part)
    else:
        digest.update(np.ascontiguousarray(value).tobytes())  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
