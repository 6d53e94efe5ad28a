# SPDX-License-Identifier: Apache-2.0
"""The samples of a long list in tests: a part of it by default, all of it under `pytest --full`.

    from sampling import FULL, sampled

    @pytest.mark.parametrize("game", sampled(GAMES, 12, salt="grayscale"))
    def test_grayscale(game): ...

    SEEDS = 400 if FULL else 40

Programs that tests start read the same choice from the variable `ENVPOOL_TEST_FULL`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from typing import TypeVar

T = TypeVar("T")

FULL = os.environ.get("ENVPOOL_TEST_FULL") == "1"  # conftest.py sets it, before tests are imported


def sampled(
    items: Iterable[T], count: int, *, salt: str = "", always: Collection[T] = ()
) -> list[T]:
    """`count` of the items, in their order, and those of `always`; all items under `--full`.

    The sample depends on their `str` and on `salt` only: every machine, process and run takes the
    same items, and a new item displaces at most one. Tests with different salts take different
    items, so that together they test more of the list.

    Raises:
        ValueError: If an item of `always` is not in the list.
    """
    listed = list(items)
    if unknown := [item for item in always if item not in listed]:
        raise ValueError(f"{unknown} are not among the {len(listed)} items")
    if FULL:
        return listed

    def rank(name: str) -> bytes:
        return hashlib.sha256(f"{salt}\0{name}".encode()).digest()

    kept = set(sorted({str(item) for item in listed}, key=rank)[:count])
    return [item for item in listed if str(item) in kept or item in always]
