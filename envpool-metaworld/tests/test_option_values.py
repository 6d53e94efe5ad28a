# SPDX-License-Identifier: Apache-2.0
"""Options and reset options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_metaworld import FAMILY
from option_values import option_effects_test, option_values_test

test_option_values = option_values_test(task.id for task in FAMILY.envpool_tasks())
# A random policy does not succeed.
test_option_effects = option_effects_test(
    (task.id for task in FAMILY.envpool_tasks()), steps=5, without=["terminate_on_success"]
)
