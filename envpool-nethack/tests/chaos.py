# SPDX-License-Identifier: Apache-2.0
"""A program that makes games of a pool crash at random, and accounts for every row.

    python envpool-nethack/tests/chaos.py --rounds 2000

Before each step the memory of some games is made unreadable, and afterwards readable again. A row
may report a crash only if its game's memory was unreadable; the other games play as in a pool
without crashes, and each game after a crash is complete.
"""

from __future__ import annotations

import argparse
import ctypes
import mmap
from pathlib import Path
from typing import Any

import envpool
import numpy as np

_SIZE = 64 << 20  # size of a game's heap
_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
_ENVS = 16


def _heaps() -> set[int]:
    """The beginnings of heaps; the system joins neighboring mappings."""
    found = set()
    with Path("/proc/self/maps").open() as lines:
        for line in lines:
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            if (last - first) % _SIZE == 0 and " rw-p " in line:
                found.update(range(first, last, _SIZE))
    return found


def _protect(heap: int, protection: int) -> None:
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(heap), ctypes.c_size_t(_SIZE), protection)


def _by_environment(pool: Any, heaps: set[int]) -> list[int]:
    """The heaps of environments 0, 1, ..., found by the environment that crashes."""
    found = {}
    for heap in sorted(heaps):
        _, info = pool.reset()
        before = info["faults"]
        _protect(heap, 0)
        *_, info = pool.step(np.full(_ENVS, 1))
        _protect(heap, _READ_WRITE)
        for crashed in np.flatnonzero(info["faults"] - before):
            found[int(crashed)] = heap
    return [found[i] for i in range(_ENVS)]


def _begin(pool: Any, calm: Any, game: int) -> dict[str, Any]:
    """The same game in all environments. A seed would make them anew, with other memory."""
    seeds = {"core": game, "disp": game}
    calm.reset(options=seeds)
    return dict(pool.reset(options=seeds)[1])


def run(rounds: int, seed: int = 0) -> tuple[int, int]:
    """Plays, and returns the number of games that crashed, and of those that ended otherwise."""
    draw = np.random.default_rng(seed)
    before = _heaps()
    options = {"num_envs": _ENVS, "seed": seed, "observation_keys": ["blstats", "glyphs"]}
    limit = {"max_episode_steps": 50}
    with envpool.make("NetHackScore-v0", num_threads=4, **options, **limit) as pool:
        heaps = _by_environment(pool, _heaps() - before)
        calm = envpool.make("NetHackScore-v0", num_threads=1, **options, **limit)
        info = _begin(pool, calm, seed)
        faults = info["faults"].copy()
        over = np.zeros(_ENVS, bool)
        untouched = np.ones(_ENVS, bool)  # true in the first game since both began together
        crashes = others = survived = 0
        for _ in range(rounds):
            # A finished row begins a game in this step.
            chosen = (draw.random(_ENVS) < 0.02) & ~over
            actions = draw.integers(1, 9, _ENVS)
            for i in np.flatnonzero(chosen):
                _protect(heaps[i], 0)
            obs, reward, terminated, truncated, info = pool.step(actions)
            for i in np.flatnonzero(chosen):
                _protect(heaps[i], _READ_WRITE)
            expected = calm.step(actions)
            crashed = info["faults"] - faults
            faults = info["faults"].copy()
            assert info["env_id"].tolist() == list(range(_ENVS))
            # A key that does not read that memory, as a step against a wall, does not crash.
            assert set(crashed.tolist()) <= {0, 1}
            assert not crashed[~chosen].any()
            survived += int(chosen.sum() - crashed.sum())
            chosen = crashed == 1
            assert terminated[chosen].all()
            assert (info["end_status"][chosen] == 1).all()
            over = terminated | truncated
            assert (obs["blstats"][~over, 10] > 0).all()
            same = untouched & ~chosen
            for key, array in obs.items():
                assert (array[same] == expected[0][key][same]).all()
            assert (reward[same] == expected[1][same]).all()
            untouched = same & ~over
            crashes += int(chosen.sum())
            others += int((over & ~chosen).sum())
            if not untouched.any():
                _begin(pool, calm, int(draw.integers(1 << 30)))
                over[:], untouched[:] = False, True
        calm.close()
    assert crashes > 10 * survived
    return crashes, others


def main() -> None:
    """Prints how many games crashed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    crashes, others = run(options.rounds, options.seed)
    print(f"{crashes} games crashed, {others} ended otherwise, all rows are accounted for")


if __name__ == "__main__":
    main()
