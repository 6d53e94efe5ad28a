# SPDX-License-Identifier: Apache-2.0
"""Options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_vizdoom import FAMILY
from option_values import option_effects_test, option_values_test

# Games write their recordings into lmp_save_dir.
IDS = [task.id for task in FAMILY.envpool_tasks()]
test_option_values = option_values_test(IDS, 1, without=["lmp_save_dir"])
# Deaths, cheats of the engine and ends of a scenario come after more than ten steps.
test_option_effects = option_effects_test(
    IDS,
    steps=10,
    without=[
        *("lmp_save_dir", "episodic_life", "force_speed", "weapon_duration", "reward"),
        *("scenario_timeout", "engine_timeout"),
    ],
)
