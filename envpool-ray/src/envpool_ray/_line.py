# SPDX-License-Identifier: Apache-2.0
"""Line: the caller's connection to an actor, and the actor's to the caller.

Both send an object, and arrays as they lie in memory, which are received where they will stay:

    bytes of the head, of all after this, what kind of message it is | head | array ...

The head is pickled: the object, and the dtypes and shapes of the arrays. A usual one comes often,
so both ends remember what its bytes mean. Arrays begin at multiples of 8 bytes. Between two
processes of one machine the connection is a local one, of packets: most messages are one, for
which an end asks the system once. Then the caller shares memory with the actor, and of an array
that lies there nothing is sent but which field of the chunk it is.
"""

from __future__ import annotations

import hmac
import math
import pickle
import secrets
import selectors
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _shared

SECRET_BYTES = 32
Arrays = Sequence[NDArray[Any]]
Fields = Sequence[_shared.Field]
Kinds = tuple[tuple["np.dtype[Any]", tuple[int, ...]], ...]
"""The dtype and shape of each array of a message."""
Shared = tuple[tuple[int, int, int], ...]
"""Arrays that lie in a chunk: which of a message they are, which of its fields, and rows."""
_START = struct.Struct("<QQQ")
_USUAL = 1024  # heads of which an end knows the meaning
_FILE = struct.Struct("i")
_ROOM_FOR_FILE = socket.CMSG_SPACE(_FILE.size)
_PLAIN, _USUAL_HEAD = 0, 1  # kinds of messages
_CHUNK, _FORGET = 2, 3  # and those about memory, which are between the two ends
_ALIGN = 8
_ZEROS = bytes(_ALIGN)
_SMALL = 4096  # bytes of an array that is copied: sooner done than another part is handled
_MOST_OF_RECORD = 1 << 30  # bytes; NumPy counts those of a record as a C int
_MOST_PARTS = 512  # of one call of the system, which takes 1024
_PACKET = 1 << 16  # bytes of a packet at most; of a buffer of the system 200 KiB are usual
_PATIENCE = 30.0  # seconds for a connection, which takes less than one


class Told(NamedTuple):
    """What a head means."""

    text: bytes
    """As it was sent."""
    value: Any
    """The object."""
    shared: Shared
    """Arrays that lie in the chunk that the caller has named."""
    numbers: tuple[int, ...]
    """The field of each of them."""
    counts: tuple[int, ...]
    """Its rows."""
    views: Callable[[Any, int], list[Any]]
    """The other arrays, which lie in memory of which the first begins there."""


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
        if local:
            self._socket = _local_socket()
            self._socket.settimeout(_PATIENCE)
            self._socket.connect(address)
        else:  # a host of either version of IP; what follows is of version 6 alone
            self._socket = socket.create_connection(address[:2], _PATIENCE)
        self._socket.sendall(secret)
        self._socket.setblocking(False)
        if not local:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._out: deque[deque[Any]] = deque()  # messages, each of parts
        self.watched = False
        self._chunks: set[int] = set()  # that the actor has
        self._packets = local
        self._incoming = _Incoming(packets=local, files=False)

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
        self._out.append(deque(_parts(value, arrays, _USUAL_HEAD if usual else _PLAIN)))
        self.flush()

    def share(self, chunk: _shared.Chunk) -> bool:
        """Gives the actor a chunk, if it has not got it; False if there is no room to send."""
        if chunk.number in self._chunks:
            return True
        if self._out:
            return False
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, _FILE.pack(chunk.file))
        try:
            self._socket.sendmsg(_parts(chunk.number, (), _CHUNK), [rights])  # a packet, or nothing
        except BlockingIOError:
            return False
        self._chunks.add(chunk.number)
        return True

    def forget(self, chunk: _shared.Chunk) -> None:
        """Has the actor let go of a chunk, if it has it."""
        if chunk.number in self._chunks:
            self._chunks.remove(chunk.number)
            self._out.append(deque(_parts(chunk.number, (), _FORGET)))
            self.flush()

    def flush(self) -> None:
        """Sends as much as there is room for.

        Raises:
            OSError: If the connection is lost.
        """
        try:
            while self._out:
                message = self._out[0]
                while message:
                    _take_sent(message, _sent(message, self._socket, self._packets))
                self._out.popleft()
        except BlockingIOError:
            return

    def receive(self) -> tuple[Told, list[Any]] | None:
        """What comes: what its head means, and arrays; None if it has not come as a whole.

        Raises:
            OSError: If the connection is lost.
        """
        try:
            while not self._incoming.take(self._socket):
                pass
        except BlockingIOError:
            return None
        return self._incoming.message()

    def put_back(self, begun: bytes, rest: bytes) -> None:
        """Goes on where somebody else has received and sent.

        Args:
            begun: Of a message that has come, in part or as a whole.
            rest: What there was no room for, of a message to be sent.
        """
        self._incoming.put_back(begun)
        if rest:
            self._out.append(deque([rest]))

    @property
    def idle(self) -> bool:
        """Whether nothing has to be sent, and no message has come in part."""
        return not self._out and self._incoming.idle

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()


