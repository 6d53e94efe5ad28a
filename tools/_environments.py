# SPDX-License-Identifier: Apache-2.0
"""The tasks that have a page, and the paths of their videos."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import envpool
from envpool import Task

ROOT = Path(__file__).resolve().parents[1]
VIDEOS = ROOT / "docs" / "images" / "environments"
_VERSION = re.compile(r"-v(\d+)$")


def environments(family: str) -> list[Task]:
    """The tasks of a family that have pages: the newest version of each name, sorted by name.

    Args:
        family: The family's name, as "atari".
    """
    newest: dict[str, Task] = {}
    for task in importlib.import_module(f"envpool_{family}").FAMILY.envpool_tasks():
        known = newest.get(stem(task))
        if known is None or version(known) < version(task):
            newest[stem(task)] = task
    tasks = sorted(newest.values(), key=lambda task: task.id.lower())
    # A task that another family has as well is faster there.
    others = set(envpool.list_all_envs())
    return [task for task in tasks if task.id.removeprefix("python:") not in others - {task.id}]


def versions(family: str, task: Task) -> list[Task]:
    """All versions of a task, the newest first."""
    tasks = importlib.import_module(f"envpool_{family}").FAMILY.envpool_tasks()
    return sorted((t for t in tasks if stem(t) == stem(task)), key=version, reverse=True)


def stem(task: Task) -> str:
    """Its id without the version."""
    return _VERSION.sub("", task.id)


def version(task: Task) -> int:
    """The number at the end of its id."""
    match = _VERSION.search(task.id)
    return int(match[1]) if match else 0


def video_of(family: str, task: Task) -> Path:
    """The path of a task's video."""
    name = stem(task).removeprefix("python:").rpartition("/")[2]
    return VIDEOS / family / f"{name.lower()}.webp"
