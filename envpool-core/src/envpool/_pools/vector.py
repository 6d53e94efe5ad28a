# SPDX-License-Identifier: Apache-2.0
"""VectorPool: a pool that keeps the contract of `gymnasium.vector.VectorEnv` to the letter."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, SupportsIndex, cast, overload

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .._backend import PoolBackend
from .._specs.options import is_sequence, seed_list
from .._specs.spec import EnvSpec
from ..errors import ConfigError, EnvIdError, shorten
from ..typing import GymnasiumReset, GymnasiumStep
from .base import EnvIds, EnvPoolMixin, Seeds, flatten
from .gymnasium import pool_metadata, split_options
from .kept_observation import KeptObservation
from .result_layouts import mask_keys, vector_layouts


class VectorPool(EnvPoolMixin, VectorEnv[Any, Any, Any]):  # type: ignore[misc, override]
    """A pool that behaves as `gymnasium.vector.SyncVectorEnv` does, at the speed of a pool.

    Every result has all environments, row i being environment i. Every key of the info has a bool
    mask `_key`; with autoreset_mode "same_step" the info has "final_obs" and "final_info" when an
    episode ended.

    Attributes:
        observation_space: The space of all observations together.
        action_space: The space of all actions together.
        single_observation_space: The space of one environment's observation.
        single_action_space: The space of one environment's action.
        metadata: "render_modes", "render_fps" and "autoreset_mode".
        autoreset_mode: The mode in `metadata`; as in SyncVectorEnv, and for TorchRL.
    """

    env_type: ClassVar[str] = "vector"

    def __init__(self, spec: EnvSpec) -> None:
        """Builds the environments; see `EnvPoolMixin`."""
        super().__init__(spec)
        self.metadata = pool_metadata(spec)
        self.autoreset_mode: Any = self.metadata.get("autoreset_mode")
        self._same_step = spec.options["autoreset_mode"] == "same_step"
        if not self._compiled.keeps_observation:
            is_disabled = spec.options["autoreset_mode"] == "disabled"
            self._compiled = KeptObservation(self._compiled, len(self), is_disabled)
            self._compiled_step = self._compiled.step
        self._tuple_choices = () if spec.task is None else spec.task.tuple_choices
        names = spec.observation_space.spaces if hasattr(spec.observation_space, "spaces") else ()
        texts = {} if spec.task is None else spec.task.texts
        self._texts = {name: letters for name, letters in texts.items() if name in names}
        self._has_tuples = bool(self._tuple_choices or self._texts)
        self._finishes = self._same_step or self._has_tuples
        if not self._finishes:
            self._replace_step(VectorPool.step, self._compiled.step_all)

    def _layouts(self, names: Sequence[str], same_step: bool) -> tuple[Any, Any]:
        return vector_layouts(names, same_step)

    def _check(self, spec: EnvSpec) -> None:
        options = spec.options
        for key, allowed, then in (
            ("batch_size", options["num_envs"], "Leave batch_size out, or use"),
            ("max_num_players", 1, "Use"),  # a task of several players has it from the family
        ):
            if options[key] != allowed:
                raise ConfigError(
                    f"make({spec.id!r}, 'vector', {key}={options[key]})",
                    str(options[key]),
                    f"{allowed}: a gymnasium.vector.VectorEnv has a row for each environment",
                    f"{then} env_type='gymnasium'",
                )
        super()._check(spec)

    @property
    def compiled(self) -> PoolBackend:
        """The pool that steps the environments; see `EnvPoolMixin.compiled`."""
        own = self._compiled
        return own.inner if isinstance(own, KeptObservation) else own

    @functools.cached_property
    def single_observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        if self._tuple_choices:
            return gymnasium.spaces.Tuple(map(gymnasium.spaces.Discrete, self._tuple_choices))
        return with_texts(self._spec.observation_space, self._texts)

    @functools.cached_property
    def single_action_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        return self._spec.action_space

    @functools.cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_observation_space, len(self))

    @functools.cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_action_space, len(self))

    def step(self, actions: Any) -> GymnasiumStep:
        """Takes one step in every environment.

        Args:
            actions: One row per environment, as in `action_space`.

        Returns:
            `(observations, rewards, terminations, truncations, infos)`, arrays with one row per
            environment: rewards float32, terminations and truncations bool.

        Raises:
            ActionError: If a shape, dtype or value is wrong.
            StateError: If the pool is closed.
            WorkerError: If an environment failed; the results of the others are kept for `recv`.
        """
        if isinstance(actions, dict):
            actions = self._flat(actions)
        result: GymnasiumStep = self._compiled_step(actions)
        return self._finish(result) if self._finishes else result

    def _finish(self, result: Any, reset: bool = False) -> Any:
        """Adds objects that no layout can build: those for ended episodes, and tuples."""
        obs, *others, info = result
        if self._same_step and not reset:
            _add_final(info)
            for row in np.flatnonzero(info.get("_final_obs", ())) if self._has_tuples else ():
                final = info["final_obs"][row]
                if self._tuple_choices:
                    info["final_obs"][row] = tuple(final.tolist())
                else:
                    final |= {name: _text(final[name]) for name in self._texts}
        return (self._shown(obs), *others, info)

    def _shown(self, obs: Any) -> Any:
        """Observations with the tuples that Gymnasium has."""
        if self._tuple_choices:
            return _as_tuple(obs)
        if self._texts:
            return {**obs, **{name: tuple(map(_text, obs[name])) for name in self._texts}}
        return obs

    def send(self, action: Any, env_id: EnvIds | None = None) -> None:
        """Sends actions to all environments and returns at once; see `EnvPoolMixin.send`."""
        self._require_all("send", env_id)
        super().send(self._flat(action) if isinstance(action, dict) else action)

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
        """Waits for what `send` or `async_reset` started; see `EnvPoolMixin.recv`."""
        return self._finish(super().recv(reset, return_info, timeout), reset)

    def async_reset(self, env_id: EnvIds | None = None, seed: Seeds | None = None) -> None:
        """Starts a new episode in all environments; see `EnvPoolMixin.async_reset`."""
        self._require_all("async_reset", env_id)
        super().async_reset(None, seed)

    def _flat(self, action: dict[str, Any]) -> dict[str, Any]:
        """An action without dicts in it; it must be for all environments."""
        action = flatten(action)
        self._require_all("step", action.get("env_id"))
        return action

    def _require_all(self, call: str, env_id: EnvIds | None) -> None:
        """Raises EnvIdError for ids that are not those of all rows."""
        if env_id is not None and not np.array_equal(env_id, self.all_env_ids):
            raise EnvIdError(
                f"{call}(env_id={shorten(env_id)}) of {self._task_id}",
                shorten(env_id),
                "None: in a gymnasium.vector.VectorEnv row i is environment i",
                "Leave env_id out, or use env_type='gymnasium'",
            )

    def reset(
        self,
        *,
        seed: Seeds | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> GymnasiumReset:
        """Starts a new episode in all environments, or in some.

        Args:
            seed: New seeds: an int gives environment i the seed `seed + i`, a sequence has one for
                each environment of the pool; None keeps an environment's generator.
            options: May have "reset_mask", a bool array of shape (num_envs,): the environments to
                reset. Rows of other environments have their last observation. Before the first
                reset by a mask the pool reads it from the array that it returned last, so nothing
                may be written into that array; with autoreset_mode "disabled" the pool has a copy.
                Other options go to the environments, as in `GymnasiumEnvPool.reset`.

        Returns:
            `(observations, infos)` with a row for every environment of the pool.

        Raises:
            ConfigError: If a seed or an option is wrong.
            StateError: If the last observation of environments that are not reset is unknown:
                before all were reset, after one failed, or after `load_state`.
            WorkerError: If an environment failed.
        """
        mask, own = split_options({} if options is None else options, len(self))
        ids = None if mask is None else np.flatnonzero(mask).astype(np.int32)
        with self._reset_options(own, ids):
            if ids is None and not _has_none(seed):
                obs, info = self._reset_with(self._compiled.reset, None, seed)
            else:
                obs, info = self._reset_some(self.all_env_ids if ids is None else ids, seed)
                if ids is None:
                    self._pending_seed = None
        if isinstance(seed, SupportsIndex) and not is_sequence(seed):
            VectorEnv.reset(self, seed=int(seed))  # for np_random
        return self._shown(obs), info

    def _reset_some(self, ids: NDArray[np.int32], seed: Any) -> GymnasiumReset:
        if is_sequence(seed):
            if len(seed) != len(self):
                seed_list("seed", seed, len(self), "reset(")
            seed = [seed[env_id] for env_id in ids.tolist()]
        return cast(GymnasiumReset, self._compiled.reset_some(ids, seed))

    def render(
        self, env_ids: EnvIds | None = None, camera_id: int | None = None
    ) -> tuple[NDArray[np.uint8], ...] | Any:
        """Draws environments; all of them, if `env_ids` is None.

        Returns:
            A tuple with a frame for each: a uint8 array of shape (height, width, 3), a float32
            array of shape (height, width) with render_mode "depth_array", a tuple of both with
            "rgbd_tuple". None with "human", which shows the environment of the option
            render_env_id.

        Raises:
            RenderError: If the pool was made without render_mode, or a frame cannot be drawn or
                shown.
            EnvIdError: If an id is out of range.
        """
        frames = super().render(env_ids, camera_id)
        if isinstance(frames, tuple):  # frames and depths
            return tuple(zip(*frames, strict=True))
        return None if frames is None else tuple(frames)

    def _default_render_ids(self) -> EnvIds:
        human = self.render_mode == "human"
        return int(self._spec.options["render_env_id"]) if human else self.all_env_ids


def _as_tuple(obs: NDArray[Any]) -> tuple[NDArray[np.int64], ...]:
    """The columns of an array of choices, as a batch of a Tuple of Discrete spaces has them."""
    return tuple(obs.T.astype(np.int64))


def with_texts(space: gymnasium.Space[Any], letters: Mapping[str, str]) -> gymnasium.Space[Any]:
    """A space in which some arrays of bytes are texts of these letters."""
    if not letters:
        return space
    spaces = dict(space.spaces)  # type: ignore[attr-defined]
    for name, charset in letters.items():
        length = spaces[name].shape[0]
        spaces[name] = gymnasium.spaces.Text(length, min_length=0, charset=charset)
    return gymnasium.spaces.Dict(spaces)


def _text(row: NDArray[np.uint8]) -> str:
    return row.tobytes().partition(b"\0")[0].decode("latin-1")


def _has_none(seed: object) -> bool:
    return is_sequence(seed) and any(value is None for value in seed)  # type: ignore[attr-defined]


def _add_final(info: dict[str, Any]) -> None:
    """Brings "final_obs" and "final_info" into Gymnasium's shape, or takes them out."""
    ended = info["_final_obs"]
    if not ended.any():
        for key in ("final_obs", "_final_obs", "final_info", "_final_info"):
            del info[key]
        return
    final_obs = info["final_obs"]
    info["final_obs"] = np.full(len(ended), None, dtype=object)
    for row in np.flatnonzero(ended):
        info["final_obs"][row] = _map(functools.partial(_item, row=int(row)), final_obs)
    info["final_info"] = _masked(info["final_info"], ended)


def _item(batch: Any, row: int) -> Any:
    item = batch[row]
    return item if isinstance(item, str) else item.copy()


def _masked(tree: dict[str, Any], mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Info with a copy of the mask beside every key that has none of its own."""
    masks = mask_keys(tree)
    masked: dict[str, Any] = {}
    for key, value in tree.items():
        masked[key] = _masked(value, mask) if isinstance(value, dict) else value
        if key not in masks and f"_{key}" not in tree:
            masked[f"_{key}"] = mask.copy()
    return masked


def _map(function: Any, tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _map(function, leaf) for key, leaf in tree.items()}
    if isinstance(tree, tuple) and not _is_text(tree):
        return tuple(_map(function, leaf) for leaf in tree)
    return function(tree)


def _is_text(leaf: tuple[Any, ...]) -> bool:
    """Whether this is not a tuple of arrays but a batch of texts, which Gymnasium has in tuples."""
    return bool(leaf) and isinstance(leaf[0], str)
