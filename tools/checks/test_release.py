# SPDX-License-Identifier: Apache-2.0
"""The checks of wheels find errors: each check is tried on a file with an error.

Run by the session `release`, after `wheels` has filled dist/.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check_wheels.py"
MODULE = "envpool_classic/_classic"

Contents = dict[str, bytes]
Find = Callable[[str], Path]


@pytest.fixture
def built() -> Find:
    """A file of dist/ by its beginning and end."""

    def find(pattern: str) -> Path:
        (path,) = (ROOT / "dist").glob(pattern)
        return path

    return find


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A shared library that can be checked quickly."""
    return compiled(tmp_path_factory.mktemp("small"), "int f(int x) { return x; }")


@pytest.fixture
def wheel(built: Find, small: bytes, tmp_path: Path) -> Path:
    """A wheel without errors, with a small extension module."""
    whole = built("envpool_classic-*.whl")
    folder = tmp_path / "right"
    folder.mkdir()
    return changed(whole, folder, lambda files: files.update({module_of(files): small}))


def check(path: Path) -> tuple[int, list[str]]:
    """The exit status, and the program's output after its line about the file."""
    command = [sys.executable, str(CHECK), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, [line.strip() for line in done.stdout.splitlines()[1:]]


def changed(wheel: Path, folder: Path, change: Callable[[Contents], None], name: str = "") -> Path:
    """A wheel whose files `change` has changed."""
    with zipfile.ZipFile(wheel) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    change(files)
    path = folder / (name or wheel.name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return path


def module_of(files: Contents) -> str:
    (name,) = (name for name in files if name.endswith(".so"))
    return name


def compiled(folder: Path, code: str, *flags: str) -> bytes:
    """A shared library."""
    source, library = folder / "some.cc", folder / "some.so"
    source.write_text(code)
    compiler = os.environ.get("CXX", "c++").split()
    command = [*compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(library), *flags]
    subprocess.run(command, check=True, timeout=100)
    return library.read_bytes()


def test_what_is_built_is_right() -> None:
    for path in sorted((ROOT / "dist").glob("envpool_*")):
        if path.suffix != ".key":
            assert check(path) == (0, []), path


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("envpool_classic/py.typed", "envpool_classic/py.typed is missing"),
        ("envpool_classic/__init__.py", "envpool_classic/__init__.py is missing"),
        (f"{MODULE}.pyi", f"{MODULE}.pyi is missing"),
        ("licenses/LICENSE", "licenses/LICENSE is missing"),
        ("pybind11-LICENSE", "licenses/pybind11-LICENSE is missing"),
        ("entry_points.txt", "entry_points.txt is missing"),
        (".so", "has to be compiled for this platform; its extension modules: []"),
    ],
)
def test_lost_files(wheel: Path, tmp_path: Path, lost: str, said: str) -> None:
    def lose(files: Contents) -> None:
        for name in [name for name in files if name.endswith(lost)]:
            del files[name]

    status, problems = check(changed(wheel, tmp_path, lose))
    assert status == 1
    assert len(problems) == 1
    assert problems[0].endswith(said)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("envpool/_extra.py", "is outside the wheel's own package"),
        ("envpool_classic.libs/libGL-5f3a.so.1", "is outside the wheel's own package"),
        ("envpool_classic/tests/test_it.py", "has no business in a wheel"),
        ("envpool_classic/__pycache__/__init__.pyc", "has no business in a wheel"),
        ("envpool_classic/module.cc", "has no business in a wheel"),
    ],
)
def test_stray_files(wheel: Path, tmp_path: Path, name: str, said: str) -> None:
    path = changed(wheel, tmp_path, lambda files: files.update({name: b"#"}))
    assert check(path) == (1, [f"{name} {said}"])


def test_a_header_that_core_lost(built: Find, tmp_path: Path) -> None:
    def lose(files: Contents) -> None:
        del files["envpool/include/envpool/env.h"]

    path = changed(built("envpool_core-*.whl"), tmp_path, lose)
    assert check(path) == (1, ["envpool/include/envpool/env.h is missing"])


def test_size(built: Find, wheel: Path, tmp_path: Path) -> None:
    noise = os.urandom(2_000_000)
    path = changed(wheel, tmp_path, lambda files: files.update({"envpool_classic/x.bin": noise}))
    assert check(path) == (1, ["larger than 2,000 kB"])
    path = changed(
        built("envpool_core-*.whl"),
        tmp_path,
        lambda f: f.update({"envpool/x.bin": noise[:300_000]}),
    )
    assert check(path) == (1, ["larger than 500 kB"])


def test_tags(wheel: Path, tmp_path: Path) -> None:
    name = f"{'-'.join(wheel.stem.split('-')[:4])}-linux_x86_64.whl"
    status, problems = check(changed(wheel, tmp_path, lambda files: None, name))
    assert (status, len(problems)) == (1, 2)
    assert "lacks the tag" in problems[0]
    assert problems[1] == "the platform linux_x86_64 says nothing about glibc, and PyPI refuses it"
    assert check(wheel) == (0, [])


