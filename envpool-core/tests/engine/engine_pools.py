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
    layout = {array: array for array in names}
    step = dict(layout)
    if autoreset == "same_step":
        own = [array[0] for array in env.describe(config)[1] if array[7]]
        step |= {f"final {array}": f"final {array}" for array in (*own, "elapsed_step")}
    pool.set_result_layouts(step, layout)
    return pool
