# SPDX-License-Identifier: Apache-2.0
"""Line: the caller's connection to an actor, and the actor's to the caller.

Both send an object, and arrays as they lie in memory, which are received where they will stay:

    bytes of the head, of all after this, whether the head is a usual one | head | array ...

The head is pickled: the object, what is told beside it, and the dtypes and shapes of the arrays. A
usual one comes again and again, so both ends remember what its bytes mean. Arrays begin at
multiples of 8 bytes. Between two processes of one machine the connection is a local one, and large
arrays of an answer are in shared memory, which is told beside the object.
"""

from __future__ import annotations

import hmac
import math
import pickle
import secrets
import socket
import struct
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _shared

SECRET_BYTES = 32
Arrays = Sequence[NDArray[Any]]
Kinds = tuple[tuple["np.dtype[Any]", tuple[int, ...]], ...]
"""The dtype and shape of each array of a message."""
_START = struct.Struct("<QQQ")
_USUAL = 1024  # heads of which an end knows the meaning
_FILE = struct.Struct("i")
_ROOM_FOR_FILES = socket.CMSG_SPACE(_shared.MOST_ARRAYS * _FILE.size)
_NONE: frozenset[int] = frozenset()
_ALIGN = 8
_ZEROS = bytes(_ALIGN)
_SMALL = 4096  # bytes of an array that is copied: sooner done than another part is handled
_MOST_OF_RECORD = 1 << 30  # bytes; NumPy counts those of a record as a C int
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
        self._out: deque[Any] = deque()
        self.watched = False
        self._read = _shared.Read()
        self._incoming = _Incoming(local)

    def fileno(self) -> int:
        """For a selector."""
        return self._socket.fileno()

    @property
    def sending(self) -> bool:
        """Whether something has to be sent when there is room."""
        return bool(self._out)

    def send(self, value: Any, arrays: Arrays = (), usual: bool = False) -> None:
        """Sends an object and arrays, at once or with later calls of `flush`.

        Args:
            value: The object.
            arrays: The arrays.
            usual: Whether the object is a tuple that comes often, and nobody can change.
        """
        self._out += _parts(value, tuple(self._read.take_freed()), arrays, usual)
        self.flush()

    def flush(self) -> None:
        """Sends as much as there is room for.

        Raises:
            OSError: If the connection is lost.
        """
        try:
            while self._out:
                _take_sent(self._out, _sent(self._out, self._socket))
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
        value, (new, gone, lent), arrays, kinds = self._incoming.message()
        for number, file in zip(new, self._incoming.take_files(), strict=True):
            self._read.add(number, file)
        for index, number, at in lent:
            dtype, shape = kinds[index]
            arrays.insert(index, self._read.array(number, at, shape, dtype))
        if gone:
            self._read.forget(gone)
        return value, arrays

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
        self._incoming = _Incoming(False)
        self._written = _shared.Written()
        self._local = host is None

    @property
    def address(self) -> Any:
        """Where it listens: a host and its port, or a name."""
        name = self._listening.getsockname()
        return name.decode("latin-1") if isinstance(name, bytes) else name

    @property
    def allocate(self) -> Callable[[int], Any] | None:
        """Memory for results of a pool, which are not copied then; None for a caller elsewhere."""
        return self._written.allocate if self._local else None

    @property
    def lent(self) -> int:
        """Arrays that the caller has where the pool wrote them."""
        return len(self._written)

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
        if not self._local:
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
        value, freed, arrays, _ = self._incoming.message()
        self._written.give_back(freed)
        return value, arrays

    def send(self, value: Any, arrays: Arrays = (), usual: bool = False) -> None:
        """Is as that of `Line`, and waits until there is room."""
        assert self._socket is not None
        places = self._written.lend(arrays)
        lent = tuple([(index, chunk.number, at) for index, (chunk, at) in places.items()])
        new = [chunk for chunk, _ in places.values() if chunk.file is not None]
        told = (tuple([chunk.number for chunk in new]), tuple(self._written.take_gone()), lent)
        left = deque(_parts(value, told, arrays, usual, frozenset(places)))
        if new:
            files = b"".join([_FILE.pack(chunk.file) for chunk in new])
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, files)
            _take_sent(left, self._socket.sendmsg([left[0]], [rights]))
            for chunk in new:
                chunk.let_go_of_file()
        while left:
            _take_sent(left, _sent(left, self._socket))

    def close(self) -> None:
        """Ends the connection."""
        self._listening.close()
        if self._socket is not None:
            self._socket.close()


def new_secret() -> bytes:
    """What only the caller and its actor know."""
    return secrets.token_bytes(SECRET_BYTES)


