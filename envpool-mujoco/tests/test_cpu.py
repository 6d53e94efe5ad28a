# SPDX-License-Identifier: Apache-2.0
"""CPUs on which MuJoCo's library cannot be loaded are refused in time."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from envpool.errors import PluginError
from envpool_mujoco._cpu import check_cpu

BEGIN = "processor\t: 0\nmodel name\t: Intel Core i7 9xx (Nehalem)\n"


@pytest.fixture(autouse=True)
def x86(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


def test_without_avx(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(f"{BEGIN}flags\t\t: fpu sse4_1 sse4_2 popcnt\n")
    with pytest.raises(PluginError, match="without AVX; allowed: x86-64 with AVX"):
        check_cpu(tmp_path / "cpuinfo")


@pytest.mark.parametrize("text", ["flags\t\t: fpu avx\n", "flags : avx avx2\n", ""])
def test_with_avx_or_unknown(tmp_path: Path, text: str) -> None:
    (tmp_path / "cpuinfo").write_text(BEGIN + text)
    check_cpu(tmp_path / "cpuinfo")


def test_not_described(tmp_path: Path) -> None:
    check_cpu(tmp_path / "missing")


def test_other_machines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    (tmp_path / "cpuinfo").write_text("flags\t: fp asimd\n")
    check_cpu(tmp_path / "cpuinfo")
