# SPDX-License-Identifier: Apache-2.0
"""The connection of a caller and an actor."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from envpool_ray import _shared
from envpool_ray._line import Line, Server, new_secret

PATIENCE = 60.0
HOST = "127.0.0.1"


@pytest.fixture(params=[HOST, None], ids=["remote", "local"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[Line, Server]]:
    """Both ends of one."""
    server, secret = Server(request.param), new_secret()
    line = Line(server.address, secret)
    server.accept(secret)
    yield line, server
    line.close()
    server.close()


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


def test_memory_is_shared_and_used_again() -> None:
    """Answers lie where the actor wrote them, and stay as they are for as long as they are held."""
    server, secret = Server(None), new_secret()
    line = Line(server.address, secret)
    server.accept(secret)
    held = []
    for turn in range(3 * _shared.MOST):
        line.send(turn)
        assert server.receive()[0] == turn
        server.send(None, [np.full(2**17, turn, np.uint8)])
        array = answers(line, 1)[0][0]
        assert (array == turn).all()
        if turn < 2 * _shared.MOST:
            held.append(array)  # more than there are buffers: the last ones are copies
    assert server.buffers == _shared.MOST
    for turn, array in enumerate(held):
        assert (array == turn).all()
    del held, array
    for turn in range(2 * _shared.MOST):
        line.send(turn)
        server.receive()
        server.send(None, [np.full(2**18, turn, np.uint8)])
        assert (answers(line, 1)[0][0] == turn).all()
    assert server.buffers == _shared.MOST  # larger ones take the places of those
    line.close()
    server.close()


def test_where_there_is_no_memory_to_share(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, begin: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "no memory")

    monkeypatch.setattr(os, "posix_fallocate", full)
    server, secret = Server(None), new_secret()
    line = Line(server.address, secret)
    server.accept(secret)
    large = np.arange(2**20)
    sender = threading.Thread(target=server.send, args=(None, [large]))
    sender.start()
    assert (answers(line, 1)[0][0] == large).all()  # through the connection
    sender.join(PATIENCE)
    assert server.buffers == 0
    line.close()
    server.close()
