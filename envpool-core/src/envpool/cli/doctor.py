# SPDX-License-Identifier: Apache-2.0
"""`envpool doctor`: the installed families and libraries, their problems, and the remedies."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from .._discovery.compiled import load_env
from .._discovery.registry import DISABLE_VARIABLE, registry
from .._upstream.mixed import find_problem
from .._version import API_VERSION, __version__
from ..compared import Compared
from ..cpus import usable_cpus
from ..errors import PluginError, lower_first
from ..family import MISSING, OK, PROBLEM, WARNING, Finding
from ._output import count, grid, print_json, show
from ._program import Program
from ._tasks import AsJson, compiler_of

if TYPE_CHECKING:
    from .._discovery.plugin import Plugin
    from ..family import Task
    from ..typing import CompiledEnv

_MARKS = {
    OK: ("✓", "green"),
    MISSING: ("-", "dim"),
    WARNING: ("!", "bold yellow"),
    PROBLEM: ("✗", "bold red"),
}

# Libraries that some families draw with, by the names of the shared libraries.
_LIBRARIES = {
    "EGL": ("libEGL.so.1",),
    "OSMesa": ("libOSMesa.so.8", "libOSMesa.so.6"),
    "OpenGL": ("libGL.so.1",),
}
_REQUIRED = ("numpy", "gymnasium", "dm-env", "pluggy", "typer", "rich")
_OPTIONAL = {
    "opencv-python": "render_mode='human'",
    "pillow": "`envpool render` into a .gif",
    "imageio-ffmpeg": "`envpool render` into a .mp4",
    "jax": "pool.xla()",
}
_VECTORS = {"avx2": "AVX2", "avx512f": "AVX-512", "asimd": "NEON"}
_TIMEOUT = 20  # seconds for a compiler to print its version, or for a library to load


def doctor(as_json: AsJson = False) -> None:
    """Look for problems of this installation, and say how to repair them.

    The exit status is 1 if there is a problem.
    """
    compared: dict[Compared, list[str]] = {}
    areas = {
        "EnvPool": [*_core()],
        "Families": [*_plugins(compared)],
        "Compared with": [*_compared(compared)],
        "Packages": [*_packages()],
        "Building families": [*_building()],
        "Machine": [*_machine()],
        "Drawing": [*_drawing()],
    }
    all_findings = [(area, finding) for area, findings in areas.items() for finding in findings]
    problems = sum(finding.status == PROBLEM for _, finding in all_findings)
    if as_json:
        findings = [{"area": area, **finding._asdict()} for area, finding in all_findings]
        print_json({"problems": problems, "findings": findings})
    else:
        for area, findings_of_area in areas.items():
            show(f"[bold]{area}[/]", _table(findings_of_area), "")
        colour = "red" if problems else "green"
        show(f"[bold {colour}]{count(problems, 'problem')} found[/]")
    if problems:
        raise typer.Exit(1)


def _table(findings: list[Finding]) -> Table:
    table = grid()
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        mark, style = _MARKS[finding.status]
        text = Text(finding.detail, "dim" if finding.status == MISSING else "")
        if finding.fix:
            text.append("\n→ ", "yellow").append(finding.fix, "yellow")
        table.add_row(Text(mark, style), Text(finding.name, "cyan"), text)
    return table


def _plugins(compared: dict[Compared, list[str]]) -> Iterator[Finding]:
    registry.add_commands(Program())  # imports all plugins, shows problems of their commands
    plugins = registry.plugins()
    if not plugins:
        fix = "run `pip install envpool-classic`: classic control and toy text"
        yield Finding("(none)", "no family is installed", MISSING, fix)
    for plugin in plugins:
        yield from _plugin(plugin, compared)
    for error in registry.failures():
        if not error.plugin:  # belongs to no plugin: metadata that cannot be read
            text = str(error).removesuffix(f" {error.hint}.")
            yield Finding(error.wheel, text, PROBLEM, lower_first(error.hint))


def _plugin(plugin: Plugin, compared: dict[Compared, list[str]]) -> Iterator[Finding]:
    """The findings of a family; adds the packages that it was compared with to `compared`."""
    wheel = f"{plugin.wheel} {plugin.version}" if plugin.wheel else f"module {plugin.module}"
    if plugin.state == "disabled":
        detail = f"{wheel}, disabled by {DISABLE_VARIABLE}"
        yield Finding(plugin.name, detail, MISSING)
        return
    failures = [
        failure
        for failure in registry.failures()
        if (failure.plugin, failure.wheel) == (plugin.name, plugin.wheel)
    ]
    tasks = {task.id: task for task in plugin.tasks.values()}
    envs = {task.env: task for task in tasks.values()}
    loaded = [_load(task, plugin) for task in envs.values()]
    failures += [error for error in loaded if isinstance(error, PluginError)]
    usable = [env for env in loaded if not isinstance(env, PluginError)]
    of_families: list[Finding] = []
    try:
        for said in plugin.findings():
            if isinstance(said, Compared):
                compared.setdefault(said, []).append(plugin.name)
            else:
                of_families.append(said._replace(name=f"{plugin.name}: {said.name}"))
    except PluginError as error:
        failures.append(error)
    detail = f"{wheel}, {count(len(tasks), 'task')}"
    if usable:
        interfaces = _listed({str(env.api_version) for env in usable})
        compilers = _listed({compiler_of(env) for env in usable})
        detail += f", interface {interfaces}, compiled by {compilers}"
    # Each fix is printed once: most tasks of a plugin have the same problem.
    texts = [str(error).removesuffix(f" {error.hint}.") for error in failures]
    fixes = [*map(lower_first, dict.fromkeys(error.hint for error in failures if error.hint))]
    fixes += [f"{DISABLE_VARIABLE}={plugin.name} hides it"] if failures else []
    status = PROBLEM if failures else OK
    yield Finding(plugin.name, "\n".join([detail, *texts]), status, "; ".join(fixes))
    yield from of_families


def _compared(compared: Mapping[Compared, Iterable[str]]) -> Iterator[Finding]:
    """For each installed package, whether its version was compared."""
    for one, families in sorted(compared.items()):
        if not (version := one.installed()):
            continue
        name = f"{one.package} ({', '.join(sorted(families))})"
        if sentence := one.unlike():
            yield Finding(name, sentence, WARNING, f"run `{one.remedy()}`")
        else:
            yield Finding(name, f"{version}, as compared")


def _load(task: Task, plugin: Plugin) -> CompiledEnv | PluginError:
    """The compiled environment of a task, or the error instead."""
    try:
        return load_env(task.env, task.id, plugin.provider)
    except PluginError as error:
        return error


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names)) or "unknown"


def _core() -> Iterator[Finding]:
    here = str(Path(__file__).parents[1])
    yield Finding("envpool-core", f"{__version__}, interface {API_VERSION}, in {here}")
    mixed = find_problem()
    if mixed is not None:
        yield Finding("installation", mixed.got, PROBLEM, lower_first(mixed.hint))
    version = f"{platform.python_version()} ({platform.python_implementation()})"
    yield Finding("Python", f"{version}, {sys.executable}")


def _packages() -> Iterator[Finding]:
    for name in (*_REQUIRED, *_OPTIONAL):
        version = _version(name) or (_version(f"{name}-headless") if name in _OPTIONAL else None)
        use = f" (for {_OPTIONAL[name]})" if name in _OPTIONAL else ""
        if version is not None and name == "gymnasium" and version.startswith("0."):
            detail = f"{version}, without env_type='vector', make_vec and envpool.integrations"
            yield Finding(name, detail, WARNING, 'run `pip install "gymnasium>=1.0"`, for them')
        elif version is not None:
            yield Finding(name, f"{version}{use}")
        elif use:
            yield Finding(name, f"not installed{use}", MISSING)
        else:
            yield Finding(name, "not installed", PROBLEM, f"run `pip install {name}`")


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _building() -> Iterator[Finding]:
    compiler = os.environ.get("CXX") or "c++"
    for name, command in (("compiler", compiler), ("cmake", "cmake"), ("ninja", "ninja")):
        words = command.split()
        if shutil.which(words[0]) is None:
            yield Finding(name, f"no {words[0]}; only needed to build from source", MISSING)
            continue
        try:
            done = subprocess.run(
                [*words, "--version"],
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            yield Finding(name, str(error), PROBLEM, f"repair or remove {words[0]}")
            continue
        lines = (done.stdout or done.stderr).splitlines()
        yield Finding(name, f"{lines[0] if lines else 'silent'}, as {command}")


def _machine() -> Iterator[Finding]:
    cores = os.cpu_count() or 1
    allowed = usable_cpus()
    usable = len(allowed)
    yield Finding("system", platform.platform())
    yield Finding("CPUs", f"{cores}, of which this process may use {usable}: {_ranges(allowed)}")
    yield Finding("instructions", _instructions())
    quota = _cpu_quota()
    if quota is not None:
        detail = f"the container may use {quota:g} CPUs"
        fix = f"pass num_threads={max(1, int(quota))}: more threads only wait for each other"
        small = quota < usable
        yield Finding("quota", detail, OK, fix if small else "")


def _ranges(numbers: Iterable[int]) -> str:
    """`0-3, 8` for 0, 1, 2, 3 and 8."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def _instructions() -> str:
    """The CPU's instruction set, and those vector instructions that families use."""
    machine = platform.machine() or "unknown"
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:  # no Linux
        return machine
    flags = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    vectors = {"avx2", "avx512f", "asimd"} & {*(flags[1].split() if flags else ())}
    return ", ".join([machine, *(f"with {_VECTORS[name]}" for name in sorted(vectors))])


def _cpu_quota() -> float | None:
    """The number of CPUs of this process's control group, if it is limited."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return int(quota) / int(period)
    except (OSError, ValueError):  # no control groups, or "max"
        return None


def _drawing() -> Iterator[Finding]:
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    detail = display or "none; windows cannot be opened, frames can be drawn all the same"
    yield Finding("display", detail, OK if display else MISSING)
    for name, libraries in _LIBRARIES.items():
        loaded = next(filter(_loads, libraries), None)
        if loaded is not None:
            yield Finding(name, loaded)
        else:
            detail = f"no {libraries[0]}; only needed by families that draw in three dimensions"
            yield Finding(name, detail, MISSING)


def _loads(library: str) -> bool:
    """Loads the library in another process, for a broken driver may end the process."""
    command = [sys.executable, "-I", "-c", f"import ctypes; ctypes.CDLL({library!r})"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
