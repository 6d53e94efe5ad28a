# SPDX-License-Identifier: Apache-2.0
"""Wheels in another Linux than this one: in a Debian of its own, for this CPU or for another.

    python tools/other_linux.py bookworm arm64 install envpool-classic 'envpool-atari[roms]'
    python tools/other_linux.py musl amd64 install envpool-classic 'envpool-atari[roms]'
    python tools/other_linux.py bookworm arm64 tests envpool-classic --pytest "-k alignment"

`install` does what a user does: `pip install --no-index` from a folder of wheels, into an empty
environment; then tools/trajectories.py plays, whose lines are to be those of any other system.
`tests` runs the suite of a family and keeps, for the table of tools/platforms.py, that its wheel
passed. Wheels are those of dist/portable for that CPU and for Debian's Python, and core's.

Needs root, debootstrap and uv, and for another CPU qemu-user-static, by which the kernel then runs
every program of that CPU. C++ is compiled by the clang of `ziglang`, a program of this CPU: an
emulated compiler takes ten times as long. The session `other-linux` brings uv and ziglang.

By bookworm's qemu, 7.2, ViZDoom's engine and all that draws with MuJoCo end with a segmentation
fault; by 10 they run, and Python takes twice as long. `--qemu` takes another qemu than Debian's:
that of trixie's package `qemu-user` is linked statically and runs anywhere.

`musl` is trixie with a Python 3.11 for musl, as Alpine has one. Some references have no wheels for
it; `tests` goes without, and `--pytest="--ignore=..."` leaves out the tests that ask for them.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from _musl_python import VERSION, install_python
from _zig import find_zig

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "out" / "other_linux"
DIST = ROOT / "dist"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
PROGRAMS = {
    "debootstrap": "apt install debootstrap",
    "dpkg-deb": "apt install dpkg",
    "uv": "pip install uv",
}
# EGL and OpenMP are for MuJoCo.
PACKAGES = (
    "ca-certificates,python3,python3-venv,libpython3-dev,"
    "libstdc++6,libgomp1,libegl1,libgl1,libegl-mesa0"
)
NO_WHEEL_FOR_MUSL = ["ale-py", "dm-tree", "jax", "opencv-python-headless", "pygame", "pygame-ce"]
# dm-env asks for dm-tree; EnvPool needs only these.
ON_MUSL = ("numpy", "gymnasium", "pluggy", "typer", "rich", "cloudpickle")
# Tests under emulation take longer than they allow themselves, each and within.
PYTEST = ("-v", "-p", "no:cacheprovider", "--timeout=0", "--numprocesses=auto")


@dataclass(frozen=True)
class System:
    """A Debian in a folder.

    Attributes:
        suite: Of Debian, as bookworm; or musl.
        cpu: As Debian calls it, amd64 or arm64.
    """

    suite: str
    cpu: str

    @property
    def machine(self) -> str:
        """As the kernel and wheels call the CPU."""
        return MACHINES[self.cpu]

    @property
    def root(self) -> Path:
        """Its folder."""
        return WORK / f"{self.suite}-{self.cpu}"

    @property
    def libc(self) -> str:
        """The C library of its Python: gnu or musl."""
        return "musl" if self.suite == "musl" else "gnu"

    @property
    def wheels(self) -> list[str]:
        """The systems whose wheels run there, all of them: pip knows none by another."""
        names = ["manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, 29))]
        if self.libc == "musl":
            names = ["musllinux_1_1", "musllinux_1_2"]
        return [f"{name}_{self.machine}" for name in names]

    @property
    def python(self) -> str:
        """The version of its Python, as 3.11."""
        if self.libc == "musl":
            return VERSION
        (path,) = (self.root / "usr/bin").glob("python3.[0-9]*[0-9]")
        return path.name.removeprefix("python")

    def make(self) -> None:
        """Unpacks Debian's packages, which is enough to run programs; once."""
        done = self.root / "made"
        if done.exists():
            return
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        bootstrap = ["debootstrap", "--foreign", f"--arch={self.cpu}", "--variant=minbase"]
        suite, packages = self.suite, PACKAGES
        if self.libc == "musl":
            # Bookworm's musl, 1.2.3, does not relocate what NumPy's wheel for musllinux_1_2 packs.
            suite, packages = "trixie", f"{PACKAGES},musl"
        _run([*bootstrap, f"--include={packages}", suite, str(self.root)])
        for package in sorted((self.root / "var/cache/apt/archives").glob("*.deb")):
            _run(["dpkg-deb", "--extract", str(package), str(self.root)])
        # What the packages' own scripts would have made, and programs look for.
        (self.root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        known = sorted((self.root / "usr/share/ca-certificates").rglob("*.crt"))
        certificates = self.root / "etc/ssl/certs/ca-certificates.crt"
        certificates.write_text("".join(path.read_text() for path in known))
        compiler = self.root / "usr/local/bin/c++"
        compiler.parent.mkdir(parents=True, exist_ok=True)
        target = f"{self.machine}-linux-{self.libc}"
        # Python's headers include one from there.
        options = f"-target {target} -idirafter /usr/include"
        compiler.write_text(f'#!/bin/sh\nexec /zig/zig c++ {options} "$@"\n')
        compiler.chmod(0o755)
        if self.libc == "musl":
            install_python(self.root, self.machine, WORK / f"python-{self.machine}")
        done.touch()

    def run(self, *command: str) -> None:
        """Runs a program in it, in the checkout; what it starts and mounts ends with it."""
        mounts = [f"mount -t proc proc {self.root}/proc"]
        for source, folder in {
            "/dev": "dev",
            str(ROOT): "checkout",
            str(find_zig().parent): "zig",
        }.items():
            (self.root / folder).mkdir(exist_ok=True)
            mounts.append(f"mount --rbind {source} {self.root / folder}")
        # The shell stays, as the process that all others of its namespace end with.
        inside = "'cd /checkout && exec \"$@\"'"
        script = f'{" && ".join(mounts)} && chroot {self.root} /bin/sh -c {inside} sh "$@"; exit $?'
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh"]
        known = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME": "/root", "CXX": "c++"}
        done = subprocess.run([*alone, *command], check=False, env=known | {"LANG": "C.UTF-8"})
        if done.returncode:
            sys.exit(f"{shlex.join(command)}: exit status {done.returncode}")

    def environment(self, name: str) -> Path:
        """A new virtual environment, seen from here."""
        folder = self.root / "opt" / name
        shutil.rmtree(folder, ignore_errors=True)
        self.run("python3", "-m", "venv", f"/opt/{name}")
        return folder

    def fetch(self, folder: Path, *what: str) -> None:
        """Installs packages in a folder, as wheels for this system; by uv, not emulated."""
        command = ["uv", "pip", "install", "--quiet", "--only-binary=:all:", f"--target={folder}"]
        command += [f"--python-platform={self.machine}-unknown-linux-{self.libc}"]
        if self.libc == "musl":
            excluded = self.root / "excluded.txt"
            excluded.write_text("\n".join(NO_WHEEL_FOR_MUSL))
            command += [f"--excludes={excluded}"]
        _run([*command, f"--python-version={self.python}", *what])

    def wheel(self, name: str) -> Path:
        """The wheel of core or of a family for this system and its Python."""
        stem = name.replace("-", "_")
        python = f"cp{self.python.replace('.', '')}"
        kind = "musl" if self.libc == "musl" else "many"
        found = [
            *DIST.glob(f"{stem}-*-none-any.whl"),
            *(DIST / "portable").glob(f"{stem}-*-{python}-{kind}linux_*_{self.machine}.whl"),
        ]
        if len(found) != 1:
            sys.exit(f"{name}: one wheel for {python} on {self.machine} is needed, not {found}")
        return found[0]


def main() -> None:
    """Installs, or tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("suite", help="of Debian, as bookworm; its Python is used; or musl")
    parser.add_argument("cpu", choices=MACHINES)
    parser.add_argument("act", choices=("install", "tests"))
    parser.add_argument("families", nargs="+")
    parser.add_argument("--qemu", type=Path, help="a qemu-aarch64 to use instead of Debian's")
    parser.add_argument("--pytest", default="", help="options; the table then says: in part")
    options = parser.parse_args()
    if os.geteuid():
        sys.exit("a folder with another Linux is made and entered by root: sudo")
    for program, how in PROGRAMS.items():
        if shutil.which(program) is None:
            sys.exit(f"{program} is not there: {how}")
    system = System(options.suite, options.cpu)
    if system.machine != platform.machine():
        _let_kernel_run(system.machine, options.qemu)
    system.make()
    if options.act == "install":
        install(system, options.families)
    else:
        for family in options.families:
            test(system, family, shlex.split(options.pytest))


def install(system: System, families: list[str]) -> None:
    """From a folder of wheels into an empty environment, by the pip of that system."""
    folder = system.root / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    steps = [["envpool-core", *families]]
    variables = []
    if system.libc == "musl":
        names = [family.partition("[")[0] for family in families]
        steps = [["--no-deps", "envpool-core", *names, "dm-env"], [*ON_MUSL]]
        if any(family.endswith("[roms]") for family in families):
            variables = [f"ENVPOOL_ATARI_ROM_DIR=/{_fetch_roms(system).name}"]
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:"]
    download += [f"--python-version={system.python}", f"--find-links={folder}", f"--dest={folder}"]
    download += [f"--platform={name}" for name in system.wheels]
    system.environment("empty")
    pip = ("/opt/empty/bin/python", "-m", "pip", "install", "--quiet", "--no-index")
    for step in steps:
        _run([*download, *(_place(system, folder, word) for word in step)])
        system.run(*pip, "--find-links=/wheels", *step)
    system.run("env", *variables, "/opt/empty/bin/python", "-I", "tools/trajectories.py")


def _place(system: System, folder: Path, word: str) -> str:
    """The wheel of ours that a word names, copied to a folder; other words as they are."""
    name, bracket, extras = word.partition("[")
    if not name.startswith("envpool-"):
        return word
    return f"{shutil.copy(system.wheel(name), folder)}{bracket}{extras}"


def _fetch_roms(system: System) -> Path:
    """The folder of ROMs inside of a wheel of ale-py, which has none for musl."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "ale-py"]
    _run([*command, "--only-binary=:all:", f"--dest={system.root}"])
    (wheel,) = system.root.glob("ale_py-*.whl")
    roms = system.root / "roms"
    roms.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".bin"):
                (roms / Path(name).name).write_bytes(archive.read(name))
    wheel.unlink()
    return roms


