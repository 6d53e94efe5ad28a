# SPDX-License-Identifier: Apache-2.0
"""Assembles the cartridge that `AtariRom-v5` plays when it is given no other.

    python envpool-atari/tests/demo_rom.py          # writes src/envpool_atari/demo.bin
    python envpool-atari/tests/demo_rom.py --check  # the exit status is 1 if the file is another

The game is Catch: a player at the bottom moves left and right under balls that fall, one at a time.
A ball that is caught is a point, one that is not is a life, of three. Score and lives are in the
bytes of memory that `SCORE` and `LIVES` name.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "envpool_atari" / "demo.bin"
BEGIN = 0xF800
NAMES = {
    # Registers of the TIA and the RIOT.
    "VSYNC": 0x00, "VBLANK": 0x01, "WSYNC": 0x02, "NUSIZ0": 0x04, "COLUP0": 0x06, "COLUPF": 0x08,
    "COLUBK": 0x09, "CTRLPF": 0x0A, "RESP0": 0x10, "GRP0": 0x1B, "ENABL": 0x1F, "HMP0": 0x20,
    "HMOVE": 0x2A, "CXCLR": 0x2C, "CXP0FB": 0x02, "SWCHA": 0x280, "SWCHB": 0x282, "INTIM": 0x284,
    "TIM64T": 0x296,
    # Memory.
    "SCORE_HIGH": 0x80, "SCORE_LOW": 0x81, "LIVES": 0x82, "BALL_Y": 0x83, "BALL_X": 0x84,
    "PLAYER_X": 0x85, "RANDOM": 0x86,
}  # fmt: skip
SOURCE = """
        SEI
        CLD
        LDX #$FF
        TXS
        LDA #1
        STA RANDOM
new_game:
        LDA #3
        STA LIVES
        LDA #76
        STA PLAYER_X
        LDA #0
        STA SCORE_HIGH
        STA SCORE_LOW
        JSR new_ball

frame:  LDA #2          ; three lines of VSYNC
        STA VBLANK
        STA VSYNC
        STA WSYNC
        STA WSYNC
        STA WSYNC
        LDA #0
        STA VSYNC
        LDA #43         ; 37 lines in which the game goes on
        STA TIM64T
        LDA SWCHB
        LSR A
        BCC new_game    ; RESET is held
        LDA LIVES
        BEQ draw
        LDA SWCHA
        BMI not_right
        LDX PLAYER_X
        CPX #142
        BCS not_right
        INX
        INX
        STX PLAYER_X
not_right:
        LDA SWCHA
        AND #$40
        BNE not_left
        LDX PLAYER_X
        CPX #4
        BCC not_left
        DEX
        DEX
        STX PLAYER_X
not_left:
        BIT CXP0FB
        BVC not_caught
        SED
        CLC
        LDA SCORE_LOW
        ADC #1
        STA SCORE_LOW
        LDA SCORE_HIGH
        ADC #0
        STA SCORE_HIGH
        CLD
        JSR new_ball
not_caught:
        INC BALL_Y
        INC BALL_Y
        LDA BALL_Y
        CMP #186
        BCC draw
        DEC LIVES
        JSR new_ball

draw:   STA CXCLR
        LDA #$82
        STA COLUBK
        LDA #$1E
        STA COLUP0
        LDA #$4A
        STA COLUPF
        LDA #5          ; a player of double width
        STA NUSIZ0
        LDA #$20        ; a ball of four pixels
        STA CTRLPF
        LDA PLAYER_X
        LDX #0
        JSR place
        LDA BALL_X
        LDX #4
        JSR place
        STA WSYNC
        STA HMOVE
wait:   LDA INTIM
        BNE wait
        STA WSYNC
        STA VBLANK
        LDY #0
line:   STA WSYNC       ; 192 lines of screen
        TYA
        SEC
        SBC BALL_Y
        CMP #6
        LDA #0
        BCS no_ball
        LDA #2
no_ball:
        STA ENABL
        CPY #174
        LDA #0
        BCC no_player
        CPY #182
        BCS no_player
        LDA #$FF
no_player:
        STA GRP0
        INY
        CPY #192
        BNE line
        LDX #30         ; 30 lines below it
below:  STA WSYNC
        LDA #2
        STA VBLANK
        DEX
        BNE below
        JMP frame

