# SPDX-License-Identifier: Apache-2.0
"""Small programs in RAM, run by ale-py and by our console from the same state.

A cartridge reaches only what its program does; a program of our own, put into RAM together with the
registers of the CPU, reaches every opcode and every clock of a line. In ale-py that is done
by way of its saved states, whose layout is read off them here; nothing else of ours depends on it.

    lab = Laboratory()
    lab.load([0xA9, 0x5A, 0x85, 0x09, 0x4C, 0x80, 0x00])  # LDA #$5A; STA COLUBK; JMP $0080
    assert lab.step() == ""
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ale_py import ALEInterface, ALEState, LoggerMode
from probes import load
from references import ROMS

console_module = load("console/console_module.cc")
ALEInterface.setLoggerMode(LoggerMode.Error)

_TRUE, _FALSE = 0xFAB1FAB2, 0xBAD1BAD2  # how ALE writes a bool
_REGISTERS = b"M6502Low"  # A, X, Y, SP, IR, PC, then the flags N, V, B, D, I, not Z, C
_MEMORY = b"M6532"  # a count, then the bytes of RAM
_TIA = b"TIA"
_POSITIONS = 41  # word of the TIA's state: P0, P1, M0, M1, BL follow each other
_PADDLE = 0  # word of the whole state: the resistance of player A's paddle
MIDDLE = 408_823  # ohms
POWER_ON_FRAMES = 60


def pong(**properties: object) -> Any:
    """Our console with Pong, switched on.

    Args:
        properties: Attributes of ConsoleProperties that are not Pong's.
    """
    settings = console_module.ConsoleProperties()
    settings.left = settings.right = console_module.Controller.kPaddles
    settings.swap_paddles = True
    for name, value in properties.items():
        setattr(settings, name, value)
    rom = (ROMS / "pong.bin").read_bytes()
    return _switched_on(rom, console_module.CartridgeType.k2K, settings)


def burned(program: Sequence[int]) -> Any:
    """Our console, switched on, with a program as a cartridge: at 0x1000 and on."""
    rom = bytes([*program, *[0] * (0x1000 - len(program))])
    return _switched_on(rom, console_module.CartridgeType.k4K, console_module.ConsoleProperties())


def _switched_on(rom: bytes, kind: object, properties: object) -> Any:
    console = console_module.Console(console_module.Cartridge(rom, kind), properties)
    console.power_on()
    return console


class Laboratory:
    """ALE and our console, playing the same ROM until a program is loaded."""

    def __init__(self, **properties: object) -> None:
        """Brings both to the same frame of Pong, from power-on.

        Args:
            properties: Wrong properties for our console, to see that a test fails.
        """
        self.ale = ALEInterface()
        self.ale.setInt("random_seed", 1)
        self.ale.setFloat("repeat_action_probability", 0)
        self.ale.loadROM(ROMS / "pong.bin")
        self.ale.reset_game()
        self.own = pong(**properties)
        self.inputs = console_module.Inputs()
        for _ in range(2):  # ALE resets when it has loaded a ROM
            self._reset()
        self._start = self.ale.cloneState(), self.own.save()

    def load(
        self,
        program: Sequence[int],
        a: int = 0,
        x: int = 0,
        y: int = 0,
        sp: int = 0xFF,
        status: int = 0x34,
        ohms: int = MIDDLE,
    ) -> None:
        """Puts a program of up to 128 bytes at 0x80 of both, to run from the next step on.

        Args:
            program: The program.
            a: The value of this register; the next arguments are the other registers' values.
            x: The same.
            y: The same.
            sp: The same.
            status: The same.
            ohms: The resistance of player A's paddle.
        """
        self.inputs.set_player(0, 0, False, MIDDLE)
        # ALE does not save that a frame was cut: it would go on with that one.
        self.ale.restoreState(self._start[0])
        self.ale.act(0)
        self.ale.restoreState(self._start[0])
        self.own.load(self._start[1])
        # Playing equalizes the state that neither console saves: both screens, and late pixels.
        for _ in range(3):
            assert self.step() == ""
        ram = [*program, *[0] * (128 - len(program))]
        saved = bytearray(self.ale.cloneState().__getstate__())
        at = saved.index(_REGISTERS) + len(_REGISTERS)
        flags = [status & 0x80, status & 0x40, 1, status & 8, status & 4, ~status & 2, status & 1]
        words = [a, x, y, sp, 0, 0x80, *(_TRUE if flag else _FALSE for flag in flags)]
        struct.pack_into(f"<{len(words)}I", saved, at, *words)
        struct.pack_into("<I", saved, 4 * _PADDLE, ohms)
        self.inputs.set_player(0, 0, False, ohms)
        struct.pack_into("<128I", saved, saved.index(_MEMORY, at) + len(_MEMORY) + 4, *ram)
        state = ALEState.__new__(ALEState)
        state.__setstate__(bytes(saved))
        self.ale.restoreState(state)
        for index, byte in enumerate(ram):
            self.own.set_ram(index, byte)
        self.own.set_cpu(0x80, a, x, y, sp, status)

    def step(self) -> str:
        """Plays one frame of both; returns the differences in words, or an empty text."""
        self.ale.act(0)
        self.own.run_frame(self.inputs, True)
        differences = []
        if not np.array_equal(self.ale.getRAM(), self.own.ram()):
            differences.append("RAM")
        if not np.array_equal(self.ale.getScreen(), self.own.screen()):
            differences.append("screen")
        if self.ale_registers() != self.own_registers():
            differences.append("registers")
        if self.ale_positions() != list(self.own.state()["positions"]):
            differences.append("positions")
        return ", ".join(differences)

    def ale_registers(self) -> list[int]:
        """A, X, Y, SP, status and PC of ALE."""
        saved = self.ale.cloneState().__getstate__()
        at = saved.index(_REGISTERS) + len(_REGISTERS)
        a, x, y, sp, _, pc, *flags = struct.unpack_from("<13I", saved, at)
        n, v, _, d, i, not_z, c = (flag == _TRUE for flag in flags)
        status = n << 7 | v << 6 | 0x30 | d << 3 | i << 2 | (not not_z) << 1 | c
        return [a, x, y, sp, status, pc]

    def own_registers(self) -> list[int]:
        """The same of ours."""
        state = self.own.state()
        return [int(state[key]) for key in ("a", "x", "y", "sp", "status", "pc")]

    def ale_positions(self) -> list[int]:
        """Pixels of ALE's players, missiles and ball."""
        saved = self.ale.cloneState().__getstate__()
        at = saved.index(_TIA, saved.index(_MEMORY)) + len(_TIA)
        return list(struct.unpack_from("<5I", saved, at + 4 * _POSITIONS))

    def ale_paddle(self) -> int:
        """The resistance of player A's paddle in ALE, in ohms."""
        (ohms,) = struct.unpack_from("<I", self.ale.cloneState().__getstate__(), 4 * _PADDLE)
        return int(ohms)

    @property
    def over(self) -> bool:
        """Whether ALE has met the end of the game in RAM, and plays no more."""
        return bool(self.ale.game_over())

    def _reset(self) -> None:
        self.own.reset()
        for _ in range(POWER_ON_FRAMES):
            self.own.run_frame(self.inputs, True)
        self.inputs.reset = True
        for _ in range(4 * 3):  # held twice by the environment, once by the game's default mode
            self.own.run_frame(self.inputs, True)
        self.inputs.reset = False


def wait(cycles: int) -> list[int]:
    """Instructions that do nothing for 0, 2, 3, 4 ... cycles."""
    odd = cycles % 2
    return [0xA5, 0x80] * odd + [0xEA] * ((cycles - 3 * odd) // 2)
