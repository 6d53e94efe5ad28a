# SPDX-License-Identifier: Apache-2.0
"""PoolVecEnv: OpenRL's interface for any pool, native pools included."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from envpool.errors import ConfigError, RecvTimeoutError, StateError, WorkerError, shorten
from numpy.typing import NDArray

from .._env_calls import call_method, set_attribute
from .base_venv import AsyncState, BaseVecEnv, indices_of
from .errors import TimeoutError

Call = tuple[int, Callable[..., Any], tuple[Any, ...], Mapping[str, Any]]
"""For an environment: its id, a function that gets it first, arguments, and those by name."""


class PoolVecEnv(BaseVecEnv):
    """A pool with a row for each environment.

        env = PoolVecEnv(envpool.make("CartPole-v1", "vector", num_envs=8))

    Methods of single environments (`call`, `exec_func`, `get_attr`, `set_attr`) need environments
    written in Python, in a pool of `envpool_python`.

    Attributes:
        pool: The pool, of env_type "vector" or "gymnasium".
    """

    def __init__(self, pool: Any, render_mode: str | None = None) -> None:
        """Takes the pool over.

        Args:
            pool: The pool.
            render_mode: One of `metadata["render.modes"]`; None: the pool's.

        Raises:
            ConfigError: If the pool is asynchronous, or not a pool of these types.
        """
        self.pool = pool
        self._check(pool)
        spec = pool.spec
        super().__init__(
            len(pool),
            spec.observation_space,
            spec.action_space,
            render_mode or pool.render_mode,
            spec.options["autoreset_mode"] == "same_step",
        )

    @staticmethod
    def _check(pool: Any) -> None:
        kind = getattr(pool, "env_type", None)
        if kind not in ("vector", "gymnasium") or pool.is_async:
            raise ConfigError(
                f"PoolVecEnv({pool})",
                "an asynchronous pool" if kind else "no pool",
                "pools of env_type 'vector' or 'gymnasium' whose batch_size is num_envs",
                "Make the pool with env_type='vector'",
            )
        mode = pool.spec.options["autoreset_mode"]
        if mode == "next_step":
            raise ConfigError(
                f"PoolVecEnv({pool})",
                "autoreset_mode='next_step'",
                "'same_step', which OpenRL calls auto_reset=True, or 'disabled'",
                "Make the pool with autoreset_mode='same_step'",
            )

    @property
    def env_name(self) -> str:
        """The id of the task."""
        return str(self.pool.spec.id)

    @property
    def agent_num(self) -> int:
        """Maximum number of players of an environment."""
        return int(self.pool.spec.options["max_num_players"])

    def reset_send(
        self,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Starts an episode in all environments and returns at once.

        Raises:
            AlreadyPendingCallError: If a call was sent and not fetched.
            ClosedEnvironmentError: After `close()`.
            ConfigError: If there are options, and the environments take none.
        """
        self._require(AsyncState.DEFAULT, "reset_send")
        if options:
            known = self.pool.compiled.reset_options  # None: any
            if known is not None and not options.keys() <= {*known}:
                raise ConfigError(
                    f"reset_send(options={shorten(options)}) of {self.env_name}",
                    ", ".join(repr(name) for name in options if name not in known),
                    ", ".join(map(repr, known)) or "no options",
                    "Leave the others out, or pass them to make()",
                )
            while self.pool.compiled.num_in_flight:  # a cancelled step
                with contextlib.suppress(WorkerError):
                    self.pool.recv()
            self.pool.compiled.set_reset_options(None, options)
        self.pool.async_reset(seed=self._take_seeds(seed))
        self._state = AsyncState.WAITING_RESET

    def reset_fetch(self, timeout: float | None = None) -> tuple[Any, list[dict[str, Any]]]:
        """Waits for the reset that `reset_send` started.

        Raises:
            NoAsyncCallError: If `reset_send` was not called.
            ClosedEnvironmentError: After `close()`.
            TimeoutError: After `timeout` seconds; it may be called again.
            WorkerError: If an environment failed.
        """
        self._require(AsyncState.WAITING_RESET, "reset_fetch")
        obs, info = self._recv("reset_fetch", timeout, reset=True)
        return obs, self._listed(info)

    def step_send(self, actions: Any) -> None:
        """Sends actions and returns at once.

        Raises:
            AlreadyPendingCallError: If a call was sent and not fetched.
            ClosedEnvironmentError: After `close()`.
            ActionError: If they are not actions of these environments.
        """
        self._require(AsyncState.DEFAULT, "step_send")
        self.pool.send(actions)
        self._state = AsyncState.WAITING_STEP

    def step_fetch(
        self, timeout: float | None = None
    ) -> tuple[
        Any,
        NDArray[np.floating[Any]],
        NDArray[np.bool_],
        NDArray[np.bool_],
        list[dict[str, Any]],
    ]:
        """Waits for the step that `step_send` started.

        Raises:
            NoAsyncCallError: If `step_send` was not called.
            ClosedEnvironmentError: After `close()`.
            TimeoutError: After `timeout` seconds; it may be called again.
            WorkerError: If an environment failed.
        """
        self._require(AsyncState.WAITING_STEP, "step_fetch")
        obs, rewards, terminated, truncated, info = self._recv("step_fetch", timeout)
        return obs, rewards, terminated, truncated, self._listed(info)

    def _recv(self, asked: str, timeout: float | None, reset: bool = False) -> Any:
        try:
            result = self.pool.recv(reset=reset, timeout=timeout)
        except RecvTimeoutError as error:
            raise self._late(asked, timeout) from error
        except WorkerError:
            self._state = AsyncState.DEFAULT
            raise
        self._state = AsyncState.DEFAULT
        return result

    def _late(self, asked: str, timeout: float | None) -> TimeoutError:
        return TimeoutError(
            f"{asked}(timeout={timeout}) of {self.env_name}",
            "environments that are not ready yet",
            "any time, or None to wait for as long as it takes",
            f"Call {asked}() again: nothing was lost",
        )

    def _listed(self, info: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The info of a batch as one dict per environment, with OpenRL's names for final values."""
        listed: list[dict[str, Any]] = [{} for _ in range(self.parallel_env_num)]
        final = {key: info[key] for key in ("final_obs", "final_info") if key in info}
        _spread({key: value for key, value in info.items() if "final_" not in key}, listed)
        if not final:
            return listed
        ended = np.flatnonzero(info["_final_obs"])
        last: list[dict[str, Any]] = [{} for _ in listed]
        _spread(final["final_info"], last)
        for row in ended:
            listed[row]["final_observation"] = _row(final["final_obs"], int(row))
            listed[row]["final_info"] = last[row]
        return listed

    def call_send(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Starts a call of a method of all environments, or requests an attribute.

        Raises:
            AlreadyPendingCallError: If a call was sent and not fetched.
            ClosedEnvironmentError: After `close()`.
        """
        ids = range(self.parallel_env_num)
        self._send_calls("call_send", [(i, call_method, (name, *args), kwargs) for i in ids])

    def call_fetch(self, timeout: float | None = None) -> list[Any]:
        """Waits for the call that `call_send` started.

        Raises:
            NoAsyncCallError: If `call_send` was not called.
            TimeoutError: After `timeout` seconds; it may be called again.
            WorkerError: If a method raised.
        """
        return self._fetch_calls("call_fetch", timeout)

    def exec_func_send(
        self,
        func: Callable[..., Any],
        indices: int | Iterable[int] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Starts calls of a function, whose first argument is the environment.

        Raises:
            AlreadyPendingCallError: If a call was sent and not fetched.
            ClosedEnvironmentError: After `close()`.
            IndexError: If an index is out of range.
        """
        self._require(AsyncState.DEFAULT, "exec_func_send")
        ids = indices_of(indices, self.parallel_env_num)
        self._send_calls("exec_func_send", [(i, func, args, kwargs) for i in ids])

    def exec_func_fetch(self, timeout: float | None = None) -> list[Any]:
        """Waits for the calls that `exec_func_send` started; errors are those of `call_fetch`."""
        return self._fetch_calls("exec_func_fetch", timeout)

    def _send_calls(self, asked: str, calls: list[Call]) -> None:
        self._require(AsyncState.DEFAULT, asked)
        self._workers(asked).call_send(calls)
        self._state = AsyncState.WAITING_CALL

    def _fetch_calls(self, asked: str, timeout: float | None) -> list[Any]:
        self._require(AsyncState.WAITING_CALL, asked)
        try:
            results: list[Any] = self._workers(asked).call_fetch(timeout)
        except WorkerError:
            self._state = AsyncState.DEFAULT
            raise
        except OSError as error:  # Python's TimeoutError
            raise self._late(asked, timeout) from error
        self._state = AsyncState.DEFAULT
        return results

    def _workers(self, asked: str) -> Any:
        """The interface to the workers of a pool of `envpool_python`."""
        compiled = self.pool.compiled
        if hasattr(compiled, "call_send"):
            return compiled
        raise StateError(
            f"{asked}() of {self.env_name}",
            "environments that are not written in Python",
            "pools of envpool_python",
            "Make the pool of functions, with envpool_python.make or AsyncVectorEnv",
        )

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each environment.

        Raises:
            ValueError: If the length of a list or tuple is not the number of environments.
            AlreadyPendingCallError: If a call was sent and not fetched.
        """
        pairs = enumerate(self._values(values))
        self._send_calls("set_attr", [(i, set_attribute, (name, value), {}) for i, value in pairs])
        self._fetch_calls("set_attr", None)

    def _frames(self, count: int) -> Any:
        frames = self.pool.render(list(range(count)))
        return [None] if frames is None else frames

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Closes the pool.

        Args:
            timeout: Seconds for a pending call; None: no limit. Afterwards the workers are killed.
            terminate: True to wait for nothing.

        Raises:
            TimeoutError: If the timeout passed; everything is closed nevertheless.
        """
        late: Exception | None = None
        if not terminate and self._state is not AsyncState.DEFAULT:
            try:
                if self._state is AsyncState.WAITING_CALL:
                    self._workers("close").call_fetch(timeout)
                else:
                    self.pool.recv(timeout=timeout)
            except (RecvTimeoutError, OSError) as error:
                late = error
            except WorkerError:
                pass  # its results are not needed
        self._state = AsyncState.DEFAULT
        compiled = self.pool.compiled
        if (terminate or late is not None) and hasattr(compiled, "terminate"):
            compiled.terminate()
        self.pool.close()
        if late is not None:
            raise self._late("close", timeout) from late


def _spread(info: Mapping[str, Any], rows: list[dict[str, Any]]) -> None:
    """Copies the values of a batch's info into the infos of the rows that its masks name."""
    masks = {f"_{key}" for key in info}
    for key, values in info.items():
        mask = info.get(f"_{key}")
        if key in masks:
            continue
        has = range(len(rows)) if mask is None else np.flatnonzero(mask)
        if isinstance(values, Mapping):
            inner: list[dict[str, Any]] = [{} for _ in rows]
            _spread(values, inner)
            for row in has:
                rows[row][key] = inner[row]
        else:
            for row in has:
                rows[row][key] = values[row]


def _row(batch: Any, row: int) -> Any:
    """One row of a batch of observations."""
    if isinstance(batch, Mapping):
        return {key: _row(value, row) for key, value in batch.items()}
    return batch[row]
