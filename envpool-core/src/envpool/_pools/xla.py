# SPDX-License-Identifier: Apache-2.0
"""A pool for code that JAX compiles. JAX is optional and imported when `xla()` is called.

Calls leave the compiled program through ordered callbacks, so they happen in the order in which the
program has them. The handle that goes in and out of each does nothing: it is there because programs
written for EnvPool carry it along.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ConfigError, MissingPackageError
from .actions import flatten
from .result_layouts import ALL_ROWS

if TYPE_CHECKING:
    from .base import EnvPoolMixin


def make_xla(
    pool: EnvPoolMixin,
) -> tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The handle and the functions `recv`, `send` and `step` of a pool.

    Raises:
        ConfigError: If the results of the pool have no fixed shape.
        MissingPackageError: If JAX is not installed.
    """
    _check_shapes(pool)
    try:
        jax: Any = importlib.import_module("jax")
        io_callback = importlib.import_module("jax.experimental").io_callback
    except ImportError as cause:
        raise MissingPackageError(
            "xla()", f"no JAX ({cause})", "a Python that has jax", "Run `pip install jax`"
        ) from cause
    batch_size: int = pool.config["batch_size"]

    def host_send(action: Any, env_id: Any) -> None:
        arrays = jax.tree.map(np.asarray, action)
        pool.send(arrays, None if env_id is None else np.asarray(env_id))

    def receive(rows: int) -> Any:
        shapes = _result_shapes(pool, rows, jax)

        def host_recv() -> Any:
            # JAX has no 64-bit arrays unless it is told to, so the result is brought to its types.
            return jax.tree.map(lambda array, shape: array.astype(shape.dtype), pool.recv(), shapes)

        return io_callback(host_recv, shapes, ordered=True)

    def send(handle: Any, action: Any, env_id: Any = None) -> Any:
        if isinstance(action, dict):
            action = flatten(action)
        io_callback(host_send, None, action, env_id, ordered=True)
        return handle

    def recv(handle: Any) -> tuple[Any, Any]:
        return handle, receive(batch_size)

    def step(handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        handle = send(handle, action, env_id)
        some = env_id is not None and not pool.is_async
        return handle, receive(len(env_id) if some else batch_size)

    handle = jax.numpy.asarray(np.frombuffer(np.int64(id(pool)).tobytes(), np.uint8))
    return handle, recv, send, step


def _check_shapes(pool: EnvPoolMixin) -> None:
    """Raises ConfigError if the shapes of results depend on what happens."""
    options = pool.config
    refused = None
    if options["max_num_players"] != 1:
        refused = f"max_num_players={options['max_num_players']}"
    elif pool.env_type == "vector" and options["autoreset_mode"] == "same_step":
        refused = "env_type='vector' with autoreset_mode='same_step'"
    elif pool.env_type == "vector" and pool._spec.task and pool._spec.task.tuple_choices:
        refused = "env_type='vector' with observations that are tuples"
    elif any(spec.dynamic for spec in pool._spec.state_array_spec.values()):
        refused = "a task with arrays that change their shape"
    if refused is not None:
        raise ConfigError(
            f"xla() of {pool._task_id}",
            refused,
            "pools whose results always have the same shape",
            "Use the pool without xla()",
        )


def _result_shapes(pool: EnvPoolMixin, rows: int, jax: Any) -> Any:
    """What `step` returns for `rows` environments, a shape and dtype in place of each array."""
    specs = pool._spec.state_array_spec

    def shapes(layout: Any) -> Any:
        if isinstance(layout, dict):
            return {key: shapes(leaf) for key, leaf in layout.items()}
        if isinstance(layout, tuple):
            return tuple(map(shapes, layout))
        if isinstance(layout, list):
            return layout[0](*map(shapes, layout[1:]))
        if layout == ALL_ROWS:
            return jax.ShapeDtypeStruct((rows,), np.bool_)
        spec = specs[layout.removeprefix("final ")]
        dtype = jax.dtypes.canonicalize_dtype(spec.dtype)
        return jax.ShapeDtypeStruct((rows, *spec.item_shape), dtype)

    return shapes(pool._step_layout)
