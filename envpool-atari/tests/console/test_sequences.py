# SPDX-License-Identifier: Apache-2.0
"""A sequence's handler does the same as its instructions one by one, as in ALE."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import random_programs as programs
from machines import BEGIN

TABLE = Path(__file__).parents[2] / "cpp" / "console" / "sequence_table.inc"
FRAMES = 60
RETURN, JUMPS, STACK_POINTER = 0x60, {0x4C, 0x20}, 0x9A
WILD = {0x40, 0x6C, 0x00}  # RTI, JMP (), BRK: go where memory says
# A frame: VSYNC for two lines.
FRAME = [0xA9, 2, 0x85, 0, 0x85, 2, 0x85, 2, 0xA9, 0, 0x85, 0]

Part = tuple[int, str]


def table() -> list[list[Part]]:
    """The sequences, each part an opcode and the known facts of its address."""
    rows = [line for line in TABLE.read_text().splitlines() if line.startswith("    {")]
    part = re.compile(r"\{0x(..)(?:, (\w+))?\}")
    return [[(int(op, 16), at or "kAny") for op, at in part.findall(row)] for row in rows]


def operand(rng: random.Random, part: Part) -> list[int]:
    """Bytes behind an opcode that lead to the part's handler."""
    opcode, access = part
    length = programs.length_of(opcode)
    if access == "kRam":
        return [rng.randrange(0x90, 0xF0)]
    if access == "kTia":
        return [rng.randrange(3, 0x2D), 0][: length - 1]
    if access == "kWsync":
        return [2, 0][: length - 1]
    if access == "kTimer":
        return [0x84, 0x02]
    if length == 3:
        return rng.choice([[rng.randrange(256), BEGIN >> 8], [0x82, 0x02], [0x94, 0x00]])
    return [rng.choice([rng.randrange(256), rng.randrange(0x90, 0xF0)])][: length - 1]


def piece(rng: random.Random, sequence: list[Part], at: int) -> list[int]:
    """Code that goes through a sequence and arrives behind it."""
    opcodes = [opcode for opcode, _ in sequence]
    code = [0xA2, rng.randrange(256), 0xA0, rng.randrange(256), 0xA9, rng.randrange(256)]
    code += [rng.choice([0x18, 0x38]), rng.choice([0xD8, 0xD8, 0xF8])]
    if opcodes[-1] == RETURN:  # is called, and then jumped over
        begin = at + len(code) + 6
        code += [0x20, begin & 0xFF, begin >> 8]
        length = sum(programs.length_of(opcode) for opcode in opcodes)
        code += [0x4C, begin + length & 0xFF, begin + length >> 8]
    starts = []
    for part in sequence:
        starts.append(len(code))
        if part[0] in JUMPS:
            target = at + len(code) + 3
            code += [part[0], target & 0xFF, target >> 8]
        elif part[0] in programs.BRANCHES:
            code += [part[0], 0]
        else:
            code += [part[0], *operand(rng, part)]
    for start in starts:  # a branch leads to the end, or to the next instruction
        if code[start] in programs.BRANCHES and rng.random() < 0.7:
            code[start + 1] = len(code) - start - 2
    return [*code, 0xA2, 0xFF, 0x9A]


def cartridge(seed: int) -> tuple[bytes, int]:
    """A ROM of 4 KiB with as many of the sequences as it has room for, and their number."""
    rng = random.Random(seed)
    code: list[int] = [0xA2, 0xFF, 0x9A]
    chosen = table()
    rng.shuffle(chosen)
    count = 0
    for sequence in chosen:
        more = piece(rng, sequence, BEGIN + len(code))
        if count % 16 == 0:
            more = [*FRAME, *piece(rng, sequence, BEGIN + len(code) + len(FRAME))]
        if len(code) + len(more) > 0xFE0:
            break
        code += more
        count += 1
    code += [0x4C, BEGIN & 0xFF, BEGIN >> 8]
    return bytes([*code, *[0xEA] * (0xFFA - len(code)), *[BEGIN & 0xFF, BEGIN >> 8] * 3]), count


@pytest.mark.parametrize("seed", range(6))
def test_sequences_play_as_in_ale(seed: int) -> None:
    rom, count = cartridge(seed)
    assert count > 120
    assert programs.compare(rom, FRAMES) == (FRAMES, "")


def test_the_table_is_whole() -> None:
    rows = table()
    sizes = [len(row) for row in rows]
    # Sequences that piece() does not support would be listed here.
    for row in rows:
        opcodes = [opcode for opcode, _ in row]
        assert not WILD & set(opcodes)
        assert RETURN not in opcodes or STACK_POINTER not in opcodes
    assert len(sizes) == 256
    assert (min(sizes), max(sizes)) == (2, 5)
