# SPDX-License-Identifier: Apache-2.0
"""Derives where a game of Atari keeps score, lives and its end, from ale-py as a black box.

    python tools/ale_rules.py                     # all games: 10 minutes on a core
    python tools/ale_rules.py pong asterix        # two
    python tools/ale_rules.py pong --every-value  # all 256 values of every byte, not 34

A saved state of ale-py is changed so that the CPU only executes a jump to itself, in memory. A
frame then changes nothing in memory, and ale-py's answer belongs to the memory of the state: the
game's, with one byte changed. All bytes are tried with many values, from several moments of a game.
The program prints the row of that game as ale-py shows it: the bytes by which reward, lives and end
change, and how. Our rules then evaluate the same memories, and every answer must be equal.

The memory of a cartridge is tried as well, if it has some, as Klax. Miniature Golf is left out: a
part of ale-py's count is neither in memory nor in saved states, so after a state was restored a
hole brings another reward than before.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from machines import Bytes, all_games, roms, rules_of
from rich.console import Console
from rich.progress import track

_REGISTERS = b"M6502Low"  # in ale-py's state: A, X, Y, SP, IR, PC, then seven flags
_MEMORY = b"M6532"  # a count, then the bytes
_CARTRIDGE = b"CartridgeF6SC"  # its bank, a count, then the bytes
_PC = 5
JUMP = 0x4C
PLACES = range(0x10, 0x80, 0x10)  # of the jump in memory, which hides three bytes
MOMENTS = (0, 60, 300)  # frames of random play
VALUES = [*range(16), *range(0x10, 0x100, 0x10), 0x99, 0xFF, 0x3C]
HIDDEN = {"miniature_golf"}
SAYS = "reward", "lives", "end"
Said = tuple[int, int, int]
# The codings of a number in a byte.
CODINGS: dict[str, Callable[[int], int]] = {
    "the low digit": lambda byte: byte & 15,
    "the high digit": lambda byte: byte >> 4,
    "BCD": lambda byte: 10 * (byte >> 4) + (byte & 15),
    "the number": lambda byte: byte,
    "the number with a sign": lambda byte: (byte ^ 0x80) - 0x80,
}


class Moment(NamedTuple):
    """A game at which everything stands still.

    Attributes:
        mode: Of the game.
        history: Memory after each frame since the reset; the last one is that of this moment.
        answers: For each changed byte: address, value, and ale-py's results.
    """

    mode: int
    history: list[Bytes]
    answers: list[tuple[int, int, Said]]


class Frozen:
    """A game in ale-py whose memory only we change."""

    def __init__(self, game: str, seed: int = 0) -> None:
        """Loads it."""
        import ale_py

        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self._new, self._ale = ale_py.ALEState, ale_py.ALEInterface()
        self._ale.setInt("random_seed", 1)
        self._ale.setFloat("repeat_action_probability", 0)
        self._ale.loadROM(str(roms() / f"{game}.bin"))
        self._random = np.random.default_rng(seed)
        self.mode = int(self._ale.getAvailableModes()[0])
        self._has_more = _CARTRIDGE in self._saved()
        self.size = len(_places(self._saved()))

    def play(self, frames: int) -> list[Bytes]:
        """Begins a game and plays it at random; memory after each frame, none if it is over."""
        self._ale.reset_game()
        # The frame before the last one of the reset is not seen; it is taken for the same.
        history = [self._memory()] * 2
        actions = self._ale.getMinimalActionSet()
        for _ in range(frames):
            self._ale.act(actions[self._random.integers(len(actions))])
            history.append(self._memory())
        return [] if self._ale.game_over() else history

    def freeze(self, place: int) -> Bytes:
        """Keeps this moment, with a jump in place of what comes next; the memory of it."""
        saved = self._saved()
        at = saved.index(_REGISTERS) + len(_REGISTERS)
        struct.pack_into("<I", saved, at + 4 * _PC, 0x80 + place)
        struct.pack_into("<3I", saved, _places(saved)[place], JUMP, 0x80 + place, 0)
        # ale-py's count so far belongs to the memory without the jump.
        self._state = saved
        self._restore(saved)
        self._ale.act(0)
        self._state = self._saved()
        self._places = _places(self._state)
        return self._memory()

    @property
    def over(self) -> bool:
        """Whether the game is over at the frozen moment."""
        return bool(self._ale.game_over())

    def say(self, address: int, value: int) -> Said:
        """Reward, lives and end of a frame at the frozen moment with one byte changed."""
        changed = bytearray(self._state)
        struct.pack_into("<I", changed, self._places[address], value)
        self._restore(changed)
        reward = int(self._ale.act(0))
        assert self._memory()[address] == value, "the memory was not frozen"
        return reward, int(self._ale.lives()), int(self._ale.game_over())

    def _memory(self) -> Bytes:
        """The bytes of memory: those of the console, and of the cartridge if it has some."""
        ram = np.array(self._ale.getRAM())
        if not self._has_more:
            return ram
        saved = self._saved()
        more = [saved[at] for at in _places(saved)[len(ram) :]]
        return np.concatenate([ram, np.array(more, np.uint8)])

    def _saved(self) -> bytearray:
        return bytearray(self._ale.cloneState().__getstate__())

    def _restore(self, saved: bytearray) -> None:
        state: Any = self._new.__new__(self._new)
        state.__setstate__(bytes(saved))
        self._ale.restoreState(state)


def _places(saved: bytearray) -> list[int]:
    """The place in a saved state of each byte of memory."""
    begins = [saved.index(_MEMORY) + len(_MEMORY) + 4]
    if _CARTRIDGE in saved:
        begins.append(saved.index(_CARTRIDGE) + len(_CARTRIDGE) + 8)
    return [begin + 4 * at for begin in begins for at in range(128)]


def _name(at: int) -> str:
    """The address of a byte of memory."""
    return f"{0x80 + at:02X}" if at < 128 else f"F0{at:02X}"


def moments(game: str, values: Sequence[int], frames: Sequence[int] = MOMENTS) -> Iterator[Moment]:
    """ale-py's answers for a game with each byte changed to each value, after so many frames."""
    frozen = Frozen(game)
    for count in frames:
        left = [*range(frozen.size)]
        for place in PLACES:
            history = frozen.play(count)
            if not left or not history:
                break
            history.append(frozen.freeze(place))
            if frozen.over:  # by the jump
                continue
            shown = [at for at in left if not place <= at < place + 3]
            left = [at for at in left if at not in shown]  # another place shows them
            answers = [(at, value, frozen.say(at, value)) for at in shown for value in values]
            yield Moment(frozen.mode, history, answers)


