# SPDX-License-Identifier: Apache-2.0
"""Families as they are found when they are installed, and the program `envpool` beside them.

`site` is the content of a site-packages folder: modules, and the metadata of four wheels. One
works, one cannot be imported, one was built for an older interface, one has commands that fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from compiling import extension

MODULES = {
    "good_plugin": '''
        from envpool import Compared, Deprecation, Finding, Task, hookimpl

        @hookimpl
        def envpool_tasks():
            docs = {"goal": "how far it is", "flaw": "what is wrong", "noise": "whether it is",
                    "horizon": "steps of an episode"}
            yield Task("Walk-v0", "walks:Walk", description="Walk back and forth [or not].",
                       config_docs=docs, aliases=("Stroll-v0",), max_episode_steps=30,
                       reward_threshold=1.5)
            yield Task("Walk-v1", "walks:Walk", config_docs=docs, goal=2.0,
                       deprecated=Deprecation("9.0", use="Walk-v0"))
            yield Task("Team-v0", "walks:Team", description="Walk together.")

        @hookimpl
        def envpool_findings():
            yield Finding("maps", "8 of 8")
            yield Finding("shoes", "worn out", "warning", "buy new ones")
            yield Finding("dog", "none", "missing")
            yield Compared("pluggy", ("0.1", "0.2"), "walks may differ")
            yield Compared("envpool-good", ("1.2.2", "1.2.3"), "walks may differ")
            yield Compared("walks-of-others", ("1.0",), "walks may differ")

        @hookimpl
        def envpool_commands(app):
            @app.command()
            def greet(name: str):
                """Say hello."""
                print(f"hello {name}")
    ''',
    "broken_plugin": 'raise ImportError("no fluxcapacitor here")',
    "old_plugin": """
        from envpool import Task, hookimpl

        class Old:
            api_version, compiler = 0, "9.9.9"

        @hookimpl
        def envpool_tasks():
            yield Task("Old-v0", "old_plugin:Old")
    """,
    "rude_plugin": """
        from envpool import hookimpl

        @hookimpl
        def envpool_tasks():
            return []

        @hookimpl
        def envpool_commands(app):
            raise RuntimeError("no commands from me")
    """,
}
WHEELS = {"good": "1.2.3", "broken": "0.9", "old": "0.1", "rude": "4.0"}

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder."""
    folder = tmp_path_factory.mktemp("site")
    path = extension(Path(__file__).parents[1] / "kit" / "walks.cc", "-O2")
    shutil.copy(path, folder / path.name)
    for name, text in MODULES.items():
        lines = text.splitlines()
        indent = len(lines[1]) - len(lines[1].lstrip()) if len(lines) > 1 else 0
        code = "\n".join(line[indent:] for line in lines)
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    for name, version in WHEELS.items():
        metadata = folder / f"envpool_{name}-{version}.dist-info"
        metadata.mkdir()
        head = f"Metadata-Version: 2.1\nName: envpool-{name}\nVersion: {version}\n"
        (metadata / "METADATA").write_text(head, encoding="utf-8")
        entry = f"[envpool]\n{name} = {name}_plugin\n"
        (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
    return folder


@pytest.fixture
def command(site: Path) -> Callable[..., tuple[list[str], dict[str, str]]]:
    """The command that starts the program, and its environment variables."""

    def start(*words: str, before: Path | None = None, **variables: str):
        path = os.pathsep.join(map(str, filter(None, [before, site, os.environ.get("PYTHONPATH")])))
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore", **variables}
        code = "from envpool.cli import main; main()"
        return [sys.executable, "-c", code, *words], environment

    return start


@pytest.fixture
def run(command: Callable[..., tuple[list[str], dict[str, str]]]) -> Run:
    """Runs the program: `run("info", "Walk-v0")`.

    Upper-case keyword arguments are environment variables; `before` is a folder whose modules hide
    those that are installed.
    """

    def run_one(*words: str, before: Path | None = None, **variables: str):
        line, environment = command(*words, before=before, **variables)
        done = subprocess.run(
            line, env=environment, capture_output=True, text=True, timeout=100, check=False
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        return done

    return run_one
