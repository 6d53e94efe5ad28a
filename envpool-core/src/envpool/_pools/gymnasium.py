# SPDX-License-Identifier: Apache-2.0
"""GymnasiumPool: EnvPool's own interface, both a `gymnasium.Env` and a VectorEnv."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast, overload

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from .._specs.spec import EnvSpec
from .._upstream.old_options import one_of
from ..errors import ConfigError, shorten
from ..family import RENDER_FPS
from ..typing import GymnasiumReset, GymnasiumStep
from .base import EnvIds, EnvPoolMixin, Seeds, flatten, render_modes
from .result_layouts import gymnasium_layouts

if TYPE_CHECKING:
    AnyVectorEnv: TypeAlias = VectorEnv[Any, Any, Any]
else:
    AnyVectorEnv = VectorEnv  # it has no parameters before Gymnasium 1.0

_FOR_LONE_ENVIRONMENTS = (
    "stable_baselines3.common.monitor",
    "stable_baselines3.common.vec_env.dummy_vec_env",
)
"""The modules of Stable-Baselines3 that reset one environment."""


class GymnasiumPool(  # type: ignore[misc, override]
    EnvPoolMixin, AnyVectorEnv, gymnasium.Env[Any, Any]
):
    """A pool with the spaces of *one* environment and results for any number of them.

    It is an instance of `gymnasium.Env` and of `gymnasium.vector.VectorEnv`, because libraries ask
    for either. Where the two differ, EnvPool's documentation decides.

    Every result has one row per environment, in the order of the given ids, or in
    the order in which environments finished if the pool is asynchronous; `info["env_id"]` has the
    ids. All arrays are new, writable, and stay as they are.

    Attributes:
        observation_space: The space of one environment's observation.
        action_space: The space of one environment's action.
        single_observation_space: The same as `observation_space`.
        single_action_space: The same as `action_space`.
        is_vector_env: True.
        metadata: "render_modes", "render_fps" and "autoreset_mode".

    All attributes may be set, because libraries do; the pool itself does not look at them.
    """

    env_type: ClassVar[str] = "gymnasium"

    def __init__(self, spec: EnvSpec) -> None:
        """Builds the environments; see `EnvPoolMixin`."""
        super().__init__(spec)
        self.observation_space = self.single_observation_space = spec.observation_space
        self.action_space = self.single_action_space = spec.action_space
        self.is_vector_env = True
        self.metadata = pool_metadata(spec)
        self._replace_step(GymnasiumPool.step, self._compiled.step)

    def _layouts(self, names: Sequence[str], same_step: bool) -> tuple[Any, Any]:
        return gymnasium_layouts(names, same_step)

    def step(  # type: ignore[override]
        self, action: Any, env_id: EnvIds | None = None
    ) -> GymnasiumStep:
        """Sends actions and waits for a batch of results: `send` and `recv` in one.

        Args:
            action: As in `send`.
            env_id: As in `send`.

        Returns:
            `(observation, reward, terminated, truncated, info)`, arrays with one row per
            environment: reward float32, terminated and truncated bool. The info is a dict that has
            "env_id", "players", "elapsed_step" and the family's own keys.

        Raises:
            ActionError: If a key is missing, or a shape, dtype or value is wrong.
            EnvIdError: If an id is out of range, given twice or in flight.
            StateError: If the pool is closed.
            WorkerError: If an environment failed; the results of the others are kept for `recv`.
        """
        action = flatten(action) if isinstance(action, dict) else action
        return cast(GymnasiumStep, self._compiled_step(action, env_id))

    @overload
    def recv(
        self, reset: Literal[False] = ..., return_info: bool = ..., timeout: float | None = ...
    ) -> GymnasiumStep: ...
    @overload
    def recv(
        self, reset: Literal[True], return_info: bool = ..., timeout: float | None = ...
    ) -> GymnasiumReset: ...
    @overload
    def recv(
        self, reset: bool = ..., return_info: bool = ..., timeout: float | None = ...
    ) -> GymnasiumStep | GymnasiumReset: ...

    def recv(
        self, reset: bool = False, return_info: bool = True, timeout: float | None = None
    ) -> Any:
        """Waits for a batch of results and returns it as `step` would; see `EnvPoolMixin.recv`."""
        return super().recv(reset, return_info, timeout)

    def reset(
        self,
        env_id: EnvIds | None = None,
        *,
        seed: Seeds | None = None,
        options: dict[str, Any] | None = None,
        id: EnvIds | None = None,
    ) -> GymnasiumReset:
        """Starts a new episode in environments.

        Args:
            env_id: The environments; None: all.
            seed: New seeds: an int gives environment i the seed `seed + i`, a sequence has one for
                each environment that is reset. None: the generators go on.
            options: May have "reset_mask", a bool array of shape (num_envs,), in place of env_id.
                Other options go to the environments, for the episode that begins: options of the
                task (see `compiled.reset_options`), or any options of a task in Python.
            id: A name of upstream for `env_id`.

        Returns:
            `(observation, info)` with one row for each environment that was reset, in the order of
            `env_id`. If all environments of an asynchronous pool are reset, the call
            returns the first `batch_size` rows, and `recv` returns the others. The call also waits
            for results of other environments in flight, and keeps them for `recv`.

        Raises:
            ConfigError: If a seed or an option is wrong.
            EnvIdError: If an id is out of range or given twice.
            WorkerError: If an environment failed.
        """
        _refuse_stable_baselines3(sys._getframe(1), self._task_id)
        env_id = one_of(env_id, id)
        mask, own = split_options({} if options is None else options, len(self))
        if mask is not None:
            if env_id is not None:
                raise ConfigError(
                    "reset(env_id=..., options={'reset_mask': ...})",
                    "both",
                    "one of the two",
                    "Leave one out",
                )
            env_id = np.flatnonzero(mask).astype(np.int32)
        ids = self._ids("reset", env_id) if own and env_id is not None else None
        with self._reset_options(own, ids):
            return cast(GymnasiumReset, self._reset_with(self._compiled.reset, env_id, seed))


def _refuse_stable_baselines3(caller: FrameType | None, task_id: str) -> None:
    """Raises ConfigError if the caller is a class of Stable-Baselines3 for a lone environment.

    A pool is a `gymnasium.Env`, so Stable-Baselines3 2.9 takes it for a single one, and would fail
    later with an error of NumPy's that does not mention pools.
    """
    while caller is not None and caller.f_globals.get("__name__", "").startswith("gymnasium."):
        caller = caller.f_back  # a wrapper of Gymnasium's
    if caller is None or caller.f_globals.get("__name__") not in _FOR_LONE_ENVIRONMENTS:
        return
    raise ConfigError(
        f"reset() of a pool of {task_id} by Stable-Baselines3",
        "a pool in the place of one environment",
        "a VecEnv of it",
        "Pass envpool.integrations.sb3_vec_env(pool), of a pool with autoreset_mode='same_step'",
    )


def split_options(
    options: Mapping[str, Any], num_envs: int
) -> tuple[NDArray[np.bool_] | None, dict[str, Any]]:
    """The mask in the options of a reset, or None, and the other options, for the environments.

    Raises:
        ConfigError: If the mask is no bool array of shape (num_envs,) with a True in it.
    """
    if not isinstance(options, Mapping):
        raise ConfigError(
            f"reset(options={shorten(options)})",
            f"a {type(options).__name__}",
            "a dict, or None",
            "Pass options={'name': value}",
        )
    own = {key: value for key, value in options.items() if key != "reset_mask"}
    mask = options.get("reset_mask")
    if mask is None:
        return None, own
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (num_envs,) or not array.any():
        raise ConfigError(
            "reset(options={'reset_mask': ...})",
            f"{shorten(mask)}, {array.dtype} of shape {array.shape}",
            f"a bool array of shape ({num_envs},) with at least one True",
            "Pass a mask of the environments to reset",
        )
    return array, own


def pool_metadata(spec: EnvSpec) -> dict[str, Any]:
    """The metadata of a pool for Gymnasium."""
    metadata: dict[str, Any] = {
        "render_modes": render_modes(spec.env),
        "render_fps": RENDER_FPS if spec.task is None else spec.task.render_fps,
    }
    try:
        from gymnasium.vector import AutoresetMode
    except ImportError:  # Gymnasium before 1.1 has no AutoresetMode
        return metadata
    name = spec.options["autoreset_mode"].title().replace("_", "")
    return metadata | {"autoreset_mode": AutoresetMode(name)}
