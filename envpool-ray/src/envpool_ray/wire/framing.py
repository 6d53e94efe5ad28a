# SPDX-License-Identifier: Apache-2.0
"""How an object and arrays become the bytes of a message, and what becomes of those bytes.

    bytes of the header, of all after this, what kind of message it is | header | array ...

The header is pickled: the object, and the dtypes and shapes of the arrays, which begin at multiples
of 8 bytes and are received where they will stay. Some headers come with every step, so both ends
remember what their bytes mean. An array that lies in a shared buffer is not sent: the header says
which field of the buffer it is.
"""

from __future__ import annotations

import math
import pickle
import socket
import struct
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Arrays = Sequence[NDArray[Any]]
Kinds = tuple[tuple["np.dtype[Any]", tuple[int, ...]], ...]
"""The dtype and shape of each array of a message."""
Shared = tuple[tuple[int, int, int], ...]
"""Arrays that lie in a buffer: which of a message they are, which of its fields, and rows."""
PLAIN, REPEATED = 0, 1  # kinds of messages: of a repeated one, both ends remember the header
ADD_BUFFER, DROP_BUFFER = 2, 3  # and those about shared memory
PACKET_BYTES = 1 << 16  # at most; a system's socket buffer usually has 200 KiB
_START = struct.Struct("<QQQ")
_REMEMBERED = 1024  # headers of which an end knows the meaning
_FILE = struct.Struct("i")
_ROOM_FOR_FILE = socket.CMSG_SPACE(_FILE.size)
_ALIGN = 8
_ZEROS = bytes(_ALIGN)
_SMALL = 4096  # bytes of an array that is copied: sooner done than another part is handled
_MOST_OF_RECORD = 1 << 30  # bytes; NumPy counts those of a record as a C int
_MOST_PARTS = 512  # of one call of the system, which takes 1024


class Header(NamedTuple):
    """The meaning of a header."""

    text: bytes
    """As it was sent."""
    value: Any
    """The object."""
    shared: Shared
    """Arrays that lie in the buffer that the caller has named."""
    numbers: tuple[int, ...]
    """The field of each of them."""
    counts: tuple[int, ...]
    """Its rows."""
    views: Callable[[Any, int], list[Any]]
    """The other arrays, which lie in memory of which the first begins there."""


def request_header(value: Any, arrays: Kinds) -> bytes:
    """The header of a repeated message to a worker."""
    return _remembered_header(value, arrays, (), REPEATED)


def file_rights(file: int) -> tuple[int, int, bytes]:
    """Ancillary data that sends a file along with a message."""
    return socket.SOL_SOCKET, socket.SCM_RIGHTS, _FILE.pack(file)


def response_header(header: Header, arrays: Kinds) -> bytes:
    """The header, as it was received, of a repeated message."""
    return _framed(header.text, arrays, REPEATED)


def message_parts(value: Any, arrays: Arrays, kind: int, shared: Shared = ()) -> list[Any]:
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
    make = _remembered_header if kind == REPEATED else _make_header
    header = make(value, tuple(kinds), shared, kind)
    if not parts:
        return [header + b"".join(small)]
    return [part for part in (header, *parts, b"".join(small)) if len(part)]


def _make_header(value: Any, kinds: Kinds, shared: Shared, kind: int) -> bytes:
    """The beginning of a message."""
    described = tuple([(dtype.str, shape) for dtype, shape in kinds])
    return _framed(_pickled((value, described, shared)), kinds, kind)


def _framed(text: bytes, kinds: Kinds, kind: int) -> bytes:
    begin = _aligned(len(text))
    size = sum(_room(*of) for of in kinds)
    start = _START.pack(len(text), begin + size, kind)
    return b"".join((start, text, _ZEROS[: begin - len(text)]))


def _parse_header(text: bytes) -> Header:
    value, names, shared = pickle.loads(text)
    kinds = tuple([(np.dtype(name), shape) for name, shape in names])
    numbers = tuple([number for _, number, _ in shared])
    counts = tuple([rows for _, _, rows in shared])
    return Header(text, value, shared, numbers, counts, _viewer(kinds))


_remembered_header = lru_cache(_REMEMBERED)(_make_header)
_remembered_parse = lru_cache(_REMEMBERED)(_parse_header)


@lru_cache(_REMEMBERED)
def _viewer(kinds: Kinds) -> Callable[[Any, int], list[Any]]:
    """Makes arrays of the bytes of a message."""
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


def send_some(parts: deque[Any], to: socket.socket, packets: bool) -> int:
    """Sends some of the parts, or a packet of them: how many bytes."""
    first = parts[0]
    if len(parts) == 1 or (packets and len(first) >= PACKET_BYTES):
        return to.send(memoryview(first)[:PACKET_BYTES] if packets else first)
    if not packets:
        return to.sendmsg([parts[at] for at in range(min(len(parts), _MOST_PARTS))])
    packet, room = [], PACKET_BYTES
    for part in islice(parts, _MOST_PARTS):
        packet.append(memoryview(part)[:room])
        room -= len(packet[-1])
        if not room:
            break
    return to.sendmsg(packet)


def remove_sent(parts: deque[Any], count: int) -> None:
    """Takes away so many bytes."""
    while count:
        part = parts.popleft()
        if count < len(part):
            parts.appendleft(memoryview(part)[count:])
            return
        count -= len(part)


def _aligned(size: int) -> int:
    return size + -size % _ALIGN


class Incoming:
    """A message that comes in pieces.

    Attributes:
        kind: Its kind, once its start has come.
    """

    def __init__(self, packets: bool, files: bool) -> None:
        """Nothing has come.

        Args:
            packets: Whether what is received at once is of one request.
            files: Whether files may come with it.
        """
        self._with_files = files
        self._files: list[int] = []
        self._start = memoryview(bytearray(PACKET_BYTES if packets else _START.size))
        self.kind = PLAIN
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
        """Takes what has come; whether the request is whole."""
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
        """More bytes have come; whether the request is whole."""
        self._have += count
        if self._text < 0:
            if self._have < _START.size:
                return False
            begun = self._view[_START.size : self._have]  # more than the start in a packet
            self._text, total, self.kind = _START.unpack_from(self._view)
            self._view, self._have = np.empty(total, np.uint8).data, len(begun)
            self._view[: len(begun)] = begun
        return self._have == len(self._view)

    def request(self) -> tuple[Header, list[Any]]:
        """The meaning of the header, and the arrays that lie in the request."""
        view, text = self._view, self._text
        self._begin()
        header = (_remembered_parse if self.kind == REPEATED else _parse_header)(
            view[:text].tobytes()
        )
        return header, header.views(view, _aligned(text))

    def take_files(self) -> list[int]:
        """Files that came with the request."""
        files, self._files = self._files, []
        return files
