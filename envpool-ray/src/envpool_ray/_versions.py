# SPDX-License-Identifier: Apache-2.0
"""The versions on which trajectories depend: the caller and its actors have to have the same."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from envpool.errors import ConfigError

__all__ = ["check_same", "versions"]

# Our wheels, and packages whose data or code is what environments are made of. ROMs are not among
# them: they are known by their checksums.
_PACKAGES = (
    "envpool-core", "envpool-classic", "envpool-atari", "envpool-mujoco", "envpool-vizdoom",
    "envpool-python", "envpool-ray", "envpool-box2d", "envpool-minigrid", "envpool-robotics",
    "envpool-metaworld", "envpool-procgen", "envpool-jax", "dm_control", "gymnasium",
    "gymnasium-robotics", "jax", "metaworld", "mujoco", "numpy", "procgen", "vizdoom",
)  # fmt: skip


def versions() -> dict[str, str]:
    """By name, "Python" among them: what this process has of the packages."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def check_same(task_id: str, actor: int, theirs: Mapping[str, str]) -> None:
    """Raises ConfigError if a package that both have is of another version on the actor's node.

    Args:
        task_id: Of the pool.
        actor: Its number.
        theirs: What `versions` returns there.
    """
    ours = versions()
    other = [
        f"{name} {theirs[name]} (here {ours[name]})"
        for name in ours
        if name in theirs and theirs[name] != ours[name]
    ]
    if other:
        raise ConfigError(
            f"make('ray:{task_id.removeprefix('ray:')}'), actor {actor}",
            f"a node that has {', '.join(other)}",
            "the same versions on every node: the same seeds give the same trajectories then",
            "Install the same wheels on all nodes",
        )
