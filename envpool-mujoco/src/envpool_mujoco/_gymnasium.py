# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's MuJoCo tasks: their ids, the meaning of their options, and their models' files."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from envpool import Finding, Prepared, Task
from envpool.errors import ConfigError, MissingPackageError

from . import family
from ._plugins import load_plugins

__all__ = ["assets", "finding", "prepare", "tasks"]

_NOTHING: Mapping[str, object] = MappingProxyType({})
_INSTALL = 'pip install "gymnasium>=1.0"'
# All other tasks have the same models from Gymnasium 0.29 to 1.4, byte for byte or as compiled by
# MuJoCo: their episodes were compared.
_NOT_BEFORE_1 = ("Pusher-v5", "Swimmer-v3", "Swimmer-v4", "Swimmer-v5", "Walker2d-v5")


class _Robot(NamedTuple):
    """The shared properties of one robot's tasks."""

    description: str
    old: int  # EnvPool's version before 4
    rate: float  # actions per second, with the default frame_skip
    threshold: float | None = None
    steps: int = 1000
    old_model: str = ""  # model of versions before 5, if it differs
    oldest: Mapping[str, object] = _NOTHING  # options of the version before 4
    # EnvPool 1.2.5 has two options for each range.
    ranges: Mapping[str, tuple[float, float]] = MappingProxyType({})


