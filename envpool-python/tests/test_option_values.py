# SPDX-License-Identifier: Apache-2.0
"""Options of every kind are refused at once, or work."""

from __future__ import annotations

from option_values import option_values_test

# The environment checks the contents of env_kwargs.
test_option_values = option_values_test(["python:CartPole-v1"], without=["env_kwargs"])
