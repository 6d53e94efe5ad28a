# SPDX-License-Identifier: Apache-2.0
"""A program that prints the descriptions of MiniHack's levels as JSON, by ids.

    python _level_texts.py .../site-packages/minihack

The package's classes pass these texts to their base class. Neither nle nor Gymnasium is imported,
since the package requires certain versions of them: stand-ins replace them, and a stand-in for the
base class records its arguments and plays nothing.
lowest class is given is noted instead of played.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any


class _Anything:
    """Has any attribute, and no elements: a stand-in for keys of actions, which are not used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def __getitem__(self, name: str) -> Any:
        return self

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Any:
        return iter(())


class _Recorded(Exception):  # noqa: N818
    """Carries the description out of the classes above."""


class _MiniHack:
    """A stand-in for the package's base class."""

    def __init__(self, *args: Any, des_file: str | None = None, **kwargs: Any) -> None:
        raise _Recorded(des_file)


def _stand_in(name: str, **attributes: Any) -> None:
    module = types.ModuleType(name)
    module.__getattr__ = lambda attribute: _Anything().__getattr__(attribute)  # type: ignore[method-assign]
    module.__path__ = []
    vars(module).update(attributes)
    sys.modules[name] = module


def main() -> None:
    """Makes each class of the package that has its own level, and records its description."""
    package = Path(sys.argv[1])
    ids: dict[str, tuple[str, dict[str, Any]]] = {}

    def register(id: str, entry_point: str, kwargs: dict[str, Any] | None = None, **_: Any) -> None:
        ids[id] = (entry_point, kwargs or {})

    anything = _Anything()
    registration = types.SimpleNamespace(register=register, registry=ids)
    _stand_in("gymnasium", __version__="1")
    _stand_in("gymnasium.envs", registration=registration)
    _stand_in("gymnasium.envs.registration", register=register, registry=ids)
    for name in ("nle", "nle.env", "nle.env.base", "nle.env.tasks"):
        _stand_in(name)
    for name in ("nle.nethack", "nle.nethack.nethack", "nle.nethack.actions"):
        _stand_in(name, Command=anything, CompassDirection=anything, TERMINAL_SHAPE=(24, 80))
    # A folder without such files; none is opened before a level is requested.
    _stand_in("pkg_resources", resource_filename=lambda *names: str(package))
    _stand_in("minihack", MiniHack=_MiniHack)
    sys.modules["minihack"].__path__ = [str(package)]
    _stand_in("minihack.base", MiniHack=_MiniHack, MH_DEFAULT_OBS_KEYS=[])
    _stand_in("minihack.tiles")
    for module, name in (
        ("level_generator", "LevelGenerator"),
        ("reward_manager", "RewardManager"),
        ("navigation", "MiniHackNavigation"),
        ("skills", "MiniHackSkill"),
    ):
        found = importlib.import_module(f"minihack.{module}")
        vars(sys.modules["minihack"])[name] = getattr(found, name)
    for file in sorted((package / "envs").glob("[a-z]*.py")):
        importlib.import_module(f"minihack.envs.{file.stem}")

    texts = {}
    for id, (entry_point, kwargs) in ids.items():
        module, _, name = entry_point.partition(":")
        if not module.startswith("minihack.envs.") or module.endswith((".minigrid", ".boxohack")):
            continue  # a user's own level, or other levels in each episode
        try:
            getattr(sys.modules[module], name)(**kwargs)
        except _Recorded as recorded:
            text = str(recorded.args[0])
            if text.endswith(".des"):
                text = (package / "dat" / text).read_text()
            texts[id] = text
    json.dump(texts, sys.stdout)


if __name__ == "__main__":
    main()
