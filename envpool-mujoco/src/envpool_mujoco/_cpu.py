# SPDX-License-Identifier: Apache-2.0
"""Refuses CPUs on which MuJoCo's library would end the process."""

from __future__ import annotations

import platform
from contextlib import suppress
from pathlib import Path

from envpool.errors import PluginError

CPUINFO = Path("/proc/cpuinfo")


def check_cpu(cpuinfo: Path = CPUINFO) -> None:
    """Refuses an x86-64 CPU without AVX: an illegal instruction while the library is loaded.

    Args:
        cpuinfo: Linux's description of the CPUs; without a description no CPU is refused.

    Raises:
        PluginError: If AVX is missing.
    """
    if platform.machine() != "x86_64":
        return
    with suppress(OSError), cpuinfo.open() as lines:
        flags = next((line.split() for line in lines if line.startswith("flags")), None)
        if flags is not None and "avx" not in flags:
            raise PluginError(
                "import of envpool_mujoco",
                "a CPU without AVX",
                "x86-64 with AVX, for which MuJoCo's library is compiled",
                "Use another machine; other families need no AVX",
                plugin="mujoco",
                wheel="envpool-mujoco",
            )
