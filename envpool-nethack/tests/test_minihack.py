# SPDX-License-Identifier: Apache-2.0
"""MiniHack: levels, their sources, and their observations."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError, MissingPackageError
from envpool_nethack import _generators, _levels, _library, _minihack, _minihack_tasks
from references import minihack
from sampling import FULL

_ROOM = "MiniHack-Room-5x5-v0"
_OWN = "MiniHack-Navigation-Custom-v0"
_LEVEL = """MAZE:"mylevel",' '
GEOMETRY:center,center
MAP
.....
.....
ENDMAP
REGION:(0,0,4,1),lit,"ordinary"
BRANCH:(0,0,0,0),(1,1,1,1)
STAIR:(4,1),down
"""


def _seeds(count: int, **options: Any) -> list[int]:
    with envpool.make(_ROOM, num_envs=1, observation_keys=["chars"], **options) as pool:
        return [int(pool.reset()[1]["core_seed"][0]) for _ in range(count)]


def test_all_ids_are_those_of_the_package() -> None:
    import gymnasium

    minihack()
    theirs = {name for name in gymnasium.registry if name.startswith("MiniHack-")}
    assert {row.id for row in _minihack_tasks.ROWS} == theirs
    assert len(theirs) == 161


def test_options_are_those_of_the_packages_classes() -> None:
    """For each id of the package: actions, limit, options of NetHack, events, keys."""
    import gymnasium
    from envpool_nethack._prepare import prepare

    minihack()
    rows = [row for row in _minihack_tasks.ROWS if not (row.generator or "Custom" in row.name)]
    names = {row.id for row in (rows if FULL else rows[::12])}
    for task in _minihack_tasks.tasks():
        if task.id not in names:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = gymnasium.make(task.id).unwrapped
        ours = {**task.defaults, **prepare(task, {}, build=False).options}
        assert ours["actions"] == [int(action) for action in theirs.actions], task.id
        assert ours["max_episode_steps"] == theirs._max_episode_steps
        assert [*ours["options"], f"name:Agent-{ours['character']}"] == theirs.nethack.options
        assert sorted(ours["observation_keys"]) == sorted(theirs.observation_space)
        events = theirs.reward_manager.events if theirs.reward_manager else []
        custom = theirs.reward_manager.custom_reward_functions if theirs.reward_manager else []
        assert len(ours.get("events", [])) == len(events) + len(custom), task.id
        theirs.close()


def test_level_seeds() -> None:
    drawn = _seeds(30, level_seeds=[5, 7, 9])
    assert set(drawn) == {5, 7, 9}
    assert drawn == _seeds(30, level_seeds=[5, 7, 9])
    with envpool.make(_ROOM, num_envs=2) as pool:
        info = pool.reset(options={"level_seed": 4})[1]
        assert info["core_seed"].tolist() == info["disp_seed"].tolist() == [4, 4]
    with pytest.raises(ConfigError, match="level_seeds"):
        envpool.make(_ROOM, level_seeds=[-1])


def test_another_level_in_each_episode() -> None:
    options = {"num_envs": 3, "num_levels": 20, "observation_keys": ["chars"]}
    with envpool.make("MiniHack-MultiRoom-N4-v0", **options) as pool:
        levels = np.stack([pool.reset()[1]["level"] for _ in range(10)])
        assert len(set(levels.ravel().tolist())) > 5
        assert pool.reset(options={"level": 3})[1]["level"].tolist() == [3, 3, 3]
        with pytest.raises(ConfigError, match=r"levels 0 \.\. 19"):
            pool.reset(options={"level": 20})
    with pytest.raises(ConfigError, match="num_levels"):
        envpool.make("MiniHack-MultiRoom-N4-v0", num_levels=0)


def test_a_state_knows_its_level() -> None:
    options = {"num_envs": 1, "num_levels": 20, "observation_keys": ["chars"]}
    actions = np.random.default_rng(2).integers(0, 8, 30)
    with (
        envpool.make("MiniHack-MultiRoom-N2-Monster-v0", seed=3, **options) as first,
        envpool.make("MiniHack-MultiRoom-N2-Monster-v0", seed=9, **options) as second,
    ):
        first.reset(options={"level": 7})
        second.reset(options={"level": 2})
        for action in actions[:10]:
            first.step(np.array([action]))
        second.load_state(first.save_state())
        for action in actions[10:]:
            expected, found = first.step(np.array([action])), second.step(np.array([action]))
            np.testing.assert_array_equal(expected[0], found[0])
            assert expected[4]["level"].tolist() == found[4]["level"].tolist()


def test_a_level_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "room.des"
    file.write_text(_LEVEL)
    for own in (_LEVEL, str(file)):
        with envpool.make(_OWN, des_file=own, observation_keys=["chars"]) as pool:
            chars = pool.reset()[0][0]
            assert (chars == ord(">")).sum() == (chars == ord("@")).sum() == 1
            for action in (5, 1, 1, 1):
                *_, terminated, _, info = pool.step(np.array([action]))
            assert terminated[0]
            assert info["end_status"][0] == 2
    with envpool.make(_OWN) as pool:  # a plain room if no level is given
        pool.reset()


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ("MAZE: nonsense", "syntax error"),
        (_LEVEL.replace("mylevel", "other"), "mylevel"),
        ("/no/such/file.des", "No such file"),
        ("\0", "zero byte"),
    ],
)
def test_levels_that_are_refused(own: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        envpool.make(_OWN, des_file=own)
    assert "des_file" in str(caught.value)


def test_a_pipe_is_no_level(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.des")
    with pytest.raises(ConfigError, match="a pipe"):
        envpool.make(_OWN, des_file=str(tmp_path / "pipe.des"))


@pytest.mark.parametrize(
    "event",
    [
        *("", "message x", "1", "1 message", "1 again message x", "1 action altar"),
        *("1 action altar 999", "1 coordinate 4", "1 stairs x", "1 required", "1 coordinate a,b"),
        "1 location",
    ],
)
def test_events_that_are_refused(event: str) -> None:
    with pytest.raises(ConfigError, match="events"):
        envpool.make(_ROOM, events=[event])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"obs_crop_h": 4}, "odd"),
        ({"obs_crop_w": 0}, "odd"),
        ({"obs_crop_w": 999}, "159"),
        ({"obs_crop_pad": -1}, "0 .. 127"),
        ({"observation_keys": ["blstats_crop"]}, "glyphs"),
        ({"observation_keys": ["pixels"]}, "pixel"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        envpool.make(_ROOM, **options)


def test_cuts_that_are_not_square() -> None:
    """The package shifts them; here the agent is in their middle."""
    keys = ["chars", "chars_crop", "blstats", "screen_descriptions", "screen_descriptions_crop"]
    with envpool.make(_ROOM, observation_keys=keys, obs_crop_h=5, obs_crop_w=11) as pool:
        pool.reset()
        for action in (2, 1, 5, 6):
            obs = pool.step(np.array([action]))[0]
        x, y = obs["blstats"][0, :2]
        whole = np.pad(obs["chars"][0], ((2, 2), (5, 5)))
        assert (obs["chars_crop"][0] == whole[y : y + 5, x : x + 11]).all()
        whole = np.pad(obs["screen_descriptions"][0], ((2, 2), (5, 5), (0, 0)))
        cut = obs["screen_descriptions_crop"]
        assert cut.shape == (1, 5, 11, 80)
        assert (cut[0] == whole[y : y + 5, x : x + 11]).all()


def test_pictures_are_the_packages() -> None:
    """Pictures of the places of a large level; tests of fidelity compare those of other tasks."""
    tiles = importlib.import_module(f"{minihack().__name__}.tiles")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package leaves its file open
        mapper = tiles.GlyphMapper()
    with envpool.make("MiniHack-Quest-Hard-v0", observation_keys=["glyphs", "pixel"]) as pool:
        obs = pool.reset()[0]
        assert obs["pixel"].shape == (1, 336, 1264, 3)
        assert (obs["pixel"][0] == mapper.to_rgb(obs["glyphs"][0])).all()


def _free(text: str, walls: str) -> tuple[set[tuple[int, int]], dict[str, tuple[int, int]]]:
    """The walkable places of a description, and the places of start and stairs."""
    lines = text.split("\n")
    rows = lines[lines.index("MAP") + 1 : lines.index("ENDMAP")]
    places = {(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c not in walls}
    found = {}
    for line in lines:
        for word in ("BRANCH", "STAIR"):
            if line.startswith(f"{word}:("):
                x, y = line.split("(")[1].split(")")[0].split(",")[:2]
                found[word] = (int(x), int(y))
    return places, found


_GENERATED = [row for row in _minihack_tasks.ROWS if row.generator is not None]


@pytest.mark.parametrize("row", _GENERATED, ids=lambda row: row.name)
def test_levels_made_here_have_a_way(row: _minihack_tasks.Row) -> None:
    assert row.generator is not None
    kind, settings = row.generator
    texts = _generators.descriptions(kind, settings, 200 if FULL else 20)
    assert len(set(texts)) > len(texts) / 2
    for text in texts:
        if kind == "boxes":
            assert text.count("boulder") == text.count("FOUNTAIN") == 4
            continue
        places, found = _free(text, " |L")
        assert found["STAIR"] in _generators._reach(places, found["BRANCH"])
        if kind == "rooms":
            assert text.count("DOOR:") == settings["rooms"] - 1
            assert text.count("MONSTER:") == settings.get("monsters", 0)


def test_boulders_can_be_pushed_home() -> None:
    """A search finds a solution of a small puzzle."""
    found = 0
    for text in _generators.descriptions("boxes", {"boxes": 2, "pulls": 3}, 3):
        free, places = _free(text, "F")
        pairs: dict[str, set[tuple[int, int]]] = {"OBJECT": set(), "FOUNTAIN": set()}
        for line in text.split("\n"):
            word = line.split(":")[0]
            if word in pairs:
                x, y = line.split("(")[1].rstrip(")").split(",")
                pairs[word].add((int(x), int(y)))
        ends, seen = [(places["BRANCH"], frozenset(pairs["OBJECT"]))], set()
        while ends and ends[0][1] != pairs["FOUNTAIN"]:
            player, boxes = ends.pop(0)
            reach = _generators._reach(free - boxes, player)
            if (min(reach), boxes) in seen:
                continue
            seen.add((min(reach), boxes))
            for x, y in boxes:
                for dx, dy in _generators._SIDES:
                    if (x - dx, y - dy) in reach and (x + dx, y + dy) in free - boxes:
                        ends.append(((x, y), boxes - {(x, y)} | {(x + dx, y + dy)}))
        found += bool(ends)
    assert found == 3


def test_a_process_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "minihack" else find(name)
    )
    with pytest.raises(MissingPackageError, match=_minihack.FILE.command):
        envpool.make(_ROOM)
    assert envpool.make_spec(_ROOM).action_space.n == 8
    monkeypatch.setenv("ENVPOOL_MINIHACK", str(tmp_path))
    with pytest.raises(ConfigError, match="unset it"):
        envpool.make(_ROOM)


def test_levels_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = _library.FILE.find(os.environ.get(_library.FILE.variable, ""))
    first = _levels.bank(library, [_LEVEL], "test")
    written = first.path.stat().st_mtime_ns
    assert _levels.bank(library, [_LEVEL], "test") == first
    assert first.path.stat().st_mtime_ns == written
    other = _levels.bank(library, [_LEVEL, _LEVEL.replace("....", "..}.")], "test")
    sizes = other.path.read_bytes().split(b"\n")[0].split()
    assert len(sizes) == 2


def test_neither_package_is_imported() -> None:
    program = (
        "import sys, envpool\n"
        f"with envpool.make({_ROOM!r}) as pool: pool.reset()\n"
        "print([m for m in ('nle', 'minihack') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
