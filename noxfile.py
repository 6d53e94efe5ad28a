# SPDX-License-Identifier: Apache-2.0
"""Every check and every job of this repository; `nox -l` lists them, `nox` runs all checks.

Nothing here names a wheel: every folder `envpool-*/pyproject.toml` is built and tested. Wheels are
built once per run, into dist/, by the session `wheels`; sessions that need them require it, and a
wheel whose sources and compiler are the same as last time is not built again.

Every session says how many minutes of a CPU it took. Checks have a budget, which they
print; `tools/dev.py test` holds the sum of all sessions to the sum of their budgets.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.10.16"
nox.options.default_venv_backend = "uv|venv"
nox.options.error_on_missing_interpreters = True  # else a session is called a success
nox.options.error_on_external_run = True

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
OUT = ROOT / "out"
CORE = "envpool-core"
PROJECTS = {
    path.parent.name: nox.project.load_toml(path)
    for path in sorted(ROOT.glob("envpool-*/pyproject.toml"))
}


def _needed(wheel: str) -> list[str]:
    """The wheels of this repository that a wheel needs, in order, and the wheel itself."""
    project = PROJECTS[wheel]
    asked = [*project["project"].get("dependencies", []), *project["build-system"]["requires"]]
    names = {match[0] for text in asked if (match := re.match(r"[\w-]+", text))}
    own = sorted(names & PROJECTS.keys() - {wheel}, key=lambda name: (name != CORE, name))
    return list(dict.fromkeys([n for name in own for n in _needed(name)] + [wheel]))


WHEELS = list(dict.fromkeys(needed for wheel in PROJECTS for needed in _needed(wheel)))
PLUGINS = sorted(
    str(p.parent.relative_to(ROOT))
    for pattern in ("envpool-*/tests/plugins/*/pyproject.toml", "examples/*/pyproject.toml")
    for p in ROOT.glob(pattern)
)
# (wheel, group): other versions of a wheel's own libraries, or of files that it reads. A group
# `beside-mujoco-older` is for tests/test_beside_mujoco.py.
BESIDE = [
    (wheel, group)
    for wheel in WHEELS
    for group in PROJECTS[wheel].get("dependency-groups", {})
    if group.startswith("beside-")
]
LEARNERS = sorted(p.stem for p in ROOT.glob("examples/learners/[!_]*.py"))
CLIENTS = sorted(
    group
    for group in nox.project.load_toml(ROOT / "pyproject.toml")["dependency-groups"]
    if group.startswith("clients")
)
TEMPLATE = "new-plugin"
# Other Pythons than nox's, where they are installed.
OTHER_PYTHONS = [f"3.{minor}" for minor in range(10, 15) if minor != sys.version_info.minor]
NEWER_ENGINE = "4.0.1"  # MuJoCo that families of robots can be built with, beside 3.17.0
AUTHOR_SECONDS = 90  # CPU seconds until an author's first tests pass
# Not session.install: uv would take an old build of the same folder from its cache.
_PIP_INSTALL = ("python", "-m", "pip", "install", "--quiet")
TILES = 12  # pictures on the sheet of the session `run`
FAMILY_MINUTES = 2  # CPU minutes for the tests of a wheel without a budget of its own
_TIMEOUT = ("timeout", "--kill-after=10", "600")  # seconds for a program: none may hang
# Several sessions run at a time, each in one process, under `tools/dev.py test`.
JOBS = os.environ.get("ENVPOOL_JOBS", "auto")
_PARALLEL = (f"--numprocesses={JOBS}", "--maxprocesses=8")
# dist/ already has the wheels of this checkout: built before, or copied from another machine.
NEED_WHEELS = [] if os.environ.get("ENVPOOL_WHEELS") == "built" else ["wheels"]
# Compiled families with options. Doom's engine is another program, which a loaded sanitizer ends.
SWEPT = [
    wheel
    for wheel in WHEELS
    if (ROOT / wheel / "CMakeLists.txt").exists()
    and wheel != "envpool-vizdoom"
    and (ROOT / wheel / "tests/test_option_values.py").exists()
]
SANITIZERS = {"thread": "thread", "address": "address,undefined"}
# uv writes no bytecode, and compiling all modules in each process costs more than many tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / ".nox" / "bytecode"))
# Families that are compiled here share the compiled engine, which is most of a small family.
os.environ.setdefault("ENVPOOL_ENGINE_CACHE", str(OUT / "engine"))
# The date of all files in a wheel, so that two builds have the same bytes; scikit-build-core gives
# the files of an sdist this date.
DATE = {"SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "1667997441")}


Session = Callable[..., None]


def _own(wheel: str) -> dict[str, Any]:
    """The settings of a wheel's pyproject.toml for this repository's tools: `tool.envpool`."""
    own = PROJECTS.get(wheel, {}).get("tool", {}).get("envpool", {})
    assert isinstance(own, dict)
    return own


def _budget(minutes: float | None = None) -> Callable[[Session], Session]:
    """Prints the minutes of a session beside those that it may take.

    The minutes are those on a CPU of its programs, which a busy machine still doubles.
    `tools/dev.py test` fails if all sessions together take too many.

    Args:
        minutes: The longest time measured on machines in use by other jobs; by default
            `tool.envpool.test-minutes` of the wheel's pyproject.toml, or `FAMILY_MINUTES`.
    """

    def decorate(function: Session) -> Session:
        @functools.wraps(function)
        def counted(session: nox.Session, *args: Any, **kwargs: Any) -> None:
            own = _own(kwargs.get("wheel", ""))
            allowed = minutes or own.get("test-minutes", FAMILY_MINUTES)
            cpu, start = _children(), time.monotonic()
            try:
                function(session, *args, **kwargs)
            finally:
                cpu = (_children() - cpu) / 60
                clock = (time.monotonic() - start) / 60
                session.log(f"{clock:.1f} min, {cpu:.1f} of a CPU; the budget is {allowed:g}")

        return counted

    return decorate


def _full(session: nox.Session) -> bool:
    return "--full" in session.posargs


def _children() -> float:
    """CPU seconds of all programs that were started from here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _group(name: str, folder: Path = ROOT) -> list[str]:
    """A set of requirements of a pyproject.toml; empty if the file has no set of that name."""
    project = nox.project.load_toml(folder / "pyproject.toml")
    if name not in project.get("dependency-groups", {}):
        return []
    return list(nox.project.dependency_groups(project, name))


