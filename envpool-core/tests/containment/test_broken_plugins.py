# SPDX-License-Identifier: Apache-2.0
"""If a plugin is broken the others work, and `envpool doctor` has the remedy.

Each case is a wheel that is broken in one way, installed beside one that works. Wheels whose
extension module cannot be loaded fail when a pool is made of their task, the others when tasks are
listed; `doctor` finds both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from envpool._version import API_VERSION

HEAD = "from envpool import Task, hookimpl\n"
HOOK = f"{HEAD}\n@hookimpl\ndef envpool_tasks():\n    "
BAD_TASK = f'{HOOK}yield Task("Bad-v0", "bad_env:BAD")\n'
# The common code of the extension modules; `%s` stands for its call.
EXTENSION = """
#include <Python.h>
extern int foreign(void);
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "bad_env", 0, -1, 0, 0, 0, 0, 0};
PyMODINIT_FUNC PyInit_bad_env(void) {
  return foreign() ? 0 : PyModule_Create(&module);
}
"""


class Broken(NamedTuple):
    """A plugin that is broken.

    Attributes:
        code: Its module.
        cause: Pattern for the message about it.
        fix: Pattern for the remedy.
    """

    code: str
    cause: str
    fix: str


REINSTALL = r"run `pip install --force-reinstall envpool-bad`"
LISTED = {
    "import raises": Broken(
        'raise ValueError("no luck")',
        r"import of bad_plugin: got ValueError: no luck \(\S*/bad_plugin.py, line 1\)",
        f"{REINSTALL}, or tell its authors",
    ),
    "import ends Python": Broken("import sys; sys.exit(3)", "got SystemExit: 3", REINSTALL),
    "syntax": Broken(
        "def f(:", r"got SyntaxError: invalid syntax \(bad_plugin.py, line 1\)", REINSTALL
    ),
    "a dependency is missing": Broken(
        "import fluxcapacitor.core",
        "got no module fluxcapacitor, which bad_plugin imports",
        "run `pip install fluxcapacitor`, and tell the authors of envpool-bad",
    ),
    "hook raises": Broken(
        f'{HOOK}raise KeyError("size")',
        r"envpool_tasks\(\) of bad_plugin: got KeyError: 'size' \(\S*/bad_plugin.py, line 5\)",
        REINSTALL,
    ),
    "hook raises late": Broken(f"{BAD_TASK}    1 / 0", "got ZeroDivisionError: ", REINSTALL),
    "hook ends Python": Broken(f"{HOOK}raise SystemExit", "got SystemExit: ", REINSTALL),
    "hook returns nothing": Broken(
        f"{HOOK}pass", "got None; allowed: an iterable of envpool.Task", "yield a Task for each id"
    ),
    "hook returns one": Broken(
        f'{HOOK}return Task("Bad-v0", "a:B")', "got Task.'Bad-v0'.*; allowed: an iterable", "yield "
    ),
    "hook yields an id": Broken(f'{HOOK}yield "Bad-v0"', "got 'Bad-v0'; allowed: envpool.Task", ""),
    "hook yields rubbish": Broken(
        f"{HOOK}yield 3", "got 3; allowed: envpool.Task objects", "yield"
    ),
    "hook yields a task without an id": Broken(
        f'{HOOK}yield Task("", "a:B")', r"Task\(id=''\): got ''; allowed: a string", ""
    ),
    "hook is misspelt": Broken(
        f"{HEAD}\n@hookimpl\ndef envpool_taks():\n    return []",
        "unknown hook 'envpool_taks'",
        REINSTALL,
    ),
    "no hook": Broken(
        "", "a module without FAMILY and without a hook; allowed: FAMILY =", "add it"
    ),
    "one id twice": Broken(
        f'{HOOK}yield from [Task("Bad-v0", "a:B"), Task("Bad-v1", "a:C", aliases=["Bad-v0"])]',
        "task 'Bad-v0': got two tasks of this id, or a task and an alias; allowed: one",
        "take one of them out of the plugin",
    ),
    "id of another wheel": Broken(
        f'{HOOK}yield Task("Good-v0", "fake_family:COUNTER")',
        "task 'Good-v0': got two tasks of this id, from plugin 'good' of envpool-good 1.5, whose "
        r"task make\(\) takes, and from plugin 'bad' of envpool-bad 1.5; allowed: one",
        "uninstall one of the two wheels, or name its plugin in ENVPOOL_DISABLE_PLUGINS",
    ),
}

LOOK = """
    import envpool, json
    ids = envpool.list_all_envs()
    print(json.dumps([ids, [str(f) for f in envpool.failures()]]))
