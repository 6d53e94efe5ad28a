# SPDX-License-Identifier: Apache-2.0
"""Two machines that play a cartridge of ours: ALE, as a black box, and our console.

    machine = Ale(cartridge(code))
    machine.frame()
    machine.screen()[100, 80], machine.ram()[0x10]

A cartridge is a program for the 6507, written by a tool: no game is needed. ALE takes any file that
has the name of a game, and gives it the properties of one that it does not know.
"""

from __future__ import annotations

import importlib
import struct
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))  # compiling, for probes

Bytes = NDArray[np.uint8]
Program = Sequence[int]

TESTS = Path(__file__).parent
GAME = "donkey_kong"  # it has one mode and no first actions, and it is over when three bytes say so
BEGIN = 0xF000
PAL_HEIGHT = 250
SIZES = {4096: "k4K", 8192: "kF8", 10495: "kDPC"}
LOOKED_AT = 0x23  # the byte of memory that ALE looks at last after a frame of GAME; found by trying
_REGISTERS = b"M6502Low"  # in ALE's saved state: A, X, Y, SP, IR, PC, then N, V, B, D, I, not Z, C
_TRUE = 0xFAB1FAB2  # how it writes a bool


def cartridge(code: Program, brk: int = BEGIN) -> bytes:
    """4 KiB that begin with a program, where the console starts.

    Args:
        code: The program, for address 0xF000.
        brk: Where BRK goes.
    """
    vectors = [BEGIN & 0xFF, BEGIN >> 8, brk & 0xFF, brk >> 8]
    return bytes(code) + bytes(0xFFC - len(code)) + bytes(vectors)


class Machine(Protocol):
    """A console with a cartridge, switched on and ready to play."""

    def frame(self) -> None:
        """Plays a frame without input."""

    def ram(self) -> Bytes:
        """The 128 bytes of memory."""

    def screen(self) -> Bytes:
        """Lines of 160 pixels: hue and brightness."""

    def registers(self) -> list[int]:
        """A, X, Y, SP, status and the program counter."""


