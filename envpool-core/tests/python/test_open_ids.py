# SPDX-License-Identifier: Apache-2.0
"""Ids that no family lists: the hook envpool_task."""

from __future__ import annotations

import pytest
from envpool import hookimpl
from envpool._discovery.registry import Registry
from envpool.errors import ConfigError, PluginError, UnknownTaskError
from test_registry import Entry, task


def open_family(name, find, tasks=()):
    entry = Entry(name, list(tasks))
    entry.module.envpool_task = hookimpl(lambda task_id: find(task_id), specname="envpool_task")
    return entry


def test_an_id_with_the_name_of_a_family_is_asked_for_once():
    asked = []

    def find(task_id):
        asked.append(task_id)
        return None if task_id.endswith("nothing") else task(task_id)

    toy = open_family("toy", find, [task("toy:Listed-v0")])
    found = Registry([toy, open_family("other", find)])
    first = found.find("toy:Walk-v0")
    assert first.id == "toy:Walk-v0" and found.find("toy:Walk-v0") is first
    assert found.origin(first).name == "toy"
    assert found.find("toy:Listed-v0").id == "toy:Listed-v0"
    with pytest.raises(UnknownTaskError):
        found.find("toy:nothing")
    with pytest.raises(UnknownTaskError):
        found.find("Walk-v0")
    assert asked == ["toy:Walk-v0", "toy:nothing"]
    assert found.list_all_envs() == ["toy:Listed-v0"]


@pytest.mark.parametrize("answer", [5, "toy:Walk-v0", task("Walk-v0")])
def test_what_is_no_task_of_this_id_is_refused(answer):
    found = Registry([open_family("toy", lambda task_id: answer)])
    with pytest.raises(PluginError, match=r"envpool_task\('toy:Walk-v0'\).*Task of this id"):
        found.find("toy:Walk-v0")


def test_errors_of_the_family():
    def find(task_id):
        raise ConfigError("no such map") if "map" in task_id else KeyError("who")

    found = Registry([open_family("toy", find)])
    with pytest.raises(ConfigError, match="no such map"):
        found.find("toy:map")
    with pytest.raises(PluginError, match="KeyError"):
        found.find("toy:Walk-v0")
