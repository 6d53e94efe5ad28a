# SPDX-License-Identifier: Apache-2.0
"""The ids of Meta-World's tasks and benchmarks, what they are, and what their options mean."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Task
from envpool_mujoco import family

from ._benchmarks import BENCHMARKS, MT50

ENV = "envpool_metaworld._metaworld:Sawyer"

_DOCS = {
    "task_names": "tasks of the pool, as 'reach-v3': environment i has number i of them, and "
    "begins again with the first after the last",
    "one_hot": "whether the number of the task is part of the observation, as zeros and a one",
    "goals": "'random': new places at each reset; 'mt1': one of the fifty of the environment's "
    "seed; 'ml1-test': of the next seed; 'single': always the same",
    "partially_observable": "whether zeros are observed in place of the goal",
    "terminate_on_success": "whether a success ends the episode",
    "frame_skip": "steps of the simulation that an action lasts",
    "frame_stack": "observations in one, the newest last",
    "camera_name": "the camera of frames, as 'corner', 'corner2', 'corner3', 'corner4', 'topview', "
    "'behindGripper', 'gripperPOV'; none: MuJoCo's free camera",
    **family.OPTION_DOCS,
    **family.FIELD_DOCS,
}

DESCRIPTIONS = {
    "assembly-v3": "Put the ring of a wrench on a peg.",
    "basketball-v3": "Drop a ball into a basket.",
    "bin-picking-v3": "Carry a puck from one bin to another.",
    "box-close-v3": "Put the lid on a box.",
    "button-press-topdown-v3": "Press a button from above.",
    "button-press-topdown-wall-v3": "Press a button from above, over a wall.",
    "button-press-v3": "Press a button from the front.",
    "button-press-wall-v3": "Press a button from the front, over a wall.",
    "coffee-button-v3": "Press the button of a coffee machine.",
    "coffee-pull-v3": "Pull a mug away from a coffee machine.",
    "coffee-push-v3": "Push a mug under a coffee machine.",
    "dial-turn-v3": "Turn a dial by half a turn.",
    "disassemble-v3": "Lift the ring of a wrench off a peg.",
    "door-close-v3": "Close a door.",
    "door-lock-v3": "Turn a lock until the door is locked.",
    "door-open-v3": "Open a door.",
    "door-unlock-v3": "Turn a lock until the door is unlocked.",
    "drawer-close-v3": "Push a drawer shut.",
    "drawer-open-v3": "Pull a drawer open.",
    "faucet-close-v3": "Turn a tap clockwise.",
    "faucet-open-v3": "Turn a tap anticlockwise.",
    "hammer-v3": "Drive a nail into a box with a hammer.",
    "hand-insert-v3": "Bring the gripper into a hole.",
    "handle-press-side-v3": "Press a handle down, beside the arm.",
    "handle-press-v3": "Press a handle down.",
    "handle-pull-side-v3": "Pull a handle up, beside the arm.",
    "handle-pull-v3": "Pull a handle up.",
    "lever-pull-v3": "Lift a lever by a quarter turn.",
    "peg-insert-side-v3": "Put a peg into a hole from the side.",
    "peg-unplug-side-v3": "Pull a peg out of a hole.",
    "pick-out-of-hole-v3": "Carry a puck out of a hole.",
    "pick-place-v3": "Carry a puck to a goal.",
    "pick-place-wall-v3": "Carry a puck over a wall to a goal.",
    "plate-slide-back-side-v3": "Slide a plate out of a cabinet, sideways.",
    "plate-slide-back-v3": "Slide a plate out of a cabinet.",
    "plate-slide-side-v3": "Slide a plate into a cabinet, sideways.",
    "plate-slide-v3": "Slide a plate into a cabinet.",
    "push-back-v3": "Pull a puck back to a goal.",
    "push-v3": "Push a puck to a goal.",
    "push-wall-v3": "Push a puck around a wall to a goal.",
    "reach-v3": "Bring the gripper to a goal.",
    "reach-wall-v3": "Bring the gripper around a wall to a goal.",
    "shelf-place-v3": "Put a puck on a shelf.",
    "soccer-v3": "Kick a ball into a goal.",
    "stick-pull-v3": "Pull a box with a stick through its handle.",
    "stick-push-v3": "Push a box with a stick.",
    "sweep-into-v3": "Sweep a puck into a hole.",
    "sweep-v3": "Sweep a puck off the table.",
    "window-close-v3": "Push a window shut.",
    "window-open-v3": "Push a window open.",
}


def task_id(name: str) -> str:
    """EnvPool's id of a task, as MetaWorld/PickPlace-v3 of pick-place-v3."""
    words, version = name.rsplit("-", 1)
    return f"MetaWorld/{words.title().replace('-', '')}-{version}"


_NAMES = {task_id(name): name for name in MT50}


def reference_name(name: str) -> str:
    """The reference's name of what may be an id of ours."""
    return _NAMES.get(name, name.removeprefix("MetaWorld/"))


def tasks() -> Iterator[Task]:
    """Fifty tasks, each with the reference's name as a second id, and the benchmarks."""
    for name in MT50:
        yield Task(
            task_id(name),
            ENV,
            description=DESCRIPTIONS[name],
            aliases=(f"MetaWorld/{name}",),
            options=family.OPTIONS,
            config_docs=_DOCS,
            render_fps=80,
            max_episode_steps=500,
            reward_threshold=10.0,
            task_names=[name],
        )
    for benchmark, names in BENCHMARKS.items():
        tells = benchmark.startswith("MT")
        yield Task(
            f"MetaWorld/{benchmark}",
            ENV,
            description=f"The {len(names)} tasks of {benchmark.replace('-', ', ')}, one in each "
            "environment in turn.",
            options=family.OPTIONS,
            config_docs=_DOCS,
            render_fps=80,
            max_episode_steps=500,
            num_envs=len(names),
            task_names=list(names),
            goals="mt1",
            one_hot=tells,
            partially_observable=not tells,
        )
