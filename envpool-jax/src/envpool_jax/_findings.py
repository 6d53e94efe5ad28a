# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of this family."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from envpool import Finding
from envpool.errors import PluginError

from . import _adapters


def findings() -> Iterator[Finding]:
    """JAX and its devices, and a line for each adapter."""
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
