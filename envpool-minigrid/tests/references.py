# SPDX-License-Identifier: Apache-2.0
"""What every task is compared with: minigrid's environment of the same id.

minigrid never returns from one level in a thousand of BabyAI-SynthS5R2: it looks for a pose of the
agent in a room that has none. `BoundedRoomGrid` says what is done there instead, in its words.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import minigrid
import numpy as np
from envpool_minigrid import envpool_tasks
from minigrid.core.roomgrid import RoomGrid

POSES = 1000  # failed ones, after which a room is searched for one that is left


@dataclass(frozen=True)
class Case:
    """One task with some options, and its reference.

    Attributes:
        task_id: The task of this wheel.
        config: Options of the task that differ from its defaults.
        wrap: What makes the reference observe the same.
        make: Makes the reference environment; None: `gymnasium.make(task_id)`.
        steps: Of each of four environments, besides half as many levels.
    """

    task_id: str
    config: Mapping[str, Any] = field(default_factory=dict)
    wrap: Callable[[gymnasium.Env[Any, Any]], gymnasium.Env[Any, Any]] | None = None
    make: Callable[[], gymnasium.Env[Any, Any]] | None = None
    steps: int = 2000

    @property
    def reference(self) -> str:
        """The package and its version."""
        return f"minigrid {minigrid.__version__}"

    def __str__(self) -> str:
        """The task and its options, the name of the test."""
        options = ", ".join(f"{key}={value}" for key, value in self.config.items())
        return f"{self.task_id}({options})" if options else self.task_id

    def environment(self) -> gymnasium.Env[Any, Any]:
        """The reference environment."""
        env = self.make() if self.make else gymnasium.make(self.task_id, disable_env_checker=True)
        return self.wrap(env) if self.wrap else env


def quiet(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls it without what minigrid prints of levels that it draws again."""
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*args, **kwargs)


def bound_poses(env: gymnasium.Env[Any, Any]) -> None:
    """Makes a RoomGrid give up rooms in which no pose of the agent is left."""
    world = env.unwrapped
    if not isinstance(world, RoomGrid):
        return
    free = (type(None), minigrid.core.world_object.Wall)

    def has_pose(room: Any) -> bool:
        (left, top), (width, height) = room.top, room.size
        for x in range(left + 1, left + width - 1):
            for y in range(top + 1, top + height - 1):
                around = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
                if world.grid.get(x, y) is None and any(
                    isinstance(world.grid.get(*cell), free) for cell in around
                ):
                    return True
        return False

    def place_agent(i: Any = None, j: Any = None, rand_dir: bool = True) -> Any:
        i = world._rand_int(0, world.num_cols) if i is None else i
        j = world._rand_int(0, world.num_rows) if j is None else j
        room = world.get_room(i, j)
        tried = 0
        while True:
            super(RoomGrid, world).place_agent(room.top, room.size, rand_dir, max_tries=1000)
            tried += 1
            if isinstance(world.grid.get(*world.front_pos), free):
                return world.agent_pos
            if tried == POSES and not has_pose(room):
                raise RecursionError("no pose of the agent is left")

    world.place_agent = place_agent  # type: ignore[method-assign]


CASES = tuple(Case(task.id) for task in envpool_tasks() if "WFC" not in task.id)


def reward32(reward: Any) -> np.float32:
    """A reward, rounded once from double precision."""
    return np.float32(float(reward))
