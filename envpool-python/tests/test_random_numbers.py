# SPDX-License-Identifier: Apache-2.0
"""Random numbers from global generators, which would otherwise be equal in all workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import envpool_python
import numpy as np
import pytest
from drawing import NAMES, Drawing

# A stand-in for PyTorch, which starts from the same number in every process.
TORCH = """
import random as _random
_generator = _random.Random(67280421310721)
manual_seed, rand = _generator.seed, _generator.random
"""


@pytest.fixture(autouse=True)
def _torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text(TORCH)
    monkeypatch.syspath_prepend(tmp_path)


def draw(num_workers: int, seed: int = 1, start_method: str = "forkserver") -> Any:
    """The numbers that four environments have drawn: (reset and step, environment, name)."""
    make = [lambda: Drawing(np.random.normal())] * 4  # noqa: NPY002
    with envpool_python.make(
        make, num_workers=num_workers, seed=seed, start_method=start_method
    ) as pool:
        return np.stack([pool.reset()[0], pool.step(np.zeros(4, np.int64))[0]])


@pytest.mark.parametrize("start_method", ["forkserver", "spawn"])
def test_no_two_environments_draw_the_same(start_method: str) -> None:
    drawn = draw(4, start_method=start_method)
    for name, of_name in zip(NAMES, np.moveaxis(drawn, 2, 0), strict=True):
        for when in of_name:
            assert len(set(when)) == 4, (name, when)


def test_the_seed_of_the_pool_says_what_is_drawn() -> None:
    first = draw(2)
    np.testing.assert_array_equal(draw(2), first)
    other = draw(2, seed=2)
    for at, name in enumerate(NAMES):
        assert not np.isin(other[..., at], first[..., at]).any(), name
    # Numbers drawn while an environment is made do not depend on the number of workers.
    made = [NAMES.index(name) for name in ("argument", "random", "numpy", "torch")]
    np.testing.assert_array_equal(draw(1)[..., made], first[..., made])
