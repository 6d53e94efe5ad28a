# SPDX-License-Identifier: Apache-2.0
"""Frames of real cartridges: drawn or not, saved and loaded, with every kind of vectors."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import compiling
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from laboratory import console_module
from references import CASES, ROMS, probe

# One game of each cartridge type, the two games with the longest frames, and the seven games that
# in random play soon have frames that end before the screen does.
TYPES = {
    "pong": "k2K", "adventure": "k4K", "asterix": "kF8", "elevator_action": "kF8SC",
    "solaris": "kF6", "klax": "kF6SC", "montezuma_revenge": "kE0", "robotank": "kFE",
    "pitfall2": "kDPC", "mr_do": "kF8",
    "amidar": "k4K", "entombed": "k4K", "koolaid": "k4K", "tetris": "k2K", "tic_tac_toe_3d": "k2K",
    "trondead": "k4K", "video_checkers": "k4K",
}  # fmt: skip
HEIGHTS = {game["name"]: game["height"] for game in probe.all_games()}


def new_console(game: str, cartridge: Any = None) -> Any:
    settings = console_module.ConsoleProperties()
    settings.height = HEIGHTS[game]
    console = console_module.Console(cartridge or new_cartridge(game), settings)
    console.power_on()
    return console


def new_cartridge(game: str) -> Any:
    kind = getattr(console_module.CartridgeType, TYPES[game])
    return console_module.Cartridge((ROMS / f"{game}.bin").read_bytes(), kind)


def play(rng: random.Random, frame: int) -> Any:
    """Random joysticks, and the RESET switch now and then."""
    inputs = console_module.Inputs()
    inputs.reset = frame % 300 < 4
    for player in range(2):
        inputs.set_player(player, rng.randrange(16), rng.random() < 0.5, 408_823)
    return inputs


def test_every_type_is_here() -> None:
    assert set(TYPES) <= {case.name for case in CASES}
    assert set(TYPES.values()) == set(console_module.CartridgeType.__members__)


@pytest.mark.parametrize("game", TYPES)
def test_a_drawn_frame_is_the_same_whatever_was_not_drawn(game: str) -> None:
    cartridge = new_cartridge(game)
    drawn, half = new_console(game, cartridge), new_console(game, cartridge)
    rng = random.Random(7)
    for frame in range(600):
        inputs = play(rng, frame)
        drawn.run_frame(inputs, True)
        half.run_frame(inputs, frame % 4 >= 2)
        assert np.array_equal(drawn.ram(), half.ram()), frame
        # Some that were drawn, and some that are only drawn now.
        assert frame % 3 == 0 or np.array_equal(drawn.screen(), half.screen()), frame


@pytest.mark.parametrize("game", TYPES)
def test_a_saved_state_goes_on_as_the_original(game: str) -> None:
    console = new_console(game)
    other = new_console(game)
    rng = random.Random(8)
    for frame in range(200):
        console.run_frame(play(rng, frame), True)
    other.load(console.save())
    assert other.save() == console.save()
    assert np.array_equal(console.screen(), other.screen())
    for frame in range(200):
        inputs = play(rng, frame)
        console.run_frame(inputs, True)
        other.run_frame(inputs, True)
        assert np.array_equal(console.ram(), other.ram()), frame
        assert np.array_equal(console.screen(), other.screen()), frame
    console.reset()
    other.reset()
    assert other.state()["timer"] == console.state()["timer"]


def test_the_state_is_small() -> None:
    assert len(new_console("pong").save()) < 1536


def test_power_on_is_always_the_same() -> None:
    console = new_console("pong")
    first = console.save()
    rng = random.Random(9)
    for frame in range(100):
        console.run_frame(play(rng, frame), False)
    console.power_on()
    assert console.save() == first


SCRIPT = """
import random, sys
sys.path[:0] = {folders!r}
from test_console_frames import digest
print(digest({game!r}))
"""


def digest(game: str) -> str:
    """A checksum of all screens of a while of play."""
    console = new_console(game)
    rng = random.Random(10)
    value = hashlib.sha256()
    for frame in range(300):
        console.run_frame(play(rng, frame), True)
        value.update(console.screen().tobytes())
    return value.hexdigest()


@pytest.mark.parametrize("simd", ["portable", "neon", "avx2", "avx512"])
@pytest.mark.parametrize("game", ["mr_do", "solaris"])
def test_all_vector_instructions_draw_the_same(game: str, simd: str) -> None:
    folders = [str(Path(module).parent) for module in (__file__, compiling.__file__)]
    script = SCRIPT.format(folders=folders, game=game)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "ENVPOOL_ATARI_SIMD": simd},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.split() == [digest(game)]


@pytest.mark.parametrize("game", ["mr_do", "solaris"])
def test_the_interpreter_plays_the_same(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    translated = digest(game)
    monkeypatch.setenv("ENVPOOL_ATARI_JIT", "0")
    assert not new_cartridge(game).is_translated
    assert digest(game) == translated


def test_a_rom_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="a cartridge of type F8 has 8192 bytes, not 4096"):
        console_module.Cartridge(bytes(4096), console_module.CartridgeType.kF8)
