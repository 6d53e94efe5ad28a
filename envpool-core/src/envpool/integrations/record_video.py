# SPDX-License-Identifier: Apache-2.0
"""RecordVideo: the episodes of chosen environments as videos."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import video
from ..errors import RenderError
from ._wrapper import EpisodeWrapper, RowMasks


class RecordVideo(EpisodeWrapper):
    """Writes each episode of the chosen environments into a file `<task>-env<id>-<number>.mp4`.

    The wrapper draws only these environments; in an asynchronous pool when their results are
    received.
    """

    def __init__(
        self,
        env: Any,
        folder: str | os.PathLike[str],
        env_ids: Sequence[int] = (0,),
        *,
        suffix: str = ".mp4",
        wanted: Callable[[int], bool] | None = None,
    ) -> None:
        """Wraps a pool and makes the folder.

        Args:
            env: The pool; it was made with render_mode="rgb_array".
            folder: The folder for the files.
            env_ids: The environments to record; the others are not drawn.
            suffix: ".mp4" or ".gif"; see `envpool.video`.
            wanted: Whether to record the episode of a number, from 0; None: all episodes.

        Raises:
            RenderError: If the pool does not draw.
        """
        super().__init__(env)
        if self.pool.render_mode != "rgb_array":
            raise RenderError(
                f"RecordVideo of {self.pool.spec.id}",
                f"a pool with render_mode={self.pool.render_mode!r}",
                "a pool that was made with render_mode='rgb_array'",
                "Pass render_mode='rgb_array' to make()",
            )
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._suffix = suffix
        self._wanted = wanted or (lambda number: True)
        self._frames: dict[int, list[Any]] = {int(env_id): [] for env_id in env_ids}
        self._numbers = dict.fromkeys(self._frames, 0)
        self._chosen = np.zeros(len(self), np.bool_)
        self._chosen[list(self._frames)] = True

    def _observe(self, obs: Any, rows: RowMasks) -> Any:
        if not rows.has_final_obs.any():  # else `_advance` draws, after it has written the video
            self._draw(rows)
        return obs

    def _advance(self, result: tuple[Any, ...], rows: RowMasks) -> tuple[Any, ...]:
        for env_id in rows.ids[rows.episode_ended & self._chosen[rows.ids]].tolist():
            self._write(env_id)
        if rows.has_final_obs.any():
            self._draw(rows)
        return result

    def _cut(self, ids: Any) -> None:
        for env_id in ids[self._chosen[ids]].tolist():
            if self._frames[env_id]:
                self._write(env_id)

    def _draw(self, rows: RowMasks) -> None:
        chosen = self._chosen[rows.ids] & ~rows.is_repeated
        ids = [i for i in rows.ids[chosen].tolist() if self._wanted(self._numbers[i])]
        if ids:
            for env_id, frame in zip(ids, self.pool.render(env_ids=ids), strict=True):
                self._frames[env_id].append(frame)

    def _write(self, env_id: int) -> None:
        frames = self._frames[env_id]
        number = self._numbers[env_id]
        self._numbers[env_id] += 1
        self._frames[env_id] = []
        if frames:
            task = self.pool.spec.id.replace("/", "-")
            path = self.folder / f"{task}-env{env_id}-{number}{self._suffix}"
            video.write(path, frames, self.pool.metadata["render_fps"])

    def close(self, **kwargs: Any) -> None:
        """Writes the unfinished episodes, and closes the pool."""
        for env_id in self._frames:
            self._write(env_id)
        super().close(**kwargs)
