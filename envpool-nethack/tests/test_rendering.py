# SPDX-License-Identifier: Apache-2.0
"""Rendering: frames and texts, recordings, and a game's initial things."""

from __future__ import annotations

import importlib
import shutil
import warnings
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError, RenderError
from envpool_nethack import _library

_SCORE = "NetHackScore-v0"


def test_frames_are_the_packages() -> None:
    import gymnasium

    importlib.import_module("nle.env")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = gymnasium.make("NetHackScore-v0", render_mode="pixel").unwrapped
    with envpool.make(_SCORE, render_mode="rgb_array", seed=3, clock="real") as pool:
        with pytest.raises(RenderError, match="no episode yet"):
            pool.render()
        pool.reset()
        theirs.seed(3, 3, False)
        theirs.reset()
        for action in (1, 2, 3, 4, 9, 10, 11):
            pool.step(np.array([action]))
            theirs.step(action)
            (frame,) = pool.render()
            assert frame.shape == (336, 1264, 3)
            np.testing.assert_array_equal(frame, theirs.render())
    theirs.close()
    with envpool.make(_SCORE, render_mode="rgb_array", render_width=632, render_height=168) as pool:
        pool.reset()
        assert pool.render().shape == (1, 168, 632, 3)


def test_texts_are_the_terminals() -> None:
    """Without its colors a text equals the array; and a text has colors."""
    import re

    with envpool.make(_SCORE, num_envs=2, render_mode="ansi") as pool:
        obs, _ = pool.reset()
        texts = pool.render(env_ids=[0, 1])
        for text, chars in zip(texts, obs["tty_chars"], strict=True):
            plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
            assert plain.splitlines() == [bytes(row).decode() for row in chars]
            assert "\x1b[0;7;" in text  # the cursor
    with envpool.make(
        "MiniHack-Room-5x5-v0", render_mode="ansi", observation_keys=["chars"]
    ) as pool:
        pool.reset()
        assert ">" in pool.render()[0]


@pytest.mark.parametrize("loader", ["own", "dlopen"])
def test_recordings_are_read_by_the_package(tmp_path: Path, loader: str) -> None:
    """The package's reader gives the pool's screens and keys."""
    converter = importlib.import_module("nle._pyconverter")
    folder = tmp_path / "data" / "run"
    options = {"savedir": str(folder), "save_ttyrec_every": 2, "max_episode_steps": 12}
    screens, keys = [], []
    with envpool.make(_SCORE, loader=loader, last_frame="package", **options) as pool:
        obs, _ = pool.reset()
        codes = pool.config["actions"]
        for step in range(12 * 4 + 3):
            if step < 12:
                screens.append(obs["tty_chars"][0].copy())
                keys.append(codes[1 + step % 8])
            obs, *_ = pool.step(np.array([1 + step % 8]))
    names = sorted(file.name for file in folder.glob("*.ttyrec3.bz2"))
    assert [name.split(".")[-3] for name in names] == ["0", "2"]
    assert len(list(folder.glob("*.xlogfile"))) == 1
    reader = converter.Converter(24, 80, 3)
    reader.load_ttyrec(str(folder / names[0]), gameid=1, part=0)
    rows = 200
    arrays = [
        np.zeros((rows, 24, 80), np.uint8),
        np.zeros((rows, 24, 80), np.int8),
        np.zeros((rows, 2), np.int16),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.uint8),
        np.zeros(rows, np.int32),
    ]
    left = reader.convert(*arrays)
    recorded = arrays[4][: rows - left].tolist()
    first = next(i for i in range(len(recorded)) if recorded[i : i + 12] == keys)
    for step, screen in enumerate(screens):
        np.testing.assert_array_equal(arrays[0][first + step], screen)


def test_recordings_are_in_the_packages_dataset(tmp_path: Path) -> None:
    dataset = importlib.import_module("nle.dataset")
    folder = tmp_path / "data" / "run"
    options = {"savedir": str(folder), "save_ttyrec_every": 1, "max_episode_steps": 40}
    with envpool.make(_SCORE, num_envs=2, last_frame="package", **options) as pool:
        pool.reset()
        for step in range(100):
            pool.step(np.full(2, 1 + step % 8))
    base = str(tmp_path / "ttyrecs.db")
    dataset.db.create(base)
    dataset.add_nledata_directory(str(tmp_path / "data"), "ours", base)
    with dataset.db.db(filename=base) as connection:
        games = connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]
    assert games == 4


def test_recording_and_states(tmp_path: Path) -> None:
    """A game that is being recorded is loaded by keys, into another file."""
    with envpool.make(_SCORE, savedir=str(tmp_path), save_ttyrec_every=1) as pool:
        pool.reset()
        state = pool.save_state()
        pool.step(np.array([1]))
        pool.load_state(state)
    assert len(list(tmp_path.glob("*.ttyrec3.bz2"))) == 2


def test_things_to_begin_with() -> None:
    things = ["blessed +3 gray dragon scale mail", "7 blessed scrolls of genocide"]
    options: dict[str, Any] = {"observation_keys": ["inv_strs"], "wizard": True}
    with envpool.make(_SCORE, wizkit=things, **options) as pool:
        lines = [bytes(row).split(b"\0")[0].decode() for row in pool.reset()[0][0]]
    assert any("gray dragon scale mail" in line for line in lines), lines
    assert any(line.startswith("7 scrolls labeled") for line in lines), lines
    with pytest.raises(ConfigError, match="wizard=True"):
        envpool.make(_SCORE, wizkit=things)
    with pytest.raises(ConfigError, match="4095"):
        envpool.make(_SCORE, wizkit=["x" * 5000], wizard=True)
    with pytest.raises(ConfigError, match="savedir"):
        envpool.make(_SCORE, save_ttyrec_every=1)


def test_tiles_that_are_missing_and_wrong(tmp_path: Path) -> None:
    library = _library.FILE.find()
    package = tmp_path / "nle"
    (package / "nethackdir").mkdir(parents=True)
    shutil.copy(library, package)
    shutil.copy(_library.data_of(library), package / "nethackdir")
    assert _library.tiles_of(package / library.name) == ""
    options = {"library_path": str(package), "render_mode": "rgb_array"}
    with pytest.raises(ConfigError, match="fetch"):
        envpool.make(_SCORE, observation_keys=["pixel"], library_path=str(package))
    tiles = package / "nethackdir" / "tiles"
    tiles.mkdir()
    for name in ("monsters", "objects", "other"):
        (tiles / f"{name}.txt").write_text("A = (1, 2, 3)\n# tile 0 (a)\n{\n  AAAA\n}\n")
    with envpool.make(_SCORE, **options) as pool:
        pool.reset()
        with pytest.raises((RenderError, ConfigError), match="AAAA"):
            pool.render()
