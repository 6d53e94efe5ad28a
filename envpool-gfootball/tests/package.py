# SPDX-License-Identifier: Apache-2.0
"""The package gfootball, built from its sdist with Debian's Boost and SDL: another reference.

    env $(python tests/package.py) python

starts an interpreter with it. The engine's sources are compiled unchanged; the first time takes
seven minutes of a CPU. It needs apt-get (to download packages, not to install them), pip and Python
3.11, for which Debian 12 has Boost.Python.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import compiling  # noqa: E402

VERSION = "2.10.2"
_DEBIAN = [f"libboost-{part}-dev" for part in ("python", "thread", "system", "filesystem")]
_DEBIAN += [f"libsdl2-{part}dev" for part in ("", "image-", "ttf-", "gfx-")]
_DEBIAN += ["libgl-dev", "libegl-dev"]
_LIBRARIES = ["boost_python311", "boost_thread", "boost_filesystem", "boost_system", "EGL", "GL"]
_LIBRARIES += ["SDL2-2.0", "SDL2_image-2.0", "SDL2_ttf-2.0", "SDL2_gfx-1.0"]
_FOLDERS = [Path("/usr/lib/x86_64-linux-gnu")]  # folders of installed packages


def sources() -> Path:
    """The sdist's folder, fetched if it is missing."""
    folder = ROOT / "out" / "gfootball-sdist"
    source = folder / f"gfootball-{VERSION}"
    if not (source / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
              "gfootball", f"gfootball=={VERSION}", "-d", str(folder)])  # fmt: skip
        shutil.unpack_archive(f"{source}.tar.gz", folder)
        (source / "complete").touch()
    return source


def built() -> Path:
    """The folder with the packages `gfootball` and `gfootball_engine`, built if it is missing."""
    folder = ROOT / "out" / "gfootball-package"
    if (folder / "complete").exists():
        return folder / "python"
    shutil.rmtree(folder, ignore_errors=True)
    source = sources()
    engine = source / "third_party" / "gfootball_engine"
    package = folder / "python" / "gfootball_engine"
    package.mkdir(parents=True)
    shutil.copy(_compiled(engine, _debian(folder / "debian")), package / "_gameplayfootball.so")
    shutil.copy(engine / "__init__.py", package)
    (package / "data").symlink_to(engine / "data")
    (package / "fonts").symlink_to(source / "third_party" / "fonts")
    (folder / "python" / "gfootball").symlink_to(source / "gfootball")
    (folder / "complete").touch()
    return folder / "python"


def _debian(folder: Path) -> Path:
    """Unpacks Debian's packages and their dependencies that are not installed."""
    (folder / "archives" / "partial").mkdir(parents=True)
    _run(["apt-get", "install", "--download-only", "--yes", "-qq", "--no-install-recommends",
          "-o", f"Dir::Cache::archives={folder / 'archives'}", "-o", "Debug::NoLocking=1",
          *_DEBIAN])  # fmt: skip
    for package in sorted((folder / "archives").glob("*.deb")):
        _run(["dpkg-deb", "--extract", str(package), str(folder)])
    return folder / "usr"


def _compiled(engine: Path, debian: Path) -> Path:
    text = (engine / "sources.cmake").read_text(encoding="utf-8")
    lists = dict(re.findall(r"set\((\w+)_SOURCES\s(.*?)\)", text, re.DOTALL))
    words = [word for name, body in lists.items() if name != "CLIENT" for word in body.split()]
    names = ["ai.cpp", "src/ai/ai_keyboard.cpp", "src/game_env.cpp"]
    names += [word for word in words if word.endswith(".cpp")]
    sources = [engine / name for name in dict.fromkeys(names)]
    headers = [engine, engine / "src", engine / "src" / "cmake", debian / "include"]
    headers += [debian / "include" / "x86_64-linux-gnu", debian / "include" / "SDL2"]
    headers.append(Path(sysconfig.get_path("include")))
    # Less optimized than its own CMake, which costs less: the level does not change rounding.
    flags = ["-w", "-std=c++14", "-O2", *(f"-I{path}" for path in headers)]
    folders = [debian / "lib" / "x86_64-linux-gnu", *_FOLDERS]
    # Their own dependencies are found at load time, see `variables`.
    link = [*(str(_library(name, folders)) for name in _LIBRARIES), "-Wl,--allow-shlib-undefined"]
    return compiling.library(sources[0], *flags, others=sources[1:], link=link)


def _library(name: str, folders: Sequence[Path]) -> Path:
    """A library with its version: links without a version may be broken if it is installed."""
    for folder in folders:
        if found := sorted(folder.glob(f"lib{name}.so.*")):
            return found[-1].resolve()
    raise FileNotFoundError(f"lib{name}.so of Debian in {folders}")


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def variables() -> dict[str, str]:
    """The environment variables with which an interpreter finds the package."""
    folder = built()
    libraries = folder.parent / "debian" / "usr" / "lib" / "x86_64-linux-gnu"
    paths = {"LD_LIBRARY_PATH": f"{libraries}:{libraries / 'pulseaudio'}"}
    return {"PYTHONPATH": str(folder), **paths}


if __name__ == "__main__":
    print(*(f"{name}={value}" for name, value in variables().items()))
