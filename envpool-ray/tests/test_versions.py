# SPDX-License-Identifier: Apache-2.0
"""Caller and actors have the same versions, or there is no pool."""

from __future__ import annotations

import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool_ray import _node_checks


def test_what_is_compared() -> None:
    found = _node_checks.versions()
    assert {"Python", "envpool-core", "envpool-ray", "numpy"} <= {*found}
    assert found["numpy"] == np.__version__


@pytest.mark.parametrize("name", ["Python", "envpool-core", "numpy"])
def test_another_version_is_refused(name: str) -> None:
    theirs = _node_checks.versions() | {name: "0.0.7"}
    with pytest.raises(ConfigError, match=rf"actor 3.*{name} 0\.0\.7 \(here "):
        _node_checks.check_same("CartPole-v1", 3, theirs)


def test_packages_that_one_side_lacks_do_not_matter() -> None:
    theirs = _node_checks.versions() | {"vizdoom": "1.2"}
    del theirs["numpy"]
    _node_checks.check_same("CartPole-v1", 0, theirs)
