# SPDX-License-Identifier: Apache-2.0
"""The connection of a caller and an actor."""

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
from envpool_ray import _line, _shared
from envpool_ray._line import Line, Server, new_secret
from envpool_ray._shared import Memory, Place, Rows

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
                found.append(message[1] if message[0].value is None else message[0].value)
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
        assert array.flags.writeable


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


@pytest.mark.parametrize("host", [HOST, "::1"])
def test_a_silent_stranger_delays_nobody(host: str) -> None:
    server, secret = Server(host), new_secret()
    begin = time.monotonic()
    with socket.create_connection(server.address[:2]):
        line = Line(server.address, secret)
        server.accept(secret)
    assert time.monotonic() - begin < _line._PATIENCE / 2  # which it was given before
    line.send("mine")
    assert server.receive()[0] == "mine"
    line.close()
    server.close()


def test_nobody_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_line, "_PATIENCE", 0.01)
    with pytest.raises(TimeoutError, match="has not connected"):
        Server(HOST).accept(new_secret())


def memory_of(rows: int = 4, most: int = 3) -> Memory:
    """Chunks with an array of 64 KiB for each environment, and a number."""
    state: Any = [
        ("obs", np.dtype(np.uint8), (_shared.LARGE,), 0, 255, False, (), True),
        ("reward", np.dtype(np.float32), (), 0, 1, False, (), True),
    ]
    return Memory(_shared.fields_of(state, ["obs", "reward"], 1, rows), rows, most, rows)


