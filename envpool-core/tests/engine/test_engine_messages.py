# SPDX-License-Identifier: Apache-2.0
"""Messages are readable whatever text goes into them: long, cut, or no text at all."""

from __future__ import annotations

import pytest
from engine_pools import make_pool
from envpool.errors import ActionError, ConfigError, EnvIdError, WorkerError
from refusals import refused

# Messages cut long values after a number of bytes: characters of two, three and four bytes, begun
# one byte later each time, lie across that place in every way that there is.
LONG = [
    pytest.param("x" * offset + character * 120, id=f"{len(character.encode())} bytes, {offset}")
    for character in ("\u00e9", "\u5b57", "\U0001f40d")
    for offset in range(len(character.encode()))
]


class Shown:
    """An object whose repr is a text."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        """The text that a message shows."""
        return self.text


def told(message, text):
    """Whether a message shows the beginning of a text, and where it was cut."""
    got = message.got
    assert text[:10] in got
    assert "..." in got
    assert len(got) < len(text)


@pytest.mark.parametrize("text", LONG)
def test_a_long_value(make, text):
    pool = make()
    pool.reset()
    for value in (text, [text], Shown(text), {"action": text}):
        told(refused(ActionError, lambda value=value: pool.step(value)), text)


@pytest.mark.parametrize("text", LONG)
def test_a_long_key(make, text):
    pool = make()
    pool.reset()
    told(refused(ActionError, lambda: pool.step({text: 1})), text)
    told(refused(ActionError, lambda: pool.step({"action": [1], Shown(text): 1})), text)


@pytest.mark.parametrize("text", LONG)
def test_a_long_id_and_a_long_seed(make, text):
    pool = make()
    pool.reset()
    for value in (text, [text], Shown(text)):
        told(refused(EnvIdError, lambda value=value: pool.step([1], value)), text)
        told(refused(EnvIdError, lambda value=value: pool.reset(value)), text)
        told(refused(ConfigError, lambda value=value: pool.reset(seed=value)), text)


@pytest.mark.parametrize("text", LONG)
def test_a_long_option(module, text):
    for value in (text, [text], Shown(text)):
        message = refused(ConfigError, lambda value=value: make_pool(module, "Counter", goal=value))
        told(message, text)


@pytest.mark.parametrize("text", LONG)
def test_options_in_the_message_of_a_spec(module, text):
    """The message shows all options that differ from the defaults."""
    config = {"base_path": text, "where": "spec"}
    message = refused(ConfigError, lambda: make_pool(module, "Faulty", **config))
    assert message.asked.startswith("no such board\n")
    told(message, text)


def test_a_text_that_utf8_cannot_write(make, module):
    """A lone half of a pair, which file names may hold."""
    text = "file \udcff"
    pool = make()
    pool.reset()
    messages = [
        refused(ActionError, lambda: pool.step(Shown(text))),
        refused(ActionError, lambda: pool.step({Shown(text): 1})),
        refused(EnvIdError, lambda: pool.reset(Shown(text))),
        refused(ConfigError, lambda: pool.reset(seed=Shown(text))),
        refused(ConfigError, lambda: make_pool(module, "Counter", goal=Shown(text))),
    ]
    assert all("file " in message.got for message in messages)


# The text that Faulty throws with `latin`: bytes that are no UTF-8, the last two half a character.
REPLACED = " \ufffdber \ufffd\ufffd"


@pytest.mark.parametrize(
    ("where", "text"), [("step", "the motor burnt out"), ("reset", "the level is missing")]
)
@pytest.mark.parametrize("num_threads", [1, 2])
def test_bytes_of_an_environment(make, where, text, num_threads):
    pool = make(
        "Faulty",
        num_envs=3,
        num_threads=num_threads,
        where=where,
        envs=[1],
        at=1 if where == "step" else 2,
        latin=True,
    )
    pool.reset()
    act = pool.reset if where == "reset" else lambda: pool.step([1, 2, 3])
    message = refused(WorkerError, act)
    assert message.asked == f"{text}{REPLACED}\nrecv of Test/Faulty-v0"
    assert message.error.failures == [(1, text + REPLACED)]
    assert message.error.env_id == 1
    # Nothing else was lost.
    assert pool.recv()["info:env_id"].tolist() == [0, 2]
    pool.reset()


def test_bytes_of_a_constructor(module):
    message = refused(
        WorkerError,
        lambda: make_pool(module, "Faulty", where="constructor", latin=True),
    )
    text = "no memory for the board" + REPLACED
    assert message.asked == f"{text}\nmake of Test/Faulty-v0"
    assert message.error.failures == [(0, text)]


def test_bytes_of_a_spec(module):
    message = refused(ConfigError, lambda: make_pool(module, "Faulty", where="spec", latin=True))
    assert message.asked == f"no such board{REPLACED}\nconfig of Faulty"
