# SPDX-License-Identifier: Apache-2.0
"""A new kind of pool in one class: its environments are in a simulator behind a socket."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import subprocess
import sys
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from envpool.pool_backend import (
    API_VERSION,
    COMMON_OPTIONS,
    OPTION_RANGES,
    Answer,
    EnvBackend,
    Ids,
    PoolBackend,
    SimulatorPool,
    array,
    common_action,
    common_state,
)
from envpool.typing import CompiledArray

SIMULATOR = Path(__file__).with_name("drift_simulator.py")


class SocketPool(SimulatorPool):
    """Sends a line for each request, and reads a line for each answer."""

    def open(self) -> None:
        """Starts the simulator, and connects to it."""
        super().open()
        self.process = subprocess.Popen([sys.executable, SIMULATOR], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        port = int(self.process.stdout.readline())
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._received = b""
        self._end = weakref.finalize(self, _end, self.process, self._socket)

    def free(self) -> None:
        """Ends the simulator."""
        self._end()

    def ask_reset(self, ids: Ids, seeds: Sequence[int | None]) -> None:
        """Asks for episodes."""
        pairs = zip(ids.tolist(), seeds, strict=True)
        self._ask({"env": env_id, "seed": seed} for env_id, seed in pairs)

    def ask_step(self, ids: Ids, action: Mapping[str, Any]) -> None:
        """Asks for steps."""
        pairs = zip(ids.tolist(), action["action"].tolist(), strict=True)
        self._ask({"env": env_id, "action": number} for env_id, number in pairs)

    def _ask(self, requests: Iterator[dict[str, Any]]) -> None:
        lines = "".join(f"{json.dumps(request)}\n" for request in requests)
        with contextlib.suppress(OSError):  # it has ended, which `answers` finds, too
            self._socket.sendall(lines.encode())

    def answers(self, seconds: float | None) -> Iterator[Answer]:
        """Reads the answers that have come."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        try:
            data = self._socket.recv(2**16)
        except OSError:
            data = b""
        if not data:
            lost = self.flight.waiting()
            self._end()
            self.open()
            self.fail(lost, "the simulator has ended")
            return
        *lines, self._received = (self._received + data).split(b"\n")
        if lines:
            found = [json.loads(line) for line in lines]
            yield Answer(
                np.array([one["env"] for one in found], np.int32),
                {"obs": np.array([one["obs"] for one in found], np.float32)},
                np.array([one["reward"] for one in found]),
                np.array([one["over"] for one in found]),
            )


class SocketEnv(EnvBackend):
    """The environment before its pool: options and arrays."""

    name, compiler, step_kind, api_version = "Drift", "Python", "default", API_VERSION
    option_ranges = OPTION_RANGES

    def default_config(self) -> dict[str, object]:
        """The options of every environment."""
        return dict(COMMON_OPTIONS)

    def describe(
        self, config: dict[str, object]
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]:
        """An observation of two numbers, an action of three choices."""
        state = [*common_state(), array("obs", np.float32, (2,))]
        action = array("action", np.int32, (), 0, 2, per_player=True)
        return config, state, [*common_action(), action]

    def make(self, config: dict[str, Any], task_id: str, autoreset_mode: str) -> PoolBackend:
        """Starts a simulator."""
        return SocketPool(config, *self.describe(config)[1:], task_id, autoreset_mode)


ENV = SocketEnv()


def _end(process: subprocess.Popen[bytes], connection: socket.socket) -> None:
    connection.close()
    process.kill()
    process.communicate()
