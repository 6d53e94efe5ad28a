# SPDX-License-Identifier: Apache-2.0
"""Case: the task under test, and what the checks need again and again."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._pools.make import make, make_spec
from ..errors import ConfigError, EnvPoolError
from ._actions import ActionPlan
from ._rollout import Actor, Rollout

if TYPE_CHECKING:
    from .._pools.base import EnvPoolMixin
    from .._specs.spec import EnvSpec

# What the checks choose themselves.
_OWN_OPTIONS = (
    *("num_envs", "batch_size", "num_threads", "seed", "env_seed", "autoreset_mode"),
    *("render_mode", "render_env_id"),
)


@dataclasses.dataclass(frozen=True)
class Case:
    """A task under test.

    Attributes:
        task_id: The task.
        config: Options of it that differ from the defaults.
        num_envs: Environments in each pool, 2 or more. Fewer make the checks faster.
        steps: Steps of a long rollout; short ones take a few. Enough to see an episode's end.
        seed: The seed of most pools.
        deterministic: Says that the task draws nothing, so that the seed changes nothing.
    """

    task_id: str
    config: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    num_envs: int = 4
    steps: int = 64
    seed: int = 3
    deterministic: bool = False

    def __post_init__(self) -> None:
        """Refuses what the checks cannot work with.

        Raises:
            ConfigError: If there are too few environments or steps, or an option is the kit's own.
        """
        for name, value, least in (("num_envs", self.num_envs, 2), ("steps", self.steps, 4)):
            if value < least:
                raise ConfigError(
                    f"check of {self.task_id!r} with {name}={value}",
                    str(value),
                    f"{least} or more",
                    f"Pass a larger {name}",
                )
        for key in self.config:
            if key in _OWN_OPTIONS:
                raise ConfigError(
                    f"check of {self.task_id!r} with {key}={self.config[key]!r}",
                    "an option that the checks choose",
                    f"all options but {', '.join(_OWN_OPTIONS)}",
                    "Leave it out",
                )

    def __str__(self) -> str:
        """The task and the options that are not the default."""
        options = ", ".join(f"{key}={value!r}" for key, value in self.config.items())
        return f"{self.task_id} ({options})" if options else self.task_id

    def make(self, env_type: str = "gymnasium", **config: Any) -> Any:
        """A new pool of the task, of any flavour; to be used in a `with` block, which closes it."""
        own = {"num_envs": self.num_envs, "seed": self.seed}
        return make(self.task_id, env_type, **{**self.config, **own, **config})

    @functools.cached_property
    def spec(self) -> EnvSpec:
        """The spec of the pools that `make` returns."""
        return make_spec(self.task_id, **self.config, num_envs=self.num_envs, seed=self.seed)

    @functools.cached_property
    def plan(self) -> ActionPlan:
        """What every environment does in every rollout."""
        return ActionPlan(self.spec, self.steps, self.seed)

    @functools.cached_property
    def reference(self) -> Rollout:
        """The long rollout of a synchronous pool, which others have to equal."""
        with self.make() as pool:
            return self.actor(pool).run(self.steps)

    def actor(self, pool: EnvPoolMixin) -> Actor:
        """A driver of a pool that follows the plan."""
        return Actor(pool, self.plan)

    def require(self, condition: object, problem: str, advice: str) -> None:
        """Raises AssertionError with a problem, and where to look for its cause, if not met."""
        if not condition:
            raise AssertionError(f"{self}: {problem}. {advice}.")

    def require_same(self, found: str | None, what: str, advice: str) -> None:
        """Raises AssertionError if `difference` found one."""
        self.require(found is None, f"{what}: {found}", advice)

    def require_error(
        self, error: type[EnvPoolError], call: str, function: Callable[[], Any], *mentions: object
    ) -> None:
        """Requires that a wrong use raises an error that helps.

        Args:
            error: The class it has to be of.
            call: The wrong use in words.
            function: Does it.
            *mentions: What the message has to contain, as the value that was wrong.

        Raises:
            AssertionError: If there is no error, another one, or one whose message does not say
                what was asked, what was got, what is allowed and what to do next.
        """
        try:
            function()
        except error as raised:
            message = str(raised)
        except Exception as raised:
            raise AssertionError(
                f"{self}: {call} raised {type(raised).__name__} ({raised}) and not "
                f"{error.__name__}. Raise the class that envpool.errors has for it."
            ) from raised
        else:
            raise AssertionError(
                f"{self}: {call} raised nothing. It must be refused with {error.__name__}, before "
                "anything is done."
            )
        self.require(
            re.match(r".+: got .+; allowed: .+\. .+\.", message, re.DOTALL),
            f"the message of {call} lacks a part: {message!r}",
            "A message says what was asked, what was got, what is allowed and what to do next",
        )
        for mention in map(str, mentions):
            self.require(
                mention in message,
                f"the message of {call} does not mention {mention!r}: {message!r}",
                "A message names what was wrong with its value",
            )
