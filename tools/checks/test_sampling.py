# SPDX-License-Identifier: Apache-2.0
"""Tests the samples of a long list, by default and under `--full`."""

from __future__ import annotations

import pytest
import sampling

NAMES = [f"game_{i}" for i in range(60)]


def test_a_sample_is_the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "FULL", False)
    assert sampling.sampled(NAMES, 3, salt="x") == ["game_20", "game_36", "game_51"]
    chosen = sampling.sampled(NAMES, 12, salt="x")
    assert len(chosen) == 12
    assert chosen == [name for name in NAMES if name in chosen]
    assert chosen != sampling.sampled(NAMES, 12, salt="y")
    assert len({*chosen} & {*sampling.sampled([*NAMES, "new"], 12, salt="x")}) >= 11
    assert sampling.sampled(NAMES, 0, always=["game_7"]) == ["game_7"]
    with pytest.raises(ValueError, match="gone"):
        sampling.sampled(NAMES, 3, always=["gone"])


def test_everything_is_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "FULL", True)
    assert sampling.sampled(NAMES, 3) == NAMES
