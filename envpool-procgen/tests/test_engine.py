# SPDX-License-Identifier: Apache-2.0
"""The choice of the engine, and refusals of files that could end the process."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import envpool
import pytest
from envpool.errors import ConfigError, MissingPackageError
from envpool_procgen import _engine, _findings, _prepare, _tasks


def _of_this_machine() -> list[envpool.Finding]:
    """The findings without the packages of the comparison."""
    return [found for found in _findings.findings() if isinstance(found, envpool.Finding)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"distribution_mode": 2}, "0 .easy., 1 .hard., 10 .memory., 20 .exploration."),
        ({"distribution_mode": 7}, "distribution_mode"),
        ({"env_name": "mazes"}, "maze"),
        ({"num_levels": -1}, "num_levels"),
        ({"start_level": -1}, "start_level"),
        ({"num_levels": 10, "start_level": 2**31 - 5}, "num_levels"),
        ({"distribution_mode": 20, "num_levels": 3}, "num_levels"),
        ({"distribution_mode": 20, "start_level": 3}, "start_level"),
        ({"engine": "qt"}, "libenv"),
        ({"engine": "own", "env_name": "jumper"}, "maze"),
        ({"engine": "own", "use_generated_assets": True}, "without use_generated_assets"),
        ({"engine_path": "/no/such/folder"}, "engine_path"),
    ],
    ids=str,
)
def test_options_that_would_end_the_process(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        envpool.make("MazeEasy-v0", **options)


def test_a_process_without_an_engine(tmp_path: Path) -> None:
    """Lists and describes all tasks, and says how to get an engine."""
    program = (
        "import envpool\n"
        "assert 'MazeEasy-v0' in envpool.list_all_envs()\n"
        "assert envpool.make_spec('MazeEasy-v0').observation_space.shape == (3, 64, 64)\n"
        "try: envpool.make('MazeEasy-v0')\n"
        "except envpool.errors.MissingPackageError as error: print(error)\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop(_engine.FILE.variable, None)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert "envpool procgen fetch" in done.stdout


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = _engine.FILE.find()
    assert _engine.FILE.find(str(there)) == there
    assert _engine.FILE.find(str(there.parents[2])) == there
    monkeypatch.setenv(_engine.FILE.variable, str(there.parent))
    assert _engine.FILE.find() == there
    monkeypatch.setenv(_engine.FILE.variable, str(tmp_path))
    with pytest.raises(ConfigError, match=_engine.FILE.variable):
        _engine.FILE.find()


def _copy(folder: Path) -> Path:
    """The engine with its images, as links."""
    there = _engine.FILE.find()
    for file in there.parents[1].rglob("*"):
        to = folder / "data" / file.relative_to(there.parents[1])
        if file.is_file():
            to.parent.mkdir(parents=True, exist_ok=True)
            if file == there:
                to.write_bytes(file.read_bytes())  # a link would be followed
            else:
                to.symlink_to(file)
    return folder / "data" / "prebuilt" / "libenv.so"


def _installed(site: Path, distribution: str) -> Path:
    """The engine as the package procgen of a distribution, in a folder of packages."""
    library = _copy(site / "procgen")
    (site / "procgen" / "__init__.py").touch()
    about = site / f"{distribution.replace('-', '_')}-0.10.7.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Name: {distribution}\nVersion: 0.10.7\n")
    return library


def test_the_library_is_named_with_its_distribution() -> None:
    """The cache has the engine of `envpool procgen fetch`, with its wheel's metadata."""
    there = _engine.FILE.find()
    assert _engine.distribution_of(there) == "procgen 0.10.7"
    assert envpool.make_spec("MazeEasy-v0").notes["library"] == f"procgen 0.10.7, {there}"


