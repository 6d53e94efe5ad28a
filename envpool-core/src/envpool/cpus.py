# SPDX-License-Identifier: Apache-2.0
"""The CPUs of this machine."""

from __future__ import annotations

import os


def usable_cpus() -> set[int]:
    """Numbers of the CPUs that this process may use; all of them where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return {*range(os.cpu_count() or 1)}
