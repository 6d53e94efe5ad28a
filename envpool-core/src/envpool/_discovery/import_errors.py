# SPDX-License-Identifier: Apache-2.0
"""Explains why a module of a plugin cannot be imported, and the remedy.

    explain_import(cause, "envpool_toy._toy", "envpool-toy")
    # "no shared library libfoo.so.1, which envpool_toy._toy is linked to", "...", "Install ..."

Python passes on the message of the system's loader, which names a file and a symbol, but neither
the wheel nor a remedy.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import sysconfig
import traceback
from pathlib import Path

Parts = tuple[str, str, str]
"""Parts of an `EnvPoolError`: what was got, what would have been allowed, and the hint."""

_NEWER_LIBRARY = re.compile(r"version `((?:GLIBCXX|CXXABI)_[\w.]+)' not found")
_NEWER_LINUX = re.compile(r"version `(GLIBC_[\w.]+)' not found")
_SYMBOL = re.compile(r"undefined symbol: (\w+)")
_LIBRARY = re.compile(r"([^\s:]+): cannot open shared object file")


def explain_import(cause: BaseException, module: str, wheel: str) -> Parts:
    """Explains the exception that the import of `module` raised.

    Args:
        cause: The exception.
        module: The module's name.
        wheel: The distribution that has the module; empty for a module of the user's own.
    """
    text = str(cause)
    if match := _NEWER_LIBRARY.search(text):
        return (
            f"{module}, compiled with a newer C++ library than this Python runs with: {text}",
            f"an extension that does without {match[1]}",
            f"{_build(wheel)}, or install a newer libstdc++ "
            f"(`conda install -c conda-forge libstdcxx-ng`)",
        )
    if match := _NEWER_LINUX.search(text):
        return (
            f"{module}, compiled on a newer Linux than this one: {text}",
            f"an extension that does without {match[1]}",
            _build(wheel),
        )
    if match := _SYMBOL.search(text):
        kind = " of libc++" if "St3__1" in match[1] else ""
        return (
            f"{module}, compiled for another C++ library than this Python has loaded; it lacks the "
            f"symbol{kind} {match[1]}",
            "an extension whose symbols are all there",
            _build(wheel),
        )
    if match := _LIBRARY.search(text):
        return (
            f"no shared library {match[1]}, which {module} is linked to",
            "a machine that has it",
            f"Install the package of your system that has {match[1]}, or name its folder in "
            f"LD_LIBRARY_PATH",
        )
    if isinstance(cause, ModuleNotFoundError) and cause.name:
        return _no_module(cause.name, module, wheel)
    return (
        f"{type(cause).__name__}: {text}{place_of(cause)}",
        "a module that can be imported",
        f"Run `pip install --force-reinstall {wheel}`, or tell its authors"
        if wheel
        else f"Correct {module}, or import_path",
    )


def _no_module(missing: str, module: str, wheel: str) -> Parts:
    package = missing.partition(".")[0]
    if package != module.partition(".")[0]:
        tell = f", and tell the authors of {wheel}, whose dependencies lack it" if wheel else ""
        return (
            f"no module {missing}, which {module} imports",
            f"a Python that has what {wheel or module} needs",
            f"Run `pip install {package}`{tell}",
        )
    others = _builds_for_others(missing)
    if others:
        return (
            f"{missing}, compiled for {' and '.join(others)}",
            f"an extension for {sysconfig.get_config_var('SOABI')}",
            f"Run `pip install --force-reinstall {wheel}` with {sys.executable}"
            if wheel
            else f"Compile it with {sys.executable}",
        )
    if not wheel:
        return (
            f"no module {missing}",
            f"a module on the path of {sys.executable}",
            f"Correct import_path, or install what has {missing}",
        )
    return (
        f"no module {missing}",
        f"all files of {wheel}",
        f"Run `pip install --force-reinstall {wheel}`: its installation is not complete",
    )


def _builds_for_others(module: str) -> list[str]:
    """The Pythons that a compiled module was built for, as "cpython-312-x86_64-linux-gnu"."""
    package, _, name = module.rpartition(".")
    spec = importlib.util.find_spec(package.partition(".")[0]) if package else None
    folders = spec.submodule_search_locations if spec is not None else None
    files = [file for folder in folders or () for file in Path(folder).rglob(f"{name}.*.so")]
    return sorted(file.name.split(".")[1] for file in files)


def _build(wheel: str) -> str:
    if not wheel:
        return "Compile it here"
    words = f"pip install --force-reinstall --no-deps --no-cache-dir --no-binary {wheel} {wheel}"
    return f"Run `{words}`, which compiles it here"


def place_of(cause: BaseException) -> str:
    """The file and line that raised it, unless Python's import did."""
    frames = traceback.extract_tb(cause.__traceback__)
    if not frames or "importlib" in frames[-1].filename:
        return ""
    return f" ({frames[-1].filename}, line {frames[-1].lineno})"
