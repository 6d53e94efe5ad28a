# SPDX-License-Identifier: Apache-2.0
"""All tasks of this wheel: classic control, toy text, and two small games."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Keys, Task

__all__ = ["tasks"]

_MODULE = "envpool_classic._classic"
_REWARD_THRESHOLD = {"reward_threshold": "mean return at which the task counts as solved"}
_GOAL_VELOCITY = {"goal_velocity": "the least velocity at the goal that ends the episode"}
_STEPS_PER_SECOND = 4  # for tasks without a clock, as in Gymnasium


def tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _classic_control()
    yield from _grids()
    yield from _games()


def _classic_control() -> Iterator[Task]:
    for version, steps, threshold in (("v0", 200, 195.0), ("v1", 500, 475.0)):
        yield Task(
            f"CartPole-{version}",
            f"{_MODULE}:CartPole",
            keys=Keys({"left": 0, "right": 1}),
            description="Balance a pole on a cart by pushing the cart left or right.",
            config_docs={
                **_REWARD_THRESHOLD,
                "sutton_barto_reward": "0 for a step and -1 for the last, in place of 1 for each",
            },
            aliases=(f"phys2d/CartPole-{version}",),
            render_fps=50,
            max_episode_steps=steps,
            reward_threshold=threshold,
        )
    yield Task(
        "MountainCar-v0",
        f"{_MODULE}:MountainCar",
        keys=Keys({"": 1, "left": 0, "right": 2}),
        description="Swing a weak car out of a valley.",
        config_docs={**_REWARD_THRESHOLD, **_GOAL_VELOCITY},
        max_episode_steps=200,
    )
    yield Task(
        "MountainCarContinuous-v0",
        f"{_MODULE}:MountainCarContinuous",
        description="Swing a weak car out of a valley, paying for the force.",
        config_docs={**_REWARD_THRESHOLD, **_GOAL_VELOCITY},
        max_episode_steps=999,
    )
    for number, aliases in ((0, ("phys2d/Pendulum-v0",)), (1, ())):
        yield Task(
            f"Pendulum-v{number}",
            f"{_MODULE}:Pendulum",
            description="Swing a rod up and hold it there with a limited torque.",
            config_docs={
                "version": "0: the angle moves with the speed before its limit is applied, as in "
                "OpenAI Gym before 0.21; 1: with the limited speed",
                "g": "gravity, m/s^2",
            },
            aliases=aliases,
            max_episode_steps=200,
            version=number,
        )
    yield Task(
        "Acrobot-v1",
        f"{_MODULE}:Acrobot",
        keys=Keys({"": 1, "left": 0, "right": 2}),
        description="Swing two links up with a motor at the joint between them.",
        config_docs=_REWARD_THRESHOLD,
        render_fps=15,
        max_episode_steps=500,
    )


def _grids() -> Iterator[Task]:
    for task_id, size, steps, threshold in (
        ("FrozenLake-v1", 4, 100, 0.7),
        ("FrozenLake8x8-v1", 8, 200, 0.85),
    ):
        yield Task(
            task_id,
            f"{_MODULE}:FrozenLake",
            keys=Keys({"left": 0, "down": 1, "right": 2, "up": 3}),
            description=f"Cross slippery ice to the goal, past the holes ({size} x {size} cells).",
            config_docs={
                **_REWARD_THRESHOLD,
                "size": "cells per side of the map, 4 or 8, without map_name and desc",
                "map_name": "'4x4' or '8x8'",
                "desc": "a map of one's own: rows of S (start), F (frozen), H (hole), G (goal)",
                "is_slippery": "whether a move may go to either side instead",
                "success_rate": "probability that a move on slippery ice goes where it should",
                "reward_schedule": "rewards of the goal, of a hole, of frozen ice",
            },
            render_fps=_STEPS_PER_SECOND,
            max_episode_steps=steps,
            reward_threshold=threshold,
            size=size,
        )
    for task_id, aliases, slippery in (
        ("CliffWalking-v0", ("tabular/CliffWalking-v0",), False),
        ("CliffWalking-v1", (), False),
        ("CliffWalkingSlippery-v1", (), True),
    ):
        yield Task(
            task_id,
            f"{_MODULE}:CliffWalking",
            keys=Keys({"up": 0, "right": 1, "down": 2, "left": 3}),
            description="Walk along a cliff to the goal"
            + (", on slippery ground." if slippery else "."),
            config_docs={"is_slippery": "whether a move may go to either side instead"},
            aliases=aliases,
            render_fps=_STEPS_PER_SECOND,
            is_slippery=slippery,
        )
    yield Task(
        "Taxi-v3",
        f"{_MODULE}:Taxi",
        keys=Keys({"down": 0, "up": 1, "right": 2, "left": 3, "p": 4, "d": 5}),
        description="Fetch a passenger at one of four stands and bring it to another.",
        config_docs=_REWARD_THRESHOLD,
        render_fps=_STEPS_PER_SECOND,
        max_episode_steps=200,
    )
    yield Task(
        "Taxi-v4",
        f"{_MODULE}:TaxiV4",
        keys=Keys({"down": 0, "up": 1, "right": 2, "left": 3, "p": 4, "d": 5}),
        description="Fetch a passenger at one of four stands and bring it to another, in rain too.",
        config_docs={
            **_REWARD_THRESHOLD,
            "is_rainy": "whether a move may drift to the taxi's left or right",
            "fickle_passenger": "whether a passenger may change the destination on the first move",
            "rainy_probability": "probability that a move in the rain goes where it should",
            "fickle_probability": "probability that the passenger of an episode is fickle",
        },
        render_fps=_STEPS_PER_SECOND,
        max_episode_steps=200,
    )


def _games() -> Iterator[Task]:
    yield Task(
        "Blackjack-v1",
        f"{_MODULE}:Blackjack",
        keys=Keys({"s": 0, "h": 1}),
        description="Draw cards up to 21, against a dealer who draws to 17.",
        config_docs={
            "natural": "whether winning with an ace and a ten pays 1.5; without effect under sab",
            "sab": "the rules of Sutton and Barto: an ace and a ten beat all but another such pair",
        },
        aliases=("tabular/Blackjack-v0",),
        render_fps=_STEPS_PER_SECOND,
        tuple_choices=(32, 11, 2),
        natural=False,
        sab=True,
    )
    yield Task(
        "Catch-v0",
        f"{_MODULE}:Catch",
        keys=Keys({"": 1, "left": 0, "right": 2}),
        description="Move a paddle under a falling ball.",
        config_docs={"height": "rows of the board, 2 or more", "width": "columns of the board"},
        render_fps=_STEPS_PER_SECOND,
        height=10,
        width=5,
    )
    yield Task(
        "NChain-v0",
        f"{_MODULE}:NChain",
        description="Walk a chain of five states to its far end, or go back for a small reward.",
        render_fps=_STEPS_PER_SECOND,
        max_episode_steps=1000,
    )
