# SPDX-License-Identifier: Apache-2.0
"""EpisodeWrapper: the base of the wrappers, which reports to them the begin and end of episodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from .._pools.base import EnvPoolMixin
from ..errors import ConfigError, shorten

if TYPE_CHECKING:
    from typing_extensions import Self

try:
    from gymnasium.vector import VectorWrapper
except ImportError as cause:
    raise ConfigError(
        "the wrappers of envpool.integrations",
        f"Gymnasium {gymnasium.__version__}, which has no such wrappers",
        "Gymnasium 1.0 or newer",
        "Run `pip install --upgrade gymnasium`",
    ) from cause


class RowMasks(NamedTuple):
    """The meaning of the rows of a result; each mask is a bool array of shape (rows,).

    Attributes:
        ids: The environment of each row, int array of shape (rows,).
        positions: The positions of `ids` in an array of all environments: `ids`, or the slice of
            all, which NumPy takes much faster.
        is_reset_row: True for rows with the first observation of an episode, which are no step.
        episode_ended: True for rows in which an episode ended.
        has_final_obs: True for rows with "final_obs" and "final_info" in the info, because the next
            episode has begun in the same step.
        is_repeated: True for rows that repeat the last result, because other environments were
            reset.
    """

    ids: NDArray[np.integer[Any]]
    positions: NDArray[np.integer[Any]] | slice
    is_reset_row: NDArray[np.bool_]
    episode_ended: NDArray[np.bool_]
    has_final_obs: NDArray[np.bool_]
    is_repeated: NDArray[np.bool_]


class EpisodeWrapper(VectorWrapper[Any, Any, Any, Any, Any]):
    """A `gymnasium.vector.VectorWrapper` with the additional calls of a pool.

    Subclasses override `_observe`, for the observations of `reset` and `step`, `_advance`, for
    results of `step` only, and `_cut`, for episodes that a reset ends.
    """

    def __init__(self, env: Any) -> None:
        """Wraps a pool, or a wrapper of a pool.

        Args:
            env: A pool of `env_type="gymnasium"` or "vector", with one player in each environment.

        Raises:
            ConfigError: If it is another object.
        """
        pool = getattr(env, "unwrapped", None)
        one = isinstance(pool, EnvPoolMixin) and pool.config["max_num_players"] == 1
        if not (one and pool is not None and pool.env_type in ("gymnasium", "vector")):
            raise ConfigError(
                f"{type(self).__name__}({shorten(env)})",
                f"a {type(env).__name__}",
                "pools of env_type 'gymnasium' or 'vector', with one player in each environment",
                "Make the pool with one of these env types",
            )
        super().__init__(env)
        self.pool: Any = pool
        self._next_step = pool.config["autoreset_mode"] == "next_step"
        self._same_step = pool.config["autoreset_mode"] == "same_step"
        # A mask of environments whose next result is the beginning of an episode.
        self._awaits_first_obs = np.ones(len(pool), np.bool_)
        self._all_ids = np.arange(len(pool), dtype=np.int32)
        self._no_rows = np.zeros(len(pool), np.bool_)  # never written

    def __enter__(self) -> Self:
        """The wrapper, to be closed with its pool at the end of the block."""
        return self

    def __exit__(self, *args: object) -> Literal[False]:
        """Closes wrapper and pool; an exception is passed on."""
        self.close()
        return False

    def __getattr__(self, name: str) -> Any:
        """The pool's attribute, if the wrapper does not have it."""
        if name.startswith("_") or name == "env":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.env, name)

    def __len__(self) -> int:
        """The number of environments."""
        return len(self.pool)

    def step(self, actions: Any, env_id: Any = None) -> Any:
        """Calls `step` of the pool."""
        ids = () if env_id is None else (env_id,)
        return self._stepped(self.env.step(actions, *ids))

    def send(self, action: Any, env_id: Any = None) -> None:
        """Calls `send` of the pool."""
        self.env.send(action, env_id)  # type: ignore[attr-defined]

    def recv(
        self, reset: bool = False, return_info: bool = True, timeout: float | None = None
    ) -> Any:
        """Calls `recv` of the pool."""
        result = self.env.recv(reset, return_info, timeout)  # type: ignore[attr-defined]
        return self._started(result) if reset else self._stepped(result)

    def async_reset(self, env_id: Any = None, seed: Any = None) -> None:
        """Calls `async_reset` of the pool; the state kept of the episodes is dropped."""
        self.env.async_reset(env_id, seed)  # type: ignore[attr-defined]
        self._restart(self._all_ids if env_id is None else np.atleast_1d(env_id))

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        """Calls `reset` of the pool; the state kept of the episodes is dropped."""
        options = kwargs.get("options") or {}
        mask = options.get("reset_mask")
        result = self.env.reset(*args, **kwargs)
        # If all environments are reset, an asynchronous pool returns some first observations now,
        # and `recv` the others.
        env_id = args[0] if args else kwargs.get("env_id", kwargs.get("id"))
        if mask is not None:
            env_id = np.flatnonzero(mask)
        self._restart(self._all_ids if env_id is None else np.atleast_1d(env_id))
        if self.pool.env_type == "vector" and mask is not None:
            return self._started(result, np.asarray(mask))
        return self._started(result)

    def _restart(self, ids: NDArray[np.integer[Any]]) -> None:
        self._awaits_first_obs[ids] = True
        self._cut(ids)

    def _started(self, result: Any, was_reset: NDArray[np.bool_] | None = None) -> Any:
        obs, info = result
        ids = self._ids(info)
        was_reset = np.ones(len(ids), np.bool_) if was_reset is None else was_reset
        self._awaits_first_obs[ids[was_reset]] = False
        none = np.zeros(len(ids), np.bool_)
        return self._observe(obs, RowMasks(ids, ids, was_reset, none, none, ~was_reset)), info

    def _stepped(self, result: Any) -> Any:
        obs, reward, terminated, truncated, info = result
        ids = self._ids(info)
        is_all = ids is self._all_ids or np.array_equal(ids, self._all_ids)
        positions = slice(None) if is_all else ids
        ended = terminated | truncated
        none = self._no_rows[: len(ids)]
        has_final = info.get("_final_obs", none)
        rows = RowMasks(
            ids, positions, self._awaits_first_obs[positions].copy(), ended, has_final, none
        )
        self._awaits_first_obs[positions] = ended if self._next_step else False
        first_obs = rows
        if "final_obs" in info and np.count_nonzero(has_final):
            info["final_obs"] = self._observe_final(info["final_obs"], rows)
            first_obs = rows._replace(is_reset_row=rows.is_reset_row | has_final)
        obs = self._observe(obs, first_obs)
        return self._advance((obs, reward, terminated, truncated, info), rows)

    def _ids(self, info: dict[str, Any]) -> NDArray[Any]:
        ids: NDArray[Any] = info.get("env_id", self._all_ids)
        return ids

    def _observe(self, obs: Any, rows: RowMasks) -> Any:
        """The observation that replaces `obs`; a row with a final one shows the next episode."""
        del rows
        return obs

    def _observe_final(self, obs: Any, rows: RowMasks) -> Any:
        """The last observations of episodes; is called before `_observe` of the same result."""
        del rows
        return obs

    def _cut(self, ids: NDArray[np.integer[Any]]) -> None:
        """Called when a reset has ended the episodes of environments, before their first rows."""
        del ids

    def _advance(self, result: tuple[Any, ...], rows: RowMasks) -> tuple[Any, ...]:
        """The result that replaces a step's."""
        del rows
        return result

    def _require_box(self) -> gymnasium.spaces.Box:
        space = self.env.single_observation_space
        if not isinstance(space, gymnasium.spaces.Box):
            raise ConfigError(
                f"{type(self).__name__} of {self.pool.spec.id}",
                f"observations of {space}",
                "observations that are one array of numbers",
                "Leave it out for this task",
            )
        return space

    def _set_space(self, single: gymnasium.Space[Any]) -> None:
        """Sets the observation spaces: of one environment, and of all, batched by the pool."""
        from gymnasium.vector.utils import batch_space

        self.single_observation_space = single
        strict = self.pool.env_type == "vector"
        self.observation_space = batch_space(single, len(self.pool)) if strict else single


def map_rows(function: Callable[[Any], Any], obs: Any, rows: NDArray[np.bool_]) -> Any:
    """Applies `function` to the present rows of final observations: an array, or one of objects."""
    if obs.dtype != object:
        return function(obs)
    where = np.flatnonzero(rows)
    changed = function(np.stack([obs[row] for row in where]))
    result = obs.copy()
    for row, value in zip(where, changed, strict=True):  # the environments whose episode ended
        result[row] = value
    return result
