# SPDX-License-Identifier: Apache-2.0
"""Kills actors and nodes at random while a pool on Ray plays, and accounts for every episode.

    python envpool-ray/tests/ray_chaos.py --kills 200
    python envpool-ray/tests/ray_chaos.py --kills 200 --checkpoint-every 20
    python envpool-ray/tests/ray_chaos.py --nodes 20 [--checkpoint-every 20]

A long test can be had in parts: `--seconds 240 --seed 1`, and so on.

Every row says which environment, episode and step it is from, and what was played until then. The
test foretells each of them: a row that is lost, doubled or mixed up ends it. Without checkpoints,
an episode may be cut off where `actor_restarted` says so, and another begins then; with them
nothing but time may show. Afterwards no process and no shared memory may be left.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from ray_ledger import install, quiet_ray, start_head, stop_head
from rich.console import Console
from rich.progress import Progress

SHM = Path("/dev/shm")


class Account:
    """The row that one environment must show next."""

    def __init__(self, world: int) -> None:
        """Has not begun."""
        self.world, self.episode, self.step, self.past = world, 0, 0, 0
        self.begun = self.over = False
        self.ended = self.cut = 0

    def check(self, row: list[int], done: bool, cut: bool, played: int, kept: bool) -> str:
        """Says what is wrong with a row; empty if nothing is.

        Args:
            row: World, episode, step, and what was played, as the row says.
            done: Whether it says that the episode is over.
            cut: Whether it says that its actor was lost.
            played: The action that it answers.
            kept: Whether nothing may be lost.
        """
        world, episode, step, past = row
        before = self.now
        if cut:
            self.cut += 1
            wrong = kept or not self.begun or self.over or row != self.now or not done
            self.begun = False
            self.world, self.past = -1, 0
            return "an episode was cut off that must not be, or not as it was" if wrong else ""
        if not self.begun:
            wrong = step != 0 or episode != 0 or (world != self.world and self.world != -1)
            self.world, self.episode = world, episode
            self.begun = True
        elif self.over:
            again = (self.world, self.episode + 1, 0, self.past)
            fresh = not kept and world != self.world and (episode, step, past) == (0, 0, 0)
            wrong = tuple(row) != again and not fresh
            self.world, self.episode = world, episode
        else:
            then = (self.past * 31 + played) % 1000003
            wrong = row != [self.world, self.episode, self.step + 1, then]
        wrong = wrong or done != (step >= 5 + (world + episode) % 11)
        self.step, self.past, self.over = step, past, done
        self.ended += done
        return f"after {before} and action {played} came {row}" if wrong else ""

    @property
    def now(self) -> list[int]:
        """The row that was shown last."""
        return [self.world, self.episode, self.step, self.past]


def main() -> int:
    """Plays and kills; the exit status is 1 if something was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=0, help="actors to kill")
    parser.add_argument("--nodes", type=int, default=0, help="nodes to kill")
    parser.add_argument("--checkpoint-every", type=int, default=0)
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--actors", type=int, default=4)
    parser.add_argument("--stops", type=float, default=0.05, help="share of them that stop")
    parser.add_argument("--sync", action="store_true", help="a synchronous pool")
    parser.add_argument("--seconds", type=float, default=1e9, help="at most")
    parser.add_argument("--pause", type=float, help="seconds between two blows, at most")
    parser.add_argument("--seed", type=int, default=0, help="of the blows: another for each part")
    options = parser.parse_args()
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="chaos"))
    quiet_ray(folder)
    install(folder / "family")
    shared, processes = set(SHM.iterdir()), ours()
    problem = (Nodes if options.nodes else Actors)(options).run(console)
    if problem:
        console.print(f"[red]{problem}[/red]")
        return 1
    until = time.monotonic() + 60
    while (left := ours() - processes) and time.monotonic() < until:
        time.sleep(0.2)
    # Others may use /dev/shm at the same time; these are the names that Ray gives.
    kept = {p for p in set(SHM.iterdir()) - shared if "plasma" in p.name or "ray" in p.name}
    console.print(f"processes left: {len(left)}; names left in /dev/shm: {len(kept)}")
    return 1 if left or kept else 0


def ours() -> set[int]:
    """Processes below this one, or whose command says that they are of our cluster."""
    found = set()
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                environ = (place / "environ").read_bytes()
                state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue  # it has just ended
            mine = f"RAY_TMPDIR={os.environ['RAY_TMPDIR']}".encode() in environ
            if mine and state not in "ZX" and int(place.name) != os.getpid():
                found.add(int(place.name))
    return found


def patiently(start: Callable[[], Any]) -> Any:
    """Starts a node, several times if need be: Ray waits no longer than 30 s for one."""
    me = psutil.Process()
    for attempt in range(5):
        before = set(me.children())
        try:
            return start()
        except Exception as error:  # it has no class of its own
            print(f"a node has not started, attempt {attempt + 1}: {error}", file=sys.stderr)
            for process in set(me.children()) - before:
                process.kill()
    raise RuntimeError("nodes of Ray do not start here")