def _parts(
    value: Any, beside: Any, arrays: Arrays, usual: bool, shared: frozenset[int] = _NONE
) -> list[Any]:
    """A message: bytes, and arrays of them."""
    small: list[bytes] = []
    parts: list[Any] = []
    kinds = []
    for at, array in enumerate(arrays):
        kinds.append((array.dtype, array.shape))
        if at in shared:
            continue
        size = array.nbytes
        if size < _SMALL:
            small.append(array.tobytes())
        else:
            parts += b"".join(small), np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            small = []
        if fill := -size % _ALIGN:
            small.append(_ZEROS[:fill])
    head = (_usual_head if usual else _head)(value, beside, tuple(kinds), shared, usual)
    if not parts:
        return [head + b"".join(small)]
    return [part for part in (head, *parts, b"".join(small)) if len(part)]


def _head(value: Any, beside: Any, kinds: Kinds, shared: frozenset[int], usual: bool) -> bytes:
    """The beginning of a message."""
    told = tuple([(dtype.str, shape) for dtype, shape in kinds])
    text = _pickled((value, beside, told, shared))
    begin = _aligned(len(text))
    size = sum(_room(*kind) for at, kind in enumerate(kinds) if at not in shared)
    start = _START.pack(len(text), begin + size, usual)
    return b"".join((start, text, _ZEROS[: begin - len(text)]))


class _Told(NamedTuple):
    """What a head means."""

    value: Any
    beside: Any
    kinds: Kinds
    views: Callable[[Any, int], list[Any]]
    """The arrays that lie in memory, of which the first begins there."""


def _told(text: bytes) -> _Told:
    value, beside, names, shared = pickle.loads(text)
    kinds = tuple([(np.dtype(name), shape) for name, shape in names])
    here = tuple([kind for at, kind in enumerate(kinds) if at not in shared])
    return _Told(value, beside, kinds, _viewer(here))


_usual_head = lru_cache(_USUAL)(_head)
_usual_told = lru_cache(_USUAL)(_told)


@lru_cache(_USUAL)
def _viewer(kinds: Kinds) -> Callable[[Any, int], list[Any]]:
    """What makes arrays of the bytes of a message."""
    if not kinds:
        return lambda memory, begin: []
    places = [0, *accumulate(_room(*kind) for kind in kinds)]
    size = places.pop()
    if size > _MOST_OF_RECORD:

        def each(memory: Any, begin: int) -> list[Any]:
            return [
                np.ndarray(shape, dtype, memory, begin + at)
                for (dtype, shape), at in zip(kinds, places, strict=True)
            ]

        return each
    fields = [f"f{at}" for at in range(len(kinds))]
    whole = np.dtype({"names": fields, "formats": kinds, "offsets": places, "itemsize": size})

    def fields_of(memory: Any, begin: int) -> list[Any]:  # in a third of the time
        record = np.ndarray((), whole, memory, begin)
        return [record[field] for field in fields]

    return fields_of


def _room(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    """Bytes that an array takes in a message."""
    return _aligned(dtype.itemsize * math.prod(shape))


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):  # what a program has made itself
        from ray import cloudpickle

        dumps: Any = cloudpickle.dumps
        return bytes(dumps(value, pickle.HIGHEST_PROTOCOL))


def _sent(parts: deque[Any], to: socket.socket) -> int:
    """Sends some of the parts: how many bytes."""
    if len(parts) == 1:
        return to.send(parts[0])
    return to.sendmsg([parts[at] for at in range(min(len(parts), _MOST_PARTS))])


def _take_sent(parts: deque[Any], count: int) -> None:
    """Takes away so many bytes."""
    while count:
        part = parts.popleft()
        if count < len(part):
            parts.appendleft(memoryview(part)[count:])
            return
        count -= len(part)


def _aligned(size: int) -> int:
    return size + -size % _ALIGN


class _Incoming:
    """A message that comes in pieces."""

    def __init__(self, files: bool) -> None:
        """Files may come with it, or not."""
        self._with_files = files
        self._files: list[int] = []
        self._start = memoryview(bytearray(_START.size))
        self._begin()

    def _begin(self) -> None:
        self._text = -1  # the start has not come
        self._view, self._have = self._start, 0

    def take(self, source: socket.socket) -> bool:
        """Takes what has come; whether the message is whole."""
        rest = self._view[self._have :] if self._have else self._view
        if self._text >= 0 or not self._with_files:
            count = source.recv_into(rest)
        else:  # they come with the start
            count, rights, _, _ = source.recvmsg_into([rest], _ROOM_FOR_FILES)
            for _, _, data in rights:
                self._files += [file for (file,) in _FILE.iter_unpack(data)]
        if not count:
            raise ConnectionError("the connection was closed")
        self._have += count
        if self._have < len(self._view):
            return False
        if self._text >= 0:
            return True
        self._text, total, self._usual = _START.unpack(self._view)
        self._view, self._have = np.empty(total, np.uint8).data, 0
        return False

    def message(self) -> tuple[Any, Any, list[Any], Kinds]:
        """The object, what came beside it, the arrays that lie in the message, and kinds of all."""
        view, text = self._view.toreadonly(), self._text
        self._begin()
        told = (_usual_told if self._usual else _told)(view[:text].tobytes())
        return told.value, told.beside, told.views(view, _aligned(text)), told.kinds

    def take_files(self) -> list[int]:
        """Files that came with the message."""
        files, self._files = self._files, []
        return files
