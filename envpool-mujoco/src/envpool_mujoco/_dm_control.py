# SPDX-License-Identifier: Apache-2.0
"""The tasks of dm_control's suite and locomotion, and their models, which are in its wheel."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from envpool import Finding, Prepared, Task

from . import _locomotion, family

if TYPE_CHECKING:
    from types import ModuleType

ENV = "envpool_mujoco._mujoco:DmControl"
INSTALL = 'pip install "envpool-mujoco[dmc]"'


class SuiteTask(NamedTuple):
    """A task of the suite.

    Attributes:
        id: Its id here, which EnvPool 1.2.5 has as well.
        domain: Its domain in the suite.
        task: Its name there.
        frame_skip: Number of simulation steps per action.
        fps: Number of actions per second.
        description: The goal, for people.
    """

    id: str
    domain: str
    task: str
    frame_skip: int
    fps: float
    description: str


def _tasks() -> Iterator[SuiteTask]:
    # Domain, its name in ids, frame_skip, actions per second; then its tasks.
    suite: tuple[tuple[str, str, int, float, dict[str, str]], ...] = (
        (
            "acrobot", "Acrobot", 1, 100,
            {
                "swingup": "Swing two links up with a motor at the elbow.",
                "swingup_sparse": "The same, rewarded at the target only.",
            },
        ),
        ("ball_in_cup", "BallInCup", 10, 50, {"catch": "Catch a ball on a string with a cup."}),
        (
            "cartpole", "Cartpole", 1, 100,
            {
                "balance": "Balance a pole on a cart.",
                "balance_sparse": "The same, rewarded near the middle only.",
                "swingup": "Swing a pole up that hangs from a cart.",
                "swingup_sparse": "The same, rewarded near the middle only.",
                "two_poles": "Swing two poles up, one on top of the other.",
                "three_poles": "Swing three poles up, one on top of the other.",
            },
        ),
        ("cheetah", "Cheetah", 1, 100, {"run": "Run forward on two legs, in a plane."}),
        (
            "dog", "Dog", 3, 200 / 3,
            {
                "stand": "Stand on four legs.",
                "walk": "Walk forward on four legs.",
                "trot": "Trot forward on four legs.",
                "run": "Run forward on four legs.",
                "fetch": "Fetch a ball.",
            },
        ),
        (
            "finger", "Finger", 2, 50,
            {
                "spin": "Spin a body on a hinge with a finger.",
                "turn_easy": "Turn a body on a hinge to a large target.",
                "turn_hard": "Turn a body on a hinge to a small target.",
            },
        ),
        (
            "fish", "Fish", 10, 25,
            {"upright": "Keep upright in water.", "swim": "Swim to a target."},
        ),
        (
            "hopper", "Hopper", 4, 50,
            {"stand": "Stand on one leg, in a plane.", "hop": "Hop forward, in a plane."},
        ),
        (
            "humanoid", "Humanoid", 5, 40,
            {
                "stand": "Stand up and keep standing.",
                "walk": "Walk in any direction.",
                "run": "Run in any direction.",
                "run_pure_state": "The same, seen as positions and velocities.",
            },
        ),
        (
            "humanoid_CMU", "HumanoidCMU", 10, 50,
            {
                "stand": "Stand up and keep standing, with the body of the CMU humanoid.",
                "walk": "Walk in any direction, with the body of the CMU humanoid.",
                "run": "Run in any direction, with the body of the CMU humanoid.",
            },
        ),
        (
            "lqr", "Lqr", 1, 100 / 3,
            {
                "lqr_2_1": "Bring two springs to rest with one motor.",
                "lqr_6_2": "Bring six springs to rest with two motors.",
            },
        ),
        (
            "manipulator", "Manipulator", 10, 100,
            {
                "bring_ball": "Bring a ball to a target with an arm.",
                "bring_peg": "Bring a peg to a target with an arm.",
                "insert_ball": "Bring a ball into a cup with an arm.",
                "insert_peg": "Bring a peg into a slot with an arm.",
            },
        ),
        ("pendulum", "Pendulum", 1, 50, {"swingup": "Swing a pole up with a weak motor."}),
        (
            "point_mass", "PointMass", 1, 50,
            {
                "easy": "Push a mass to a target.",
                "hard": "The same with motors that pull in random directions.",
            },
        ),
        (
            "quadruped", "Quadruped", 4, 50,
            {
                "walk": "Walk forward on four legs.",
                "run": "Run forward on four legs.",
                "escape": "Climb out of a bowl on four legs.",
                "fetch": "Bring a ball to a target.",
            },
        ),
        (
            "reacher", "Reacher", 1, 50,
            {
                "easy": "Reach a large target with an arm, in a plane.",
                "hard": "Reach a small target with an arm, in a plane.",
            },
        ),
        (
            "stacker", "Stacker", 10, 100,
            {
                "stack_2": "Stack two boxes with an arm.",
                "stack_4": "Stack four boxes with an arm.",
            },
        ),
        (
            "swimmer", "Swimmer", 15, 100 / 3,
            {
                "swimmer6": "Swim to a target with six links, in a plane.",
                "swimmer15": "Swim to a target with fifteen links, in a plane.",
            },
        ),
        (
            "walker", "Walker", 10, 40,
            {
                "stand": "Stand on two legs, in a plane.",
                "walk": "Walk forward on two legs, in a plane.",
                "run": "Run forward on two legs, in a plane.",
            },
        ),
    )  # fmt: skip
    for domain, name, frame_skip, fps, tasks in suite:
        for task, description in tasks.items():
            words = "".join(word.capitalize() for word in task.split("_"))
            yield SuiteTask(f"{name}{words}-v1", domain, task, frame_skip, fps, description)


TASKS: Mapping[str, SuiteTask] = {task.id: task for task in _tasks()}
"""All suite tasks, by id."""

CONFIG_DOCS = {
    **family.OPTION_DOCS,
    **family.FIELD_DOCS,
    "domain": "The domain of the suite, or locomotion.",
    "task_name": "The task of that domain.",
    "model": "A key of a model; what the task needs if it is left out.",
    "frame_skip": "How many steps of the simulation an action lasts.",
    "frame_stack": "How many observations are shown at once, the newest last.",
}


def tasks() -> Iterator[Task]:
    """All tasks of dm_control, as EnvPool's Task."""
    common: dict[str, Any] = {"config_docs": CONFIG_DOCS, "options": family.OPTIONS}
    yield from _locomotion.tasks(ENV, **common)
    for task in TASKS.values():
        yield Task(
            task.id,
            ENV,
            description=task.description,
            **common,
            render_fps=task.fps,
            max_episode_steps=1000,
            domain=task.domain,
            task_name=task.task,
            frame_skip=task.frame_skip,
        )


def prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Adds the model of a task to the options.

    Raises:
        ConfigError: dm_control has no such domain or task.
        MissingPackageError: dm_control is not installed.
    """
    if options.get("model"):
        return Prepared(task.env, options)
    domain = str(options.get("domain") or task.defaults["domain"])
    name = str(options.get("task_name") or task.defaults["task_name"])
    known = {(one.domain, one.task) for one in TASKS.values()}
    known |= {(_locomotion.DOMAIN, one) for one in _locomotion.TASKS}
    _check(task, "domain", domain, {one for one, _ in known})
    _check(task, "task_name", name, {one for its, one in known if its == domain})
    with _loading:
        return Prepared(task.env, {**options, "model": _model(domain, name)})


def finding() -> Finding:
    """Reports whether the models exist."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("dm_control")
    except PackageNotFoundError:
        return Finding(
            "models of dm_control", "none, for its 51 tasks", "missing", f"run `{INSTALL}`"
        )
    return Finding("models of dm_control", f"those of dm_control {found}")


def _check(task: Task, option: str, value: str, known: Collection[str]) -> None:
    from envpool.errors import ConfigError, suggest

    if value not in known:
        raise ConfigError(
            f"make({task.id!r}, {option}={value!r})",
            repr(value),
            ", ".join(sorted(known)),
            suggest(value, known, "Leave the option out"),
        )


_loading = threading.Lock()


@functools.cache
def _model(domain: str, task: str) -> str:
    """The key of the model of a task."""
    from . import _mujoco

    xml, files = _make(domain, task)
    # Most tasks of a domain have the same model, which then has the same key.
    return _mujoco.add_model(f"dm_control's {domain}", xml, files)


