# SPDX-License-Identifier: Apache-2.0
"""A game is a function of seeds and keys: seeds, clocks, limits, faults, and refusals."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from alignment import align
from envpool import Finding
from envpool.errors import ConfigError, MissingPackageError, SavedStateError, WorkerError
from envpool_nethack import _findings, _library
from references import Case

_SCORE = "NetHackScore-v0"


def _hash(steps: int, **options: Any) -> str:
    """A hash of all results of eight environments, in the order of environments."""
    found = hashlib.sha256()
    actions = np.random.default_rng(3).integers(0, 23, (steps, 8))
    with envpool.make(_SCORE, num_envs=8, seed=5, max_episode_steps=40, **options) as pool:
        batch = pool.config["batch_size"]
        count = np.zeros(8, int)
        rows: list[list[bytes]] = [[] for _ in range(8)]
        pool.async_reset()
        while count.min() < steps:
            obs, reward, _, _, info = pool.recv()
            ids = info["env_id"]
            for row, i in enumerate(ids):
                parts = [obs[key][row].tobytes() for key in sorted(obs)]
                rows[i].append(b"".join([*parts, reward[row].tobytes()]))
            assert len(ids) == batch
            pool.send(np.array([actions[count[i] % steps, i] for i in ids]), ids)
            count[ids] += 1
    for each in rows:
        found.update(b"".join(each[:steps]))
    return found.hexdigest()


def test_threads_and_batches_change_nothing() -> None:
    expected = _hash(60, num_threads=1)
    assert _hash(60, num_threads=2) == expected
    assert _hash(60, num_threads=4, batch_size=3) == expected
    assert _hash(60, num_threads=2, batch_size=1) == expected


def test_a_folder_for_files_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    with pytest.raises(WorkerError, match="correct the variable TMPDIR"):
        envpool.make(_SCORE)


def test_seeds_of_a_game() -> None:
    with envpool.make(_SCORE, num_envs=2, seed=7) as pool:
        _, info = pool.reset()
        assert info["core_seed"].tolist() == info["disp_seed"].tolist() == [7, 8]
        first, info = pool.reset(options={"core": 3, "disp": 4, "lgen": 5})
        assert info["core_seed"].tolist() == [3, 3]
        assert info["disp_seed"].tolist() == [4, 4]
        assert info["lgen_seed"].tolist() == [5, 5]
        assert all((value[0] == value[1]).all() for value in first.values())
        _, drawn = pool.reset()
        assert len({*drawn["core_seed"].tolist(), *drawn["disp_seed"].tolist(), 3, 4}) == 6
        assert drawn["lgen_seed"].tolist() == [-1, -1]
        _, info = pool.reset(seed=11)
        assert info["core_seed"].tolist() == [11, 12]
        with pytest.raises(ConfigError, match="seeds and levels are 0 or more"):
            pool.reset(options={"core": -2})


def test_levels_are_those_of_their_seed() -> None:
    """`lgen` fixes the game's start, for any seed of the game."""
    starts = []
    for seed in (1, 2):
        with envpool.make(_SCORE, seed=seed, lgen=9, observation_keys=["chars"]) as pool:
            starts.append(pool.reset()[0])
    # The game's own generator places the pet: one place more, one less.
    assert (starts[0] != starts[1]).sum() <= 4


def test_the_games_clock() -> None:
    """New moon at the first time, Friday 13th at the second: NetHack reports it at the start."""
    texts = []
    for clock in (1633521600, 1628856000, 1634299200):
        with envpool.make(_SCORE, clock=clock, observation_keys=["tty_chars"]) as pool:
            texts.append(pool.reset()[0].tobytes())
    assert len(set(texts)) == 3
    with envpool.make(_SCORE, observation_keys=["tty_chars"]) as pool:
        assert pool.reset()[0].tobytes() == texts[2]


def test_the_clock_of_a_library_that_the_system_loads() -> None:
    for options in ({}, {"clock": "real"}):
        with envpool.make(_SCORE, loader="dlopen", **options) as pool:
            assert pool.config["clock"] == 0
            pool.reset()


