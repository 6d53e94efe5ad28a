#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a fresh checkout to a result in one command; needs Python 3.10 and a C++ compiler only.

    python3 tools/dev.py run      # first speeds and pictures; `run atari`, or `run --all`, for more
    python3 tools/dev.py test     # build every wheel, pass every check; --full: samples, whole
    python3 tools/dev.py bench    # benchmarks: all, or `bench classic atari`
    python3 tools/dev.py nox -l   # any other session of noxfile.py

It installs nox (and uv, which makes environments faster) into .nox/tools and runs nox there. All
other tools, CMake and Ninja among them, are fetched by the sessions that need them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path

from _sessions import run_all

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".nox" / "tools"  # not .venv, which may be the user's own
TOOLS = ("nox>=2025.10.16", "uv>=0.9")
# uv does not read pip's variables; these are its own names of them.
UV_NAMES = {
    "PIP_CERT": "SSL_CERT_FILE",
    "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
    "PIP_EXTRA_INDEX_URL": "UV_INDEX",
}
COMMANDS = {"run": ["-s", "run"], "test": [], "bench": ["-s", "bench"], "nox": []}


def main() -> int:
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="passed on; test takes --full only")
    options = parser.parse_args()
    if options.command == "test":
        if {"-h", "--help"} & set(options.rest):
            parser.print_help()
            return 0
        if unknown := [word for word in options.rest if word != "--full"]:
            parser.error(
                f"test got {' '.join(unknown)!r}; it takes --full or nothing. "
                "One session by itself: `python3 tools/dev.py nox -s 'tests(envpool-classic)'`"
            )
    missing = _missing()
    if missing:
        print("\n".join(f"error: {line}" for line in missing), file=sys.stderr)
        return 2
    start = time.monotonic()
    for pip_name, uv_name in UV_NAMES.items():
        if pip_name in os.environ:
            os.environ.setdefault(uv_name, os.environ[pip_name])
    python = _environment()
    nox = [str(python), "-m", "nox", "--noxfile", str(ROOT / "noxfile.py")]
    if not _uv_works():
        print("uv cannot reach the package index: venv and pip make the environments", flush=True)
        nox += ["--default-venv-backend", "venv"]
    if options.command == "test":
        status = run_all(nox, ROOT, options.rest)
    else:
        nox += COMMANDS[options.command]
        if options.rest:
            nox += options.rest if options.command == "nox" else ["--", *options.rest]
        status = subprocess.run(nox, cwd=ROOT, check=False).returncode
    outcome = "succeeded" if status == 0 else f"failed (exit status {status})"
    print(f"{options.command} {outcome} after {time.monotonic() - start:.0f} s", flush=True)
    return status


def _missing() -> list[str]:
    """The missing programs of this machine, in sentences with the remedy."""
    missing = []
    if sys.version_info < (3, 10):  # noqa: UP036  this script may run anywhere
        missing.append(f"Python 3.10 or newer is needed, this is {sys.version.split()[0]}")
    compiler = os.environ.get("CXX", "c++").split()[0]
    if shutil.which(compiler) is None:
        missing.append(f"no C++ compiler ({compiler}): install one, e.g. apt install g++")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append("no Python.h: install Python's headers, e.g. apt install python3-dev")
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        missing.append("no ensurepip: install it, e.g. apt install python3-venv")
    return missing


def _environment() -> Path:
    """The Python of .nox/tools, which has nox; installed at the first call."""
    python = HOME / "bin" / "python"
    stamp = HOME / "tools.txt"  # written last: without it the environment is not complete
    if not stamp.exists() or stamp.read_text() != repr(TOOLS):
        if HOME.is_symlink():  # making it anew would empty the linked folder
            sys.exit(f"error: {HOME} is a symbolic link; remove it and try again")
        print(f"Making {HOME} with {', '.join(TOOLS)}", flush=True)
        venv.create(HOME, clear=True, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", *TOOLS]
        subprocess.run(install, check=True)
        stamp.write_text(repr(TOOLS))
    return python


def _uv_works() -> bool:
    """Whether uv can read the package index: it does not read pip's files."""
    command = [str(HOME / "bin" / "uv"), "pip", "install", "--quiet", "--dry-run", "--reinstall"]
    command += ["--python", str(HOME / "bin" / "python"), "iniconfig"]
    try:
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    sys.exit(main())
