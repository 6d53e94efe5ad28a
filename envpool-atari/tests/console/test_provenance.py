# SPDX-License-Identifier: Apache-2.0
"""The experiments of PROVENANCE.md in short: ALE, as a black box, gives the console's facts.

The experiments in full are `python envpool-atari/tests/provenance.py`.
"""

from __future__ import annotations

import provenance
import pytest
from machines import Ale, Own

SEED = 4_753_849
STEP = 25  # cycles between those in which something is tried


@pytest.mark.parametrize("experiment", provenance.EXPERIMENTS, ids=lambda e: e.__name__)
def test_both_machines_give_the_same_table(experiment: provenance.Experiment) -> None:
    measured = experiment(Ale, STEP)
    assert measured
    assert experiment(Own, STEP) == measured


def test_memory_at_power_on_is_drawn_with_the_seed_that_the_search_finds() -> None:
    memory = provenance.untouched_memory(Ale)
    assert provenance.untouched_memory(Own) == memory
    assert provenance.seed_of(memory, SEED - 1000, SEED + 1000) == SEED
    assert provenance.seed_of([*memory[:-1], memory[-1] ^ 1], SEED - 9, SEED + 9) is None


def test_one_number_of_cycles_for_an_ohm_gives_all_that_was_measured() -> None:
    low, high = provenance.cycles_per_ohm(provenance.charging(Ale, STEP))
    assert low <= 119 / 6250 < high
    assert high - low < 1e-6  # at most 0.8 cycles of the 15,000 of a whole turn


def test_another_seed_of_the_player_changes_nothing_in_memory() -> None:
    # So that memory is drawn with a number of the machine's own.
    assert provenance.untouched_memory(lambda rom: Ale(rom, seed=9)) == (
        provenance.untouched_memory(Ale)
    )
