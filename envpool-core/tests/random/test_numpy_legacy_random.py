# SPDX-License-Identifier: Apache-2.0
"""``NumpyLegacyRandom`` equals ``numpy.random.RandomState(seed)`` in every bit of every draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

AssertDraws = Callable[[Iterable[tuple[str, ArrayLike]]], None]
RunProbe = Callable[[str], NDArray[np.uint64]]

DRAWS = 10_000
SEEDS = [
    *[0, 1, 42, 2**31 - 1, 2**31, 2**32 - 1],
    *np.random.default_rng(8).integers(0, 2**32, 6).tolist(),
]
# Lists shorter than, as long as and longer than the 624 words of the state.
LISTS = [
    [0],
    [1, 2, 3],
    [2**32 - 1, 0, 2**31],
    *[np.random.default_rng(size).integers(0, 2**32, size).tolist() for size in (623, 624, 1500)],
]
# Both sides of each change of method: no draw, one masked word, two masked words.
RANGES = [
    (0, 1),
    (0, 2),
    (-3, 4),
    (0, 2**31 + 1),
    (-5, 2**32 - 6),
    (0, 2**32),
    (-1, 2**32),
    (7, 2**62 + 8),
    (-(2**63), 2**63 - 1),
]


def floats(*values: float) -> str:
    """Numbers as command words that lose no bit."""
    return " ".join(float(value).hex() for value in values)


def every_kind(rng: np.random.RandomState, count: int) -> list[tuple[str, ArrayLike]]:
    """Each kind of draw `count` times, as (command, NumPy's result)."""
    return [
        (f"raw {count}", rng.randint(0, 2**32, count)),
        (f"random {count}", rng.rand(count)),
        (f"uniform {floats(-0.6, -0.4)} {count}", rng.uniform(-0.6, -0.4, count)),
        (f"uniform {floats(1.3, -2)} {count}", rng.uniform(1.3, -2, count)),
        (f"randn {count}", rng.randn(count)),
        (f"normal {floats(0.3, 1.7)} {count}", rng.normal(0.3, 1.7, count)),
        (f"standard_exponential {count}", rng.standard_exponential(count)),
        (f"exponential {floats(2.3)} {count}", rng.exponential(2.3, count)),
        (f"choice 48 {count}", [int(rng.choice(48)) for _ in range(count)]),
        (f"choice {2**40} {count}", rng.choice(2**40, count)),
        (f"permutation {count}", rng.permutation(count)),
        *[(f"randint {low} {high} {count}", rng.randint(low, high, count)) for low, high in RANGES],
        (f"random {count}", rng.random_sample(count)),
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_long_sequences_equal_random_state(assert_draws: AssertDraws, seed: int) -> None:
    rng = np.random.RandomState(seed)
    assert_draws([(f"legacy {seed}", []), *every_kind(rng, DRAWS)])


@pytest.mark.parametrize("key", LISTS, ids=len)
def test_seeding_with_a_list(assert_draws: AssertDraws, key: list[int]) -> None:
    rng = np.random.RandomState(key)
    words = " ".join(map(str, key))
    assert_draws([(f"legacy_list {len(key)} {words}", []), *every_kind(rng, 1000)])


@pytest.mark.parametrize("seed", [3, 2**32 - 7])
def test_scalar_draws_interleaved(assert_draws: AssertDraws, seed: int) -> None:
    """Single draws of random kinds: the normal left over by one draw waits for the next."""
    order = np.random.default_rng(seed + 1)
    rng = np.random.RandomState(seed)
    kinds: list[Callable[[], tuple[str, ArrayLike]]] = [
        lambda: ("random 1", rng.rand()),
        lambda: ("randn 1", rng.randn()),
        lambda: (f"normal {floats(1, 2)} 1", rng.normal(1, 2)),
        lambda: ("standard_exponential 1", rng.standard_exponential()),
        lambda: (f"uniform {floats(-1, 3)} 1", rng.uniform(-1, 3)),
        lambda: ("choice 5 1", rng.choice(5)),
        lambda: ("permutation 6", rng.permutation(6)),
        *[
            lambda low=low, high=high: (f"randint {low} {high} 1", rng.randint(low, high))
            for low, high in RANGES
        ],
    ]
    choices = order.integers(0, len(kinds), DRAWS)
    assert_draws([(f"legacy {seed}", []), *(kinds[choice]() for choice in choices)])


@pytest.mark.parametrize("size", [0, 1, 2, 3, 52, 5000])
def test_shuffle_moves_the_values(assert_draws: AssertDraws, size: int) -> None:
    rng = np.random.RandomState(11)
    values = np.arange(7, 7 + size, dtype=np.int16)[::-1].copy()
    rng.shuffle(values)
    rest = rng.rand(3)  # shows whether as many bits were drawn
    assert_draws([("legacy 11", []), (f"shuffle {size}", values), ("random 3", rest)])


def test_lists_and_rows_shuffle_like_arrays(assert_draws: AssertDraws) -> None:
    rng = np.random.RandomState(12)
    cards = list(range(58, 6, -1))
    rng.shuffle(cards)
    rows = rng.permutation(np.arange(104).reshape(52, 2))[:, 0] // 2
    assert_draws([("legacy 12", []), ("shuffle 52", cards), ("permutation 52", rows)])


def test_copied_bytes_and_reseeding_continue_exactly(assert_draws: AssertDraws) -> None:
    rng = np.random.RandomState(9)
    first = rng.randn(3)  # an odd number: the fourth is waiting when the bytes are saved
    saved = rng.get_state()
    rest = every_kind(rng, 5)
    rng.set_state(saved)
    again = every_kind(rng, 5)
    assert_draws(
        [
            ("legacy 9", []),
            ("randn 3", first),
            ("save", []),
            *rest,
            ("load", []),
            *again,
            ("randn 1", rng.randn()),
            # Seeded twice, so that once a normal is waiting for certain; the seed discards it.
            ("reseed 10", []),
            ("randn 3", np.random.RandomState(10).randn(3)),
            ("reseed 11", []),
            ("randn 3", np.random.RandomState(11).randn(3)),
        ]
    )


@pytest.mark.parametrize(
    ("numpy_call", "command", "message"),
    [
        (lambda: np.random.RandomState(2**32), "legacy 4294967296", "between 0 and 2"),
        (lambda: np.random.RandomState([]), "legacy_list 0", "must not be an empty list"),
        (
            lambda: np.random.RandomState(0).randint(5, 5),
            "legacy 0 randint 5 5 1",
            r"low >= high: the range \[5, 5\)",
        ),
        (
            lambda: np.random.RandomState(0).choice(0),
            "legacy 0 choice 0 1",
            "cannot choose from 0 items",
        ),
        (
            lambda: np.random.RandomState(0).uniform(0, np.inf),
            "legacy 0 uniform 0 inf 1",
            "high - low must be finite",
        ),
        (
            lambda: np.random.RandomState(0).normal(0, -1),
            "legacy 0 normal 0 -1 1",
            "scale must not be negative",
        ),
        (
            lambda: np.random.RandomState(0).exponential(-1),
            "legacy 0 exponential -1 1",
            "scale must not be negative",
        ),
    ],
)
def test_arguments_that_numpy_refuses(
    run_probe: RunProbe, numpy_call: Callable[[], object], command: str, message: str
) -> None:
    with pytest.raises((ValueError, OverflowError)):
        numpy_call()
    with pytest.raises(RuntimeError, match=message):
        run_probe(command)
