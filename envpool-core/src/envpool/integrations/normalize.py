# SPDX-License-Identifier: Apache-2.0
"""NormalizeObservation and NormalizeReward, with running means that can be saved and loaded."""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError
from ..files import check_file
from ._wrapper import EpisodeWrapper, RowMasks, map_rows


class RunningMoments:
    """Mean and variance of all samples, per element.

    By the formulas of Chan, Golub and LeVeque for samples in parts, which Gymnasium uses, too.

    Attributes:
        mean: float64 array.
        var: Variance, float64 array.
        count: The number of samples; begins a little above 0, so that the first has a variance.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        """Begins with mean 0 and variance 1."""
        self.mean: NDArray[np.float64] = np.zeros(shape)
        self.var: NDArray[np.float64] = np.ones(shape)
        self.count = 1e-4

    def update(self, rows: NDArray[Any]) -> None:
        """Takes a batch, of shape (rows, ...)."""
        count = len(rows)
        if count == 0:
            return
        # Computes as np.mean and np.var, which take three times as long for a few rows.
        rows = rows.astype(np.float64, copy=False)
        mean = np.add.reduce(rows, 0) / count
        var = np.add.reduce(np.square(rows - mean), 0) / count
        difference = mean - self.mean
        total = self.count + count
        squares = self.var * self.count + var * count
        squares = squares + np.square(difference) * self.count * count / total
        self.mean = self.mean + difference * count / total
        self.var = squares / total
        self.count = total


class _Normalize(EpisodeWrapper):
    """The common part of the two wrappers.

    Attributes:
        moments: The moments of the samples so far.
        update: Whether new samples change the moments; set it to False for an evaluation.
    """

    moments: RunningMoments
    update: bool = True

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes mean, variance and count into a file, in NumPy's format .npz."""
        moments = self.moments
        with open(path, "wb") as file:  # noqa: PTH123 - np.savez adds .npz to a name
            np.savez(file, mean=moments.mean, var=moments.var, count=np.asarray(moments.count))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads a file that `save` has written.

        Raises:
            ConfigError: If it has another shape, or is no regular file.
            OSError: If the file cannot be read.
        """
        check_file(f"{type(self).__name__}.load({os.fspath(path)!r})", path)
        with np.load(path) as arrays:
            mean, var, count = (arrays[name] for name in ("mean", "var", "count"))
        if mean.shape != self.moments.mean.shape:
            raise ConfigError(
                f"{type(self).__name__}.load({os.fspath(path)!r})",
                f"moments of shape {mean.shape}",
                f"{self.moments.mean.shape}",
                "Load what was saved for the same task",
            )
        self.moments.mean, self.moments.var, self.moments.count = mean, var, float(count)


class NormalizeObservation(_Normalize):
    """Observations with mean 0 and variance 1, as float32.

    Every row counts once, also the first of an episode. `final_obs` is normalised,
    and does not count.
    """

    def __init__(self, env: Any, epsilon: float = 1e-8, clip: float = float("inf")) -> None:
        """Wraps a pool.

        Args:
            env: The pool; its observations are a single array of numbers.
            epsilon: Is added to the variance.
            clip: The greatest absolute value of an observation.

        Raises:
            ConfigError: If observations are several arrays, or choices.
        """
        super().__init__(env)
        space = self._require_box()
        self.moments = RunningMoments(space.shape)
        self._epsilon, self._clip = epsilon, clip
        self._set_space(gymnasium.spaces.Box(-clip, clip, space.shape, np.float32))

    def _observe(self, obs: Any, rows: RowMasks) -> Any:
        if self.update:
            repeats = np.count_nonzero(rows.is_repeated) > 0
            self.moments.update(obs[~rows.is_repeated] if repeats else obs)
        return self._normalized(obs)

    def _observe_final(self, obs: Any, rows: RowMasks) -> Any:
        return map_rows(self._normalized, obs, rows.has_final_obs)

    def _normalized(self, obs: Any) -> Any:
        scaled = (obs - self.moments.mean) / np.sqrt(self.moments.var + self._epsilon)
        if self._clip != float("inf"):
            np.clip(scaled, -self._clip, self._clip, out=scaled)
        return scaled.astype(np.float32)


class NormalizeReward(_Normalize):
    """Rewards divided by the deviation of the discounted return, as Gymnasium's wrapper does it.

    With autoreset_mode "next_step" and "same_step" the rewards are those of
    `gymnasium.wrappers.vector.NormalizeReward`. Its return begins anew with the reward of the step
    that terminates; in mode "next_step" a truncated episode's return goes on into the next one.
    """

    def __init__(self, env: Any, gamma: float = 0.99, epsilon: float = 1e-8) -> None:
        """Wraps a pool.

        Args:
            env: The pool.
            gamma: The discount of a step.
            epsilon: Is added to the variance.
        """
        super().__init__(env)
        self.moments = RunningMoments(())
        self._gamma, self._epsilon = gamma, epsilon
        self._discounted = np.zeros(len(self), np.float64)

    def _cut(self, ids: Any) -> None:
        self._discounted[ids] = 0

    def _advance(self, result: tuple[Any, ...], rows: RowMasks) -> tuple[Any, ...]:
        obs, reward, terminated, truncated, info = result
        positions = rows.positions
        before = self._discounted[positions]
        sums = before * (self._gamma * ~terminated) + reward
        stepped: Any = slice(None)
        if np.count_nonzero(rows.is_reset_row):  # the first observation of an episode is no step
            stepped = ~rows.is_reset_row
            sums = np.where(rows.is_reset_row, before, sums)
        self._discounted[positions] = (
            np.where(rows.episode_ended, 0, sums) if self._same_step else sums
        )
        if self.update:
            self.moments.update(sums[stepped])
        reward = (reward / np.sqrt(self.moments.var + self._epsilon)).astype(np.float32)
        return obs, reward, terminated, truncated, info
