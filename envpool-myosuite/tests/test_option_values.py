# SPDX-License-Identifier: Apache-2.0
"""Options and reset options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_myosuite import FAMILY
from option_values import option_effects_test, option_values_test

IDS = [task.id for task in FAMILY.envpool_tasks()]
test_option_values = option_values_test(IDS)
# With random actions nothing falls within ten steps.
test_option_effects = option_effects_test(IDS, steps=10, without=["terminate_obj_fail"])
