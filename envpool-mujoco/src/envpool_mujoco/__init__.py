# SPDX-License-Identifier: Apache-2.0
"""MuJoCo: Gymnasium's tasks, those of the dm_control suite, and users' own models.

The environments are in the compiled module `envpool_mujoco._mujoco`, which `envpool.make` imports,
with MuJoCo's library beside it. Models are read from the packages that have them.
"""

from __future__ import annotations

from envpool import Family

from . import _gymnasium, _tasks
from .family import check_cpu

__all__ = ["gymnasium_models"]

check_cpu()


def gymnasium_models() -> str:
    """The folder with the models of Gymnasium's tasks, in the installed package.

    Raises:
        MissingPackageError: If Gymnasium is not installed.
    """
    return str(_gymnasium.assets())


FAMILY = Family(
    _tasks.tasks,
    prepare="envpool_mujoco._prepare:prepare",
    findings="envpool_mujoco._findings:findings",
)
