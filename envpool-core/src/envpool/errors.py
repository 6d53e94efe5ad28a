# SPDX-License-Identifier: Apache-2.0
"""All errors that EnvPool raises: one tree, so that `except EnvPoolError` catches each of them.

    EnvPoolError
    ├── ConfigError         ValueError, TypeError   an option of `make`, `reset` or `render`
    ├── MissingPackageError ImportError             an optional package that is not installed
    ├── UnknownTaskError    LookupError             a task id that no installed family has
    ├── PluginError         ImportError             a family that cannot be used
    ├── ActionError         ValueError, TypeError   an action of a wrong shape, type or value
    ├── EnvIdError          ValueError              an environment that the pool does not have
    ├── StateError          RuntimeError            a call that is not possible now
    │   └── RecvTimeoutError    TimeoutError        `recv(timeout=...)` ran out of time
    ├── WorkerError         RuntimeError            an environment that failed in Reset or Step
    ├── RenderError         RuntimeError            a frame that cannot be drawn, shown or written
    └── SavedStateError     ValueError              a saved state that cannot be made or loaded

Every message has the call, the wrong value, the allowed values and a hint. The compiled families
raise these classes too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = [
    "ActionError",
    "ConfigError",
    "EnvIdError",
    "EnvPoolError",
    "MissingPackageError",
    "PluginError",
    "RecvTimeoutError",
    "RenderError",
    "SavedStateError",
    "StateError",
    "UnknownTaskError",
    "WorkerError",
]


class EnvPoolError(Exception):
    """The base of all errors that EnvPool raises on purpose.

    Attributes:
        asked: The user's call, as `make('CartPole-v1', num_envs=...)`.
        got: The wrong value.
        allowed: The values that are allowed.
        hint: The next step, an imperative sentence without its full stop.
    """

    def __init__(self, asked: str, got: str = "", allowed: str = "", hint: str = "") -> None:
        """Words a message from its four parts; `asked` alone is the whole message."""
        super().__init__(*((asked, got, allowed, hint) if got else (asked,)))
        self.asked, self.got, self.allowed, self.hint = asked, got, allowed, hint

    def __str__(self) -> str:
        """The message."""
        if not self.got:
            return self.asked
        return f"{self.asked}: got {self.got}; allowed: {self.allowed}. {self.hint}."


class ConfigError(EnvPoolError, ValueError, TypeError):
    """An option that does not exist, has a wrong type or lies outside of its range.

    Attributes:
        option: The option that the environment refused; empty if several are involved.
        choices: The values that it allows, where those are names.
    """

    option: str = ""
    choices: Sequence[str] = ()


class MissingPackageError(EnvPoolError, ImportError):
    """An optional package that is not installed."""


class UnknownTaskError(EnvPoolError, LookupError):
    """No installed family has a task of this id.

    Attributes:
        failures: The errors of families that may have it.
    """

    def __init__(
        self,
        asked: str,
        got: str = "",
        allowed: str = "",
        hint: str = "",
        *,
        failures: Sequence[PluginError] = (),
    ) -> None:
        """Keeps the message, and the families that could not be asked."""
        super().__init__(asked, got, allowed, hint)
        self.failures = tuple(failures)

    def __str__(self) -> str:
        """The message, and a line for each family that could not be asked."""
        lines = (f"Not available: {failure}" for failure in self.failures)
        return "\n".join([super().__str__(), *lines])


class PluginError(EnvPoolError, ImportError):
    """A family that cannot be imported, is broken, or does not fit this envpool-core.

    Attributes:
        plugin: Name of the family, as in its entry point; empty if unknown.
        wheel: Name of the distribution that provides it; empty if unknown.
        version: Version of that distribution; empty if unknown.
    """

    def __init__(
        self,
        asked: str,
        got: str = "",
        allowed: str = "",
        hint: str = "",
        *,
        plugin: str = "",
        wheel: str = "",
        version: str = "",
    ) -> None:
        """Keeps the message and the plugin's name and wheel."""
        super().__init__(asked, got, allowed, hint)
        self.plugin, self.wheel, self.version = plugin, wheel, version


