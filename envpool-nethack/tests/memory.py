# SPDX-License-Identifier: Apache-2.0
"""Memory of many games, of a pool and of Gymnasium's vector with a process for each.

    python memory.py pool 64        # prints megabytes

The figure is the games' share: memory of a process and of its descendants, before the games are
made and after 200 steps. Pages that processes share are counted in parts (Pss of
/proc/<pid>/smaps_rollup).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

TASK = "NetHackScore-v0"
STEPS = 200


def _used() -> float:
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        parents[int(place.name)] = int(fields[1])
    below = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    kilobytes = 0
    for process in below:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            kilobytes += int(line.split()[1]) if line.startswith("Pss:") else 0
    return kilobytes / 1000


def main() -> None:
    """Makes and steps games of one kind."""
    kind, num_envs = sys.argv[1], int(sys.argv[2])
    import numpy as np

    envs: Any
    if kind == "pool":
        import envpool

        before = _used()
        envs = envpool.make(TASK, num_envs=num_envs, num_threads=2)
    else:
        from sides import envs_of

        before = _used()
        envs = envs_of(TASK, num_envs)
    envs.reset()
    draw = np.random.default_rng(0)
    for _ in range(STEPS):
        envs.step(draw.integers(0, 23, num_envs))
    print(_used() - before)
    envs.close()


if __name__ == "__main__":
    main()
