# SPDX-License-Identifier: Apache-2.0
"""JaxPool: environments that one compiled step advances, all of them or a slice at a time.

An asynchronous pool has `num_envs / batch_size` slices, each with a carry of its own: `send` starts
the step of a slice and returns, `recv` waits for what was sent first. Where batch_size does not
divide num_envs, or ids of several slices are sent, rows are masked: the whole slice is computed.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from envpool.errors import (
    ConfigError,
    EnvIdError,
    RecvTimeoutError,
    RenderError,
    SavedStateError,
    StateError,
    WorkerError,
    shorten,
)
from numpy.typing import NDArray

from . import _compiling, _states
from ._arguments import Arguments, Ids
from ._layouts import Layout
from ._packing import Outputs
from ._program import RESETS, Carry, keys_of
from ._results import Batch, IdsOnDevice, Part, Results, torch_module

if TYPE_CHECKING:
    from ._env import BatchEnv
    from ._program import Program

_POLL = 0.002  # seconds between two looks at whether a result is there


class JaxPool:
    """A `CompiledPool` (see `envpool.typing`)."""

    def __init__(
        self, env: BatchEnv, config: dict[str, Any], task_id: str, autoreset_mode: str
    ) -> None:
        """Computes nothing yet.

        Raises:
            ConfigError: If there is no such device.
            MissingPackageError: If results are to be PyTorch's and it is not installed.
        """
        self._env, self._task_id, self._mode = env, task_id, autoreset_mode
        self._num_envs: int = config["num_envs"]
        self._batch_size: int = config["batch_size"] or self._num_envs
        self._is_async = self._batch_size != self._num_envs
        whole = self._num_envs % self._batch_size == 0
        self._width = self._batch_size if whole else self._num_envs
        self._seeds = config["env_seed"] or [config["seed"] + i for i in range(self._num_envs)]
        self._array, self._copy = config["array"], config["copy"]
        self._resets = config["resets"] or getattr(env.env, "resets", "cond")
        self._device = _device(config["device"], task_id)
        self._limit = self._put(jnp.int32(config["max_episode_steps"]))
        if self._array == "torch":
            torch_module()
        self._arguments = Arguments(env.described.actions, self._num_envs, task_id)
        self._ids_on_device = IdsOnDevice(self._put)
        self._condition = threading.Condition(threading.RLock())
        self._owner = os.getpid()
        self._stepping = self._using("step or send")
        self._layouts = Layout(), Layout()
        self._open()

    def _open(self) -> None:
        self.closed = False
        self._carries: list[Carry] = []
        self._results = Results()
        self._in_flight = np.zeros(self._num_envs, np.bool_)
        self._no_episode = np.ones(self._num_envs, np.bool_)  # not yet reset
        self._num_without = self._num_envs
        self._over = np.zeros(self._num_envs, np.bool_)  # with autoreset_mode="disabled"
        self._last_ids: Ids | None = None

    @property
    def num_threads(self) -> int:
        """XLA has threads of its own, which are not counted."""
        return 1

    @property
    def num_in_flight(self) -> int:
        """Environments that were sent and not yet received."""
        return self._results.count

    def set_result_layouts(self, step: object, reset: object, /) -> None:
        """Says how results are built, and compiles."""
        with self._using("set_result_layouts"):
            if self._results.count:
                raise self._refusal("set_result_layouts", "results on the way", "Call recv() first")
            self._layouts = Layout(step), Layout(reset)
            if self._array != "numpy" and self._layouts[0].has_all_rows:
                raise ConfigError(
                    f"make({self._task_id!r}, 'vector', array={self._array!r})",
                    repr(self._array),
                    "'numpy', which gymnasium.vector's results are made of",
                    "Leave array out, or use env_type='gymnasium'",
                )
            self._program = self._compiled_program()

    def _compiled_program(self) -> Program:
        wanted = self._layouts[0].outputs | self._layouts[1].outputs | {"elapsed_step"}
        if self._mode == "disabled":
            wanted |= {"done"}
        ways = RESETS if self._resets == "auto" else (self._resets,)
        packs = self._array == "numpy"
        programs = [self._env.program(self._mode, way, wanted, packs) for way in ways]
        self._empty = programs[0].empty
        with _compiling.progress(self._task_id):
            if len(programs) > 1:
                return _compiling.fastest(programs, self._env, self._fresh_carry, self._limit)
            _compiling.warm_up(programs[0], self._env, self._fresh_carry, self._limit)
            return programs[0]

    def _fresh_carry(self, index: int = 0) -> Carry:
        """The carry of a slice whose environments have no episode yet."""
        mine = slice(index * self._width, (index + 1) * self._width)
        carry: Carry = self._put(self._empty(_keys(self._seeds[mine])))
        return carry

    def _put(self, tree: Any) -> Any:
        return tree if self._device is None else jax.device_put(tree, self._device)

    def _carry(self, index: int) -> Carry:
        if not self._carries:
            slices = range(self._num_envs // self._width)
            self._carries = [self._fresh_carry(i) for i in slices]
        return self._carries[index]

    def send(self, action: Any, env_id: Any = None, /) -> None:
        """Starts steps."""
        with self._using("step or send"):
            self._send(action, env_id)

    def step(self, action: Any, env_id: Any = None, /) -> Any:
        """Is `send` and `recv` in one."""
        with self._stepping:
            if not self._send(action, env_id) and not self._is_async:
                return self._recv_none()
            return self._recv(False)

    def recv(self, reset: bool = False, timeout: float | None = None, /) -> Any:
        """Waits for a batch."""
        if timeout is not None and not timeout >= 0:
            raise ConfigError(
                f"recv(timeout={timeout}) of {self._task_id}",
                str(timeout),
                "seconds from 0, or None to wait for as long as it takes",
                "Correct the timeout",
            )
        with self._using("recv"):
            if timeout is not None:
                self._wait(timeout)
            return self._recv(reset)

    def reset(self, env_id: object = None, seed: object = None, /) -> Any:
        """Is `async_reset` and `recv(True)` in one."""
        with self._using("reset", opens=True):
            self._send_reset(env_id, seed)
            return self._recv(True)

    def async_reset(self, env_id: object = None, seed: object = None, /) -> None:
        """Starts episodes."""
        with self._using("async_reset", opens=True):
            self._send_reset(env_id, seed)

    def _send(self, action: Any, env_id: Any) -> int:
        """Starts steps and returns how many."""
        if env_id is None and isinstance(action, dict):
            env_id = action.get("env_id")
        if env_id is None and self._is_async and not self._arguments.has_row_for_all(action):
            env_id = self._last_ids
        ids = self._arguments.ids(env_id)
        self._check_not_in_flight("step or send to", ids)
        if self._mode == "disabled" and (ends := self._over[ids] | self._no_episode[ids]).any():
            raise StateError(
                f"step or send to {self._task_id}",
                f"env {ids[ends][0]}, whose episode is over or has not begun",
                'running episodes, since autoreset_mode is "disabled"',
                "Reset it first",
            )
        arrays = self._arguments.action(action, ids)
        if self._num_without and self._no_episode[ids].any():
            self._step_with_first_resets(arrays, ids)
        else:
            self._dispatch(ids, arrays)
        self._set(self._in_flight, ids, True)
        return len(ids)

    def _set(self, flags: NDArray[np.bool_], ids: Ids, value: bool) -> None:
        """Sets flags of environments; all at once is many times as fast."""
        flags[... if ids is self._arguments.all else ids] = value

    def _step_with_first_resets(self, arrays: dict[str, Any], ids: Ids) -> None:
        """The first step of an environment that was never reset is its reset."""
        first = self._no_episode[ids]
        self._dispatch_reset(ids[first], None)
        if not first.all():
            some = np.flatnonzero(~first)
            self._dispatch(ids[some], {name: array[some] for name, array in arrays.items()})

    def _send_reset(self, env_id: Any, seed: Any) -> None:
        ids = self._arguments.ids(env_id, "reset of")
        seeds = self._arguments.seeds(seed, ids)
        if self._is_async and env_id is not None:
            self._check_not_in_flight("reset of", ids)
        elif self._in_flight[ids].any():
            self._results.drop(ids)
        self._dispatch_reset(ids, seeds)
        self._set(self._in_flight, ids, True)

    def _dispatch(self, ids: Ids, arrays: dict[str, Any]) -> None:
        """Starts steps, slice by slice."""
        for index, rows, where in self._by_slice(ids):
            mine = arrays if where is None else {n: a[where] for n, a in arrays.items()}
            its_ids = ids if where is None else ids[where]
            if rows is None:
                self._run(self._program.step, index, its_ids, None, self._limit, mine)
            else:
                mask = np.zeros(self._width, np.bool_)
                mask[rows] = True
                wide = {name: self._spread(array, rows) for name, array in mine.items()}
                self._run(self._program.step_some, index, its_ids, rows, self._limit, wide, mask)

    def _spread(self, array: Any, rows: Any) -> Any:
        """Rows of a slice where some have values; the others are not used."""
        if isinstance(array, np.ndarray):
            wide = np.zeros((self._width, *array.shape[1:]), array.dtype)
            wide[rows] = array
            return wide
        return jnp.zeros((self._width, *array.shape[1:]), array.dtype).at[rows].set(array)

    def _dispatch_reset(self, ids: Ids, seeds: list[int] | None) -> None:
        keys = None if seeds is None else np.asarray(_keys(seeds))
        for index, rows, where in self._by_slice(ids):
            mask = np.ones(self._width, np.bool_)
            if rows is not None:
                mask[:] = False
                mask[rows] = True
            key = np.zeros(self._carry(index).key.shape, np.uint32)
            if keys is not None:
                key[mask if rows is None else rows] = keys if where is None else keys[where]
            reseed = mask if keys is not None else np.zeros_like(mask)
            its_ids = ids if where is None else ids[where]
            self._run(self._program.reset, index, its_ids, rows, mask, key, reseed)
        self._over[ids] = False
        self._no_episode[ids] = False
        self._num_without = int(np.count_nonzero(self._no_episode))

    def _run(self, function: Any, index: int, ids: Ids, rows: Any, *arguments: Any) -> None:
        """Calls a compiled function of a slice, which begins anew if that fails.

        Args:
            function: Of a carry and `arguments`.
            index: The slice.
            ids: Of whose results are wanted.
            rows: Where they are in the slice; None: they are all of it.
            *arguments: For the function.
        """
        try:
            self._carries[index], buffers = function(self._carry(index), *arguments)
            outputs = Outputs(self._program.packing(self._width), buffers)
            self._results.add(Part(ids, rows, outputs))
        except Exception as error:
            first = index * self._width
            self._carries[index] = self._fresh_carry(index)
            mine = np.arange(first, first + self._width, dtype=np.int32)
            self._results.drop(mine)
            self._in_flight[mine] = False
            self._no_episode[mine] = True
            self._num_without = int(np.count_nonzero(self._no_episode))
            text = f"{type(error).__name__}: {error}"
            raise WorkerError(
                f"a step of {self._task_id}",
                text,
                "environments that do not fail",
                "Reset the environments of this batch: their episodes are lost",
                task_id=self._task_id,
                env_id=first,
                failures=[(int(i), text) for i in mine],
            ) from error

    def _by_slice(self, ids: Ids) -> list[tuple[int, Any, Any]]:
        """Slices, the rows of each (None: all, in order), and where these are in `ids`."""
        width = self._width
        if not len(ids):
            return []
        if ids is self._arguments.all and width == len(ids):
            return [(0, None, None)]
        index = int(ids[0]) // width
        first = index * width
        whole = len(ids) == width and ids[0] == first
        if whole and (ids == np.arange(first, first + width)).all():
            return [(index, None, None)]
        found = []
        owners = ids // width
        for index in dict.fromkeys(owners.tolist()):
            where = np.flatnonzero(owners == index)
            found.append((index, ids[where] - index * width, where))
        return found

    def _recv_none(self) -> Any:
        """The result of a step of no environment: arrays without rows. No state changes."""
        none = np.zeros(0, np.int32)
        actions = {
            array.name: np.zeros((self._width, *array.shape), array.dtype)
            for array in self._env.described.actions
        }
        mask = np.zeros(self._width, np.bool_)
        self._run(self._program.step_some, 0, none, none, self._limit, actions, mask)
        part = self._results.take_last()
        return Batch([part], self._array, self._copy, self._ids_on_device).build(self._layouts[0])

    def _recv(self, reset: bool) -> Any:
        rows = self._batch_size if self._is_async else self._results.count
        if not rows or rows > self._results.count:
            least = f"at least {rows or 1}"
            raise StateError(
                f"recv of {self._task_id}",
                f"{self._results.count} results on the way",
                f"{least} (batch_size), so that a batch can be filled" if self._is_async else least,
                "Send actions to, or reset, more environments first; or pass recv(timeout=...), "
                "which waits for what another thread is still to send",
            )
        parts = self._results.take(rows)
        batch = Batch(parts, self._array, self._copy, self._ids_on_device)
        self._set(self._in_flight, batch.ids, False)
        self._last_ids = batch.ids
        if self._mode == "disabled":
            for ids, own_rows, outputs in parts:
                over = outputs.arrays(copy=False)["done"]
                self._over[ids] = over if own_rows is None else over[own_rows]
        return batch.build(self._layouts[reset])

    def _wait(self, timeout: float) -> None:
        """Waits until a batch is there, which another thread may still send."""
        until = time.monotonic() + timeout
        while not self._is_ready():
            if self.closed:
                raise self._closed("recv")
            left = until - time.monotonic()
            if left <= 0:
                raise RecvTimeoutError(
                    f"recv(timeout=...) of {self._task_id}",
                    f"{self._results.count} results on the way, and no whole batch before the time "
                    "was over",
                    "any timeout, or None to wait for as long as it takes",
                    "Call recv() again: nothing was lost",
                )
            self._condition.wait(min(_POLL, left))

    def _is_ready(self) -> bool:
        rows = self._batch_size if self._is_async else self._results.count
        if not rows or rows > self._results.count:
            return False
        parts = self._results.next(rows)
        return all(part.outputs.is_ready() for part in parts)

    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int, /
    ) -> NDArray[np.uint8]:
        """Frames, drawn by the environment's own `render` from the state of each."""
        with self._using("render"):
            self._check_idle("render()", env_ids)
            frames = []
            for env_id in env_ids.tolist():
                carry = self._carry(env_id // self._width)
                row = env_id % self._width
                state = jax.tree.map(lambda leaf, row=row: np.asarray(leaf[row]), carry.state)
                frames.append(self._drawn(state, env_id, width, height, camera_id))
            return np.stack(frames)

    def _drawn(self, state: Any, env_id: int, width: int, height: int, camera_id: int) -> Any:
        call = f"render() of {self._task_id}, env {env_id}"
        if self._no_episode[env_id]:
            raise RenderError(
                call, "no episode yet", "environments that were reset", "Call reset() first"
            )
        if camera_id != -1:
            raise RenderError(
                call, f"camera_id={camera_id}", "-1: there is one view", "Leave camera_id out"
            )
        try:
            frame = np.asarray(self._env.env.render(state))
        except Exception as cause:
            text = f"{type(cause).__name__}: {cause}"
            raise RenderError(call, text, "environments that draw", "See above") from cause
        wanted = (height or frame.shape[0], width or frame.shape[1], 3)
        if frame.shape != wanted or frame.dtype != np.uint8:
            raise RenderError(
                call,
                f"{frame.dtype} of shape {frame.shape}",
                f"uint8 of shape {wanted}",
                "Leave render_width and render_height out: the environment has its own size",
            )
        return frame

    def save_state(self, env_ids: NDArray[np.int32], /) -> list[bytes]:
        """One state for each id."""
        with self._using("save_state"):
            self._check_idle("save_state()", env_ids)
            states: dict[int, bytes] = {}
            for index, rows, _ in self._by_slice(np.unique(env_ids)):
                rows = np.arange(self._width) if rows is None else rows
                ids = rows + index * self._width
                has_episode = ~self._no_episode[ids]
                packed = _states.pack(
                    self._carry(index), rows.tolist(), has_episode, self._env.fingerprint
                )
                states |= dict(zip(ids.tolist(), packed, strict=True))
            return [states[env_id] for env_id in env_ids.tolist()]

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32], /) -> None:
        """Loads all states, or raises and loads none."""
        with self._using("load_state"):
            self._check_idle("load_state()", env_ids)
            call = f"load_state(...) of {self._task_id}"
            if isinstance(states, (str, bytes)) or len(states) != len(env_ids):
                raise SavedStateError(
                    call,
                    f"{len(states)} states for {len(env_ids)} environments",
                    "one state for each environment",
                    "Nothing was changed",
                )
            self._arguments.ids(env_ids)
            for state in states:
                _states.check(state, self._carry(0), self._env.fingerprint, call)
            for index, rows, where in self._by_slice(env_ids):
                rows = np.arange(self._width) if rows is None else rows
                mine = list(states) if where is None else [states[i] for i in where.tolist()]
                carry, has_episode = _states.unpack(self._carry(index), rows.tolist(), mine)
                self._carries[index] = carry
                ids = rows + index * self._width
                self._no_episode[ids] = ~np.asarray(has_episode)
                ended = np.asarray(carry.ended)[rows]
                self._over[ids] = ended & (self._mode == "disabled") & np.asarray(has_episode)
            self._num_without = int(np.count_nonzero(self._no_episode))

    def functional(self) -> tuple[Carry, Any]:
        """See `_functional`."""
        from ._functional import functional

        with self._using("functional"):
            carry = self._whole("functional()")
            return functional(carry, self._program, self._limit, self._layouts[0])

    def xla(self) -> Any:
        """See `_functional`."""
        from ._functional import xla

        with self._using("xla"):
            carry = self._whole("xla()", may_wait=True)
            waiting = self._results.next(self._num_envs)
            return xla(carry, self._program, self._limit, self._layouts[0], waiting)

    def _whole(self, call: str, may_wait: bool = False) -> Carry:
        """A copy of the carry of all environments."""
        if self._is_async or self._layouts[0].has_all_rows:
            raise ConfigError(
                f"{call} of {self._task_id}",
                "an asynchronous pool" if self._is_async else "env_type='vector'",
                "a synchronous pool of env_type 'gymnasium' or 'dm'",
                "Leave batch_size out" if self._is_async else "Use env_type='gymnasium'",
            )
        if self._results.count and not (may_wait and self._results.count == self._num_envs):
            raise self._refusal(call, "results on the way", "Call recv() first")
        if self._num_without and self._mode != "next_step":
            raise self._refusal(call, "environments that were not reset", "Call reset() first")
        copy: Carry = jax.tree.map(lambda leaf: leaf.copy(), self._carry(0))
        return copy

    def close(self) -> None:
        """Frees the environments."""
        if self._owner != os.getpid():
            return
        with self._condition:
            self._open()
            self.closed = True

    def _using(self, call: str, opens: bool = False) -> _Using:
        return _Using(self, call, opens)

    def _refusal(self, call: str, got: str, then: str) -> StateError:
        return StateError(
            f"{call} of {self._task_id}", got, "a call that the pool can serve now", then
        )

    def _closed(self, call: str) -> StateError:
        return StateError(
            f"{call} of {self._task_id}",
            "a closed pool",
            "reset and async_reset, which open it again",
            "Call reset() or make a new pool",
        )

    def _check_not_in_flight(self, call: str, ids: Ids) -> None:
        if not self._results.count:
            return
        busy = self._in_flight[ids]
        if busy.any():
            raise EnvIdError(
                f"{call} {self._task_id}",
                f"env {ids[busy][0]}, which is in flight",
                "environments whose result was received",
                "Call recv() first",
            )

    def _check_idle(self, call: str, ids: Ids) -> None:
        if self._in_flight[ids].any():
            env_id = ids[self._in_flight[ids]][0]
            raise self._refusal(
                call, f"env {env_id}, whose result is on its way", "Call recv() first"
            )


