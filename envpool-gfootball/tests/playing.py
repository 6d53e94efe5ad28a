# SPDX-License-Identifier: Apache-2.0
"""Plays a task and digests all results, with the package `envpool` of the interpreter.

    python playing.py '[["gfootball/5_vs_5-v1", 3, 2, 100]]'

prints a digest for each [id, seed, environments, steps], and a digest of the C library's functions,
on which the last bits of results depend. Run by EnvPool 1.2.5's interpreter it gives the reference.
`PLAIN` are variables that make glibc use code for every x86-64.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from typing import Any

import numpy as np

PLAIN = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"}
INFOS = ["score", "game_mode", "ball_owned_team", "ball_owned_player", "steps_left", "engine_seed"]
INFOS += ["episode_number", "elapsed_step"]


def play(task_id: str, seed: int, num_envs: int, steps: int, **options: Any) -> str:
    """A digest of observations, rewards, ends and infos under random and eager actions."""
    import envpool

    found = hashlib.sha256()
    rng = np.random.default_rng(seed)
    pool = envpool.make(task_id, env_type="gymnasium", num_envs=num_envs, seed=seed, **options)
    obs, info = pool.reset()

    def note(*arrays: Any) -> None:
        for array in (*arrays, *(info[name] for name in INFOS)):
            value = np.ascontiguousarray(array)
            found.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())

    note(obs)
    for _ in range(steps):
        action = rng.integers(0, 19, num_envs)
        eager = rng.random(num_envs)  # to the right, and shots
        action = np.where(eager < 0.4, 5, np.where(eager < 0.5, 12, action)).astype(np.int32)
        obs, reward, terminated, truncated, info = pool.step(action)
        note(obs, np.float32(reward), np.bool_(terminated), np.bool_(truncated))
    pool.close()
    return found.hexdigest()[:32]


def library() -> str:
    """A digest of results of the C library's functions."""
    libm = ctypes.CDLL("libm.so.6")
    found = hashlib.sha256()
    for name in ("sin", "cos", "tan", "acos", "asin", "atan", "exp", "log"):
        for suffix, kind in (("", ctypes.c_double), ("f", ctypes.c_float)):
            function = getattr(libm, name + suffix)
            function.argtypes, function.restype = [kind], kind
            values = [function(0.0007 + i * 0.00129) for i in range(770)]
            found.update(np.array(values).tobytes())
    for name in ("pow", "atan2", "fmod"):
        for suffix, kind in (("", ctypes.c_double), ("f", ctypes.c_float)):
            function = getattr(libm, name + suffix)
            function.argtypes, function.restype = [kind, kind], kind
            values = [function(0.01 + i * 0.0173, 0.3 + i * 0.0031) for i in range(770)]
            found.update(np.array(values).tobytes())
    return found.hexdigest()[:16]


if __name__ == "__main__":
    cases = json.loads(sys.argv[1])
    print(json.dumps({"library": library(), "digests": [play(*case) for case in cases]}))