def _built(wheel: str, suffix: str = ".whl") -> str:
    """The file of a wheel, or of its sdist, in dist/."""
    (path,) = DIST.glob(f"{wheel.replace('-', '_')}-*{suffix}")
    return str(path)


def _ours_only(*, build_only: bool = False, folder: Path = DIST) -> dict[str, str]:
    """Variables with which pip and uv take our packages only from dist/.

    An index may have a newer envpool-core of another author, whose code would run while wheels are
    built.

    Args:
        build_only: Whether only for builds, as where ours are installed from the checkout. Needs
            pip 25.3.
        folder: The source of all packages but core, for example wheels with another engine.
    """
    built = [*DIST.glob("*.whl" if folder == DIST else "envpool_core-*.whl"), *folder.glob("*.whl")]
    wheels = {path.name.split("-")[0].replace("_", "-"): path for path in built}
    text = "".join(f"{name} @ {path.as_uri()}\n" for name, path in sorted(wheels.items()))
    constraints = folder / "constraints.txt"
    # Several sessions run at a time: none may read half a file.
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as part:
        part.write(text)
    Path(part.name).replace(constraints)
    names = ["PIP_BUILD_CONSTRAINT", "UV_BUILD_CONSTRAINT"]
    if not build_only:
        names += ["PIP_CONSTRAINT", "UV_CONSTRAINT"]
    return {n: " ".join([str(constraints), *os.environ.get(n, "").split()]) for n in names}


def _install_all(session: nox.Session, *more: str) -> None:
    """Installs the wheels of this checkout, and nothing of the checkout itself."""
    session.install(*map(_built, WHEELS), *more)
    _fetch(session, *WHEELS)


def _fetch(session: nox.Session, *wheels: str) -> None:
    """Downloads files that no wheel has, with the family's command in `tool.envpool.fetch`."""
    for wheel in wheels:
        if command := _own(wheel).get("fetch"):
            session.install("pip>=23")  # it downloads with pip
            session.run(*command)


def _install_tests(session: nox.Session, wheel: str, *built: str) -> None:
    """Installs wheels and the requirements of one wheel's tests.

    Its group `test-no-deps` has packages that require an unavailable package, and work without it.
    """
    session.install(*built, *_group("test"), *_group("test", ROOT / wheel))
    if alone := _group("test-no-deps", ROOT / wheel):
        session.install("--no-deps", *alone)


def _install_without_requirements(session: nox.Session) -> None:
    """Installs all groups `test-no-deps`, for example models that require another MuJoCo."""
    session.install("--no-deps", *(r for w in WHEELS for r in _group("test-no-deps", ROOT / w)))


def _run_each(session: nox.Session, commands: list[list[str]], **options: Any) -> None:
    """Runs all commands, even after a failure, and fails then."""
    failed = []
    for command in commands:
        try:
            session.run(*command, **options)
        except CommandFailed:
            failed.append(" ".join(command[:2]))
    if failed:
        session.error(f"failed: {', '.join(failed)}")


