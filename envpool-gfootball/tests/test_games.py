# SPDX-License-Identifier: Apache-2.0
"""A game is a function of scenario, seed and actions: threads, seeds, ends, states, options."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError, StateError

_THREE = "gfootball/academy_3_vs_1_with_keeper-v1"
_CLOSE = "gfootball/academy_empty_goal_close-v1"
_FIVE = "gfootball/5_vs_5-v1"
_LEFT, _RIGHT = (f"number_of_{side}_players_agent_controls" for side in ("left", "right"))


def _hash(steps: int, **options: Any) -> str:
    """A hash of all results of six environments, in the order of environments."""
    found = hashlib.sha256()
    actions = np.random.default_rng(3).integers(0, 19, (steps, 6)).astype(np.int32)
    with envpool.make(_THREE, num_envs=6, seed=5, observation="simple115v2", **options) as pool:
        count = np.zeros(6, int)
        rows: list[list[bytes]] = [[] for _ in range(6)]
        pool.async_reset()
        while count.min() < steps:
            obs, reward, *_, info = pool.recv()
            ids = info["env_id"]
            for row, i in enumerate(ids):
                rows[i].append(obs[row].tobytes() + reward[row].tobytes())
            pool.send(np.array([actions[count[i] % steps, i] for i in ids]), ids)
            count[ids] += 1
    for each in rows:
        found.update(b"".join(each[:steps]))
    return found.hexdigest()


def test_threads_and_batches_change_nothing() -> None:
    expected = _hash(60, num_threads=1)
    assert _hash(60, num_threads=2) == expected
    assert _hash(60, num_threads=3, batch_size=2) == expected


def test_engine_seeds_are_those_of_std_mt19937() -> None:
    """The first number is not used; then one per episode, as EnvPool 1.2.5 draws them."""
    with envpool.make(_CLOSE, num_envs=2, seed=7) as pool:
        drawn = [pool.reset()[1]["engine_seed"].tolist() for _ in range(3)]
    for i in range(2):
        # NumPy's legacy generator has the numbers of std::mt19937.
        words = np.random.RandomState(7 + i).randint(0, 2**32, 20, dtype=np.uint32).tolist()
        products = [word * 2_000_000_001 for word in words]
        usable = [p >> 32 for p in products if p % 2**32 >= 2**32 % 2_000_000_001]
        assert [row[i] for row in drawn] == usable[1:4]


def test_a_game_is_played_again_by_its_seed() -> None:
    with envpool.make(_FIVE, seed=1) as first, envpool.make(_FIVE, seed=2) as second:
        first.reset()
        _, info = first.reset()
        again = {"engine_seed": int(info["engine_seed"][0])}
        again["episode_number"] = int(info["episode_number"][0])
        _, other = second.reset(options=again)
        assert [other[name][0] for name in again] == list(again.values())
        for action in np.random.default_rng(0).integers(0, 19, (50, 1)).astype(np.int32):
            expected, found = first.step(action), second.step(action)
            np.testing.assert_array_equal(expected[0], found[0])
        for wrong in ({"engine_seed": 2_000_000_001}, {"episode_number": -1}):
            with pytest.raises(ConfigError, match=r"(engine_seed|episode_number) is "):
                second.reset(options=wrong)


def test_an_episode_that_runs_out_is_truncated() -> None:
    """For n steps it has n + 1, as in the package, and the pool's limit is exact."""
    for options, length in (({"game_duration": 9}, 10), ({"max_episode_steps": 9}, 9)):
        with envpool.make(_FIVE, **options) as pool:
            _, info = pool.reset()
            assert info["steps_left"][0] == length
            for step in range(1, length + 1):
                *_, terminated, truncated, info = pool.step(np.array([0]))
                assert info["steps_left"][0] == length - step
                assert truncated[0] == (step == length)
                assert not terminated[0]


