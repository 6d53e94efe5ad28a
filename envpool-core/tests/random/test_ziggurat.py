# SPDX-License-Identifier: Apache-2.0
"""The ziggurat tables equal NumPy's in every bit that can decide a draw.

NumPy does not show its tables, and random draws come near the edges of its strips too rarely to
compare them. So NumPy's PCG64 is put into states made to order: its next two outputs are chosen
such that the draw falls on either side of an edge, as our tables place it. If NumPy then decides
on the other side, or returns another bit, its table differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

RunProbe = Callable[[str], NDArray[np.uint64]]
AssertDraws = Callable[[Iterable[tuple[str, ArrayLike]]], None]

ForceOutputs = Callable[[np.random.Generator, int, int], str]


class Shape(NamedTuple):
    """One of the two curves and how NumPy takes 64 bits apart for it."""

    table: str
    draw: str
    mantissa_bits: int
    mantissa_shift: int
    strip_shift: int
    curve: Callable[[float], float]


NORMAL = Shape("normal_table", "standard_normal", 52, 9, 0, lambda x: math.exp(-0.5 * x * x))
EXPONENTIAL = Shape("exponential_table", "standard_exponential", 53, 11, 3, lambda x: math.exp(-x))


def first_rejected(strips: NDArray[np.float64], strip: int, height: float) -> int:
    """The smallest 53-bit number u that puts a point of the strip on or above `height`."""
    rise = float(strips[strip - 1]) - float(strips[strip])
    low, high = 0, 2**53
    while low < high:
        middle = (low + high) // 2
        if rise * (middle * 2.0**-53) + float(strips[strip]) < height:
            low = middle + 1
        else:
            high = middle
    return low


def test_forced_outputs_come(assert_draws: AssertDraws, force_outputs: ForceOutputs) -> None:
    rng = np.random.default_rng(0)
    top = 2**64 - 1
    for outputs in [(0, 0), (0, 1), (top, 0), (2**63, 2**63), (12345, top - 1)]:
        command = force_outputs(rng, *outputs)
        assert tuple(rng.bit_generator.random_raw(2).tolist()) == outputs
        assert_draws([(f"generator 0 {command} raw 2", np.array(outputs, np.uint64))])


@pytest.mark.parametrize("shape", [NORMAL, EXPONENTIAL], ids=["normal", "exponential"])
def test_tables_equal_numpys(
    run_probe: RunProbe, assert_draws: AssertDraws, force_outputs: ForceOutputs, shape: Shape
) -> None:
    table = run_probe(shape.table).reshape(256, 3)
    accepts = [int(accept) for accept in table[:, 0]]
    widths = table[:, 1].copy().view(np.float64)
    heights = table[:, 2].copy().view(np.float64)
    rng = np.random.default_rng(0)
    pairs: list[tuple[str, ArrayLike]] = [("generator 0", [])]

    def outputs_taken(strip: int, mantissa: int, uniform: int) -> int:
        """How many outputs NumPy's draw takes, 3 for more; ours is to equal it."""
        output = (mantissa << shape.mantissa_shift) | (strip << shape.strip_shift)
        pairs.append((force_outputs(rng, output, uniform << 11), []))
        start = rng.bit_generator.state
        value = getattr(rng, shape.draw)()
        end = rng.bit_generator.state
        pairs.append((f"{shape.draw} 1", value))
        pairs.append(("raw 1", rng.bit_generator.random_raw(1)))
        rng.bit_generator.state = start
        for taken in (1, 2):
            rng.bit_generator.random_raw()
            if rng.bit_generator.state == end:
                if strip > 0 or taken == 1:  # else a point of the tail
                    assert value == float(mantissa) * widths[strip], f"strip {strip}: wrong width"
                return taken
        return 3

    for strip in range(256):
        accept = accepts[strip]
        if accept > 0:
            assert outputs_taken(strip, accept - 1, 0) == 1, f"strip {strip}: accept is too large"
        assert outputs_taken(strip, accept, 0) > 1, f"strip {strip}: accept is too small"
        if strip == 0:  # beyond the bound lies the tail, whose formula takes any two uniforms
            for uniform in np.random.default_rng(1).integers(0, 2**53, 2000).tolist():
                assert outputs_taken(strip, accept, uniform) > 1
            continue
        # Beyond the bound the curve decides; where it does tells both heights of the strip.
        for fraction in (0.1, 0.5, 0.9):
            mantissa = accept + int((2**shape.mantissa_bits - accept) * fraction)
            edge = first_rejected(heights, strip, shape.curve(float(mantissa) * widths[strip]))
            assert outputs_taken(strip, mantissa, edge - 1) == 2, f"strip {strip}: heights too high"
            assert outputs_taken(strip, mantissa, edge) == 3, f"strip {strip}: heights too low"
    assert_draws(pairs)
