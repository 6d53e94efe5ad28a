# SPDX-License-Identifier: Apache-2.0
"""Cartridges: the places that are searched, and the message if they are not there."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import envpool
import pytest
from envpool.errors import PluginError
from envpool_atari import _atari, _roms
from envpool_atari._games import GAMES


def _ale_folder() -> Path:
    spec = importlib.util.find_spec("ale_py")
    assert spec is not None and spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "roms"


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without cartridges, and an empty folder for some."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for variable in _roms.VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def test_every_game_is_in_ale_py() -> None:
    for game in GAMES:
        rom = (_ale_folder() / f"{game}.bin").read_bytes()
        assert hashlib.md5(rom).hexdigest() == _atari.md5(game)
        assert _roms.find(game, _atari.md5(game)) == rom


def test_order(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rom = b"a cartridge"
    md5 = hashlib.md5(rom).hexdigest()
    folders = [nowhere / name for name in ("base/atari/roms", "own", "ale")]
    for folder in folders:
        folder.mkdir(parents=True)
    monkeypatch.setenv("ENVPOOL_ATARI_ROM_DIR", str(folders[1]))
    monkeypatch.setenv("ALE_ROMS_DIR", str(folders[2]))
    places = _roms.places(str(nowhere / "base"))
    assert [place.folder for place in places] == [*folders, None, None]
    (folders[2] / "pong.bin").write_bytes(rom)
    (folders[1] / "pong.bin").write_bytes(b"another")
    assert _roms.find("pong", md5, str(nowhere / "base")) == rom


def test_missing(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALE_ROMS_DIR", str(nowhere))
    (nowhere / "pong.bin").write_bytes(b"another")
    with pytest.raises(PluginError) as caught:
        _roms.find("pong", "0" * 32)
    message = str(caught.value)
    for word in (
        "cartridge of 'pong'",
        "$ENVPOOL_ATARI_ROM_DIR: not set",
        f"another cartridge, MD5 {hashlib.md5(b'another').hexdigest()} ({nowhere / 'pong.bin'})",
        "package ale_py: not installed",
        "package envpool_assets: not installed",
        'pip install "envpool-atari[roms]"',
    ):
        assert word in message
    assert caught.value.wheel == "envpool-atari"


@pytest.mark.parametrize(
    ("put", "words"),
    [
        (os.mkfifo, "no regular file"),  # opening it would wait for ever
        (lambda path: path.symlink_to("/dev/zero"), "no regular file"),  # which never ends
        (Path.mkdir, "no regular file"),
        (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
        (lambda path: path.write_bytes(bytes(65_537)), "65537 bytes, too many for a cartridge"),
    ],
    ids=["pipe", "device", "folder", "loop", "large file"],
)
@pytest.mark.timeout(60)
def test_what_is_no_cartridge(
    put: Callable[[Path], object], words: str, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALE_ROMS_DIR", str(nowhere))
    path = nowhere / "pong.bin"
    put(path)
    with pytest.raises(PluginError) as caught:
        _roms.find("pong", "0" * 32)
    assert f"$ALE_ROMS_DIR: {words} ({path})" in str(caught.value)
    assert _roms.survey({"pong": "0" * 32}).detail == "0 of 1 found"


def test_survey(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of `envpool doctor`: nothing found, some of them, all."""
    fix = (
        'run `pip install "envpool-atari[roms]"`, or name a folder that has them in the '
        "environment variable ENVPOOL_ATARI_ROM_DIR"
    )
    roms = {game: game.encode() for game in GAMES}
    sums = {game: hashlib.md5(rom).hexdigest() for game, rom in roms.items()}
    assert _roms.survey(sums) == ("ROMs", "0 of 104 found", "problem", fix)
    own, ale = nowhere / "own", nowhere / "ale"
    for folder, variable in ((own, "ENVPOOL_ATARI_ROM_DIR"), (ale, "ALE_ROMS_DIR")):
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
    for game in GAMES[:90]:
        (ale / f"{game}.bin").write_bytes(roms[game])
    (own / "zaxxon.bin").write_bytes(b"another")
    assert _roms.survey(sums) == (
        "ROMs",
        f"90 of 104 found in $ALE_ROMS_DIR ({ale}); not: {', '.join(GAMES[90:98])}, ...",
        "warning",
        fix,
    )
    for game in GAMES[88:]:
        (own / f"{game}.bin").write_bytes(roms[game])
    where = f"88 in $ALE_ROMS_DIR ({ale}), 16 in $ENVPOOL_ATARI_ROM_DIR ({own})"
    assert _roms.survey(sums) == ("ROMs", f"104 of 104 found: {where}", "ok", "")


def test_doctor() -> None:
    environment = {k: v for k, v in os.environ.items() if k not in _roms.VARIABLES}
    code = "from envpool.cli import main; main(['doctor', '--json'])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    found = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert found["atari: ROMs"]["status"] == "ok"
    expected = f"104 of 104 found in package ale_py ({_ale_folder()})"
    assert found["atari: ROMs"]["detail"] == expected


_ALONE = """
import sys
import envpool
from envpool.errors import PluginError
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in ("ale_py", "envpool_assets") else find(name)
assert len(envpool.list_all_envs()) >= 104
assert "envpool_atari._atari" not in sys.modules, "listing imports the compiled module"
assert envpool.make_spec("Pong-v5").action_space.n == 6
try:
    envpool.make("Pong-v5")
except PluginError as error:
    assert 'pip install "envpool-atari[roms]"' in str(error)
else:
    sys.exit("made without a cartridge")
assert not {"ale_py", "envpool_assets", "gymnasium.envs.atari"} & sys.modules.keys()
"""


def test_without_cartridges() -> None:
    """Listing and specs need no ROM, `make`'s error has the remedy; packages stay unimported."""
    environment = {k: v for k, v in os.environ.items() if k not in _roms.VARIABLES}
    subprocess.run([sys.executable, "-c", _ALONE], check=True, timeout=120, env=environment)


def test_a_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match="4096 bytes, not 9"):
        _atari.load_cartridge("alien", b"too short")


def test_unknown_games() -> None:
    with pytest.raises(envpool.errors.ConfigError, match="Did you mean 'pong'"):
        envpool.make_spec("Pong-v5", task="pongg")
