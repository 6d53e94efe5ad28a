# SPDX-License-Identifier: Apache-2.0
"""OwnWorker: an environment that a user's function runs, as OpenRL's workers do.

    worker(index, env_fn, pipe, parent_pipe, shared_memory, error_queue, auto_reset)

The function is called in a thread of a worker process. It makes the environment, and answers the
messages of `pipe.recv()` by `pipe.send((result, True))`, until it is asked to close:

    ("reset", {"seed": ..., "options": ...})  observation, info; keys that are not given are absent
    ("step", action)                          observation, reward, terminated, truncated, info
    ("_call", (name, args, kwargs))           the method's result, or the attribute
    ("_setattr", (name, value))               None
    ("_func_exec", (func, None, args, kwargs))  the result of `func(env, *args, **kwargs)`
    ("close", None)                           None

If a call fails it calls `error_queue.put((index, type, exception))`, then `pipe.send((None,
False))`, and ends. If it has started an episode itself, it reports so like OpenRL, by
"final_observation" and "final_info" in the info. `shared_memory` is None: results are in the pool's
shared memory anyway, and `parent_pipe` may be closed.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium

from .._env_calls import call_method, get_attribute, set_attribute


class OwnWorker(gymnasium.Env[Any, Any]):
    """An environment behind a pipe to the thread of a worker function."""

    def __init__(
        self,
        worker: Callable[..., Any],
        index: int,
        env_fn: Callable[[], gymnasium.Env[Any, Any]],
        auto_reset: bool,
    ) -> None:
        """Starts the function.

        Args:
            worker: The function.
            index: The environment's id in the pool.
            env_fn: Makes the environment. It is also called once here, to get the spaces.
            auto_reset: True if the function starts the next episode after an end.
        """
        self._first = env_fn()
        self._first.close()
        self.observation_space = self._first.observation_space
        self.action_space = self._first.action_space
        self.metadata = self._first.metadata
        self.spec = self._first.spec
        self._worker, self._index, self._env_fn = worker, index, env_fn
        self._auto_reset = auto_reset
        self._start()

    def _start(self) -> None:
        self._next: tuple[Any, dict[str, Any]] | None = None
        self._errors: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._pipe, pipe = _Pipe.pair()
        ends = pipe, _Pipe.pair()[0]
        arguments = (self._index, self._env_fn, *ends, None, self._errors, self._auto_reset)

        def run() -> None:
            with contextlib.suppress(EOFError):  # this side is closed
                try:
                    self._worker(*arguments)
                finally:
                    pipe.close()

        threading.Thread(target=run, name=f"worker of env {self._index}", daemon=True).start()

    @property
    def unwrapped(self) -> gymnasium.Env[Any, Any]:
        """A closed environment of the kind, for its name."""
        return self._first.unwrapped

    def ask(self, command: str, data: Any) -> Any:
        """The function's answer.

        Raises:
            RuntimeError: If the function has ended.
            Exception: The exception that it reports.
        """
        self._pipe.send((command, data))
        try:
            result, good = self._pipe.recv()
        except EOFError:
            raise RuntimeError(f"the worker function ended, asked for {command!r}") from None
        if good:
            return result
        self._pipe.close()  # also if the function does not end
        try:
            _, kind, error = self._errors.get(timeout=1)
        except queue.Empty:
            message = f"the worker function failed at {command!r}, and did not say why"
            raise RuntimeError(message) from None
        raise error if isinstance(error, BaseException) else kind(error)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """The start of an episode: the episode that the function has begun, or a new one.

        A function that has ended is started again.
        """
        if self._pipe.is_cut:
            self._start()
        begun, self._next = self._next, None
        given = {"seed": seed, "options": options}
        given = {key: value for key, value in given.items() if value is not None}
        if begun is not None and not given:
            return begun
        obs, *info = self.ask("reset", given)
        return obs, info[0] if info else {}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """The function's answer; an episode's start in it is kept for `reset`."""
        obs, reward, terminated, *truncated, info = self.ask("step", action)
        if "final_observation" in info:
            rest = {key: value for key, value in info.items() if not key.startswith("final_")}
            self._next = obs, rest
            obs, info = info["final_observation"], info.get("final_info") or {}
        return obs, reward, terminated, truncated[0] if truncated else False, info

    def render(self) -> Any:
        """A frame."""
        return self.ask("_call", ("render", (), {}))

    def close(self) -> None:
        """Makes the function end."""
        with contextlib.suppress(Exception):
            self.ask("close", None)
        self._pipe.close()


def tell(
    env: OwnWorker, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """Calls `func` with the environment inside, by OpenRL's command for it."""
    if func is call_method:
        name, *rest = args
        return env.ask("_call", (name, tuple(rest), kwargs))
    if func is get_attribute:
        return env.ask("_call", (*args, (), {}))
    if func is set_attribute:
        return env.ask("_setattr", args)
    return env.ask("_func_exec", (func, None, args, kwargs))


class _Pipe:
    """One end of a pipe between threads, with the methods of `multiprocessing.Connection`."""

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed
        self._inbox: deque[Any] = deque()
        self._other: _Pipe = self
        self.closed = False

    @property
    def is_cut(self) -> bool:
        """True if either end is closed."""
        return self.closed or self._other.closed

    @classmethod
    def pair(cls) -> tuple[_Pipe, _Pipe]:
        """Both ends."""
        changed = threading.Condition()
        one, other = cls(changed), cls(changed)
        one._other, other._other = other, one
        return one, other

    def send(self, message: Any) -> None:
        with self._changed:
            self._other._inbox.append(message)
            self._changed.notify_all()

    def poll(self, timeout: float | None = 0.0) -> bool:
        with self._changed:
            return self._changed.wait_for(self._is_ready, timeout)

    def recv(self) -> Any:
        self.poll(None)
        with self._changed:
            if self._inbox:
                return self._inbox.popleft()
        raise EOFError

    def close(self) -> None:
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def _is_ready(self) -> bool:
        return bool(self._inbox) or self.is_cut
