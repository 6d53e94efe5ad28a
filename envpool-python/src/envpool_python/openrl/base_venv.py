# SPDX-License-Identifier: Apache-2.0
"""BaseVecEnv: the methods of every vectorized environment of this interface."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from envpool.errors import ConfigError, RenderError, suggest
from envpool.viewer import Viewer
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .._env_calls import get_attribute
from .errors import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError


class AsyncState(enum.Enum):
    """The call that was sent and not yet fetched."""

    DEFAULT = "default"
    WAITING_RESET = "reset"
    WAITING_STEP = "step"
    WAITING_CALL = "call"


class BaseVecEnv(ABC):
    """A number of environments, with results in batches and infos in lists.

    Attributes:
        parallel_env_num: Number of environments.
        observation_space: Of one environment.
        action_space: Of one environment.
        render_mode: As in Gymnasium.
        auto_reset: True if an environment whose episode has ended starts the next one in the same
            step; its info then has "final_observation" and "final_info".
        closed: True once `close` was called.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render.modes": [
            "human",
            "rgb_array",
            "group_human",
            "group_rgb_array",
            "single_human",
            "single_rgb_array",
        ]
    }
    closed = False

    def __init__(
        self,
        parallel_env_num: int,
        observation_space: gymnasium.Space[Any],
        action_space: gymnasium.Space[Any],
        render_mode: str | None = None,
        auto_reset: bool = True,
    ) -> None:
        """Keeps the arguments.

        Raises:
            ConfigError: If the render_mode is not in `metadata["render.modes"]`.
        """
        modes = self.metadata["render.modes"]
        if render_mode not in (None, *modes):
            raise ConfigError(
                f"{type(self).__name__}(render_mode={render_mode!r})",
                repr(render_mode),
                ", ".join(map(repr, (None, *modes))),
                suggest(render_mode, modes, "Pass one of these"),
            )
        self._state = AsyncState.DEFAULT
        self._viewer: Viewer | None = None
        self.parallel_env_num = parallel_env_num
        self.observation_space = observation_space
        self.action_space = action_space
        self.render_mode = render_mode
        self.auto_reset = auto_reset

    @property
    @abstractmethod
    def env_name(self) -> str:
        """The name of the environment, as "CartPole-v1"."""

    @property
    @abstractmethod
    def agent_num(self) -> int:
        """Number of agents in one environment."""

    @property
    def unwrapped(self) -> BaseVecEnv:
        """The environment inside all wrappers; without wrappers, this environment."""
        return self

    def reset(
        self,
        *,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Starts an episode in all environments; a step in flight is cancelled.

        Args:
            seed: An int gives environment i the seed `seed + i`; a list has one for each.
            options: As in Gymnasium.

        Returns:
            Batched observations, and an info for each environment.
        """
        if self._state is AsyncState.WAITING_STEP:
            self._state = AsyncState.DEFAULT
        self.reset_send(seed=seed, options=options)
        return self.reset_fetch()

    @abstractmethod
    def reset_send(
        self,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """The first half of `reset`."""

    @abstractmethod
    def reset_fetch(self, timeout: float | None = None) -> tuple[Any, list[dict[str, Any]]]:
        """The second half of `reset`."""

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.floating[Any]], NDArray[np.bool_], list[dict[str, Any]]]:
        """Takes a step in all environments.

        Args:
            actions: One for each environment.

        Returns:
            Batched observations, rewards, whether episodes are over (each info tells terminated
            from truncated), and an info for each environment.
        """
        self.step_send(actions)
        obs, rewards, terminated, truncated, infos = self.step_fetch()
        for i in np.flatnonzero(truncated):
            infos[i].setdefault("TimeLimit.truncated", not terminated[i])
        return obs, rewards, terminated | truncated, infos

    @abstractmethod
    def step_send(self, actions: Any) -> None:
        """The first half of `step`."""

    @abstractmethod
    def step_fetch(
        self, timeout: float | None = None
    ) -> tuple[
        Any,
        NDArray[np.floating[Any]],
        NDArray[np.bool_],
        NDArray[np.bool_],
        list[dict[str, Any]],
    ]:
        """The second half of `step`: observations, rewards, terminated, truncated, infos."""

    def call(self, name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Calls a method of each environment, or returns an attribute; a list of results."""
        self.call_send(name, *args, **kwargs)
        return self.call_fetch()

    @abstractmethod
    def call_send(self, name: str, *args: Any, **kwargs: Any) -> None:
        """The first half of `call`."""

    @abstractmethod
    def call_fetch(self, timeout: float | None = None) -> list[Any]:
        """The second half of `call`."""

    def exec_func(
        self,
        func: Callable[..., Any],
        indices: int | Iterable[int] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Sequence[Any]:
        """Calls `func(env, *args, **kwargs)` for environments; a list of results.

        Args:
            func: A function that runs in the process of the environment.
            indices: The environments; None: all.
            *args: Arguments after the environment.
            **kwargs: Arguments by name.
        """
        self.exec_func_send(func, indices, *args, **kwargs)
        return self.exec_func_fetch()

    @abstractmethod
    def exec_func_send(
        self,
        func: Callable[..., Any],
        indices: int | Iterable[int] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """The first half of `exec_func`."""

    @abstractmethod
    def exec_func_fetch(self, timeout: float | None = None) -> list[Any]:
        """The second half of `exec_func`."""

    def get_attr(self, name: str) -> list[Any]:
        """An attribute of each environment."""
        return list(self.exec_func(get_attribute, None, name))

    @abstractmethod
    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each environment: to one value, or to the values of a list or tuple.

        Raises:
            ValueError: If the length of a list or tuple is not the number of environments.
            AlreadyPendingCallError: If a call was sent and not fetched.
        """

    def _values(self, values: Any) -> list[Any]:
        """One value for each environment."""
        if not isinstance(values, (list, tuple)):
            return [values] * self.parallel_env_num
        if len(values) != self.parallel_env_num:
            raise ValueError(
                f"set_attr(values=...): got {len(values)} values; allowed: one for each of the "
                f"{self.parallel_env_num} environments, or one that is no list or tuple. "
                f"Pass a list of them."
            )
        return list(values)

    def env_is_wrapped(
        self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """True for environments that are wrapped by a class, at any depth."""
        return list(self.exec_func(_is_wrapped, indices, wrapper_class))

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Sets the seeds that the next reset uses.

        Args:
            seed: An int gives environment i the seed `seed + i`; a sequence has one for each;
                None: their default seeds.

        Returns:
            The seed of each environment.

        Raises:
            ConfigError: If the length of a sequence is not the number of environments.
        """
        seeds = self._next_seeds = self._seeds(seed)
        return [None] * self.parallel_env_num if seeds is None else [*seeds]

    _next_seeds: list[int] | None = None

    def _seeds(self, seed: int | Sequence[int] | None) -> list[int] | None:
        """A seed for each environment; None: no seeds."""
        if seed is None:
            return None
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + i for i in range(self.parallel_env_num)]
        if len(seed) != self.parallel_env_num:
            raise ConfigError(
                f"seed={seed}",
                f"{len(seed)} seeds",
                f"an int, or a list of {self.parallel_env_num}",
                "Pass one seed for each environment",
            )
        return [int(one) for one in seed]

    def _take_seeds(self, seed: int | Sequence[int] | None) -> list[int] | None:
        """The seeds of a reset: its own, or the seeds that `seed` set."""
        seeds = self._next_seeds if seed is None else self._seeds(seed)
        self._next_seeds = None
        return seeds

    def random_action(self, infos: list[dict[str, Any]] | None = None) -> Any:
        """A batch of random actions.

        Args:
            infos: The infos of the last step: if an info has "action_masks" (1 for allowed
            actions), the action of that environment is an allowed action.
        """
        if infos is None or not isinstance(self.action_space, spaces.Discrete):
            if not hasattr(self, "_action_batch"):
                self._action_batch = batch_space(self.action_space, self.parallel_env_num)
            return self._action_batch.sample()
        actions = []
        for info in infos:
            mask = info.get("action_masks")
            mask = None if mask is None else np.asarray(mask, np.int8).reshape(-1)
            actions.append(self.action_space.sample(mask))
        return np.asarray(actions, self.action_space.dtype)

    def render(self, mode: str | None = None) -> Any:
        """Draws the environments.

        Args:
            mode: "rgb_array" (or "single_rgb_array"): a frame of the first environment;
                "group_rgb_array": of all, in a grid; "human", "single_human",
                "group_human": the same in a window; None: `render_mode`.

        Returns:
            uint8 array of shape (height, width, 3); None if it is shown in a window.

        Raises:
            RenderError: If the mode is unknown, or the environments were made without one.
        """
        self._require(AsyncState.DEFAULT, "render")
        mode = mode or self.render_mode or "rgb_array"
        if mode not in self.metadata["render.modes"]:
            raise RenderError(
                f"render({mode!r}) of {self.env_name}",
                repr(mode),
                ", ".join(map(repr, self.metadata["render.modes"])),
                "Pass one of these",
            )
        frames = self._frames(self.parallel_env_num if mode.startswith("group") else 1)
        if any(frame is None for frame in frames):  # the environments have their own windows
            return None
        frame = tile(frames) if mode.startswith("group") else frames[0]
        if not mode.endswith("human"):
            return frame
        if self._viewer is None:
            self._viewer = Viewer(f"{self.env_name} ({id(self):x})")
        self._viewer.show(frame)
        return None

    @abstractmethod
    def _frames(self, count: int) -> Sequence[Any]:
        """A frame of each of the first `count` environments; None if it shows its own window."""

    def close(self, **kwargs: Any) -> None:
        """Closes the environments, once; arguments are those of `close_extras`."""
        if self.closed:
            return
        if self._viewer is not None:
            self._viewer.close()
        self.closed = True  # also if closing fails
        self.close_extras(**kwargs)

    @abstractmethod
    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Closes the environments and frees their resources."""

    def _require(self, wanted: AsyncState, asked: str) -> None:
        """Raises the documented error if it is closed or not in this state."""
        if self.closed:
            raise ClosedEnvironmentError(
                f"{asked}() of {self.env_name}",
                "an environment that was closed",
                "calls before close()",
                "Make a new one",
            )
        if self._state is wanted:
            return
        if wanted is AsyncState.DEFAULT:
            pending = self._state.value
            raise AlreadyPendingCallError(
                f"{asked}() of {self.env_name}",
                f"a pending {pending}",
                "calls when all results were fetched",
                f"Call {pending}_fetch() first",
                name=pending,
            )
        raise NoAsyncCallError(
            f"{asked}() of {self.env_name}",
            f"no pending {wanted.value}",
            f"calls after {wanted.value}_send()",
            f"Call {wanted.value}_send() first",
            name=wanted.value,
        )

    def __len__(self) -> int:
        """Number of environments."""
        return self.parallel_env_num


def indices_of(indices: int | Iterable[int] | None, count: int) -> list[int]:
    """A list of ids from any way to name environments.

    Raises:
        IndexError: If an id is not below `count`.
    """
    if indices is None:
        return list(range(count))
    named = [int(indices)] if isinstance(indices, (int, np.integer)) else [int(i) for i in indices]
    for index in named:
        if not 0 <= index < count:
            raise IndexError(f"indices={indices}: got {index}; allowed: 0 .. {count - 1}")
    return named


def check_spaces(asked: str, env: Any, observation_space: Any, action_space: Any) -> None:
    """Raises ConfigError if spaces of `env` are not the expected ones; None: any."""
    wanted = {"observation_space": observation_space, "action_space": action_space}
    for name, space in wanted.items():
        found = getattr(env, name)
        if space is None or space == found:
            continue
        raise ConfigError(
            f"{asked}({name}={space})",
            f"an environment that has {found}",
            "environments whose spaces are alike, and their own space or None as an argument",
            f"Leave {name} out, or bring the environments together with a wrapper",
        )


def tile(frames: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Frames of one size in a grid, about as wide as high."""
    columns = int(np.ceil(np.sqrt(len(frames))))
    rows = -(-len(frames) // columns)
    height, width, depth = frames[0].shape
    grid = np.zeros((rows * height, columns * width, depth), frames[0].dtype)
    for i, frame in enumerate(frames):
        y, x = divmod(i, columns)
        grid[y * height : (y + 1) * height, x * width : (x + 1) * width] = frame
    return grid


def _is_wrapped(env: Any, wrapper_class: type[Any]) -> bool:
    while True:
        if isinstance(env, wrapper_class):
            return True
        inner = vars(env).get("env")
        if inner is None:
            return False
        env = inner
