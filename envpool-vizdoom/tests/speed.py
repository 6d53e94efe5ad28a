# SPDX-License-Identifier: Apache-2.0
"""Doom against the original EnvPool: CPU time of the pool and of the engines.

Both play Basic-v1 with the same random buttons, observations of 84 x 84 in colors, 4 stacked, and
one thread per row of a batch, which is faster than the original's default. "native" draws at 160 x
120, which the original cannot do; its side draws at 320 x 240.
"""

from __future__ import annotations

import dataclasses

from comparison import Comparison, Row, mode, pools


def row(num_envs: int, batch_size: int, goal: float | None, native: bool = False) -> Row:
    """One way to step."""
    sides = pools("Basic-v1", num_envs, batch_size, num_threads=batch_size, whole=True)
    if native:
        options = {**sides[0].options, "render_resolution": "160x120"}
        sides[0] = dataclasses.replace(sides[0], options=options)
    cells = (str(num_envs), mode(num_envs, batch_size) + (", native" if native else ""))
    return Row(cells, batch_size, sides, goal)


TABLES = [
    Comparison(
        "Basic-v1",
        ("envs", "mode"),
        [row(1, 1, None), row(8, 8, 2.0), row(8, 4, 1.8), row(8, 8, 3.5, native=True)],
        rounds=9,
        seconds=1.5,
    )
]
