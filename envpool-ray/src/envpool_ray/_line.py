# SPDX-License-Identifier: Apache-2.0
"""Line: the caller's connection to an actor, and the actor's to the caller.

Both send objects. Their arrays go as they lie in memory, and are received where they will stay:

    number of buffers, bytes of the rest, shared buffer | sizes | pickle | buffer | buffer ...

each part filled up to a multiple of 8 bytes, so that arrays are aligned. Between two processes of
one machine the connection is a local one, and all but the start of a large answer is in shared
memory.
"""

from __future__ import annotations

import array
import hmac
import math
import os
import pickle
import secrets
import socket
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from . import _shared

SECRET_BYTES = 32
_START = struct.Struct("<QQq")
_NOT_SHARED = -1
_LARGE = 1 << 16  # bytes from which memory is shared
_FILE = struct.Struct("i")
_ALIGN = 8
_SMALL = 4096  # bytes of an array that is copied: sooner than another part is handled
_MOST_PARTS = 512  # of one call of the system, which takes 1024
_PATIENCE = 30.0  # seconds for a connection, which takes less than one


class Line:
    """The caller's end. Nothing here waits, so that one caller can have many.

    Attributes:
        watched: Whether a selector looks for room to send.
    """

    def __init__(self, address: Any, secret: bytes) -> None:
        """Connects.

        Args:
            address: Where the actor listens, see `Server.address`.
            secret: Shows the actor that it is the caller.

        Raises:
            OSError: If nobody listens there.
        """
        local = isinstance(address, str)
        self._socket = socket.socket(socket.AF_UNIX if local else socket.AF_INET)
        self._socket.settimeout(_PATIENCE)
        self._socket.connect(address)
        self._socket.sendall(secret)
        self._socket.setblocking(False)
        if not local:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._out: deque[memoryview] = deque()
        self.watched = False
        self._read = _shared.Read()
        self._incoming = _Incoming(self._read if local else None)

    def fileno(self) -> int:
        """For a selector."""
        return self._socket.fileno()

    @property
    def sending(self) -> bool:
        """Whether something has to be sent when there is room."""
        return bool(self._out)

    def send(self, value: Any) -> None:
        """Sends an object, at once or with later calls of `flush`."""
        self._out += _packed((self._read.take_freed(), value))[1]
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

    def __init__(self, host: str | None) -> None:
        """Listens.

        Args:
            host: On a free port of this address; None: for callers on this machine, without a port.
        """
        if host is None:
            self._listening = socket.socket(socket.AF_UNIX)
            self._listening.bind("")  # a free name of Linux's, which is no file
            self._listening.listen()
        else:
            self._listening = socket.create_server((host, 0))
        self._listening.settimeout(_PATIENCE)
        self._socket: socket.socket | None = None
        self._incoming = _Incoming(None)
        self._written = _shared.Written() if host is None else None

    @property
    def address(self) -> Any:
        """Where it listens: a host and its port, or a name."""
        name = self._listening.getsockname()
        return name.decode("latin-1") if isinstance(name, bytes) else name

    @property
    def buffers(self) -> int:
        """Buffers of shared memory."""
        return 0 if self._written is None else len(self._written)

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
        if self._written is None:
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
        freed, value = self._incoming.value()
        if self._written is not None:
            self._written.give_back(freed)
        return value

    def send(self, value: Any) -> None:
        """Sends an object, and waits until there is room for it."""
        assert self._socket is not None
        start, parts = _packed(value)
        if self._written is not None and start.total >= _LARGE:
            taken = self._written.take(start.total)
            if taken is not None:
                self._send_shared(start, parts[1:], *taken)
                return
        left = deque(parts)
        while left:
            _sent(left, self._socket)

    def _send_shared(
        self, start: _Start, parts: list[memoryview], number: int, memory: Any, file: int | None
    ) -> None:
        assert self._socket is not None
        at = 0
        for part in parts:
            memory[at : at + len(part)] = part
            at += len(part)
        told = _START.pack(start.buffers, start.total, number)
        if file is None:
            self._socket.sendall(told)
            return
        try:
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))
            count = self._socket.sendmsg([told], [rights])
        finally:
            os.close(file)
        self._socket.sendall(told[count:])

    def close(self) -> None:
        """Ends the connection."""
        self._listening.close()
        if self._socket is not None:
            self._socket.close()


