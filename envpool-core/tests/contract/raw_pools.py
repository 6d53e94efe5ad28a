# SPDX-License-Identifier: Apache-2.0
"""Raw pools of a task, of whatever kind, whose results are easy to read."""

from __future__ import annotations

from typing import Any

import envpool


def make_raw(task_id: str, autoreset: str = "next_step", **config: Any) -> Any:
    """A raw pool whose results are dicts by array name, "final ..." for final copies."""
    spec = envpool.make_spec(task_id, autoreset_mode=autoreset, **config)
    pool: Any = spec.env.make(dict(spec.env_options), "Test/Counter-v0", autoreset)
    names = list(spec.state_array_spec)
    layout = {name: name for name in names}
    step = dict(layout)
    if autoreset == "same_step":
        own = [name for name, array in spec.state_array_spec.items() if array.own]
        step |= {f"final {name}": f"final {name}" for name in (*own, "elapsed_step")}
    pool.set_result_layouts(step, layout)
    return pool
