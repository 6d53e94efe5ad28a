# SPDX-License-Identifier: Apache-2.0
"""Options of every kind are refused at once, or work."""

from __future__ import annotations

from envpool_vizdoom import envpool_tasks
from option_values import option_values_test

# Games write their recordings into lmp_save_dir.
IDS = [task.id for task in envpool_tasks()]
test_option_values = option_values_test(IDS, 1, without=["lmp_save_dir"])