_ROBOTS = {
    "Ant": _Robot(
        "Walk forward on four legs.",
        3,
        20,
        6000.0,
        oldest={"use_contact_forces": True},
        ranges={"healthy_z": (0.2, 1.0), "contact_force": (-1.0, 1.0)},
    ),
    "HalfCheetah": _Robot("Run forward on two legs, in a plane.", 3, 20, 4800.0),
    "Hopper": _Robot(
        "Hop forward on one leg, in a plane.",
        3,
        125,
        3800.0,
        ranges={"healthy_state": (-100.0, 100.0), "healthy_angle": (-0.2, 0.2)},
    ),
    "Humanoid": _Robot("Walk forward on two legs.", 3, 1 / 0.015, ranges={"healthy_z": (1.0, 2.0)}),
    "HumanoidStandup": _Robot("Get up from lying on the back.", 2, 1 / 0.015),
    "InvertedDoublePendulum": _Robot(
        "Balance two poles, one on the other, on a cart.", 2, 20, 9100.0
    ),
    "InvertedPendulum": _Robot("Balance a pole on a cart.", 2, 25, 950.0),
    "Pusher": _Robot("Push a cylinder to a goal with an arm.", 2, 20, 0.0, 100, "pusher.xml"),
    "Reacher": _Robot("Reach a random point with an arm of two links.", 2, 50, -3.75, 50),
    "Swimmer": _Robot("Swim forward with three links, in a plane.", 3, 25, 360.0),
    "Walker2d": _Robot(
        "Walk forward on two legs, in a plane.",
        3,
        125,
        old_model="walker2d.xml",
        ranges={"healthy_z": (0.8, 2.0), "healthy_angle": (-1.0, 1.0)},
    ),
}
_OPTION_DOCS = {
    "xml_file": "the model: a name of Gymnasium's, or a path that begins with '.', '~' or '/'",
    "frame_skip": "steps of the simulation that an action lasts",
    "frame_stack": "observations in one, the newest last",
    "version": "whose rules: that of the task id",
    "default_camera_config": "Gymnasium's: distance, azimuth, elevation and lookat of the free "
    "camera; {}: the task's own",
    "camera_name": "a camera of the model by its name, in place of render_camera_id; '': none",
    "max_geom": "how many geoms a frame shows at most, decoration among them",
    "visual_options": "{flag: bool} of MuJoCo's mjtVisFlag: what frames show beside bodies",
    "post_constraint": "whether forces on bodies are computed, as Gymnasium does",
    "forward_reward_weight": "reward for a metre per second forward",
    "ctrl_cost_weight": "cost of the squared controls",
    "contact_cost_weight": "cost of the squared forces on bodies",
    "contact_cost_range": "smallest and largest cost of contacts",
    "contact_force_range": "forces on bodies are clipped to this range",
    "healthy_reward": "reward for each step in which the robot is healthy",
    "terminate_when_unhealthy": "whether an episode ends when the robot is not healthy",
    "healthy_z_range": "heights of a healthy robot, in metres",
    "healthy_state_range": "range of positions and velocities of a healthy robot",
    "healthy_angle_range": "angles of a healthy robot, in rad",
    "main_body": "the body whose way counts: its number or name",
    "reset_noise_scale": "size of the noise at the start of an episode",
    "exclude_current_positions_from_observation": "whether the place in the world is left out",
    "include_cfrc_ext_in_observation": "whether forces on bodies are observed",
    "include_cinert_in_observation": "whether masses and inertias of bodies are observed",
    "include_cvel_in_observation": "whether velocities of bodies are observed",
    "include_qfrc_actuator_in_observation": "whether forces of actuators are observed",
    "use_contact_forces": "version 4: whether forces on bodies are observed and cost",
    "uph_cost_weight": "as in Gymnasium: has no effect",
    "impact_cost_weight": "cost of the squared forces on bodies",
    "impact_cost_range": "smallest and largest cost of impacts",
    "reward_near_weight": "cost of the distance between arm and object",
    "reward_dist_weight": "cost of the distance to the goal",
    "reward_control_weight": "cost of the squared controls",
    "reward_threshold": "mean return at which the task counts as solved",
}
_COMMON = (
    "xml_file",
    "frame_skip",
    "frame_stack",
    "version",
    "post_constraint",
    "default_camera_config",
    "camera_name",
    "max_geom",
    "visual_options",
)
# Gymnasium's arguments that have another name in every pool.
_POOL_NAMES = {
    "width": "render_width",
    "height": "render_height",
    "camera_id": "render_camera_id",
}
_PLACE = "exclude_current_positions_from_observation"
_GOES = ("forward_reward_weight", "ctrl_cost_weight", "reset_noise_scale", _PLACE)
_STANDS = ("healthy_reward", "terminate_when_unhealthy", "healthy_z_range")
_BODY = tuple(
    f"include_{part}_in_observation" for part in ("cinert", "cvel", "qfrc_actuator", "cfrc_ext")
)
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "Ant": (
        *_GOES,
        *_STANDS,
        "contact_cost_weight",
        "main_body",
        "contact_force_range",
        "include_cfrc_ext_in_observation",
        "use_contact_forces",
    ),
    "HalfCheetah": _GOES,
    "Hopper": (*_GOES, *_STANDS, "healthy_state_range", "healthy_angle_range"),
    "Humanoid": (*_GOES, *_STANDS, *_BODY, "contact_cost_weight", "contact_cost_range"),
    "HumanoidStandup": (
        "ctrl_cost_weight",
        "reset_noise_scale",
        _PLACE,
        *_BODY,
        "uph_cost_weight",
        "impact_cost_weight",
        "impact_cost_range",
    ),
    "InvertedDoublePendulum": ("healthy_reward", "reset_noise_scale"),
    "InvertedPendulum": ("reset_noise_scale",),
    "Pusher": ("reward_near_weight", "reward_dist_weight", "reward_control_weight"),
    "Reacher": ("reward_dist_weight", "reward_control_weight"),
    "Swimmer": _GOES,
    "Walker2d": (*_GOES, *_STANDS, "healthy_angle_range"),
}


def tasks() -> Iterator[Task]:
    """Eleven robots in three versions each."""
    for name, robot in _ROBOTS.items():
        ends = [f"{part}_{end}" for part in robot.ranges for end in ("min", "max")]
        docs = {key: _OPTION_DOCS[key] for key in (*_COMMON, *_OPTIONS[name])}
        docs |= family.OPTION_DOCS | family.FIELD_DOCS
        docs |= {own: f"Gymnasium's name for {pool}" for own, pool in _POOL_NAMES.items()}
        docs |= {end: f"EnvPool's name for one end of {end[:-4]}_range" for end in ends}
        if robot.threshold is not None:
            docs["reward_threshold"] = _OPTION_DOCS["reward_threshold"]
        for version in (robot.old, 4, 5):
            # Humanoid's version 4 has no cost of contacts.
            fixed = (
                ("contact_cost_weight", "contact_cost_range")
                if (name, version) == ("Humanoid", 4)
                else ()
            )
            yield Task(
                f"{name}-v{version}",
                f"envpool_mujoco._mujoco:{name}",
                description=robot.description,
                config_docs={key: text for key, text in docs.items() if key not in fixed},
                options={**family.OPTIONS, **dict.fromkeys((*ends, *_POOL_NAMES))},
                infinite=[f"{part}_range" for part in robot.ranges],
                fixed=fixed,
                render_fps=robot.rate,
                max_episode_steps=robot.steps,
                **_defaults(robot, version),
            )


