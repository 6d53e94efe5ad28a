# SPDX-License-Identifier: Apache-2.0
"""A plugin's findings for `envpool doctor`: a failed hook is a problem of its own plugin only."""

from __future__ import annotations

import json
import re

import pytest

PLUGIN = """\
from envpool import Finding, Task, hookimpl

@hookimpl
def envpool_tasks():
    return []

@hookimpl
def envpool_findings():
    yield Finding("maps", "8 of 8")
    {last}
"""
DOCTOR = "from envpool.cli import main; main(['doctor', '--json'])"
ASKED = r"envpool_findings\(\) of bad_plugin: got "
ALLOWED = "; allowed: envpool.Finding objects whose status is ok or missing or warning or problem"


def families(site, last):
    """The exit status, and the findings of each family."""
    site.wheel("bad", {"bad_plugin": PLUGIN.format(last=last)})
    done = site.run(DOCTOR)
    assert "Traceback" not in done.stderr
    found = [f for f in json.loads(done.stdout)["findings"] if f["area"] == "Families"]
    return done.returncode, {finding["name"]: finding for finding in found}


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("1 / 0", r"ZeroDivisionError: division by zero \(\S*bad_plugin.py, line 10\)"),
        ("raise SystemExit(4)", "SystemExit: 4"),
        ("yield 'licence'", f"'licence'{ALLOWED}"),
        ("yield Finding('maps', 'none', 'bad')", f"Finding.*status='bad'.*{ALLOWED}"),
        ("return (yield from None)", "TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_a_hook_that_fails(site, last, said):
    status, found = families(site, last)
    assert status == 1
    assert [name for name, f in found.items() if f["status"] == "problem"] == ["bad"]
    assert re.search(ASKED + said, found["bad"]["detail"], re.DOTALL), found["bad"]
    assert found["bad"]["fix"].endswith("ENVPOOL_DISABLE_PLUGINS=bad hides it")
    # The findings before its failure, and those of other plugins, are there.
    assert found["bad: maps"]["detail"] == "8 of 8"
    assert found["good"]["status"] == "ok"


def test_a_problem_is_one_of_the_report(site):
    status, found = families(site, "yield Finding('key', 'none', 'problem', 'buy one')")
    assert (status, found["bad"]["status"]) == (1, "ok")
    assert found["bad: key"] == {
        "area": "Families",
        "name": "bad: key",
        "detail": "none",
        "status": "problem",
        "fix": "buy one",
    }


def test_a_warning_is_none(site):
    assert families(site, "yield Finding('key', 'old', 'warning', 'buy one')")[0] == 0


def test_nobody_else_asks(site):
    """Neither lists nor pools run the hook."""
    site.wheel("bad", {"bad_plugin": PLUGIN.format(last="print('asked')")})
    done = site.run("import envpool; print('Good-v0' in envpool.list_all_envs())")
    assert done.stdout == "True\n", done.stderr
