# SPDX-License-Identifier: Apache-2.0
"""Upstream's modules of families that are not installed."""

from __future__ import annotations

import pytest
from envpool._discovery.registry import registry
from envpool._upstream import classes
from envpool.errors import MissingPackageError

MODULES = {
    "envpool.atari": "Run `pip install envpool-atari`.",
    "envpool.classic_control": "Run `pip install envpool-classic`.",
    "envpool.toy_text": "Run `pip install envpool-classic`.",
    "envpool.mujoco.gym": "Run `pip install envpool-mujoco`.",
    "envpool.mujoco.dmc": "Run `pip install envpool-mujoco`.",
    "envpool.procgen": "Run `pip install envpool-procgen`.",
    "envpool.vizdoom": "Run `pip install envpool-vizdoom`.",
}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_names_the_wheel(module, monkeypatch):
    monkeypatch.setattr(registry, "_plugins", [])
    with pytest.raises(MissingPackageError) as caught:
        classes.Classes(module)
    assert str(caught.value).startswith(f"import {module}: got no family '")
    assert str(caught.value).endswith(MODULES[module])
    assert isinstance(caught.value, ImportError)


def test_names_of_the_documented_modules():
    """EnvPool 1.2.5 has them, and code that is annotated with them imports them."""
    from envpool.python.dm_envpool import DMEnvPoolMeta, DMEnvPoolMixin
    from envpool.python.gymnasium_envpool import GymnasiumEnvPoolMeta, GymnasiumEnvPoolMixin
    from envpool.python.protocol import GymnasiumResetReturn, GymnasiumStepReturn
    from envpool.registration import EnvRegistry
    from envpool.registration import registry as upstreams

    assert isinstance(GymnasiumEnvPoolMixin, GymnasiumEnvPoolMeta)
    assert isinstance(DMEnvPoolMixin, DMEnvPoolMeta)
    assert (len(GymnasiumResetReturn.__args__), len(GymnasiumStepReturn.__args__)) == (2, 5)
    assert isinstance(upstreams, EnvRegistry)
