# SPDX-License-Identifier: Apache-2.0
"""Plays random programs on ALE and on the console of envpool-atari, and compares every frame.

    python envpool-atari/tests/random_programs.py --frames 100000 --seed 0
    python envpool-atari/tests/random_programs.py --frames 100000 --seed 0 --json

A program is a cartridge that does what no game does: writes to every register of the TIA in every
cycle of a line, strobes soon after HMOVE, VSYNC on and off at odd times, pushes and
read-modify-write into TIA and RIOT, all opcodes, also across pages and while banks are switched.
Of eight programs one goes on where no cartridge is: what TIA, RIOT and memory say is its code.
Compared are memory, screen and the registers of the CPU. Program i has the seed S + i and so many
frames; it ends at its first difference, because all that follows is different, too. The exit status
is 1 if there is any. One of some thousand is not played: by a few of its bytes, ALE takes it for a
cartridge of a kind that we do not have.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import numpy as np
from machines import BEGIN, SIZES, Ale, Own, wait

PROGRAM_FRAMES = 400
JAMS = {0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2}
JUMPS = {0x00, 0x10, 0x20, 0x30, 0x40, 0x4C, 0x50, 0x60, 0x6C, 0x70, 0x90, 0xB0, 0xD0, 0xF0}
OPCODES = sorted(set(range(256)) - JAMS - JUMPS)
BRANCHES = (0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0)
STORES = (0x85, 0x86, 0x84, 0x87)  # STA, STX, STY, SAX
MODIFIES = (0x06, 0x26, 0x46, 0x66, 0xC6, 0xE6, 0x07, 0x27, 0x47, 0x67, 0xC7, 0xE7)
TABLE, DISPATCH, RESCUE, BLOCKS = 0xF00, 0xF40, 0xF80, 16  # offsets in a bank
CODE_END = 0xE80


@dataclass(frozen=True)
class Difference:
    """The first frame in which a program differs on the two machines, and how."""

    seed: int
    frame: int
    what: str


@dataclass
class Summary:
    """The programs that were played."""

    programs: int = 0
    frames: int = 0
    equal: int = 0
    other_kinds: dict[int, str] = field(default_factory=dict)
    """Programs that were not played, and the cartridge types that ALE detects in them."""
    differences: list[Difference] = field(default_factory=list)


class OtherKindError(ValueError):
    """ALE takes a cartridge for another kind than it is, which it says."""


def program(seed: int) -> bytes:
    """A random cartridge of 4 or 8 KiB, which decides by itself where it goes next."""
    rng = random.Random(seed)
    if seed % 8 == 7:
        return _outside(rng)
    banks = rng.choice([1, 1, 2])
    # Each program uses some of the registers more than others, so that they meet.
    focus = rng.sample(range(0x2D), rng.randrange(6, 0x2D))
    return b"".join(_bank(rng, focus, banks) for _ in range(banks))


def _bank(rng: random.Random, focus: list[int], banks: int) -> bytes:
    bank = bytearray(rng.randrange(256) for _ in range(0x1000))
    code: list[int] = []
    starts = []
    for block in range(BLOCKS):
        starts.append(len(code))
        while len(code) < CODE_END * (block + 1) // BLOCKS - 40:
            code += _piece(rng, focus, BEGIN + len(code), banks)
        code += [0x4C, DISPATCH & 0xFF, BEGIN + DISPATCH >> 8]
    bank[: len(code)] = bytes(code)
    for i, start in enumerate(starts):
        bank[TABLE + 2 * i] = (BEGIN + start) & 0xFF
        bank[TABLE + 2 * i + 1] = (BEGIN + start) >> 8
    # Chooses the next block by a shift register in memory and a count.
    dispatch = [0xD8, 0xE6, 0xF1, 0xA5, 0xF0, 0x0A, 0x90, 0x02, 0x49, 0x1D, 0x65, 0xF1, 0x85, 0xF0]
    dispatch += [0x29, 2 * BLOCKS - 2, 0xAA, 0xBD, TABLE & 0xFF, BEGIN + TABLE >> 8, 0x85, 0xF2]
    dispatch += [0xBD, TABLE + 1 & 0xFF, BEGIN + TABLE >> 8, 0x85, 0xF3, 0xA6, 0xF1, 0xA5, 0xF0]
    bank[DISPATCH : DISPATCH + len(dispatch) + 3] = bytes([*dispatch, 0x6C, 0xF2, 0x00])
    rescue = [0xA2, 0xFF, 0x9A, 0x4C, DISPATCH & 0xFF, BEGIN + DISPATCH >> 8]
    bank[RESCUE : RESCUE + len(rescue)] = bytes(rescue)
    bank[0xFE0:0xFFA] = bytes([0xEA] * 26)
    vector = [(BEGIN + RESCUE) & 0xFF, BEGIN + RESCUE >> 8]
    bank[0xFFA:] = bytes(vector * 3)
    return bytes(bank)


def _outside(rng: random.Random) -> bytes:
    """Goes to random addresses outside the cartridge, and comes back by BRK, jumps or a reset."""
    bank = bytearray(rng.randrange(256) for _ in range(0x1000))
    if rng.random() < 0.5:
        bank[0x200:0x400] = bytes(0x200)  # the bytes that fill the memory
    for i in range(0x500, 0x600):  # high halves of the addresses
        bank[i] &= 0xEF
    count, fill = 0xFA, [0xA2, 0x7A, 0xB9, 0x00, 0xF2, 0x95, 0x7F, 0xC8, 0xCA, 0xD0, 0xF7]
    code = [0xD8, 0xA2, 0xFF, 0x9A, 0xE6, count]
    code += [0xA9, 0x02, 0x85, 0x00, *[0x85, 0x02] * 3, 0xA9, 0x00, 0x85, 0x00]
    code += [0xA4, count, *fill, 0xA4, count]
    # RTS to an address, X and A, all by the count.
    code += [0xB9, 0x00, 0xF5, 0x48, 0xB9, 0x00, 0xF4, 0x48]
    code += [0xBE, 0x00, 0xF6, 0xB9, 0x00, 0xF7, 0x60]
    bank[: len(code)] = bytes(code)
    bank[0xFFA:] = bytes([BEGIN & 0xFF, BEGIN >> 8] * 3)
    return bytes(bank)


def length_of(opcode: int) -> int:
    """Bytes of an instruction that does not go elsewhere."""
    low = opcode & 0x1F
    if low in {0x19, 0x1B} or opcode & 0x0F in {0x0C, 0x0D, 0x0E, 0x0F}:
        return 3
    return 1 if low in {0x08, 0x0A, 0x18, 0x1A} else 2


def _piece(rng: random.Random, focus: list[int], at: int, banks: int) -> list[int]:
    kinds: list[tuple[Callable[[], list[int]], int]] = [
        (lambda: [rng.choice([0xA9, 0xA2, 0xA0]), rng.randrange(256)], 8),
        (lambda: [rng.choice(STORES), rng.choice(focus)], 14),
        (lambda: [rng.choice(MODIFIES), rng.choice(focus)], 2),
        (lambda: _wait(rng), 6),
        (lambda: [0x85, 0x02], 4),
        (lambda: _motion(rng), 3),
        (lambda: _vsync(rng), 1),
        (lambda: _riot(rng), 3),
        (
            lambda: [
                rng.choice([0xA5, 0x24, 0xA6]),
                rng.randrange(0x40),
                0x85,
                rng.randrange(128, 256),
            ],
            3,
        ),
        (lambda: _any(rng), 8),
        (lambda: _stack(rng, at), 3),
        (lambda: [rng.choice(BRANCHES), 2, rng.choice([0xA9, 0xE6]), rng.randrange(128, 256)], 2),
        (lambda: _page_end(rng, at), 1),
        (lambda: [0xF8], 1),
        (lambda: [0x00, 0x00], 0 if rng.random() < 0.9 else 1),
        (
            lambda: [rng.choice([0xAD, 0x8D, 0xEE, 0x2C]), 0xF8 + rng.randrange(2), 0xFF],
            2 * (banks - 1),
        ),
    ]
    return rng.choices([make for make, _ in kinds], [weight for _, weight in kinds])[0]()


def _wait(rng: random.Random) -> list[int]:
    return wait(rng.choice([2, 3, 4, 5, 7, 11, 16, 21]))


def _motion(rng: random.Random) -> list[int]:
    """HMOVE in some cycle of a line, and a strobe soon after it."""
    start = [0x85, 0x02] if rng.random() < 0.5 else []
    values = [0xA9, rng.randrange(256), 0x85, 0x20 + rng.randrange(5)]
    gap = wait(rng.choice([0, *range(2, 24)]))
    between = wait(rng.choice([0, *range(2, 76)]))
    return [*start, *values, *between, 0x85, 0x2A, *gap, 0x85, 0x10 + rng.randrange(5)]


def _vsync(rng: random.Random) -> list[int]:
    code = []
    for _ in range(rng.randrange(2, 4)):
        code += [0xA9, rng.choice([0, 2, 2, 0xFF]), 0x85, 0x00]
        code += [0x85, 0x02] * rng.randrange(4) + wait(rng.choice([0, 2, 3, 5, 20]))
    return [*code, 0xA9, 0x00, 0x85, 0x00]


def _riot(rng: random.Random) -> list[int]:
    """Timers and ports, also by read-modify-write and at all of their addresses."""
    address = rng.choice([0x0280, 0x0294, 0x0294, 0x0284, 0x029C, 0x0380, 0x0290]) + rng.randrange(
        4
    )
    opcode = rng.choice([0xAD, 0xAD, 0x2C, 0x8D, 0x8D, 0xEE, 0xCE, 0x0E, 0x6F, 0xAF])
    return [opcode, address & 0xFF, address >> 8]


def _any(rng: random.Random) -> list[int]:
    """Any opcode that does not go elsewhere, with an operand of every kind."""
    opcode = rng.choice(OPCODES)
    low = rng.choice([rng.randrange(256), rng.randrange(128, 256), rng.randrange(0x2D), 0xFE, 0xFF])
    high = rng.choice([0x00, 0x00, 0x01, 0x02, 0xF0, 0xF1, 0x10])
    return [opcode, low, high][: length_of(opcode)]


def _stack(rng: random.Random, at: int) -> list[int]:
    """Pushes and pulls anywhere; then the stack is where it belongs."""
    code = [
        0xA2,
        rng.choice([rng.randrange(0x30), rng.randrange(256), 0x02, 0x03, 0x04, 0x80]),
        0x9A,
    ]
    for _ in range(rng.randrange(1, 4)):
        target = at + len(code) + 3
        jsr = [0x20, target & 0xFF, target >> 8]
        code += rng.choice([[0x48], [0x08], [0x68], [0x28], jsr])
    return [*code, 0xA2, 0xFF, 0x9A]


def _page_end(rng: random.Random, at: int) -> list[int]:
    """An instruction, or a branch, whose bytes are on two pages."""
    left = -at & 0xFF
    if not 2 < left < 24:
        return []
    opcode = rng.choice([*OPCODES, *BRANCHES])
    length = 2 if opcode in BRANCHES else length_of(opcode)
    operand = [rng.randrange(4)] if opcode in BRANCHES else [rng.randrange(128, 256), 0x00]
    return [0xEA] * (left - 1) + [opcode, *operand][:length] + [0xEA] * 4


def play(seed: int, frames: int = PROGRAM_FRAMES) -> tuple[int, Difference | None]:
    """Frames of a program that are equal, and the first difference.

    Raises:
        OtherKindError: If ALE takes it for another kind of cartridge.
    """
    equal, what = compare(program(seed), frames)
    return equal, Difference(seed, equal, what) if what else None


def compare(rom: bytes, frames: int) -> tuple[int, str]:
    """Frames that a cartridge plays as on ALE, and the first difference after them.

    Raises:
        OtherKindError: If ALE takes it for another kind of cartridge.
    """
    ale = Ale(rom)
    if (kind := ale.cartridge_type()) != f"Cartridge{SIZES[len(rom)].removeprefix('k')}":
        raise OtherKindError(kind)
    own = Own(rom)
    for frame in range(frames):
        if ale.over:
            return frame, ""
        what = []
        if not np.array_equal(ale.ram(), own.ram()):
            what.append("memory")
        if ale.registers() != own.registers():
            what.append("registers")
        # The first frame shows what a reset left on the screens.
        if not np.array_equal(ale.screen(), own.screen()):
            what.append("screen")
        if what:
            return frame, ", ".join(what)
        ale.frame()
        own.frame()
    return frames, ""


def main() -> int:
    """Plays programs until there are enough frames."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--frames", type=int, default=20_000, help="of all programs together")
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    options = parser.parse_args()
    summary = Summary()
    for seed in itertools.count(options.seed):
        if summary.frames >= options.frames:
            break
        wanted = min(PROGRAM_FRAMES, options.frames - summary.frames)
        try:
            equal, difference = play(seed, wanted)
        except OtherKindError as error:
            summary.other_kinds[seed] = str(error)
            continue
        summary.programs += 1
        summary.equal += equal
        summary.frames += wanted if difference is None else equal + 1
        if difference is not None:
            summary.differences.append(difference)
            if not options.json:
                print(f"seed {difference.seed}, frame {difference.frame}: {difference.what}")
    if options.json:
        print(json.dumps(asdict(summary)))
    else:
        for seed, kind in summary.other_kinds.items():
            print(f"seed {seed} was not played: ALE takes it for a {kind}")
        print(
            f"{summary.equal} of {summary.frames} frames of {summary.programs} programs are equal"
        )
    return 1 if summary.differences else 0


if __name__ == "__main__":
    sys.exit(main())
