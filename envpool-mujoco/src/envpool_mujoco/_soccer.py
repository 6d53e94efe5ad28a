# SPDX-License-Identifier: Apache-2.0
"""Soccer of dm_control's locomotion, whose models dm_control composes: two teams on a pitch."""

from __future__ import annotations

import functools
import importlib
import threading
import warnings
from collections.abc import Iterator, Mapping

from envpool import Prepared, Task
from envpool.errors import MissingPackageError

from . import _dm_control, family

ENV = "envpool_mujoco._mujoco:Soccer"
KINDS = {"boxhead": "box heads, which roll, steer and kick", "ant": "ants"}
"""The kinds of players, and their descriptions."""
MOST_PLAYERS = 11
"""The most players that a team may have."""
CONFIG_DOCS = {
    **{name: text for name, text in family.OPTION_DOCS.items() if name != "from_pixels"},
    **family.FIELD_DOCS,
    "walker": "The body of all players: boxhead or ant.",
    "team_size": "How many players a team has, 1 to 11.",
    "model": "A key of a model; what the task needs if it is left out.",
    "frame_skip": "How many steps of the simulation an action lasts.",
}


def tasks() -> Iterator[Task]:
    """A task for each kind of players."""
    for kind, text in KINDS.items():
        yield Task(
            f"DmcSoccer{kind.capitalize()}-v1",
            ENV,
            description=f"Two teams of {text}, on a pitch of another size in each episode.",
            aliases=[f"dm_control/locomotion/soccer_{kind}"],
            config_docs=CONFIG_DOCS,
            render_fps=40,
            max_episode_steps=1800,
            max_num_players=4,
            walker=kind,
            frame_skip=5,
        )


def prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Adds the model of so many players to the options, and their number.

    Raises:
        MissingPackageError: dm_control is not installed, or lacks parts that soccer needs.
    """
    given = dict(options)
    kind = given.get("walker", task.defaults["walker"])
    size = given.get("team_size", 2)
    # The environment refuses all other values.
    if kind in KINDS and isinstance(size, int) and 1 <= size <= MOST_PLAYERS:
        given.setdefault("max_num_players", 2 * size)
        if not given.get("model"):
            with _loading:
                given["model"] = _model(str(kind), int(size))
    return Prepared(task.env, given)


_loading = threading.Lock()


@functools.cache
def _model(kind: str, team_size: int) -> str:
    """The key of a model."""
    from . import _mujoco

    try:
        with warnings.catch_warnings():
            # dm_control looks for a screen, which nothing here needs.
            warnings.simplefilter("ignore")
            soccer = importlib.import_module("dm_control.locomotion.soccer")
            pitch = importlib.import_module("dm_control.locomotion.soccer.pitch")
            players = soccer._make_players(team_size, soccer.WalkerType[kind.upper()])
            arena = pitch.RandomizedPitch(min_size=(32, 24), max_size=(48, 36))
            root = soccer.Task(players=players, arena=arena).root_entity.mjcf_model
    except (ImportError, AttributeError) as error:  # another dm_control has other functions
        raise MissingPackageError(
            "make() of dm_control's soccer",
            str(error),
            "dm_control 1.0.50 or newer, labmaze and Pillow",
            f"Run `{_dm_control.INSTALL}`",
        ) from error
    return _mujoco.add_model("dm_control's soccer", root.to_xml_string(), root.get_assets())
