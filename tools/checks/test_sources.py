# SPDX-License-Identifier: Apache-2.0
"""The rules of tools/check_sources.py about Python, and the wheels that messages name."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from _fidelity import compared, differences, totals
from _rows import merged, read, write
from benchmark_page import CHART, README, draw, filled
from check_sources import links, private_imports
from dependencies import circle, graphs, imports, includes, layers

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from CORE._specs.spec import EnvSpec", ["CORE._specs.spec.EnvSpec"]),
        ("from CORE import Task, _specs", ["CORE._specs"]),
        ("def f():\n    import CORE._pools.make as m", ["CORE._pools.make"]),
        ('CODE = "import os; from CORE._discovery import x"', ["CORE._discovery"]),
        ("import CORE\nprint(CORE.__version__)", []),
        ("from CORE_toy import _toy\nfrom ._toy import CORE", []),
        ("from CORE.typing import CompiledEnv", []),
    ],
)
def test_what_is_private_to_core(text: str, names: list[str]) -> None:
    # This file is checked, too, so the name itself is not in it.
    found = [name for _, name in private_imports(text.replace("CORE", "envpool"))]
    assert found == [name.replace("CORE", "envpool") for name in names]


def compared_versions() -> dict[str, list[tuple[str, str]]]:
    """The packages and first versions of each family's `COMPARED`."""
    versions = {}
    for path in sorted(ROOT.glob("envpool-*/src/*/_findings.py")):
        source = path.read_text(encoding="utf-8")
        rows = re.findall(r'Compared\(\s*"([\w-]+)",\s*\("([^"]+)"', source)
        if "compared_engine()" in source:
            project = (ROOT / "envpool-mujoco/pyproject.toml").read_text(encoding="utf-8")
            engine = re.search(r'"mujoco==([\d.]+)"', project)
            assert engine
            rows.append(("mujoco", engine[1]))
        versions[path.parents[2].name] = rows
    return versions


def test_pages_name_the_versions_that_were_compared() -> None:
    """The pages and READMEs of families have the versions in `COMPARED`."""
    versions = compared_versions()
    assert sum(map(bool, versions.values())) >= 14
    for wheel, rows in versions.items():
        for page in (
            ROOT / f"docs/{wheel.removeprefix('envpool-')}.md",
            ROOT / f"{wheel}/README.md",
        ):
            text = " ".join(page.read_text(encoding="utf-8").split())
            missing = [row for row in rows if f"{row[0]} {row[1]}" not in text]
            assert not missing, f"{page.relative_to(ROOT)} does not name {missing}"


def test_saved_rows_have_the_versions_that_were_compared() -> None:
    versions = compared_versions()
    matched = set()
    for path in ROOT.glob("envpool-*/tests/fidelity.csv"):
        wheel = path.parents[1].name
        for row in read(path):
            for package, version in versions[wheel]:
                if found := re.search(rf"\b{package} ([\d.]+\d)", row["reference"]):
                    assert found[1] == version, f"{wheel}: {row['task']}"
                    matched.add(wheel)
    assert len(matched) >= 13


def test_messages_name_wheels_that_are_built_here() -> None:
    """A message must not name a wheel that does not exist."""
    known = runpy.run_path(str(ROOT / "envpool-core/src/envpool/_discovery/known_families.py"))
    named = {f"envpool-{family}" for family in known["FAMILIES"]}
    built = {path.parent.name for path in ROOT.glob("envpool-*/pyproject.toml")}
    assert named
    assert named <= built


def test_readmes_and_wheels_lead_to_the_home(tmp_path: Path) -> None:
    wheel = tmp_path / "envpool-x"
    wheel.mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "x.md").write_text("# X")
    (tmp_path / "pyproject.toml").write_text('[tool.envpool]\nhome = "https://a.example"\n')
    (wheel / "pyproject.toml").write_text("[project]\n")
    (wheel / "README.md").write_text("[x](../docs/x.md) [y](https://a.example/y.html)")
    assert len([*links(tmp_path)]) == 3
    (wheel / "README.md").write_text("[x](https://a.example/x.html#there)")
    urls = '\n[project.urls]\nDocumentation = "https://a.example"\n'
    (wheel / "pyproject.toml").write_text(f"[project]\n{urls}")
    assert [*links(tmp_path)] == []


