# SPDX-License-Identifier: Apache-2.0
"""Options and reset options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_procgen import FAMILY
from option_values import option_effects_test, option_values_test

test_option_values = option_values_test(task.id for task in FAMILY.envpool_tasks())
# A game reads some of these, or at the end of its first level. The two engines give the same.
test_option_effects = option_effects_test(
    (task.id for task in FAMILY.envpool_tasks()),
    steps=10,
    together={"start_level": {"num_levels": 1}},
    without=["engine", "center_agent", "use_easy_jump", "debug_mode", "use_sequential_levels"],
)
