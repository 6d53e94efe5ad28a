# SPDX-License-Identifier: Apache-2.0
"""Measures the facts that the console is built on: on ALE, as a black box, and on ours.

    python envpool-atari/tests/provenance.py                       # all experiments
    python envpool-atari/tests/provenance.py hmove writes --show   # two, with what ALE does

An experiment is a program for the console, written here, and what its screens and its memory say: a
table. It is made on ale-py and on our console, and both tables have to be the same. Which fact
comes of which experiment, and what is known from documents, is in envpool-atari/PROVENANCE.md.
"""

from __future__ import annotations

import argparse
import itertools
import pprint
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from machines import Ale, Bytes, Machine, Own, cartridge, laboratory, paddle, wait
from random_programs import BRANCHES, OPCODES, length_of

Play = Callable[[bytes], Machine]
Experiment = Callable[[Play, int], Any]

LDA, LDX, STA, STX, DEX, BNE, JMP = 0xA9, 0xA2, 0x85, 0x86, 0xCA, 0xD0, 0x4C
INC, LDA_Z, LDX_Z, CPX, BCC, BCS, BIT, BMI = 0xE6, 0xA5, 0xA6, 0xE0, 0x90, 0xB0, 0x24, 0x30
ASL, AND, BEQ = 0x0A, 0x29, 0xF0
VSYNC, VBLANK, WSYNC, NUSIZ, COLUP, COLUPF, COLUBK = 0x00, 0x01, 0x02, 0x04, 0x06, 0x08, 0x09
CTRLPF, REFP, PF0, RES, GRP, ENAM, ENABL = 0x0A, 0x0B, 0x0D, 0x10, 0x1B, 0x1D, 0x1F
HMP, HMM0, HMOVE, HMCLR = 0x20, 0x22, 0x2A, 0x2B
CXP0FB, INPT1 = 0x32, 0x39
WIDTH, LINE, HBLANK = 160, 76, 68  # pixels; cycles; clocks before the first pixel
CLOCKS = 3  # of a cycle; a clock is a pixel
OHMS = 27_450, 790_196  # a paddle's, see `turning`
MARK, BACK, COLORS = 0x44, 0x0E, (0x1C, 0x86, 0x38)  # of the players and of the ball


