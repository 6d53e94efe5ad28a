# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

from envpool.testing import check_task


def test_contract() -> None:
    check_task("Ring-v0")