class ChaosTest:
    """Plays, and lets a subclass strike."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Reads the options."""
        self.options = options
        self.kept = options.checkpoint_every > 0
        self.chance = random.Random(options.seed)
        if options.pause is not None:
            self.pause = options.pause

    def begin(self) -> None:
        """Makes the cluster."""

    def strike(self, pool: Any) -> bool:
        """Kills something; False if nothing could be hit."""
        raise NotImplementedError

    def end(self) -> None:
        """Ends the cluster."""

    @property
    def blows(self) -> int:
        """How many there will be."""
        return int(self.options.kills or self.options.nodes)

    def run(self, console: Console) -> str:
        """Says what went wrong; empty if nothing did."""
        import envpool_ray

        options = self.options
        self.begin()
        n = options.envs
        config: dict[str, Any] = {
            "num_envs": n,
            "num_actors": options.actors,
            "batch_size": n if options.sync else n // 4,
            "cpus_per_actor": 1,
            "num_threads": 1,
            "actor_timeout": 5.0,
            "start_timeout": 600.0,
            "checkpoint_every": options.checkpoint_every,
            "work_us": 200,
            "size": 20_000,  # a batch is not small enough to be sent as it is
            "seed": 1000 + 1000 * options.seed,
            "placement": "spread",
        }
        accounts = [Account(config["seed"] + env_id) for env_id in range(n)]
        played = [0] * n
        began, done_blows, rows, slowest = time.monotonic(), 0, 0, 0.0
        next_blow = began + 3
        try:
            with envpool_ray.make("Ledger-v0", **config) as pool, Progress(console=console) as bar:
                job = bar.add_task("blows", total=self.blows)
                pool.async_reset()
                while done_blows < self.blows or time.monotonic() < next_blow:
                    since = time.monotonic()
                    if since - began > options.seconds:
                        console.print("stopped early")
                        break
                    obs, _, terminated, truncated, info = pool.recv(timeout=900)
                    slowest = max(slowest, time.monotonic() - since)
                    ids = info["env_id"].tolist()
                    rows += len(ids)
                    for row, env_id in enumerate(ids):
                        ledger = obs["ledger"][row].tolist()
                        done = bool(terminated[row] or truncated[row])
                        cut = bool(info["actor_restarted"][row])
                        problem = accounts[env_id].check(
                            ledger, done, cut, played[env_id], self.kept
                        )
                        frame = obs["frame"][row]
                        if not problem and (frame != (ledger[0] + ledger[2]) % 256).any():
                            problem = "a frame of another row"
                        if problem:
                            told = pool._compiled.restarts
                            return f"env {env_id}: {problem}; done {done}, cut {cut}, {told}"
                        played[env_id] = self.chance.randrange(6)
                    pool.send(np.array([played[env_id] for env_id in ids]), info["env_id"])
                    if time.monotonic() > next_blow and done_blows < self.blows:
                        done_blows += self.strike(pool)
                        bar.update(job, completed=done_blows)
                        next_blow = time.monotonic() + self.chance.uniform(0.0, self.pause)
                restarts = sum(pool._compiled.restarts)
        finally:
            self.end()
        console.print(
            f"{done_blows} blows, {restarts} restarts of actors, {rows} rows, "
            f"{sum(a.ended for a in accounts)} episodes ended, {sum(a.cut for a in accounts)} cut "
            f"off, the longest wait {slowest:.1f} s: every row is accounted for"
        )
        return ""

    pause = 2.0
    """Seconds between two blows, at most."""


class Actors(ChaosTest):
    """Kills actors; some are stopped, as if they hung."""

    def begin(self) -> None:
        """A local cluster."""
        import ray

        self.head, address = start_head(cpus=self.options.actors)
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)

    def strike(self, pool: Any) -> bool:
        """Kills an actor, whatever it does at the moment."""
        pids = [m.pid for m in pool._compiled._group.workers if m.start_ref is None]
        if not pids:
            return False
        blow = signal.SIGSTOP if self.chance.random() < self.options.stops else signal.SIGKILL
        try:
            os.kill(self.chance.choice(pids), blow)
        except ProcessLookupError:
            return False  # it has been killed a moment ago, and is being replaced
        return True

    def end(self) -> None:
        """No cluster any more."""
        import ray

        ray.shutdown()
        stop_head(self.head)


class Nodes(ChaosTest):
    """Kills nodes, and adds another one for each."""

    pause = 20.0

    def begin(self) -> None:
        """A cluster of a head and three nodes on this machine."""
        import ray
        from ray.cluster_utils import Cluster

        self.cluster = patiently(
            lambda: Cluster(
                initialize_head=True,
                head_node_args={"num_cpus": 0, "object_store_memory": 2**28},
            )
        )
        self.nodes = [self.add() for _ in range(3)]
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level=logging.ERROR)

    def add(self) -> Any:
        """One more node."""
        return patiently(
            lambda: self.cluster.add_node(num_cpus=self.options.actors, object_store_memory=2**28)
        )

    def strike(self, pool: Any) -> bool:
        """Kills a node and what runs on it; another one joins."""
        node = self.nodes.pop(self.chance.randrange(len(self.nodes)))
        self.cluster.remove_node(node, allow_graceful=False)
        self.nodes.append(self.add())
        return True

    def end(self) -> None:
        """No cluster any more."""
        import ray

        ray.shutdown()
        self.cluster.shutdown()


if __name__ == "__main__":
    sys.exit(main())