def test_a_package_of_other_frames_before_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frames of procgen-mirror 0.10.7 differ from those of procgen 0.10.7: see docs/procgen.md."""
    mirror = _installed(tmp_path / "site", "procgen-mirror")
    own = _copy(tmp_path / "cache" / "envpool" / "procgen" / "procgen")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(_engine.FILE.variable, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert _engine.FILE.find() == mirror
    task = next(task for task in _tasks.tasks() if task.id == "MazeEasy-v0")
    with pytest.warns(UserWarning, match=rf"procgen-mirror 0\.10\.7.*engine_path='{own}'"):
        prepared = _prepare.prepare(task, {"engine": "libenv"}, build=True)
    assert prepared.notes["library"] == f"procgen-mirror 0.10.7, {mirror}"
    engine, *_ = _of_this_machine()
    assert engine.status == "warning" and "procgen-mirror 0.10.7" in engine.detail
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a user who names a library gets no warning
        _prepare.prepare(task, {"engine": "libenv", "engine_path": str(mirror)}, build=True)
        _prepare.prepare(task, {"engine": "own"}, build=True)


def test_images_that_are_missing_or_broken(tmp_path: Path) -> None:
    library = _copy(tmp_path)
    assert _engine.missing_images(library) == []
    coin, door = (
        library.parents[1] / "assets" / name
        for name in ("kenney/Items/coinGold.png", "misc_assets/bomb.png")
    )
    coin.unlink()
    door.unlink()
    door.write_bytes(b"no picture")
    assert _engine.missing_images(library) == ["kenney/Items/coinGold.png", "misc_assets/bomb.png"]
    with pytest.raises(ConfigError, match="2 of its images"):
        envpool.make("MazeEasy-v0", engine_path=str(library), engine="libenv")


def test_a_second_engine_in_a_process(tmp_path: Path) -> None:
    library = _copy(tmp_path)
    with (
        envpool.make("MazeEasy-v0", engine="libenv"),
        pytest.raises(ConfigError, match="loaded before"),
    ):
        envpool.make("MazeEasy-v0", engine_path=str(library), engine="libenv")
    with (
        envpool.make("MazeEasy-v0", engine="libenv"),
        pytest.raises(ConfigError, match="loaded before"),
    ):  # its render() needs the library
        envpool.make("MazeEasy-v0", engine_path=str(library), render_mode="rgb_array")


def test_libraries_that_the_system_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    _engine.check.cache_clear()
    with pytest.raises(MissingPackageError, match=r"apt-get install libglib2\.0-0"):
        envpool.make("MazeEasy-v0", engine="libenv")
    with pytest.raises(MissingPackageError, match=r"images of MazeEasy-v0.*install zlib1g`"):
        envpool.make("MazeEasy-v0", engine="own")
    finding, *_ = _of_this_machine()
    assert finding.status == "problem"
    assert "no game plays" in finding.detail
    assert "libglib2.0-0" in finding.fix


def test_a_file_that_is_no_library(tmp_path: Path) -> None:
    program = (
        "import envpool, sys\n"
        "from envpool_procgen import _engine\n"
        "_engine.check = lambda library: None\n"
        "try: envpool.make('MazeEasy-v0', engine='libenv', engine_path=sys.argv[1])\n"
        "except envpool.errors.ConfigError as error: print(error)\n"
    )
    wrong = tmp_path / "libenv.so"
    wrong.write_bytes(b"no library")
    command = [sys.executable, "-c", program, str(wrong)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "envpool doctor" in done.stdout


def test_findings() -> None:
    found = {finding.name: finding for finding in _of_this_machine()}
    assert list(found) == ["engine", "images", "last frames"]
    assert {finding.status for finding in found.values()} == {"ok"}


def test_findings_without_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(_engine.FILE.variable, raising=False)
    monkeypatch.setattr(_engine, "FILE", dataclasses.replace(_engine.FILE, packages=()))
    (finding,) = _of_this_machine()
    assert finding.status == "missing"
    assert _engine.FILE.command in finding.fix


def test_a_download_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = dataclasses.replace(_engine.FILE, requirement="procgen==0.0.0")
    with pytest.raises(ConfigError, match=r"procgen==0\.0\.0"):
        file.fetch()
    assert _engine.FILE.folder.parent.is_dir()
    assert not _engine.FILE.folder.exists()
