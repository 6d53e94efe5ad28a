# SPDX-License-Identifier: Apache-2.0
"""AtariRom-v5: any ROM of a supported cartridge type. The options name the score."""

from __future__ import annotations

import hashlib
import operator
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from envpool.errors import ConfigError, suggest

from . import _atari
from ._games import OWN_ROM, OWN_ROM_ID
from ._roms import read

__all__ = ["cartridge_of", "own_rom"]

_DEMO = Path(__file__).parent / "demo.bin"
_DEMO_SCORE, _DEMO_LIVES = (0, 1), 2
# The compiled module's numbers of the cartridge types, with the sizes of their files.
_CARTRIDGES: Mapping[str, tuple[int, ...]] = {
    "2K": (2048,),
    "4K": (4096,),
    "F8": (8192,),
    "F8SC": (8192,),
    "F6": (16384,),
    "F6SC": (16384,),
    "E0": (8192,),
    "FE": (8192,),
    "DPC": (10240, 10495),
}
_ADDRESS = "An address of 0x80 and more is that byte: subtract 0x80"
_RAM_SIZE, _MOST_LINES = 128, 250
# LDA, STA, BIT and the undocumented NOP with an address of the cartridge's last 32 bytes.
_HOT_SPOTS = re.compile(rb"[\xAD\x8D\x2C\x0C]([\xE0-\xFF])[\x1F\x3F\x5F\x7F\x9F\xBF\xDF\xFF]", re.S)


def own_rom(given: Mapping[str, object]) -> dict[str, object]:
    """Reads a ROM and registers it. Returns the options with the ROM's name.

    Raises:
        ConfigError: If the file cannot be read, has an unknown size, or an option is wrong.
    """
    options = dict(given)
    if options.get("task", OWN_ROM) != OWN_ROM:
        raise _refused("task", options["task"], f"{OWN_ROM!r}", "Leave task out and set rom_path")
    for key in ("continuous", "mode", "difficulty"):
        if options.get(key, -1) not in (-1, False):
            raise _refused(key, options[key], "nothing", f"Leave {key} out: a ROM has none")
    path = options.get("rom_path", "") or ""
    if not isinstance(path, str | os.PathLike):
        raise _refused("rom_path", path, "a path", "Pass the path of a file")
    if not path:
        given = {"score_bytes": _DEMO_SCORE, "lives_byte": _DEMO_LIVES, **given}
    rom = _contents(Path(path).expanduser() if path else _DEMO)
    cartridge = cartridge_of(options.get("cartridge", "auto"), rom)
    score = _score_bytes(given.get("score_bytes", ()))
    if len(score) > _atari.MOST_SCORE_BYTES:
        most = f"at most {_atari.MOST_SCORE_BYTES} bytes"
        raise _refused("score_bytes", score, most, "Leave the last digits out")
    lives = given.get("lives_byte", -1)
    if not isinstance(lives, int) or not -1 <= lives < _RAM_SIZE:
        allowed = f"a byte of info['ram'], 0 .. {_RAM_SIZE - 1}, or -1"
        raise _refused("lives_byte", lives, allowed, _ADDRESS)
    height = given.get("screen_height", 210)
    if not isinstance(height, int) or not 1 <= height <= _MOST_LINES:
        allowed = f"1 .. {_MOST_LINES}"
        raise _refused("screen_height", height, allowed, "Pass 210, or 250 for PAL")
    paddles = bool(given.get("paddles", False))
    facts = (cartridge, score, lives, paddles, height)
    name = f"{OWN_ROM}:{hashlib.sha256(rom + repr(facts).encode()).hexdigest()[:16]}"
    if not _atari.has_cartridge(name):
        _atari.add_rom(name, list(_CARTRIDGES).index(cartridge), *facts[1:])
        _atari.load_cartridge(name, rom)
    own = {"cartridge": cartridge, "score_bytes": list(score), "lives_byte": lives}
    return options | own | {"task": name, "rom_path": os.fspath(path)}


def cartridge_of(asked: object, rom: bytes) -> str:
    """The requested cartridge type; for "auto" the type that the ROM's bytes suggest.

    Raises:
        ConfigError: If no ROM of this size has the type.
    """
    possible = [name for name, sizes in _CARTRIDGES.items() if len(rom) in sizes]
    if asked == "auto":
        return _looks_like(rom, possible)
    if asked not in possible:
        allowed = f"{', '.join(map(repr, ['auto', *possible]))} for a ROM of {len(rom)} bytes"
        then = suggest(asked, ["auto", *possible], "Pass one of these")
        raise _refused("cartridge", asked, allowed, then)
    return str(asked)


def _contents(path: Path) -> bytes:
    sizes = sorted({size for sizes in _CARTRIDGES.values() for size in sizes})
    allowed = f"a file of {', '.join(map(str, sizes[:-1]))} or {sizes[-1]} bytes"
    try:
        rom = read(path)
    except OSError as error:
        found = f"{error.strerror or error}"
        raise _refused("rom_path", str(path), allowed, "Pass the path of a ROM", found) from error
    if len(rom) not in sizes:
        found = f"{path}, which has {len(rom)} bytes"
        raise _refused("rom_path", str(path), allowed, "Pass a ROM of one of these sizes", found)
    return rom


def _looks_like(rom: bytes, possible: Sequence[str]) -> str:
    """The likeliest type of this size.

    A cartridge with RAM has no ROM at the RAM's addresses: a dump shows both halves alike. A
    program for E0 reads FE0 .. FF7, a program for F8 reads FF8 and FF9. FE has no sure sign, so the
    user must ask for it.
    """
    if possible[0] in ("F8", "F6"):
        banks = [rom[at : at + 4096] for at in range(0, len(rom), 4096)]
        if all(bank[:128] == bank[128:256] for bank in banks):
            return f"{possible[0]}SC"
    if "E0" in possible:
        spots = [match[1][0] for match in _HOT_SPOTS.finditer(rom)]
        slices = sum(0xE0 <= spot <= 0xF7 for spot in spots)
        if slices > sum(0xF8 <= spot <= 0xF9 for spot in spots):
            return "E0"
    return possible[0]


def _score_bytes(value: object) -> tuple[int, ...]:
    try:
        places = tuple(map(operator.index, value))  # type: ignore[call-overload]
    except TypeError:
        places = (-1,)
    if any(not 0 <= place < _RAM_SIZE for place in places):
        allowed = f"bytes of info['ram'], 0 .. {_RAM_SIZE - 1}"
        raise _refused("score_bytes", value, allowed, _ADDRESS)
    return places


def _refused(key: str, value: object, allowed: str, then: str, got: str = "") -> ConfigError:
    return ConfigError(f"make({OWN_ROM_ID!r}, {key}={value!r})", got or repr(value), allowed, then)
