# SPDX-License-Identifier: Apache-2.0
"""Procgen: sixteen games with randomly generated levels, which the wheel envpool-procgen adds.

The environments are in the compiled module `envpool_procgen._procgen`, which `envpool.make`
imports. Thirteen games are computed here, with the images of a package of Procgen; the library of
that package computes the others. The package is not imported; `envpool procgen fetch` brings it.
"""

from __future__ import annotations

from envpool import Family

from . import _tasks

FAMILY = Family(
    _tasks.tasks,
    commands="envpool_procgen._command:add_commands",
    prepare="envpool_procgen._prepare:prepare",
    findings="envpool_procgen._findings:findings",
)
