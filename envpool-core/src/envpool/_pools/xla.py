# SPDX-License-Identifier: Apache-2.0
"""A pool for code that JAX compiles. JAX is optional and imported when `xla()` is called.

On the CPU the compiled program calls the pool itself, through JAX's FFI, and no Python runs.
Otherwise every call leaves the program through an ordered callback: on other devices, with a JAX
before 0.5, and for families whose pools are not compiled.

Every call takes and returns a handle. Through the FFI the handle gives the order: a call waits for
the call that returned its handle. Outside of compiled programs, calls come in Python's order.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ActionError, ConfigError, EnvIdError, MissingPackageError
from .actions import flatten
from .result_layouts import ALL_ROWS

if TYPE_CHECKING:
    from .._backend import EnvBackend, PoolBackend, XlaFunctions
    from .._specs.spec import EnvSpec


class _Pool(NamedTuple):
    """The properties of a pool that this module needs."""

    compiled: PoolBackend
    spec: EnvSpec
    layout: Any
    env_type: str
    send: Callable[..., None]
    recv: Callable[..., Any]

    @property
    def task_id(self) -> str:
        return self.compiled.task_id

    @property
    def num_envs(self) -> int:
        return int(self.spec.options["num_envs"])

    @property
    def batch_size(self) -> int:
        return int(self.spec.options["batch_size"])

    @property
    def is_async(self) -> bool:
        return self.batch_size != self.num_envs


def make_xla(
    compiled: PoolBackend,
    spec: EnvSpec,
    layout: object,
    env_type: str,
    send: Callable[..., None],
    recv: Callable[..., Any],
) -> XlaFunctions:
    """The handle and the functions `recv`, `send` and `step` of a pool.

    Args:
        compiled: The backend that steps the environments.
        spec: The pool's.
        layout: The layout of `step`.
        env_type: "gymnasium", "vector" or "dm".
        send: The pool's own `send`, for calls that leave the program.
        recv: The pool's own `recv`.

    Raises:
        ConfigError: If the results of the pool have no fixed shape.
        MissingPackageError: If JAX is not installed.
    """
    pool = _Pool(compiled, spec, layout, env_type, send, recv)
    _check_shapes(pool)
    try:
        jax: Any = importlib.import_module("jax")
    except ImportError as cause:
        raise MissingPackageError(
            "xla()", f"no JAX ({cause})", "a Python that has jax", "Run `pip install jax`"
        ) from cause
    if has_ffi(spec.env, jax):
        calls = _FfiCalls(pool, jax)
        return calls.handle, calls.recv, calls.send, calls.step
    return _callbacks(pool, jax)


def has_ffi(env: EnvBackend, jax: Any) -> bool:
    """Whether programs call the pool without Python."""
    return bool(env.xla_handlers) and hasattr(jax, "ffi") and jax.default_backend() == "cpu"


class _FfiCalls:
    """`recv`, `send` and `step` as custom calls."""

    def __init__(self, pool: _Pool, jax: Any) -> None:
        self._pool, self._jax = pool, jax
        self._batch_size = pool.batch_size
        self._arrays = list(dict.fromkeys(_leaves(pool.layout)))
        env = pool.spec.env
        self._targets = _registered_targets(env, jax)
        number, self._keeper = env.xla_register(pool.compiled.c_pool(), self._arrays)
        self.handle = jax.numpy.asarray(np.frombuffer(np.uint64(number).tobytes(), np.uint8))
        self._last = self.handle

    def send(self, handle: Any, action: Any, env_id: Any = None) -> Any:
        action, ids = self._split(action, env_id)
        return self._call("send", handle, None, *self._numbers(action, ids), *ids)[0]

    def recv(self, handle: Any) -> tuple[Any, Any]:
        handle, *arrays = self._call("recv", handle, self._batch_size)
        return handle, self._result(arrays, self._batch_size)

    def step(self, handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        action, ids = self._split(action, env_id)
        rows = ids[0].shape[0] if ids and not self._pool.is_async else self._batch_size
        numbers = self._numbers(action, ids)
        handle, *arrays = self._call("step", handle, rows, *numbers, *ids)
        return handle, self._result(arrays, rows)

    def _call(self, name: str, handle: Any, rows: int | None, *arguments: Any) -> Any:
        jax = self._jax
        is_traced = isinstance(handle, jax.core.Tracer)
        if not is_traced:
            handle = self._last
        results = [jax.ShapeDtypeStruct(handle.shape, handle.dtype)]
        if rows is not None:
            results += [_shape(self._pool, array, rows, jax) for array in self._arrays]
        call = jax.ffi.ffi_call(
            self._targets[name], results, has_side_effect=True, input_output_aliases={0: 0}
        )
        values = call(handle, *arguments)
        if not isinstance(values[0], jax.core.Tracer):
            self._last = values[0]
        return values

    def _result(self, arrays: list[Any], rows: int) -> Any:
        by_name = dict(zip(self._arrays, arrays, strict=True))
        ones = self._jax.numpy.ones((rows,), np.bool_)
        return _build(self._pool.layout, lambda n: ones if n == ALL_ROWS else by_name[n])

    def _split(self, action: Any, env_id: Any) -> tuple[dict[str, Any], list[Any]]:
        """The arrays by name, and the ids if there are any."""
        names = [
            name
            for name in self._pool.spec.action_array_spec
            if name not in ("env_id", "players.env_id")
        ]
        if isinstance(action, dict):
            action = flatten(action)
            inside = action.pop("env_id", None) if "env_id" in (action := dict(action)) else None
            env_id = inside if env_id is None else env_id
        else:
            action = {names[-1]: action}
        if set(action) != set(names):
            raise ActionError(
                f"action of {self._pool.task_id} in a compiled program",
                f"keys {', '.join(map(str, action))}",
                ", ".join(names) + ", and optionally env_id",
                "Pass these arrays",
            )
        if env_id is None:
            return action, []
        ids = self._jax.numpy.atleast_1d(self._jax.numpy.asarray(env_id))
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            raise EnvIdError(
                f"env_id of {self._pool.task_id} in a compiled program",
                f"{ids.dtype} of shape {ids.shape}",
                "an int array of shape (rows,)",
                "Pass ids of this pool, see all_env_ids",
            )
        if self._pool.env_type == "vector":
            raise EnvIdError(
                f"env_id of {self._pool.task_id}",
                f"{ids.shape[0]} ids",
                "None: in a gymnasium.vector.VectorEnv row i is environment i",
                "Leave env_id out, or use env_type='gymnasium'",
            )
        return action, [ids.astype(np.int32)]

    def _numbers(self, action: dict[str, Any], ids: list[Any]) -> Iterator[Any]:
        """The arrays in their order, with the right number of rows."""
        jnp = self._jax.numpy
        counts = [ids[0].shape[0]] if ids else [self._pool.num_envs, self._batch_size]
        for name, spec in self._pool.spec.action_array_spec.items():
            if name not in action:
                continue
            array = jnp.asarray(action[name])
            shape = tuple(spec.item_shape)
            if array.dtype in (jnp.float16, jnp.bfloat16):
                array = array.astype(np.float32)
            is_column = not shape and array.ndim == 2 and array.shape[1] == 1
            if is_column or (not shape and not array.ndim and counts[0] == 1):
                array = array.reshape(array.shape[:1] or (1,))
            if array.ndim != len(shape) + 1 or array.shape[1:] != shape or len(array) not in counts:
                allowed = " or ".join(str((count, *shape)) for count in dict.fromkeys(counts))
                raise ActionError(
                    f"action '{name}' of {self._pool.task_id} in a compiled program",
                    f"shape {array.shape}",
                    f"shape {allowed}, one row per environment",
                    "Correct the shape",
                )
            yield array


_known_targets: dict[str, dict[str, str]] = {}


def _registered_targets(env: Any, jax: Any) -> dict[str, str]:
    """The names under which JAX knows the custom calls of the module that `env` is from."""
    module = type(env).__module__
    if module not in _known_targets:
        names = {}
        for name, capsule in env.xla_handlers.items():
            names[name] = f"envpool {module} {name}"
            jax.ffi.register_ffi_target(names[name], capsule, platform="cpu")
        _known_targets[module] = names
    return _known_targets[module]


def _callbacks(pool: _Pool, jax: Any) -> XlaFunctions:
    """`xla()` where the compiled program cannot call the pool itself."""
    io_callback = importlib.import_module("jax.experimental").io_callback

    def host_send(action: Any, env_id: Any) -> None:
        arrays = jax.tree.map(np.asarray, action)
        pool.send(arrays, None if env_id is None else np.asarray(env_id))

    def receive(rows: int) -> Any:
        shapes = _build(
            pool.layout,
            lambda array: (
                jax.ShapeDtypeStruct((rows,), np.bool_)
                if array == ALL_ROWS
                else _shape(pool, array, rows, jax)
            ),
        )

        def host_recv() -> Any:
            # JAX has no 64-bit arrays by default, so the result is converted to JAX's types.
            return jax.tree.map(
                lambda array, shape: array.astype(shape.dtype), pool.compiled.recv(), shapes
            )

        return io_callback(host_recv, shapes, ordered=True)

    def send(handle: Any, action: Any, env_id: Any = None) -> Any:
        if isinstance(action, dict):
            action = flatten(action)
        io_callback(host_send, None, action, env_id, ordered=True)
        return handle

    def recv(handle: Any) -> tuple[Any, Any]:
        return handle, receive(pool.batch_size)

    def step(handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        handle = send(handle, action, env_id)
        some = env_id is not None and not pool.is_async
        return handle, receive(len(env_id) if some else pool.batch_size)

    handle = jax.numpy.asarray(np.frombuffer(np.int64(id(pool.compiled)).tobytes(), np.uint8))
    return handle, recv, send, step


def _check_shapes(pool: _Pool) -> None:
    """Raises ConfigError if the shapes of results are not fixed."""
    options = pool.spec.options
    refused = None
    if options["max_num_players"] != 1:
        refused = f"max_num_players={options['max_num_players']}"
    elif pool.env_type == "vector" and options["autoreset_mode"] == "same_step":
        refused = "env_type='vector' with autoreset_mode='same_step'"
    elif pool.env_type == "vector" and pool.spec.task and pool.spec.task.tuple_choices:
        refused = "env_type='vector' with observations that are tuples"
    elif pool.env_type == "vector" and pool.spec.task and pool.spec.task.texts:
        refused = "env_type='vector' with observations that are texts"
    elif any(spec.dynamic for spec in pool.spec.state_array_spec.values()):
        refused = "a task with arrays that change their shape"
    if refused is not None:
        raise ConfigError(
            f"xla() of {pool.task_id}",
            refused,
            "pools whose results always have the same shape",
            "Use the pool without xla()",
        )


def _shape(pool: _Pool, array: str, rows: int, jax: Any) -> Any:
    """Shape and dtype of a state array of `rows` environments, as JAX's type."""
    spec = pool.spec.state_array_spec[array.removeprefix("final ")]
    dtype = jax.dtypes.canonicalize_dtype(spec.dtype)
    return jax.ShapeDtypeStruct((rows, *spec.item_shape), dtype)


def _build(layout: Any, leaf: Callable[[str], Any]) -> Any:
    """A result of this layout, with `leaf(name)` in place of each array."""
    if isinstance(layout, dict):
        return {key: _build(inner, leaf) for key, inner in layout.items()}
    if isinstance(layout, tuple):
        return tuple(_build(inner, leaf) for inner in layout)
    if isinstance(layout, list):
        return layout[0](*(_build(inner, leaf) for inner in layout[1:]))
    return leaf(layout)


def _leaves(layout: Any) -> list[str]:
    """The arrays of a layout, in the order of their first place in it."""
    names: list[str] = []
    _build(_plain(layout), lambda name: names.append(name) if name != ALL_ROWS else None)
    return names


def _plain(layout: Any) -> Any:
    """A layout that makes tuples instead of other classes."""
    if isinstance(layout, list):
        return tuple(map(_plain, layout[1:]))
    if isinstance(layout, dict):
        return {key: _plain(inner) for key, inner in layout.items()}
    return tuple(map(_plain, layout)) if isinstance(layout, tuple) else layout