; Puts object X, 0 the player or 4 the ball, at about column A: 15 columns a turn, and the rest by
; HMOVE, whose motion is to the left and in the upper bits.
place:  STA WSYNC
        SEC
turn:   SBC #15
        BCS turn
        EOR #7
        ASL A
        ASL A
        ASL A
        ASL A
        STA HMP0,X
        STA RESP0,X
        RTS

; A ball at the top, in a column from a shift register of 8 bits.
new_ball:
        LDA RANDOM
        LSR A
        BCC even
        EOR #$B8
even:   STA RANDOM
        AND #$7F
        CLC
        ADC #12
        STA BALL_X
        LDA #0
        STA BALL_Y
        RTS
"""
IMPLIED = {
    "SEI": 0x78, "CLD": 0xD8, "SED": 0xF8, "CLC": 0x18, "SEC": 0x38, "TXS": 0x9A, "TYA": 0x98,
    "INX": 0xE8, "DEX": 0xCA, "INY": 0xC8, "RTS": 0x60, "LSR A": 0x4A, "ASL A": 0x0A,
}  # fmt: skip
IMMEDIATE = {
    "LDA": 0xA9, "LDX": 0xA2, "LDY": 0xA0, "CMP": 0xC9, "CPX": 0xE0, "CPY": 0xC0, "AND": 0x29,
    "ADC": 0x69, "SBC": 0xE9, "EOR": 0x49,
}  # fmt: skip
ZERO_PAGE = {
    "LDA": 0xA5, "LDX": 0xA6, "STA": 0x85, "STX": 0x86, "INC": 0xE6, "DEC": 0xC6, "ADC": 0x65,
    "SBC": 0xE5, "BIT": 0x24,
}  # fmt: skip
ZERO_PAGE_X = {"STA": 0x95}
ABSOLUTE = {"LDA": 0xAD, "STA": 0x8D, "JMP": 0x4C, "JSR": 0x20}
BRANCHES = {"BCC": 0x90, "BCS": 0xB0, "BEQ": 0xF0, "BNE": 0xD0, "BMI": 0x30, "BVC": 0x50}


def assembled() -> bytes:
    """The 2 KiB of the cartridge."""
    code: list[int] = []
    labels: dict[str, int] = {}
    later: list[tuple[int, str, str]] = []  # where, which label, in which of both forms
    for line in SOURCE.splitlines():
        label, text = re.match(r"(?:(\w+):)?\s*([^;]*)", line).groups()  # type: ignore[union-attr]
        if label:
            labels[label] = BEGIN + len(code)
        if not (text := text.strip()):
            continue
        name, _, operand = text.partition(" ")
        if text in IMPLIED:
            code.append(IMPLIED[text])
        elif operand.startswith("#"):
            code += [IMMEDIATE[name], int(operand[1:].replace("$", "0x"), 0)]
        elif name in BRANCHES:
            later.append((len(code) + 1, operand, "branch"))
            code += [BRANCHES[name], 0]
        elif operand.endswith(",X"):
            code += [ZERO_PAGE_X[name], NAMES[operand[:-2]]]
        elif operand not in NAMES:
            later.append((len(code) + 1, operand, "address"))
            code += [ABSOLUTE[name], 0, 0]
        elif (address := NAMES[operand]) < 0x100:
            code += [ZERO_PAGE[name], address]
        else:
            code += [ABSOLUTE[name], address & 0xFF, address >> 8]
    for at, label, form in later:
        if form == "branch":
            distance = labels[label] - (BEGIN + at + 1)
            assert -128 <= distance < 128, label
            code[at] = distance & 0xFF
        else:
            code[at], code[at + 1] = labels[label] & 0xFF, labels[label] >> 8
    vectors = [BEGIN & 0xFF, BEGIN >> 8] * 2
    return bytes(code) + bytes(0x7FC - len(code)) + bytes(vectors)


def main() -> None:
    """Writes the file, or compares it."""
    rom = assembled()
    if sys.argv[1:] == ["--check"]:
        sys.exit(TARGET.read_bytes() != rom)
    TARGET.write_bytes(rom)
    print(f"{TARGET.name}: {len(rom)} bytes, of which {len(rom.rstrip(bytes(1)))} are used")


if __name__ == "__main__":
    main()