def test(system: System, family: str, pytest: list[str]) -> None:
    """The whole suite of a family, or what the arguments of pytest leave of it."""
    wheel = system.wheel(family)
    site = system.environment(family) / f"lib/python{system.python}/site-packages"
    project = ROOT / family / "pyproject.toml"
    groups = (f"--group={ROOT / 'pyproject.toml'}:test", f"--group={project}:test")
    system.fetch(site, str(system.wheel("envpool-core")), str(wheel), *groups)
    if "\ntest-no-deps = " in project.read_text(encoding="utf-8"):
        system.fetch(site, "--no-deps", f"--group={project}:test-no-deps")
    command = (f"/opt/{family}/bin/python", "-m", "pytest", *PYTEST, f"{family}/tests")
    system.run(*command, *pytest)
    how = "natively" if system.machine == platform.machine() else "under emulation"
    how += ", in part" if pytest else ""
    _run([sys.executable, str(ROOT / "tools/platforms.py"), "--record", how, str(wheel)])


def _let_kernel_run(machine: str, qemu: Path | None) -> None:
    """Has the kernel run programs of another CPU by qemu, as Debian's package says how."""
    folder = Path("/proc/sys/fs/binfmt_misc")
    if not (folder / "register").exists():
        _run(["mount", "-t", "binfmt_misc", "none", str(folder)])
    known = Path(f"/usr/lib/binfmt.d/qemu-{machine}.conf")
    if not known.exists():
        sys.exit(f"programs for {machine} cannot run here: apt install qemu-user-static")
    *before, program, flags = known.read_text(encoding="utf-8").strip().split(":")
    if qemu is not None:
        program = shutil.which(str(qemu.resolve())) or sys.exit(f"--qemu {qemu}: no such program")
    kept = folder / f"qemu-{machine}"
    if kept.exists():
        if f"interpreter {program}\n" in kept.read_text(encoding="utf-8"):
            return
        kept.write_text("-1")  # forget it
    (folder / "register").write_text(":".join([*before, program, flags]))


def _run(command: list[str]) -> None:
    """Quiet, unless it fails."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")


if __name__ == "__main__":
    main()
