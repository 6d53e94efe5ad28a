# SPDX-License-Identifier: Apache-2.0
"""What a family tells EnvPool: its tasks, and what `envpool doctor` is to report of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .errors import ConfigError, suggest

RENDER_FPS = 30
"""Pictures per second of a film of a task that does not say it: Gymnasium's own choice."""
ASSETS_FOR = ("pictures", "pools")


class Deprecation:
    """Says that a task will go away.

        Task("Walk-v0", ..., deprecated=Deprecation("2.0.0", use="Walk-v1", since="1.4.0"))

    Attributes:
        removed_in: The version of its wheel that will not have the task any more.
        use: The id to use in its place; empty if there is none.
        since: The version that said so first; empty if nobody needs to know.
    """

    def __init__(self, removed_in: str, use: str = "", since: str = "") -> None:
        """Keeps what the warning will say.

        Raises:
            ConfigError: If a version does not begin with a digit.
        """
        for name, version in {"removed_in": removed_in, "since": since}.items():
            if not re.match(r"\d", version or ("0" if name == "since" else "")):
                raise ConfigError(
                    f"Deprecation({name}={version!r})",
                    repr(version),
                    "a version of the wheel, as '2.0.0'",
                    "Say when the task goes" if name == "removed_in" else "Leave it out",
                )
        self.removed_in = removed_in
        self.use = use
        self.since = since

    def __str__(self) -> str:
        """The text of the warning."""
        since = f"outdated since version {self.since}, " if self.since else ""
        instead = f"; use {self.use!r} instead" if self.use else ""
        return f"{since}it will be removed in version {self.removed_in}{instead}"


class Task:
    """One task id of a family.

        Task("CartPole-v1", "envpool_classic._classic:CartPole", max_episode_steps=500,
             reward_threshold=475.0)

    Attributes:
        id: The id, as "CartPole-v1".
        env: `"module:Name"` of the compiled environment; imported when a pool is made.
        description: One sentence for people.
        config_docs: What options mean, by their names; `make_spec` refuses a name that is none.
        aliases: Further ids of the same task.
        assets: `"module:function"`, called with the options (a dict) once in a process, before the
            first pool of the task that needs it; may return options to set, as
            `{"base_path": ...}`. Empty if there is nothing to prepare.
        assets_for: Which pools need it: "pictures", those that may render or have pictures as
            observations, or "pools", all of them; then `make_spec` calls it too.
        pixels: `"module:Name"` of the compiled `FromPixels` of the environment, which the option
            `from_pixels=True` takes in its place; empty if there is none.
        deprecated: Set if the task will go away.
        render_fps: Steps per second in a film, so that it goes at the speed of the real thing.
        defaults: Options that differ from the environment's own defaults.
        pool_classes: `"module:Class"` by env type, where a class was written by hand.
    """

    def __init__(
        self,
        id: str,
        env: str,
        *,
        description: str = "",
        config_docs: Mapping[str, str] | None = None,
        aliases: Sequence[str] = (),
        assets: str | None = None,
        assets_for: str = "pictures",
        pixels: str = "",
        deprecated: Deprecation | None = None,
        render_fps: float = RENDER_FPS,
        pool_classes: Mapping[str, str] | None = None,
        **defaults: object,
    ) -> None:
        """Keeps all of it; nothing is imported.

        Raises:
            ConfigError: If an id is empty or no string, `env`, `assets` or `pixels` is no
                "module:Name", or `assets_for` is not one of the two words.
        """
        for name in (id, *aliases):
            if not isinstance(name, str) or not name or name != name.strip():
                raise ConfigError(f"Task(id={name!r})", repr(name), "a string", "Name the task")
        if assets_for not in ASSETS_FOR:
            raise ConfigError(
                f"Task({id!r}, assets_for={assets_for!r})",
                repr(assets_for),
                " or ".join(map(repr, ASSETS_FOR)),
                suggest(assets_for, ASSETS_FOR, "Pass one of the two"),
            )
        for path in (env, assets or "module:function", pixels or "module:Name"):
            module, colon, attribute = path.partition(":")
            if not (module and colon and attribute):
                raise ConfigError(
                    f"Task({id!r})",
                    repr(path),
                    "'module:Name'",
                    "Write the module and the name in it with a colon between them",
                )
        self.id = id
        self.env = env
        self.description = description
        self.config_docs = dict(config_docs or {})
        self.aliases = tuple(aliases)
        self.assets = assets or ""
        self.assets_for = assets_for
        self.pixels = pixels
        self.deprecated = deprecated
        self.render_fps = render_fps
        self.pool_classes = dict(pool_classes or {})
        self.defaults = defaults

    @property
    def names(self) -> tuple[str, ...]:
        """The id and the aliases."""
        return (self.id, *self.aliases)

    def __repr__(self) -> str:
        """The call that makes this task, without the texts for people."""
        defaults = "".join(f", {key}={value!r}" for key, value in self.defaults.items())
        return f"Task({self.id!r}, {self.env!r}{defaults})"


OK, MISSING, WARNING, PROBLEM = STATUSES = ("ok", "missing", "warning", "problem")


class Finding(NamedTuple):
    """One line of the report.

        Finding("maps", "8 of 8, in /usr/share/walk")
        Finding("maps", "none", "problem", "run `pip install walk-maps`")

    Attributes:
        name: What was looked at.
        detail: What was found.
        status: "ok"; "missing", what not everybody needs; "warning", what works in part; "problem",
            which makes the exit status of the program 1.
        fix: What to do about it; may be empty.
    """

    name: str
    detail: str
    status: str = OK
    fix: str = ""
