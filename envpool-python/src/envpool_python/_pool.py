# SPDX-License-Identifier: Apache-2.0
"""WorkerPool: the compiled pool of environments in worker processes, and these processes.

Steps go directly to the compiled side, unless an action has several arrays. This class fetches
frames, calls functions in the workers, and ends the processes with the pool.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from envpool.errors import ActionError, ConfigError, RenderError, StateError, WorkerError, shorten
from envpool.pool_backend import PoolBackend
from envpool.progress import Progress
from gymnasium import spaces
from numpy.typing import NDArray

from ._messages import EnvDescription, pickled
from ._results import Results
from ._spaces import ID_KEYS, arrays_of, leaves_of
from ._values import BadValueError, shown
from ._worker_processes import CLOSE_TIMEOUT, WorkerProcesses


class WorkerPool(PoolBackend):
    """A pool whose environments are in worker processes."""

    def __init__(
        self,
        compiled: Any,
        workers: WorkerProcesses,
        endpoint: Any,
        layout: Any,
        memory: int,
        description: EnvDescription,
        config: Mapping[str, Any],
        task_id: str,
        num_workers: int,
    ) -> None:
        """Waits until all workers have built their environments.

        Args:
            compiled: The pool of slots in shared memory.
            workers: The processes, which have been told to build.
            endpoint: The parent's end of the shared memory.
            layout: The layout of a slot.
            memory: The file of the shared memory.
            description: The description of an environment.
            config: All options of the pool.
            task_id: For messages.
            num_workers: Number of workers.

        Raises:
            WorkerError: If a worker could not build one.
        """
        self._compiled = compiled
        self.workers = workers
        self._endpoint = endpoint
        self._memory = memory
        self._task_id = task_id
        self.num_envs: int = config["num_envs"]
        self._batch_size: int = config["batch_size"] or self.num_envs
        self.num_workers = num_workers
        self._is_text = config["render_mode"] == "ansi"
        self.description = description
        self._actions = leaves_of(description.action_space, task_id)
        self._results = Results(endpoint, layout, memory, description.observation_space)
        plain = not isinstance(description.action_space, (spaces.Tuple, spaces.Dict, spaces.Text))
        self._finalizer = weakref.finalize(self, workers.close)
        # Bound once: a step calls the compiled side directly.
        self.__dict__["send"] = compiled.send if plain else self._send
        self.__dict__["step"] = compiled.step if plain else self._step
        # States are refused: the state of an environment written in Python is unknown.
        for name in ("recv", "reset", "async_reset", "save_state", "load_state"):
            self.__dict__[name] = getattr(compiled, name)
        self._await_workers()
        self.observation_spaces: list[Any] = []  # of all environments, if they differ
        for worker in range(num_workers):
            endpoint.set_process(worker, workers.workers[worker].pidfd)
            self.observation_spaces += workers.workers[worker].spaces

    def _await_workers(self) -> None:
        with Progress(f"Workers of {self._task_id}", self.num_workers) as progress:
            for worker in range(self.num_workers):
                progress.show(worker)
                while not self.workers.is_ready(worker, 0.1):
                    progress.show(worker)

    @property
    def task_id(self) -> str:
        """The task's id, for messages."""
        return self._task_id

    @property
    def reset_options(self) -> None:
        """None: any options are allowed, and passed to the environment's `reset`."""

    @property
    def closed(self) -> bool:
        """True if it is closed."""
        return bool(self._compiled.closed)

    @property
    def num_threads(self) -> int:
        """The number of workers, which is the number of environments that step at a time."""
        return self.num_workers

    @property
    def num_in_flight(self) -> int:
        """The number of environments in flight."""
        return int(self._compiled.num_in_flight)

    def set_reset_options(
        self, env_ids: NDArray[np.int32] | None, options: Mapping[str, Any] | None
    ) -> None:
        """Sets the `options` of the next reset of environments.

        Args:
            env_ids: The environments; None: all.
            options: Anything that can be pickled; None: no options.

        Raises:
            ConfigError: If they cannot be pickled.
            StateError: If environments are in flight.
        """
        if options is not None and not isinstance(options, Mapping):
            raise ConfigError(
                f"reset(options={shorten(options)}) of {self._task_id}",
                f"a {type(options).__name__}",
                "a dict, or None",
                "Pass options={'name': value}",
            )
        if options is not None and self.num_in_flight:
            raise StateError(
                f"reset(options={shorten(options)}) of {self._task_id}",
                f"{self.num_in_flight} results in flight",
                "options where nothing is in flight",
                "Call recv() first",
            )
        data = b"" if options is None else pickled(options, self._task_id, "an option")
        for env_id in range(self.num_envs) if env_ids is None else env_ids.tolist():
            os.pwrite(self._memory, data, self._endpoint.options_at(env_id))
            self._endpoint.set_options(env_id, len(data))

    def set_result_layouts(self, step: object, reset: object) -> None:
        """Sets the results' layouts; infos, and observations without arrays, are added."""
        results = self._results
        self._compiled.set_result_layouts(results.completed(step), results.completed(reset))

    def set_result_arrays(self, arrays: object) -> None:
        """Sets the memory of the next results, see `PoolBackend`."""
        self._compiled.set_result_arrays(arrays)

    def _send(self, action: Any, env_id: Any = None, /) -> None:
        self._compiled.send(*self._flat(action, env_id))

    def _step(self, action: Any, env_id: Any = None, /) -> Any:
        return self._compiled.step(*self._flat(action, env_id))

    def _flat(self, action: Any, env_id: Any) -> tuple[Any, Any]:
        """Converts an action of several arrays to a dict of arrays."""
        given = {}
        if isinstance(action, Mapping):
            given = {key: value for key, value in action.items() if key in ID_KEYS}
        ids = given.get("env_id") if env_id is None else env_id
        if self._actions[0].is_empty:
            count = self._batch_size if ids is None else np.size(ids)
            return {"action": np.zeros(count, np.uint8), **given}, env_id
        known = [] if ids is None or np.ndim(ids) != 1 else np.asarray(ids).tolist()
        if ids is None and self._batch_size == self.num_envs:
            known = list(range(self.num_envs))
        try:
            arrays = arrays_of(self._actions, action, known)
        except BadValueError as cause:
            raise ActionError(
                f"an action of {self._task_id}: {cause.name}", cause.got, cause.allowed, cause.cure
            ) from None
        flat = {
            leaf.name or "action": value
            for leaf, value in zip(self._actions, arrays, strict=True)
            if value is not None
        }
        return flat | given, env_id

    def render_text(self, env_ids: NDArray[np.int32]) -> list[str]:
        """Texts, drawn by the workers."""
        texts: list[str] = self.render(env_ids, 0, 0, -1)
        return texts

    def render(
        self,
        env_ids: NDArray[np.int32],
        width: int,
        height: int,
        camera_id: int,
        depth: bool = False,
    ) -> Any:
        """Frames, drawn by the workers; texts, with render_mode "ansi"."""
        if camera_id != -1:
            raise RenderError(
                f"render(camera_id={camera_id}) of {self._task_id}",
                str(camera_id),
                "-1: an environment written in Python has the camera that it was made with",
                "Leave camera_id out",
            )
        if len(env_ids) == 0:
            raise RenderError(
                f"render() of {self._task_id}", "no env ids", "at least one id", "Pass env_ids"
            )
        self._compiled.check_drawable(env_ids)
        try:
            frames = self.call(_render, env_ids.tolist())
        except WorkerError as cause:
            raise RenderError(
                f"render() of {self._task_id}", cause.got, "environments that draw", cause.hint
            ) from cause
        if self._is_text:
            for env_id, frame in zip(env_ids, frames, strict=True):
                if not isinstance(frame, str):
                    raise RenderError(
                        f"render() of {self._task_id}, env {env_id}",
                        shown(frame),
                        "a str, since render_mode='ansi'",
                        "Make the environment with render_mode='ansi', too",
                    )
            return frames
        first = np.shape(frames[0]) if isinstance(frames[0], np.ndarray) else ()
        wanted = (height, width, 3)
        if len(first) == 3:
            wanted = (height or first[0], width or first[1], 3)
        for env_id, frame in zip(env_ids, frames, strict=True):
            is_frame = isinstance(frame, np.ndarray) and frame.dtype == np.uint8
            if not is_frame or frame.shape != wanted:
                raise RenderError(
                    f"render() of {self._task_id}, env {env_id}",
                    shown(frame),
                    f"uint8 of shape {wanted}, as of all others in the call",
                    "Have it return such an array, and leave render_width and render_height out: "
                    "the environment chooses its size",
                )
        return np.stack(frames)

    def call(  # type: ignore[override]  # of functions
        self, function: Any, env_ids: Sequence[int], *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Calls `function(env, *args, **kwargs)` in the workers; returns a result for each id.

        Raises:
            ConfigError: If the function or an argument cannot be pickled.
            StateError: If an environment is in flight, or the pool is closed.
            WorkerError: If a function raised.
        """
        self.call_send([(env_id, function, args, kwargs) for env_id in env_ids])
        return self.call_fetch()

    def call_send(self, calls: Sequence[tuple[int, Any, Sequence[Any], Mapping[str, Any]]]) -> None:
        """Starts calls, each `(env_id, function, args, kwargs)`, and returns at once."""
        self._check_idle()
        of_worker: dict[int, list[Any]] = {}
        for call in calls:
            of_worker.setdefault(self._endpoint.worker_of(call[0]), []).append(call)
        self.workers.begin_calls()
        # Pickles before any worker is asked: an error must not leave a worker waiting.
        messages = {worker: self.workers.pack_calls(its) for worker, its in of_worker.items()}
        self._called = [call[0] for call in calls]
        self._answers: dict[int, list[Any]] = {}
        self._unanswered = {worker: [c[0] for c in its] for worker, its in of_worker.items()}
        for worker, message in messages.items():
            self.workers.wait_ready(worker)
            self._endpoint.post_control_message(worker)
            self.workers.post_calls(worker, message)

    def call_fetch(self, timeout: float | None = None) -> list[Any]:
        """The results of the calls, in order.

        Raises:
            TimeoutError: After the timeout; call it again to continue waiting.
            WorkerError: If a function raised.
        """
        until = None if timeout is None else time.monotonic() + timeout
        problem = None
        while self._unanswered:
            worker, env_ids = next(iter(self._unanswered.items()))
            left = None if until is None else max(0.0, until - time.monotonic())
            try:
                answers = self.workers.fetch_calls(worker, env_ids[0], left)
                self._answers |= dict(zip(env_ids, answers, strict=True))
            except WorkerError as error:
                problem = problem or error  # the other workers' replies are still read
            del self._unanswered[worker]
        if problem is not None:
            raise problem
        return [self._answers[env_id] for env_id in self._called]

    def _check_idle(self) -> None:
        if not self.closed and not self.num_in_flight:
            return
        raise StateError(
            f"a call of environments of {self._task_id}",
            "a closed pool" if self.closed else f"{self.num_in_flight} results in flight",
            "a pool that is open and has nothing in flight",
            "Call reset()" if self.closed else "Call recv() first",
        )

    def terminate(self) -> None:
        """Ends the workers at once."""
        self.workers.kill()

    def close(self, close_timeout: float = CLOSE_TIMEOUT) -> None:
        """Ends the workers; their environments may close first, for `close_timeout` seconds."""
        if self.closed and not self.workers.workers:
            return
        try:
            self._compiled.close()
        finally:
            self._end_workers(close_timeout)

    def _end_workers(self, close_timeout: float) -> None:
        """Ends the workers, also if Ctrl-C comes meanwhile: a reset starts new workers."""
        try:
            self.workers.end(close_timeout)
        except BaseException:
            self.workers.end(0.0)
            raise
        finally:
            self._endpoint.clear()


def _render(env: Any) -> Any:
    return env.render()
