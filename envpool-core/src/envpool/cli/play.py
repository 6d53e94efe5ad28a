# SPDX-License-Identifier: Apache-2.0
"""`envpool play` and `envpool watch`: a task in the terminal, for a person or for a policy."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from .._pools.make import make
from ..errors import ConfigError
from ._output import print_json
from ._tasks import AsJson, Settings, TaskId, find, parse
from ._terminal import Terminal
from ._window import Window

Choose = Callable[[Any], Any]
"""From an observation, a batch of one row, to an action, a batch of one row; None: quit."""

Seed = Annotated[int, typer.Option(min=0, help="Seed of the task and of random actions.")]
Fps = Annotated[
    float | None, typer.Option(min=0.1, help="Steps per second; by default the task's own.")
]
Steps = Annotated[int, typer.Option(min=0, help="Steps to take; 0: until q or Ctrl-C.")]
InWindow = Annotated[
    bool, typer.Option("--window", help="Draw, and read keys, in a window; needs OpenCV.")
]


def play(
    task_id: TaskId,
    seed: Seed = 0,
    fps: Fps = None,
    steps: Steps = 0,
    window: InWindow = False,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Play a task with the keyboard; q ends it, or Ctrl-C where q is a key of the task.

    Where the task has an action for it, no key is an action, too; else the task waits for a key.
    All players of a task do the same.
    """
    task = find(task_id)
    config = {**({} if task.keys is None else task.keys.options), **parse(settings)}
    if window:
        config.pop("render_mode", None)  # a text is for a terminal
    screen = _screen(f"play {task_id}", window)
    with make(task_id, **_options(config, seed)) as pool:
        actions = _actions(pool, None if task.keys is None else task.keys.actions)
        pause = 1 / (fps or task.render_fps)
        end_key = "q"
        shown = [key for key in actions if key and key.isprintable()]
        help_line = "keys: " + " ".join([*shown, "q"])
        if "q" in actions:
            end_key = "\x03"  # the code of Ctrl-C
            help_line = "Ctrl-C ends, " + help_line.removesuffix(" q")

        def choose(_: Any) -> Any:
            end = time.monotonic() + pause
            chosen = actions.get("")
            while True:
                left = end - time.monotonic()
                if left <= 0 and chosen is not None:
                    return chosen
                key = screen.key(left if chosen is not None else pause)
                if key == end_key:
                    return None
                # A task without keys with Alt reads Esc and a key that were typed fast as that key.
                chosen = actions.get(key, actions.get(key.removeprefix("alt+"), chosen))

        with screen:
            score = _run(pool, screen, choose, steps, help_line)
    _report(task_id, score, as_json)


def watch(
    task_id: TaskId,
    policy: Annotated[
        str,
        typer.Option(
            metavar="MODULE:FUNCTION",
            help="Takes observations, of shape (1, ...), and returns actions; random if left out.",
        ),
    ] = "",
    seed: Seed = 0,
    fps: Fps = None,
    steps: Steps = 0,
    window: InWindow = False,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Watch a policy at a task; q ends it."""
    task = find(task_id)
    chosen = _policy(policy) if policy else None
    screen = _screen(f"watch {task_id}", window)
    with make(task_id, **_options(parse(settings), seed)) as pool:
        pool.action_space.seed(seed)
        pause = 1 / (fps or task.render_fps)

        def choose(obs: Any) -> Any:
            action = pool.action_space.sample() if chosen is None else chosen(obs)
            if screen.key(pause) == "q":
                return None
            return _batch(action) if chosen is None else action

        with screen:
            score = _run(pool, screen, choose, steps, "q ends")
    _report(task_id, score, as_json)


def _screen(asked: str, window: bool) -> Terminal | Window:
    return Window(f"envpool {asked}") if window else Terminal(asked)


def _options(config: Mapping[str, Any], seed: int) -> dict[str, Any]:
    return {"render_mode": "rgb_array", "seed": seed, **config, "num_envs": 1}


class Score(NamedTuple):
    """The score: the number of the episode, its steps and rewards, and all steps."""

    episode: int
    steps: int
    score: float
    all_steps: int

    def __str__(self) -> str:
        """The score as a line of text."""
        return f"episode {self.episode}  steps {self.steps}  score {self.score:g}"


def _report(task_id: str, score: Score, as_json: bool) -> None:
    if as_json:
        print_json({"task": task_id, **score._asdict()})
    else:
        typer.echo(str(score))


def _run(pool: Any, screen: Terminal | Window, choose: Choose, steps: int, help_line: str) -> Score:
    """Steps and draws until the user quits; returns the score."""
    obs, info = pool.reset()
    total, length, episode, over = 0.0, 0, 1, False
    taken = 0
    while True:
        score = Score(episode, length, total, taken)
        screen.draw(pool.render()[0], f"{score}{'  (over)' if over else ''}", help_line)
        if steps and taken >= steps:
            return score
        action = choose(obs)
        if action is None:
            return score
        if over:
            total, length, episode = 0.0, 0, episode + 1
        obs, reward, terminated, truncated, info = pool.step(
            _of_all(action, len(info["players"]["env_id"]))
        )
        taken += 1
        total += float(np.sum(reward))
        length = int(info["elapsed_step"][0])
        over = bool(terminated[0] or truncated[0])


def _actions(pool: Any, named: Mapping[str, Any] | None) -> dict[str, Any]:
    """The action of each key, as a batch of one row."""
    from gymnasium.spaces import Box, Discrete

    space = pool.action_space
    if isinstance(space, Discrete):
        keys: dict[str, Any] = dict(named or {})
        for number in range(min(int(space.n), 10)):
            keys.setdefault(str(number), int(space.start) + number)
    elif isinstance(space, Box) and len(space.shape) == 1:
        keys = {"": np.clip(0, space.low, space.high).astype(space.dtype)}
        for axis, (less, more) in enumerate((("left", "right"), ("down", "up"))[: space.shape[0]]):
            for key, bound in ((less, space.low), (more, space.high)):
                keys[key] = keys[""].copy()
                keys[key][axis] = np.clip(bound[axis], -1e6, 1e6)
    else:
        raise ConfigError(
            f"play {pool.spec.id}",
            f"actions of {space}",
            "a choice out of a few, or a vector of numbers",
            "Use `envpool watch` with a policy",
        )
    return {key: _batch(action) for key, action in keys.items()}


def _of_all(action: Any, players: int) -> Any:
    """A batch of one row, repeated for all players; a policy's choice for each player stays."""
    if isinstance(action, dict):
        return {key: _of_all(value, players) for key, value in action.items()}
    return np.repeat(action, players, axis=0) if len(action) == 1 else action


def _batch(action: Any) -> Any:
    if isinstance(action, dict):
        return {key: _batch(value) for key, value in action.items()}
    return np.asarray(action)[None]


def _policy(path: str) -> Choose:
    """The function of a policy.

    Raises:
        ConfigError: If the module has no function of this name.
    """
    module, _, name = path.partition(":")
    sys.path.insert(0, "")  # as `python -m` does
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"watch --policy {path}",
            f"{type(error).__name__}: {error}",
            "MODULE:FUNCTION, of a module in this folder or an installed one",
            "Correct the name",
        ) from error
    if not callable(found):
        raise ConfigError(
            f"watch --policy {path}",
            f"a {type(found).__name__}",
            "a function of observations that returns actions",
            "Name a function",
        )
    return found  # type: ignore[no-any-return]