class _Using:
    """A call of a pool: one thread at a time, in the process that made it, while it is open."""

    def __init__(self, pool: JaxPool, call: str, opens: bool) -> None:
        self._pool, self._call, self._opens = pool, call, opens

    def __enter__(self) -> None:
        pool = self._pool
        if pool._owner != os.getpid():
            raise pool._refusal(
                self._call, "a pool that another process has made", "Make a pool in this process"
            )
        pool._condition.acquire()
        if pool.closed:
            if self._opens:
                pool.closed = False
                return
            pool._condition.release()
            raise pool._closed(self._call)

    def __exit__(self, *error: object) -> None:
        self._pool._condition.notify_all()
        self._pool._condition.release()


def _keys(seeds: Sequence[int]) -> Any:
    array = np.asarray(seeds, np.uint64)
    return keys_of((array & 0xFFFFFFFF).astype(np.uint32), (array >> 32).astype(np.uint32))


def _device(name: str, task_id: str) -> Any:
    """A device by a name like "gpu:1"; None: JAX's default."""
    if not name:
        return None
    platform, _, number = name.partition(":")
    try:
        return jax.devices(platform)[int(number or 0)]
    except (RuntimeError, IndexError, ValueError):
        known = ", ".join(f"{one.platform}:{one.id}" for one in jax.devices())
        raise ConfigError(
            f"make({task_id!r}, device={shorten(name)})",
            repr(name),
            f"{known}, or cpu",
            "Pass one of these, or leave it out",
        ) from None
