# SPDX-License-Identifier: Apache-2.0
"""The compiled calls; a test has the other end of the connection, and sends other messages."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pytest
from envpool_ray._native import SteadyCalls
from envpool_ray.wire.framing import request_header

SECONDS = ((np.dtype(np.float64), (1,)),)


class Ends(NamedTuple):
    """A pool of environments 5 .. 7, and the actor that has them."""

    calls: Any
    caller: socket.socket
    actor: socket.socket
    answer: bytes
    """The header of an expected one."""
    wide: int
    """Bytes of an observation."""
    local: bool
    """Whether the connection is of packets."""

    def arm(self) -> None:
        """For long."""
        self.calls.arm([], None, time.monotonic() + 1e3)

    def say(self, obs: int, reward: float, header: bytes | None = None, cut: int = 0) -> bytes:
        """Sends an answer in packets, without its last `cut` bytes; all of it, as it would be."""
        arrays = (
            np.full((3, self.wide), obs, np.uint8),
            np.full(3, reward, np.float32),
            np.ones(1),
        )
        body = b"".join(array.tobytes() + bytes(-array.nbytes % 8) for array in arrays)
        whole = (self.answer if header is None else header) + body
        for at in range(0, len(whole) - cut, 1 << 16):
            self.actor.send(whole[: len(whole) - cut][at : at + (1 << 16)])
        return whole


@pytest.fixture(params=["a packet", "three packets", "a stream", "a long stream"])
def ends(request: pytest.FixtureRequest) -> Iterator[Ends]:
    """A pool and an actor."""
    wide = 50_000 if request.param in ("three packets", "a long stream") else 16
    local = "packet" in request.param
    kind = socket.SOCK_SEQPACKET if local else socket.SOCK_STREAM
    caller, actor = socket.socketpair(socket.AF_UNIX, kind)
    caller.setblocking(False)
    fields = [(np.dtype(np.uint8), [wide]), (np.dtype(np.float32), [])]
    with caller, actor:
        calls = SteadyCalls(
            channels=[(caller.fileno(), 0, 3, local)],
            fields=fields,
            tree=(0, 1, {"true": True, "false": False, "nothing": None}, [list, (1,)]),
            batch_size=0,
            buffer_rows=3,
            acquire=None,
            header=lambda channel, rows, buffer, row: b"these-are-24-bytes-of-it",
        )
        kinds = tuple((dtype, (3, *item)) for dtype, item in fields)
        answer = request_header("answer", (*kinds, *SECONDS))
        calls.expect(0, False, 3, answer, [0, 1])
        assert calls.expects(0, False, 3)
        assert not calls.expects(0, True, 3)
        yield Ends(calls, caller, actor, answer, wide, local)


def test_a_step(ends: Ends) -> None:
    ends.arm()
    for step in range(3):
        ends.say(step, 0.5)
        obs, reward, info, called = ends.calls.step(np.array([1, 2, step]))
        assert obs.dtype == np.uint8
        assert obs.shape == (3, ends.wide)
        assert (obs == step).all()
        assert reward.tolist() == [0.5] * 3
        assert info["nothing"] is None
        assert info["true"].tolist() == [True] * 3
        assert info["false"].tolist() == [False] * 3
        assert len(called) == 1
        assert called[0].tolist() == reward.tolist()
        packet = ends.actor.recv(1 << 16)
        numbers = np.frombuffer(packet[24 : 24 + 16], np.int32)
        assert numbers[:3].tolist() == [0, 1, 2]
        assert np.frombuffer(packet[24 + 16 :], np.int64).tolist() == [1, 2, step]
    assert ends.calls.count == 3
    ((steps, seconds, last, sent, begun, rest),) = ends.calls.settle()
    assert (steps, seconds, sent, begun, rest) == (9, 3.0, [], b"", b"")
    ((ids, (obs, reward)),) = last
    assert ids.tolist() == [0, 1, 2]
    assert (obs == 2).all()


def test_calls_that_it_does_not_take(ends: Ends) -> None:
    plain = np.ones(3, np.int64)
    assert not ends.calls.ready  # not armed
    assert ends.calls.step(plain) is None
    ends.arm()
    assert ends.calls.ready
    assert ends.calls.send(plain) is None  # of asynchronous pools
    assert ends.calls.recv(0.0) is None
    ends.actor.setblocking(False)
    with pytest.raises(BlockingIOError):  # nothing was sent
        ends.actor.recv(1)
    assert ends.calls.num_in_flight == 0


@pytest.mark.parametrize("what", ["other header", "too short", "closed", "a few bytes"])
def test_responses_that_were_not_expected(ends: Ends, what: str) -> None:
    """They are for Python, with all that has come of them."""
    ends.arm()
    whole = b""
    if what == "other header":
        kinds = ((np.dtype(np.uint8), (3, ends.wide)), (np.dtype(np.float32), (3,)), *SECONDS)
        whole = ends.say(1, 1.0, request_header("Response", kinds))
    elif what == "too short":
        whole = request_header("answer", SECONDS) + bytes(8)
        ends.actor.send(whole)
    elif what == "a few bytes":
        whole = b"few"
        ends.actor.send(whole)
    else:
        ends.actor.close()
    result = ends.calls.step(np.ones(3, np.int64))
    assert result is False
    assert ends.calls.num_in_flight == 3
    assert ends.calls.step(np.ones(3, np.int64)) is None
    ((steps, _, last, (request,), begun, _),) = ends.calls.settle()
    assert (steps, last) == (0, [])
    ids, action, slot, _, request, delivered, arrays = request
    assert ids.tolist() == [0, 1, 2]
    assert action.tolist() == [1, 1, 1]
    assert (slot, request, arrays) == (None, None, None)
    assert delivered == (what != "closed")
    assert whole.startswith(begun)  # the rest is still to be received
    assert len(begun) >= min(len(whole), 1 << 16 if ends.local else 24)
    assert ends.calls.num_in_flight == 0


def test_an_answer_that_has_come_in_part(ends: Ends) -> None:
    """After half a second Python looks what is the matter; the rest may come later."""
    ends.arm()
    whole = ends.say(1, 1.0, cut=8)
    since = time.monotonic()
    assert ends.calls.step(np.ones(3, np.int64)) is False
    assert time.monotonic() - since > 0.4
    ((_, _, _, (request,), begun, _),) = ends.calls.settle()
    assert request[5]
    assert begun == whole[:-8]


def test_a_connection_that_is_full(ends: Ends) -> None:
    """The request is for Python to send."""
    ends.arm()
    with suppress(BlockingIOError):
        while True:
            ends.caller.send(bytes(1 << 15))
    assert ends.calls.step(np.ones(3, np.int64)) is False
    ((_, _, _, (request,), _, rest),) = ends.calls.settle()
    assert request[1].tolist() == [1, 1, 1]
    assert request[5] == (not ends.local)
    assert len(rest) == (0 if ends.local else 24 + 16 + 24)  # of a stream what is left to be sent


@pytest.mark.parametrize("ends", ["a stream", "a long stream"], indirect=True)
def test_a_stream_that_was_full(ends: Ends) -> None:
    """Bytes that had no room go out when there is some, while the answer is waited for."""
    ends.arm()
    sent = 0
    with suppress(BlockingIOError):
        while True:
            sent += ends.caller.send(bytes(1 << 15))
    came = bytearray()

    def play() -> None:
        while len(came) < sent + 64:
            came.extend(ends.actor.recv(1 << 16))
        ends.say(3, 1.0)

    thread = threading.Thread(target=play)
    thread.start()
    obs, *_ = ends.calls.step(np.array([1, 2, 3]))
    thread.join()
    assert (obs == 3).all()
    assert np.frombuffer(came[-24:], np.int64).tolist() == [1, 2, 3]


def test_what_was_given_comes_again(ends: Ends) -> None:
    ends.arm()
    ends.say(7, 0.25)
    assert ends.calls.step(np.ones(3, np.int64)) is not None
    assert ends.calls.num_in_flight == 0
    ends.calls.take_back()
    assert ends.calls.num_in_flight == 3
    ((steps, _, last, (request,), _, _),) = ends.calls.settle()
    assert (steps, last) == (0, [])
    obs, reward = request[-1]
    assert (obs == 7).all()
    assert reward.tolist() == [0.25] * 3


def test_the_time_is_over(ends: Ends) -> None:
    ends.calls.arm([], None, time.monotonic() - 1)
    assert ends.calls.step(np.ones(3, np.int64)) is None
    ends.arm()
    ends.calls.retire()
    assert ends.calls.step(np.ones(3, np.int64)) is None
