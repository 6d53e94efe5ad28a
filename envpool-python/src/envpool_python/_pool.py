# SPDX-License-Identifier: Apache-2.0
"""WorkerPool: the compiled pool of environments in worker processes, and these processes.

Steps go straight to the compiled side. What is done here: infos of environments join the info of the
batch, observations of spaces that are no arrays get their shape, frames are fetched, and processes
end with the pool.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from envpool.errors import RenderError, SavedStateError, StateError, WorkerError
from gymnasium import spaces
from numpy.typing import NDArray

from ._crew import Crew
from ._infos import Rows
from ._spaces import arrays_of, batch_of, is_plain

if TYPE_CHECKING:
    from ._env import PythonEnv

_IN_SLOT = 1024  # bytes of an info that lie in the slot itself; kInfoBytes in C++


class WorkerPool:
    """A `CompiledPool` (see `envpool.typing`) whose environments are in worker processes."""

    def __init__(
        self,
        compiled: Any,
        crew: Crew,
        office: Any,
        layout: Any,
        memory: int,
        env: PythonEnv,
        task_id: str,
        num_envs: int,
        num_workers: int,
    ) -> None:
        """Waits until all workers have built their environments.

        Raises:
            WorkerError: If one could not.
        """
        self._compiled = compiled
        self._crew = crew
        self._office = office
        self._memory = memory
        self._task_id = task_id
        self._num_envs = num_envs
        self.num_workers = num_workers
        self._described = env.described
        self._observations, self._actions = env.leaves()
        self._obs_plain = is_plain(env.observation_space)
        self._act_plain = not isinstance(
            env.action_space, (spaces.Tuple, spaces.Dict, spaces.Text)
        )
        self._sizes: NDArray[np.uint32] = office.info_sizes()
        self._infos: NDArray[np.uint8] = office.infos(layout)
        self._reset_options: Any = None
        self._finalizer = weakref.finalize(self, crew.forget)
        self.send: Callable[..., None] = compiled.send if self._act_plain else self._send
        self.step: Callable[..., Any] = compiled.step if self._act_plain else self._step
        self.recv: Callable[..., Any] = compiled.recv
        self._await_workers()
        for worker in range(num_workers):
            process = crew.process_of(worker)
            assert process is not None
            office.set_process(worker, process.pidfd)

    def _await_workers(self) -> None:
        from ._progress import Progress

        with Progress(self._task_id, self.num_workers) as progress:
            for worker in range(self.num_workers):
                while not self._crew.ready(worker, 0.1):
                    progress.tick()
                progress.advance()

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return bool(self._compiled.closed)

    @property
    def num_threads(self) -> int:
        """Workers, which is how many environments step at once."""
        return self.num_workers

    @property
    def num_in_flight(self) -> int:
        """Environments that were sent and not yet received."""
        return int(self._compiled.num_in_flight)

    def set_result_layouts(self, step: object, reset: object, /) -> None:
        """Says how results are built; infos and spaces that are no arrays are added to them."""
        self._compiled.set_result_layouts(self._wrapped(step), self._wrapped(reset))

    def _wrapped(self, layout: Any) -> Any:
        if isinstance(layout, tuple) and isinstance(layout[-1], dict):
            same_step = "_final_obs" in layout[-1]
            add = self._add_with_final if same_step else self._add
            return [add, layout, "info:env_id"]
        return layout  # dm_env: a State has the fields that are known beforehand

    def _add(self, result: Any, env_ids: NDArray[np.int32]) -> Any:
        """Completes a result of environments that say what infos they have."""
        sizes = self._sizes[env_ids, 0]
        if sizes.any():
            self._merge(result[-1], env_ids, sizes, np.zeros(len(sizes), np.intp))
        return result if self._obs_plain else self._with_observation(result)

    def _add_with_final(self, result: Any, env_ids: NDArray[np.int32]) -> Any:
        """The same where episodes begin in the step that ended the one before."""
        info = result[-1]
        ended = info["_final_obs"]
        sizes = self._sizes[env_ids]
        if sizes.any():
            # Where an episode has ended, the first info is its last, and the second the next one's.
            last = np.where(ended, sizes[:, 0], 0)
            if last.any():
                self._merge(info["final_info"], env_ids, last, np.zeros(len(last), np.intp))
            which = ended.astype(np.intp)
            now = np.where(ended, sizes[:, 1], sizes[:, 0])
            if now.any():
                self._merge(info, env_ids, now, which)
        if self._obs_plain:
            return result
        if ended.any():
            info["final_obs"] = batch_of(self._described.observation_space, info["final_obs"])
        return self._with_observation(result)

    def _with_observation(self, result: Any) -> Any:
        return (batch_of(self._described.observation_space, result[0]), *result[1:])

    def _merge(
        self,
        info: dict[str, Any],
        env_ids: NDArray[np.int32],
        sizes: NDArray[np.uint32],
        which: NDArray[np.intp],
    ) -> None:
        rows = Rows(len(env_ids))
        (has,) = np.nonzero(sizes)
        alike = sizes[has[0]]
        if alike <= _IN_SLOT and (sizes[has] == alike).all():
            rows.add_array(has, self._infos[env_ids[has], which[has], :alike])
        else:
            records = [
                self._record(int(env_ids[r]), int(sizes[r]), int(which[r])) for r in has
            ]
            rows.add(has.tolist(), records)
        _update(info, rows.merged)

    def _record(self, env_id: int, size: int, which: int) -> bytes:
        if size <= _IN_SLOT:
            return self._infos[env_id, which, :size].tobytes()
        return os.pread(self._memory, size, self._office.long_info_at(env_id, which))

    def _send(self, action: Any, env_id: Any = None, /) -> None:
        self._compiled.send(*self._flat(action, env_id))

    def _step(self, action: Any, env_id: Any = None, /) -> Any:
        return self._compiled.step(*self._flat(action, env_id))

    def _flat(self, action: Any, env_id: Any) -> tuple[Any, Any]:
        """An action of several arrays as a dict of them."""
        arrays = arrays_of(self._described.action_space, self._actions, action)
        flat = {
            leaf.name or "action": value
            for leaf, value in zip(self._actions, arrays, strict=True)
            if value is not None
        }
        if isinstance(action, Mapping):
            known = {"env_id", "players.env_id"}
            flat |= {key: value for key, value in action.items() if key in known}
        return flat, env_id

    def reset(self, env_id: object = None, seed: object = None, /) -> Any:
        """Starts episodes, and workers if the pool was closed."""
        return self._compiled.reset(env_id, seed)

    def async_reset(self, env_id: object = None, seed: object = None, /) -> None:
        """The same, without waiting."""
        self._compiled.async_reset(env_id, seed)

    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int, /
    ) -> NDArray[np.uint8]:
        """Frames, drawn by the workers."""
        if camera_id != -1:
            raise RenderError(
                f"render(camera_id={camera_id}) of {self._task_id}",
                str(camera_id),
                "-1: an environment written in Python has the camera that it was made with",
                "Leave camera_id out",
            )
        frames = [np.asarray(frame) for frame in self.call(_render, env_ids.tolist())]
        for env_id, frame in zip(env_ids, frames, strict=True):
            wanted = (height or frame.shape[0], width or frame.shape[1], 3)
            if frame.shape != wanted or frame.dtype != np.uint8 or frame.shape != frames[0].shape:
                raise RenderError(
                    f"render() of {self._task_id}, env {env_id}",
                    f"a frame of shape {frame.shape}, {frame.dtype}",
                    f"uint8 of shape {wanted}, as of all others in the call",
                    "Leave render_width and render_height out: the environment chooses its size",
                )
        return np.stack(frames)

    def call(
        self,
        function: Any,
        env_ids: Sequence[int],
        *args: Any,
        timeout: float | None = None,
        **kwargs: Any,
    ) -> list[Any]:
        """Calls `function(env, *args, **kwargs)` in the workers; returns one result for each id.

        Raises:
            StateError: If one of the environments is on its way, or the pool is closed.
            WorkerError: If a function raised.
            TimeoutError: If the time is over.
        """
        self._check_idle()
        results = []
        for env_id in env_ids:
            worker = self._office.worker_of(env_id)
            results.append(
                self._crew.call(
                    self._office.call, worker, "call", env_id, function, args, kwargs,
                    timeout=timeout,
                )
            )
        return results

    def _check_idle(self) -> None:
        if not self.closed and not self.num_in_flight:
            return
        raise StateError(
            f"a call of environments of {self._task_id}",
            "a closed pool" if self.closed else f"{self.num_in_flight} results on the way",
            "a pool that is open and has nothing on the way",
            "Call reset()" if self.closed else "Call recv() first",
        )

    def save_state(self, env_ids: NDArray[np.int32], /) -> list[bytes]:
        """Refused: what is in an environment written in Python is not known."""
        raise self._unsaved()

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32], /) -> None:
        """Refused, like `save_state`."""
        raise self._unsaved()

    def _unsaved(self) -> SavedStateError:
        return SavedStateError(
            f"save_state of {self._task_id}",
            "an environment that cannot be saved",
            "tasks whose environment has SaveState",
            "See `envpool info` for the tasks that can",
        )

    def close(self) -> None:
        """Ends the workers; their environments are closed first."""
        if self.closed:
            return
        self._compiled.close()
        self._crew.end()
        self._office.clear()


def _render(env: Any) -> Any:
    return env.render()


def _update(info: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(info.get(key), dict):
            _update(info[key], value)
        else:
            info[key] = value


__all__ = ["WorkerError", "WorkerPool"]