def test_a_limit_shows_the_last_frame() -> None:
    found = {}
    for last_frame in ("game", "package"):
        options = {"last_frame": last_frame, "max_episode_steps": 3, "num_envs": 2}
        with envpool.make(_SCORE, observation_keys=["glyphs", "blstats"], **options) as pool:
            pool.reset()
            for _ in range(3):
                obs, _, terminated, truncated, info = pool.step(np.array([3, 4]))
            assert truncated.all()
            assert not terminated.any()
            assert info["end_status"].tolist() == [-1, -1]
            found[last_frame] = obs
    assert (found["game"]["blstats"][:, 20] > 0).all()
    assert (found["package"]["blstats"] == 0).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"character": "mon-hum-xyz"}, "mon-hum-neu-mal"),
        ({"observation_keys": ["glyph"]}, "glyphs"),
        ({"observation_keys": ["glyphs", "glyphs"]}, "once"),
        ({"observation_keys": []}, "at least one"),
        ({"actions": []}, "at least one"),
        ({"actions": [300]}, "0 .. 255"),
        ({"penalty_mode": "cubic"}, "square"),
        ({"last_frame": "none"}, "package"),
        ({"clock": -1}, "seconds since 1970"),
        ({"clock": 1634299200, "loader": "dlopen"}, "clock='real'"),
        ({"lgen": -2}, "lgen"),
        ({"loader": "ld"}, "dlopen"),
        ({"options": ["x" * 40000]}, "at most 32767"),
        ({"options": ["nonsense:1"]}, "with which NetHack begins"),
        ({"options": ["nonsense:1"], "loader": "dlopen"}, "with which NetHack begins"),
        ({"library_path": "/no/such/folder"}, "library_path"),
        ({"data_path": "nhdat"}, "data_path"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_options_that_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        envpool.make(_SCORE, **options)


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        ("NetHackChallenge-v0", {"no_progress_timeout": 0}, "1 or more"),
        (_SCORE, {"no_progress_timeout": 9}, "no_progress_timeout"),
        ("NetHackChallenge-v0", {"wizard": True}, "wizard"),
        ("NetHack-v0", {"penalty_step": -1.0}, "penalty_step"),
        (_SCORE, {"include_alignment_blstats": False}, "include_alignment_blstats"),
        ("MiniHack-Room-5x5-v0", {"include_see_actions": False}, "include_see_actions"),
    ],
)
def test_options_that_a_task_does_not_have(task: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        envpool.make(task, **options)


def test_a_process_without_the_game(tmp_path: Path) -> None:
    """Lists and describes all tasks, and says how to get the game."""
    program = (
        "import sys; sys.modules['nle'] = None\n"
        "import importlib.util, envpool\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, *a: None if n == 'nle' else find(n, *a)\n"
        "assert envpool.make_spec('NetHackScore-v0').action_space.n == 23\n"
        "try: envpool.make('NetHackScore-v0')\n"
        "except envpool.errors.MissingPackageError as error: print(error)\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop(_library.FILE.variable, None)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert "envpool nethack fetch" in done.stdout


def test_a_library_without_data_and_an_old_one(tmp_path: Path) -> None:
    package = tmp_path / "nle"
    package.mkdir()
    library = package / _library.FILE.name
    library.write_bytes(b"")
    with pytest.raises(ConfigError, match="nhdat"):
        envpool.make(_SCORE, library_path=str(package))
    (package / "nethackdir").mkdir()
    (package / "nethackdir" / "nhdat").write_bytes(b"")
    (tmp_path / "nle-1.1.0.dist-info").mkdir()
    with pytest.raises(ConfigError, match=r"nle 1\.1, .*fetch"):
        envpool.make(_SCORE, library_path=str(package))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("libnethack.so", b"hello", "no shared library"),
        ("libnethack.so", 1_000_000, "cut off after 1,000,000 bytes"),
        ("libnethack.so", 100, "cut off after 100 bytes"),
        ("libnethack.so", Path(np.random.mtrand.__file__), "without the function nle_start"),
        ("nethackdir/nhdat", b"", "no archive"),
        ("nethackdir/nhdat", 300_000, "cut off after 300,000 bytes"),
    ],
    ids=str,
)
def test_files_that_are_cut_or_others(
    tmp_path: Path, name: str, content: bytes | int | Path, words: str
) -> None:
    library = _library.FILE.find()
    package = tmp_path / "nle"
    (package / "nethackdir").mkdir(parents=True)
    shutil.copy(library, package)
    shutil.copy(_library.data_of(library), package / "nethackdir")
    file = package / name
    if isinstance(content, Path):
        content = content.read_bytes()
    file.write_bytes(file.read_bytes()[:content] if isinstance(content, int) else content)
    with pytest.raises(ConfigError, match=f"{words}.*fetch"):
        envpool.make(_SCORE, library_path=str(package))


