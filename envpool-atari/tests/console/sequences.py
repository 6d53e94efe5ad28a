# SPDX-License-Identifier: Apache-2.0
"""Finds the runs of instructions that games execute most, which get handlers of their own.

    python envpool-atari/tests/console/sequences.py ROMS   # writes cpp/console/sequence_table.inc

Every game of ours whose ROM is in the folder ROMS plays 2,000 frames of random actions. Of what it
executes in every 100th of them, again and again the two neighbours that are most often together
become one, as in byte-pair encoding, until there are as many sequences as a byte has numbers. Takes
minutes.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))  # compiling

import numpy as np
from compiling import program
from numpy.typing import NDArray

ATARI = Path(__file__).parents[2] / "cpp"
TARGET = ATARI / "console" / "sequence_table.inc"
COUNT = 256
MOST_PARTS = 5  # Sequence::kMost
FRAMES = 2000
GOES_ON = 1 << 12  # of a word of the trace, see trace.cc

Numbers = NDArray[np.int64]
Part = tuple[int, str]  # opcode, and the name of what its handler knows of the address


def handlers() -> list[Part]:
    """Each handler's instruction, by its number: the order of the lists in micro_op.h."""
    text = (ATARI / "console" / "micro_op.h").read_text()

    def opcodes(name: str) -> list[int]:
        body = re.search(rf"#define ATARI_{name}\(X\)((?:.*\\\n)*.*\n)", text)
        assert body is not None, name
        return [int(word, 16) for word in re.findall(r"X\((0x..)\)", body[1])]

    lists = [("kAny", list(range(256))), ("kRam", opcodes("RAM")), ("kTia", opcodes("TIA"))]
    lists += [("kWsync", opcodes("TIA")), ("kTimer", opcodes("TIMER"))]
    return [(opcode, access) for access, list_ in lists for opcode in list_]


def trace(roms: Path, games: list[str], known: int) -> tuple[Numbers, NDArray[np.bool_]]:
    """Handlers that were executed, and which of them the next one comes right behind."""
    flags = ["-O1", "-DENVPOOL_ATARI_TRACE", f"-I{ATARI}", "-Wno-uninitialized"]
    flags.append("-Wno-maybe-uninitialized")  # of the headers for AVX-512
    sources = sorted((ATARI / "console").glob("*.cc"))
    path = program(Path(__file__).with_name("trace.cc"), *flags, others=sources)
    command = [str(path), str(roms), str(FRAMES), *games]
    done = subprocess.run(command, capture_output=True, check=True, timeout=600)
    words = np.frombuffer(done.stdout, np.uint16).astype(np.int64)
    tokens, goes_on = words & (GOES_ON - 1), (words & GOES_ON) != 0
    usual = tokens < known  # others are fetched byte by byte
    goes_on[:-1] &= usual[:-1] & usual[1:]
    goes_on[-1] = False
    return tokens, goes_on


def every_other(places: Numbers) -> Numbers:
    """The first, third and so on of each run of consecutive places."""
    run_begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    lengths = np.diff(run_begins, append=len(places))
    place_in_run = np.arange(len(places)) - np.repeat(run_begins, lengths)
    chosen: Numbers = places[place_in_run % 2 == 0]
    return chosen


def find(tokens: Numbers, goes_on: NDArray[np.bool_], known: int) -> list[tuple[int, ...]]:
    """The sequences, of numbers of handlers."""
    total = len(tokens)
    parts: dict[int, tuple[int, ...]] = {i: (i,) for i in range(known)}
    sizes = np.ones(known + COUNT, np.int64)
    base = known + COUNT
    for new in range(known, known + COUNT):
        fits = goes_on[:-1] & (sizes[tokens[:-1]] + sizes[tokens[1:]] <= MOST_PARTS)
        pairs = tokens[:-1] * base + tokens[1:]
        counts = np.bincount(pairs[fits], minlength=base * base)
        a, b = divmod(int(counts.argmax()), base)
        places = np.flatnonzero(fits & (pairs == a * base + b))
        if a == b:
            places = every_other(places)
        parts[new] = parts[a] + parts[b]
        sizes[new] = len(parts[new])
        tokens, goes_on = tokens.copy(), goes_on.copy()
        tokens[places] = new
        goes_on[places] = goes_on[places + 1]
        tokens, goes_on = np.delete(tokens, places + 1), np.delete(goes_on, places + 1)
    print(f"{len(tokens) / total:.3f} of the jumps from handler to handler are left")
    return [parts[new] for new in range(known, known + COUNT)]


def main() -> None:
    """Writes the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("roms", type=Path, help="a folder of files like pong.bin")
    roms = parser.parse_args().roms
    games = sorted(path.stem for path in roms.glob("*.bin"))
    meaning = handlers()
    sequences = find(*trace(roms, games, len(meaning)), len(meaning))
    lines = []
    for sequence in sorted(sequences, key=lambda found: (found[0], -len(found), found)):
        named = [meaning[handler] for handler in sequence]
        words = [f"{{0x{op:02X}}}" if at == "kAny" else f"{{0x{op:02X}, {at}}}" for op, at in named]
        lines.append(f"    {{{', '.join(words)}}},\n")
    head = "// Made by tests/console/sequences.py: do not edit. Included by sequences.h.\n"
    TARGET.write_text(head + "".join(lines))


if __name__ == "__main__":
    main()
