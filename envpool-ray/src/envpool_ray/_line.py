# SPDX-License-Identifier: Apache-2.0
"""Line: the caller's connection to an actor, and the actor's to the caller.

Both send objects. Their arrays go as they lie in memory, and are received where they will stay:

    number of buffers, bytes of the rest | sizes | pickle | buffer | buffer ...

each part filled up to a multiple of 8 bytes, so that arrays are aligned.
"""

from __future__ import annotations

import hmac
import math
import pickle
import secrets
import socket
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

SECRET_BYTES = 32
_START = struct.Struct("<QQ")
_ALIGN = 8
_MOST_PARTS = 512  # of one call of the system, which takes 1024
_PATIENCE = 30.0  # seconds for a connection, which takes less than one


class Line:
    """The caller's end. Nothing here waits, so that one caller can have many.

    Attributes:
        watched: Whether a selector looks for room to send.
    """

    def __init__(self, address: tuple[str, int], secret: bytes) -> None:
        """Connects.

        Args:
            address: Where the actor listens.
            secret: Shows the actor that it is the caller.

        Raises:
            OSError: If nobody listens there.
        """
        self._socket = socket.create_connection(address, timeout=_PATIENCE)
        self._socket.sendall(secret)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._out: deque[memoryview] = deque()
        self.watched = False
        self._incoming = _Incoming()

    def fileno(self) -> int:
        """For a selector."""
        return self._socket.fileno()

    @property
    def sending(self) -> bool:
        """Whether something has to be sent when there is room."""
        return bool(self._out)

    def send(self, value: Any) -> None:
        """Sends an object, at once or with later calls of `flush`."""
        self._out += _packed(value)
        self.flush()

    def flush(self) -> None:
        """Sends as much as there is room for.

        Raises:
            OSError: If the connection is lost.
        """
        try:
            while self._out:
                _sent(self._out, self._socket)
        except BlockingIOError:
            return

    def received(self) -> Iterator[Any]:
        """Objects that have come as a whole.

        Raises:
            OSError: If the connection is lost.
        """
        while True:
            try:
                if not self._incoming.take(self._socket):
                    continue
            except BlockingIOError:
                return
            yield self._incoming.value()

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()


class Server:
    """The actor's end: it waits for the caller."""

    def __init__(self, host: str) -> None:
        """Listens on a free port."""
        self._listening = socket.create_server((host, 0))
        self._listening.settimeout(_PATIENCE)
        self._socket: socket.socket | None = None
        self._incoming = _Incoming()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listening.getsockname()[1])

    def accept(self, secret: bytes) -> None:
        """Waits for the caller; others are turned away.

        Raises:
            TimeoutError: If nobody connects.
        """
        with self._listening:
            while True:
                one, _ = self._listening.accept()
                one.settimeout(_PATIENCE)
                try:
                    told = one.recv(SECRET_BYTES, socket.MSG_WAITALL)
                except OSError:
                    told = b""
                if hmac.compare_digest(told, secret):
                    break
                one.close()
        one.setblocking(True)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = one

    def receive(self) -> Any:
        """Waits for an object.

        Raises:
            OSError: If the connection is lost.
        """
        assert self._socket is not None
        while not self._incoming.take(self._socket):
            pass
        return self._incoming.value()

    def send(self, value: Any) -> None:
        """Sends an object, and waits until there is room for it."""
        assert self._socket is not None
        parts = deque(_packed(value))
        while parts:
            _sent(parts, self._socket)

    def close(self) -> None:
        """Ends the connection."""
        self._listening.close()
        if self._socket is not None:
            self._socket.close()


def new_secret() -> bytes:
    """What only the caller and its actor know."""
    return secrets.token_bytes(SECRET_BYTES)


def _packed(value: Any) -> list[memoryview]:
    """The parts of a message."""
    buffers: list[pickle.PickleBuffer] = []
    try:
        text = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    except (pickle.PicklingError, AttributeError, TypeError):  # what a program has made itself
        from ray import cloudpickle

        dumps: Any = cloudpickle.dumps
        buffers.clear()
        text = dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    parts = [memoryview(text), *(buffer.raw() for buffer in buffers)]
    sizes = [len(part) for part in parts]
    total = _ALIGN * len(sizes) + sum(map(_aligned, sizes))
    start = _START.pack(len(buffers), total) + struct.pack(f"<{len(sizes)}Q", *sizes)
    message = [memoryview(start)]
    for part, size in zip(parts, sizes, strict=True):
        message.append(part)
        if fill := _aligned(size) - size:
            message.append(memoryview(bytes(fill)))
    return [part for part in message if len(part)]


def _sent(parts: deque[memoryview], to: socket.socket) -> None:
    """Sends some of the parts, and takes those away."""
    count = to.sendmsg([parts[at] for at in range(min(len(parts), _MOST_PARTS))])
    while count:
        part = parts.popleft()
        if count < len(part):
            parts.appendleft(part[count:])
            return
        count -= len(part)


def _aligned(size: int) -> int:
    return math.ceil(size / _ALIGN) * _ALIGN


class _Incoming:
    """A message that comes in pieces."""

    def __init__(self) -> None:
        self._start = np.zeros(_START.size, np.uint8)
        self._begin()

    def _begin(self) -> None:
        self._buffers = -1  # the start has not come
        self._body: NDArray[np.uint8] = self._start
        self._view, self._have = memoryview(self._start), 0  # type: ignore[arg-type]

    def take(self, source: socket.socket) -> bool:
        """Takes what has come; whether the message is whole."""
        count = source.recv_into(self._view[self._have :])
        if not count:
            raise ConnectionError("the connection was closed")
        self._have += count
        if self._have < len(self._view):
            return False
        if self._buffers >= 0:
            return True
        self._buffers, total = _START.unpack(self._view)
        self._body = np.empty(total, np.uint8)
        self._view, self._have = memoryview(self._body), 0  # type: ignore[arg-type]
        return False

    def value(self) -> Any:
        """The object. Its arrays lie in the message, and are read-only."""
        body, view = self._body, self._view
        sizes = body[: _ALIGN * (self._buffers + 1)].view(np.uint64).tolist()
        at = _ALIGN * len(sizes)
        parts = []
        for size in sizes:
            parts.append(view[at : at + size].toreadonly())
            at += _aligned(size)
        self._begin()
        return pickle.loads(parts[0], buffers=cast("Any", parts[1:]))