class Server:
    """The actor's end: it waits for the caller.

    Attributes:
        local: Whether the caller is on this machine.
        chunks: Memory that it shares.
    """

    def __init__(self, host: str | None) -> None:
        """Listens.

        Args:
            host: On a free port of this address; None: for callers on this machine, without a port.
        """
        if host is None:
            self._listening = _local_socket()
            self._listening.bind("")  # a free name of Linux's, which is no file
            self._listening.listen()
        else:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._listening = socket.create_server((host, 0), family=family)
        self._listening.settimeout(_PATIENCE)
        self._socket: socket.socket | None = None
        self.local = host is None
        self._incoming = _Incoming(packets=self.local, files=self.local)
        self.chunks = _shared.Opened()

    @property
    def address(self) -> Any:
        """Where it listens: a host and its port, or a name."""
        name = self._listening.getsockname()
        return name.decode("latin-1") if isinstance(name, bytes) else name

    def accept(self, secret: bytes) -> None:
        """Waits for the caller; others are turned away, and one that says nothing delays nobody.

        Raises:
            TimeoutError: If the caller does not connect.
        """
        until = time.monotonic() + _PATIENCE
        told: dict[socket.socket, bytes] = {}  # what each connection has said
        caller: socket.socket | None = None
        with self._listening, selectors.DefaultSelector() as selector:
            selector.register(self._listening, selectors.EVENT_READ)
            try:
                while caller is None:
                    left = until - time.monotonic()
                    ready = [key.fileobj for key, _ in selector.select(max(left, 0))]
                    if not ready and left <= 0:
                        raise TimeoutError("the caller has not connected")
                    for one in ready:
                        assert isinstance(one, socket.socket)
                        if one is self._listening:
                            one, _ = one.accept()
                            one.setblocking(False)
                            told[one] = b""
                            selector.register(one, selectors.EVENT_READ)
                        elif not self._hear(one, told):
                            selector.unregister(one)
                            said = told.pop(one)
                            if hmac.compare_digest(said, secret):
                                caller = one
                                break
                            one.close()
            finally:
                for one in told:
                    one.close()
        one = caller
        one.setblocking(True)
        if not self.local:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = one

    @staticmethod
    def _hear(one: socket.socket, told: dict[socket.socket, bytes]) -> bool:
        """Takes what a connection says; False once it has said enough, or has ended."""
        try:
            more = one.recv(SECRET_BYTES - len(told[one]))
        except BlockingIOError:
            return True
        except OSError:
            return False
        told[one] += more
        return bool(more) and len(told[one]) < SECRET_BYTES

    def receive(self) -> tuple[Any, Arrays]:
        """Waits for an object and arrays.

        Raises:
            OSError: If the connection is lost.
        """
        assert self._socket is not None
        while True:
            while not self._incoming.take(self._socket):
                pass
            kind = self._incoming.kind
            told, arrays = self._incoming.message()
            if kind == _CHUNK:
                self.chunks.add(told.value, self._incoming.take_files())
            elif kind == _FORGET:
                self.chunks.forget(told.value)
            else:
                return told.value, arrays

    def send(
        self, value: Any, arrays: Arrays = (), usual: bool = False, shared: Shared = ()
    ) -> None:
        """Is as that of `Line`, and waits until there is room.

        Args:
            value: The object.
            arrays: The arrays.
            usual: Whether the object is a tuple that comes often, and nobody can change.
            shared: Those that lie where the caller wanted them.
        """
        assert self._socket is not None
        left = deque(_parts(value, arrays, _USUAL_HEAD if usual else _PLAIN, shared))
        while left:
            _take_sent(left, _sent(left, self._socket, self.local))

    def close(self) -> None:
        """Ends the connection."""
        self._listening.close()
        if self._socket is not None:
            self._socket.close()


def usual_head(value: Any, arrays: Kinds) -> bytes:
    """How a usual message begins that is no answer."""
    return _usual_head(value, arrays, (), _USUAL_HEAD)


def usual_head_of(told: Told, arrays: Kinds) -> bytes:
    """How a usual message has begun that was received."""
    return _framed(told.text, arrays, _USUAL_HEAD)


def new_secret() -> bytes:
    """What only the caller and its actor know."""
    return secrets.token_bytes(SECRET_BYTES)


