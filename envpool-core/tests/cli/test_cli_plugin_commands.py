# SPDX-License-Identifier: Apache-2.0
"""Commands of plugins: a broken one, and one whose name is taken, harm only themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PLUGIN = '''
import typer
from envpool import hookimpl

@hookimpl
def envpool_tasks():
    return []

@hookimpl
def envpool_commands(app):
    @app.command()
    def {first}():
        """Say what it is."""
        print("first of {name}")

    {more}
'''
SECOND = '''@app.command("{name}")
    def second():
        """Say what it is."""
        print("second")'''
GROUP = """group = typer.Typer()
    group.command("hello")(lambda: print("grouped"))
    app.add_typer(group{name})"""


@pytest.fixture
def plugins(tmp_path: Path):
    """Writes plugins, as {"name": (name of its first function, the behaviour of its hook)}."""

    def write(**hooks: tuple[str, str]) -> Path:
        for name, (first, more) in hooks.items():
            code = PLUGIN.format(name=name, first=first, more=more or "pass")
            (tmp_path / f"{name}_plugin.py").write_text(code, encoding="utf-8")
            metadata = tmp_path / f"envpool_{name}-1.0.dist-info"
            metadata.mkdir()
            head = f"Metadata-Version: 2.1\nName: envpool-{name}\nVersion: 1.0\n"
            (metadata / "METADATA").write_text(head, encoding="utf-8")
            entry = f"[envpool]\n{name} = {name}_plugin\n"
            (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
        return tmp_path

    return write


def problems_of(run, folder: Path, plugin: str) -> str:
    """The report of `envpool doctor` on a plugin."""
    found = json.loads(run("doctor", "--json", before=folder).stdout)["findings"]
    (finding,) = (f for f in found if (f["area"], f["name"]) == ("Families", plugin))
    assert finding["status"] == "problem"
    return str(finding["detail"])


def test_a_name_of_envpool_s_own(run, plugins):
    folder = plugins(thief=("steal", SECOND.format(name="info")))
    assert run("steal", before=folder).stdout == "first of thief\n"
    assert run("info", "Walk-v0", before=folder).stdout.startswith("Walk-v0\n")
    assert run("--help", before=folder).stdout.count(" info ") == 1
    text = problems_of(run, folder, "thief")
    assert "the command 'info' of thief_plugin: got a name that envpool has; allowed: other" in text
    assert "than bench, doctor, " in text
    assert "Name it 'thief_plugin-info', for example." in text


def test_a_name_of_another_plugin(run, plugins):
    folder = plugins(alpha=("say_it", ""), beta=("say_it", ""))
    assert run("say-it", before=folder).stdout == "first of alpha\n"
    text = problems_of(run, folder, "beta")
    assert "the command 'say-it' of beta_plugin: got a name that alpha_plugin has" in text


def test_groups(run, plugins):
    folder = plugins(
        alpha=("one", GROUP.format(name=', name="tools"')),
        beta=("two", GROUP.format(name=', name="render"')),
        gamma=("three", GROUP.format(name="")),
    )
    assert run("tools", "hello", before=folder).stdout == "grouped\n"
    assert "a name that envpool has" in problems_of(run, folder, "beta")
    assert "got a group without a name" in problems_of(run, folder, "gamma")
    assert run("two", before=folder).stdout == "first of beta\n"


def test_a_broken_one(run, plugins):
    folder = plugins(broken2=("early", "raise RuntimeError('not today')"))
    assert run("early", before=folder).stdout == "first of broken2\n"
    assert run("greet", "you", before=folder).stdout == "hello you\n"
    assert "RuntimeError: not today" in problems_of(run, folder, "broken2")


def test_an_unknown_command_may_be_that_of_a_broken_plugin(run):
    done = run("no-such-command")
    assert done.returncode == 2
    hint = "envpool: 2 plugins not working, so commands may be missing; see `envpool doctor`\n"
    assert done.stderr.startswith(hint)
    # Nothing to say where the command is known.
    assert run("greet", "you").stderr == ""
    assert run("--help").stderr == ""
