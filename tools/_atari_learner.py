# SPDX-License-Identifier: Apache-2.0
"""Runs examples/ppo_atari.py and keeps what came of it, for tools/atari_learning.py.

    python _atari_learner.py Breakout-v5 20000 1 out.npz

The arguments are task, environment steps, seed and the file to write. It runs with ours and with
the original EnvPool, whichever the Python has. On standard output comes a line after each update.
"""

from __future__ import annotations

import os

# One thread, so that nothing but the pool can make two runs different, and that times compare.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["NPROC"] = "1"

import sys
import time
import zlib
from pathlib import Path
from typing import Any, cast

import jax
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import ppo_atari


class Recorder:
    """A pool, and what has come out of it.

    Attributes:
        images: A checksum of every observation, (num_envs,) for each step.
        rest: One of each step's rewards, flags, lives, scores, RAM and order of rows.
        over: Where a game ended, as `images`.
        seconds: Spent in the pool, as wall time and as CPU time of all threads.
    """

    def __init__(self, pool: Any) -> None:
        """Takes the place of `pool`."""
        self._pool = pool
        self.action_space = pool.action_space
        self.images: list[list[int]] = []
        self.rest: list[int] = []
        self.over: list[NDArray[Any]] = []
        self.seconds = np.zeros(2)

    def reset(self) -> Any:
        """The pool's."""
        obs, info = self._pool.reset()
        self._keep(obs, info)
        return obs, info

    def step(self, action: NDArray[np.int32]) -> Any:
        """The pool's."""
        start = _clocks()
        result = self._pool.step(action)
        self.seconds += _clocks() - start
        self._keep(result[0], result[4], *result[1:4])
        return result

    def _keep(self, obs: NDArray[np.uint8], info: dict[str, Any], *arrays: NDArray[Any]) -> None:
        self.images.append([zlib.crc32(row.data) for row in obs])
        checksum = 0
        for array in (*arrays, *(info[k] for k in ("env_id", "lives", "reward", "ram"))):
            checksum = zlib.crc32(np.ascontiguousarray(array).data, checksum)
        self.rest.append(checksum)
        self.over.append(info["terminated"] == 1)


def _clocks() -> NDArray[np.float64]:
    return np.array([time.perf_counter(), time.process_time()])


def main() -> None:
    """Trains and writes the file."""
    task, steps, seed, path = sys.argv[1:]
    pool = Recorder(ppo_atari.new_pool(task, int(seed), num_threads=1))
    start = _clocks()
    ends: list[int] = []
    scores: list[float] = []
    digests = []
    for update in ppo_atari.train(cast(Any, pool), int(steps), int(seed)):
        ends += [update.step] * len(update.scores)
        scores += update.scores
        weights = jax.tree.leaves(update.weights)
        digests.append(zlib.crc32(b"".join(np.asarray(w).tobytes() for w in weights)))
        print(update.step, flush=True)
    arrays: dict[str, Any] = {"images": np.array(pool.images), "rest": np.array(pool.rest)}
    arrays |= {"over": np.array(pool.over), "digests": np.array(digests)}
    arrays |= {"ends": np.array(ends), "scores": np.array(scores)}
    np.savez_compressed(path, **arrays, pool=pool.seconds, total=_clocks() - start)


if __name__ == "__main__":
    main()
