# SPDX-License-Identifier: Apache-2.0
"""MyoSuite's motions for hands with objects, and their conversion to options."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from envpool import Task
from envpool.errors import ConfigError
from envpool.files import check_file

FOLDER = "envs/myo/myodm/data"
# pip keeps an installed package of that version, unless it is forced.
_INSTALL_AGAIN = "pip install --no-deps --force-reinstall myosuite==2.12.2"

# Objects, and their files of motions: MyoHand_<object>_<motion>.npz.
OBJECTS = {
    "airplane": "fly1 lift pass1",
    "alarmclock": "lift pass1 see1",
    "apple": "lift pass1",
    "banana": "pass1",
    "binoculars": "pass1",
    "bowl": "drink2 pass1",
    "camera": "pass1",
    "coffeemug": "",
    "cubelarge": "pass1",
    "cubemedium": "inspect1",
    "cubesmall": "lift pass1",
    "cup": "drink1 pass1 pour1",
    "cylinderlarge": "inspect1",
    "cylindermedium": "lift pass1",
    "cylindersmall": "inspect1 pass1",
    "duck": "inspect1 lift pass1",
    "elephant": "lift pass1",
    "eyeglasses": "pass1",
    "flashlight": "lift on1 on2 pass1",
    "flute": "pass1",
    "gamecontroller": "pass1",
    "hammer": "pass1 use1",
    "hand": "inspect1",
    "headphones": "pass1",
    "knife": "chop1",
    "lightbulb": "pass1",
    "mouse": "lift pass1 use1",
    "mug": "drink3 lift pass1",
    "phone": "lift",
    "piggybank": "pass1 use1",
    "pyramidlarge": "pass1",
    "pyramidmedium": "pass1",
    "pyramidsmall": "inspect1",
    "scissors": "use1",
    "spherelarge": "pass1",
    "spheremedium": "inspect1 lift",
    "spheresmall": "inspect1 lift pass1",
    "stamp": "lift stamp1",
    "stanfordbunny": "inspect1 pass1",
    "stapler": "lift staple1 staple2",
    "teapot": "pour2",
    "toothbrush": "brush1 lift",
    "toothpaste": "lift squeeze1",
    "toruslarge": "inspect1 lift",
    "torusmedium": "lift pass1",
    "torussmall": "lift pass1",
    "train": "play1",
    "watch": "lift pass1",
    "waterbottle": "lift pass1 shake1",
    "wineglass": "drink2 lift pass1 toast1",
}
# Exceptions: other ids have the two words and, if it is not 1, the number.
_NAMES = {
    "cubemedium_inspect1": "CubemediumLInspect",
    "flashlight_on1": "Flashlight1On",
    "flashlight_on2": "Flashlight2On",
    "stapler_staple1": "StaplerStaple1",
    "toothbrush_brush1": "ToothbrushBrush1",
    "toothpaste_squeeze1": "ToothpasteSqueeze1",
    "wineglass_toast1": "WineglassToast1",
}
# The reference uses another object for this id.
_OTHER_OBJECTS = {"piggybank_pass1": "wineglass"}
_UNREADABLE = (
    *(OSError, ValueError, AttributeError, TypeError),
    *(EOFError, BadZipFile, zlib.error),  # of an empty and of a damaged file
)
_JOINTS = 29  # of the hand and its arm


def motions() -> Iterator[tuple[str, str, str]]:
    """The name in an id, the object, and the file, of each recorded motion."""
    for thing, words in OBJECTS.items():
        for word in words.split():
            key = f"{thing}_{word}"
            name = _NAMES.get(key, thing.title() + word.removesuffix("1").title())
            yield name, _OTHER_OBJECTS.get(key, thing), f"{FOLDER}/MyoHand_{key}.npz"


_REST, _PLACE = [0.0] * _JOINTS, [0.1, 1.0, 0.0]  # of the hand, and of an object without x, y
WORDS: dict[str, dict[str, Any]] = {
    "fixed": {
        "robot": [_REST],
        "robot_vel": [_REST],
        "object": [[0.2, 0.2, *_PLACE, 0.0, 0.1]],
        "object_init": [-0.2, -0.2, *_PLACE, 0.0, 0.0],
    },
    "random": {
        "robot": [_REST, _REST],
        "robot_vel": [_REST, _REST],
        "object": [[-0.2, -0.2, *_PLACE, 0.0, -1.0], [0.2, 0.2, *_PLACE, 0.0, 1.0]],
        "object_init": [0.0, 0.0, *_PLACE, 0.0, 0.0],
    },
}
"""References without a file: a fixed goal, and a goal that is drawn for each step."""

_OPTIONS = {
    "time": "reference_time",
    "robot": "reference_robot",
    "robot_vel": "reference_robot_vel",
    "object": "reference_object",
    "robot_init": "robot_init",
    "object_init": "object_init",
}


def prepare(task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the compiled environment, with `reference` as lists of numbers.

    Raises:
        ConfigError: If `reference` is neither a file with a motion nor a dict of arrays.
    """
    given = dict(options)
    asked = given.pop("reference", None)
    own = task.defaults["reference"]
    asked = own if asked is None else asked
    call = f"make({task.id!r}, reference=...)"
    if isinstance(asked, str) and asked in WORDS:
        asked = WORDS[asked]
    if isinstance(asked, Mapping):
        arrays = asked
    else:
        hint = "Correct the path"
        if isinstance(asked, str) and asked == own:
            hint = f"Install MyoSuite's package again: `{_INSTALL_AGAIN}`"
        arrays = _read(call, asked, str(given["base_path"]), hint)
    if unknown := [key for key in arrays if key not in _OPTIONS]:
        raise ConfigError(call, repr(unknown[0]), ", ".join(_OPTIONS), "Leave it out")
    lists: dict[str, Any] = {}
    for key, values in arrays.items():
        try:
            lists[_OPTIONS[key]] = np.asarray(values, np.float64).ravel().tolist()
        except (TypeError, ValueError) as error:
            raise ConfigError(
                call, f"{key}={values!r}", "rows of numbers of the same length", "Make them alike"
            ) from error
    return {**lists, **given}


def _read(call: str, asked: object, folder: str, hint: str) -> dict[str, Any]:
    allowed = "a file that numpy.savez wrote, a dict of arrays, 'fixed' or 'random'"
    if not isinstance(asked, str | os.PathLike):
        raise ConfigError(call, repr(asked), allowed, "Pass a path or a dict")
    name = os.path.expanduser(os.fspath(asked))  # noqa: PTH111 (it drops the "./")
    path = Path(name) if name.startswith((".", "/")) else Path(folder, name)
    check_file(call, path)
    try:
        # Opened here: np.load leaves a file open if it is a damaged archive.
        with path.open("rb") as stream, np.load(stream) as file:
            return {key: file[key] for key in file.files}
    except _UNREADABLE as error:
        raise ConfigError(call, f"{path}: {error}", allowed, hint) from error
