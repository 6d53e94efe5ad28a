# SPDX-License-Identifier: Apache-2.0
"""The batch step for code that the caller compiles: in its own `jit`, `scan` and `grad`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from envpool.errors import ActionError
from envpool.pool_backend import OWN, Layout

from ._program import Carry, Program
from ._results import DeviceRows


def functional(
    carry: Carry, program: Program, limit: Any, layout: Layout
) -> tuple[Carry, Callable[[Carry, Any], tuple[Carry, Any]]]:
    """A carry, and `step(carry, action)`, which returns the next carry and the result."""

    def step(carry: Carry, action: Any) -> tuple[Carry, Any]:
        carry, outputs = program.pure_step(carry, limit, _named(program, action))
        return carry, _result(layout, outputs)

    return carry, step


def xla(
    carry: Carry, program: Program, limit: Any, layout: Layout, waiting: Sequence[DeviceRows]
) -> tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """`handle, recv, send, step`: the handle is the carry, with the result that `recv` returns."""
    _, functional_step = functional(carry, program, limit, layout)
    rows = len(carry.ended)
    outputs = {}
    shapes = jax.eval_shape(program.pure_step, carry, limit, _nothing(program, rows))[1]
    for name, shape in shapes.items():
        outputs[name] = jnp.zeros(shape.shape, shape.dtype)
        for part in waiting:
            found = part.outputs.array(name)
            found = found if part.rows is None else found[part.rows]
            outputs[name] = outputs[name].at[part.ids].set(found)
    first = _result(layout, outputs)

    def send(handle: Any, action: Any, env_id: Any = None) -> Any:
        carry, _ = handle
        if isinstance(action, dict) and env_id is None:
            env_id = action.get("env_id")
        if env_id is not None and len(env_id) != rows:
            raise ActionError(
                "send(handle, action, env_id)",
                f"{len(env_id)} environments",
                f"all {rows}: a compiled step is of all of them",
                "Leave env_id out",
            )
        return functional_step(carry, action)

    def recv(handle: Any) -> tuple[Any, Any]:
        return handle, handle[1]

    def step(handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        return recv(send(handle, action, env_id))

    return (carry, first), recv, send, step


def _named(program: Program, action: Any) -> dict[str, Any]:
    arrays = program.actions
    if len(arrays) == 1 and not isinstance(action, Mapping):
        action = {arrays[0].name: action}
    named = {}
    for array in arrays:
        value: Any = action
        for key in [array.name] if array.name in action else array.path:
            value = value[key] if isinstance(value, Mapping) else value[int(key)]
        value = jnp.asarray(value)
        if value.ndim == 2 and not array.shape and value.shape[1] == 1:
            value = value[:, 0]
        if value.shape[1:] != array.shape or (value.dtype.kind == "f" and array.dtype.kind != "f"):
            raise ActionError(
                f"action {array.name!r} in a compiled program",
                f"{value.dtype} of shape {value.shape}",
                f"{array.dtype} of shape (num_envs, {', '.join(map(str, array.shape))})",
                "Correct it",
            )
        named[array.name] = value.astype(array.dtype)
    return named


def _nothing(program: Program, rows: int) -> dict[str, Any]:
    return {a.name: np.zeros((rows, *a.shape), a.dtype) for a in program.actions}


def _result(layout: Layout, outputs: Mapping[str, Any]) -> Any:
    """A result in the form of its layout; ids are those of the rows."""
    ids = jnp.arange(len(outputs["elapsed_step"]), dtype=jnp.int32)
    return layout.build({**outputs, **dict.fromkeys(OWN, ids)})
