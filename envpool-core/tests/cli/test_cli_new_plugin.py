# SPDX-License-Identifier: Apache-2.0
"""`envpool new-plugin` writes the files that it lists, once, and refuses unusable names.

That it builds and passes its tests is shown by the session `plugin`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from envpool._version import __version__
from envpool.cli.new_plugin import TEMPLATE, check_name, render, values_for
from envpool.errors import ConfigError

FILES = [
    "pyproject.toml",
    "CMakeLists.txt",
    "cpp/toy_box.cc",
    "src/envpool_toy_box/__init__.py",
    "tests/test_toy_box.py",
    ".github/workflows/ci.yml",
    "README.md",
]


def test_it_writes_a_package(run, tmp_path):
    done = run("new-plugin", "toy_box", "--dir", str(tmp_path / "new"), "--json")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "new" / "envpool-toy-box"
    written = sorted(path for path in folder.rglob("*") if path.is_file())
    assert written == sorted(folder / file for file in FILES)
    assert json.loads(done.stdout) == {
        "name": "toy_box",
        "wheel": "envpool-toy-box",
        "folder": str(folder),
        "files": [str(folder / file) for file in FILES],
    }
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@[A-Z]+@", text), path
        assert text.endswith("\n") and not text.endswith("\n\n")
        if path.suffix != ".md":
            assert max(map(len, text.splitlines())) <= 100
    project = (folder / "pyproject.toml").read_text(encoding="utf-8")
    series = __version__.rpartition(".")[0]
    assert 'name = "envpool-toy-box"' in project
    assert 'toy_box = "envpool_toy_box"' in project
    assert project.count(f'"envpool-core=={series}.*"') == 2
    assert len((folder / "CMakeLists.txt").read_text().splitlines()) == 4


def test_the_module_names_its_tasks(monkeypatch):
    """The Python part as written, without the compiled part."""
    module: dict[str, object] = {}
    exec(render(values_for("toy"))["src/envpool_toy/__init__.py"], module)
    tasks = list(module["FAMILY"].envpool_tasks())
    assert [task.id for task in tasks] == ["toy/Hover-v0", "toy/HoverInStorm-v0"]
    assert {task.env for task in tasks} == {"envpool_toy._toy:Hover"}


def test_it_is_small():
    texts = render(values_for("sample"))
    texts.pop("README.md")
    assert len(texts) <= 6
    assert sum(len(text.splitlines()) for text in texts.values()) <= 100
    assert len(TEMPLATE) == len(texts) + 1


def test_the_text_says_what_to_do_next(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("new-plugin", "toy")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "Build it and test it: cd envpool-toy && pip install . pytest && pytest"
    assert lines[1].split() == ["envpool-toy/CMakeLists.txt", "4", "lines"]
    assert Path("envpool-toy/README.md").exists()


def test_it_overwrites_nothing(run, tmp_path):
    folder = tmp_path / "envpool-toy"
    folder.mkdir()
    assert run("new-plugin", "toy", "--dir", str(tmp_path)).returncode == 0
    (folder / "pyproject.toml").write_text("mine")
    done = run("new-plugin", "toy", "--dir", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == (
        f"envpool: new-plugin into {folder}: got something that is there already; allowed: a "
        "folder that is new, or empty. Choose another name, or another --dir.\n"
    )
    assert (folder / "pyproject.toml").read_text() == "mine"


def test_a_folder_that_cannot_be_written(run, tmp_path):
    (tmp_path / "file").write_text("")
    done = run("new-plugin", "toy", "--dir", str(tmp_path / "file"), "--json")
    assert done.returncode == 1
    message = json.loads(done.stdout)["message"]
    assert "NotADirectoryError" in message and message.endswith("Choose another --dir.")


@pytest.mark.parametrize(
    ("name", "then"),
    [
        ("My-Games", "Name it 'my_games', for example."),
        ("2d", "Name it 'd', for example."),
        ("a__b", "Name it 'a_b', for example."),
        ("toy!", "Name it 'toy', for example."),
        ("../up", "Name it 'up', for example."),
        ("ä", "Choose a name."),
        ("", "Choose a name."),
        ("core", "Name it 'my_core', for example."),
        ("atari", "Name it 'my_atari', for example."),
    ],
)
def test_names_that_cannot_be(name, then):
    with pytest.raises(ConfigError) as caught:
        check_name(name)
    assert str(caught.value).startswith(f"new-plugin {name}: got ")
    assert str(caught.value).endswith(then)


@pytest.mark.parametrize("name", ["a", "toy", "toy_2", "g2048"])
def test_names_that_can_be(name):
    check_name(name)