def test_the_chart_and_the_readme_have_the_saved_tables() -> None:
    text = README.read_text(encoding="utf-8")
    assert (CHART.read_text(encoding="utf-8"), text) == (draw(), filled(text)), (
        "run `python tools/benchmark_page.py`"
    )


@pytest.mark.parametrize("path", sorted(ROOT.glob("envpool-*/tests/fidelity.csv")), ids=str)
def test_saved_rows_are_as_their_tool_writes_them(path: Path, tmp_path: Path) -> None:
    rows = read(path)
    assert all(row["task"] and row["reference"] for row in rows)
    assert merged(rows, rows[:1], "task", order=[row["task"] for row in rows]) == rows
    write(tmp_path / "new.csv", rows)
    assert (tmp_path / "new.csv").read_bytes() == path.read_bytes()
    assert totals(rows)
    assert compared(rows)


def test_saved_differences_are_told() -> None:
    rows = [
        {"task": "A", "reference": "x 1", "steps": "3 x 1,000", "reward": "equal", "frames": ""},
        {"task": "B", "reference": "x 1", "steps": "20", "reward": "equal", "frames": "7, equal"},
    ]
    assert totals(rows) == "3,020 steps, 7 frames"
    assert compared(rows) == "reward, frames"
    assert differences(rows) == "none"
    rows[0]["reward"], rows[1]["reward"] = "reward within 2e-16", "reward within 3e-17"
    assert differences(rows) == "reward within 2e-16 in 2 rows"
    rows[1]["reward"] = "3 of 20 differ, first in env 0, step 1"
    assert differences(rows).endswith("; reward 3 of 20 differ, first in env 0, step 1 in 1")
    assert differences([{"task": "A", "reference": "x 1", "differences": "2"}]) != "none"


def test_circles_of_imports_are_found(tmp_path: Path) -> None:
    package = tmp_path / "wheel"
    package.mkdir()
    for name, text in {
        "__init__": "from ._a import one\n",
        "_a": "from . import _compiled\n\n\ndef late():\n    from ._b import two\n",
        "_b": "import wheel._c\n",
        "_c": "",
    }.items():
        (package / f"{name}.py").write_text(text)
    order = [["wheel._c"], ["wheel._b"], ["wheel._a"], ["wheel"]]
    assert list(layers(imports(package))) == order
    (package / "_c.py").write_text("from wheel import _a\n")
    assert "wheel._c <- wheel._b <- wheel._a" in circle("wheel", imports(package))


def test_circles_of_includes_are_found(tmp_path: Path) -> None:
    for name, text in {
        "include/toy/a.h": '#include "toy/b.h"\n',
        "include/toy/b.h": "#include <vector>\n",
        "cpp/c.cc": '#include "d.h"\n#include "toy/a.h"\n',
        "cpp/d.h": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    order = [["cpp/d.h", "include/toy/b.h"], ["include/toy/a.h"], ["cpp/c.cc"]]
    assert list(layers(includes(tmp_path))) == order
    (tmp_path / "include/toy/b.h").write_text('#include "a.h"\n')
    assert "include/toy/a.h <- include/toy/b.h" in circle("toy", includes(tmp_path))


def test_graphs_have_what_is_known_of_this_repository() -> None:
    known = dict(graphs(ROOT, ["envpool-core"]))
    assert known["wheels"]["envpool-robotics"] == {"envpool-core", "envpool-mujoco"}
    assert "envpool._pools.base" in known["envpool-core, modules"]["envpool._pools.dm"]
    pool = known["envpool-core, C++"]["include/envpool/engine/pool.h"]
    assert "include/envpool/engine/batch.h" in pool
