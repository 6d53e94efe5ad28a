# SPDX-License-Identifier: Apache-2.0
"""The reference of every task: minigrid's environment of the same id.

minigrid never returns from one level in a thousand of BabyAI-SynthS5R2: it searches for a pose of
the agent in a room without any. `bound_poses` gives up such a room, in minigrid's way.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import minigrid
from envpool_minigrid import FAMILY
from minigrid import wrappers
from minigrid.core.roomgrid import RoomGrid
from minigrid.envs.wfc import WFCEnv
from minigrid.envs.wfc.config import WFC_PRESETS
from pictures import file_of

POSES = 1000  # failed poses, after which a room is searched for a possible pose


@dataclass(frozen=True)
class Case:
    """One task with some options, and its reference.

    Attributes:
        task_id: The task of this wheel.
        config: Options of the task that differ from its defaults.
        wrap: Makes the reference's observation the same.
        make: Makes the reference environment; None: `gymnasium.make(task_id)`.
        frames: Options of frames, of both sides; None: frames are not compared.
        steps: Steps of each of four environments, besides half as many levels.
    """

    task_id: str
    config: Mapping[str, Any] = field(default_factory=dict)
    wrap: Callable[[gymnasium.Env[Any, Any]], gymnasium.Env[Any, Any]] | None = None
    make: Callable[[], gymnasium.Env[Any, Any]] | None = None
    frames: Mapping[str, Any] | None = None
    steps: int = 2000

    @property
    def reference(self) -> str:
        """The package and its version."""
        return f"minigrid {minigrid.__version__}"

    def __str__(self) -> str:
        """The task and its options, the name of the test."""
        shown = {**self.config, **(self.frames or {})}
        shown.pop("pattern_path", None)
        if self.frames is not None:
            shown["frames"] = True
        options = ", ".join(f"{key}={value}" for key, value in shown.items())
        return f"{self.task_id}({options})" if options else self.task_id

    def environment(self) -> gymnasium.Env[Any, Any]:
        """The reference environment."""
        options = dict(self.frames or {})
        if self.frames is not None:
            options["render_mode"] = "rgb_array"
        if "agent_view_size" in self.config:
            options["agent_view_size"] = self.config["agent_view_size"]
        env = (
            self.make()
            if self.make
            else gymnasium.make(self.task_id, disable_env_checker=True, **options)
        )
        return self.wrap(env) if self.wrap else env


def quiet(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function and hides minigrid's prints about levels that it draws again."""
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*args, **kwargs)


def bound_poses(env: gymnasium.Env[Any, Any]) -> None:
    """Makes a RoomGrid give up rooms without a possible pose of the agent."""
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


def _wfc(preset: str) -> Case:
    path = file_of(preset)
    config = dataclasses.replace(WFC_PRESETS[preset], pattern_path=path)
    return Case(
        f"MiniGrid-WFC-{preset}-v0",
        {"pattern_path": str(path)},
        make=lambda: WFCEnv(wfc_config=config),
        steps=80,  # a level takes minigrid a second
    )


_WRAPPERS: dict[str, Callable[[gymnasium.Env[Any, Any]], gymnasium.Env[Any, Any]]] = {
    "full": wrappers.FullyObsWrapper,
    "rgb": wrappers.RGBImgObsWrapper,
    "rgb_partial": wrappers.RGBImgPartialObsWrapper,
    "onehot": wrappers.OneHotPartialObsWrapper,
    "symbolic": wrappers.SymbolicObsWrapper,
}
# Tasks of many shapes and things: doors in all states, lava, balls, boxes, views through walls.
OBSERVED = (
    *("MiniGrid-Empty-Random-6x6-v0", "MiniGrid-DoorKey-8x8-v0", "MiniGrid-LavaCrossingS9N3-v0"),
    *("MiniGrid-DistShift2-v0", "MiniGrid-Dynamic-Obstacles-8x8-v0", "MiniGrid-Fetch-8x8-N3-v0"),
    *("MiniGrid-GoToDoor-6x6-v0", "MiniGrid-GoToObject-8x8-N2-v0", "MiniGrid-KeyCorridorS4R3-v0"),
    *("MiniGrid-LockedRoom-v0", "MiniGrid-MemoryS13Random-v0", "MiniGrid-MultiRoom-N4-S5-v1"),
    *("MiniGrid-ObstructedMaze-2Dlhb-v1", "MiniGrid-Playground-v0", "MiniGrid-PutNear-8x8-N3-v0"),
    *("MiniGrid-RedBlueDoors-6x6-v0", "MiniGrid-BlockedUnlockPickup-v0", "BabyAI-GoToLocal-v0"),
    *("BabyAI-PutNextS5N2Carrying-v0", "BabyAI-MiniBossLevel-v0"),
)
ID_CASES = tuple(Case(task.id) for task in FAMILY.envpool_tasks() if "WFC" not in task.id)
WFC_CASES = tuple(_wfc(preset) for preset in WFC_PRESETS)
MODE_CASES = tuple(
    Case(task_id, {"obs_mode": mode}, wrap=wrap, steps=100)
    for mode, wrap in _WRAPPERS.items()
    for task_id in OBSERVED
)
VIEW_CASES = tuple(
    Case(task_id, {"agent_view_size": size}, steps=200)
    for task_id in OBSERVED[1::3]
    for size in (3, 5, 9, 15)
)
FRAME_CASES = tuple(
    Case(task_id, frames=options, steps=40)
    for task_id in OBSERVED
    for options in (
        {},
        {"tile_size": 7},
        {"tile_size": 12, "highlight": False},
        {"tile_size": 16, "agent_pov": True},
    )
)
CASES = (*ID_CASES, *WFC_CASES, *VIEW_CASES, *MODE_CASES, *FRAME_CASES)
