# SPDX-License-Identifier: Apache-2.0
"""Builds the program that draws from the C++ random generators, and compares its draws with NumPy.

Two builds are tested: the portable one, and one for this machine's CPU, where a compiler is
free to fuse a product with an addition, which would change the last bit of some draws.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from compiling import program
from numpy.typing import ArrayLike, NDArray

HERE = Path(__file__).parent
FLAGS = {"portable": ["-O2"], "native": ["-O3", "-march=native"]}


@pytest.fixture(scope="session", params=FLAGS)
def probe_path(request: pytest.FixtureRequest) -> Path:
    """The program, for each set of flags."""
    return program(HERE / "random_probe.cc", *FLAGS[request.param])


@pytest.fixture
def run_probe(probe_path: Path) -> Callable[[str], NDArray[np.uint64]]:
    """Runs commands in the program; returns the bits of all results, 8 bytes each.

    Raises:
        RuntimeError: A command failed; the text is the C++ exception's.
    """

    def run(commands: str) -> NDArray[np.uint64]:
        done = subprocess.run(
            [str(probe_path)],
            input=commands.encode(),
            capture_output=True,
            timeout=120,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
        return np.frombuffer(done.stdout, np.uint64)

    return run


def bits_of(values: ArrayLike) -> NDArray[np.uint64]:
    """The bits of numbers as the program writes them: float64, or an integer of 64 bits."""
    array = np.atleast_1d(np.asarray(values))
    if array.dtype == np.uint64:
        return array
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64).view(np.uint64)


@pytest.fixture
def assert_draws(
    run_probe: Callable[[str], NDArray[np.uint64]],
) -> Callable[[Iterable[tuple[str, ArrayLike]]], None]:
    """Runs (command, NumPy's result) pairs in one program and compares every bit."""

    def check(pairs: Iterable[tuple[str, ArrayLike]]) -> None:
        steps = [(command, bits_of(expected)) for command, expected in pairs]
        drawn = run_probe(" ".join(command for command, _ in steps))
        assert len(drawn) == sum(len(expected) for _, expected in steps)
        start = 0
        for number, (command, expected) in enumerate(steps):
            got = drawn[start : start + len(expected)]
            different = np.flatnonzero(got != expected)
            assert different.size == 0, (
                f"command {number}, {command[:80]!r}: draw {different[0]} has bits "
                f"{int(got[different[0]]):#x}, NumPy's has {int(expected[different[0]]):#x}"
            )
            start += len(expected)

    return check


MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64
MODULUS = 2**128


@pytest.fixture
def force_outputs() -> Callable[[np.random.Generator, int, int], str]:
    """Sets a PCG64 such that its next two outputs, 64 bits each, are the ones given.

    Returns the command that puts the C++ generator into the same state.
    """

    def force(rng: np.random.Generator, first: int, second: int) -> str:
        # An output is the xor of the state's halves, rotated by the upper half's top bits: not at
        # all for an upper half below 2^58. Two states in a row determine the increment.
        increment = (second - first * MULTIPLIER) % MODULUS
        if increment % 2 == 0:  # it has to be odd: flip a bit in both halves of the second state
            increment = ((1 << 64 | (second ^ 1)) - first * MULTIPLIER) % MODULUS
        state = (first - increment) * pow(MULTIPLIER, -1, MODULUS) % MODULUS
        rng.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": increment},
            "has_uint32": 0,
            "uinteger": 0,
        }
        words = [word >> shift & (2**64 - 1) for word in (state, increment) for shift in (64, 0)]
        return f"pcg64 {' '.join(map(str, words))}"

    return force
