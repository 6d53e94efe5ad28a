# SPDX-License-Identifier: Apache-2.0
"""CPython for musl, as Alpine has one: of Debian's sources, compiled by the clang of `ziglang`.

No package index has a CPython for musl. This one has what pip, NumPy and EnvPool import, and no
more: no OpenSSL, for instance. Its C library is that of Debian's package `musl`, which is older
than the compiler's: functions that only the newer one has are said not to be there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from _zig import find_zig

VERSION = "3.11"
SOURCES = f"python{VERSION}", "zlib", "libffi"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# What configure cannot find out about a system that it does not run on, or finds in the compiler's
# headers and not in Debian's musl.
KNOWN = {
    "ac_cv_file__dev_ptmx": "yes",
    "ac_cv_file__dev_ptc": "no",
    "ac_cv_buggy_getaddrinfo": "no",
    "ac_cv_func_preadv2": "no",
    "ac_cv_func_pwritev2": "no",
    "ac_cv_header_stropts_h": "no",
}


def install_python(root: Path, machine: str, work: Path) -> None:
    """Compiles it in a folder and puts it into usr/local of another; takes some minutes."""
    helper = shutil.which(f"python{VERSION}")  # compiles Python's library to bytecode
    readelf = shutil.which("readelf")
    if helper is None or readelf is None:
        sys.exit(f"to build a Python for musl, a Python {VERSION} and binutils are needed here")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    mirror = (root / "etc/apt/sources.list").read_text(encoding="utf-8").split()[1]
    python, zlib, libffi = _fetch_sources(work / "sources", mirror)
    _keep_out_other_headers(python / "setup.py")
    # It links programs statically, unless told otherwise; buildinfo has the date, which it refuses.
    options = f"-target {machine}-linux-musl -dynamic -Wno-date-time -fPIC"
    words = [f"CC={find_zig()} cc {options}", f"AR={find_zig()} ar"]
    words += [f"RANLIB={find_zig()} ranlib", f"READELF={readelf}"]
    libraries = work / "libraries"
    _run(["env", *words, "./configure", "--static", f"--prefix={libraries}"], zlib)
    _run(["make", "install"], zlib)
    # What `build` is, is what configure names extension modules for.
    systems = ["--build=x86_64-build-linux-musl", f"--host={machine}-unknown-linux-musl"]
    for_ffi = ["--disable-shared", "--disable-docs", f"--prefix={libraries}"]
    for_ffi += ["--disable-exec-static-tramp"]  # it calls a function that no header declares
    _run(["./configure", *systems, *for_ffi, *words], libffi)
    _run(["make", "install"], libffi)
    build = work / "build"
    build.mkdir()
    words += [f"CPPFLAGS=-I{libraries / 'include'}", f"LDFLAGS=-L{libraries / 'lib'}"]
    words += [f"PKG_CONFIG_LIBDIR={libraries / 'lib/pkgconfig'}"]
    words += [f"{name}={value}" for name, value in KNOWN.items()]
    configure = [str(python / "configure"), *systems, f"--with-build-python={helper}"]
    configure += ["--prefix=/usr/local", "--disable-test-modules", "--without-ensurepip"]
    _run([*configure, *words], build)
    _run(["make", "--jobs=2", "install", f"DESTDIR={root}"], build)
    # Those that it cannot build are only printed.
    if not [*root.glob("usr/local/lib/python*/lib-dynload/_ctypes.*.so")]:
        sys.exit("Python was built without ctypes")


def _fetch_sources(folder: Path, mirror: str) -> list[Path]:
    """Bookworm's, from where debootstrap had its packages, checked by apt."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    line = f"deb-src [signed-by={KEYRING}] {mirror} bookworm main\n"
    (folder / "sources.list").write_text(line)
    places = {
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
    }
    apt = ["apt-get", *(word for key, value in places.items() for word in ("-o", f"{key}={value}"))]
    _run([*apt, "update"], folder)
    _run([*apt, "source", "--download-only", *SOURCES], folder)
    found = []
    for name in SOURCES:
        (archive,) = folder.glob(f"{name}_*.orig.tar.*")
        place = folder / name
        with tarfile.open(archive) as content:
            content.extraction_filter = getattr(tarfile, "data_filter", None)
            content.extractall(place)
        found.append(next(place.iterdir()))
    return found


def _keep_out_other_headers(setup: Path) -> None:
    """Asked for its folders, the compiler names those of this machine, with glibc's headers."""
    text = setup.read_text(encoding="utf-8")
    for call in ("self.add_cross_compiling_paths()", "self.add_multiarch_paths()"):
        assert f"  {call}\n" in text, call
        text = text.replace(f"  {call}\n", "  pass\n")
    setup.write_text(text, encoding="utf-8")


def _run(command: list[str], folder: Path) -> None:
    """Quiet, unless it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-10000:]}")
