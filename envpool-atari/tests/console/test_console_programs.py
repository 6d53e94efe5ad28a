# SPDX-License-Identifier: Apache-2.0
"""Programs unlike games: every opcode, every clock of a line, and frames that never end."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from laboratory import Laboratory, burned, console_module, pong, wait
from machines import BEGIN, cartridge
from random_programs import compare

# Opcodes after which an NMOS 6502 does nothing any more.
JAMS = {0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2}
# Jumps and branches, which have tests of their own.
JUMPS = {0x00, 0x10, 0x20, 0x30, 0x40, 0x4C, 0x50, 0x60, 0x6C, 0x70, 0x90, 0xB0, 0xD0, 0xF0}
ABSOLUTE = {0x0C, 0x0D, 0x0E, 0x0F}  # low digit of the opcode
LDA, LDX, STA, STX, STY, PHP, NOP, JMP = 0xA9, 0xA2, 0x85, 0x86, 0x84, 0x08, 0xEA, 0x4C
WSYNC, VBLANK, HMOVE, HMCLR = 0x02, 0x01, 0x2A, 0x2B
# All that are written but VSYNC, which ends the frame, and the sounds.
REGISTERS = [1, *range(4, 0x15), *range(0x1B, 0x2D)]


@pytest.fixture(scope="module")
def lab() -> Laboratory:
    return Laboratory()


def length_of(opcode: int) -> int:
    """Bytes of an instruction that is no jump."""
    low = opcode & 0x1F
    if low in {0x19, 0x1B} or opcode & 0x0F in ABSOLUTE:
        return 3
    if low in {0x08, 0x0A, 0x18, 0x1A}:
        return 1
    return 2


@pytest.mark.parametrize("opcode", sorted(set(range(256)) - JAMS - JUMPS), ids="{:02X}".format)
def test_opcodes(lab: Laboratory, opcode: int) -> None:
    rng = random.Random(opcode)
    for _ in range(8):
        # Operands in RAM, in the TIA, in the RIOT and in ROM, and on both sides of a page's end.
        low = rng.choice([rng.randrange(256), rng.randrange(0xC0, 0x100), 0xFE, 0xFF])
        high = rng.choice([0x00, 0x00, 0x10, 0xF0, 0xF1, 0x02])
        operand = [low, high][: length_of(opcode) - 1]
        store = [STA, 0xE8, STX, 0xE9, STY, 0xEA, PHP]
        program = [opcode, *operand, *store]
        program += [JMP, 0x80 + len(program), 0x00]
        program += [rng.randrange(256) for _ in range(128 - len(program))]
        program[0x0D] = program[0x0E] = 0  # the scores of Pong
        a, x, y = (rng.choice([rng.randrange(256), 0, 0xFF, 0x80, 0x99]) for _ in range(3))
        sp = rng.choice([0xFF, 0xFD, 0xF0])
        status = rng.randrange(256) | 0x30
        lab.load(program, a=a, x=x, y=y, sp=sp, status=status)
        if changes_itself(program, opcode, a, x, y):
            continue
        assert lab.step() == "", f"{program[:3]} a={a} x={x} y={y} sp={sp} status={status:08b}"


def changes_itself(program: list[int], opcode: int, a: int, x: int, y: int) -> bool:
    """Whether an instruction may write into the program behind it, which then does anything."""
    low = program[1]
    high = program[2]
    at = {low, (low + x) & 0xFF, (low + y) & 0xFF}
    if opcode & 0x0F in {1, 3}:  # by way of a pointer, anywhere
        at |= {0x80}
    in_ram = high < 2 or length_of(opcode) == 2
    return in_ram and length_of(opcode) > 1 and any(0x80 <= place < 0x90 for place in at)


def programs(count: int, seed: int) -> Iterator[list[int]]:
    """Random writes to the TIA at random clocks, in a loop that ends with the longest frame."""
    rng = random.Random(seed)
    while count:
        focus = rng.sample(REGISTERS, rng.randrange(3, len(REGISTERS)))
        program = [LDA, 0, STA, VBLANK]
        while len(program) < 112:
            register = rng.choice(focus)
            value = rng.choice([0, 0, 2]) if register == VBLANK else rng.randrange(256)
            program += rng.choice(
                [
                    [LDA, value, STA, register],
                    [LDA, value, STA, register],
                    [STA, register] if register != VBLANK else [NOP],
                    [STX, register] if register != VBLANK else [NOP],
                    [STA, WSYNC],
                    wait(rng.choice([2, 3, 4, 5, 7, 9, 11])),
                    [0xE8],
                    [0xA5, 0x30 + rng.randrange(8), STA, 0xF8 + rng.randrange(8)],  # collisions
                ]
            )
        if len(program) <= 117:
            count -= 1
            yield [*program, JMP, 0x80, 0x00]


@pytest.mark.parametrize("seed", range(8))
def test_random_writes_to_the_tia(lab: Laboratory, seed: int) -> None:
    for number, program in enumerate(programs(25, seed)):
        lab.load(program, a=number, x=0x80 + number, y=0xFF)
        for frame in range(3):
            if lab.over:
                break
            assert lab.step() == "", f"program {number}, frame {frame}"


# All objects are on the line in colors: players, missiles, the ball and a playfield.
FRAME = [
    (VBLANK, 0x00), (0x06, 0x1E), (0x07, 0x42), (0x08, 0x84), (0x09, 0x26), (0x0D, 0xA0),
    (0x0E, 0x35), (0x0F, 0xC6), (0x1B, 0x9D), (0x1C, 0xE3), (0x1D, 0x02), (0x1E, 0x02),
    (0x1F, 0x02),
]  # fmt: skip


@pytest.mark.parametrize("register", REGISTERS, ids="{:02X}".format)
def test_writes_in_all_cycles_of_a_line(lab: Laboratory, register: int) -> None:
    step = 1 if register in {0x0A, 0x0D} else 3  # CTRLPF, PF0: these depend on the very cycle
    setup = [byte for target, value in FRAME for byte in (LDA, value, STA, target)]
    for cycle in (3, *range(5 + register % step, 76, step)):
        # The value changes from line to line: A, and its complement.
        loop = [STA, WSYNC, *wait(cycle - 3), STA, register, 0x49, 0xFF]
        lab.load([*setup, LDA, 0x13, *loop, JMP, 0x80 + len(setup) + 2, 0x00])
        assert lab.step() == "", f"cycle {cycle}"
        assert register == VBLANK or lab.own.screen().any()


def test_objects_put_at_every_clock_after_hmove(lab: Laboratory) -> None:
    for first in (3, *range(5, 76, 7)):
        for gap in (3, *range(5, 40)):
            program = [STA, HMCLR, STA, WSYNC, *wait(first - 3), STA, HMOVE, *wait(gap - 3)]
            for register in range(0x10, 0x15):
                end = [STA, register, STA, WSYNC, JMP, 0x80 + len(program) + 2, 0x00]
                lab.load([*program, *end])
                lab.step()
                assert list(lab.own.state()["positions"]) == lab.ale_positions(), (
                    f"HMOVE in cycle {first}, register {register:02X} {gap} cycles later"
                )


def test_the_ball_is_put_while_an_hmove_of_the_line_before_still_runs(lab: Laboratory) -> None:
    for cycle in (76, 77, 78):  # 0, 1 and 2 of the next line, which no WSYNC leaves time for
        for gap in (3, *range(5, 60)):
            program = [STA, HMCLR, STA, WSYNC, *wait(cycle - 3), STA, HMOVE, *wait(gap - 3)]
            program += [STA, 0x14, STA, WSYNC, JMP, 0x82, 0x00]
            lab.load(program)
            lab.step()
            assert list(lab.own.state()["positions"]) == lab.ale_positions(), f"{cycle} {gap}"


# Values of VSYNC, and the cycles between the writes.
VSYNCS = [
    ((2, 5), (0, 5)), ((2, 5), (0, 70)), ((2, 5), (0, 71)), ((2, 5), (0, 72)), ((2, 5), (0, 200)),
    ((2, 5), (0, 20), (0, 20)), ((2, 5), (0, 20), (0, 80)), ((2, 5), (0, 80), (0, 80)),
    ((2, 5), (2, 60), (0, 20)), ((2, 5), (2, 60), (0, 80)), ((2, 5), (0, 20), (2, 80), (0, 20)),
    ((2, 5), (0, 20), (2, 20), (0, 20), (0, 40)), ((0, 5), (0, 80)), ((2, 5), (0xFD, 80)),
]  # fmt: skip


@pytest.mark.parametrize("writes", VSYNCS)
def test_vsync(lab: Laboratory, writes: tuple[tuple[int, int], ...]) -> None:
    program = [0xE6, 0xF0]  # a count in RAM, which shows how long a frame is
    for value, cycles in writes:
        lines, rest = divmod(cycles, 76)
        program += [STA, WSYNC] * lines + wait(rest) + [LDA, value, STA, 0]
    program += [LDX, 90, STA, WSYNC, 0xCA, 0xD0, 0xFB, JMP, 0x80, 0x00]
    lab.load(program)
    for _ in range(4):
        assert lab.step() == ""


def test_pushes_of_brk_into_the_tia() -> None:
    for sp in range(6):
        for cycles in (0, 22, 40):
            begin = [0xD8, LDA, 2, STA, 0, *[STA, WSYNC] * 3, LDA, 0, STA, 0, STA, WSYNC]
            begin += [0x8D, 0x94, 0x02, *wait(cycles), LDX, sp, 0x9A, 0x00]
            # The program writes the timer to 0x90; then follows a frame of 104 lines.
            after = [0xAD, 0x84, 0x02, STA, 0x90, LDX, 0xFF, 0x9A, LDX, 100]
            after += [STA, WSYNC, 0xCA, 0xD0, 0xFB, JMP, 0x00, 0xF0]
            rom = cartridge([*begin, *after], brk=BEGIN + len(begin))
            assert compare(rom, 3) == (3, ""), f"SP {sp}, {cycles} cycles"


@pytest.mark.parametrize("last", [0x05, 0x09, 0x3F])
def test_the_bus_between_frames(last: int) -> None:
    """A program that stays in the TIA: the bus is its code. Every frame is cut at another place."""
    for high in (0x05, 0xC9):  # ORA; the TIA drives only the upper two bits
        begin = [0xD8, LDX, 0x7F, LDA, last, STA + 0x10, 0x80, 0xCA, 0x10, 0xFB]
        for address, byte in ((0x80, JMP), (0x81, 0x40), (0x82, high)):
            begin += [LDA, byte, STA, address]
        rom = cartridge([*begin, JMP, 0x40, high], brk=BEGIN)
        assert compare(rom, 8) == (8, ""), f"{high:02X}"


@pytest.mark.parametrize("sp", range(0x05))
def test_jsr_whose_pushes_hit_the_tia(lab: Laboratory, sp: int) -> None:
    for cycles in range(0, 76, 2):
        begin = [0xE6, 0xF0, LDX, sp, 0x9A, STA, WSYNC, *wait(cycles)]
        after = 0x80 + len(begin) + 3
        shown = [STX, 0x09, 0xE8, STX, 0x08, 0xA5, 0xF0, STA, 0x09]  # in colors: what time it is
        lab.load([*begin, 0x20, after, 0x00, *shown, JMP, 0x80, 0x00])
        for _ in range(3):
            assert lab.step() == "", f"{cycles} cycles after WSYNC"


def test_hmove_in_every_cycle(lab: Laboratory) -> None:
    for cycle in (3, *range(5, 76)):
        for nibbles in ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9), (10, 11, 12, 13, 14), (15, 0, 7, 8, 1)):
            program = [STA, WSYNC]
            for index, nibble in enumerate(nibbles):
                program += [LDA, nibble << 4, STA, 0x20 + index]
            program += [STA, WSYNC, *wait(cycle - 3), STA, HMOVE]
            program += [JMP, 0x80 + len(program), 0x00]
            lab.load(program)
            lab.step()
            assert list(lab.own.state()["positions"]) == lab.ale_positions(), f"{cycle} {nibbles}"


@pytest.mark.parametrize("decimal", [0x69, 0xE9], ids=["ADC", "SBC"])
def test_decimal_mode_with_digits_above_nine(lab: Laboratory, decimal: int) -> None:
    rng = random.Random(decimal)
    for _ in range(100):
        program = [decimal, rng.randrange(256), STA, 0xE8, PHP, JMP, 0x85, 0x00]
        lab.load(program, a=rng.randrange(256), status=0x38 | rng.randrange(2))
        assert lab.step() == "", str(program)


WAITS = [  # a load of INTIM, and a branch back to it
    *((load, branch) for load in (0xAD, 0xAE, 0xAC) for branch in (0x10, 0x30, 0xD0, 0xF0)),
    *((0x2C, branch) for branch in (0x10, 0x30, 0x50)),
]


def waiting(load: int, branch: int, value: int, timer: int, page: int) -> list[int]:
    """Sets the timer, waits for it, counts that at 0xF0, and begins again."""
    begin = [LDA, value, 0x8D, 0x94 + timer, 0x02, load, 0x84, 0x02, branch, 0xFB]
    return [*begin, 0xE6, 0xF0, NOP, JMP, 0x80 if page == 0 else 0x00, page]


@pytest.mark.parametrize(("load", "branch"), WAITS)
def test_waiting_for_the_timer(lab: Laboratory, load: int, branch: int) -> None:
    for timer in range(4):
        for value in (0x00, 0x01, 0x02, 0x7F, 0x80, 0x81, 0xFF):
            lab.load(waiting(load, branch, value, timer, 0))
            for _ in range(2):
                assert lab.step() == "", f"timer {timer} from {value}"


@pytest.mark.parametrize(("load", "branch"), WAITS)
def test_waiting_in_a_cartridge_is_waiting_in_ram(load: int, branch: int) -> None:
    # From RAM, where code may change, every turn of the loop is executed, and is equal to ALE's.
    inputs = console_module.Inputs()
    for timer in range(4):
        for value in (0x00, 0x01, 0x02, 0x7F, 0x80, 0x81, 0xFF):
            ram, cartridge = pong(), burned(waiting(load, branch, value, timer, 0x10))
            for index, byte in enumerate(waiting(load, branch, value, timer, 0)):
                ram.set_ram(index, byte)
            ram.set_cpu(0x80, 0, 0, 0, 0xFF, 0x34)
            cartridge.load(ram.save())
            cartridge.set_cpu(0x1000, 0, 0, 0, 0xFF, 0x34)
            for _ in range(2):
                ram.run_frame(inputs, False)
                cartridge.run_frame(inputs, False)
                assert list(ram.ram()) == list(cartridge.ram())
                states = ram.state(), cartridge.state()
                for key in ("a", "x", "y", "status", "cycle", "timer"):
                    assert states[0][key] == states[1][key], f"{key}, timer {timer} from {value}"
                assert states[0]["pc"] - 0x80 == states[1]["pc"] - 0x1000


@pytest.mark.parametrize("opcode", sorted(JAMS), ids="{:02X}".format)
def test_opcodes_that_stop_the_cpu(lab: Laboratory, opcode: int) -> None:
    lab.load([NOP, opcode])
    for _ in range(3):
        assert lab.step() == ""


def test_frames_that_are_cut(lab: Laboratory) -> None:
    # 328,710 cycles without a write to the TIA, then one: the frame is cut five times.
    lab.load([0xA2, 0, 0xA0, 0, 0xCA, 0xD0, 0xFD, 0x88, 0xD0, 0xFA, STA, 0x09, JMP, 0x80, 0x00])
    for _ in range(14):
        assert lab.step() == ""


@pytest.mark.parametrize(
    ("name", "value"), [("first_line", 35), ("hmove_blanks", False), ("first_line", 33)]
)
def test_a_wrong_console_is_noticed(name: str, value: int) -> None:
    lab = Laboratory(**{name: value})
    assert "screen" in lab.step()
