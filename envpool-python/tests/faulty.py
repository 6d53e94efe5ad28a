# SPDX-License-Identifier: Apache-2.0
"""An environment that counts, and follows its action: fail, hang, end its process."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

GO, RAISE, KILL, HANG, CRASH, LEAVE, NO_MEMORY, QUIT = range(8)


class Faulty(gymnasium.Env[Any, Any]):
    """Observes how many steps it has taken, and its process."""

    observation_space = spaces.Box(0, 2**62, (2,), np.int64)
    action_space = spaces.Discrete(8)

    def __init__(self) -> None:
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._steps = 0
        self._taken: list[Any] = []
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._steps += 1
        if action == RAISE:
            self._fail_inside()
        elif action == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        elif action == HANG:
            self._hang_inside()
        elif action == CRASH:
            ctypes.string_at(0)
        elif action == LEAVE:
            os._exit(7)
        elif action == QUIT:
            sys.exit("no more today")
        elif action == NO_MEMORY:
            self._use_all_memory()
        return self._observe(), 1.0, False, False, {}

    def _observe(self) -> Any:
        return np.array([self._steps, os.getpid()], np.int64)

    def _fail_inside(self) -> None:
        raise ZeroDivisionError("the door is locked")

    def _use_all_memory(self) -> None:
        """Allocates all memory, and holds it while the exception propagates."""
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + 2**26
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        self._taken = []
        while True:
            self._taken.append(np.ones(2**20, np.uint8))

    def _hang_inside(self) -> None:
        while True:
            time.sleep(0.01)