@nox.session(default=False)
def check_ci(session: nox.Session) -> None:
    """Checks files for GitHub only: workflows, templates, cibuildwheel's list, the citation."""
    session.install(*_group("check-ci"))
    checked = {
        "github-workflows": [".github/workflows/ci.yml", ".github/workflows/release.yml"],
        "github-issue-forms": [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/task.yml"],
        "github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
        "dependabot": [".github/dependabot.yml"],
        "citation-file-format": ["CITATION.cff"],
    }
    commands = [
        ["check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
        for schema, files in checked.items()
    ]
    commands.append(["zizmor", "--offline", "--no-progress", ".github"])
    settings = ["--config-file", str(ROOT / "tools/cibuildwheel.toml"), "envpool-classic"]
    for system, kinds in {"linux": "x86_64,aarch64", "macos": "all", "windows": "AMD64"}.items():
        target = ["--platform", system, "--archs", kinds]
        commands.append(["cibuildwheel", "--print-build-identifiers", *target, *settings])
    _run_each(session, commands)


@nox.session(tags=["no-wheels"])
@_budget(2)
def lint(session: nox.Session) -> None:
    """Style of Python and C++, spelling, and the rules of tools/check_sources.py."""
    session.install(*_group("lint"), *_group("test"))
    folders = [ROOT / wheel for wheel in WHEELS]
    sources = [str(p) for pattern in ("*.h", "*.cc") for f in folders for p in f.rglob(pattern)]
    listing = Path(session.create_tmp()) / "sources.txt"
    listing.write_text("\n".join(sources))
    commands = [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["clang-format", "--dry-run", "-Werror", f"--files={listing}"],
        ["codespell"],
        ["python", "tools/check_sources.py"],
        ["pytest", *(f"tools/checks/test_{of}.py" for of in ("sources", "sampling", "sessions"))],
    ]
    _run_each(session, commands)


@nox.session(tags=["no-wheels"])
@_budget(0.5)
def resolve(session: nox.Session) -> None:
    """Checks that one `pip install` can have all wheels and any library that trains in pools."""
    session.install("uv>=0.9")
    session.run("python", "tools/resolve.py")


@nox.session(requires=NEED_WHEELS)
@_budget(2)
def types(session: nox.Session) -> None:
    """The types of every wheel, of the examples and of the tools (mypy, strict)."""
    _install_all(session, *_group("types"), *_group("examples"), *_group("learning"))
    # The sources are checked; the installed wheels only give the dependencies.
    paths = os.pathsep.join(str(ROOT / wheel / "src") for wheel in WHEELS)
    scripts = [ROOT / "noxfile.py", *ROOT.glob("tools/**/*.py"), *ROOT.glob("examples/*.py")]
    groups = [*([f"{wheel}/src"] for wheel in WHEELS), [str(script) for script in scripts]]
    groups.append([str(path) for path in ROOT.glob("envpool-*/tests/types/*.py")])
    _run_each(session, [["mypy", *group] for group in groups], env={"MYPYPATH": paths})


@nox.session
@_budget(2 * len(WHEELS))
def wheels(session: nox.Session) -> None:
    """Builds the sdist and the wheel of every package into dist/, and checks their contents.

    Arguments after `--`: names of packages; by default all.
    """
    session.install(*_group("build"))
    DIST.mkdir(exist_ok=True)
    # Other words are for the sessions that need wheels, as `-k` and its value.
    chosen = [wheel for wheel in WHEELS if wheel in session.posargs] or WHEELS
    for wheel in chosen:
        _build(session, wheel)
    built = [_built(wheel, suffix) for wheel in chosen for suffix in (".tar.gz", ".whl")]
    session.run("twine", "check", "--strict", *built)
    session.run("python", "tools/check_wheels.py", *built)


def _build(session: nox.Session, wheel: str) -> None:
    stem = wheel.replace("-", "_")
    for old in DIST.glob(f"{stem}-*.tar.gz"):
        old.unlink()
    # Needs only the build backend, which saves an environment for each sdist.
    sdist = ("python", "-m", "build", "--sdist", "--no-isolation", "--skip-dependency-check")
    session.run(*sdist, "--outdir", str(DIST), wheel, env=DATE, silent=True)
    stamp = DIST / f"{stem}.key"
    key = _key(wheel)
    if stamp.exists() and stamp.read_text() == key and len([*DIST.glob(f"{stem}-*.whl")]) == 1:
        session.log(f"{wheel}: sources, headers and compiler are the same, so is the wheel")
        return
    for old in DIST.glob(f"{stem}-*.whl"):
        old.unlink()
    session.log(f"{wheel}: building")
    _build_wheel(session, wheel, DIST)
    stamp.write_text(key)


def _build_wheel(session: nox.Session, wheel: str, folder: Path, engine: str = "") -> None:
    """Builds from the sdist, which shows that it is complete, and isolated, as on a user's machine.

    Args:
        session: The session; its environment has the tools.
        wheel: Its name.
        folder: The destination.
        engine: The version of MuJoCo, for families on it; by default that of their wheels.
    """
    stem = wheel.replace("-", "_")
    command = ("python", "-m", "pip", "wheel", "--no-deps", "--no-cache-dir", "--quiet")
    sdist = _built(wheel, ".tar.gz")
    ours = _ours_only(folder=folder) if engine else _ours_only()
    env = ours | DATE | ({"ENVPOOL_MUJOCO": engine} if engine else {})
    session.run(*command, "--wheel-dir", str(folder), sdist, env=env)
    for built in folder.glob(f"{stem}-*-linux_*.whl"):
        # The oldest glibc that it runs on is in its name: PyPI requires it.
        repair = ("auditwheel", "repair", "--plat", "auto", "--wheel-dir", str(folder), str(built))
        # Families of robots find these in envpool-mujoco's wheel, which has the only copies.
        elsewhere = ("--exclude", "libmujoco.so.*", "--exclude", "libenvpool_mujoco-*.so.*")
        session.run(*repair, *elsewhere, env=DATE, silent=True)
        built.unlink()


def _key(wheel: str) -> str:
    """A digest of all inputs of a wheel: its sources, core's headers and the compiler."""
    compiler = os.environ.get("CXX", "c++").split()[0]
    version = subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout
    digest = hashlib.sha256(version + f"{sys.implementation.cache_tag} {DATE}".encode())
    flags = ("CXX", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CMAKE_ARGS", "SKBUILD_CMAKE_ARGS")
    for name in (*flags, "ENVPOOL_MUJOCO"):
        digest.update(f"{name}={os.environ.get(name)}\n".encode())
    for package in _needed(wheel):
        with tarfile.open(_built(package, ".tar.gz")) as archive:
            for member in sorted(archive.getmembers(), key=lambda m: m.name):
                path = f"/{member.name}"
                used = package == wheel or re.search("/(include|sources|cmake|cpp/shared)/", path)
                if member.isfile() and used and "/tests/" not in path:
                    content = archive.extractfile(member)
                    assert content is not None
                    digest.update(path.encode() + content.read())
    return digest.hexdigest()


@nox.session(requires=NEED_WHEELS)
@_budget(8)
def release(session: nox.Session) -> None:
    """Installs the wheels as a user does, from the files, away from the checkout, and uses them.

    The checks of wheels are tried on broken wheels, and families on each other.
    """
    own = (requirement for wheel in WHEELS for requirement in _group("test", ROOT / wheel))
    _install_all(session, *_group("test"), *own)
    _install_without_requirements(session)
    with session.chdir(session.create_tmp()):
        # -I: Python takes modules neither from this folder nor by the environment's variables.
        session.run("python", "-I", str(ROOT / "tools/check_installed.py"), *map(_built, WHEELS))
    names = ("test_release.py", "test_together.py", "test_own_wheels.py")
    checks = [f"tools/checks/{name}" for name in names]
    session.install("pip>=25.3")  # test_own_wheels.py builds with it
    session.run("pytest", *checks, *session.posargs, env=_ours_only(build_only=True))


@nox.session(default=False, requires=NEED_WHEELS)
def reproducible(session: nox.Session) -> None:
    """Builds every wheel a second time, elsewhere; all bytes have to be the same."""
    session.install(*_group("build"))
    folder = Path(session.create_tmp()) / "again"
    session.run("rm", "-rf", str(folder), external=True)
    for wheel in WHEELS:
        _build_wheel(session, wheel, folder)
    _run_each(
        session,
        [["cmp", _built(wheel), str(folder / Path(_built(wheel)).name)] for wheel in WHEELS],
        external=True,
    )


@nox.session(requires=NEED_WHEELS)
@nox.parametrize("wheel", WHEELS, ids=WHEELS)
@_budget()
def tests(session: nox.Session, wheel: str) -> None:
    """The tests of a wheel, installed with core only; `--full` adds its group `test-full`."""
    more = _group("test-full", ROOT / wheel) if _full(session) else []
    _install_tests(session, wheel, *map(_built, _needed(wheel)), *more)
    session.run("pytest", *_PARALLEL, f"{wheel}/tests", *session.posargs)


@nox.session(default=False, tags=["full", "no-wheels"], venv_backend="none")
@nox.parametrize("version", OTHER_PYTHONS, ids=OTHER_PYTHONS)
def pythons(session: nox.Session, version: str) -> None:
    """The tests of core and of a compiled family with another Python, in a copy of the checkout."""
    python = _python(version)
    if python is None:
        session.skip(f"no python{version} on PATH that starts, and none of pyenv")
    folder = ROOT / ".nox" / f"checkout-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    left = shutil.ignore_patterns(".git", ".nox", ".venv", "build", "dist", "out")
    shutil.copytree(ROOT, folder, ignore=left, symlinks=True)
    wheels = (CORE, "envpool-classic")
    nox_of_copy = (python, "tools/dev.py", "nox", "--sessions")
    # The other Python keeps compiled code in the copy, not beside that of this one.
    env = {"ENVPOOL_ENGINE_CACHE": None, "PYTHONPYCACHEPREFIX": None}
    with session.chdir(folder):
        session.run(*nox_of_copy, "wheels", "--", *wheels, env=env, external=True)
        tested = (f"tests({wheel})" for wheel in wheels)
        session.run(*nox_of_copy, *tested, env=env | {"ENVPOOL_WHEELS": "built"}, external=True)


def _python(version: str) -> str | None:
    """A Python of a version, as 3.12, that starts: a Python of pyenv may be switched off."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = list(map(str, pyenv.glob(f"versions/{version}.*/bin/python")))
    if on_path := shutil.which(f"python{version}"):
        found.insert(0, on_path)
    for python in found:
        if subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0:
            return python
    return None


@nox.session(requires=NEED_WHEELS)
@nox.parametrize(("wheel", "group"), BESIDE, ids=[f"{w}, {g[7:]}" for w, g in BESIDE])
@_budget(0.5)
def beside(session: nox.Session, wheel: str, group: str) -> None:
    """A wheel with its own library, beside packages that have other versions of that library."""
    own = map(_built, _needed(wheel))
    session.install(*own, *_group("test"), *_group(group, ROOT / wheel))
    tests = ROOT / wheel / "tests" / f"test_beside_{group.split('-')[1]}.py"
    session.run("pytest", str(tests), *session.posargs)


@nox.session(tags=["no-wheels"])
@_budget(1)
def engine(session: nox.Session) -> None:
    """Compiles Gymnasium's robots and the shared code of all robots against the newer MuJoCo."""
    folder = Path(session.create_tmp()) / "packages"
    session.install("pybind11>=3")
    session.install("--no-deps", "--target", str(folder), f"mujoco-core=={NEWER_ENGINE}")
    mujoco = ROOT / "envpool-mujoco"
    sources = [*mujoco.glob("cpp/shared/*.cc"), *mujoco.glob("cpp/*/register.cc")]
    places = [ROOT / CORE / "include", mujoco / "include", mujoco / "cpp"]
    show = (
        "import pybind11, sysconfig; print(pybind11.get_include(), sysconfig.get_path('include'))"
    )
    found = session.run("python", "-c", show, silent=True)
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    flags += [f"-I{place}" for place in places]
    # As in a build, where only our code has warnings.
    flags += [f"-isystem{place}" for place in (folder / "mujoco/include", *str(found).split())]
    compiler = os.environ.get("CXX", "c++").split()
    for source in sources:
        session.run(*compiler, *flags, str(source), external=True, silent=True)


@nox.session(default=False, tags=["full"], requires=NEED_WHEELS)
def mujoco4(session: nox.Session) -> None:
    """Builds families of robots on the newer MuJoCo, and compares them with references on it."""
    session.install(*_group("build"))
    folder = OUT / "mujoco4"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    robots = [wheel for wheel in WHEELS if "envpool-mujoco" in _needed(wheel)]
    for wheel in robots:
        _build_wheel(session, wheel, folder, NEWER_ENGINE)
    session.install(_built(CORE), *map(str, folder.glob("*.whl")), *_group("test"))
    for wheel in robots:
        asked = (r for r in _group("test", ROOT / wheel) if not re.match("mujoco|dm.control", r))
        session.install(*asked, "mujoco>=4,<5")
        # Packages that require another MuJoCo; dm_control 1.0.50 loads no model on this one.
        alone = (r for r in _group("test-no-deps", ROOT / wheel) if not r.startswith("dm_control"))
        session.install("--no-deps", f"mujoco-core=={NEWER_ENGINE}", *alone)
    tests = [ROOT / "envpool-mujoco/tests" / f"test_{name}.py" for name in ("engine", "gymnasium")]
    tests += [ROOT / wheel / "tests/test_fidelity.py" for wheel in robots[1:]]
    commands = [["pytest", *_PARALLEL, str(test), *session.posargs] for test in tests]
    _run_each(session, commands, env={"ENVPOOL_MUJOCO": NEWER_ENGINE})


@nox.session(default=False, tags=["full"], requires=NEED_WHEELS)
def avx512(session: nox.Session) -> None:
    """Compares robots with references that round as on this CPU: lists the differences.

    It fails if it cannot compare. Differences are expected, see the page.
    """
    if "avx512f" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
        session.skip("this CPU has no AVX-512")
    robots = [wheel for wheel in WHEELS if "envpool-mujoco" in _needed(wheel)]
    for wheel in robots:
        _install_tests(session, wheel, *map(_built, _needed(wheel)))
    for wheel in robots:
        session.run("python", "tools/fidelity.py", wheel, "--avx512", "--amount", "100")


@nox.session(default=False, tags=["full"], requires=NEED_WHEELS)
def admitted(session: nox.Session) -> None:
    """Every family with the oldest and the newest versions that its metadata admits.

    Arguments after `--`: families, and `--save` for the table of the page on platforms.
    """
    session.install("uv>=0.9", "tomli>=2")
    options = [word for word in session.posargs if word != "--full"]
    session.run("python", "tools/admitted.py", *options)


@nox.session(requires=NEED_WHEELS)
@_budget(0.5)
def alone(session: nox.Session) -> None:
    """Core without any family: its messages when no task exists."""
    session.install(_built(CORE), *_group("test"))
    session.run("pytest", "tools/checks/test_alone.py", *session.posargs)


@nox.session(requires=NEED_WHEELS)
@nox.parametrize("package", [*PLUGINS, TEMPLATE], ids=[*PLUGINS, TEMPLATE])
@_budget(2)
def plugin(session: nox.Session, package: str) -> None:
    """An external family: built against the wheels that it names, installed and tested."""
    if package == TEMPLATE:
        _new_plugin(session)
        return
    requires = nox.project.load_toml(ROOT / package / "pyproject.toml")["build-system"]["requires"]
    named = [wheel for wheel in WHEELS if any(text.startswith(wheel) for text in requires)]
    session.install("pip>=23", *map(_built, named), *_group("test"))
    folder = str(ROOT / package)
    session.run(*_PIP_INSTALL, folder, env=_ours_only())
    session.run("pytest", "--config-file=pyproject.toml", folder, *session.posargs)


@nox.session(requires=NEED_WHEELS)
@_budget(2)
def interface(session: nox.Session) -> None:
    """A plugin built for core's previous interface is refused, with a message.

    The session `plugin` shows that a plugin of the same interface runs.
    """
    session.install("pip>=23", _built(CORE), *_group("test"))
    headers = Path(session.create_tmp()).resolve() / "previous"
    shutil.rmtree(headers, ignore_errors=True)
    shutil.copytree(ROOT / CORE, headers, ignore=shutil.ignore_patterns("tests", "src"))
    version = headers / "include/envpool/version.h"
    number = re.compile(r"(?<=kApiVersion = )\d+")
    version.write_text(number.sub(lambda n: str(int(n[0]) - 1), version.read_text()))
    root = f"--config-settings=cmake.define.envpool_ROOT={headers}"
    quick = "--config-settings=cmake.build-type=Debug"
    session.run(*_PIP_INSTALL, root, quick, "examples/envpool-meadow", env=_ours_only())
    session.run("pytest", "tools/checks/test_interface.py", *session.posargs)


def _new_plugin(session: nox.Session) -> None:
    """The first steps of an author: the commands that `envpool new-plugin` prints, unedited."""
    session.install("pip>=23", _built(CORE))
    folder = Path(session.create_tmp()) / "new"
    session.run("rm", "-rf", str(folder), external=True)
    # An author has compiled no family before.
    session.env["ENVPOOL_ENGINE_CACHE"] = str(folder / "engine")
    before = _children()
    session.run("envpool", "new-plugin", "sample", "--dir", str(folder))
    with session.chdir(folder / "envpool-sample"):
        session.run(*_PIP_INSTALL, ".", "pytest", env=_ours_only())
        session.run("pytest", "-q")
    seconds = _children() - before
    session.log(
        f"from new-plugin to green tests: {seconds:.0f} s of a CPU; at most {AUTHOR_SECONDS}"
    )
    if seconds > AUTHOR_SECONDS:
        session.error(f"a new plugin took {seconds:.0f} s of a CPU to build and test")


@nox.session(venv_backend="none", tags=["no-wheels"])
@nox.parametrize("sanitizer", list(SANITIZERS), ids=list(SANITIZERS))
@_budget(12)
def sanitize(session: nox.Session, sanitizer: str) -> None:
    """The C++ tests under ThreadSanitizer, and under Address- and UndefinedBehaviorSanitizer."""
    sources = sorted(ROOT.glob("envpool-*/tests/cpp/*_test.cc"))
    if sanitizer == "thread" and not _full(session):
        # The other tests have one thread, so they cannot race.
        sources = [s for s in sources if re.search("num_threads|std::thread", s.read_text())]
    if not sources:
        session.error("there is no envpool-*/tests/cpp/*_test.cc")
    folder = Path(session.create_tmp())
    # All of the engine as one source, compiled once for all programs.
    engine = folder / "engine.cc"
    parts = sorted((ROOT / CORE / "sources/engine").glob("*.cc"))
    engine.write_text("".join(f'#include "{path}"\n' for path in parts))
    flags = ["-std=c++20", "-g", "-O1", "-fno-omit-frame-pointer", "-pthread"]
    flags += [f"-fsanitize={SANITIZERS[sanitizer]}", "-fno-sanitize-recover=all"]
    flags += [f"-I{ROOT / CORE / 'include'}"]

    def compile_one(source: Path) -> Path:
        unit = folder / f"{source.stem}.o"
        includes = [f"-I{source.parents[2] / 'cpp'}"]
        command = [
            os.environ.get("CXX", "g++"),
            *flags,
            *includes,
            "-c",
            str(source),
            "-o",
            str(unit),
        ]
        subprocess.run(command, check=True)
        return unit

    with ThreadPoolExecutor(2 if JOBS == "auto" else int(JOBS)) as pool:
        compiled, *units = pool.map(compile_one, [engine, *sources])
    programs = []
    for unit in units:
        programs.append(unit.with_suffix(""))
        command = [os.environ.get("CXX", "g++"), *flags, str(unit), str(compiled)]
        subprocess.run([*command, "-o", str(programs[-1])], check=True)
    # ThreadSanitizer of gcc 12 does not know the memory layouts of newer kernels.
    fixed = ["setarch", "-R"]
    layout = fixed if subprocess.run([*fixed, "true"], check=False).returncode == 0 else []
    full = {"ENVPOOL_TEST_FULL": "1" if _full(session) else "0"}
    for program in programs:
        session.run(*_TIMEOUT, *layout, str(program), external=True, env=full)
    session.log(f"{len(programs)} programs passed under the {sanitizer} sanitizer")


@nox.session(default=False, tags=["full"], requires=NEED_WHEELS)
@nox.parametrize("wheel", SWEPT, ids=SWEPT)
def sweep(session: nox.Session, wheel: str) -> None:
    """Tries option values of a family under Address- and UB-Sanitizer, in its tests of them."""
    _install_tests(session, wheel, *map(_built, _needed(wheel)))
    session.install(*_group("dev"), *_group("run"))
    folder = Path(session.create_tmp())
    # Without vptr, which needs type names that modules hide from each other.
    checked = f"-fsanitize={SANITIZERS['address']}"
    flags = f"{checked} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer -O1"
    env = {"CFLAGS": flags, "CXXFLAGS": flags, "LDFLAGS": checked}
    env["ENVPOOL_ENGINE_CACHE"] = str(OUT / "engine-address")
    for needed in _needed(wheel)[1:]:  # the first is core, whose engine is compiled for each family
        asked = PROJECTS[needed]["build-system"]["requires"]
        session.install(*(r for r in asked if not r.startswith("envpool-")))
        command = ("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
        kind = "--config-settings=cmake.build-type=Debug"
        session.run(*command, kind, "--wheel-dir", str(folder), f"./{needed}", env=env)
        (built,) = folder.glob(f"{needed.replace('-', '_')}-*.whl")
        session.install("--no-deps", "--force-reinstall", str(built))
    libraries = (
        subprocess.run(
            [os.environ.get("CXX", "g++"), f"-print-file-name={name}"],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")
    )
    env = {
        "LD_PRELOAD": " ".join(libraries),
        # Python keeps memory until it ends. A pool may ask for more memory than there is.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "ENVPOOL_OPTION_SECONDS": "20",  # all programs are slower by this factor
    }
    more = (str(path.relative_to(ROOT)) for path in ROOT.glob(f"{wheel}/tests/test_swept_*.py"))
    test = (f"{wheel}/tests/test_option_values.py", *more, "-k", "not effects")
    # Without capture: a sanitizer's report at the end of the process would be lost.
    session.run("pytest", "--capture=no", "--timeout=3600", *test, *session.posargs, env=env)


@nox.session(requires=NEED_WHEELS)
@_budget(2)
def examples(session: nox.Session) -> None:
    """Runs every script of examples/ and examples/atari/; PPO learns CartPole, and a room."""
    groups = ("examples", "examples-atari", "learning")
    _install_all(session, *(requirement for name in groups for requirement in _group(name)))
    session.install("--no-deps", *_group("examples-atari-no-deps"))
    folder = session.create_tmp()
    for script in sorted([*ROOT.glob("examples/*.py"), *ROOT.glob("examples/atari/*.py")]):
        with session.chdir(folder):
            session.run(*_TIMEOUT, "python", str(script), external=True)
    session.run(*_TIMEOUT, "python", "examples/ppo.py", "room", external=True)


@nox.session(requires=NEED_WHEELS)
@_budget(12)
def docs(session: nox.Session) -> None:
    """Builds the pages into out/docs, with warnings as errors, and runs all their code."""
    _install_all(session, *_group("docs"))
    _install_without_requirements(session)
    build = ["-q", "-E", "-W", "--keep-going", "-d", str(session.create_tmp())]
    session.run("sphinx-build", *build, "docs", str(OUT / "docs"))
    pages = ["README.md", "CONTRIBUTING.md", *(f"{wheel}/README.md" for wheel in WHEELS)]
    # Sphinx wrote the pages of single environments, which have a line of code each.
    written = set(ROOT.glob("docs/environments/*/*.md"))
    pages += sorted(str(p.relative_to(ROOT)) for p in {*ROOT.glob("docs/**/*.md")} - written)
    # Pages build with and without isolation; pip refuses constraints of builds without it.
    found = f"{DIST.as_uri()} {os.environ.get('PIP_FIND_LINKS', '')}".strip()
    # Not nox's folder: Ray refuses one that is within an environment.
    env = {"PIP_FIND_LINKS": found, "TMPDIR": tempfile.gettempdir()}
    session.run("python", "tools/run_pages.py", *pages, env=env)


@nox.session(default=False)
def run(session: nox.Session) -> None:
    """Plays families at random: speeds and pictures, each printed when its wheel is built.

    Arguments after `--`: names of families, or `--all`; by default the families built in a minute
    or two, with `tool.envpool.first-run` in their pyproject.toml: their places in the order.
    Options
    """
    families = [wheel for wheel in WHEELS if wheel != CORE]
    own = [a for a in session.posargs if not a.startswith("-") and f"envpool-{a}" in families]
    options = [a for a in session.posargs if a not in (*own, "--all")]
    if options and not options[0].startswith("-"):
        known = " ".join(family.removeprefix("envpool-") for family in families)
        session.error(f"there is no family {options[0]!r}; there are: {known}")
    chosen = [f for f in families if f.removeprefix("envpool-") in own]
    if "--all" in session.posargs:
        chosen = families
    elif not own:
        first = [f for f in families if _own(f).get("first-run")]
        chosen = sorted(first, key=lambda family: int(_own(family)["first-run"]))
    session.install(*_group("run"))
    size = max(1, TILES // len(chosen))  # pictures of each family on the sheet
    built: set[str] = set()
    failed = []
    for number, wheel in enumerate(chosen):
        for needed in _needed(wheel):
            if needed not in built:
                _install_from_checkout(session, needed)
                built.add(needed)
        name, tile = wheel.removeprefix("envpool-"), number * size
        tiles = f"{tile}:{min(tile + size, TILES)}" if tile < TILES else "0:0"
        job = ("tools/run_families.py", name, "--sheet", str(OUT / "run.png"), "--tiles", tiles)
        try:
            session.run("python", *job, *options)
        except CommandFailed:
            failed.append(name)
    left = [family.removeprefix("envpool-") for family in families if family not in chosen]
    if left:
        session.log(f"left out: {' '.join(left)}. `python3 tools/dev.py run NAME ...` has some of")
        session.log("them, `python3 tools/dev.py run --all` has all; most take minutes to compile")
    if failed:
        session.error(f"failed: {', '.join(failed)}")


def _install_from_checkout(session: nox.Session, wheel: str) -> None:
    """Builds a wheel into dist/ without sdist and isolation, and installs it.

    Compiled files stay in out/build/, where the next call finds them.
    """
    project = PROJECTS[wheel]["project"]
    extras = project.get("optional-dependencies", {}).values() if wheel != CORE else ()
    asked = [*project["dependencies"], *PROJECTS[wheel]["build-system"]["requires"]]
    asked += PROJECTS[wheel]["tool"]["scikit-build"].get("build", {}).get("requires", [])
    asked += [requirement for extra in extras for requirement in extra]
    session.install(*(r for r in asked if not r.startswith("envpool-")))
    DIST.mkdir(exist_ok=True)
    stem = wheel.replace("-", "_")
    for old in [*DIST.glob(f"{stem}-*.whl"), *DIST.glob(f"{stem}.key")]:
        old.unlink()  # without its key the session `wheels` builds it again
    command = ("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    folder = f"--config-settings=build-dir={OUT / 'build' / wheel}"
    session.run(*command, folder, "--wheel-dir", str(DIST), f"./{wheel}")
    session.install("--no-deps", "--force-reinstall", _built(wheel))
    _fetch(session, wheel)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Runs tools/bench.py: all its tables, or those of families, as in `-- classic atari`.

    Only the wheels of these families are built. Tables are kept in out/bench/, from where
    tools/benchmark_page.py saves them for the pages.
    """
    timed = [path.parents[1].name for path in sorted(ROOT.glob("envpool-*/tests/speed.py"))]
    chosen = [family for family in timed if family.removeprefix("envpool-") in session.posargs]
    others = {path.stem.removesuffix("_speed") for path in ROOT.glob("tools/benchmarks/*_speed.py")}
    if not others.intersection(session.posargs):
        chosen = chosen or timed
    own = (name for family in chosen for name in _group("bench", ROOT / family))
    _install_named(session, *chosen, *own, *_group("bench"))
    for family in chosen:
        _install_tests(session, family)
    # The original's newest release is for Python 3.12 and newer.
    env = {"ENVPOOL_PEER_PYTHON": _python("3.12") or ""}
    session.run("python", "tools/bench.py", *session.posargs, env=env)


def _install_named(session: nox.Session, *requirements: str) -> None:
    """Installs packages; packages of this checkout, named without a version, are built."""
    DIST.mkdir(exist_ok=True)
    named = (needed for name in requirements if name in WHEELS for needed in _needed(name))
    wheels = list(dict.fromkeys([CORE, *named]))
    session.install(*_group("build"))
    for wheel in wheels:
        _build(session, wheel)
    session.install(*map(_built, wheels), *(r for r in requirements if r not in WHEELS))
    _fetch(session, *wheels)


@nox.session(default=False, requires=NEED_WHEELS)
def upstream(session: nox.Session) -> None:
    """The table of docs/upstream.md: the ids of the original's newest release, here or missing."""
    python = _python("3.12")
    if python is None:
        session.skip("no python3.12 on PATH that starts, and none of pyenv")
    session.install(*map(_built, WHEELS), *_group("bench"))
    session.run("python", "tools/upstream_ids.py", "--python", python)


@nox.session(default=False)
@nox.parametrize("client", LEARNERS, ids=LEARNERS)
def learners(session: nox.Session, client: str) -> None:
    """Trains CartPole with a library, in a pool and in its own environments: examples/learners/.

    Each client has an environment of its own, since their requirements exclude each other.
    Arguments after `--` go to tools/clients.py, whose docstring names the place of the figures.
    """
    _install_named(session, *_group(f"learners-{client.replace('_', '-')}"))
    session.run("python", "tools/clients.py", "--learner", client, *session.posargs)


@nox.session(default=False)
def rllib(session: nox.Session) -> None:
    """Trains CartPole with RLlib on pools, runs the page, compares env runners with RLlib's."""
    family = "envpool-ray"
    _install_named(session, family, *_group("bench", ROOT / family), *_group("bench"))
    session.run("python", "examples/rllib/ppo.py")
    session.run("python", "tools/run_pages.py", "--all", "docs/ray.md")
    session.run("python", "tools/bench.py", "ray", "--only", "wrappers")


@nox.session(default=False)
@nox.parametrize("group", CLIENTS, ids=CLIENTS)
def clients(session: nox.Session, group: str) -> None:
    """Examples of other libraries' documentation, and their conformance suites, on pools.

    Arguments after `--` go to tools/clients.py, whose docstring names the place of the figures.
    """
    _install_named(session, *_group(group))
    if any(requirement.startswith("pettingzoo") for requirement in _group(group)):
        session.install(
            "examples/envpool-meadow", env=_ours_only()
        )  # it has a task of several players
    session.run("python", "tools/clients.py", *session.posargs)


@nox.session(default=False, requires=NEED_WHEELS)
def dev(session: nox.Session) -> None:
    """An environment to work in, .nox/dev: every wheel editable, and the developer tools."""
    groups = ("build", "dev", "lint", "types", "test", "examples")
    session.install(*(requirement for group in groups for requirement in _group(group)))
    for wheel in WHEELS:
        session.install(*_group("test", ROOT / wheel))
        # The headers of the checkout, not those of the wheel in the build environment.
        headers = [
            f"--config-settings=cmake.define.{name.removesuffix('-core').replace('-', '_')}_ROOT="
            f"{ROOT / name}"
            for name in _needed(wheel)[:-1]
        ]
        session.run(*_PIP_INSTALL, *headers, "-e", wheel, env=_ours_only(build_only=True))
