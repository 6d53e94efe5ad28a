# SPDX-License-Identifier: Apache-2.0
"""Tasks, their actions, and the files that define a scenario."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import envpool
import envpool_vizdoom
import numpy as np
import pytest
from envpool.errors import ConfigError, EnvPoolError
from references import SCENARIOS, doom_game

# EnvPool's documented values, by task: planes of an observation, numbers in an action, and number
# of combined actions.
_UPSTREAM = {
    "D1Basic": (4, 3, 6),
    "D2Navigation": (4, 3, 6),
    "D3Battle": (4, 8, 108),
    "D4Battle2": (4, 8, 108),
    "Basic": (12, 3, 6),
    "BasicAudio": (12, 3, 6),
    "BasicNotifications": (12, 3, 6),
    "Cig": (12, 10, 108),
    "DeadlyCorridor": (12, 7, 54),
    "Deathmatch": (12, 20, 4536),
    "DefendTheCenter": (12, 3, 6),
    "DefendTheLine": (12, 3, 6),
    "HealthGathering": (12, 3, 6),
    "HealthGatheringSupreme": (12, 3, 6),
    "MultiDuel": (12, 3, 6),
    "MyWayHome": (12, 5, 18),
    "PredictPosition": (12, 3, 6),
    "RocketBasic": (4, 3, 6),
    "SimplerBasic": (4, 3, 6),
    "TakeCover": (12, 2, 3),
}
_INFO = (
    "AMMO2",
    "AMMO3",
    "AMMO4",
    "AMMO5",
    "AMMO6",
    "AMMO7",
    "ARMOR",
    "DAMAGECOUNT",
    "DEATHCOUNT",
    "FRAGCOUNT",
    "HEALTH",
    "HITCOUNT",
    "KILLCOUNT",
    "SELECTED_WEAPON",
    "SELECTED_WEAPON_AMMO",
    "USER2",
)


def test_all_tasks_of_upstream_are_there() -> None:
    own = {task_id for task_id in envpool.list_all_envs() if _family(task_id) == "envpool_vizdoom"}
    assert own == {f"{name}-v1" for name in _UPSTREAM} | {"VizdoomCustom-v1"}


def _family(task_id: str) -> str:
    try:
        task = envpool.make_spec(task_id).task
    except ConfigError:  # VizdoomCustom-v1, which needs a file
        return "envpool_vizdoom"
    assert task is not None
    return task.env.partition(".")[0]


@pytest.mark.parametrize("name", _UPSTREAM)
def test_arrays_are_those_of_upstream(name: str) -> None:
    channels, buttons, combined = _UPSTREAM[name]
    spec = envpool.make_spec(f"{name}-v1")
    assert spec.state_array_spec["obs"].shape == (channels, 84, 84)
    assert spec.action_array_spec["action"].shape == (-1, buttons)
    assert spec.max_episode_steps == 525
    infos = [key.removeprefix("info:") for key in spec.state_array_spec if key.startswith("info:")]
    assert set(_INFO) <= set(infos)
    chosen = envpool.make_spec(f"{name}-v1", use_combined_action=True)
    assert chosen.action_space.n == combined  # type: ignore[attr-defined]


def test_actions_have_meanings() -> None:
    assert envpool_vizdoom.action_meanings(envpool.make_spec("Basic-v1")) == (
        "MOVE_LEFT",
        "MOVE_RIGHT",
        "ATTACK",
    )
    spec = envpool.make_spec("Basic-v1", use_combined_action=True)
    assert envpool_vizdoom.action_meanings(spec) == (
        (),
        ("MOVE_RIGHT",),
        ("MOVE_LEFT",),
        ("ATTACK",),
        ("MOVE_RIGHT", "ATTACK"),
        ("MOVE_LEFT", "ATTACK"),
    )


def test_combined_actions_of_buttons_that_say_how_far() -> None:
    options: dict[str, Any] = {
        "use_combined_action": True,
        "force_speed": True,
        "delta_button_config": {"TURN_LEFT_RIGHT_DELTA": (3, -5.0, 5.0)},
    }
    meanings = envpool_vizdoom.action_meanings(envpool.make_spec("Deathmatch-v1", **options))
    assert len(meanings) == 4536 // 2 * 3
    assert all("SPEED" in meaning for meaning in meanings)
    turns = [
        [part for part in meaning if part.startswith("TURN_LEFT_RIGHT_DELTA")]
        for meaning in meanings
    ]
    assert turns[:3] == [["TURN_LEFT_RIGHT_DELTA=-5"], [], ["TURN_LEFT_RIGHT_DELTA=5"]]
    assert len(set(meanings)) == len(meanings)
    opposite = ("MOVE_LEFT", "MOVE_RIGHT"), ("TURN_LEFT", "TURN_RIGHT")
    for meaning, pair in itertools.product(meanings, opposite):
        assert not set(pair) <= set(meaning)


def test_a_combined_action_presses_its_buttons() -> None:
    raw: dict[str, Any] = {"num_envs": 1, "seed": 4}
    with (
        envpool.make("DeadlyCorridor-v1", **raw) as buttons,
        envpool.make("DeadlyCorridor-v1", **raw, use_combined_action=True) as combined,
    ):
        names = envpool_vizdoom.action_meanings(buttons.spec)
        meanings = envpool_vizdoom.action_meanings(combined.spec)
        buttons.reset()
        combined.reset()
        for action in np.random.default_rng(2).integers(0, len(meanings), 30):
            pressed = np.array([[float(name in meanings[action]) for name in names]])
            one, two = buttons.step(pressed), combined.step(np.array([action]))
            np.testing.assert_array_equal(one[0], two[0])
            assert one[1] == two[1]


def _cfg(folder: Path, text: str) -> str:
    path = folder / "own.cfg"
    wad = f"doom_scenario_path = {SCENARIOS / 'basic.wad'}\n"
    path.write_text(wad + text)
    return str(path)


def test_a_configuration_is_read_as_viz_doom_reads_it(tmp_path: Path) -> None:
    cfg = _cfg(
        tmp_path,
        "# a comment\n"
        "Available_Buttons = { ATTACK\n  # another one\n  move_left }\n"
        "availableButtons += { TURN_LEFT_RIGHT_DELTA attack }\n"
        "AVAILABLE_GAME_VARIABLES = { Position_X user12 }\n"
        "SCREEN_RESOLUTION = res_160x120\nscreen_format = GRAY8\n"
        "render_hud = True\nliving_reward = -0.5\ndeath_penalty = +2\ngame_args += +name me\n"
        "doom_skill = 2\nticrate = 35\nepisode_start_time = 20\n",
    )
    raw: dict[str, Any] = {"img_width": 160, "img_height": 120, "stack_num": 1, "seed": 2}
    with (
        envpool.make("VizdoomCustom-v1", cfg_path=cfg, reward="scenario", **raw) as pool,
        doom_game(Path(cfg), 2, {"doom_scenario_path": str(SCENARIOS / "basic.wad")}) as game,
    ):
        assert envpool_vizdoom.action_meanings(pool.spec) == (
            "ATTACK",
            "MOVE_LEFT",
            "TURN_LEFT_RIGHT_DELTA",
        )
        obs, info = pool.reset()
        assert {"POSITION_X", "USER12"} <= set(info)
        for step in range(20):
            np.testing.assert_array_equal(obs[0, 0], game.get_state().screen_buffer)
            assert info["POSITION_X"][0] == game.get_state().game_variables[0]
            action = [float(step % 3 == 0), float(step % 2), step - 10.0]
            reward = game.make_action(action, 4)
            obs, rewards, *_, info = pool.step(np.array([action]))
            assert rewards[0] == np.float32(reward)


@pytest.mark.parametrize(
    "line",
    [
        "no equals sign",
        "available_buttons = { FLY }",
        "available_buttons = ATTACK",
        "available_game_variables = { LUCK }",
        "screen_resolution = RES_84X84",
        "screen_format = PINK",
        "living_reward = much",
        "living_reward = +-1",
        "episode_timeout = -3",
        "doom_skill = 9",
        "render_hud = perhaps",
        "doom_map += map02",
        "automap_mode = nice",
        "audio_sampling_rate = 3",
        "gravity = 9.81",
    ],
)
def test_a_wrong_line_is_refused(line: str, tmp_path: Path) -> None:
    cfg = _cfg(tmp_path, f"available_buttons = {{ ATTACK }}\n\n{line}\n")
    with pytest.raises(ConfigError, match="line 4 of"):
        envpool.make_spec("VizdoomCustom-v1", cfg_path=cfg)


def test_files_that_are_none(tmp_path: Path) -> None:
    """A pipe would block for ever; with a folder or a junk file the engine plays another map."""
    pipe, junk, large = tmp_path / "pipe", tmp_path / "junk.wad", tmp_path / "large.cfg"
    os.mkfifo(pipe)
    junk.write_bytes(b"no maps are in here")
    large.touch()
    os.truncate(large, 2**33)  # a sparse file: it uses no space on the disk
    for path, text in ((pipe, "a pipe"), (tmp_path, "a folder"), (large, "8,589,934,592 bytes")):
        with pytest.raises(ConfigError, match=f"cfg_path=.*{text}"):
            envpool.make_spec("VizdoomCustom-v1", cfg_path=path)
    for key in ("wad_path", "iwad_path"):
        with pytest.raises(ConfigError, match=f"{key}=.*begins with b'no map'.*PWAD"):
            envpool.make("Basic-v1", **{key: junk})
        with pytest.raises(ConfigError, match="no such file"):
            envpool.make("Basic-v1", **{key: pipe})


@pytest.mark.parametrize(
    ("task", "options", "texts"),
    [
        ("VizdoomCustom-v1", {}, ["cfg_path"]),
        ("VizdoomCustom-v1", {"cfg_path": "/none.cfg"}, ["/none.cfg"]),
        ("D3Battle-v1", {}, ["wad_path", "D3_battle.wad"]),
        ("D4Battle2-v1", {}, ["wad_path", "D4_battle2.wad"]),
        ("Basic-v1", {"wad_path": "/none.wad"}, ["/none.wad"]),
        ("Basic-v1", {"iwad_path": "/none"}, ["/none"]),
        ("Basic-v1", {"render_resolution": "84x84"}, ["160x120"]),
        ("Basic-v1", {"reward": "scenarios"}, ["Did you mean 'scenario'"]),
        ("Basic-v1", {"reward_config": {"LUCK": (1, 0)}}, ["LUCK"]),
        ("Basic-v1", {"selected_weapon_reward_config": {12: 1.0}}, ["12"]),
        ("Basic-v1", {"frame_skip": 0}, ["frame_skip"]),
        ("Basic-v1", {"stack_num": 0}, ["stack_num"]),
        ("Basic-v1", {"img_width": -1}, ["img_width"]),
        ("Basic-v1", {"engine_timeout": 0.0}, ["engine_timeout"]),
        ("Basic-v1", {"max_num_players": 17}, ["max_num_players", "16"]),
        ("Basic-v1", {"lmp_save_dir": "/proc/none"}, ["lmp_save_dir"]),
        ("Cig-v1", {"lmp_save_dir": "."}, ["lmp_save_dir"]),
        (
            "Basic-v1",
            {"use_combined_action": True, "delta_button_config": {"ATTACK": (2, 0.0, 1.0)}},
            ["delta_button_config", "ATTACK"],
        ),
    ],
    ids=str,
)
def test_wrong_options_are_refused(task: str, options: dict[str, Any], texts: list[str]) -> None:
    with pytest.raises(EnvPoolError) as raised:
        envpool.make(task, **options)
    assert isinstance(raised.value, ConfigError)
    for text in texts:
        assert text in str(raised.value)


def test_specs_need_no_maps() -> None:
    spec = envpool.make_spec("D3Battle-v1")
    assert spec.state_array_spec["obs"].shape == (4, 84, 84)


def test_the_map_of_the_users_configuration_is_played(tmp_path: Path) -> None:
    """The reference plays the map that `map_id` names: oblige.cfg shows it."""
    plain = str(SCENARIOS / "freedoom2.cfg")
    own = _cfg(tmp_path, f"{Path(plain).read_text(encoding='utf-8')}\ndoom_map = map02\n")

    def first(**options: str) -> Any:
        with envpool.make("VizdoomCustom-v1", seed=3, **options) as pool:
            return pool.reset()[0]

    second = first(cfg_path=plain, map_id="map02")
    np.testing.assert_array_equal(first(cfg_path=own), second)
    np.testing.assert_array_equal(first(cfg_path=own, map_id=""), second)
    assert (first(cfg_path=own, map_id="map01") != second).any()
    assert (first(cfg_path=plain) != second).any()