def _make(domain: str, task: str) -> tuple[str | bytes, dict[str, str | bytes]]:
    """The text of a task's model, and the files that it names."""
    from envpool.errors import MissingPackageError

    try:
        if domain == _locomotion.DOMAIN:
            xml, files = _locomotion.compose(task)
            return xml, dict(files)
        if task in _POLES:
            return _cart_with_poles(_POLES[task])
        generate = _GENERATORS.get(domain)
        if generate is None:
            return _read(domain)
        with warnings.catch_warnings():
            # It looks for a display, which is not needed.
            warnings.simplefilter("ignore")
            module = importlib.import_module(f"dm_control.suite.{domain}")
    except (ImportError, FileNotFoundError) as error:
        raise MissingPackageError(
            f"make() of a task of dm_control's domain {domain!r}",
            str(error),
            "dm_control 1.0.50 or newer, whose wheel has the models",
            f"Run `{INSTALL}`",
        ) from error
    xml, files = generate(module, task)
    return xml, dict(files)


def _read(domain: str) -> tuple[bytes, dict[str, str | bytes]]:
    """The result of `get_model_and_assets` of most domains: unchanged files.

    They are read without importing dm_control: the import takes half a second and more, and makes
    MuJoCo read the time during each step: a tenth of a step of a small model, or a third of a step
    without contacts.

    Raises:
        ModuleNotFoundError: dm_control is not installed.
        FileNotFoundError: The installed dm_control lacks one of the files.
    """
    spec = importlib.util.find_spec("dm_control")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'dm_control'")
    folder = Path(spec.submodule_search_locations[0]) / "suite"
    common = ("./common/materials.xml", "./common/skybox.xml", "./common/visual.xml")
    return (folder / f"{domain}.xml").read_bytes(), {
        name: (folder / name).read_bytes() for name in common
    }


_POLES = {"two_poles": 2, "three_poles": 3}


def _cart_with_poles(count: int) -> tuple[bytes, dict[str, str | bytes]]:
    """The result of `get_model_and_assets` of the module cartpole.

    Each pole stands on the pole before. The floor is lower by the length that they may hang down,
    and the cameras stand further back.
    """
    from xml.etree import ElementTree as ET

    text, files = _read("cartpole")
    model = ET.fromstring(text)
    (world,) = model.iterfind("worldbody")
    (pole,) = world.iterfind("body/body")
    for number in range(2, count + 1):
        pole = ET.SubElement(pole, "body", name=f"pole_{number}", pos="0 0 1", childclass="pole")
        ET.SubElement(pole, "joint", name=f"hinge_{number}")
        ET.SubElement(pole, "geom", name=f"pole_{number}")
    places = {
        "geom[@name='floor']": f"0 0 {1 - count - 0.05}",
        "camera[@name='fixed']": f"0 {-1 - 2 * count} 1",
        "camera[@name='lookatcart']": f"0 {-2 * count} 2",
    }
    for path, place in places.items():
        (item,) = world.iterfind(path)
        item.set("pos", place)
    return ET.tostring(model), files


def _dog(module: ModuleType, task: str) -> Any:
    # The floor is as long as the distance of an episode.
    speed = {"stand": 1, "walk": 1, "trot": 3, "run": 9}.get(task)
    if speed is None:
        return module.get_model_and_assets(remove_ball=False)
    return module.get_model_and_assets(speed * 15)


def _lqr(module: ModuleType, task: str) -> Any:
    import numpy as np

    # Any springs: each environment draws its own springs.
    bodies, motors = (int(number) for number in task.split("_")[1:])
    return module.get_model_and_assets(bodies, motors, random=np.random.RandomState(0))


def _manipulator(module: ModuleType, task: str) -> Any:
    return module.make_model(use_peg=task.endswith("peg"), insert=task.startswith("insert"))


def _quadruped(module: ModuleType, task: str) -> Any:
    arguments: dict[str, dict[str, Any]] = {
        "walk": {"floor_size": 20 * 0.5},
        "run": {"floor_size": 20 * 5},
        "escape": {"floor_size": 40, "terrain": True, "rangefinders": True},
        "fetch": {"walls_and_ball": True},
    }
    return module.make_model(**arguments[task]), module.common.ASSETS


def _stacker(module: ModuleType, task: str) -> Any:
    return module.make_model(n_boxes=int(task.removeprefix("stack_")))


def _swimmer(module: ModuleType, task: str) -> Any:
    return module.get_model_and_assets(int(task.removeprefix("swimmer")))


# Domains whose modules generate the models, with the arguments for each task.
_GENERATORS: Mapping[str, Callable[[ModuleType, str], Any]] = {
    "dog": _dog,
    "lqr": _lqr,
    "manipulator": _manipulator,
    "quadruped": _quadruped,
    "stacker": _stacker,
    "swimmer": _swimmer,
}
