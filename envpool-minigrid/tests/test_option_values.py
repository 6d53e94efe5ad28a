# SPDX-License-Identifier: Apache-2.0
"""Options and reset options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_minigrid import FAMILY
from option_values import option_effects_test, option_values_test

IDS = [task.id for task in FAMILY.envpool_tasks()]
# With too many distractors, or with none, a draw finds no level, as in minigrid.
test_option_values = option_values_test(IDS, without=["num_dists"])
# BabyAI's option `debug` ends an episode at the first wrong door.
test_option_effects = option_effects_test(IDS, 20, without=["debug"])
