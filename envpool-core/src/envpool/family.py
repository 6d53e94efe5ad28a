# SPDX-License-Identifier: Apache-2.0
"""The types of a family's answers: tasks, prepared options, findings for `envpool doctor`.

`envpool._discovery.hooks` says in which functions a family uses these words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import ConfigError

if TYPE_CHECKING:
    from .typing import CompiledEnv

RENDER_FPS = 30
"""Frames per second of a video of a task that does not say it: Gymnasium's own choice."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Deprecation:
    """Says that a task will go away.

        Task("Walk-v0", ..., deprecated=Deprecation("2.0.0", use="Walk-v1", since="1.4.0"))

    Attributes:
        removed_in: The version of its wheel that will not have the task any more.
        use: The id to use in its place; empty if there is none.
        since: The version that first had the warning; empty: the warning does not name it.
    """

    def __init__(self, removed_in: str, use: str = "", since: str = "") -> None:
        """Keeps the parts of the warning.

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


class Keys(NamedTuple):
    """The action of each key in `envpool play`, if actions are a choice.

        Keys({"left": 0, "right": 1})

    Attributes:
        actions: Actions by key: "up", "down", "left", "right", "space", "enter", or a character,
            with or without "alt+" before it; "" is the action while no key is pressed. If "" is
            missing, the task waits for a key.
        options: Options that these actions need; with `{"render_mode": "ansi"}` a terminal shows
            the task as text.
    """

    actions: Mapping[str, int]
    options: Mapping[str, object] = _NOTHING


class Task:
    """One task id of a family.

        Task("CartPole-v1", "envpool_classic._classic:CartPole", max_episode_steps=500,
             reward_threshold=475.0)

    Attributes:
        id: The id, as "CartPole-v1".
        env: `"module:Name"` of the compiled environment; imported when a pool is made.
        description: One sentence for people.
        config_docs: The meaning of options, by name; `make_spec` refuses a name that is no option.
        aliases: Further ids of the same task.
        options: Options of the family beside the environment's own, with their defaults, as
            `{"from_pixels": False}`. They are shown and checked as the environment's are, and
            `envpool_prepare` reads them. The environment gets those that it defines, too.
        fixed: Options of the environment that are not options of the task, because
            `envpool_prepare` computes them, as the cells of a map, or because the task never reads
            them, as the object of a task without one: `make` refuses them.
        deprecated: Set if the task will go away.
        render_fps: Steps per second in a video, so that it goes at the speed of the real thing.
        keys: The action of each key in `envpool play`; without it, digits are actions.
        tuple_choices: Set if the observation is a vector of choices here and a tuple of them in
            Gymnasium: how many values each has. `env_type="vector"` gives the tuple.
        infinite: Options that may be infinite, as bounds without an end; all other options are
            finite, except those whose default is infinite.
        texts: Arrays of the observation that are texts, bytes with zeros after them, by name, and
            the letters in each. `env_type="vector"` returns tuples of strings.
        defaults: Options that differ from the environment's own defaults, or from `options`.
    """

    def __init__(
        self,
        id: str,
        env: str,
        *,
        description: str = "",
        config_docs: Mapping[str, str] | None = None,
        aliases: Sequence[str] = (),
        options: Mapping[str, object] | None = None,
        fixed: Sequence[str] = (),
        deprecated: Deprecation | None = None,
        render_fps: float = RENDER_FPS,
        keys: Keys | None = None,
        tuple_choices: Sequence[int] = (),
        infinite: Sequence[str] = (),
        texts: Mapping[str, str] | None = None,
        **defaults: object,
    ) -> None:
        """Keeps all arguments; imports nothing.

        Raises:
            ConfigError: If an id is empty or no string, or `env` is no "module:Name".
        """
        for name in (id, *aliases):
            if not isinstance(name, str) or not name or name != name.strip():
                raise ConfigError(f"Task(id={name!r})", repr(name), "a string", "Name the task")
        module, _, attribute = env.partition(":")
        if not (module and attribute):
            raise ConfigError(
                f"Task({id!r})",
                repr(env),
                "'module:Name'",
                "Write the module and the name in it with a colon between them",
            )
        self.id = id
        self.env = env
        self.description = description
        self.config_docs = dict(config_docs or {})
        self.aliases = tuple(aliases)
        self.options = dict(options or {})
        self.fixed = tuple(fixed)
        self.deprecated = deprecated
        self.render_fps = render_fps
        self.keys = keys
        self.tuple_choices = tuple(tuple_choices)
        self.infinite = tuple(infinite)
        self.texts = dict(texts or {})
        self.defaults = defaults

    @property
    def names(self) -> tuple[str, ...]:
        """The id and the aliases."""
        return (self.id, *self.aliases)

    def __repr__(self) -> str:
        """The call that makes this task, without the texts for people."""
        defaults = "".join(f", {key}={value!r}" for key, value in self.defaults.items())
        return f"Task({self.id!r}, {self.env!r}{defaults})"


class Prepared(NamedTuple):
    """The answer of `envpool_prepare`: the environment to build, and its options.

        Prepared("envpool_walk._walk:Walk", {"base_path": str(MAPS), **options})

    Attributes:
        env: `"module:Name"` of a compiled environment, or that environment itself.
        options: They replace the user's options. The defaults of the task and of the environment
            count for missing ones.
        notes: Additional lines of `envpool info`, by short titles: `{"maps": "8"}`.
        pools: By env type, a class of pools of the family's own, or its `"module:Name"`. For tasks
            that were registered with classes; other families have no need of it.
        methods: Additional functions of the pool, by name, as {"compute_reward": reward}; they
            are called with the arguments of the call alone.
        mixin: A class whose methods the pool gets as its own.
    """

    env: str | CompiledEnv
    options: Mapping[str, object]
    notes: Mapping[str, str] = _NOTHING
    pools: Mapping[str, str | type[Any]] = _NOTHING
    methods: Mapping[str, Callable[..., Any]] = _NOTHING
    mixin: type[Any] | None = None


Prepare = Callable[[Task, Mapping[str, object], bool], Prepared | None]
"""A function like the hook `envpool_prepare`: of the task, the options, and `build`."""


OK, MISSING, WARNING, PROBLEM = STATUSES = ("ok", "missing", "warning", "problem")


class Finding(NamedTuple):
    """A line of `envpool doctor`'s report.

        Finding("maps", "8 of 8, in /usr/share/walk")
        Finding("maps", "none", "problem", "run `pip install walk-maps`")

    Attributes:
        name: The subject of the check.
        detail: The result of the check.
        status: "ok"; "missing": an optional part is missing; "warning": a part works partly;
            "problem": a part does not work, and the exit status of the program is 1.
        fix: The remedy; may be empty.
    """

    name: str
    detail: str
    status: str = OK
    fix: str = ""