def test_a_goal_ends_an_episode_of_the_academy_and_is_paid() -> None:
    with envpool.make(_CLOSE, num_envs=8, seed=0, rewards="scoring,checkpoints") as pool:
        pool.reset()
        paid, goals = np.zeros(8), 0
        over = np.zeros(8, bool)
        for step in range(60):
            _, reward, terminated, _, info = pool.step(np.full(8, 5 if step < 5 else 12, np.int32))
            paid += np.where(over, 0, reward)
            scored = terminated & (info["score"][:, 0] == 1) & ~over
            goals += scored.sum()
            # 1 for the goal and ten checkpoints of 0.1; sums of floats.
            np.testing.assert_allclose(paid[scored], 2, atol=1e-6)
            over |= terminated
        assert over.all()
        assert goals >= 4


def test_both_sides_see_the_same_match_from_their_own_side() -> None:
    options = {"observation": "raw", _LEFT: 2, _RIGHT: 2}
    with envpool.make(_FIVE, seed=3, **options) as pool:
        obs, info = pool.reset()
        assert info["players"]["env_id"].tolist() == [0] * 4
        for action in np.random.default_rng(0).integers(0, 19, (40, 4)).astype(np.int32):
            obs, reward, *_ = pool.step(action)
            left, right = ({key: value[i] for key, value in obs.items()} for i in (0, 2))
            np.testing.assert_array_equal(left["left_team"], -right["right_team"])
            np.testing.assert_array_equal(
                left["right_team_direction"], -right["left_team_direction"]
            )
            np.testing.assert_array_equal(left["ball"][:2], -right["ball"][:2])
            assert left["ball"][2] == right["ball"][2]
            owner = left["ball_owned_team"]
            assert right["ball_owned_team"] == (owner if owner < 0 else 1 - owner)
            assert reward.tolist() == [reward[0]] * 2 + [-reward[0]] * 2
            np.testing.assert_array_equal(left["score"], right["score"][::-1])
        assert len({int(number) for number in obs["active"][:2]}) == 2


def test_directions_of_the_right_side_are_turned() -> None:
    with envpool.make(_FIVE, **{_LEFT: 1, _RIGHT: 1}) as pool:
        pool.reset()
        for _ in range(12):
            info = pool.step(np.array([5, 5]))[4]
        assert info["sticky_actions"][:, 4].tolist() == [1, 1]
        assert info["sticky_actions"].sum() == 2


def test_stacked_observations() -> None:
    for observation, planes in (("smm", 4), ("simple115v2", 115)):
        options = {"observation": observation, "seed": 4}
        with (
            envpool.make(_THREE, **options) as one,
            envpool.make(_THREE, stacked=True, **options) as four,
        ):
            first, _ = one.reset()
            frames = [first] * 4
            found, _ = four.reset()
            np.testing.assert_array_equal(found, np.concatenate(frames, -1))
            for action in np.random.default_rng(1).integers(0, 19, (10, 1)).astype(np.int32):
                frames = [*frames[1:], one.step(action)[0]]
                found = four.step(action)[0]
                assert found.shape[-1] == 4 * planes
                np.testing.assert_array_equal(found, np.concatenate(frames, -1))


def test_a_state_goes_into_another_pool() -> None:
    options = {"num_envs": 2, "observation": "raw", "rewards": "scoring,checkpoints"}
    actions = np.random.default_rng(1).integers(0, 19, (90, 2)).astype(np.int32)
    for task_id in (_CLOSE, _FIVE):
        with (
            envpool.make(task_id, seed=1, **options) as first,
            envpool.make(task_id, seed=9, **options) as second,
        ):
            first.reset()
            first.reset()  # teams have changed sides
            second.reset()
            for row in actions[:40]:
                first.step(row)
            second.load_state(first.save_state())
            for row in actions[40:]:
                expected, found = first.step(row), second.step(row)
                for key, value in expected[0].items():
                    np.testing.assert_array_equal(value, found[0][key], key)
                assert expected[1].tolist() == found[1].tolist()


