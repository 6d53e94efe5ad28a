# SPDX-License-Identifier: Apache-2.0
"""A plugin that was compiled for core's previous interface number.

Run by the session `interface`, which builds the wheel of examples/envpool-meadow so.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import envpool
import pytest
from envpool.errors import PluginError


def test_it_is_listed_and_refused_in_words() -> None:
    tasks = envpool.list_all_envs()
    assert tasks, "the plugin is not installed"
    assert not envpool.failures()
    for task in tasks:
        with pytest.raises(PluginError) as refused:
            envpool.make(task, num_envs=1)
        message = str(refused.value)
        found = re.search(r"interface number (\d+) in envpool-meadow; allowed: (\d+),", message)
        assert found, message
        assert int(found[1]) == int(found[2]) - 1
        assert "pip install --upgrade envpool-meadow" in message


def test_the_command_says_so_too() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("envpool")), "doctor"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "interface number" in done.stdout
