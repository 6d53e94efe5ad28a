# SPDX-License-Identifier: Apache-2.0
"""Whether a node has the memory that results of an actor take."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from envpool.errors import ConfigError

BATCHES = 2
"""Of an actor at least: one in its pool, and one in a message."""
_GROUP = Path("/sys/fs/cgroup")


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
