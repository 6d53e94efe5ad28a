# SPDX-License-Identifier: Apache-2.0
"""Builds wheels for other systems than this one from sdists, with the clang of `ziglang`.

    python tools/zig_wheels.py --to dist/portable manylinux_2_28_aarch64 dist/envpool_atari-*.tar.gz

The wheels are for the Python that runs this, in an environment that has what the sdists need to be
built; the sessions `portable` and `cross` make one. What it lacks of the other system is put in its
place: the extension's suffix, the wheel's tag, and wheels with libraries to link.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from _zig import find_zig

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "out" / "zig_wheels"
# What a build imports; of all else that an sdist requires, the wheel of the other system is linked.
IMPORTED = {"scikit-build-core", "pybind11", "envpool-core"}
# Tags of wheels with libraries that run on newer systems, too.
OLDER = ("2_27", "2_17")


@dataclass(frozen=True)
class Target:
    """A system that wheels are for.

    Attributes:
        tag: Of its wheels, as manylinux_2_28_aarch64.
    """

    tag: str

    @property
    def machine(self) -> str:
        """x86_64 or aarch64."""
        return "aarch64" if self.tag.endswith("aarch64") else "x86_64"

    @property
    def libc(self) -> str:
        """The C library: gnu or musl."""
        return "musl" if self.tag.startswith("musllinux") else "gnu"

    @property
    def version(self) -> tuple[int, int]:
        """Of the C library, the oldest that will do."""
        major, minor = self.tag.split("_")[1:3]
        return int(major), int(minor)

    @property
    def zig(self) -> str:
        """The compiler's name of it."""
        version = ".{}.{}".format(*self.version) if self.libc == "gnu" else ""
        return f"{self.machine}-linux-{self.libc}{version}"


TARGETS = {
    tag: Target(tag)
    for machine in ("x86_64", "aarch64")
    for tag in (f"manylinux_2_28_{machine}", f"musllinux_1_2_{machine}")
}


def main() -> None:
    """Builds a wheel of each sdist."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--to", type=Path, required=True, help="folder for the wheels")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("sdists", nargs="+", type=Path)
    options = parser.parse_args()
    for sdist in options.sdists:
        print(build(sdist, TARGETS[options.target], options.to), flush=True)


def build(sdist: Path, target: Target, folder: Path) -> Path:
    """The wheel of an sdist for a system, with the tag that auditwheel gives to it."""
    stem = sdist.name.split("-")[0]
    # Always the same path, so that the compiler knows what it has compiled before.
    work = WORK / target.tag / f"{sys.version_info.major}.{sys.version_info.minor}" / stem
    shutil.rmtree(work, ignore_errors=True)
    other = work / "other"
    other.mkdir(parents=True)
    with tarfile.open(sdist) as archive:
        # Python 3.11.3 and older have no filters, and the sdist is our own.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(work)
    source = work / sdist.name.removesuffix(".tar.gz")
    _describe(target, other)
    _fetch_linked(source, target, other)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    command += ["--skip-dependency-check", "--outdir", str(work / "built"), str(source)]
    command += [f"--config-setting=build-dir={work / 'build'}"]
    _run(command, _environment(target, other))
    (built,) = (work / "built").glob("*.whl")
    if target.libc == "musl":
        _name_libc(built, target)
    # It refuses to be told of another machine, but finds by itself what a wheel asks for.
    repair = ["auditwheel", "repair", "--plat", "auto", "--wheel-dir", str(work / "repaired")]
    _run([*repair, str(built)])
    (repaired,) = (work / "repaired").glob("*.whl")
    found = re.fullmatch(
        r"(many|musl)linux_(\d+)_(\d+)_\w+", repaired.stem.split(".")[-1].split("-")[-1]
    )
    if not found or found[1] != target.tag[:4] or (int(found[2]), int(found[3])) > target.version:
        sys.exit(f"{repaired.name} is for newer systems than {target.tag}")
    folder.mkdir(parents=True, exist_ok=True)
    python = repaired.name.split("-")[2]
    for old in folder.glob(f"{stem}-*-{python}-{found[1]}linux_*_{target.machine}.whl"):
        old.unlink()
    return Path(shutil.copy(repaired, folder))


def _describe(target: Target, folder: Path) -> None:
    """Writes what `sysconfig` is to say of the other Python; the rest is as of this one."""
    multiarch = f"{target.machine}-linux-{target.libc}"
    soabi = f"cpython-{sys.version_info.major}{sys.version_info.minor}-{multiarch}"
    changed = {"SOABI": soabi, "EXT_SUFFIX": f".{soabi}.so", "MULTIARCH": multiarch}
    known = sysconfig.get_config_vars() | changed
    (folder / "_sysconfigdata_other.py").write_text(f"build_time_vars = {known!r}\n")


def _fetch_linked(source: Path, target: Target, folder: Path) -> None:
    """Unpacks the wheels whose libraries are linked, as they are for the other system."""
    text = (source / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r"^requires = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    assert found is not None, source
    for requirement in re.findall(r'"([^"]+)"', found[1]):
        if re.split("[<>=]", requirement)[0] in IMPORTED:
            continue
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", str(folder), requirement]
        command += ["--platform", target.tag]
        for version in OLDER if target.libc == "gnu" else ():
            command += ["--platform", target.tag.replace("2_28", version)]
        _run(command)
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)


def _name_libc(wheel: Path, target: Target) -> None:
    """Asks for musl by the name that Alpine and auditwheel know; its loader takes every libc.*."""
    patched = wheel.with_suffix(".patched")
    library = patched.with_suffix(".so")
    name = f"libc.musl-{target.machine}.so.1"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(patched, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename.endswith(".so"):
                library.write_bytes(content)
                _run(["patchelf", "--replace-needed", "libc.so", name, str(library)])
                content = library.read_bytes()
                library.unlink()
            new.writestr(entry, content)
    patched.replace(wheel)  # auditwheel writes the digests of its files anew


def _environment(target: Target, other: Path) -> dict[str, str]:
    zig = find_zig()
    return {
        "CC": f"{zig} cc -target {target.zig}",
        "CXX": f"{zig} c++ -target {target.zig}",
        "LDFLAGS": "-s",
        # The strip of this machine does not read other machines' files; -s has done it.
        "CMAKE_ARGS": "-DCMAKE_STRIP=",
        "PYTHONPATH": str(other),
        "_PYTHON_HOST_PLATFORM": f"linux-{target.machine}",
        "_PYTHON_SYSCONFIGDATA_NAME": "_sysconfigdata_other",
    }


def _run(command: list[str], env: dict[str, str] | None = None) -> None:
    """Quiet, unless it fails."""
    done = subprocess.run(
        command,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=3600,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")


if __name__ == "__main__":
    main()