def test_a_forked_process_makes_games() -> None:
    """Also if another thread held the shared data's lock at the moment of the fork."""
    program = (
        "import os, threading\n"
        "import envpool, numpy as np\n"
        "def game():\n"
        f"    with envpool.make({_CLOSE!r}) as pool:\n"
        "        pool.reset()\n"
        "        pool.step(np.array([5]))\n"
        "game()\n"  # Python itself may hang if a thread imports while another forks
        "stop = threading.Event()\n"
        "def games():\n"
        "    while not stop.is_set():\n"
        "        game()\n"
        "thread = threading.Thread(target=games)\n"
        "thread.start()\n"
        "for _ in range(8):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        game()\n"
        "        os._exit(0)\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "stop.set()\n"
        "thread.join()\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=120)


def test_a_pool_is_closed_while_it_steps() -> None:
    for seed in range(3):
        pool = envpool.make(_FIVE, num_envs=8, num_threads=2, seed=seed)
        pool.reset()
        pool.send(np.full(8, 5, np.int32))
        pool.close()
        with pytest.raises(StateError, match="closed"):
            pool.recv()


def test_the_process_is_left_alone(tmp_path: Path) -> None:
    """Signals, the generator of rand(), variables and the locale have no effect on a game."""
    program = (
        "import ctypes, hashlib, locale, signal, sys\n"
        "import envpool, numpy as np\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.srand(1); expected = libc.rand(); libc.srand(1)\n"
        "before = signal.getsignal(signal.SIGSEGV)\n"
        "for name in sys.argv[1:]:\n"
        "    locale.setlocale(locale.LC_ALL, name)\n"
        "    assert locale.localeconv()['decimal_point'] == ','\n"
        f"with envpool.make({_CLOSE!r}, seed=3, observation='simple115v2') as pool:\n"
        "    found = hashlib.sha256(pool.reset()[0].tobytes())\n"
        "    for action in range(19): found.update(pool.step(np.array([action]))[0].tobytes())\n"
        "assert signal.getsignal(signal.SIGSEGV) == before\n"
        "assert libc.rand() == expected\n"
        "print(found.hexdigest())\n"
    )
    comma = _decimal_comma(tmp_path)
    paths = {"GFOOTBALL_DATA_DIR": "/nowhere", "GFOOTBALL_FONT": "/nowhere"}
    found = set()
    for extra, names in (({}, []), ({**paths, "LOCPATH": str(tmp_path)}, comma)):
        done = subprocess.run(
            [sys.executable, "-c", program, *names],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={**os.environ, **extra},
        )
        assert done.stderr == ""
        found.add(done.stdout)
    assert len(found) == 1


def _decimal_comma(folder: Path) -> list[str]:
    """A locale in which numbers have commas, made in a folder; none if that fails."""
    name = "de_DE.UTF-8"
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / name)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    return [name] if made.returncode == 0 else []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"observation": "pixels"}, "simple115v2"),
        ({"observation": "raw", "stacked": True}, "'smm' and 'simple115v2'"),
        ({"rewards": "checkpoints"}, "scoring,checkpoints"),
        ({"action_set": "v1"}, "full"),
        ({_LEFT: 5}, "0 .. 4"),
        ({_RIGHT: -1}, "players of that side"),
        ({_LEFT: 0}, "one player or more"),
        ({"physics_steps_per_frame": 0}, "1 .. 100"),
        ({"game_duration": -1}, "0 .. 1000000000"),
        ({_LEFT: 3, "max_num_players": 2}, "3 or more"),
        ({"scenario": "tests.multiagent_wrapper"}, "0 or 11"),
        ({"even_episodes": [1.0]}, "computes it"),
        ({"data_path": "/tmp"}, "computes it"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_options_that_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        envpool.make(_THREE, **options)
