# SPDX-License-Identifier: Apache-2.0
"""The connection between the caller and a worker, which sends objects and arrays, see `framing`.

Between two processes of one machine it is a local one, of packets: most messages are one, for which
an end asks the system once. Then the caller shares memory with the worker, see `shared_buffers`.
"""

from __future__ import annotations

import hmac
import secrets
import selectors
import socket
import time
from collections import deque
from typing import Any

from . import shared_buffers
from .framing import (
    ADD_BUFFER,
    DROP_BUFFER,
    PLAIN,
    REPEATED,
    Arrays,
    Header,
    Incoming,
    Shared,
    file_rights,
    message_parts,
    remove_sent,
    send_some,
)

SECRET_BYTES = 32
_CONNECT_TIMEOUT = 30.0  # seconds for a connection, which takes less than one


class Connection:
    """The caller's end. Nothing here waits, so that one caller can have many.

    Attributes:
        watched: Whether a selector looks for room to send.
    """

    def __init__(self, connected: socket.socket, secret: bytes) -> None:
        """Makes itself known to the worker.

        Args:
            connected: The socket that `connect` returned; the connection owns it.
            secret: Shows the worker that it is the caller.

        Raises:
            OSError: If nobody listens any more.
        """
        self._socket, local = connected, connected.family == socket.AF_UNIX
        try:
            connected.sendall(secret)
            connected.setblocking(False)
            if not local:
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            connected.close()
            raise
        self._out: deque[deque[Any]] = deque()  # messages, each of parts
        self.watched = False
        self._buffers: set[int] = set()  # that the worker has
        self._packets = local
        self._incoming = Incoming(packets=local, files=False)

    def fileno(self) -> int:
        """For a selector."""
        return self._socket.fileno()

    @property
    def sending(self) -> bool:
        """Whether something has to be sent when there is room."""
        return bool(self._out)

    def send(self, value: Any, arrays: Arrays = (), repeated: bool = False) -> None:
        """Sends an object and arrays, at once or with later calls of `flush`.

        Args:
            value: The object.
            arrays: The arrays.
            repeated: Whether the object is a tuple that comes often, and nobody can change.
        """
        self._out.append(deque(message_parts(value, arrays, REPEATED if repeated else PLAIN)))
        self.flush()

    def share(self, buffer: shared_buffers.SharedBuffer) -> bool:
        """Gives the worker a buffer, if it has not got it; False if there is no room to send."""
        if buffer.number in self._buffers:
            return True
        if self._out:
            return False
        try:
            self._socket.sendmsg(
                message_parts(buffer.number, (), ADD_BUFFER), [file_rights(buffer.file)]
            )  # a packet, or nothing
        except BlockingIOError:
            return False
        self._buffers.add(buffer.number)
        return True

    def forget(self, buffer: shared_buffers.SharedBuffer) -> None:
        """Has the worker let go of a buffer, if it has it."""
        if buffer.number in self._buffers:
            self._buffers.remove(buffer.number)
            self._out.append(deque(message_parts(buffer.number, (), DROP_BUFFER)))
            self.flush()

    def flush(self) -> None:
        """Sends as much as there is room for.

        Raises:
            OSError: If the connection is lost.
        """
        try:
            while self._out:
                request = self._out[0]
                while request:
                    remove_sent(request, send_some(request, self._socket, self._packets))
                self._out.popleft()
        except BlockingIOError:
            return

    def receive(self) -> tuple[Header, list[Any]] | None:
        """The next message: the meaning of its header, and arrays; None if it has not all come.

        Raises:
            OSError: If the connection is lost.
        """
        try:
            while not self._incoming.take(self._socket):
                pass
        except BlockingIOError:
            return None
        return self._incoming.request()

    def put_back(self, begun: bytes, rest: bytes) -> None:
        """Goes on where somebody else has received and sent.

        Args:
            begun: Bytes of a message that has come, in part or as a whole.
            rest: Bytes of a message to be sent for which there was no room.
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


class Listener:
    """The worker's end: it waits for the caller.

    Attributes:
        local: Whether the caller is on this machine.
        buffers: Memory that it shares.
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
        self._listening.settimeout(_CONNECT_TIMEOUT)
        self._socket: socket.socket | None = None
        self.local = host is None
        self._incoming = Incoming(packets=self.local, files=self.local)
        self.buffers = shared_buffers.WorkerBuffers()

    @property
    def address(self) -> Any:
        """The address at which it listens: a host and its port, or a name."""
        name = self._listening.getsockname()
        return name.decode("latin-1") if isinstance(name, bytes) else name

    def accept(self, secret: bytes) -> None:
        """Waits for the caller; others are turned away, and one that says nothing delays nobody.

        Raises:
            TimeoutError: If the caller does not connect.
        """
        until = time.monotonic() + _CONNECT_TIMEOUT
        received: dict[socket.socket, bytes] = {}  # what each connection has said
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
                            received[one] = b""
                            selector.register(one, selectors.EVENT_READ)
                        elif not self._read_secret(one, received):
                            selector.unregister(one)
                            said = received.pop(one)
                            if hmac.compare_digest(said, secret):
                                caller = one
                                break
                            one.close()
            finally:
                for one in received:
                    one.close()
        one = caller
        one.setblocking(True)
        if not self.local:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = one

    @staticmethod
    def _read_secret(one: socket.socket, received: dict[socket.socket, bytes]) -> bool:
        """Takes what a connection says; False once it has said enough, or has ended."""
        try:
            more = one.recv(SECRET_BYTES - len(received[one]))
        except BlockingIOError:
            return True
        except OSError:
            return False
        received[one] += more
        return bool(more) and len(received[one]) < SECRET_BYTES

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
            header, arrays = self._incoming.request()
            if kind == ADD_BUFFER:
                self.buffers.add(header.value, self._incoming.take_files())
            elif kind == DROP_BUFFER:
                self.buffers.forget(header.value)
            else:
                return header.value, arrays

    def send(
        self, value: Any, arrays: Arrays = (), repeated: bool = False, shared: Shared = ()
    ) -> None:
        """Is as that of `Connection`, and waits until there is room.

        Args:
            value: The object.
            arrays: The arrays.
            repeated: Whether the object is a tuple that comes often, and nobody can change.
            shared: The arrays that lie where the caller wanted them.
        """
        assert self._socket is not None
        left = deque(message_parts(value, arrays, REPEATED if repeated else PLAIN, shared))
        while left:
            remove_sent(left, send_some(left, self._socket, self.local))

    def close(self) -> None:
        """Ends the connection."""
        self._listening.close()
        if self._socket is not None:
            self._socket.close()


def connect(address: Any) -> socket.socket:
    """A socket that is connected to a worker, which may take half a minute where nothing answers.

    Args:
        address: The address at which the worker listens, see `Listener.address`.

    Raises:
        OSError: If nobody listens there.
    """
    if not isinstance(address, str):  # of either version of IP; what follows is of version 6 alone
        return socket.create_connection(address[:2], _CONNECT_TIMEOUT)
    local = _local_socket()
    try:
        local.settimeout(_CONNECT_TIMEOUT)
        local.connect(address)
    except BaseException:
        local.close()
        raise
    return local


def new_secret() -> bytes:
    """Random bytes that only the caller and its worker know."""
    return secrets.token_bytes(SECRET_BYTES)


def _local_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
