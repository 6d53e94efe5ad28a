# SPDX-License-Identifier: Apache-2.0
"""The connection of a caller and a worker."""

from __future__ import annotations

import errno
import gc
import os
import resource
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from envpool_ray.wire import connection as wire_connection
from envpool_ray.wire import framing, shared_buffers
from envpool_ray.wire.connection import Connection, Listener, connect, new_secret
from envpool_ray.wire.shared_buffers import BufferPool, BufferRows, BufferSlot

TIMEOUT = 60.0
HOST = "127.0.0.1"


def both_ends(host: str | None) -> Iterator[tuple[Connection, Listener]]:
    listener, secret = Listener(host), new_secret()
    connection = Connection(connect(listener.address), secret)
    listener.accept(secret)
    yield connection, listener
    connection.close()
    listener.close()


@pytest.fixture(params=[HOST, None], ids=["remote", "local"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[Connection, Listener]]:
    """Both ends of one."""
    yield from both_ends(request.param)


@pytest.fixture
def local() -> Iterator[tuple[Connection, Listener]]:
    """The ends of a connection within a machine."""
    yield from both_ends(None)


def answers(connection: Connection, count: int) -> list[Any]:
    """The messages that the caller waits for: objects, or the arrays that come with None."""
    found: list[Any] = []
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        while len(found) < count:
            assert selector.select(TIMEOUT)
            request = connection.receive()
            if request is not None:
                found.append(request[1] if request[0].value is None else request[0].value)
    return found


def test_what_is_sent_arrives(ends: tuple[Connection, Listener]) -> None:
    connection, listener = ends
    connection.send({"text": "a"}, [np.arange(3, dtype=np.int8)])
    connection.send(None)
    value, (array,) = listener.receive()
    assert (value, array.tolist(), array.dtype) == ({"text": "a"}, [0, 1, 2], np.int8)
    assert listener.receive() == (None, [])
    # More than one call of the system takes, and of all sizes.
    odd: list[Any] = [np.full(n, n, np.float64) for n in range(600, 1200)]
    odd += [np.zeros((0, 3)), np.ones((5, 3), np.uint8).T, np.ones((90, 91), np.bool_).T]
    odd += [np.arange(9000, dtype=">i2")[::2], np.array(7, np.float32)]
    objects = [np.array([None, "x"], object), "end"]
    sender = threading.Thread(target=lambda: [listener.send(None, odd), listener.send(objects)])
    sender.start()
    back, (texts, end) = answers(connection, 2)
    sender.join(TIMEOUT)
    assert (end, texts.tolist()) == ("end", [None, "x"])
    for array, sent in zip(back, odd, strict=True):
        assert (array.dtype, array.shape) == (sent.dtype, sent.shape)
        assert array.tolist() == sent.tolist()
        assert array.flags.aligned
        assert array.flags.writeable


def test_repeated_headers(ends: tuple[Connection, Listener]) -> None:
    """Both ends remember a header: that depends on the object and on the kinds of arrays."""
    connection, listener = ends
    kinds = [np.zeros(0, np.int32), np.arange(3), np.arange(3.0), np.ones((2, 1), np.bool_)]
    for _ in range(2):
        for value in (("step", 0), ("step", 1), ("reset", 0)):
            for array in kinds:
                connection.send(value, [array], True)
                header, (got,) = listener.receive()
                assert (header, got.dtype, got.tolist()) == (value, array.dtype, array.tolist())
                listener.send(None, [array, *kinds], True)
                back = answers(connection, 1)[0]
                assert [a.tolist() for a in back] == [a.tolist() for a in [array, *kinds]]


def test_records_that_numpy_cannot_have(
    local: tuple[Connection, Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(framing, "_MOST_OF_RECORD", 15)
    connection, listener = local
    connection.send(None, [np.arange(5, dtype=np.int16), np.arange(2.0)])
    assert [array.tolist() for array in listener.receive()[1]] == [[0, 1, 2, 3, 4], [0, 1]]


def test_what_only_cloudpickle_knows(ends: tuple[Connection, Listener]) -> None:
    connection, listener = ends
    connection.send(lambda: 5)
    assert listener.receive()[0]() == 5


def test_more_than_there_is_room_for(ends: tuple[Connection, Listener]) -> None:
    connection, listener = ends
    large = np.arange(2**23)  # 64 MiB
    connection.send(None, [large])
    connection.send(1)
    assert connection.sending  # and it did not wait
    got: list[Any] = []
    reader = threading.Thread(target=lambda: got.extend([listener.receive(), listener.receive()]))
    reader.start()
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_WRITE)
        while connection.sending:
            assert selector.select(TIMEOUT)
            connection.flush()
    reader.join(TIMEOUT)
    assert (got[0][1][0] == large).all()
    assert got[1][0] == 1


def test_an_end_that_is_gone() -> None:
    secret = new_secret()
    for caller_goes in (True, False):
        listener = Listener(HOST)
        connection = Connection(connect(listener.address), secret)
        listener.accept(secret)
        if caller_goes:
            connection.close()
            with pytest.raises(ConnectionError):
                listener.receive()
        else:
            listener.close()
            with pytest.raises(ConnectionError):
                answers(connection, 1)


def test_strangers_are_turned_away() -> None:
    listener, secret = Listener(HOST), new_secret()
    with socket.create_connection(listener.address) as silent:
        silent.shutdown(socket.SHUT_WR)
        stranger = Connection(connect(listener.address), new_secret())
        connection = Connection(connect(listener.address), secret)
        listener.accept(secret)
        connection.send("mine")
        assert listener.receive()[0] == "mine"
        with pytest.raises(ConnectionError):
            answers(stranger, 1)
    connection.close()
    listener.close()


@pytest.mark.parametrize("host", [HOST, "::1"])
def test_a_silent_stranger_delays_nobody(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_connection, "_CONNECT_TIMEOUT", 300.0)
    listener, secret = Listener(host), new_secret()
    begin = time.monotonic()
    with socket.create_connection(listener.address[:2]):
        connection = Connection(connect(listener.address), secret)
        listener.accept(secret)
    took = time.monotonic() - begin
    assert took < 150.0  # half of the time that the stranger was given before
    connection.send("mine")
    assert listener.receive()[0] == "mine"
    connection.close()
    listener.close()


def test_nobody_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_connection, "_CONNECT_TIMEOUT", 0.01)
    with pytest.raises(TimeoutError, match="has not connected"):
        Listener(HOST).accept(new_secret())


def memory_of(rows: int = 4, most: int = 3) -> BufferPool:
    """Buffers with an array of 64 KiB for each environment, and a number."""
    state: Any = [
        ("obs", np.dtype(np.uint8), (shared_buffers.MIN_SHARED_BYTES,), 0, 255, False, (), True),
        ("reward", np.dtype(np.float32), (), 0, 1, False, (), True),
    ]
    return BufferPool(shared_buffers.fields_of(state, ["obs", "reward"], 1, rows), rows, most, rows)


def buffers_open() -> set[int]:
    """The buffers of which this process has files."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # it was closed meanwhile
            if "envpool-ray" in str(path.readlink()):
                found.add(path.stat().st_ino)
    return found


def written(listener: Listener, memory: BufferPool, number: int, row: int, value: int) -> list[Any]:
    """A worker writes into two rows, and says that they are there."""
    wanted = listener.buffers.arrays(memory.fields, number, row, 2)
    assert wanted is listener.buffers.arrays(memory.fields, number, row, 2)
    for array in wanted.values():
        array[:] = value
    arrays = [*wanted.values(), np.arange(3)]
    shared = shared_buffers.rows_in_place(arrays, [*wanted.values()])
    assert shared == ((0, 0, 2), (1, 1, 2))
    listener.send(None, arrays, False, shared)
    return arrays


def rows_of(connection: Connection, memory: BufferPool, slot: BufferSlot) -> BufferRows:
    """The result that the caller gets."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        while (request := connection.receive()) is None:
            assert selector.select(TIMEOUT)
    header, (rest,) = request
    assert rest.tolist() == [0, 1, 2]
    return BufferRows(memory, slot, 2, header.numbers, header.counts)


def test_workers_write_where_the_caller_reads() -> None:
    """Two workers, a buffer: their rows are one array, which nobody has copied."""
    memory = memory_of()
    both = [both_ends(None), both_ends(None)]
    pairs = [next(ends) for ends in both]
    slot = memory.acquire(2)
    assert slot is not None
    parts = []
    for at, (connection, listener) in enumerate(pairs):
        assert connection.share(slot.buffer)
        assert connection.share(slot.buffer)  # once is enough
        connection.send(at)
        assert listener.receive()[0] == at
        assert [*listener.buffers] == [0]
        written(listener, memory, slot.buffer.number, 2 * at, at + 1)
        parts.append(rows_of(connection, memory, slot._replace(row=2 * at)))
    rows = shared_buffers.join_rows(parts)
    assert rows is not None
    obs, reward = rows.arrays()
    assert reward.tolist() == [1, 1, 2, 2]
    assert obs.shape == (4, shared_buffers.MIN_SHARED_BYTES)
    assert (obs == reward[:, None]).all()
    assert all(np.shares_memory(a, b) for a, b in zip(rows.arrays(), [obs, reward], strict=True))
    assert shared_buffers.join_rows(parts[::-1]) is None  # they do not stand so
    other = memory.acquire(2)
    assert other is not None
    assert (
        shared_buffers.join_rows([parts[0], parts[1]._replace(slot=other._replace(row=2))]) is None
    )
    assert shared_buffers.join_rows([parts[0]._replace(counts=(1, 1)), parts[1]]) is None
    for connection, listener in pairs:
        connection.forget(slot.buffer)
        connection.forget(slot.buffer)
        connection.send("next")
        assert listener.receive()[0] == "next"
        assert not [*listener.buffers]
        connection.close()
        listener.close()


def test_memory_is_used_again_when_nobody_looks_into_it(local: tuple[Connection, Listener]) -> None:
    connection, listener = local
    memory, before = memory_of(rows=2), buffers_open()
    kept = []
    for turn in range(20):
        slot = memory.acquire(2)
        if turn >= 3:
            assert slot is None
            del kept[0]  # a view of it is enough to keep it
            slot = memory.acquire(2)
        assert slot is not None
        assert connection.share(slot.buffer)
        connection.send(turn)
        listener.receive()
        written(listener, memory, slot.buffer.number, 0, turn)
        kept.append(rows_of(connection, memory, slot).array(0)[1:, 5:9])
        del slot
        assert [view.tolist() for view in kept] == [
            [[value] * 4] for value in range(turn - len(kept) + 1, turn + 1)
        ]
    assert len([*listener.buffers]) == len(buffers_open() - before) == 3
    slot = memory.acquire(2)
    assert slot is None
    kept.clear()
    slots = [memory.acquire(2) for _ in range(3)]
    for one in slots:
        assert one is not None
        connection.forget(one.buffer)
        assert one.buffer in memory
        assert memory.drop(one.buffer)
        assert one.buffer not in memory
        assert not memory.drop(one.buffer)
    fresh = memory.acquire(2)
    assert fresh is not None
    assert fresh.buffer.number == 3  # what was dropped does not come again
    memory.drop(fresh.buffer)
    connection.send("end")
    listener.receive()
    del slots, one, fresh
    gc.collect()
    assert buffers_open() <= before


def test_arrays_that_are_not_in_their_place() -> None:
    wanted = [np.zeros((4, 6), np.int32), np.zeros(4)]
    like = wanted[0]
    for array in (
        like.copy(), like[1:], like[:, :3], like.T, like[::2], like.view(np.float32),
        like.reshape(2, 12), np.array(["x"], object),
    ):  # fmt: skip
        assert shared_buffers.rows_in_place([array], wanted) == ()
    assert shared_buffers.rows_in_place([np.ones(3), like[:2], wanted[1], like], wanted) == (
        (1, 0, 2), (2, 1, 4), (3, 0, 4),
    )  # fmt: skip


def test_what_is_not_worth_sharing() -> None:
    kinds: Any = [
        ("obs", np.dtype(np.float32), (-1, 8), 0, 1, False, (), True),
        ("info:text", np.dtype(np.uint8), (), 0, 1, True, (-1,), True),
    ]
    names = ["final obs", "info:text", "obs"]
    assert BufferPool(shared_buffers.fields_of(kinds, names, 2, 4), 4, 3, 4).acquire(4) is None
    final, obs = fields = shared_buffers.fields_of(kinds, names, 2, 2000)
    assert (final.name, obs.name, obs.item, obs.players, obs.row_bytes) == (
        "final obs", "obs", (8,), 2, 64,
    )  # fmt: skip
    assert obs.at == 2000 * 64
    memory = memory_of()
    assert memory.acquire(1) is not None
    assert memory.acquire(0) is None
    assert BufferPool((), 4, 3, 4).acquire(4) is None
    rows = shared_buffers.MIN_SHARED_BYTES // 128  # of which a worker's results are large enough
    assert BufferPool(fields, 2000, 3, rows).acquire(2000) is not None
    assert BufferPool(fields, 2000, 3, rows - 1).acquire(2000) is None


def test_where_there_is_no_memory_to_share(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, begin: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "no memory")

    before = buffers_open()
    monkeypatch.setattr(os, "posix_fallocate", full)
    assert memory_of().acquire(2) is None
    assert buffers_open() <= before


def test_an_actor_that_can_have_no_more_files(local: tuple[Connection, Listener]) -> None:
    connection, listener = local
    memory, before = memory_of(), len([*Path("/proc/self/fd").iterdir()])
    slot, other = memory.acquire(2), memory.acquire(2)
    assert slot is not None
    assert other is not None
    assert connection.share(slot.buffer)
    connection.send("first")
    first_free = os.dup(0)
    os.close(first_free)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free, hard))
    try:
        assert listener.receive()[0] == "first"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not [*listener.buffers]
    assert connection.share(other.buffer)  # it can again
    connection.forget(slot.buffer)  # which it never had
    connection.send("second")
    assert listener.receive()[0] == "second"
    assert [*listener.buffers] == [other.buffer.number]
    # Each buffer takes two files in the caller, and one in the worker.
    assert len([*Path("/proc/self/fd").iterdir()]) == before + 5


def test_a_buffer_that_an_actor_has_no_room_for(
    local: tuple[Connection, Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, length: int) -> None:
        raise OSError(errno.ENOMEM, "no memory")

    connection, listener = local
    slot = memory_of().acquire(2)
    assert slot is not None
    assert connection.share(slot.buffer)
    monkeypatch.setattr(shared_buffers.mmap, "mmap", full)
    connection.send("next")
    assert listener.receive()[0] == "next"
    assert not [*listener.buffers]


def test_no_room_to_tell_of_memory(local: tuple[Connection, Listener]) -> None:
    connection, listener = local
    slot = memory_of().acquire(2)
    assert slot is not None
    connection.send(None, [np.arange(2**18)])
    assert connection.sending
    assert not connection.share(slot.buffer)
    reader = threading.Thread(target=listener.receive)
    reader.start()
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_WRITE)
        while connection.sending:
            assert selector.select(TIMEOUT)
            connection.flush()
    reader.join(TIMEOUT)
    while connection.share(slot.buffer):  # until the system has no room, either
        connection._buffers.clear()
    connection.close()