def chunks_open() -> set[int]:
    """The chunks of which this process has files."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # it was closed meanwhile
            if "envpool-ray" in str(path.readlink()):
                found.add(path.stat().st_ino)
    return found


def written(server: Server, memory: Memory, number: int, row: int, value: int) -> list[Any]:
    """What an actor does: it writes into two rows, and says that they are there."""
    wanted = server.chunks.arrays(memory.fields, number, row, 2)
    assert wanted is server.chunks.arrays(memory.fields, number, row, 2)
    for array in wanted.values():
        array[:] = value
    arrays = [*wanted.values(), np.arange(3)]
    shared = _shared.in_place(arrays, [*wanted.values()])
    assert shared == ((0, 0, 2), (1, 1, 2))
    server.send(None, arrays, False, shared)
    return arrays


def rows_of(line: Line, memory: Memory, place: Place) -> Rows:
    """What the caller gets of it."""
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        while (message := line.receive()) is None:
            assert selector.select(PATIENCE)
    head, (rest,) = message
    assert rest.tolist() == [0, 1, 2]
    return Rows(memory, place, 2, head.numbers, head.counts)


def test_actors_write_where_the_caller_reads() -> None:
    """Two actors, a chunk: their rows are one array, which nobody has copied."""
    memory = memory_of()
    both = [both_ends(None), both_ends(None)]
    pairs = [next(ends) for ends in both]
    place = memory.lease(2)
    assert place is not None
    parts = []
    for at, (line, server) in enumerate(pairs):
        assert line.share(place.chunk)
        assert line.share(place.chunk)  # once is enough
        line.send(at)
        assert server.receive()[0] == at
        assert [*server.chunks] == [0]
        written(server, memory, place.chunk.number, 2 * at, at + 1)
        parts.append(rows_of(line, memory, place._replace(row=2 * at)))
    rows = _shared.joined(parts)
    assert rows is not None
    obs, reward = rows.arrays()
    assert reward.tolist() == [1, 1, 2, 2]
    assert obs.shape == (4, _shared.LARGE)
    assert (obs == reward[:, None]).all()
    assert all(np.shares_memory(a, b) for a, b in zip(rows.arrays(), [obs, reward], strict=True))
    assert _shared.joined(parts[::-1]) is None  # they do not stand so
    other = memory.lease(2)
    assert other is not None
    assert _shared.joined([parts[0], parts[1]._replace(place=other._replace(row=2))]) is None
    assert _shared.joined([parts[0]._replace(counts=(1, 1)), parts[1]]) is None
    for line, server in pairs:
        line.forget(place.chunk)
        line.forget(place.chunk)
        line.send("next")
        assert server.receive()[0] == "next"
        assert not [*server.chunks]
        line.close()
        server.close()


def test_memory_is_used_again_when_nobody_looks_into_it(local: tuple[Line, Server]) -> None:
    line, server = local
    memory, before = memory_of(rows=2), chunks_open()
    kept = []
    for turn in range(20):
        place = memory.lease(2)
        if turn >= 3:
            assert place is None
            del kept[0]  # a view of it is enough to keep it
            place = memory.lease(2)
        assert place is not None
        assert line.share(place.chunk)
        line.send(turn)
        server.receive()
        written(server, memory, place.chunk.number, 0, turn)
        kept.append(rows_of(line, memory, place).array(0)[1:, 5:9])
        del place
        assert [view.tolist() for view in kept] == [
            [[value] * 4] for value in range(turn - len(kept) + 1, turn + 1)
        ]
    assert len([*server.chunks]) == len(chunks_open() - before) == 3
    place = memory.lease(2)
    assert place is None
    kept.clear()
    places = [memory.lease(2) for _ in range(3)]
    for one in places:
        assert one is not None
        line.forget(one.chunk)
        assert one.chunk in memory
        assert memory.drop(one.chunk)
        assert one.chunk not in memory
        assert not memory.drop(one.chunk)
    fresh = memory.lease(2)
    assert fresh is not None
    assert fresh.chunk.number == 3  # what was dropped does not come again
    memory.drop(fresh.chunk)
    line.send("end")
    server.receive()
    del places, one, fresh
    gc.collect()
    assert chunks_open() <= before


def test_arrays_that_are_not_in_their_place() -> None:
    wanted = [np.zeros((4, 6), np.int32), np.zeros(4)]
    like = wanted[0]
    for array in (
        like.copy(), like[1:], like[:, :3], like.T, like[::2], like.view(np.float32),
        like.reshape(2, 12), np.array(["x"], object),
    ):  # fmt: skip
        assert _shared.in_place([array], wanted) == ()
    assert _shared.in_place([np.ones(3), like[:2], wanted[1], like], wanted) == (
        (1, 0, 2), (2, 1, 4), (3, 0, 4),
    )  # fmt: skip


def test_what_is_not_worth_sharing() -> None:
    kinds: Any = [
        ("obs", np.dtype(np.float32), (-1, 8), 0, 1, False, (), True),
        ("info:text", np.dtype(np.uint8), (), 0, 1, True, (-1,), True),
    ]
    names = ["final obs", "info:text", "obs"]
    assert Memory(_shared.fields_of(kinds, names, 2, 4), 4, 3, 4).lease(4) is None
    final, obs = fields = _shared.fields_of(kinds, names, 2, 2000)
    assert (final.name, obs.name, obs.item, obs.players, obs.row_bytes) == (
        "final obs", "obs", (8,), 2, 64,
    )  # fmt: skip
    assert obs.at == 2000 * 64
    memory = memory_of()
    assert memory.lease(1) is not None
    assert memory.lease(0) is None
    assert Memory((), 4, 3, 4).lease(4) is None
    rows = _shared.LARGE // 128  # of which an actor's results are large enough
    assert Memory(fields, 2000, 3, rows).lease(2000) is not None
    assert Memory(fields, 2000, 3, rows - 1).lease(2000) is None


def test_where_there_is_no_memory_to_share(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, begin: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "no memory")

    before = chunks_open()
    monkeypatch.setattr(os, "posix_fallocate", full)
    assert memory_of().lease(2) is None
    assert chunks_open() <= before


def test_an_actor_that_can_have_no_more_files(local: tuple[Line, Server]) -> None:
    line, server = local
    memory, before = memory_of(), len([*Path("/proc/self/fd").iterdir()])
    place, other = memory.lease(2), memory.lease(2)
    assert place is not None
    assert other is not None
    assert line.share(place.chunk)
    line.send("first")
    first_free = os.dup(0)
    os.close(first_free)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free, hard))
    try:
        assert server.receive()[0] == "first"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not [*server.chunks]
    assert line.share(other.chunk)  # it can again
    line.forget(place.chunk)  # which it never had
    line.send("second")
    assert server.receive()[0] == "second"
    assert [*server.chunks] == [other.chunk.number]
    # Each chunk takes two files in the caller, and one in the actor.
    assert len([*Path("/proc/self/fd").iterdir()]) == before + 5


def test_a_chunk_that_an_actor_has_no_room_for(
    local: tuple[Line, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, length: int) -> None:
        raise OSError(errno.ENOMEM, "no memory")

    line, server = local
    place = memory_of().lease(2)
    assert place is not None
    assert line.share(place.chunk)
    monkeypatch.setattr(_shared.mmap, "mmap", full)
    line.send("next")
    assert server.receive()[0] == "next"
    assert not [*server.chunks]


def test_no_room_to_tell_of_memory(local: tuple[Line, Server]) -> None:
    line, server = local
    place = memory_of().lease(2)
    assert place is not None
    line.send(None, [np.arange(2**18)])
    assert line.sending
    assert not line.share(place.chunk)
    reader = threading.Thread(target=server.receive)
    reader.start()
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_WRITE)
        while line.sending:
            assert selector.select(PATIENCE)
            line.flush()
    reader.join(PATIENCE)
    while line.share(place.chunk):  # until the system has no room, either
        line._chunks.clear()
    line.close()
