# SPDX-License-Identifier: Apache-2.0
"""Options and reset options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_classic import FAMILY
from option_values import option_effects_test, option_values_test

test_option_values = option_values_test(task.id for task in FAMILY.envpool_tasks())
test_option_effects = option_effects_test(
    (task.id for task in FAMILY.envpool_tasks()),
    4,
    steps=300,
    together={
        "rainy_probability": {"is_rainy": True},
        "desc": {"desc": ["SG", "HF"]},
        "natural": {"sab": False},
    },
    # Random actions reach neither the goal, nor a passenger, nor the greatest speed of the rod.
    without=["goal_velocity", "fickle_probability", "version"],
)
