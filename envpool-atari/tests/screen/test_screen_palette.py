# SPDX-License-Identifier: Apache-2.0
"""The palettes against ALE: every color of a television, shown by a program that paints them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import ale_py
import numpy as np
import pytest
from numpy.typing import NDArray

NTSC_LINES = 262
PAL_LINES = 312


def painter(lines: int) -> bytes:
    """A cartridge of 4 KiB that shows the background in all 128 colors, a color per line.

    Args:
        lines: Lines of a frame: they decide which kind of television ALE sees.
    """
    loops = [min(lines - 3, 256), max(lines - 3 - 256, 0)]
    code = bytearray([0x78, 0xD8])  # SEI, CLD
    frame = len(code)
    code += bytes([0xA9, 2, 0x85, 0x00])  # LDA #2, STA VSYNC
    code += bytes([0x85, 0x02] * 3)  # STA WSYNC: three lines
    code += bytes([0xA9, 0, 0x85, 0x00, 0x85, 0x01])  # LDA #0, STA VSYNC, STA VBLANK
    code += bytes([0xA2, 0])  # LDX #0: the color
    for count in filter(None, loops):
        code += bytes([0xA0, count & 0xFF])  # LDY #count
        code += bytes([0x85, 0x02, 0x86, 0x09])  # STA WSYNC, STX COLUBK
        code += bytes([0xE8, 0xE8, 0x88, 0xD0, 0x100 - 9])  # INX, INX, DEY, BNE to STA WSYNC
    code += bytes([0x4C, frame, 0xF0])  # JMP frame
    vectors = bytes([0x00, 0xF0]) * 2
    return bytes(code) + bytes(0xFFC - len(code)) + vectors


@pytest.fixture
def show(tmp_path: Path) -> Callable[[bytes], ale_py.ALEInterface]:
    """Runs a cartridge under the name of a game that needs nothing of it but frames."""

    def run(cartridge: bytes) -> ale_py.ALEInterface:
        rom = tmp_path / "assault.bin"
        rom.write_bytes(cartridge)
        ale = ale_py.ALEInterface()
        ale.loadROM(str(rom))
        ale.act(0)
        return ale

    return run


def shown(ale: ale_py.ALEInterface) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A screen (n,), and the colors of its pixels (n, 4): red, green, blue and gray."""
    gray = ale.getScreenGrayscale()
    looks = np.dstack([ale.getScreenRGB(), gray.reshape(*gray.shape[:2], 1)])
    return ale.getScreen().ravel(), looks.reshape(-1, 4)


@pytest.mark.parametrize(
    ("lines", "name", "first"),
    [
        pytest.param(NTSC_LINES, "ntsc", 0, id="ntsc"),
        pytest.param(PAL_LINES, "pal", 0, id="pal"),
        pytest.param(PAL_LINES + 1, "pal", 1, id="pal-without-colour"),
    ],
)
def test_all_colours_look_as_in_ale(
    lines: int,
    name: str,
    first: int,
    show: Callable[[bytes], ale_py.ALEInterface],
    module: ModuleType,
) -> None:
    screen, looks = shown(show(painter(lines)))
    np.testing.assert_array_equal(np.unique(screen), np.arange(first, 256, 2))
    np.testing.assert_array_equal(module.palette(name)[screen], looks)


def test_ntsc_without_colour_follows_the_rule_of_pal(module: ModuleType) -> None:
    # No screen shows these entries; they are the brightness of the color, as on PAL.
    for name in ("ntsc", "pal"):
        palette = module.palette(name)
        np.testing.assert_array_equal(palette[1::2, :3], palette[0::2, 3:].repeat(3, axis=1))
        np.testing.assert_array_equal(palette[1::2, 3], np.roll(palette[0::2, 2], -1))


@pytest.mark.parametrize("setting", ["standard", "z26"])
@pytest.mark.parametrize("lines", [NTSC_LINES, PAL_LINES])
def test_the_setting_of_ale_changes_nothing(
    setting: str, lines: int, tmp_path: Path, module: ModuleType
) -> None:
    rom = tmp_path / "assault.bin"
    rom.write_bytes(painter(lines))
    ale = ale_py.ALEInterface()
    ale.setString("palette", setting)
    ale.loadROM(str(rom))
    ale.act(0)
    screen, looks = shown(ale)
    palette = module.palette("ntsc" if lines == NTSC_LINES else "pal")
    np.testing.assert_array_equal(palette[screen], looks)
