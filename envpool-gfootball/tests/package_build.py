# SPDX-License-Identifier: Apache-2.0
"""Builds the package gfootball 2.10.2 as its authors have it, for comparisons on Debian 12.

    python tests/package_build.py [--jobs 2]

The sources are those of its sdist, unaltered, with Debian's Boost and SDL, which are unpacked
beside them and not installed. All is in out/gfootball/ of the checkout: 400 s of a CPU once.
`environment` says how to start an interpreter that imports it: `package_play.py`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2] / "out" / "gfootball"
VERSION = "2.10.2"
SDIST = ROOT / f"gfootball-{VERSION}.tar.gz"
SOURCE = ROOT / f"gfootball-{VERSION}"
ENGINE = SOURCE / "third_party" / "gfootball_engine"
SYSTEM = ROOT / "debian"
BUILD = ROOT / "build"
MODULES = ROOT / "modules"
"""What is put on the path of an interpreter."""
PYTHON = ROOT / "venv" / "bin" / "python"
_LIBRARIES = SYSTEM / "usr" / "lib" / "x86_64-linux-gnu"
_DEBIAN = ["libsdl2-dev", "libsdl2-image-dev", "libsdl2-ttf-dev", "libsdl2-gfx-dev"]
_DEBIAN += [f"libboost-{name}-dev" for name in ("python", "thread", "system", "filesystem")]
_DEBIAN += ["libgl-dev", "libegl-dev"]
# The last that its code works with: gym 0.26 has another interface.
_PYTHON = ["gym==0.21.0", "numpy<2", "absl-py", "six", "opencv-python-headless<4.12", "psutil"]


def fetch_sdist() -> Path:
    """The sdist, fetched by pip if it is not there, with the hash that the wheel's build has."""
    if not SDIST.exists():
        lines = Path(__file__).parents[1].joinpath("cmake", "gfootball.cmake").read_text()
        digest = re.search(r"set\(hash (\w+)\)", lines)
        assert digest is not None
        ROOT.mkdir(parents=True, exist_ok=True)
        wanted = ROOT / "requirements.txt"
        wanted.write_text(f"gfootball=={VERSION} --hash=sha256:{digest[1]}\n")
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes"]
        command += ["--no-binary", "gfootball", "-r", str(wanted), "-d", str(ROOT)]
        subprocess.run(command, check=True, timeout=300)
    if not SOURCE.exists():
        with tarfile.open(SDIST) as archive:
            archive.extractall(ROOT, filter="data")
    return SOURCE


def environment() -> dict[str, str]:
    """The variables of an interpreter that imports the package."""
    return {
        **os.environ,
        "PYTHONPATH": str(MODULES),
        "LD_LIBRARY_PATH": str(_LIBRARIES),
        "GFOOTBALL_DATA_DIR": str(ENGINE / "data"),
        "GFOOTBALL_FONT": str(SOURCE / "third_party/fonts/AlegreyaSansSC-ExtraBold.ttf"),
    }


def build(jobs: int = 1) -> None:
    """Does what is not done yet."""
    fetch_sdist()
    _unpack_debian()
    _compile(jobs)
    MODULES.mkdir(exist_ok=True)
    for name, place in {"gfootball": SOURCE / "gfootball", "gfootball_engine": ENGINE}.items():
        link = MODULES / name
        if not link.is_symlink():
            link.symlink_to(place)
    if not PYTHON.exists():
        venv.create(ROOT / "venv", with_pip=True)
        # gym 0.21 says what it needs in a way that newer tools refuse, so without its needs.
        pip = [str(PYTHON), "-m", "pip", "install", "-q"]
        subprocess.run([*pip, *_PYTHON[1:], "cloudpickle"], check=True, timeout=600)
        subprocess.run([*pip, "--no-deps", "gym==0.26.2", "gym_notices"], check=True, timeout=600)


def _unpack_debian() -> None:
    if (SYSTEM / "done").exists():
        return
    archives = ROOT / "archives"
    (archives / "partial").mkdir(parents=True, exist_ok=True)
    command = ["apt-get", "install", "--yes", "--download-only", "--no-install-recommends"]
    options = ["-o", f"Dir::Cache::archives={archives}", "-o", "Debug::NoLocking=1"]
    subprocess.run([*command, *options, *_DEBIAN], check=True, timeout=600)
    for package in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(SYSTEM)], check=True, timeout=120)
    (SYSTEM / "done").touch()


def _compile(jobs: int) -> None:
    target = ENGINE / "_gameplayfootball.so"
    if target.exists():
        return
    lists = (ENGINE / "sources.cmake").read_text(encoding="utf-8")
    files = ["ai.cpp", "src/game_env.cpp"]
    for name, body in re.findall(r"set\((\w+)_SOURCES\s(.*?)\)", lists, re.DOTALL):
        if name != "CLIENT":
            files += [word for word in body.split() if word.endswith(".cpp")]
    BUILD.mkdir(exist_ok=True)
    folders = [ENGINE / "src", ENGINE / "src/cmake", ENGINE]
    system = [SYSTEM / "usr/include", SYSTEM / "usr/include/SDL2"]
    system += [SYSTEM / "usr/include/x86_64-linux-gnu", Path(sysconfig.get_path("include"))]
    flags = ["-std=c++14", "-O3", "-fPIC", "-w", *(f"-I{path}" for path in folders)]
    flags += [f"-isystem{path}" for path in system]

    def compiled(file: str) -> str:
        result = BUILD / (file.replace("/", "-") + ".o")
        if not result.exists():
            part = result.with_suffix(".part.o")
            command = ["g++", *flags, "-c", str(ENGINE / file), "-o", str(part)]
            subprocess.run(command, check=True, timeout=600)
            part.rename(result)
        return str(result)

    with ThreadPoolExecutor(jobs) as pool:
        objects = list(pool.map(compiled, dict.fromkeys(files)))
    python = f"boost_python{sys.version_info.major}{sys.version_info.minor}"
    names = [python, "boost_thread", "boost_system", "boost_filesystem", "SDL2", "SDL2_image"]
    names += ["SDL2_ttf", "SDL2_gfx", "GL", "EGL"]
    link = [f"-L{_LIBRARIES}", *(f"-l{name}" for name in names)]
    part = target.with_suffix(".part")
    ignored = "-Wl,--unresolved-symbols=ignore-in-shared-libs"
    command = ["g++", "-shared", "-o", str(part), *objects, ignored, *link]
    subprocess.run(command, check=True, timeout=600)
    part.rename(target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jobs", type=int, default=1, help="files compiled at the same time")
    build(parser.parse_args().jobs)
