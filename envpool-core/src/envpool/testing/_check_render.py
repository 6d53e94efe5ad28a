# SPDX-License-Identifier: Apache-2.0
"""Checks of frames: their shape, and that drawing does not change the environment."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from ..errors import ConfigError, EnvIdError, RenderError
from ._case import Case
from ._rollout import difference

_STEPS = 4


def check_render_mode(case: Case) -> None:
    """A pool draws only with a render_mode, and a task that cannot draw raises an error."""
    with case.make() as pool:
        case.actor(pool).reset()
        call = "render() of a pool without render_mode"
        case.require_error(RenderError, call, pool.render, "render_mode")
    if case.spec.env.renders:
        return
    call = "make(render_mode='rgb_array') of a task that cannot draw"
    case.require_error(ConfigError, call, lambda: case.make(render_mode="rgb_array"), "rgb_array")


def check_render(case: Case) -> None:
    """Frames are uint8 arrays of RGB, equal for equal seeds, and drawing changes no environment."""
    if not case.spec.env.renders:
        return
    videos: list[list[Any]] = []
    # Both pools are open to the end: the renderer's memory may be large, and is then shared.
    with contextlib.ExitStack() as pools:
        for env_type in ("gymnasium", "vector"):
            if env_type == "vector" and case.spec.options["max_num_players"] > 1:
                continue
            pool = case.make(env_type, render_mode="rgb_array", render_env_id=1)
            actor = case.actor(pools.enter_context(pool))
            call = "render() before the first reset"
            case.require_error(RenderError, call, pool.render, "no episode yet")
            actor.reset()
            video: list[Any] = []
            for number in range(_STEPS):
                video.append(_frames(case, pool, number))
                actor.step()
            videos.append(video)
            _check_bad_id(case, pool)
            found = difference(actor.rows, case.reference)
            what = f'env_type="{env_type}": render() changes episodes'
            case.require_same(found, what, "Render must not draw from gen_ or move the environment")
    for video in videos[1:]:
        for number, (frame, other) in enumerate(zip(video, videos[0], strict=True)):
            case.require(
                np.array_equal(frame, other),
                f"result {number}: two pools with the same seed have different frames",
                "A frame depends on the state only: look for memory that is not drawn over",
            )


def _check_bad_id(case: Case, pool: Any) -> None:
    beyond = case.num_envs
    call = f"render([{beyond}])"
    case.require_error(EnvIdError, call, lambda: pool.render([beyond]), beyond)


def _frames(case: Case, pool: Any, number: int) -> Any:
    """The frames of all environments, compared with the frames of some."""
    everyone = pool.render(list(range(case.num_envs)))
    as_tuple = isinstance(everyone, tuple)
    case.require(
        as_tuple == (pool.env_type == "vector"),
        f'env_type="{pool.env_type}": render() returned a {type(everyone).__name__}',
        "A gymnasium.vector pool returns a tuple of frames, the others an array; report this",
    )
    frames = np.stack(everyone)
    shape = (case.num_envs, *frames.shape[1:3], 3)
    case.require(
        frames.dtype == np.uint8 and frames.shape == shape,
        f"result {number}: render() returned {frames.dtype} of shape {frames.shape}",
        "It returns uint8 of shape (rows, height, width, 3)",
    )
    some = [case.num_envs - 1, 0]
    again = np.stack(pool.render(some))
    case.require(
        np.array_equal(again, frames[some]),
        f"result {number}: render({some}) is not what render() of all has for them",
        "A frame depends on the state only: look for memory that is not drawn over",
    )
    default = np.stack(pool.render())
    wanted = frames if as_tuple else frames[[1]]
    case.require(
        np.array_equal(default, wanted),
        f"result {number}: render() of a pool with render_env_id=1 drew something else",
        "It draws environment 1, and all of them if env_type is 'vector'; report this",
    )
    return frames