class Part:
    """A piece of program that begins with a line, and counts its cycles."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.code: list[int] = []
        self.time = 0

    def load(self, value: int) -> Part:
        """LDA."""
        self.code += [LDA, value]
        self.time += 2
        return self

    def store(self, register: int, cycle: int = 0) -> Part:
        """STA, which writes in a cycle, or at once."""
        cycle = cycle or self.time + 3
        self.code += [*wait(cycle - 3 - self.time), STA, register]
        self.time = cycle
        return self

    def put(self, register: int, value: int) -> Part:
        """LDA and STA."""
        return self.load(value).store(register)

    def end(self, lines: int) -> Part:
        """Waits for the end of the last of so many lines."""
        now = -(-(self.time + 3) // LINE)  # the line in which the first of these writes is
        self.code += [STA, WSYNC] * (lines - now + 1)
        self.time = lines * LINE
        return self


def shown(play: Play, parts: Sequence[Part], setup: Part) -> Iterator[Bytes]:
    """The lines that each part shows.

    Args:
        play: Makes a machine.
        parts: All of the same number of whole lines.
        setup: At the beginning of a frame.
    """
    height = parts[0].time // LINE
    begin = Part().put(VSYNC, 2).end(3).put(VSYNC, 0).put(VBLANK, 0).end(4)
    palette = dict(zip((COLUBK, COLUP, COLUP + 1, COLUPF), (BACK, *COLORS), strict=True))
    mark = Part().load(MARK)
    for register in palette:
        mark.store(register)
    mark.end(1)
    for register, color in palette.items():
        mark.put(register, color)
    mark.end(2)
    rest = [*parts]
    while rest:
        code = [*begin.code, *setup.code, *_lines(34), *mark.code]
        taken = 0
        while taken < len(rest) and len(code) + len(rest[taken].code) < 0xFC0:
            if (taken + 1) * height > 200:
                break
            code += rest[taken].code
            taken += 1
        machine = play(cartridge([*code, *_lines(6), JMP, 0x00, 0xF0]))
        for _ in range(3):
            machine.frame()
        screen = machine.screen()
        (first,) = np.flatnonzero((screen == MARK).sum(axis=1) > WIDTH - 40) + 2
        for i in range(taken):
            yield screen[first + i * height : first + (i + 1) * height]
        del rest[:taken]


def _lines(count: int) -> list[int]:
    return [LDX, count, STA, WSYNC, DEX, BNE, 0xFB]


# Register that shows an object, the value, and the color: the missiles have the players' colors.
OBJECTS = {
    "player 0": (GRP, 0x80, COLORS[0]),
    "player 1": (GRP + 1, 0x80, COLORS[1]),
    "missile 0": (ENAM, 2, COLORS[0]),
    "missile 1": (ENAM + 1, 2, COLORS[1]),
    "ball": (ENABL, 2, COLORS[2]),
}
GROUPS = (("player 0", "player 1", "ball"), ("missile 0", "missile 1"))  # all in other colors


def _objects(names: Sequence[str] = ()) -> Part:
    """Shows these objects, a pixel wide, and no others."""
    setup = Part()
    for name, (register, value, _) in OBJECTS.items():
        setup.put(register, value if name in names else 0)
    return setup.end(1)


def _place(row: Bytes, name: str) -> int:
    """The pixel where an object is."""
    return int(np.flatnonzero(row == OBJECTS[name][2])[0])


def hmove(play: Play, step: int) -> dict[str, object]:
    """The distance of HMOVE's motion, by its cycle and the motion register, and blanked pixels."""
    keys = [(cycle, nibble) for cycle in range(0, LINE, step) for nibble in range(16)]
    parts = []
    for cycle, nibble in keys:
        part = Part().load(nibble << 4)
        for register in range(HMP, HMP + 5):
            part.store(register)
        for i in range(5):
            part.store(RES + i, 36 + 6 * i)
        parts.append(part.end(1).store(HMOVE, 2 * LINE + cycle).end(4))
    moved: dict[tuple[str, int], list[int]] = {}
    blank = set()
    for names in GROUPS:
        for (cycle, _), rows in zip(keys, shown(play, parts, _objects(names)), strict=True):
            for name in names:
                way = _place(rows[3], name) - _place(rows[1], name)
                way = (way + WIDTH // 2) % WIDTH - WIDTH // 2
                moved.setdefault((name, cycle), []).append(way)
            if any((row[:8] == 0).all() for row in rows):
                blank.add(cycle)
    return {"moved": moved, "blank": sorted(blank)}


def strobes(play: Play, step: int) -> dict[str, list[int]]:
    """The pixel where RESP, RESM and RESBL put an object, by the cycle."""
    result = {}
    for index, name in enumerate(OBJECTS):
        parts = [
            Part().end(1).store(RES + index, 2 * LINE + cycle).end(4)
            for cycle in range(0, LINE, step)
        ]
        rows = shown(play, parts, _objects([name]))
        result[name] = [_place(row[3], name) for row in rows]
    return result


def restarts(play: Play, step: int) -> dict[str, object]:
    """RESP0 again, of a player of each kind: what is lit on that line, and on the next.

    By the pixels that NUSIZ makes, and the cycle of the first RESP0; in a list by the cycle of the
    second one. Lit are (first pixel, pixels).
    """
    cycles = range(0, LINE, step)
    result: dict[str, object] = {}
    for nusiz in range(8):
        setup = _objects().put(GRP, 0xFF).put(NUSIZ, nusiz).end(2)
        for first in (24, 49):
            parts = [
                Part()
                .end(1)
                .store(RES, 2 * LINE + first)
                .end(4)
                .store(RES, 5 * LINE + cycle)
                .end(7)
                for cycle in cycles
            ]
            lines = [(_lit(rows[5]), _lit(rows[6])) for rows in shown(play, parts, setup)]
            result[f"NUSIZ {nusiz}, cycle {first}"] = lines
    return result


def _lit(row: Bytes) -> list[tuple[int, int]]:
    """The places of player 0: first pixels, and their number."""
    edges = np.flatnonzero(np.diff(np.pad((row == COLORS[0]).astype(np.int8), 1)))
    return [
        (int(begin), int(end - begin)) for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]


def strobes_after_hmove(play: Play, step: int) -> dict[str, object]:
    """The place of an object that a strobe soon after an HMOVE puts elsewhere than usual."""
    gaps = (3, 6, 7, 18, 20) if step > 1 else (3, *range(5, 60))
    usual = strobes(play, 1)
    odd = {}
    for index, name in enumerate(OBJECTS):
        if index < 2:
            continue
        keys = [(cycle, gap) for gap in gaps for cycle in range(LINE)]
        parts = []
        for cycle, gap in keys:
            part = Part().store(HMCLR).end(1).store(HMOVE, 2 * LINE + cycle)
            parts.append(part.store(RES + index, 2 * LINE + cycle + gap).end(6))
        for (cycle, gap), rows in zip(keys, shown(play, parts, _objects([name])), strict=True):
            x = _place(rows[5], name)
            if x != usual[name][(cycle + gap) % LINE]:
                odd[name, cycle, gap] = x
    return {"cycle of HMOVE, cycles after it": odd}


# A register, its old and its new value, and what makes the change visible: others and their values.
WRITES: dict[str, tuple[int, int, int, dict[int, int]]] = {
    "VBLANK": (VBLANK, 0, 2, {}),
    "COLUBK": (COLUBK, BACK, 0x62, {}),
    "COLUPF": (COLUPF, 0x38, 0x62, {PF0: 0xFF, PF0 + 1: 0xFF, PF0 + 2: 0xFF}),
    "PF0": (PF0, 0, 0xFF, {}),
    "PF1": (PF0 + 1, 0, 0xFF, {}),
    "PF2": (PF0 + 2, 0, 0xFF, {}),
    "GRP0": (GRP, 0, 0xFF, {NUSIZ: 7}),
    "GRP1": (GRP + 1, 0, 0xFF, {NUSIZ + 1: 7}),
    "REFP0": (REFP, 0, 8, {NUSIZ: 7, GRP: 0xAA}),
    "REFP1": (REFP + 1, 0, 8, {NUSIZ + 1: 7, GRP + 1: 0xAA}),
    "NUSIZ0": (NUSIZ, 7, 0, {GRP: 0xFF}),
    "NUSIZ1": (NUSIZ + 1, 7, 0, {GRP + 1: 0xFF}),
    "ENAM0": (ENAM, 0, 2, {NUSIZ: 0x36}),
    "ENAM1": (ENAM + 1, 0, 2, {NUSIZ + 1: 0x36}),
    "ENABL": (ENABL, 0, 2, {CTRLPF: 0x30}),
}


def writes(play: Play, step: int) -> dict[str, object]:
    """After how many clocks a write is seen: the fewest; of a playfield by the cycle modulo 4."""
    cycles = range(23, LINE, 1 if step == 1 else 3)
    result: dict[str, object] = {}
    for name, (register, old, new, others) in WRITES.items():
        setup = _objects()
        for place, value in others.items():
            setup.put(place, value)
        for i in range(5):
            setup.store(RES + i, setup.time + 40)
        setup.end(4)
        parts = []
        for cycle in cycles:
            part = Part().put(register, old).end(1).load(new).store(register, 2 * LINE + cycle)
            parts.append(part.end(4))
        delays: dict[int, int] = {}
        for cycle, rows in zip(cycles, shown(play, parts, setup), strict=True):
            changed = np.flatnonzero(rows[2] != rows[1])
            if len(changed):
                delay = int(changed[0]) + HBLANK - 3 * cycle
                phase = cycle & 3 if name.startswith("PF") else 0
                delays[phase] = min(delays.get(phase, delay), delay)
        result[name] = dict(sorted(delays.items())) if len(delays) > 1 else delays[0]
    return result


def reflection(play: Play, step: int) -> dict[str, object]:
    """The cycles of CTRLPF in which it still mirrors the right half of the same line."""
    setup = _objects().put(PF0, 0xF0).end(2)
    cycles = range(0, LINE, 1)
    parts = [
        Part().put(CTRLPF, 0).end(1).load(1).store(CTRLPF, 2 * LINE + cycle).end(4)
        for cycle in cycles
    ]
    rows = shown(play, parts, setup)
    same = [c for c, row in zip(cycles, rows, strict=True) if (row[2] != row[1]).any()]
    return {"cycles": (same[0], same[-1], len(same))}


def stars(play: Play, step: int) -> dict[str, object]:
    """HMM0 from 7 to 6 some cycles after HMOVE: pixels of missile 0 on eight lines."""
    gaps = range(8, 40)
    parts = []
    for gap in gaps:
        part = Part().put(HMM0, 0x70).store(RES + 2, 50).end(1).load(0x60)
        part.store(HMOVE, LINE + 5).store(HMM0, LINE + 5 + gap).end(10)
        parts.append(part.store(HMOVE, 10 * LINE + 5).end(11))
    found = {}
    for gap, rows in zip(gaps, shown(play, parts, _objects(["missile 0"])), strict=True):
        lines = [np.flatnonzero(row == COLORS[0]).tolist() for row in rows[2:10]]
        if any(line != lines[0] for line in lines):
            found[3 * gap] = lines
    return {"clocks after HMOVE": found}


def frames(play: Play, step: int) -> dict[str, object]:
    """The ends of a frame: VSYNC of so many cycles, so many lines, or so many instructions."""
    vsync = {}
    count = [INC, 0x80]
    for cycles in range(70, 84):
        code = Part().put(VSYNC, 2).load(0).store(VSYNC, 5 + cycles).code
        vsync[cycles] = _steps(play, [*count, *code, *_lines(100), JMP, 0x00, 0xF0])
    # The first 200 frames have 262 lines, so that they are those of NTSC; then VSYNC stays off.
    frame = Part().put(VSYNC, 2).end(3).put(VSYNC, 0).end(4).code + _lines(255) + _lines(2)
    line = [INC, 0x80, STA, WSYNC, JMP]
    start = [LDX_Z, 0x81, CPX, 230, BCS, len(frame) + 5, *frame, INC, 0x81, JMP, 0x00, 0xF0]
    lines_ntsc = _steps(play, [*start, *line, len(start), 0xF0], 300)
    lines_pal = _steps(play, [*line, 0x00, 0xF0])
    loops = [INC, 0x80, INC, 0x80, INC, 0x80, JMP, 0x00, 0xF0]  # 3 of 4 instructions count
    return {
        "frames of 100 lines, by cycles of VSYNC": vsync,
        "most lines (NTSC, PAL), modulo 256": (lines_ntsc, lines_pal),
        "three quarters of all instructions, modulo 256": _steps(play, loops),
    }


def _steps(play: Play, code: list[int], first: int = 10) -> int:
    """By how much a program counts 0x80 up in a frame."""
    machine = play(cartridge(code))
    for _ in range(first):
        machine.frame()
    before = int(machine.ram()[0])
    machine.frame()
    return (int(machine.ram()[0]) - before) % 256


OF_OBJECTS = {
    "player 0": [(GRP, 0x5A)], "player 1": [(GRP + 1, 0x66)], "missile 0": [(ENAM, 2)],
    "missile 1": [(ENAM + 1, 2)], "ball": [(ENABL, 2)], "playfield": [(PF0, 0xA0), (PF0 + 1, 0x5C)],
}  # fmt: skip


def ends(play: Play, step: int) -> dict[str, object]:
    """How much is drawn of the line on which VSYNC ends a frame.

    By the objects that are on: its pixels in the color of the background, which is another one in
    each frame, where VSYNC goes off in four cycles one after the other. And where HMOVE has blanked
    the line, by the cycle of the first write or read after HMOVE: black pixels.
    """
    drawn: dict[str, object] = {}
    most, first = (len(OF_OBJECTS), 40) if step == 1 else (2, 43)
    for names in (n for k in range(most + 1) for n in itertools.combinations(OF_OBJECTS, k)):
        for control in (0, 2):
            setup = [(CTRLPF, control), *(write for name in names for write in OF_OBJECTS[name])]
            counts = [_last_line(play, setup, Part(), cycle)[0] for cycle in range(first, 44)]
            drawn[f"{', '.join(names)}; CTRLPF {control}"] = counts
    blank = {}
    for cycle in range(10, 20, 1 if step == 1 else 4):
        line = Part().store(HMOVE, 3).load(0).store(HMP, cycle)
        blank["write", cycle] = _last_line(play, [], line, 26)[1]
        for register in (CXP0FB, INPT1):
            line = Part().store(HMOVE, 3)
            line.code += [*wait(cycle - 6), BIT, register]
            line.time = cycle
            blank[f"read of {register:02X}", cycle] = _last_line(play, [], line, 26)[1]
    return {"pixels, by objects": drawn, "black pixels, by cycle": blank}


def _last_line(
    play: Play, setup: Sequence[tuple[int, int]], line: Part, cycle: int
) -> tuple[int, int]:
    """Pixels of the background's color on the last line of a frame, and black ones.

    Three frames of four have more lines, so that what is not drawn shows their colors.
    """
    code = [INC, 0x80, LDA_Z, 0x80, ASL, STA, COLUBK]
    code += [byte for register, value in setup for byte in (LDA, value, STA, register)]
    code += [LDA_Z, 0x80, AND, 3, BEQ, len(_lines(20)), *_lines(20)]
    code += [*_lines(95), LDA, 2, STA, VSYNC, *_lines(3)]
    code += [*line.code, *Part().load(0).store(VSYNC, cycle - line.time).code, JMP, 0x00, 0xF0]
    machine = play(cartridge(code))
    for _ in range(4):
        machine.frame()
    while machine.ram()[0] % 4 or machine.ram()[0] % 128 == 0:  # black is not a color of these
        machine.frame()
    color = int(machine.ram()[0]) * 2 & 0xFE
    screen = machine.screen()
    last = screen[np.flatnonzero((screen == color).any(axis=1))[-1]]
    return int((last == color).sum()), int((last == 0).sum())


def formats(play: Play, step: int) -> dict[str, object]:
    """Lines of the screen by the lines of a frame: more than 210 are PAL's."""
    heights = {}
    for count in range(282, 290):
        code = Part().put(VSYNC, 2).end(3).put(VSYNC, 0).put(VBLANK, 0).end(4).code
        code += [*_lines(count - 4 - 250), *_lines(249), STA, WSYNC, JMP, 0x00, 0xF0]
        heights[count] = len(play(cartridge(code)).screen())
    # Some of the frames have 288 lines, the others 262; the program counts them in 0x81.
    shares = {}
    for count in range(42, 47):
        for branch, which in ((BCS, "first"), (BCC, "others")):
            start = [LDA, 0, STA, 0x81]
            frame = Part().put(VSYNC, 2).end(3).put(VSYNC, 0).put(VBLANK, 0).end(4).code
            more = _lines(26)
            code = [*start, *frame, LDX_Z, 0x81, CPX, count, branch, len(more), *more]
            code += [*_lines(129), *_lines(129), INC, 0x81, JMP, len(start), 0xF0]
            shares[f"{which}, {count}"] = len(play(cartridge(code)).screen())
    return {"lines of the screen": heights, "by which frames have 288 lines": shares}


def cycles(play: Play, step: int) -> dict[str, list[int]]:
    """Cycles of the opcodes that do not stop the CPU: with an index of 0, and of 0xE0.

    The second takes A0 and 00A0 to the next page. Each opcode is on a line of its own, and a color
    comes after it. A branch leads to what comes next, taken or not.
    """
    keys = [(opcode, index) for opcode in (*OPCODES, *BRANCHES) for index in (0, 0xE0)]
    parts = []
    for opcode, index in keys:
        part = Part()
        for address, value in ((0x80, 0x90), (0x81, 0), (0xA0, 0xA0), (0xA1, 0)):  # pointers
            part.put(address, value)
        part.end(1).put(COLUBK, 0)
        part.code += [LDX, 0xFF, 0x9A, LDX, index, 0xA0, index]  # TXS, LDY
        length = 2 if opcode in BRANCHES else length_of(opcode)
        operand = [0, 0] if opcode in BRANCHES else [0xA0, 0]
        part.code += [*wait(20), *[opcode, *operand][:length]]
        part.code += [0xD8, LDA, COLORS[0], STA, COLUBK]  # CLD
        part.end(2).put(COLUBK, BACK).end(3)
        parts.append(part)
    known = 5 + 8 + 20 + 7  # of these lines' other instructions
    found: dict[str, list[int]] = {}
    for (opcode, _), lines in zip(keys, shown(play, parts, _objects()), strict=True):
        first = int(np.flatnonzero(lines[1] == COLORS[0])[0])
        found.setdefault(f"{opcode:02X}", []).append((first + HBLANK) // CLOCKS - known)
    return found


def power_on(play: Play, step: int) -> dict[str, object]:
    """The contents of memory, registers and timer when the program begins.

    The program keeps what it finds only when it begins for the first time, after power-on; all that
    it does not write is still there when we look.
    """
    # 0x80: the timer, X, Y, the stack pointer; A and the status by way of the stack.
    code = [0x08, 0x48, 0x86, 0x81, 0x84, 0x82, 0xBA, 0x86, 0x83, 0xAD, 0x84, 0x02, STA, 0x80]
    code += [*_lines(200), JMP, len(code), 0xF0]
    memory = play(cartridge(code)).ram()
    return {"timer, X, Y, SP - 2": memory[:4].tolist(), "memory": memory[4:].tolist()}


def constants(play: Play, step: int) -> dict[str, object]:
    """The value that the two opcodes that depend on the chip's temperature OR into A."""
    code = [0xA9, 0x00, 0xA2, 0xFF, 0x8B, 0xFF, 0x85, 0x80]  # ANE
    code += [0xA9, 0x00, 0xAB, 0xFF, 0x85, 0x81]  # LXA
    code += [*_lines(200), JMP, 0x00, 0xF0]
    return {"ANE, LXA": play(cartridge(code)).ram()[:2].tolist()}


# How cartridges with banks are told apart: a word that ALE looks for, or a part that its RAM hides.
KINDS: dict[str, tuple[int, list[int]]] = {
    "kF8": (2, []), "kF8SC": (2, []), "kF6": (4, []), "kF6SC": (4, []),
    "kE0": (2, [0xAD, 0xE9, 0xFF]), "kFE": (2, [0x20, 0x00, 0xD0, 0xC6, 0xC5]),
}  # fmt: skip


def hot_spots(play: Play, step: int) -> dict[str, object]:
    """The KiB that are seen in the first three quarters of the page, after reads of 1FE0 .. 1FFF.

    And what is read at F083 after 5A was written to F003, and after F003 was read. FE has no such
    spots: what is seen from D000 on, by a subroutine there, and back again.
    """
    seen: dict[str, object] = {}
    for kind, (banks, word) in KINDS.items():
        code = [LDX, 0, 0xA0, 0, 0xBD, 0xE0, 0xFF]  # LDX #0, LDY #0, LDA $FFE0,X
        for quarter in range(3):
            code += [0xAD, 0x00, 0xF1 + 4 * quarter, 0x99, 0x80, 0x00, 0xC8]  # STA $80,Y; INY
        code += [0xE8, CPX, 0x20, BNE, 0xE3]
        code += [LDA, 0x5A, 0x8D, 0x03, 0xF0, 0xAD, 0x83, 0xF0, STA, 0xE0]
        code += [0xAD, 0x03, 0xF0, 0xAD, 0x83, 0xF0, STA, 0xE1]
        far = [0xAD, 0x00, 0xD1, STA, 0xE2, 0xAD, 0x00, 0xF1, STA, 0xE3, 0x60]
        if kind == "kFE":
            code += [LDX, 0xFF, 0x9A, 0x20, 0x80, 0xD0, 0xAD, 0x00, 0xF1, STA, 0xE4]
        at = len(code)
        code += [*_lines(200), JMP, at & 0xFF, 0xFC + (at >> 8)]
        rom = bytearray([0xEA] * 4096 * banks)
        for begin in range(0, len(rom), 4096):
            if not kind.endswith("SC"):
                rom[begin] = 1
            for block in range(4):
                rom[begin + 0x400 * block + 0x100] = (begin >> 10) + block
            if kind == "kFE":
                rom[begin + 0x80 : begin + 0x80 + len(far)] = bytes(far)
            rom[begin + 0xC00 : begin + 0xC00 + len(code)] = bytes(code)
            rom[begin + 0xFC0 : begin + 0xFC0 + len(word)] = bytes(word)
            rom[begin + 0xFFC : begin + 0x1000] = bytes([0x00, 0xFC] * 2)
        machine = Own(bytes(rom), kind) if play is Own else play(bytes(rom))
        memory = machine.ram().tolist()
        seen[kind] = [tuple(memory[i : i + 3]) for i in range(0, 96, 3)], memory[96:101]
    return seen


def dpc(play: Play, step: int) -> dict[str, list[int]]:
    """The chip of Pitfall II: random numbers, what clocks them, the fetchers and the music."""
    graphics = np.random.default_rng(1).integers(0, 256, 2048).tolist()
    touched = [0x1080, 0x1F00, 0x1FBF, 0x1FC0, 0x1FD5, 0x1FFF]
    random = [code for at in touched for code in (*_read(at), *_read(0x1000))]
    tables = {"random, and after other reads": [*_store(0x1070, 0), *random]}
    for index in range(8):
        start = [(0x1040, 0x84), (0x1048, 0x80), (0x1050, 0x88), (0x1058, 0x12 if index > 4 else 2)]
        code = [byte for at, value in start for byte in _store(at + index, value)]
        code += [byte for turn in range(3) for byte in _read(0x1008 + 8 * turn + index)]
        code += [byte for function in range(7) for byte in _read(0x1008 + 8 * function + index)] * 3
        tables[f"fetcher {index}"] = code + _read(0x1004) * 5
    result = {}
    for name, code in tables.items():
        program = [0xA2, 0x80]  # LDX #$80: where the next byte goes
        program += [*code, *_lines(200), JMP, 0x80, 0xF0]
        bank = [*[0] * 0x80, *program]
        bank += [0] * (0xFFC - len(bank)) + [0x80, 0xF0, 0x80, 0xF0]
        machine = play(bytes([*bank, *bank, *graphics, *[0] * 255]))
        result[name] = machine.ram()[: code.count(0xE8)].tolist()
    return result


def _store(address: int, value: int) -> list[int]:
    return [LDA, value, 0x8D, address & 0xFF, address >> 8]


def _read(address: int) -> list[int]:
    """Puts a byte into memory: LDA, STA $00,X, INX."""
    return [0xAD, address & 0xFF, address >> 8, 0x95, 0x00, 0xE8]


def charging(play: Play, step: int) -> dict[int, int]:
    """Cycles in which a paddle's capacitor is charged, by its resistance in ohms.

    A program empties it, lets go, and looks at INPT1 every 13 cycles until it is high, but after 20
    where the low byte of its count overflows. It begins in as many cycles: the last look at which
    one of these programs sees it low is the cycle.
    """
    lab, cycles = laboratory(), {}
    for ohms in np.linspace(OHMS[0], OHMS[1], 1 + 400 // step).astype(int).tolist():
        seen = []
        for late in (0, *range(2, 22)):
            start = [LDA, 0x80, STA, VBLANK, LDA, 0, STA, VBLANK, *wait(late)]
            at = 0x80 + len(start)
            count = [BIT, INPT1, BMI, 9, INC, 0xF0, BNE, 0xF8, INC, 0xF1, JMP, at, 0]
            done = at + len(count)
            lab.load([*start, *count, JMP, done, 0], ohms=ohms)
            assert lab.step() == ""  # so that memory is that of both
            low, high = (lab.own.ram() if play is Own else lab.ale.getRAM())[0x70:0x72].tolist()
            before = low + 256 * high - 1  # the look at which it was low
            seen.append(3 + late + 13 * before + 7 * (before // 256))
        cycles[ohms] = max(seen)
    return cycles


def cycles_per_ohm(cycles: Mapping[int, int]) -> tuple[float, float]:
    """Between which two the number is that gives all of these when the rest is cut off."""
    low = max(count / ohms for ohms, count in cycles.items())
    high = min((count + 1) / ohms for ohms, count in cycles.items())
    return low, high


def turning(play: Play, step: int) -> dict[str, list[int]]:
    """Ohms of a paddle after each frame of a player who turns it, and where it stops."""
    ohms = {}
    for game in ("pong", "backgammon"):  # the second has one that turns further
        for name, action in (("right", 3), ("left", 4)):
            for strength in (1.0, 0.3):
                turn = paddle(Own if play is Own else Ale, game)
                rest = turn(0, 1.0)
                ohms[f"{game}, {name}, {strength}"] = [
                    rest, *(turn(action, strength) for _ in range(75)), turn(7 - action, strength)
                ]  # fmt: skip
    return ohms


EXPERIMENTS: tuple[Experiment, ...] = (
    hmove, strobes, restarts, strobes_after_hmove, writes, reflection, stars, frames, ends, formats,
    power_on, cycles, constants, hot_spots, dpc, charging, turning,
)  # fmt: skip


def seed_of(memory: Sequence[int], begin: int = 0, end: int = 1 << 23) -> int | None:
    """The first seed of a Mersenne Twister whose numbers have these low bytes.

    Args:
        memory: Low bytes of the first numbers; None for one that is not known.
        begin: The first seed to try.
        end: The one behind the last.
    """
    for first in range(begin, end, 1 << 16):
        seeds = np.arange(first, min(first + (1 << 16), end), dtype=np.uint32)
        # The first numbers depend on the first two words of the state, and on those 397 further on.
        words = [seeds]
        for i in range(1, 400):
            last = words[-1]
            words.append(np.uint32(1812433253) * (last ^ last >> np.uint32(30)) + np.uint32(i))
        alive = np.ones(len(seeds), bool)
        for i in range(3):
            alive &= (_draw(words, i) & 0xFF) == memory[i]
        for seed in seeds[alive]:
            if np.array_equal(mersenne_bytes(int(seed), len(memory)), memory):
                return int(seed)
    return None


def _draw(words: list[Any], i: int) -> Any:
    u = np.uint32
    mixed = (words[i] & u(0x80000000)) | (words[i + 1] & u(0x7FFFFFFF))
    y = words[i + 397] ^ mixed >> u(1) ^ (mixed & u(1)) * u(0x9908B0DF)
    y = y ^ y >> u(11)
    y = y ^ y << u(7) & u(0x9D2C5680)
    y = y ^ y << u(15) & u(0xEFC60000)
    return y ^ y >> u(18)


def mersenne_bytes(seed: int, count: int) -> Bytes:
    """Low bytes of the first numbers of std::mt19937(seed)."""
    generator = np.random.RandomState(seed)
    return generator.randint(0, 1 << 32, count, dtype=np.uint32).astype(np.uint8)


def untouched_memory(play: Play) -> list[int]:
    """The 128 bytes of memory at power-on, seen by a program that writes none."""
    return [int(byte) for byte in play(cartridge([*_lines(200), JMP, 0x00, 0xF0])).ram()]


def main() -> int:
    """Prints equal and different results; the exit status is 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    names = {experiment.__name__: experiment for experiment in EXPERIMENTS}
    parser.add_argument("experiments", nargs="*", choices=[[], *names], help="all if none is named")
    parser.add_argument("--show", action="store_true", help="also what was measured on ALE")
    parser.add_argument("--step", type=int, default=1, help="measure only every so many cycles")
    parser.add_argument("--seed", action="store_true", help="search the seed of memory: 10 seconds")
    options = parser.parse_args()
    status = 0
    for name in options.experiments or names:
        ale, own = (names[name](play, options.step) for play in (Ale, Own))
        status |= ale != own
        print(f"{name}: {'equal' if ale == own else 'DIFFERENT'}", flush=True)
        if options.show or ale != own:
            pprint.pp(ale, compact=True, width=100)
        if ale != own:
            print("ours:")
            pprint.pp(own, compact=True, width=100)
    if options.seed:
        print(f"seed of memory at power-on: {seed_of(untouched_memory(Ale))}")
    return status


if __name__ == "__main__":
    sys.exit(main())
