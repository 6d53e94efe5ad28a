# SPDX-License-Identifier: Apache-2.0
"""Upstream's modules of families that are not installed."""

from __future__ import annotations

import pytest
from envpool._discovery.known_families import FAMILIES, wheel_of
from envpool._discovery.registry import Registry, registry
from envpool._upstream import classes
from envpool.errors import MissingPackageError, UnknownTaskError

MODULES = {
    "envpool.atari": "Run `pip install envpool-atari`.",
    "envpool.classic_control": "Run `pip install envpool-classic`.",
    "envpool.toy_text": "Run `pip install envpool-classic`.",
    "envpool.mujoco.gym": "Run `pip install envpool-mujoco`.",
    "envpool.mujoco.dmc": "Run `pip install envpool-mujoco`.",
}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_names_the_wheel(module, monkeypatch):
    monkeypatch.setattr(registry, "_plugins", [])
    with pytest.raises(MissingPackageError) as caught:
        classes.Classes(module)
    assert str(caught.value).startswith(f"import {module}: got no family '")
    assert str(caught.value).endswith(MODULES[module])
    assert isinstance(caught.value, ImportError)


@pytest.mark.parametrize("family", [family for family in FAMILIES if not wheel_of(family)])
def test_a_wheel_that_does_not_exist_is_not_named(family, monkeypatch):
    monkeypatch.setattr(registry, "_plugins", [])
    with pytest.raises(MissingPackageError, match="no wheel of this family yet") as caught:
        classes.Classes(f"envpool.{family}")
    assert "pip" not in str(caught.value)
    with pytest.raises(UnknownTaskError, match="There is no wheel of the family") as unknown:
        Registry(()).find("D1Basic-v1")
    assert "pip" not in str(unknown.value)
