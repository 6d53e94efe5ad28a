# SPDX-License-Identifier: Apache-2.0
"""C++ parts of this wheel as Python modules for the tests."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import compiling

TESTS = Path(__file__).parent
CPP = TESTS.parent / "cpp"


def load(source: str) -> ModuleType:
    """The module of a source below tests/, linked with the console."""
    # As a release build; gcc 12 takes the vector instructions of its own headers for uninitialised.
    align = ("-falign-functions=64", "-falign-loops=64")
    flags = ("-O3", "-ffp-contract=off", *align, "-Wno-uninitialized", f"-I{CPP}")
    console = sorted((CPP / "console").glob("*.cc"))
    return compiling.load(compiling.extension(TESTS / source, *flags, others=console))
