# SPDX-License-Identifier: Apache-2.0
"""Line: the caller's connection to an actor, and the actor's to the caller.

Both send an object, and arrays as they lie in memory, which are received where they will stay:

    bytes of the object, of the form, of all after this, shared buffer | object | form | array ...

The object is pickled. The form has the dtypes and shapes of the arrays; it is mostly that of an
earlier message, for which both ends know where each array lies. Arrays begin at multiples of 8
bytes. Between two processes of one machine the connection is a local one, and all but the start of
a large answer is in shared memory.
"""

from __future__ import annotations

import hmac
import math
import os
import pickle
import secrets
import socket
import struct
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _shared

SECRET_BYTES = 32
Arrays = Sequence[NDArray[Any]]
_START = struct.Struct("<QQQq")
_NOT_SHARED = -1
_LARGE = 1 << 16  # bytes from which memory is shared
_FILE = struct.Struct("i")
_ALIGN = 8
_SMALL = 4096  # bytes of an array that is copied: sooner done than another part is handled
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

    def send(self, value: Any, arrays: Arrays = ()) -> None:
        """Sends an object and arrays, at once or with later calls of `flush`."""
        self._out += _parts((self._read.take_freed(), value), arrays)
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

    def receive(self) -> tuple[Any, Arrays] | None:
        """An object and arrays, which are read-only; None if they have not come as a whole.

        Raises:
            OSError: If the connection is lost.
        """
        try:
            while not self._incoming.take(self._socket):
                pass
        except BlockingIOError:
            return None
        return self._incoming.message()

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

    def receive(self) -> tuple[Any, Arrays]:
        """Waits for an object and arrays, which are read-only.

        Raises:
            OSError: If the connection is lost.
        """
        assert self._socket is not None
        while not self._incoming.take(self._socket):
            pass
        (freed, value), arrays = self._incoming.message()
        if self._written is not None:
            self._written.give_back(freed)
        return value, arrays

    def send(self, value: Any, arrays: Arrays = ()) -> None:
        """Sends an object and arrays, and waits until there is room for them."""
        assert self._socket is not None
        if self._written is not None and sum(array.nbytes for array in arrays) >= _LARGE:
            text, form = _pickled(value), _form_of(arrays)
            begin, total = _bounds(text, form)
            taken = self._written.take(total)
            if taken is not None:
                number, memory, file = taken
                memory[: len(text)] = text
                memory[len(text) : len(text) + len(form.text)] = form.text
                for array, place in zip(arrays, form.views(memory, begin), strict=True):
                    place[...] = array
                self._tell(_START.pack(len(text), len(form.text), total, number), file)
                return
        left = deque(_parts(value, arrays))
        while left:
            _sent(left, self._socket)

    def _tell(self, start: bytes, file: int | None) -> None:
        """Sends the start of a message in shared memory, and the file if that is new."""
        assert self._socket is not None
        count = 0
        if file is not None:
            try:
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, _FILE.pack(file))
                count = self._socket.sendmsg([start], [rights])
            finally:
                os.close(file)
        self._socket.sendall(start[count:])

    def close(self) -> None:
        """Ends the connection."""
        self._listening.close()
        if self._socket is not None:
            self._socket.close()


def new_secret() -> bytes:
    """What only the caller and its actor know."""
    return secrets.token_bytes(SECRET_BYTES)


class _Form(NamedTuple):
    """What arrays are like that come one after the other."""

    text: bytes
    """Their dtypes and shapes, pickled."""
    places: tuple[tuple[tuple[int, ...], np.dtype[Any], int], ...]
    """The shape and dtype of each, and where it lies after the first."""
    size: int
    """Bytes of all."""

    def views(self, memory: Any, begin: int) -> Arrays:
        """The arrays in memory in which the first begins there."""
        return [np.ndarray(shape, dtype, memory, begin + at) for shape, dtype, at in self.places]


def _form_of(arrays: Arrays) -> _Form:
    return _form(tuple([(array.dtype, array.shape) for array in arrays]))


