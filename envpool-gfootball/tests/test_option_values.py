# SPDX-License-Identifier: Apache-2.0
"""Options and reset options of every kind are refused at once, or work."""

from __future__ import annotations

from envpool_gfootball import FAMILY
from option_values import option_values_test

test_option_values = option_values_test(task.id for task in FAMILY.envpool_tasks())
