# SPDX-License-Identifier: Apache-2.0
"""The connection of a caller and an actor."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from envpool_ray import _line, _shared
from envpool_ray._line import Line, Server, new_secret
from numpy.typing import NDArray

PATIENCE = 60.0
HOST = "127.0.0.1"


def both_ends(host: str | None) -> Iterator[tuple[Line, Server]]:
    server, secret = Server(host), new_secret()
    line = Line(server.address, secret)
    server.accept(secret)
    yield line, server
    line.close()
    server.close()


@pytest.fixture(params=[HOST, None], ids=["remote", "local"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[Line, Server]]:
    """Both ends of one."""
    yield from both_ends(request.param)


@pytest.fixture
def local() -> Iterator[tuple[Line, Server]]:
    """Those of one within a machine."""
    yield from both_ends(None)


def answers(line: Line, count: int) -> list[Any]:
    """What comes to the caller, as it waits for it: objects, or the arrays that come with None."""
    found: list[Any] = []
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        while len(found) < count:
            assert selector.select(PATIENCE)
            message = line.receive()
            if message is not None:
                found.append(message[1] if message[0] is None else message[0])
    return found


def test_what_is_sent_arrives(ends: tuple[Line, Server]) -> None:
    line, server = ends
    line.send({"text": "a"}, [np.arange(3, dtype=np.int8)])
    line.send(None)
    value, (array,) = server.receive()
    assert (value, array.tolist(), array.dtype) == ({"text": "a"}, [0, 1, 2], np.int8)
    assert server.receive() == (None, [])
    # More than one call of the system takes, and of all sizes.
    odd: list[Any] = [np.full(n, n, np.float64) for n in range(600, 1200)]
    odd += [np.zeros((0, 3)), np.ones((5, 3), np.uint8).T, np.ones((90, 91), np.bool_).T]
    odd += [np.arange(9000, dtype=">i2")[::2], np.array(7, np.float32)]
    objects = [np.array([None, "x"], object), "end"]
    sender = threading.Thread(target=lambda: [server.send(None, odd), server.send(objects)])
    sender.start()
    back, (texts, end) = answers(line, 2)
    sender.join(PATIENCE)
    assert (end, texts.tolist()) == ("end", [None, "x"])
    for array, sent in zip(back, odd, strict=True):
        assert (array.dtype, array.shape) == (sent.dtype, sent.shape)
        assert array.tolist() == sent.tolist()
        assert array.flags.aligned
        assert not array.flags.writeable


def test_usual_heads(ends: tuple[Line, Server]) -> None:
    """What both ends remember of a head is told apart by the object, and by what the arrays are."""
    line, server = ends
    kinds = [np.zeros(0, np.int32), np.arange(3), np.arange(3.0), np.ones((2, 1), np.bool_)]
    for _ in range(2):
        for value in (("step", 0), ("step", 1), ("reset", 0)):
            for array in kinds:
                line.send(value, [array], True)
                told, (got,) = server.receive()
                assert (told, got.dtype, got.tolist()) == (value, array.dtype, array.tolist())
                server.send(None, [array, *kinds], True)
                back = answers(line, 1)[0]
                assert [a.tolist() for a in back] == [a.tolist() for a in [array, *kinds]]


def test_records_that_numpy_cannot_have(
    local: tuple[Line, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_line, "_MOST_OF_RECORD", 15)
    line, server = local
    line.send(None, [np.arange(5, dtype=np.int16), np.arange(2.0)])
    assert [array.tolist() for array in server.receive()[1]] == [[0, 1, 2, 3, 4], [0, 1]]


def test_what_only_cloudpickle_knows(ends: tuple[Line, Server]) -> None:
    line, server = ends
    line.send(lambda: 5)
    assert server.receive()[0]() == 5


def test_more_than_there_is_room_for(ends: tuple[Line, Server]) -> None:
    line, server = ends
    large = np.arange(2**23)  # 64 MiB
    line.send(None, [large])
    line.send(1)
    assert line.sending  # and it did not wait
    got: list[Any] = []
    reader = threading.Thread(target=lambda: got.extend([server.receive(), server.receive()]))
    reader.start()
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_WRITE)
        while line.sending:
            assert selector.select(PATIENCE)
            line.flush()
    reader.join(PATIENCE)
    assert (got[0][1][0] == large).all()
    assert got[1][0] == 1


def test_an_end_that_is_gone() -> None:
    secret = new_secret()
    for caller_goes in (True, False):
        server = Server(HOST)
        line = Line(server.address, secret)
        server.accept(secret)
        if caller_goes:
            line.close()
            with pytest.raises(ConnectionError):
                server.receive()
        else:
            server.close()
            with pytest.raises(ConnectionError):
                answers(line, 1)


def test_strangers_are_turned_away() -> None:
    server, secret = Server(HOST), new_secret()
    with socket.create_connection(server.address) as silent:
        silent.shutdown(socket.SHUT_WR)
        stranger = Line(server.address, new_secret())
        line = Line(server.address, secret)
        server.accept(secret)
        line.send("mine")
        assert server.receive()[0] == "mine"
        with pytest.raises(ConnectionError):
            answers(stranger, 1)
    line.close()
    server.close()


def in_memory_of(server: Server, value: int, size: int) -> NDArray[np.uint8]:
    """An array such as a pool makes of the memory that it is given."""
    assert server.allocate is not None
    chunk = server.allocate(size)
    assert chunk is not None
    array: NDArray[np.uint8] = np.frombuffer(chunk, np.uint8, size)
    array[:] = value
    return array


def test_memory_is_shared(local: tuple[Line, Server]) -> None:
    """Arrays lie where the actor wrote them, for as long as they are held; too many are copied."""
    line, server = local
    held = []
    for turn in range(3 * _shared.MOST):
        line.send(turn)
        assert server.receive()[0] == turn
        written = in_memory_of(server, turn, 2**17)
        server.send(None, [np.arange(3), written[: 2**17 - turn], np.arange(3.0)])
        before, array, after = answers(line, 1)[0]
        assert (array == turn).all()
        assert (len(array), array.flags.writeable) == (2**17 - turn, False)
        assert (before.tolist(), after.tolist()) == ([0, 1, 2], [0, 1, 2])
        written[:] = 77
        assert (array == 77).all() == (turn < _shared.MOST)  # the same memory
        held.append(array)
    assert server.lent == _shared.MOST
    del array
    held.clear()
    line.send("next")
    server.receive()
    assert server.lent == 0


def test_memory_is_given_back(local: tuple[Line, Server]) -> None:
    """Neither end keeps what the pool has dropped; a view of an array keeps it."""
    line, server = local
    here = set(Path("/proc/self/fd").iterdir())
    one = in_memory_of(server, 1, 2**20)
    server.send(None, [one])
    view = answers(line, 1)[0][0][5:9]
    for _ in range(3 * _shared.MOST):
        line.send(None)
        server.receive()
        server.send(None, [in_memory_of(server, 2, 2**20)])
        assert answers(line, 1)[0][0][0] == 2
        assert server.lent <= 2
    assert view.tolist() == [1] * 4
    del one, view
    for _ in range(3):
        line.send(None)
        server.receive()
        server.send("empty")
        assert answers(line, 1) == ["empty"]
    assert server.lent == 0
    assert not line._read._chunks
    assert set(Path("/proc/self/fd").iterdir()) == here


def test_the_same_memory_twice_in_an_answer(local: tuple[Line, Server]) -> None:
    line, server = local
    one = in_memory_of(server, 3, _shared.LARGE)
    server.send(None, [one, one, one.reshape(2, -1).T])
    assert all((array == 3).all() for array in answers(line, 1)[0])
    assert server.lent == 1


def test_where_there_is_no_memory_to_share(
    monkeypatch: pytest.MonkeyPatch, local: tuple[Line, Server]
) -> None:
    def full(file: int, begin: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "no memory")

    monkeypatch.setattr(os, "posix_fallocate", full)
    line, server = local
    assert server.allocate is not None
    assert server.allocate(2**20) is None
    large = np.arange(2**20)
    sender = threading.Thread(target=server.send, args=(None, [large]))
    sender.start()
    assert (answers(line, 1)[0][0] == large).all()  # through the connection
    sender.join(PATIENCE)
    assert server.lent == 0