"""
DOCTOR = "from envpool.cli import main; main(['doctor', '--json'])"
MAKE = """
    import sys, envpool
    try:
        envpool.make(sys.argv[1]).reset()
    except envpool.errors.PluginError as error:
        print(error.plugin, error.wheel, error.version, str(error))
"""


def doctor(site):
    """The findings of `envpool doctor` for each family."""
    done = site.run(DOCTOR)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    found = [f for f in json.loads(done.stdout)["findings"] if f["area"] == "Families"]
    return {finding["name"]: finding for finding in found}


def check_doctor(site, broken, owner="bad"):
    """Doctor names the wheel, the cause and the fix, and finds nothing wrong with the others."""
    findings = doctor(site)
    problems = {name for name, finding in findings.items() if finding["status"] == "problem"}
    assert problems == {owner}
    finding = findings[owner]
    assert finding["detail"].startswith(f"envpool-{owner} 1.5, ")
    assert re.search(broken.cause, finding["detail"]), finding
    assert re.search(broken.fix, finding["fix"]), finding
    assert finding["fix"].endswith(f"ENVPOOL_DISABLE_PLUGINS={owner} hides it")


@pytest.mark.parametrize("name", LISTED)
def test_a_plugin_that_cannot_be_listed(site, name):
    broken = LISTED[name]
    site.wheel("bad", {"bad_plugin": broken.code})
    done = site.run(LOOK)
    assert done.returncode == 0, done.stderr
    ids, (failure,) = json.loads(done.stdout)
    twice = name.startswith(("one id", "id of"))
    assert [i for i in ids if not (twice and i.startswith("Bad"))] == ["Good-v0"]
    assert re.search(broken.cause, failure), failure
    assert "envpool-bad 1.5" in failure
    # The other one is found without this one being imported, and works.
    done = site.run(MAKE, "Good-v0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    check_doctor(site, broken)


def test_an_unknown_id_tells_what_is_broken(site):
    site.wheel("bad", {"bad_plugin": LISTED["import raises"].code})
    done = site.run("import envpool; envpool.make('Bad-v0')")
    *_, last = done.stderr.splitlines()
    assert last.startswith("Not available: plugin 'bad' of envpool-bad 1.5: import of bad_plugin: ")
    assert "Run `pip install --force-reinstall envpool-bad`" in last


def test_nothing_of_a_plugin_that_fails_is_left(site):
    """Tasks that it registered by hand before it failed are gone as well."""
    by_hand = 'import envpool\nenvpool.register(envpool.Task("Bad-v0", "a:B"))\n'
    site.wheel("bad", {"bad_plugin": f"{by_hand}1 / 0"})
    ids, failures = json.loads(site.run(LOOK).stdout)
    assert (ids, len(failures)) == (["Good-v0"], 1)


def test_a_module_that_is_not_there(site):
    site.wheel("bad", {})
    broken = Broken("", "got no module bad_plugin; allowed: all files of envpool-bad", REINSTALL)
    ids, (failure,) = json.loads(site.run(LOOK).stdout)
    assert ids == ["Good-v0"]
    assert re.search(broken.cause, failure)
    check_doctor(site, broken)


def test_an_entry_point_that_is_none(site):
    site.wheel("bad", {}, module="bad plugin!")
    cause = "the entry point bad: got 'bad plugin!'; allowed: the name of a module"
    check_doctor(site, Broken("", cause, "correct it in the pyproject.toml of envpool-bad"))


def test_metadata_that_cannot_be_read(site):
    """Python gives up on the entry points of all wheels; EnvPool only on those of this one."""
    site.wheel("bad", {}, entry_points="[envpool]\nbad\n")
    ids, (failure,) = json.loads(site.run(LOOK).stdout)
    assert ids == ["Good-v0"]
    assert failure.startswith("entry_points.txt of envpool-bad: got ")
    assert failure.endswith("Run `pip install --force-reinstall envpool-bad`.")
    assert doctor(site)["envpool-bad"]["fix"] == REINSTALL


def test_ctrl_c_is_no_failure(site):
    """It ends the look for tasks; the next one starts anew."""
    code = 'import os\nif os.environ.pop("ONCE", ""):\n    raise KeyboardInterrupt\n'
    site.wheel("bad", {"bad_plugin": code + BAD_TASK})
    done = site.run(
        """
        import envpool
        try:
            envpool.list_all_envs()
        except KeyboardInterrupt:
            print(envpool.list_all_envs(), envpool.failures())
        """,
        ONCE="1",
    )
    assert done.stdout == "['Bad-v0', 'Good-v0'] []\n", done.stderr


def library(site, compile_library: Callable[..., None], *flags: str) -> Path:
    """A shared library with the function that the extension calls."""
    source = site.folder / "foreign.c"
    source.write_text("int foreign(void) { return 0; }\n")
    path = site.folder / "libforeign.so.7"
    compile_library(source, path, "-Wl,-soname,libforeign.so.7", *flags)
    return path


def links(path: Path) -> list[str]:
    """The flags that link a library, and find it where it is."""
    return [str(path), f"-Wl,-rpath,{path.parent}"]


def no_library(site, compile_library):
    path = library(site, compile_library)
    site.extension("bad_env", EXTENSION, *links(path))
    path.unlink()


def versioned(version: str) -> Callable[..., None]:
    """Links to a library with a version of its symbols that the one which is found has not."""

    def build(site, compile_library):
        script = site.folder / "versions.map"
        script.write_text(f"{version} {{ global: foreign; }};\n")
        path = library(site, compile_library, f"-Wl,--version-script={script}")
        site.extension("bad_env", EXTENSION, *links(path))
        script.write_text("OLDER_1 { global: foreign; };\n")
        library(site, compile_library, f"-Wl,--version-script={script}")

    return build


def no_symbol(site, compile_library):
    code = EXTENSION.replace("foreign", "_ZNSt3__14coutE")
    site.extension("bad_env", code)


def other_python(site, compile_library):
    package = site.folder / "bad_env"
    package.mkdir()
    (package / "__init__.py").write_text("from ._bad import BAD\n")
    (package / "_bad.cpython-38-x86_64-linux-gnu.so").write_bytes(b"")


def damaged(site, compile_library):
    site.extension("bad_env", EXTENSION).write_bytes(b"\x7fELF")


def ends_python(site, compile_library):
    site.write("bad_env", "raise SystemExit(5)")


def other_interface(site, compile_library):
    site.write("bad_env", "class BAD:\n    api_version, compiler = 0, '9'\n")


BUILD = "run `pip install --force-reinstall --no-deps --no-cache-dir --no-binary envpool-bad envpo"
LOADED = {
    "no shared library": (
        no_library,
        Broken(
            "",
            "got no shared library libforeign.so.7, which bad_env is linked to",
            "install the package of your system that has libforeign.so.7, or name its folder in LD",
        ),
    ),
    "newer C++ library": (
        versioned("GLIBCXX_9.9.99"),
        Broken(
            "",
            r"got bad_env, compiled with a newer C\+\+ library than this Python runs with: .*"
            r"version `GLIBCXX_9.9.99' not found.*an extension that does without GLIBCXX_9.9.99",
            BUILD,
        ),
    ),
    "newer C++ runtime": (
        versioned("CXXABI_1.3.99"),
        Broken("", "without CXXABI_1.3.99", f"{BUILD}.* or install a newer libstdc"),
    ),
    "newer Linux": (
        versioned("GLIBC_9.9"),
        Broken("", "compiled on a newer Linux than this one: .*without GLIBC_9.9", BUILD),
    ),
    "another C++ library": (
        no_symbol,
        Broken(
            "",
            r"compiled for another C\+\+ library than .*; it lacks the symbol of libc\+\+ "
            "_ZNSt3__14coutE",
            BUILD,
        ),
    ),
    "another Python": (
        other_python,
        Broken("", "got bad_env._bad, compiled for cpython-38-x86", f"{REINSTALL} with /"),
    ),
    "damaged": (damaged, Broken("", "got ImportError: .*(file too short|invalid ELF)", REINSTALL)),
    "ends Python": (ends_python, Broken("", "got SystemExit: 5", REINSTALL)),
    "another interface": (
        other_interface,
        Broken(
            "",
            f"interface number 0 in envpool-bad; allowed: {API_VERSION}, the number of envpool",
            "run `pip install --upgrade envpool-bad`, or build envpool-bad against this envpool-c",
        ),
    ),
}


@pytest.mark.parametrize("name", LOADED)
def test_an_extension_that_cannot_be_loaded(site, compile_library, name):
    build, broken = LOADED[name]
    build(site, compile_library)
    site.wheel("bad", {"bad_plugin": BAD_TASK})
    assert json.loads(site.run(LOOK).stdout) == [["Bad-v0", "Good-v0"], []]
    done = site.run(MAKE, "Bad-v0")
    assert done.returncode == 0, done.stderr
    plugin, wheel, version, message = done.stdout.split(maxsplit=3)
    assert (plugin, wheel, version) == ("bad", "envpool-bad", "1.5")
    assert re.search(broken.cause, message), message
    assert re.search(broken.fix, message, re.IGNORECASE), message
    check_doctor(site, broken)
