# SPDX-License-Identifier: Apache-2.0
"""The score in CarRacing's picture: from pygame, or left out."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import MissingPackageError
from envpool_box2d import _glyphs


def _first_picture(**options: Any) -> Any:
    with envpool.make("CarRacing-v3", num_envs=1, seed=3, **options) as pool:
        return pool.reset()[0][0].astype(int)


def test_without_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of `make` names the package; without the score, or for specs, none is needed."""

    def missing() -> Any:
        raise ImportError("No module named 'pygame'")

    monkeypatch.setattr(_glyphs, "_installed", False)
    with monkeypatch.context() as patch:
        patch.setattr(_glyphs, "_font", missing)
        with pytest.raises(MissingPackageError, match=r"envpool-box2d\[carracing\]"):
            envpool.make("CarRacing-v3")
        envpool.make_spec("CarRacing-v3")
        envpool.make("CarRacing-v3", score_text=False).close()
    envpool.make("CarRacing-v3").close()


def test_the_score_is_in_its_corner_only() -> None:
    differs = (_first_picture() != _first_picture(score_text=False)).any(-1)
    rows, columns = np.nonzero(differs)
    # Rows 727 to 772 and columns up to 110 of 1000 x 800 pixels, shrunk to 96 x 96.
    assert rows.size > 0
    assert rows.min() >= 87 and rows.max() <= 92 and columns.max() <= 11
