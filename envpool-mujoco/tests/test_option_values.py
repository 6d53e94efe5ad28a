# SPDX-License-Identifier: Apache-2.0
"""Options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_mujoco import FAMILY
from option_values import option_effects_test, option_values_test

IDS = [task.id for task in FAMILY.envpool_tasks()]
test_option_values = option_values_test(IDS)
test_option_effects = option_effects_test(
    IDS,
    2,
    steps=20,
    together={
        "contact_force_range": {"version": 4, "use_contact_forces": True},
        "contact_cost_weight": {"version": 4, "use_contact_forces": True},
    },
    # Costs beyond a range, and falls, are rare; post_constraint affects forces that few observe.
    without=[
        *("impact_cost_range", "contact_cost_range", "terminate_when_unhealthy"),
        "post_constraint",
    ],
)