def _with_an_unknown_relocation(code: bytearray) -> None:
    """A relocation of kind 0, unknown to the system, in place of one without effect."""
    (place,) = struct.unpack_from("<Q", code, 40)  # place of the sections
    size, count = struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, place + i * size) for i in range(count)]
    symbols = next(section for section in sections if section[1] == 11)
    names = sections[symbols[6]][4]
    for section in sections:
        for at in range(section[4], section[4] + section[5], 24) if section[1] == 4 else ():
            (what,) = struct.unpack_from("<Q", code, at + 8)
            (name,) = struct.unpack_from("<I", code, symbols[4] + 24 * (what >> 32))
            if code[names + name :].startswith(b"__gmon_start__\0"):  # no library has it
                struct.pack_into("<Q", code, at + 8, what & ~0xFFFFFFFF)
                return
    raise AssertionError("no such relocation")


def test_a_library_that_the_own_loader_does_not_know(tmp_path: Path) -> None:
    """The system copies it, games are the same, and doctor names the disadvantages."""
    package = tmp_path / "nle"
    (package / "nethackdir").mkdir(parents=True)
    shutil.copy(_library.data_of(_library.FILE.find()), package / "nethackdir")
    code = bytearray(_library.FILE.find().read_bytes())
    _with_an_unknown_relocation(code)
    (package / "libnethack.so").write_bytes(code)
    path = {"library_path": str(package)}
    found = align(Case(_SCORE), 60, num_envs=1, **path)
    assert found.equal, found.differing
    with envpool.make(_SCORE, **path) as pool:
        assert pool.config["clock"] == 0
        pool.reset()
        with pytest.raises(SavedStateError, match="dlopen"):
            pool.save_state()
    with pytest.raises(WorkerError, match="relocations of kind 0"):
        envpool.make(_SCORE, loader="own", **path)
    finding = _findings._plays(str(package / "libnethack.so"))
    assert finding.status == "warning"
    assert "relocations of kind 0" in finding.detail


def test_nothing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=_library.FILE.command):
        _library.FILE.find()
    monkeypatch.setenv(_library.FILE.variable, str(tmp_path / "none"))
    with pytest.raises(ConfigError, match="unset it"):
        _library.FILE.find()


def test_doctor_plays_a_game() -> None:
    every = [one for one in _findings.findings() if isinstance(one, Finding)]
    found = {finding.name: finding for finding in every}
    assert found["game"].status == found["games"].status == "ok", found
    assert found["games"].detail == "can be made"


def test_games_of_many_levels_are_the_packages() -> None:
    """In wizard mode, by the key that goes a level down."""
    keys = [22, 52, 13, 107, 108, 46]  # ^V 4 Enter, and moves
    options = {"wizard": True, "allow_all_modes": True, "allow_all_yn_questions": True}
    found = align(Case(_SCORE, {**options, "actions": keys}), 150, num_envs=1)
    assert found.equal, found.differing
    assert found.counts["changes of level"] > 0


@pytest.mark.parametrize("task", [_SCORE, "MiniHack-Room-5x5-v0"])
def test_a_folder_that_somebody_took_away(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a program that cleans up: the next game has a new folder, and plays the same."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with envpool.make(task, seed=3, observation_keys=["chars"]) as pool:
        expected = pool.reset(options={"core": 4, "disp": 4})[0]
        (folder,) = tmp_path.iterdir()
        shutil.rmtree(folder)
        pool.step(np.array([1]))
        assert (pool.reset(options={"core": 4, "disp": 4})[0] == expected).all()
        assert (folder / "nhdat").is_symlink()
    assert not folder.exists()


def test_a_crash_ends_one_game_and_others_reach_the_handler_before() -> None:
    program = Path(__file__).with_name("crashing_games.py")
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "20\n", done.stderr
    assert done.stderr.count("a game of NetHack crashed") == 1
    # The program's own fault, at the end, goes to Python's handler.
    assert "Fatal Python error: Segmentation fault" in done.stderr
    assert done.returncode == -signal.SIGSEGV
