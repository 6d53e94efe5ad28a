# SPDX-License-Identifier: Apache-2.0
"""Options and reset options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_atari import FAMILY
from option_values import option_effects_test, option_values_test

IDS = [task.id for task in FAMILY.envpool_tasks()]
test_option_values = option_values_test(IDS)
test_option_effects = option_effects_test(
    IDS,
    2,
    together={"continuous_action_threshold": {"continuous": True}},
    # Lives are lost later; a cached reset returns the same as another reset, from the same start.
    without=[
        *("episodic_life", "zero_discount_on_life_loss", "life_loss_info", "reward_clip"),
        *("cache_reset", "use_fire_reset", "full_action_space", "task", "difficulty"),
        "crop",  # of games whose picture is higher
    ],
)
