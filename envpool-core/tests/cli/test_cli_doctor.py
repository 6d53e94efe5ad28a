# SPDX-License-Identifier: Apache-2.0
"""`envpool doctor`: working parts, problems, and their causes."""

from __future__ import annotations

import json
import platform
import shutil
from importlib import metadata

import pytest
from compiling import library
from envpool._discovery.registry import Registry
from envpool._version import API_VERSION, __version__
from envpool.cli import doctor


@pytest.fixture
def findings(run):
    """The exit status, and the findings by area and name."""

    def read(**variables):
        done = run("doctor", "--json", **variables)
        report = json.loads(done.stdout)
        found = {(f["area"], f["name"]): f for f in report["findings"]}
        assert len(found) == len(report["findings"])
        return done.returncode, report["problems"], found

    return read


def test_families(findings):
    status, problems, found = findings()
    assert (status, problems) == (1, 3)
    good = found["Families", "good"]
    assert good["status"] == "ok"
    assert good["detail"].startswith(
        f"envpool-good 1.2.3, 3 tasks, interface {API_VERSION}, compiled by "
    )
    broken = found["Families", "broken"]
    assert broken["status"] == "problem"
    assert "envpool-broken 0.9, 0 tasks" in broken["detail"]
    assert "ImportError: no fluxcapacitor here" in broken["detail"]
    assert "pip install --force-reinstall envpool-broken" in broken["fix"]
    assert "ENVPOOL_DISABLE_PLUGINS=broken" in broken["fix"]
    old = found["Families", "old"]
    assert old["status"] == "problem"
    assert "interface number 0 in envpool-old" in old["detail"]
    assert old["fix"] == (
        "run `pip install --upgrade envpool-old`, or build envpool-old against this envpool-core; "
        "ENVPOOL_DISABLE_PLUGINS=old hides it"
    )
    rude = found["Families", "rude"]
    assert rude["status"] == "problem"
    assert "RuntimeError: no commands from me" in rude["detail"]


def test_what_families_say_of_themselves(findings):
    _, problems, found = findings(ENVPOOL_DISABLE_PLUGINS="broken,old,rude")
    assert problems == 0
    said = [(name, *list(f.values())[2:]) for (_, name), f in found.items() if "good: " in name]
    assert said == [
        ("good: maps", "8 of 8", "ok", ""),
        ("good: shoes", "worn out", "warning", "buy new ones"),
        ("good: dog", "none", "missing", ""),
    ]


def test_what_tasks_were_compared_with(findings):
    """A package that is not installed is not told; another version is no problem of the tasks."""
    _, problems, found = findings(ENVPOOL_DISABLE_PLUGINS="broken,old,rude")
    assert problems == 0
    said = {name: f for (_, name), f in found.items() if name.endswith("(good)")}
    assert set(said) == {"pluggy (good)", "envpool-good (good)"}
    assert said["envpool-good (good)"]["detail"] == "1.2.3, as compared"
    other = said["pluggy (good)"]
    installed = metadata.version("pluggy")
    assert other["status"] == "warning"
    assert other["detail"] == (
        f"{installed} is installed, compared was 0.1 and 0.2: walks may differ"
    )
    assert other["fix"] == 'run `pip install "pluggy==0.1"`'


def test_what_the_oldest_gymnasium_lacks(findings, site, tmp_path):
    """Its metadata alone is of an old version."""
    _, _, found = findings()
    assert found["Packages", "gymnasium"]["status"] == "ok"
    info = tmp_path / "gymnasium-0.29.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gymnasium\nVersion: 0.29.1\n")
    _, problems, found = findings(
        PYTHONPATH=f"{tmp_path}:{site}", ENVPOOL_DISABLE_PLUGINS="broken,old,rude"
    )
    assert problems == 0
    assert found["Packages", "gymnasium"]["status"] == "warning"
    assert "without env_type='vector'" in found["Packages", "gymnasium"]["detail"]


def test_disabled_families_are_no_problem(findings):
    status, problems, found = findings(ENVPOOL_DISABLE_PLUGINS="broken,old,rude")
    assert (status, problems) == (0, 0)
    assert "disabled by ENVPOOL_DISABLE_PLUGINS" in found["Families", "broken"]["detail"]


def test_core_and_machine(findings):
    _, _, found = findings()
    assert found["EnvPool", "envpool-core"]["detail"].startswith(
        f"{__version__}, interface {API_VERSION}, in "
    )
    assert "of which this process may use" in found["Machine", "CPUs"]["detail"]
    assert {name for area, name in found if area == "Drawing"} == {
        *("display", "EGL", "OSMesa", "OpenGL")
    }
    assert found["Packages", "numpy"]["status"] == "ok"


def test_a_driver_that_crashes_where_it_is_loaded(findings, tmp_path):
    source = tmp_path / "driver.cc"
    source.write_text("struct Trap { Trap() { __builtin_trap(); } } trap;\n", encoding="utf-8")
    for name in ("libEGL.so.1", "libOSMesa.so.8", "libGL.so.1"):
        shutil.copy(library(source), tmp_path / name)
    disabled = "broken,old,rude"
    status, _, found = findings(LD_LIBRARY_PATH=str(tmp_path), ENVPOOL_DISABLE_PLUGINS=disabled)
    assert status == 0
    assert found["Drawing", "EGL"]["status"] == "missing"
    assert found["Drawing", "OpenGL"]["status"] == "missing"


def test_nothing_to_build_with(findings, tmp_path):
    status, _, found = findings(
        PATH=str(tmp_path), CXX="", ENVPOOL_DISABLE_PLUGINS="broken,old,rude"
    )
    assert status == 0
    for name in ("compiler", "cmake", "ninja"):
        assert found["Building families", name]["status"] == "missing"


def test_compiler_of_the_environment(findings, tmp_path):
    program = tmp_path / "my-c++"
    program.write_text("#!/bin/sh\necho my compiler 7\n", encoding="utf-8")
    program.chmod(0o755)
    _, _, found = findings(CXX=f"{program} -flag")
    detail = found["Building families", "compiler"]["detail"]
    assert detail == f"my compiler 7, as {program} -flag"


def test_text(run):
    done = run("doctor")
    assert done.returncode == 1
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[0] == "EnvPool"
    assert lines[-1] == "3 problems found"
    (broken,) = (number for number, line in enumerate(lines) if line.startswith("✗ broken "))
    assert "ImportError: no fluxcapacitor here (" in lines[broken + 1]
    assert lines[broken + 2].startswith("→ run `pip install --force-reinstall envpool-broken`")
    shoes = lines.index("! good: shoes worn out")
    assert lines[shoes - 1 : shoes + 3 : 2] == ["✓ good: maps 8 of 8", "→ buy new ones"]


def test_no_family(monkeypatch):
    monkeypatch.setattr(doctor, "registry", Registry([]))
    (finding,) = doctor._plugins({})
    assert finding.status == "missing"
    assert "pip install envpool-classic" in finding.fix


def test_cpus_and_instructions(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {8, 0, 1, 2, 5}, raising=False)
    found = {finding.name: finding.detail for finding in doctor._machine()}
    assert found["CPUs"].endswith("of which this process may use 5: 0-2, 5, 8")
    assert found["instructions"].startswith(platform.machine())


def test_quota_of_a_container(monkeypatch):
    monkeypatch.setattr(doctor, "_cpu_quota", lambda: 0.5)
    (quota,) = (finding for finding in doctor._machine() if finding.name == "quota")
    assert quota.detail == "the container may use 0.5 CPUs"
    assert "num_threads=1" in quota.fix
