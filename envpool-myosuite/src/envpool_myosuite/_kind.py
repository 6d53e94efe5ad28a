# SPDX-License-Identifier: Apache-2.0
"""A task without its muscles' condition, and the meaning of all tasks' options."""

from __future__ import annotations

from typing import Any, NamedTuple

from envpool_mujoco import family

COMMON_DOCS = {
    "xml_file": "the model: a path in the installed myosuite, or one that begins with '.' or '/'",
    "frame_skip": "steps of the simulation that an action lasts",
    "frame_stack": "observations in one, the newest last",
    "muscle_condition": "'', 'sarcopenia': half the force, 'fatigue': muscles tire, "
    "'reafferentation': a tendon of the index finger moves the thumb",
    **family.OPTION_DOCS,
    **family.FIELD_DOCS,
}


class Kind(NamedTuple):
    """A task without its muscles' condition.

    Attributes:
        description: Its description.
        env: The environment's class.
        options: Options of the environment.
        steps: Maximum steps of an episode.
        milliseconds: Duration of a simulation step.
    """

    description: str
    env: str
    options: dict[str, Any]
    steps: int = 100
    milliseconds: float = 2
