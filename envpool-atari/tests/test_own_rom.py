# SPDX-License-Identifier: Apache-2.0
"""AtariRom-v5: ROMs that are in no table, and the values that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ale_py
import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool.testing import check_task
from envpool_atari import _own_rom, action_meanings
from envpool_atari._games import GAMES

ROOT = Path(__file__).parents[2]
ROMS = Path(ale_py.__file__).parent / "roms"
ASSAULT: dict[str, Any] = {
    "rom_path": str(ROMS / "assault.bin"),
    "score_bytes": (0, 1, 2),
    "lives_byte": 0x65,
}
_GAMES_OF = {
    "DPC": """
        pitfall2
    """,
    "E0": """
        jamesbond montezuma_revenge tutankham
    """,
    "F6": """
        crossbow double_dunk road_runner solaris
    """,
    "F6SC": """
        darkchambers klax
    """,
    "F8": """
        asterix asteroids battle_zone beam_rider centipede crazy_climber earthworld et
        galaxian gravitar hero kangaroo krull kung_fu_master mario_bros mr_do ms_pacman
        phoenix private_eye sir_lancelot time_pilot up_n_down zaxxon
    """,
    "F8SC": """
        elevator_action
    """,
    "FE": """
        robotank
    """,
}
_TYPES = {game: kind for kind, games in _GAMES_OF.items() for game in games.split()}


def test_the_demo_is_what_its_source_says() -> None:
    import demo_rom

    assert demo_rom.TARGET.read_bytes() == demo_rom.assembled()


def test_contract() -> None:
    check_task("AtariRom-v5")


def test_a_ball_that_is_caught_is_a_point_and_one_that_is_not_is_a_life() -> None:
    with envpool.make_gymnasium("AtariRom-v5", num_envs=2, noop_max=0, obs_type="ram") as env:
        memory, info = env.reset()
        assert info["lives"].tolist() == [3, 3]
        reward, lives = np.zeros(2), [info["lives"][1]]
        over = np.zeros(2, bool)
        while not over[1]:
            ball, player = memory[:, 4].astype(int), memory[:, 5].astype(int)
            action = np.where(ball > player + 6, 3, np.where(ball < player + 2, 4, 0))
            action[1] = 3  # to the right, where no ball of the first three comes down
            memory, gain, over, _, info = env.step(action.astype(np.int32))
            reward += gain
            lives.append(info["lives"][1])
        assert reward.tolist() == [3, 0]
        assert sorted({*lives}, reverse=True) == [3, 2, 1, 0]
        assert not over[0]


def test_it_plays_a_file_as_the_game_is_played() -> None:
    """The frames of a game, and its score, by way of `rom_path`."""
    options: dict[str, Any] = {"num_envs": 2, "seed": 3, "noop_max": 5, "full_action_space": True}
    own = envpool.make_gymnasium("AtariRom-v5", **ASSAULT, **options)
    game = envpool.make_gymnasium("Assault-v5", **options)
    rng = np.random.default_rng(0)
    gained, overs = 0.0, 0
    with own, game:
        frames, _ = own.reset()
        expected, _ = game.reset()
        assert np.array_equal(frames, expected)
        for _ in range(600):
            action = rng.integers(18, size=2, dtype=np.int32)
            frames, reward, over, _, info = own.step(action)
            expected, wanted, ends, _, told = game.step(action)
            overs += over.sum()
            assert np.array_equal(over, ends)
            assert np.array_equal(frames, expected)
            assert np.array_equal(reward, wanted)
            assert np.array_equal(info["ram"], told["ram"])
            assert np.array_equal(info["lives"], told["lives"])
            gained += reward.sum()
    assert gained > 0
    assert overs > 0


def test_without_a_score_rewards_are_0_and_episodes_go_on() -> None:
    path = ASSAULT["rom_path"]
    with envpool.make_gymnasium("AtariRom-v5", num_envs=1, rom_path=path) as env:
        env.reset()
        for _ in range(100):
            _, reward, terminated, truncated, info = env.step(np.array([1], np.int32))
            assert (reward[0], terminated[0], truncated[0]) == (0, False, False)
            assert info["lives"][0] == 1


def test_two_roms_in_one_process_are_two() -> None:
    one = envpool.make_spec("AtariRom-v5")
    two = envpool.make_spec("AtariRom-v5", **ASSAULT)
    assert one.config.task != two.config.task
    assert (one.config.cartridge, two.config.cartridge) == ("2K", "4K")
    assert len(action_meanings(two)) == two.action_space.n == 18


def test_types_are_seen_in_the_contents() -> None:
    """Types of all games, except the game that shows no sign of its type."""
    wrong = []
    for game in GAMES:
        rom = (ROMS / f"{game}.bin").read_bytes()
        path = str(ROMS / f"{game}.bin")
        envpool.make_spec("AtariRom-v5", rom_path=path)
        if _own_rom.cartridge_of("auto", rom) != _TYPES.get(game, f"{len(rom) // 1024}K"):
            wrong.append(game)
    assert wrong == ["robotank"]
    spec = envpool.make_spec("AtariRom-v5", rom_path=str(ROMS / "robotank.bin"), cartridge="FE")
    assert spec.config.cartridge == "FE"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rom_path": "nowhere.bin"}, r"nowhere.bin.*No such file.*Pass the path of a ROM"),
        ({"rom_path": "."}, r"no regular file"),
        ({"rom_path": 3}, r"rom_path=3.*a path"),
        ({"cartridge": "4K"}, r"cartridge='4K'.*'auto', '2K' for a ROM of 2048 bytes"),
        ({"cartridge": "E7"}, r"cartridge='E7'"),
        ({"score_bytes": (0x80,)}, r"score_bytes=\(128,\).*0 .. 127.*subtract 0x80"),
        ({"score_bytes": 3}, r"score_bytes=3"),
        ({"score_bytes": (0, 1, 2, 3, 4)}, r"at most 4 bytes"),
        ({"lives_byte": 200}, r"lives_byte=200"),
        ({"screen_height": 300}, r"screen_height=300.*1 .. 250"),
        ({"task": "pong"}, r"task='pong'"),
        ({"mode": 1}, r"mode=1"),
        ({"continuous": True}, r"continuous=True"),
    ],
    ids=str,
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"(?s)AtariRom-v5.*{message}"):
        envpool.make_spec("AtariRom-v5", **options)


@pytest.mark.parametrize("size", [0, 100, 2047, 12288, 65536, 70000])
def test_a_size_that_no_cartridge_has_is_refused(size: int, tmp_path: Path) -> None:
    path = tmp_path / "own.bin"
    path.write_bytes(bytes(size))
    with pytest.raises(ConfigError, match=r"bytes"):
        envpool.make_spec("AtariRom-v5", rom_path=str(path))


@pytest.mark.parametrize("size", [2048, 4096, 8192, 16384, 10240])
def test_noise_is_played_without_harm(size: int, tmp_path: Path) -> None:
    """Random bytes make strange frames, no crash, and the same frames each time."""
    path = tmp_path / "noise.bin"
    path.write_bytes(np.random.default_rng(size).bytes(size))
    seen = []
    for threads in (1, 2):
        with envpool.make_gymnasium(
            "AtariRom-v5", num_envs=2, num_threads=threads, rom_path=str(path), noop_max=2
        ) as env:
            env.reset()
            rows = [env.step(np.array([k % 18, 1], np.int32))[0] for k in range(30)]
            seen.append(np.stack(rows))
    assert np.array_equal(*seen)
