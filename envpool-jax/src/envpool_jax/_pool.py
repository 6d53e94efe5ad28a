# SPDX-License-Identifier: Apache-2.0
"""JaxPool: environments that one compiled step advances, all of them or a slice at a time.

An asynchronous pool has `num_envs / batch_size` slices, each with its own carry: `send` starts the
step of a slice and returns, `recv` waits for the slice that was sent first. If batch_size does not
divide num_envs, or ids of several slices are sent, rows are masked: the whole slice is computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from envpool.errors import ConfigError, RenderError, StateError, WorkerError, shorten
from envpool.pool_backend import ActionRows, Ids, Layout, PythonPool, Rows
from envpool.typing import CompiledArray
from numpy.typing import NDArray

from . import _compiling, _states
from ._arguments import DeviceArguments
from ._packing import Outputs
from ._program import RESETS, Carry, Program, keys_of
from ._results import BatchArrays, DeviceRows, IdsOnDevice, torch_module

_POLL = 0.002  # seconds between two checks for a result


class Source(NamedTuple):
    """The parts from which a pool is made.

    Attributes:
        env: A `JaxEnv`.
        program: Returns the program that JAX compiles, for a mode, a way to reset, the wanted
        outputs, and whether they are packed into few buffers.
        fingerprint: Differs between environments whose saved states are incompatible.
    """

    env: Any
    program: Callable[[str, str, frozenset[str], bool], Program]
    fingerprint: Callable[[], bytes]


class JaxPool(PythonPool):
    """A pool whose rows stay on a device until they are read."""

    def __init__(
        self,
        source: Source,
        config: dict[str, Any],
        state: Sequence[CompiledArray],
        action: Sequence[CompiledArray],
        task_id: str,
        autoreset_mode: str,
    ) -> None:
        """Keeps the arguments and computes nothing.

        Raises:
            ConfigError: If there is no such device.
            MissingPackageError: If results should be PyTorch's and it is not installed.
        """
        self._source = source
        num_envs: int = config["num_envs"]
        batch_size: int = config["batch_size"] or num_envs
        self._width = batch_size if num_envs % batch_size == 0 else num_envs
        self._array, self._copy = config["array"], config["copy"]
        self._resets = config["resets"] or getattr(source.env, "resets", "cond")
        self._device = _device(config["device"], task_id)
        self._limit = self._put(jnp.int32(config["max_episode_steps"]))
        if self._array == "torch":
            torch_module()
        self._ids_on_device = IdsOnDevice(self._put)
        super().__init__(config, state, action, task_id, autoreset_mode)

    def new_arguments(self, action: Sequence[CompiledArray], max_players: int) -> DeviceArguments:
        """Arguments that leave arrays on their device."""
        return DeviceArguments(action, self.num_envs, max_players, self.task_id)

    def open(self) -> None:
        """Starts without episodes in any environment."""
        self._carries: list[Carry] = []

    def free(self) -> None:
        """Forgets the carries."""
        self._carries = []

    def layouts_changed(self) -> None:
        """Compiles for the new layouts."""
        if self._array != "numpy" and self.layouts[0].has_all_rows:
            raise ConfigError(
                f"make({self.task_id!r}, 'vector', array={self._array!r})",
                repr(self._array),
                "'numpy', which gymnasium.vector's results are made of",
                "Leave array out, or use env_type='gymnasium'",
            )
        self._program = self._compiled_program()

    def _compiled_program(self) -> Program:
        wanted = self.layouts[0].outputs | self.layouts[1].outputs | {"elapsed_step"}
        if self.mode == "disabled":
            wanted |= {"done"}
        ways = RESETS if self._resets == "auto" else (self._resets,)
        packs = self._array == "numpy"
        programs = [self._source.program(self.mode, way, wanted, packs) for way in ways]
        self._empty = programs[0].empty
        with _compiling.progress(self.task_id):
            if len(programs) > 1:
                return _compiling.fastest(programs, self._fresh_carry, self._limit)
            _compiling.warm_up(programs[0], self._fresh_carry, self._limit)
            return programs[0]

    def _fresh_carry(self, index: int = 0) -> Carry:
        """The carry of a slice whose environments have no episode yet."""
        mine = slice(index * self._width, (index + 1) * self._width)
        carry: Carry = self._put(self._empty(_keys(self.seeds[mine].tolist())))
        return carry

    def _put(self, tree: Any) -> Any:
        return tree if self._device is None else jax.device_put(tree, self._device)

    def _carry(self, index: int) -> Carry:
        if not self._carries:
            slices = range(self.num_envs // self._width)
            self._carries = [self._fresh_carry(i) for i in slices]
        return self._carries[index]

    def collect(self, seconds: float | None) -> None:
        """Sleeps for a moment: rows are delivered when their step has started."""
        time.sleep(_POLL if seconds is None else min(_POLL, seconds))

    def begin_steps(self, ids: Ids, action: ActionRows) -> None:
        """Starts steps, slice by slice."""
        arrays = action.arrays
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
        """The rows of a slice, of which only some have values; other rows are not used."""
        if isinstance(array, np.ndarray):
            wide = np.zeros((self._width, *array.shape[1:]), array.dtype)
            wide[rows] = array
            return wide
        return jnp.zeros((self._width, *array.shape[1:]), array.dtype).at[rows].set(array)

    def begin_episodes(self, ids: Ids, seeds: list[int] | None) -> None:
        """Starts episodes, slice by slice."""
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

    def _run(self, function: Any, index: int, ids: Ids, rows: Any, *arguments: Any) -> None:
        """Calls a compiled function of a slice. A failure resets the slice to no episodes.

        Args:
            function: Of a carry and `arguments`.
            index: The slice.
            ids: The environments whose results are wanted.
            rows: Their rows in the slice; None: all of it.
            *arguments: The function's arguments.
        """
        try:
            self._carries[index], buffers = function(self._carry(index), *arguments)
            outputs = Outputs(self._program.packing(self._width), buffers)
            self.deliver(DeviceRows(ids, rows, outputs))
        except Exception as error:
            first = index * self._width
            self._carries[index] = self._fresh_carry(index)
            mine = np.arange(first, first + self._width, dtype=np.int32)
            self.flight.forget(mine)
            text = f"{type(error).__name__}: {error}"
            raise WorkerError(
                f"a step of {self.task_id}",
                text,
                "environments that do not fail",
                "Reset the environments of this batch: their episodes are lost",
                task_id=self.task_id,
                env_id=first,
                failures=[(int(i), text) for i in mine],
            ) from error

    def _by_slice(self, ids: Ids) -> list[tuple[int, Any, Any]]:
        """Slices, the rows of each (None: all, in order), and the rows' positions in `ids`."""
        width = self._width
        if not len(ids):
            return []
        if ids is self.arguments.all and width == len(ids):
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

    def nothing(self, layout: Layout) -> Any:
        """The result of a step of no environment: arrays without rows. No state changes."""
        none = np.zeros(0, np.int32)
        actions = {
            array.name: np.zeros((self._width, *array.shape), array.dtype)
            for array in self._program.actions
        }
        mask = np.zeros(self._width, np.bool_)
        self._carries[0], buffers = self._program.step_some(
            self._carry(0), self._limit, actions, mask
        )
        outputs = Outputs(self._program.packing(self._width), buffers)
        return self.build([DeviceRows(none, none, outputs)], None, layout)

    def build(self, parts: Sequence[Rows], order: NDArray[np.intp] | None, layout: Layout) -> Any:
        """A result of arrays of NumPy, JAX or PyTorch."""
        batch = BatchArrays(parts, order, self._array, self._copy, self._ids_on_device)
        return batch.build(layout)

    def draw(self, env_id: int, width: int, height: int, camera_id: int) -> NDArray[np.uint8]:
        """A frame, drawn by the environment's own `render` from its state."""
        call = f"render of {self.task_id}, env {env_id}"
        if camera_id != -1:
            raise RenderError(
                call, f"camera_id={camera_id}", "-1: there is one view", "Leave camera_id out"
            )
        state = jax.tree.map(
            lambda leaf: np.asarray(leaf[env_id % self._width]),
            self._carry(env_id // self._width).state,
        )
        try:
            frame = np.asarray(self._source.env.render(state))
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

    def states_of(self, ids: Ids) -> list[bytes]:
        """One state for each id."""
        states: dict[int, bytes] = {}
        for index, rows, _ in self._by_slice(np.unique(ids)):
            rows = np.arange(self._width) if rows is None else rows
            mine = rows + index * self._width
            packed = _states.pack(
                self._carry(index),
                rows.tolist(),
                self.flight.was_reset[mine],
                self._source.fingerprint(),
            )
            states |= dict(zip(mine.tolist(), packed, strict=True))
        return [states[env_id] for env_id in ids.tolist()]

    def set_states(self, states: Sequence[bytes], ids: Ids) -> None:
        """Loads all states, or raises and loads none."""
        call = f"load_state of {self.task_id}"
        for state in states:
            _states.check(state, self._carry(0), self._source.fingerprint(), call)
        for index, rows, where in self._by_slice(ids):
            rows = np.arange(self._width) if rows is None else rows
            mine = list(states) if where is None else [states[i] for i in where.tolist()]
            carry, has_episode = _states.unpack(self._carry(index), rows.tolist(), mine)
            self._carries[index] = carry
            here = (rows + index * self._width).astype(np.int32)
            goes_on = ~np.asarray(carry.ended)[rows] | (self.mode != "disabled")
            self.flight.restore(here, np.asarray(has_episode), goes_on)

    def functional(self) -> tuple[Carry, Any]:
        """See `_functional`."""
        from ._functional import functional

        with self.using():
            self.check_open("functional")
            carry = self._whole("functional()")
            return functional(carry, self._program, self._limit, self.layouts[0])

    def xla(self) -> Any:
        """See `_functional`."""
        from ._functional import xla

        with self.using():
            self.check_open("xla")
            carry = self._whole("xla()", may_wait=True)
            waiting: Any = self.flight.rows
            return xla(carry, self._program, self._limit, self.layouts[0], waiting)

    def _whole(self, call: str, may_wait: bool = False) -> Carry:
        """A copy of the carry of all environments."""
        if not self.is_sync or self.layouts[0].has_all_rows:
            raise ConfigError(
                f"{call} of {self.task_id}",
                "env_type='vector'" if self.is_sync else "an asynchronous pool",
                "a synchronous pool of env_type 'gymnasium' or 'dm'",
                "Use env_type='gymnasium'" if self.is_sync else "Leave batch_size out",
            )
        if not (may_wait and self.flight.count == self.num_envs):
            self.flight.check_nothing(call)
        if not self.flight.was_reset.all() and self.mode != "next_step":
            raise StateError(
                f"{call} of {self.task_id}",
                "environments that were not reset",
                "a call that the pool can serve now",
                "Call reset() first",
            )
        copy: Carry = jax.tree.map(lambda leaf: leaf.copy(), self._carry(0))
        return copy


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
