# SPDX-License-Identifier: Apache-2.0
"""Raw pools whose results are easy to read."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def make_pool(module: ModuleType, name: str, autoreset: str = "next_step", **config: object) -> Any:
    """A raw pool whose results are dicts by array name, "final ..." for final copies."""
    env = getattr(module, name)
    pool = env.make(config, f"Test/{name}-v0", autoreset)
    names = [array[0] for array in env.describe(config)[1]]
    columns: dict[str, int] = {array: i for i, array in enumerate(names)}
    step = dict(columns)
    if autoreset == "same_step":
        own = [array for array in names if columns[array] >= 9 or array == "elapsed_step"]
        step |= {f"final {array}": -(2 + columns[array]) for array in own}
    pool.set_layout(step, columns)
    return pool
