# SPDX-License-Identifier: Apache-2.0
"""Checks that one `pip install` can have all wheels and any library that trains in pools.

    python tools/resolve.py

It asks uv to choose versions, from the requirements of every envpool-*/pyproject.toml, and installs
no package. A library is given with the oldest version that was tried: otherwise an older version
with fewer requirements would do. The exit status is 1 if a library has no possible versions.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = (
    "ray[rllib]>=2.60",
    "stable-baselines3>=2.9.2",
    "torchrl>=0.14.1",
    "sample-factory>=2.1.1",
    "skrl>=2.1.1",
    "tianshou>=2.0.1",
    "rl-games>=1.6.5",
    "nle>=1.3.0",
)
SHOWN = ("gymnasium", "numpy")


def main() -> int:
    """Prints the versions chosen for each library, or the reason for none."""
    failed = 0
    for library in LIBRARIES:
        chosen, problem = resolve(library)
        if problem:
            failed += 1
            print(f"{library}: cannot be installed with all wheels\n{problem}")
            continue
        names = (re.split(r"[\[>=]", library)[0], *SHOWN)
        print(", ".join(f"{name} {chosen[name]}" for name in names), flush=True)
    return 1 if failed else 0


def resolve(*libraries: str) -> tuple[dict[str, str], str]:
    """Versions by package that all wheels and some libraries accept, or the reason for none."""
    wheels = [f"./{path.parent.name}" for path in sorted(ROOT.glob("envpool-*/pyproject.toml"))]
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "-"]
    done = subprocess.run(
        [*command, "--python", sys.executable],
        input="\n".join([*wheels, *libraries]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode != 0:
        return {}, done.stderr
    return dict(re.findall(r"^([\w.-]+)==(\S+)", done.stdout, re.MULTILINE)), ""


if __name__ == "__main__":
    sys.exit(main())
