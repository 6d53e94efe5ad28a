# SPDX-License-Identifier: Apache-2.0
"""The program as a whole: its help, the commands of plugins, and how it ends."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from envpool import __version__


def test_help_names_all_commands(run):
    done = run("--help")
    assert done.returncode == 0
    for name in ("list-envs", "info", "bench", "render", "play", "watch", "doctor", "greet"):
        assert f" {name} " in done.stdout


def test_every_command_has_help_and_json(run):
    for name in ("list-envs", "info", "bench", "render", "doctor"):
        done = run(name, "--help", COLUMNS="200")
        assert done.returncode == 0
        assert "--json" in done.stdout


def test_version(run):
    lines = run("--version").stdout.splitlines()
    assert lines[0] == f"envpool-core {__version__}"
    assert {"envpool-good 1.2.3", "envpool-broken 0.9", "envpool-old 0.1"} <= {*lines}
    assert run("-V").stdout.splitlines() == lines


@pytest.mark.parametrize(
    ("line", "wanted"), [("envpool ben", "bench"), ("envpool info Wal", "Walk-v0")]
)
def test_shell_completion(run, line, wanted):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    done = run(_ENVPOOL_COMPLETE="complete_bash", **words)
    assert wanted in done.stdout.split()

    assert "--show-completion" in run("--help").stdout


def test_command_of_a_plugin(run):
    done = run("greet", "you")
    assert (done.returncode, done.stdout) == (0, "hello you\n")


def test_unknown_command_is_a_wrong_command_line(run):
    done = run("no-such-command")
    assert done.returncode == 2
    assert "no-such-command" in done.stderr


TELL_WHEN_RUNNING = """
import sys, envpool.cli.bench as bench
measure = bench._measure
def told(*arguments):
    print("running", file=sys.stderr, flush=True)
    return measure(*arguments)
bench._measure = told
"""


def test_ctrl_c_ends_with_130(command):
    line, environment = command("bench", "Walk-v0", "--seconds", "90", "--num-envs", "2")
    line[2] = TELL_WHEN_RUNNING + line[2]
    with subprocess.Popen(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in complaint


@pytest.mark.parametrize("words", [("list-envs",), ("list-envs", "--json")])
def test_a_full_device_is_named(command, words):
    line, environment = command(*words)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            line, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 1
    assert "a device without space" in done.stderr and "Traceback" not in done.stderr


INTERRUPT_AN_IMPORT = """
import signal, sys
class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "walks":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder)
"""


def test_ctrl_c_in_the_import_of_a_family_ends_with_130(command):
    line, environment = command("bench", "Walk-v0", "--seconds", "0.1")
    line[2] = INTERRUPT_AN_IMPORT + line[2]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


TELL_IMPORTS = """
import atexit, sys
heavy = {"gymnasium", "dm_env", "PIL", "imageio_ffmpeg"}
atexit.register(lambda: print(sorted(heavy & {*sys.modules}), file=sys.stderr))
"""


def test_list_envs_imports_no_interface(command):
    line, environment = command("list-envs", ENVPOOL_DISABLE_PLUGINS="broken")
    line[2] = TELL_IMPORTS + line[2]
    done = subprocess.run(
        line, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("words", [["doctor"], ["list-envs"], ["bench", "Walk-v0"]], ids=" ".join)
def test_terminals_that_are_not_utf8(run, words):
    done = run(*words, PYTHONIOENCODING="ascii")
    assert "UnicodeEncodeError" not in done.stderr
    if words == ["doctor"]:
        assert "\n  x   " in done.stdout
        assert "-> " in done.stdout
