# SPDX-License-Identifier: Apache-2.0
"""A simulator that knows nothing of EnvPool: a process that answers requests on a socket.

{"env": 3, "seed": 7} or {"env": 3, "seed": null}      begins an episode
{"env": 3, "action": 1}                                makes a step
{"env": 3, "obs": [0.5, 2], "reward": 0.5, "over": false}     is the answer to either
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import sys


class Drift:
    """A point that an action pushes to the left or to the right, until it leaves -1 .. 1."""

    def __init__(self) -> None:
        self._draw = random.Random()
        self._at, self._steps = 0.0, 0

    def answer(self, request: dict[str, int | None]) -> dict[str, object]:
        if "action" in request:
            self._at += 0.1 * (request["action"] or 0) - 0.1 + self._draw.uniform(-0.2, 0.2)
            self._steps += 1
        else:
            if request["seed"] is not None:
                self._draw = random.Random(request["seed"])
            self._at, self._steps = self._draw.uniform(-0.5, 0.5), 0
        seen = [self._at, self._steps]
        over = abs(self._at) > 1
        return {"env": request["env"], "obs": seen, "reward": self._at, "over": over}


def main() -> None:
    """Serves one client; prints the port on stdout."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)
        client, _ = server.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # each answer is sent at once
    envs: dict[int, Drift] = {}
    with client, client.makefile() as lines, contextlib.suppress(ConnectionResetError):
        for line in lines:
            request = json.loads(line)
            env = envs.setdefault(request["env"], Drift())
            client.sendall(f"{json.dumps(env.answer(request))}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