def _defaults(robot: _Robot, version: int) -> dict[str, Any]:
    defaults: dict[str, Any] = {"version": version}
    if version < 4:
        defaults |= {"post_constraint": False, **robot.oldest}
    if version < 5 and robot.old_model:
        defaults["xml_file"] = robot.old_model
    if robot.threshold is not None:
        defaults["reward_threshold"] = robot.threshold
    return defaults


def _robot(task: Task) -> str:
    return task.env.rpartition(":")[2]


def assets() -> Path:
    """The folder of Gymnasium's models.

    Raises:
        MissingPackageError: If Gymnasium is not installed, or has no models.
    """
    return family.assets_of("gymnasium", "envs/mujoco/assets", _INSTALL)


def finding() -> Finding:
    """Reports whether the models of all tasks exist."""
    try:
        folder = assets()
    except MissingPackageError as error:
        return Finding("models of Gymnasium", error.got, "problem", error.hint)
    detail = f"{len([*folder.glob('*.xml')])}, in {folder}"
    if (found := metadata.version("gymnasium")).startswith("0."):
        text = f"{detail}; those of {', '.join(_NOT_BEFORE_1)} are not in {found}, or for MuJoCo 2"
        return Finding("models of Gymnasium", text, "warning", f"run `{_INSTALL}`")
    return Finding("models of Gymnasium", detail)


def _check_model(task: Task) -> None:
    """Raises MissingPackageError if the installed Gymnasium has no model of a task."""
    if task.id in _NOT_BEFORE_1 and (found := metadata.version("gymnasium")).startswith("0."):
        raise MissingPackageError(
            f"make({task.id!r})",
            f"gymnasium {found}, which has no model of it, or one for MuJoCo 2",
            "gymnasium 1.0 or newer, whose wheel has the model, or a file of yours as xml_file",
            f"Run `{_INSTALL}`",
        )


def prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Finds the model, and joins the ends of ranges."""
    given = dict(options)
    for part, whole in _ROBOTS[_robot(task)].ranges.items():
        ends = [given.pop(f"{part}_{end}", None) for end in ("min", "max")]
        if ends == [None, None]:
            continue
        if f"{part}_range" in given:
            raise ConfigError(
                f"make({task.id!r}, {part}_range=..., {part}_min=...)",
                "a range and one of its ends",
                f"{part}_range, or {part}_min and {part}_max",
                "Leave one of them out",
            )
        given[f"{part}_range"] = [
            default if end is None else end for end, default in zip(ends, whole, strict=True)
        ]
    for own, pool in _POOL_NAMES.items():
        value = given.pop(own, None)
        if value is None:
            continue
        if given.get(pool) is not None:
            raise ConfigError(
                f"make({task.id!r}, {own}=..., {pool}=...)",
                f"{value!r} and {given[pool]!r}",
                f"{own}, as Gymnasium calls it, or {pool}",
                "Leave one of them out",
            )
        given[pool] = value
    if "main_body" in given:
        given["main_body"] = str(given["main_body"])
    if isinstance(file := given.get("xml_file"), str | os.PathLike):
        load_plugins()
        # Path would drop the "./" that makes a name a path.
        given["xml_file"] = os.path.expanduser(os.fspath(file))  # noqa: PTH111
    camera = given.get("default_camera_config")
    if isinstance(camera, Mapping):
        given["default_camera_config"] = {
            str(name): np.atleast_1d(value).tolist() for name, value in camera.items()
        }
    if given.get("camera_name") and given.get("render_camera_id") not in (None, -1):
        raise ConfigError(
            f"make({task.id!r}, camera_name=..., render_camera_id=...)",
            f"{given['camera_name']!r} and {given['render_camera_id']!r}",
            "the name of a camera, or its number",
            "Leave one of them out",
        )
    flags = given.get("visual_options")
    if isinstance(flags, Mapping):  # keys may be members of mujoco.mjtVisFlag
        given["visual_options"] = {
            operator.index(flag) if hasattr(flag, "__index__") else flag: value
            for flag, value in flags.items()
        }
    if not given.get("base_path"):
        given["base_path"] = str(assets())
        if not given.get("xml_file"):
            _check_model(task)
    return Prepared(task.env, given)
