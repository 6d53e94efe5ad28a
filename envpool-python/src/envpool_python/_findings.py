# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about worker processes."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator

from envpool import Compared, Finding

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("gymnasium", ("1.4.0",), "its SyncVectorEnv may give other results than a pool"),
)
"""The packages with which pools were compared."""


def findings() -> Iterator[Finding | Compared]:
    """Reports start methods, shared memory, processes, and the packages of the comparison."""
    yield _start_methods()
    yield _shared_memory()
    yield _processes()
    yield from COMPARED


def _start_methods() -> Finding:
    for name in ("memfd_create", "pidfd_open"):
        try:
            argument = "envpool-doctor" if name == "memfd_create" else os.getpid()
            os.close(getattr(os, name)(argument))
        except (AttributeError, OSError) as cause:
            return Finding(
                "workers",
                f"{name} does not work here: {cause}",
                "problem",
                "use a Linux kernel from 5.3 on, and a container that allows this system call",
            )
    return Finding(
        "workers", f"start methods forkserver and spawn, {len(os.sched_getaffinity(0))} CPUs"
    )


def _shared_memory() -> Finding:
    size, free = _memory()
    detail = (
        f"{free / 2**30:.1f} GiB of memory are free, of {size / 2**30:.1f}; no limit by /dev/shm"
    )
    if free < 2**28:
        return Finding(
            "shared memory", detail, "warning", "close programs, or use fewer environments"
        )
    return Finding("shared memory", detail)


def _memory() -> tuple[int, int]:
    page = os.sysconf("SC_PAGE_SIZE")
    return page * os.sysconf("SC_PHYS_PAGES"), page * os.sysconf("SC_AVPHYS_PAGES")


def _processes() -> Finding:
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = files // 2  # a worker takes two files: its socket and its process
    limit = "any number" if soft == resource.RLIM_INFINITY else str(soft)
    detail = f"{limit} of processes and {files} open files are allowed: {most} workers"
    if most < 64:
        return Finding("limits", detail, "warning", "raise the limit with `ulimit -n 4096`")
    return Finding("limits", detail)
