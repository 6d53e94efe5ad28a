# SPDX-License-Identifier: Apache-2.0
"""Upstream's distribution in the folder of this one: told before and after it is uninstalled."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import envpool
import pytest
from envpool._upstream.mixed import UPSTREAMS_OWN, find_problem

PACKAGE = Path(envpool.__file__).parent
WITHOUT_INIT = PACKAGE / "_upstream" / "without_init.py"  # beside the package under another name
FIX = "Run `pip install --force-reinstall --no-deps envpool-core`."


@pytest.fixture
def site(tmp_path):
    """A folder with a copy of the package, as pip lays it out."""
    shutil.copytree(PACKAGE, tmp_path / "envpool", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(WITHOUT_INIT, tmp_path / "envpool.py")
    return tmp_path


def run(site, code, name="script"):
    """The output of a Python with the package in `site`."""
    script = site / name
    script.write_text(f"import sys; sys.path.insert(0, {str(site)!r})\n{code}")
    # An editable installation has a finder of its own, which would be asked first.
    without = (
        "sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]"
    )
    script.write_text(f"import sys\n{without}\n{script.read_text()}")
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False
    )


def test_nothing_is_wrong_with_this_one(site):
    assert find_problem() is None
    done = run(site, "import envpool; print(envpool.make.__name__, envpool.__file__)")
    assert done.stdout.strip() == f"make {site / 'envpool' / '__init__.py'}"
    assert done.stderr == ""


def test_both_are_there(site):
    (site / "envpool" / UPSTREAMS_OWN).write_text("")
    done = run(site, "import envpool; print(envpool.make.__name__)")
    assert done.stdout.strip() == "make"
    assert "whose files are mixed. Run `pip uninstall -y envpool`, and then" in done.stderr
    assert f"{site}/script:" in done.stderr, "the warning blames the line that imports"


def test_upstream_was_installed_last(site):
    (site / "envpool" / "__init__.py").write_text("from .entry import *")
    found = find_problem(site / "envpool")
    assert found is not None
    assert "`import envpool` gives upstream's" in found.got


def test_upstream_was_uninstalled(site):
    (site / "envpool" / "__init__.py").unlink()
    for code in ("import envpool", "from envpool import make", "import envpool.registration"):
        done = run(site, code)
        assert done.returncode == 1
        assert "PluginError: import envpool: got an envpool-core without its" in done.stderr
        assert done.stderr.strip().endswith(FIX)


def test_the_command_says_so(site):
    for name in ("__init__.py", "registration.py", "python/__init__.py"):
        (site / "envpool" / name).unlink()
    code = "sys.argv = ['envpool', 'doctor']; from envpool.cli import main; main()"
    (site / "bin").mkdir()
    done = run(site, code, "bin/envpool")
    assert done.returncode == 1, done.stderr
    assert "an envpool-core without its `__init__.py`" in done.stdout
    assert "run `pip install --force-reinstall --no-deps envpool-core`" in done.stdout
