# SPDX-License-Identifier: Apache-2.0
"""Upstream's distribution `envpool` in one folder with envpool-core: told, and how it is cured.

Both have `envpool/__init__.py` and more files of the same names. Which of them is there is decided
by which was installed last, and `pip uninstall envpool` takes away those of envpool-core.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).parents[1]
UPSTREAMS_OWN = "entry.py"
"""A file that upstream's `envpool/` has, in every version, and envpool-core has not."""
_FIX = "pip install --force-reinstall --no-deps envpool-core"


class Problem(NamedTuple):
    """What is wrong with the folder of the package, and what to do."""

    got: str
    hint: str


def find_problem(package: Path = _PACKAGE) -> Problem | None:
    """What is wrong with the folder of this package; None if nothing is.

    Args:
        package: The folder to look at.
    """
    try:
        text = (package / "__init__.py").read_text(encoding="utf-8")
    except FileNotFoundError:
        return Problem(
            "an envpool-core without its `__init__.py`, which `pip uninstall envpool` has taken "
            "along: upstream's distribution `envpool` has a file of the same name",
            f"Run `{_FIX}`",
        )
    there = f"upstream's distribution `envpool` in the folder of envpool-core, {package}"
    fix = f"Run `pip uninstall -y envpool`, and then `{_FIX}`"
    if "._discovery.registry import" not in text:
        return Problem(f"{there}, and `import envpool` gives upstream's", fix)
    if (package / UPSTREAMS_OWN).exists():
        return Problem(f"{there}, whose files are mixed", fix)
    return None


def warn() -> None:
    """Warns whoever imports `envpool` from a folder that is upstream's, too."""
    found = find_problem()
    if found is not None:
        warnings.warn(f"import envpool: got {found.got}. {found.hint}.", stacklevel=3)