class ActionError(EnvPoolError, ValueError, TypeError):
    """An action of a wrong shape, dtype or value; nothing was sent to any environment."""


class EnvIdError(EnvPoolError, ValueError):
    """An environment id that is out of range, given twice, or of an environment in flight."""


class StateError(EnvPoolError, RuntimeError):
    """A call that the pool cannot serve now: it is closed, or no result is in flight."""


class RecvTimeoutError(StateError, TimeoutError):
    """`recv(timeout=...)` ran out of time; no result is lost, call `recv` again."""


class WorkerError(EnvPoolError, RuntimeError):
    """One or more environments raised an exception in their constructor, Reset or Step.

    Attributes:
        task_id: The task of the pool.
        env_id: The first environment that failed, or -1.
        failures: A pair `(env_id, text)` for every environment that failed.
    """

    def __init__(
        self,
        asked: str,
        got: str = "",
        allowed: str = "",
        hint: str = "",
        *,
        task_id: str = "",
        env_id: int = -1,
        failures: Sequence[tuple[int, str]] = (),
    ) -> None:
        """Keeps the message and the failed environments."""
        super().__init__(asked, got, allowed, hint)
        self.task_id, self.env_id, self.failures = task_id, env_id, list(failures)


class RenderError(EnvPoolError, RuntimeError):
    """A frame that cannot be drawn, or not be shown or written on this machine."""


class SavedStateError(EnvPoolError, ValueError):
    """A state that cannot be saved, or bytes that are not a saved state of this task."""


_LONGEST_NAME = 200  # comparing longer texts takes seconds, and no name is as long


def nearest(name: object, names: Iterable[str], least: float = 0.6) -> str | None:
    """The most similar of `names` to `name`, or None.

    Case, punctuation, versions and the part before a slash do not count, but decide between names
    that are equal without them. A name is also similar to its own leading words, as
    "PongNoFrameskip-v4" is by "Pong-v5".

    Args:
        name: The given name.
        names: The known names.
        least: The least similarity of names, from 0 to 1; for `difflib`.
    """
    import difflib  # 4 ms to import, and needed only after an error

    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return None
    space, own, version = _parts(name)

    def likeness(candidate: str) -> tuple[bool, bool, bool, str]:
        its_space, _, its_version = _parts(candidate)
        return its_space == space, not its_space, its_version == version, candidate

    known = {_plain(_parts(found)[1]): found for found in sorted(names, key=likeness)}

    def close(cutoff: float) -> list[str]:
        return difflib.get_close_matches(_plain(own), known, 1, cutoff)

    words = [_plain(own[: end.start()]) for end in re.finditer(r"(?=[A-Z\W_])", own)]
    found = close(0.75) or [start for start in words if start in known][-1:] or close(least)
    return known[found[0]] if found else None


def _parts(name: str) -> tuple[str, str, str]:
    """The part before the slash, the name itself, its version: "ale", "Pong", "-v5"."""
    space, _, rest = name.rpartition("/")
    found = re.search(r"-[vV]\d+$", rest)
    own, version = (rest[: found.start()], found[0]) if found else (rest, "")
    return space.casefold(), own, version.casefold()


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())


def suggest(name: object, names: Iterable[str], otherwise: str) -> str:
    """`Did you mean ...?` as the last part of a message, or `otherwise`."""
    near = nearest(name, names)
    return otherwise if near is None else f"Did you mean {near!r}? If not, {lower_first(otherwise)}"


def lower_first(text: str) -> str:
    """`text` as the continuation of a sentence."""
    return text[:1].lower() + text[1:]


def shorten(value: object, limit: int = 80) -> str:
    """`repr(value)`, cut in the middle when it is long, for use inside a message."""
    try:
        text = repr(value)
    except Exception:  # an int of thousands of digits, or an object of a user's class
        text = f"{type(value).__name__} object that has no text"
    half = (limit - 5) // 2
    return text if len(text) <= limit else f"{text[:half]} ... {text[-half:]}"
