# SPDX-License-Identifier: Apache-2.0
"""`envpool doctor` says this of Ray."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib import metadata

from envpool import Finding


def findings() -> Iterator[Finding]:
    """The version of Ray, the cluster that would be used, shared memory."""
    version = metadata.version("ray")
    if tuple(int(part) for part in version.split(".")[:2]) < (2, 40):
        yield Finding("ray", version, "problem", "run `pip install 'ray>=2.40'`")
    else:
        yield Finding("ray", version)
    address = os.environ.get("RAY_ADDRESS", "")
    yield Finding("cluster", f"RAY_ADDRESS={address}" if address else "a local one, unless told")
    yield _shared_memory()


def _shared_memory() -> Finding:
    try:
        free = shutil.disk_usage("/dev/shm").free
    except OSError as cause:
        return Finding("shared memory", f"no /dev/shm: {cause}", "warning", "mount a tmpfs there")
    detail = f"{free / 2**30:.1f} GiB are free in /dev/shm"
    if free < 2**29:
        fix = "run the container with --shm-size=4g: Ray would keep its objects on the disk"
        return Finding("shared memory", detail, "warning", fix)
    return Finding("shared memory", detail)