@lru_cache(maxsize=256)
def _form(kinds: tuple[tuple[np.dtype[Any], tuple[int, ...]], ...]) -> _Form:
    text = pickle.dumps([(dtype.str, shape) for dtype, shape in kinds], pickle.HIGHEST_PROTOCOL)
    return _told_form(text)


@lru_cache(maxsize=256)
def _told_form(text: bytes) -> _Form:
    places, at = [], 0
    for name, shape in pickle.loads(text):
        dtype = np.dtype(name)
        places.append((shape, dtype, at))
        at += _aligned(dtype.itemsize * math.prod(shape))
    return _Form(text, tuple(places), at)


def _bounds(text: bytes, form: _Form) -> tuple[int, int]:
    """Where the arrays of a message begin after its start, and end."""
    begin = _aligned(len(text) + len(form.text))
    return begin, begin + form.size


def _parts(value: Any, arrays: Arrays) -> list[memoryview]:
    """A message that is not shared."""
    text, form = _pickled(value), _form_of(arrays)
    begin, total = _bounds(text, form)
    start = _START.pack(len(text), len(form.text), total, _NOT_SHARED)
    small = [start, text, form.text, bytes(begin - len(text) - len(form.text))]
    parts: list[Any] = []
    for array in arrays:
        size = array.nbytes
        if size < _SMALL:
            small.append(array.tobytes())
        else:
            parts += b"".join(small), np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            small = []
        if fill := -size % _ALIGN:
            small.append(bytes(fill))
    parts.append(b"".join(small))
    return [memoryview(part) for part in parts if len(part)]


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):  # what a program has made itself
        from ray import cloudpickle

        dumps: Any = cloudpickle.dumps
        return bytes(dumps(value, pickle.HIGHEST_PROTOCOL))


def _sent(parts: deque[memoryview], to: socket.socket) -> None:
    """Sends some of the parts, and takes those away."""
    if len(parts) == 1:
        count = to.send(parts[0])
    else:
        count = to.sendmsg([parts[at] for at in range(min(len(parts), _MOST_PARTS))])
    while count:
        part = parts.popleft()
        if count < len(part):
            parts.appendleft(part[count:])
            return
        count -= len(part)


def _aligned(size: int) -> int:
    return size + -size % _ALIGN


class _Incoming:
    """A message that comes in pieces."""

    def __init__(self, shared: _shared.Read | None) -> None:
        self._shared = shared
        self._start = bytearray(_START.size)
        self._begin()

    def _begin(self) -> None:
        self._text = -1  # the start has not come
        self._files: list[int] = []
        self._view, self._have = memoryview(self._start), 0

    def take(self, source: socket.socket) -> bool:
        """Takes what has come; whether the message is whole."""
        rest = self._view[self._have :]
        if self._text >= 0 or self._shared is None:
            count = source.recv_into(rest)
        else:  # a file may come with the start
            count, rights, _, _ = source.recvmsg_into([rest], socket.CMSG_SPACE(_FILE.size))
            self._files += [_FILE.unpack(data[: _FILE.size])[0] for _, _, data in rights]
        if not count:
            raise ConnectionError("the connection was closed")
        self._have += count
        if self._have < len(self._view):
            return False
        if self._text >= 0:
            return True
        self._text, self._form, total, number = _START.unpack(self._view)
        if number != _NOT_SHARED:
            assert self._shared is not None
            if self._files:
                self._shared.add(number, self._files.pop())
            self._view = self._shared.view(number, total)
            return True
        self._view, self._have = np.empty(total, np.uint8).data, 0
        return False

    def message(self) -> tuple[Any, Arrays]:
        """The object, and arrays that lie in the message."""
        view = self._view.toreadonly()
        form_at = self._text
        begin = form_at + self._form
        value, form = pickle.loads(view[:form_at]), _told_form(bytes(view[form_at:begin]))
        self._begin()
        return value, form.views(view, _aligned(begin))
