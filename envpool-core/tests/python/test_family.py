# SPDX-License-Identifier: Apache-2.0
"""`envpool.Family`: one object has the answers of the functions under `hookimpl`."""

from __future__ import annotations

import sys
import types

import pytest
from envpool import Family, Finding, Prepared, Task, hookimpl
from envpool._discovery.registry import Registry
from envpool.errors import ConfigError

WALK = Task("Walk-v0", "fake_family:COUNTER")


def registry(module):
    dist = types.SimpleNamespace(name="envpool-walk", version="1.0")
    entry = types.SimpleNamespace(name="walk", value="walk", dist=dist, load=lambda: module)
    return Registry([entry])


def module(**names):
    found = types.ModuleType("walk")
    vars(found).update(names)
    return found


def test_all_parts_are_asked():
    def prepare(task, options, build):
        return Prepared(task.env, {"goal": 3, **options}, {"built": str(build)})

    run = Task("walk:Run-v0", "fake_family:COUNTER")
    commands = []
    family = Family(
        [WALK],
        task={"walk:Run-v0": run}.get,
        prepare=prepare,
        commands=commands.append,
        findings=lambda: [Finding("maps", "8 of 8")],
    )
    found = registry(module(FAMILY=family))
    assert found.find("Walk-v0") is WALK
    assert found.find("walk:Run-v0") is run
    assert found.prepare(WALK, {}, True) == Prepared(WALK.env, {"goal": 3}, {"built": "True"})
    (plugin,) = found.plugins()
    plugin.add_commands("app")
    assert commands == ["app"]
    assert list(plugin.findings()) == [Finding("maps", "8 of 8")]


def test_a_part_is_imported_when_it_is_called(monkeypatch):
    found = registry(module(FAMILY=Family(lambda: iter([WALK]), prepare="walk_prepare:prepare")))
    assert found.find("Walk-v0") is WALK
    late = module(prepare=lambda task, options, build: Prepared(task.env, {"goal": 4}))
    monkeypatch.setitem(sys.modules, "walk_prepare", late)
    assert found.prepare(WALK, {}, False).options == {"goal": 4}


def test_tasks_are_enough():
    found = registry(module(FAMILY=Family(task for task in [WALK])))
    assert found.find("Walk-v0") is WALK
    assert found.prepare(WALK, {}, True) is None
    (plugin,) = found.plugins()
    plugin.add_commands(None)
    assert list(plugin.findings()) == []


def test_a_family_comes_before_functions_of_its_module():
    other = hookimpl(lambda: [Task("Other-v0", WALK.env)], specname="envpool_tasks")
    found = registry(module(FAMILY=Family([WALK]), envpool_tasks=other))
    assert found.find("Walk-v0") is WALK
    assert found.list_all_envs() == ["Walk-v0"]


@pytest.mark.parametrize("name", ["task", "prepare", "commands", "findings"])
@pytest.mark.parametrize("part", [5, "walk", ":prepare", "walk:"])
def test_parts_that_are_refused(name, part):
    with pytest.raises(ConfigError, match=rf"Family\({name}={part!r}\).*module:function"):
        Family([WALK], **{name: part})
