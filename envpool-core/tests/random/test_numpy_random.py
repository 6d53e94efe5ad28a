# SPDX-License-Identifier: Apache-2.0
"""``NumpyRandom`` equals ``numpy.random.Generator(PCG64(seed))`` in every bit of every draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from gymnasium.envs.toy_text.utils import categorical_sample
from gymnasium.utils.seeding import np_random
from numpy.typing import ArrayLike, NDArray

AssertDraws = Callable[[Iterable[tuple[str, ArrayLike]]], None]
ForceOutputs = Callable[[np.random.Generator, int, int], str]
RunProbe = Callable[[str], NDArray[np.uint64]]

DRAWS = 10_000
MAX_INT64 = 2**63 - 1
SEEDS = [
    *[0, 1, 42, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1],
    *np.random.default_rng(7).integers(0, 2**64, 6, np.uint64).tolist(),
]
# Both sides of each change of method: no draw, 32-bit Lemire, 32 raw bits, 64-bit Lemire. Widths
# just above a power of two are rejected most often.
RANGES = [
    (0, 1),
    (0, 2),
    (-3, 4),
    (0, 2**31 + 1),
    (-5, 2**32 - 6),
    (0, 2**32),
    (-1, 2**32),
    (7, 2**62 + 8),
    (-(2**62), 2**62 + 1),
    (-(2**63), MAX_INT64),
]
CHANCES = [0.1, 0.2, 1 / 3, 0.05, 0.3]


def floats(*values: float) -> str:
    """Numbers as command words that lose no bit."""
    return " ".join(float(value).hex() for value in values)


def categorical(chances: list[float], count: int) -> str:
    """The command that draws `count` categorical samples."""
    return f"categorical {len(chances)} {floats(*chances)} {count}"


def every_kind(rng: np.random.Generator, count: int) -> list[tuple[str, ArrayLike]]:
    """Each kind of draw `count` times, as (command, NumPy's result)."""
    return [
        (f"raw {count}", rng.bit_generator.random_raw(count)),
        (f"random {count}", rng.random(count)),
        (f"random32 {count}", rng.random(count, dtype=np.float32)),
        (f"uniform {floats(-0.6, -0.4)} {count}", rng.uniform(-0.6, -0.4, count)),
        (f"standard_normal {count}", rng.standard_normal(count)),
        (f"normal {floats(0.3, 1.7)} {count}", rng.normal(0.3, 1.7, count)),
        (f"standard_exponential {count}", rng.standard_exponential(count)),
        (f"exponential {floats(2.3)} {count}", rng.exponential(2.3, count)),
        (f"choice 48 {count}", [int(rng.choice(48)) for _ in range(count)]),
        (f"choice {2**40} {count}", rng.choice(2**40, count)),
        (f"permutation {count}", rng.permutation(count)),
        (categorical(CHANCES, count), [categorical_sample(CHANCES, rng) for _ in range(count)]),
        *[
            (f"integers {low} {high} {count}", rng.integers(low, high, count))
            for low, high in RANGES
        ],
        (f"random32 {count}", rng.random(count, dtype=np.float32)),
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_long_sequences_equal_gymnasiums_generator(assert_draws: AssertDraws, seed: int) -> None:
    rng, _ = np_random(seed)
    assert_draws([(f"generator {seed}", []), *every_kind(rng, DRAWS)])


def test_seed_sequence_words(assert_draws: AssertDraws) -> None:
    seeds = [*SEEDS, *range(100)]
    assert_draws(
        (f"seed_sequence {seed}", np.random.SeedSequence(seed).generate_state(11)) for seed in seeds
    )


def test_first_draws_of_a_thousand_seeds(assert_draws: AssertDraws) -> None:
    pairs: list[tuple[str, ArrayLike]] = []
    for seed in range(1000):
        pairs += [(f"generator {seed}", []), ("random 2", np_random(seed)[0].random(2))]
    assert_draws(pairs)


@pytest.mark.parametrize("seed", [3, 2**40])
def test_scalar_draws_interleaved(assert_draws: AssertDraws, seed: int) -> None:
    """Single draws of random kinds: the 32-bit half left over by one kind waits for the next."""
    order = np.random.default_rng(seed + 1)
    rng, _ = np_random(seed)
    kinds: list[Callable[[], tuple[str, ArrayLike]]] = [
        lambda: ("random 1", rng.random()),
        lambda: ("random32 1", rng.random(dtype=np.float32)),
        lambda: ("standard_normal 1", rng.standard_normal()),
        lambda: ("standard_exponential 1", rng.standard_exponential()),
        lambda: (f"uniform {floats(-1, 3)} 1", rng.uniform(-1, 3)),
        lambda: ("choice 5 1", rng.choice(5)),
        lambda: (categorical(CHANCES, 1), categorical_sample(CHANCES, rng)),
        lambda: ("permutation 6", rng.permutation(6)),
        *[
            lambda low=low, high=high: (f"integers {low} {high} 1", rng.integers(low, high))
            for low, high in RANGES
        ],
    ]
    choices = order.integers(0, len(kinds), DRAWS)
    assert_draws([(f"generator {seed}", []), *(kinds[choice]() for choice in choices)])


@pytest.mark.parametrize("size", [0, 1, 2, 3, 52, 5000])
def test_shuffle_moves_the_values(assert_draws: AssertDraws, size: int) -> None:
    rng, _ = np_random(11)
    values = np.arange(7, 7 + size, dtype=np.int16)[::-1].copy()
    rng.shuffle(values)
    # The half left over shows whether as many bits were drawn.
    rest = rng.random(3, dtype=np.float32)
    assert_draws([("generator 11", []), (f"shuffle {size}", values), ("random32 3", rest)])


@pytest.mark.parametrize(
    "chances",
    [[1.0], [0.0, 1.0], [0.0, 0.0, 0.5, 0.5], [0.25, 0.25], [0.0, 0.0]],
    ids=["one", "certain", "leading zeros", "sum below one", "all zero"],
)
def test_categorical_sample_edges(assert_draws: AssertDraws, chances: list[float]) -> None:
    rng, _ = np_random(5)
    expected = [categorical_sample(chances, rng) for _ in range(1000)]
    assert_draws([("generator 5", []), (categorical(chances, 1000), expected)])


@pytest.mark.parametrize("drawn", [0.0, 0.25, 0.5])
def test_categorical_sample_on_a_boundary(
    assert_draws: AssertDraws, force_outputs: ForceOutputs, drawn: float
) -> None:
    """A number that equals a cumulative probability belongs to the next index."""
    rng = np.random.default_rng(0)
    command = force_outputs(rng, int(drawn * 2**64), 1)
    chances = [0.0, 0.25, 0.25, 0.5]
    expected = categorical_sample(chances, rng)
    assert expected == {0.0: 1, 0.25: 2, 0.5: 3}[drawn]
    assert_draws([(f"generator 0 {command} {categorical(chances, 1)}", expected)])


def test_lists_and_rows_shuffle_like_arrays(assert_draws: AssertDraws) -> None:
    rng, _ = np_random(12)
    cards = list(range(58, 6, -1))
    rng.shuffle(cards)
    rows = rng.permutation(np.arange(104).reshape(52, 2))[:, 0] // 2
    assert_draws([("generator 12", []), ("shuffle 52", cards), ("permutation 52", rows)])


def test_copied_bytes_and_reseeding_continue_exactly(assert_draws: AssertDraws) -> None:
    rng, _ = np_random(9)
    first = rng.integers(0, 6, 3)
    saved = rng.bit_generator.state
    assert saved["has_uint32"] == 1, "the bytes are to be saved while a 32-bit half is waiting"
    rest = every_kind(rng, 5)
    rng.bit_generator.state = saved
    again = every_kind(rng, 5)
    assert_draws(
        [
            ("generator 9", []),
            ("integers 0 6 3", first),
            ("save", []),
            *rest,
            ("load", []),
            *again,
            ("choice 3 1", rng.choice(3)),
            # Seeded twice, so that once a half is waiting for certain; the seed discards it.
            ("reseed 10", []),
            ("random32 3", np_random(10)[0].random(3, dtype=np.float32)),
            ("reseed 11", []),
            ("random32 3", np_random(11)[0].random(3, dtype=np.float32)),
        ]
    )


@pytest.mark.parametrize(
    ("numpy_call", "command", "message"),
    [
        (lambda r: r.integers(5, 5), "integers 5 5 1", r"low >= high: the range \[5, 5\)"),
        (lambda r: r.integers(5, -5), "integers 5 -5 1", r"low >= high: the range \[5, -5\)"),
        (lambda r: r.choice(0), "choice 0 1", "cannot choose from 0 items"),
        (lambda r: r.uniform(1, 0), "uniform 1 0 1", "high - low must not be negative"),
        (lambda r: r.uniform(0, np.inf), "uniform 0 inf 1", "high - low must be finite"),
        (lambda r: r.uniform(0, np.nan), "uniform 0 nan 1", "high - low must be finite"),
        (lambda r: r.normal(0, -1), "normal 0 -1 1", "scale must not be negative"),
        (lambda r: r.exponential(-1), "exponential -1 1", "scale must not be negative"),
        (lambda r: categorical_sample([], r), "categorical 0 1", "probabilities must not be empty"),
    ],
)
def test_arguments_that_numpy_refuses(
    run_probe: RunProbe,
    numpy_call: Callable[[np.random.Generator], object],
    command: str,
    message: str,
) -> None:
    with pytest.raises((ValueError, OverflowError)):
        numpy_call(np.random.default_rng(0))
    with pytest.raises(RuntimeError, match=message):
        run_probe(f"generator 0 {command}")


def test_times(run_probe: RunProbe) -> None:
    """Construction stays well under a microsecond: a pool seeds 100,000 environments at once."""
    # Ten times the measured nanoseconds, so that a slower machine passes: 38 to construct,
    # 2 to 8 a draw; the legacy generator 1000 (624 multiplications, each of the last) and 3 to 12.
    limits = {
        "construct": 400,
        "random": 80,
        "integers": 80,
        "standard_normal": 80,
        "standard_exponential": 80,
        "legacy construct": 10_000,
        "legacy random": 120,
        "legacy randint": 120,
        "legacy randn": 120,
    }
    nanoseconds = run_probe("timings").view(np.float64).tolist()
    measured = dict(zip(limits, nanoseconds, strict=True))
    assert {name: value for name, value in measured.items() if value > limits[name]} == {}