def row(found: Sequence[Moment]) -> list[str]:
    """By which bytes ale-py's answers change, and how."""
    changes: dict[tuple[int, int], list[tuple[int, int, int]]] = {}  # by kind and address
    for moment in found:
        for k in range(len(SAYS)):
            usual = int(np.median([said[k] for _, _, said in moment.answers]))
            wrong = {at for at, _, said in moment.answers if said[k] != usual}
            for at, value, said in moment.answers:
                if at in wrong:
                    one = int(moment.history[-1][at]), value, said[k] - usual
                    changes.setdefault((k, at), []).append(one)
    return [
        f"{SAYS[k]} by {_name(at)}: {_in_words(seen)}" for (k, at), seen in sorted(changes.items())
    ]


def _in_words(seen: Sequence[tuple[int, int, int]]) -> str:
    """The effect of a byte: the byte before, the byte, the change of ale-py's answer, in short."""
    for name, coded in CODINGS.items():
        apart = [(coded(value) - coded(before), change) for before, value, change in seen]
        weight = next((change / by for by, change in apart if by), 0)
        if weight and all(change == weight * by for by, change in apart):
            return f"{weight:+g} times {name}"
    groups: dict[int, list[str]] = {}
    for value, change in sorted({(value, change) for _, value, change in seen}):
        groups.setdefault(change, []).append(f"{value:02X}")
    most = max(groups, key=lambda change: len(groups[change]))
    by = {change: " ".join(values) for change, values in groups.items() if change != most}
    by[most] = "others"
    return ", ".join(f"{values}: {change:+}" for change, values in by.items())


def differences(game: str, found: Sequence[Moment]) -> list[str]:
    """Answers that our rules do not give."""
    judge, wrong = rules_of(game), []
    for moment in found:
        for at, value, said in moment.answers:
            changed = moment.history[-1].copy()
            changed[at] = value
            judge.reset(moment.mode)
            judged = tuple(judge.play(np.stack([*moment.history, changed]))[-1].tolist())
            if judged != said:
                wrong.append(f"{_name(at)} is {value:02X}: {said}, and {judged} by our rules")
    return wrong


def main() -> int:
    """Prints rows; the exit status is 1 if our rules say something else."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--every-value", action="store_true")
    options = parser.parse_args()
    games = options.games or sorted({*all_games()} - HIDDEN)
    console, status = Console(), 0
    for game in track(games, console=console, transient=True):
        found = list(moments(game, range(256) if options.every_value else VALUES))
        wrong, count = differences(game, found), sum(len(moment.answers) for moment in found)
        console.print(f"{game}: {count} memories, {len(wrong)} judged otherwise by our rules")
        for line in [*row(found), *wrong[:3]]:
            console.print(f"    {line}", soft_wrap=True)
        status |= bool(wrong)
    return status


if __name__ == "__main__":
    sys.exit(main())
