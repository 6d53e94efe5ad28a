# SPDX-License-Identifier: Apache-2.0
"""The versions of other packages that a family's tasks were compared with.

    COMPARED = (Compared("gymnasium", ("1.4.0", "1.2.2"), "its rules may differ"),)

A family yields them from `envpool_findings`. `envpool doctor` reports an installed package of
another version; tools that compare refuse it, with the same sentence.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Compared"]


class Compared(NamedTuple):
    """A package that is the reference or the engine of a family's tasks, and its versions.

    Attributes:
        package: Its name on PyPI.
        versions: The compared versions; first the version of the whole comparison.
        means: The consequence of another version, as the end of a sentence: "the reference may
            differ".
        install: The command that installs the first version; by default `pip install`.
    """

    package: str
    versions: tuple[str, ...]
    means: str
    install: str = ""

    def installed(self) -> str:
        """The installed version; empty if none is installed."""
        # The import takes 20 ms.
        from importlib import metadata

        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ""

    def unlike(self) -> str:
        """The sentence about an installed version that was not compared; else empty."""
        found = self.installed()
        if not found or found in self.versions:
            return ""
        return f"{found} is installed, compared was {' and '.join(self.versions)}: {self.means}"

    def remedy(self) -> str:
        """The command that installs the version of the whole comparison."""
        return self.install or f'pip install "{self.package}=={self.versions[0]}"'