def _parts(value: Any, arrays: Arrays, kind: int, shared: Shared = ()) -> list[Any]:
    """A message: bytes, and arrays of them."""
    small: list[bytes] = []
    parts: list[Any] = []
    kinds = []
    elsewhere = {at for at, _, _ in shared}
    for at, array in enumerate(arrays):
        if at in elsewhere:
            continue
        kinds.append((array.dtype, array.shape))
        size = array.nbytes
        if size < _SMALL:
            small.append(array.tobytes())
        else:
            parts += b"".join(small), np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            small = []
        if fill := -size % _ALIGN:
            small.append(_ZEROS[:fill])
    make = _usual_head if kind == _USUAL_HEAD else _head
    head = make(value, tuple(kinds), shared, kind)
    if not parts:
        return [head + b"".join(small)]
    return [part for part in (head, *parts, b"".join(small)) if len(part)]


def _head(value: Any, kinds: Kinds, shared: Shared, kind: int) -> bytes:
    """The beginning of a message."""
    told = tuple([(dtype.str, shape) for dtype, shape in kinds])
    return _framed(_pickled((value, told, shared)), kinds, kind)


def _framed(text: bytes, kinds: Kinds, kind: int) -> bytes:
    begin = _aligned(len(text))
    size = sum(_room(*of) for of in kinds)
    start = _START.pack(len(text), begin + size, kind)
    return b"".join((start, text, _ZEROS[: begin - len(text)]))


def _told(text: bytes) -> Told:
    value, names, shared = pickle.loads(text)
    kinds = tuple([(np.dtype(name), shape) for name, shape in names])
    numbers = tuple([number for _, number, _ in shared])
    counts = tuple([rows for _, _, rows in shared])
    return Told(text, value, shared, numbers, counts, _viewer(kinds))


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


def _local_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _sent(parts: deque[Any], to: socket.socket, packets: bool) -> int:
    """Sends some of the parts, or a packet of them: how many bytes."""
    first = parts[0]
    if len(parts) == 1 or (packets and len(first) >= _PACKET):
        return to.send(memoryview(first)[:_PACKET] if packets else first)
    if not packets:
        return to.sendmsg([parts[at] for at in range(min(len(parts), _MOST_PARTS))])
    packet, room = [], _PACKET
    for part in islice(parts, _MOST_PARTS):
        packet.append(memoryview(part)[:room])
        room -= len(packet[-1])
        if not room:
            break
    return to.sendmsg(packet)


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
    """A message that comes in pieces.

    Attributes:
        kind: What kind it is, once its start has come.
    """

    def __init__(self, packets: bool, files: bool) -> None:
        """Nothing has come.

        Args:
            packets: Whether what is received at once is of one message.
            files: Whether files may come with it.
        """
        self._with_files = files
        self._files: list[int] = []
        self._start = memoryview(bytearray(_PACKET if packets else _START.size))
        self.kind = _PLAIN
        self._begin()

    def _begin(self) -> None:
        self._text = -1  # the start has not come
        self._view, self._have = self._start, 0

    @property
    def idle(self) -> bool:
        """Whether nothing of a message has come."""
        return self._text < 0 and not self._have

    def put_back(self, begun: bytes) -> None:
        """Takes some of a message, or all of it, that was received elsewhere."""
        while begun and len(rest := self._view[self._have :]):
            count = min(len(rest), len(begun))
            rest[:count] = begun[:count]
            begun = begun[count:]
            self._add(count)

    def take(self, source: socket.socket) -> bool:
        """Takes what has come; whether the message is whole."""
        rest = self._view[self._have :] if self._have else self._view
        if not len(rest):  # it was put back
            return True
        if self._text >= 0 or not self._with_files:
            count = source.recv_into(rest)
        else:  # they come with the start
            count, rights, _, _ = source.recvmsg_into([rest], _ROOM_FOR_FILE)
            for _, _, data in rights:
                self._files += [file for (file,) in _FILE.iter_unpack(data)]
        if not count:
            raise ConnectionError("the connection was closed")
        return self._add(count)

    def _add(self, count: int) -> bool:
        """More bytes have come; whether the message is whole."""
        self._have += count
        if self._text < 0:
            if self._have < _START.size:
                return False
            begun = self._view[_START.size : self._have]  # more than the start in a packet
            self._text, total, self.kind = _START.unpack_from(self._view)
            self._view, self._have = np.empty(total, np.uint8).data, len(begun)
            self._view[: len(begun)] = begun
        return self._have == len(self._view)

    def message(self) -> tuple[Told, list[Any]]:
        """What the head means, and the arrays that lie in the message."""
        view, text = self._view, self._text
        self._begin()
        told = (_usual_told if self.kind == _USUAL_HEAD else _told)(view[:text].tobytes())
        return told, told.views(view, _aligned(text))

    def take_files(self) -> list[int]:
        """Files that came with the message."""
        files, self._files = self._files, []
        return files
