# SPDX-License-Identifier: Apache-2.0
"""Detects upstream's distribution `envpool` in the folder of envpool-core, and names the remedy.

Both have `envpool/__init__.py` and more files of the same names. The distribution that was
installed last wrote these files, and `pip uninstall envpool` removes those of envpool-core.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).parents[1]
UPSTREAMS_OWN = "entry.py"
"""A file that upstream's `envpool/` has in every version, and envpool-core does not have."""
_FIX = "pip install --force-reinstall --no-deps envpool-core"


class Problem(NamedTuple):
    """The problem of the package's folder, and the remedy."""

    got: str
    hint: str


def find_problem(package: Path = _PACKAGE) -> Problem | None:
    """The problem of this package's folder; None if there is none.

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
    """Warns the importer of `envpool` from a folder that upstream uses, too."""
    found = find_problem()
    if found is not None:
        warnings.warn(f"import envpool: got {found.got}. {found.hint}.", stacklevel=3)
