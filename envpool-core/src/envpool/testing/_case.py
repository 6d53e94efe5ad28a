# SPDX-License-Identifier: Apache-2.0
"""Case: the tested task, and helpers of several checks."""

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

# Options that the checks choose themselves.
_OWN_OPTIONS = (
    *("num_envs", "batch_size", "num_threads", "seed", "env_seed", "autoreset_mode"),
    *("render_mode", "render_env_id"),
)


@dataclasses.dataclass(frozen=True)
class Case:
    """A task under test.

    Attributes:
        task_id: The task.
        config: Its options that differ from the defaults.
        num_envs: Environments in each pool, 2 or more. Fewer make the checks faster.
        steps: Steps of a long rollout; short rollouts take a few. Enough for an episode to end.
        seed: The seed of most pools.
        deterministic: Whether the task draws nothing, so that the seed changes nothing.
    """

    task_id: str
    config: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    num_envs: int = 4
    steps: int = 64
    seed: int = 3
    deterministic: bool = False

    def __post_init__(self) -> None:
        """Refuses values with which the checks cannot work.

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
        """A new pool of the task, of any env type; use it in a `with` block, which closes it."""
        own = {"num_envs": self.num_envs, "seed": self.seed}
        return make(self.task_id, env_type, **{**self.config, **own, **config})

    @functools.cached_property
    def spec(self) -> EnvSpec:
        """The spec of the pools that `make` returns."""
        return make_spec(self.task_id, **self.config, num_envs=self.num_envs, seed=self.seed)

    @functools.cached_property
    def plan(self) -> ActionPlan:
        """The actions of every environment in every rollout."""
        return ActionPlan(self.spec, self.steps, self.seed)

    @functools.cached_property
    def reference(self) -> Rollout:
        """The long rollout of a synchronous pool, to which other rollouts are compared."""
        with self.make() as pool:
            return self.actor(pool).run(self.steps)

    def actor(self, pool: EnvPoolMixin) -> Actor:
        """A driver of a pool that follows the plan."""
        return Actor(pool, self.plan)

    def require(self, condition: object, problem: str, advice: str) -> None:
        """Raises AssertionError with a problem, and the likely place of its cause, if not met."""
        if not condition:
            raise AssertionError(f"{self}: {problem}. {advice}.")

    def require_same(self, found: str | None, what: str, advice: str) -> None:
        """Raises AssertionError if `difference` found a difference."""
        self.require(found is None, f"{what}: {found}", advice)

    def require_error(
        self, error: type[EnvPoolError], call: str, function: Callable[[], Any], *mentions: object
    ) -> None:
        """Requires that a wrong call raises a helpful error.

        Args:
            error: The class that the error must have.
            call: The wrong call in words.
            function: Makes the call.
            *mentions: Texts that the message must contain, as the wrong value.

        Raises:
            AssertionError: If there is no error, an error of another class, or an error whose
                message lacks the call, the wrong value, the allowed values or the hint.
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