WITH_MATH = (
    "double f(const double* x, int n) { double s = 0; while (n--) s += x[n] * x[n]; return s; }"
)
WITHOUT_MATH = "int f(unsigned x, unsigned y) { return __builtin_popcount(~x & y); }"
# Only for this kind of CPU the common instructions are known.
FLAGS: list[list[str]] = [[]]
if os.uname().machine == "x86_64":
    FLAGS += [["-march=haswell"], ["-mavx512f", "-mpopcnt"]]
OTHER = {
    "linked": ("", "is linked to libGL.so.1, which a machine without a screen may lack"),
    "own": ("", "is linked to libzebra.so.3, which not every Linux has"),
    "path": ('const char* f() { return "/home/me/work/a.cc"; }', "/home/me/work/a.cc"),
    "root": (f'const char* f() {{ return "{ROOT}/a.cc"; }}', f"built it, {ROOT}"),
    "rpath": ("", "has a R"),
    "debug": ("int f(int x) { return x; }", "has debugging information"),
}


@pytest.mark.parametrize("fault", OTHER)
def test_modules_for_this_machine_only(wheel: Path, tmp_path: Path, fault: str) -> None:
    code, said = OTHER[fault]
    flags = {"rpath": ["-Wl,-rpath,/opt/lib"], "debug": ["-g"]}.get(fault, [])
    if fault in ("linked", "own"):
        soname = "libGL.so.1" if fault == "linked" else "libzebra.so.3"
        (tmp_path / "lib").mkdir()
        library = compiled(tmp_path, "int g() { return 1; }", f"-Wl,-soname,{soname}")
        (tmp_path / "lib" / soname).write_bytes(library)
        code, flags = "int g(); int f() { return g(); }", [str(tmp_path / "lib" / soname)]
    library = compiled(tmp_path, code, *flags)
    path = changed(wheel, tmp_path, lambda files: files.update({module_of(files): library}))
    status, problems = check(path)
    assert status == 1
    assert any(said in problem for problem in problems), problems


@pytest.mark.parametrize(("folder", "wrong"), [("_lib", 0), ("_other", 1)])
def test_a_library_of_the_wheels_own(wheel: Path, tmp_path: Path, folder: str, wrong: int) -> None:
    """It may be beside the module, if the module looks for it there."""
    soname = "libzebra.so.3"
    library = compiled(tmp_path, "int g() { return 1; }", f"-Wl,-soname,{soname}")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / soname).write_bytes(library)
    flags = [str(tmp_path / "lib" / soname), f"-Wl,-rpath,$ORIGIN/{folder}"]
    module = compiled(tmp_path, "int g(); int f() { return g(); }", *flags)
    path = changed(
        wheel,
        tmp_path,
        lambda files: files.update(
            {module_of(files): module, f"envpool_classic/_lib/{soname}": library}
        ),
    )
    status, problems = check(path)
    assert (status, len(problems)) == (wrong, wrong), problems


@pytest.mark.parametrize("code", [WITH_MATH, WITHOUT_MATH])
@pytest.mark.parametrize("flags", FLAGS)
def test_instructions(wheel: Path, tmp_path: Path, code: str, flags: list[str]) -> None:
    library = compiled(tmp_path, code, *flags)
    path = changed(wheel, tmp_path, lambda files: files.update({module_of(files): library}))
    status, problems = check(path)
    assert status == bool(flags)
    assert all("-march=native?" in problem for problem in problems)


def test_instructions_that_are_chosen_at_run_time(wheel: Path, tmp_path: Path) -> None:
    code = (
        f'#ifdef __x86_64__\n__attribute__((target("avx2")))\n#endif\n{WITH_MATH}\n'
        "int g() {\n#ifdef __x86_64__\n"
        '  return __builtin_cpu_supports("avx2");\n'
        "#endif\n  return 0;\n}\n"
    )
    library = compiled(tmp_path, code)
    path = changed(wheel, tmp_path, lambda files: files.update({module_of(files): library}))
    assert check(path) == (0, [])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".env", "has no business in an sdist"),
        ("notes.txt", "has no business in an sdist"),
        ("build/some.o", "has no business in an sdist"),
        ("cpp/cartpole.h", "is missing"),
    ],
)
def test_sdists(built: Find, tmp_path: Path, name: str, said: str) -> None:
    sdist = built("envpool_classic-*.tar.gz")
    path = tmp_path / sdist.name
    whole = f"{sdist.name.removesuffix('.tar.gz')}/{name}"
    with tarfile.open(sdist) as archive, tarfile.open(path, "w:gz") as broken:
        for member in archive.getmembers():
            if member.name != whole:
                broken.addfile(member, archive.extractfile(member) if member.isfile() else None)
        if said != "is missing":
            member = tarfile.TarInfo(whole)
            member.size = 1
            broken.addfile(member, io.BytesIO(b"#"))
    assert check(path) == (1, [f"{whole} {said}"])


def test_objdump_is_there() -> None:
    # Without objdump the checks of modules would have raised; this line has a clear message.
    assert shutil.which("objdump"), "install binutils, which come with gcc"
