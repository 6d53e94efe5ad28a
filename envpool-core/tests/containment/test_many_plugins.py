# SPDX-License-Identifier: Apache-2.0
"""200 plugins with 10,000 ids: listed at once, and `make` imports the one that it needs."""

from __future__ import annotations

import json

import pytest

PLUGINS, IDS = 200, 50
# Ids that say whose they are: by the family's name, or by the patterns of the wheel's metadata.
STYLES = {
    "slash": "fam{0:03}/Task{1}-v0",
    "prefix": "Fam{0:03}Task{1}-v0",
    "hint": "T{1}of{0:03}-v0",
}
PLUGIN = """
from envpool import Task, hookimpl

@hookimpl
def envpool_tasks():
    for i in range({count}):
        yield Task({pattern!r}.format({number}, i), "fake_family:COUNTER", max_episode_steps=9)
"""
FIND = """
    import sys, envpool
    assert not {name for name in sys.modules if name.startswith("fam")}
    envpool.make(sys.argv[1]).reset()
    print(*sorted(name for name in sys.modules if name.startswith(("fam", "good_plugin"))))
"""
LIST = """
    import time, envpool
    start = time.process_time()
    ids = envpool.list_all_envs()
    print(time.process_time() - start, len(ids), len(envpool.failures()))
"""
IMPORT = """
    import sys, time
    import numpy
    start = time.process_time()
    import envpool
    print(time.process_time() - start, len([n for n in sys.modules if n.startswith("fam")]))
"""


@pytest.fixture(params=STYLES)
def many(site, request):
    """The site, and the id that a plugin has."""
    pattern = STYLES[request.param]
    for number in range(PLUGINS):
        name = f"fam{number:03}"
        hints = f"[envpool.ids]\nT*of{number:03}-v? = {name}_plugin\n" * (request.param == "hint")
        site.wheel(
            name,
            {f"{name}_plugin": PLUGIN.format(count=IDS, pattern=pattern, number=number)},
            entry_points=f"[envpool]\n{name} = {name}_plugin\n{hints}",
        )
    return site, pattern


def test_make_imports_one_plugin(many):
    site, pattern = many
    for number in (0, 137, 199):
        done = site.run(FIND, pattern.format(number, 42))
        assert done.stdout == f"fam{number:03}_plugin\n", done.stderr


def test_they_are_listed_at_once(many):
    site, _ = many
    figures = [site.run(LIST).stdout.split() for _ in range(5)]
    assert {tuple(rest) for _, *rest in figures} == {(str(PLUGINS * IDS + 1), "0")}
    # Half a second is the promise, a sixth of one is usual. Time of the CPU, which is that
    # of the clock where nothing else runs; the best of a few, since something may.
    assert min(float(seconds) for seconds, *_ in figures) < 0.5


def test_import_of_envpool_does_not_look_at_them(many):
    site, _ = many
    figures = [site.run(IMPORT).stdout.split() for _ in range(5)]
    assert {imported for _, imported in figures} == {"0"}
    assert min(float(seconds) for seconds, _ in figures) < 0.15


def test_the_command_lists_that_many(many):
    site, _ = many
    code = "from envpool.cli import main; main(['list-envs', '--json'])"
    done = site.run(code)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == PLUGINS * IDS + 1
