# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about this family."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from envpool import Compared, Finding
from envpool.errors import PluginError

from . import _adapters

_MEANS = "its environments may differ, or not run"
COMPARED = (
    Compared("gymnax", ("1.0.1",), _MEANS, "pip install --no-deps gymnax==1.0.1"),
    Compared("pgx", ("2.6.0",), _MEANS),
    Compared("jumanji", ("1.1.2",), _MEANS),
    Compared("craftax", ("1.6.1",), _MEANS),
    Compared("brax", ("0.14.2",), _MEANS),
    Compared("playground", ("0.2.0",), _MEANS),
)
"""The packages of the comparison: the libraries' own loops."""


def findings() -> Iterator[Finding | Compared]:
    """Reports JAX and its devices, a line per adapter, and the versions that were compared."""
    yield from COMPARED
    try:
        import jax

        devices = ", ".join(f"{one.platform}:{one.id}" for one in jax.devices())
        yield Finding("jax", f"{jax.__version__}, on {devices}")
    except (ImportError, RuntimeError) as error:
        yield Finding("jax", str(error), "problem", "run `pip install jax`")
        return
    for name in _adapters.adapters():
        try:
            count = len(_adapters.module_of(name).list_tasks())
        except PluginError as error:
            yield Finding(name, error.got, "problem", error.hint)
            continue
        except Exception as error:
            yield Finding(name, f"{type(error).__name__}: {error}", "problem", "see its authors")
            continue
        try:
            yield Finding(name, f"{version(name)}, {count} tasks")
        except PackageNotFoundError:
            if count:
                yield Finding(name, f"{count} tasks")
            else:
                yield Finding(name, "not installed", "missing", f"run `pip install {name}`")