class Ale:
    """ale-py with a cartridge."""

    def __init__(self, rom: bytes, seed: int = 1) -> None:
        """Loads the cartridge, which plays 60 frames to find the format, and resets twice.

        Args:
            rom: The cartridge.
            seed: ALE's `random_seed`.
        """
        import ale_py

        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self._ale = ale_py.ALEInterface()
        self._ale.setInt("random_seed", seed)
        self._ale.setFloat("repeat_action_probability", 0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{GAME}.bin"
            path.write_bytes(rom)
            self._ale.loadROM(str(path))
        self._ale.reset_game()

    def frame(self) -> None:
        """Plays a frame."""
        self._ale.act(0)

    def ram(self) -> Bytes:
        """The memory."""
        return np.array(self._ale.getRAM())

    def screen(self) -> Bytes:
        """The screen."""
        return np.array(self._ale.getScreen())

    def colors(self) -> Bytes:
        """The colors of the screen's pixels: red, green, blue and gray (n, 160, 4)."""
        return np.dstack([self._ale.getScreenRGB(), self._ale.getScreenGrayscale()[..., None]])

    def registers(self) -> list[int]:
        """The CPU, out of the saved state."""
        saved = bytes(self._ale.cloneState().__getstate__())
        at = saved.index(_REGISTERS) + len(_REGISTERS)
        a, x, y, sp, _, pc, *flags = struct.unpack_from("<13I", saved, at)
        n, v, _, d, i, not_z, c = (flag == _TRUE for flag in flags)
        status = n << 7 | v << 6 | 0x30 | d << 3 | i << 2 | (not not_z) << 1 | c
        return [a, x, y, sp, status, pc]

    def cartridge_type(self) -> str:
        """The cartridge type that ALE detected: its name in the saved state."""
        saved = bytes(self._ale.cloneState().__getstate__())
        at = saved.index(b"Cartridge")
        (size,) = struct.unpack_from("<I", saved, at - 4)
        return saved[at : at + size].decode("ascii")

    @property
    def over(self) -> bool:
        """Whether ALE takes the game for over, and plays no more."""
        return bool(self._ale.game_over())


class Own:
    """Our console with a cartridge."""

    def __init__(self, rom: bytes, kind: str = "") -> None:
        """Switches the console on, and makes ALE's steps before the first frame.

        Args:
            rom: The cartridge.
            kind: How it is wired, as "kE0"; by default the usual way for its size.
        """
        module = console_module()
        chip = module.Cartridge(rom, getattr(module.CartridgeType, kind or SIZES[len(rom)]))
        properties = module.ConsoleProperties()
        self._inputs = module.Inputs()
        self._console = module.Console(chip, properties)
        self._console.power_on()
        if self._console.format == module.Format.kPal:  # whose screen is higher
            properties.height = PAL_HEIGHT
            self._console = module.Console(chip, properties)
            self._console.power_on()
        for _ in range(2):  # by loading, and by the reset
            self._console.reset()
            self._play(60)
            self._inputs.reset = True
            self._play(8)
            self._inputs.reset = False
            self._console.read_ram()

    def _play(self, frames: int) -> None:
        for _ in range(frames):
            self._console.run_frame(self._inputs, True)
            self._console.read_ram(LOOKED_AT)

    def frame(self) -> None:
        """Plays a frame."""
        self._console.run_frame(self._inputs, True)
        self._console.read_ram()

    def ram(self) -> Bytes:
        """The memory."""
        return np.array(self._console.ram())

    def screen(self) -> Bytes:
        """The screen."""
        return np.array(self._console.screen())

    def registers(self) -> list[int]:
        """The CPU."""
        state = self._console.state()
        return [int(state[key]) for key in ("a", "x", "y", "sp", "status", "pc")]


def console_module() -> Any:
    """Our console as the module of its tests, compiled if it has changed."""
    return _of_the_tests("console/console_module.cc")


def laboratory() -> Any:
    """Both machines, playing a game of paddles, with any program in their memory."""
    if str(TESTS / "console") not in sys.path:
        sys.path.insert(0, str(TESTS / "console"))
    return importlib.import_module("laboratory").Laboratory()


def roms() -> Path:
    """The folder of ale-py's games."""
    import ale_py

    return Path(ale_py.__file__).parent / "roms"


def all_games() -> list[str]:
    """The games of our table, as ale-py calls them."""
    return [game["name"] for game in _of_the_tests("games/games_probe.cc").all_games()]


def rules_of(game: str) -> Any:
    """Our rules of a game, which look at any memory."""
    return _of_the_tests("games/games_probe.cc").Rules(game)


def paddle(machine: type, game: str) -> Callable[[int, float], int]:
    """Turns the paddle of a game: an action, and how hard it is pressed, give its ohms.

    Args:
        machine: `Ale` or `Own`, whose player it is.
        game: A game with paddles.
    """
    import ale_py

    rom = roms() / f"{game}.bin"
    if machine is Own:
        own = _of_the_tests("games/games_probe.cc").Game(game, rom.read_bytes(), 1, 0.0)
        own.reset()

        def turn_own(action: int, strength: float) -> int:
            own.act(action, strength)
            return int(own.paddle())

        return turn_own
    ale = ale_py.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.setFloat("repeat_action_probability", 0)
    ale.loadROM(str(rom))
    ale.reset_game()

    def turn(action: int, strength: float) -> int:
        ale.act(action, strength)
        saved = bytes(ale.cloneState().__getstate__())
        return int.from_bytes(saved[:4], "little")  # it begins with this

    return turn


def _of_the_tests(module: str) -> Any:
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    return sys.modules.get(Path(module).stem) or importlib.import_module("probes").load(module)


def wait(cycles: int) -> list[int]:
    """Instructions that change nothing but flags, for 0, 2, 3, 4 ... cycles."""
    assert cycles >= 0, "too late"
    assert cycles != 1, "no instruction is so short"
    odd = cycles % 2
    return [0xC5, 0x80] * odd + [0xEA] * ((cycles - 3 * odd) // 2)