def new_secret() -> bytes:
    """What only the caller and its actor know."""
    return secrets.token_bytes(SECRET_BYTES)


class _Start(NamedTuple):
    """The first part of a message."""

    buffers: int
    total: int


def _packed(value: Any) -> tuple[_Start, list[memoryview]]:
    """The start of a message, and all its parts."""
    buffers: list[pickle.PickleBuffer] = []

    def stays(buffer: pickle.PickleBuffer) -> bool:
        """Whether it is a part of the pickle; it gets a part of its own otherwise."""
        if buffer.raw().nbytes < _SMALL:
            return True
        buffers.append(buffer)
        return False

    try:
        text = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=stays)
    except (pickle.PicklingError, AttributeError, TypeError):  # what a program has made itself
        from ray import cloudpickle

        dumps: Any = cloudpickle.dumps
        buffers.clear()
        text = dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    parts = [memoryview(text), *(buffer.raw() for buffer in buffers)]
    sizes = [len(part) for part in parts]
    total = _ALIGN * len(sizes) + sum(map(_aligned, sizes))
    start = _Start(len(buffers), total)
    message = [memoryview(_START.pack(*start, _NOT_SHARED))]
    message.append(memoryview(struct.pack(f"<{len(sizes)}Q", *sizes)))
    for part, size in zip(parts, sizes, strict=True):
        message.append(part)
        if fill := _aligned(size) - size:
            message.append(memoryview(bytes(fill)))
    return start, [part for part in message if len(part)]


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

    def __init__(self, shared: _shared.Read | None) -> None:
        self._shared = shared
        self._start = np.zeros(_START.size, np.uint8)
        self._begin()

    def _begin(self) -> None:
        self._buffers = -1  # the start has not come
        self._files: list[int] = []
        self._body: NDArray[np.uint8] = self._start
        self._view, self._have = memoryview(self._start), 0  # type: ignore[arg-type]

    def take(self, source: socket.socket) -> bool:
        """Takes what has come; whether the message is whole."""
        rest = self._view[self._have :]
        if self._buffers >= 0 or self._shared is None:
            count = source.recv_into(rest)
        else:  # a file may come with the start
            count, rights, _, _ = source.recvmsg_into([rest], socket.CMSG_SPACE(_FILE.size))
            self._files += [_FILE.unpack(data[: _FILE.size])[0] for _, _, data in rights]
        if not count:
            raise ConnectionError("the connection was closed")
        self._have += count
        if self._have < len(self._view):
            return False
        if self._buffers >= 0:
            return True
        self._buffers, total, number = _START.unpack(self._view)
        if number != _NOT_SHARED:
            assert self._shared is not None
            if self._files:
                self._shared.add(number, self._files.pop())
            self._body = self._shared.view(number, total)
            return True
        self._body = np.empty(total, np.uint8)
        self._view, self._have = memoryview(self._body), 0  # type: ignore[arg-type]
        return False

    def value(self) -> Any:
        """The object. Its arrays lie in the message, and are read-only."""
        body = self._body
        view = memoryview(body)  # type: ignore[arg-type]
        sizes = body[: _ALIGN * (self._buffers + 1)].view(np.uint64).tolist()
        at = _ALIGN * len(sizes)
        parts = []
        for size in sizes:
            parts.append(view[at : at + size].toreadonly())
            at += _aligned(size)
        self._begin()
        return pickle.loads(parts[0], buffers=cast("Any", parts[1:]))
