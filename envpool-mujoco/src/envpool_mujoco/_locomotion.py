# SPDX-License-Identifier: Apache-2.0
"""The tasks of dm_control's locomotion, and their models, which dm_control composes.

dm_control composes and compiles a model for each episode. Here it is composed once, when a pool is
made; what differs between episodes is written into it in C++.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from envpool import Task

if TYPE_CHECKING:
    from types import ModuleType

DOMAIN = "locomotion"


class LocomotionTask(NamedTuple):
    """A task of dm_control's locomotion.

    Attributes:
        name: Of the function in `dm_control.locomotion.examples` that makes it.
        frame_skip: How many steps of the simulation an action lasts.
        fps: How many actions there are in a second.
        max_episode_steps: How many actions there are in its time limit.
        description: What is to be done, for people.
        compose: Returns the task of dm_control, whose model is not compiled yet.
    """

    name: str
    frame_skip: int
    fps: float
    max_episode_steps: int
    description: str
    compose: Callable[[], Any]

    @property
    def ids(self) -> tuple[str, str]:
        """Its id, and the other one that EnvPool 1.2.7 has for it."""
        words = "".join(word.capitalize() for word in self.name.split("_"))
        return f"Dmc{words}-v1", f"dm_control/{DOMAIN}/{self.name}"


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"dm_control.locomotion.{name}")


def _go_to_target() -> Any:
    walker = _module("walkers.cmu_humanoid").CMUHumanoidPositionControlled()
    return _module("tasks.go_to_target").GoToTarget(
        walker, _module("arenas.floors").Floor(), physics_timestep=0.005, control_timestep=0.03
    )


TASKS: Mapping[str, LocomotionTask] = {
    task.name: task
    for task in (
        LocomotionTask(
            "cmu_humanoid_go_to_target", 6, 1 / 0.03, 1001,  # 30 s, as sums round
            "Walk to a mark on the floor, with the body of the CMU humanoid.",
            _go_to_target,
        ),
    )
}  # fmt: skip
"""All of them, by name."""


def tasks(env: str, **common: Any) -> Iterator[Task]:
    """All of them, as EnvPool wants to know them.

    Args:
        env: The compiled environment, which is that of the suite.
        common: What they share with the tasks of the suite.
    """
    for task in TASKS.values():
        task_id, alias = task.ids
        yield Task(
            task_id,
            env,
            description=task.description,
            aliases=[alias],
            render_fps=task.fps,
            max_episode_steps=task.max_episode_steps,
            domain=DOMAIN,
            task_name=task.name,
            frame_skip=task.frame_skip,
            **common,
        )


@functools.cache
def compose(name: str) -> tuple[str, dict[str, bytes]]:
    """The text of a model, as of an episode, and the files that it names.

    Raises:
        ImportError: dm_control is not installed, or lacks what the task needs.
    """
    import numpy as np

    with warnings.catch_warnings():
        # It looks for a screen, which nothing here needs.
        warnings.simplefilter("ignore")
        task = TASKS[name].compose()
    # What an episode draws has other places than the origin, where MuJoCo would take a frame for
    # that of its body, also after it was moved.
    task.initialize_episode_mjcf(np.random.RandomState(1))
    root = task.root_entity.mjcf_model
    return root.to_xml_string(), root.get_assets()
