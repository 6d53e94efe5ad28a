# SPDX-License-Identifier: Apache-2.0
"""Kills engines of Doom at random while a pool plays, and shows that nothing is lost.

    python envpool-vizdoom/tests/chaos.py --seconds 600 --envs 64

An asynchronous pool plays while engines are killed, or stopped for good, at random times.
Afterwards the pool must still step all environments, `engine_restarted` must have reported the
engines that were hit, and processes, memory, descriptors and shared memory must be as before.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from pathlib import Path

import envpool
import numpy as np
from rich.console import Console
from rich.progress import Progress

SHM = Path("/dev/shm")
PARKED = 5.0  # seconds, more than enough for an unused engine to end


def engines() -> list[int]:
    """The running engines of this process."""
    found = []
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has just ended
        if int(parent) == os.getpid() and state not in "ZX":
            found.append(int(place.name))
    return found


def names() -> list[str]:
    """The names in /dev/shm of this process's engines."""
    owner = str(SHM / "ViZDoomOwnerEP")
    files = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    tokens = [file.removeprefix(owner) for file in files if file.startswith(owner)]
    return [path.name for path in SHM.iterdir() if any(f"EP{t}x" in path.name for t in tokens)]


def resources() -> dict[str, float]:
    """Resources that must not grow."""
    rss = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return {
        "engines": len(engines()),
        "descriptors": len([*Path("/proc/self/fd").iterdir()]),
        "names in /dev/shm": len(names()),
        "memory in MB": rss / 1e6,
    }


def main() -> int:
    """Plays and kills; the exit status is 1 if something was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--every", type=float, default=0.5, help="seconds between two blows")
    parser.add_argument("--stops", type=float, default=0.1, help="share of those that stop")
    options = parser.parse_args()
    console = Console()
    chance = random.Random(0)
    killed = restarted = steps = 0
    batch = max(1, options.envs // 4)
    config = {"num_envs": options.envs, "batch_size": batch, "engine_timeout": 10.0}
    with envpool.make("DefendTheCenter-v1", **config) as pool:
        pool.async_reset()
        before: dict[str, float] = {}
        start = blow = time.monotonic()
        with Progress(console=console) as progress:
            job = progress.add_task("steps and blows", total=options.seconds)
            while (now := time.monotonic()) - start < options.seconds:
                _, _, _, _, info = pool.recv(timeout=120)
                restarted += int(info["engine_restarted"].sum())
                steps += batch
                actions = np.random.default_rng(steps).integers(0, 2, (batch, 3)).astype(float)
                pool.send(actions, info["env_id"])
                if not before and now - start > options.seconds / 10:
                    before = resources()
                if now - blow > options.every and (running := engines()):
                    blow = now
                    stops = chance.random() < options.stops
                    try:
                        os.kill(chance.choice(running), signal.SIGSTOP if stops else signal.SIGKILL)
                        killed += 1
                    except ProcessLookupError:
                        pass  # it had just ended by itself
                progress.update(job, completed=now - start)
        seen: set[int] = set()
        end = time.monotonic() + 120
        while len(seen) < options.envs and time.monotonic() < end:
            _, _, _, _, info = pool.recv(timeout=120)
            restarted += int(info["engine_restarted"].sum())
            seen |= set(info["env_id"].tolist())
            pool.send(np.zeros((batch, 3)), info["env_id"])
        after = resources()
    time.sleep(PARKED)
    left = resources()
    console.print(f"{steps:,} steps, {killed} blows, {restarted} restarts told of")
    for name in before:
        console.print(
            f"{name}: {before[name]:.0f}, then {after[name]:.0f}, at last {left[name]:.0f}"
        )
    good = (
        len(seen) == options.envs
        # An engine that was hit while it was parked, or twice, is reported once or never.
        and 0.8 * killed <= restarted <= killed
        and left["engines"] == left["names in /dev/shm"] == 0
        and after["descriptors"] <= before["descriptors"] + options.envs
        and after["memory in MB"] < before["memory in MB"] + 50
    )
    console.print("nothing was lost" if good else "[red]something was lost")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
