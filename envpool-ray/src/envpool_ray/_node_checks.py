# SPDX-License-Identifier: Apache-2.0
"""Checks of a worker's node: the versions on which trajectories depend, and memory."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from envpool.errors import ConfigError

# Our wheels, and packages whose data or code is what environments are made of. ROMs are not among
# them: they are known by their checksums.
_PACKAGES = (
    "envpool-core", "envpool-classic", "envpool-atari", "envpool-mujoco", "envpool-vizdoom",
    "envpool-python", "envpool-ray", "envpool-box2d", "envpool-minigrid", "envpool-robotics",
    "envpool-metaworld", "envpool-myosuite", "envpool-procgen", "envpool-jax", "dm_control",
    "gymnasium", "gymnasium-robotics", "jax", "metaworld", "mujoco", "myosuite", "numpy", "procgen",
    "vizdoom",
)  # fmt: skip
BATCHES = 2
"""Copies of a result that an actor has at least: one in its pool, and one in a message."""
_GROUP = Path("/sys/fs/cgroup")


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
        task_id: The task of the pool.
        actor: Its number.
        theirs: The value of `versions` there.
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


def check_room(asked: str, rows: int, row_bytes: int, sharing: int) -> None:
    """Refuses what cannot fit, since the system ends an actor that takes more than there is.

    Args:
        asked: The call, for messages.
        rows: Environments of an actor.
        row_bytes: Bytes of a result of one.
        sharing: Actors on this node.

    Raises:
        ConfigError: If there is less memory.
    """
    needed, free = BATCHES * rows * row_bytes * sharing, _free()
    if free is not None and needed > free:
        raise ConfigError(
            f"{asked}, memory for results",
            f"{needed / 2**30:.1f} GiB for {sharing * rows} environments on a node, each with "
            f"results of {row_bytes} bytes",
            f"at most the {free / 2**30:.1f} GiB that are free there",
            "Pass fewer num_envs, or add nodes",
        )


def _free() -> int | None:
    """Bytes that a program can still have here; None if the system does not say."""
    found = []
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        found.append(int(line.split()[1]) * 1024)
    with suppress(OSError, ValueError):  # "max", which is no number, where there is no limit
        limit = int((_GROUP / "memory.max").read_text())
        used = int((_GROUP / "memory.current").read_text())
        stat = dict(line.split() for line in (_GROUP / "memory.stat").read_text().splitlines())
        cached = sum(int(stat.get(name, 0)) for name in ("active_file", "inactive_file"))
        found.append(limit - used + cached)  # of files: given back to who needs it
    return min(found, default=None)
