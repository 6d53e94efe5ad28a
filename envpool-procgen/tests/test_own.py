# SPDX-License-Identifier: Apache-2.0
"""Games computed here against the package's library: every byte, in the same process."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool_procgen import _procgen
from envpool_procgen._tasks import GAMES
from sampling import FULL, sampled

_LEVELS, _STEPS = (100, 300) if FULL else (4, 60)
_NAMES = _procgen.own_games()
_IDS = [
    f"{game.name.capitalize()}{mode}-v0"
    for game in GAMES
    for mode in ("Easy", "Hard", *game.modes)
    if game.name in _NAMES
]
_INFOS = ("prev_level_seed", "prev_level_complete", "level_seed")
_OPTIONS: list[dict[str, Any]] = [
    {"paint_vel_info": True, "use_backgrounds": False},
    {"center_agent": False, "restrict_themes": True},
    {"use_monochrome_assets": True},
    {"use_sequential_levels": True},
    {"debug_mode": 14, "num_levels": 5, "start_level": 3},
]


def _compare(task_id: str, levels: int, steps: int, **options: Any) -> None:
    """Plays `levels` environments, each in its own level."""
    random = np.random.default_rng(zlib.crc32(f"{task_id} {options}".encode()))
    own, library = (
        envpool.make(task_id, num_envs=levels, seed=3, engine=engine, **options)
        for engine in ("own", "libenv")
    )
    with own, library:
        rows = [pool.reset() for pool in (own, library)]
        np.testing.assert_array_equal(rows[0][0], rows[1][0])
        actions = np.full(levels, 7)
        for step in range(steps):
            # Often the same action again, and often to the right: so that more than a level's first
            # part is seen.
            actions = np.where(random.random(levels) < 0.4, random.integers(0, 15, levels), actions)
            actions = np.where(random.random(levels) < 0.1, 7, actions)
            ours, theirs = own.step(actions), library.step(actions)
            for got, wanted in zip(ours[:4], theirs[:4], strict=True):
                np.testing.assert_array_equal(got, wanted, err_msg=f"{task_id}, step {step}")
            for info in _INFOS:
                np.testing.assert_array_equal(ours[4][info], theirs[4][info], err_msg=info)
            if step % 20 == 0 or step == steps - 1:
                # All fields of the states: both have the library's layout.
                for got, wanted in zip(own.save_state(), library.save_state(), strict=True):
                    assert got == wanted, f"{task_id}, state in step {step}"


@pytest.mark.parametrize("task_id", _IDS)
def test_every_byte_is_the_librarys(task_id: str) -> None:
    _compare(task_id, _LEVELS, _STEPS)


@pytest.mark.parametrize(
    ("name", "options"),
    sampled([(name, options) for name in _NAMES for options in _OPTIONS], 20, salt="own options"),
    ids=str,
)
def test_options(name: str, options: dict[str, Any]) -> None:
    _compare(f"{name.capitalize()}Hard-v0", _LEVELS // 2, _STEPS // 2, **options)


def test_a_difference_is_found() -> None:
    """The comparison can fail."""
    own, library = (
        envpool.make("MazeEasy-v0", engine=engine, num_envs=2, seed=seed)
        for engine, seed in (("own", 3), ("libenv", 4))
    )
    with own, library:
        assert not np.array_equal(own.reset()[0], library.reset()[0])
        assert own.save_state()[0] != library.save_state()[0]


@pytest.mark.parametrize("ours", [True, False], ids=["from own", "from libenv"])
def test_states_go_from_one_engine_to_the_other(ours: bool) -> None:
    engines = ("own", "libenv") if ours else ("libenv", "own")
    first, second = (
        envpool.make("LeaperEasy-v0", num_envs=2, seed=seed, engine=engine)
        for seed, engine in enumerate(engines)
    )
    random = np.random.default_rng(0)
    with first, second:
        first.reset()
        second.reset()
        for _ in range(30):
            first.step(random.integers(0, 15, 2))
        second.load_state(first.save_state())
        for _ in range(120):
            actions = random.integers(0, 15, 2)
            for got, wanted in zip(second.step(actions)[:4], first.step(actions)[:4], strict=True):
                np.testing.assert_array_equal(got, wanted)


def test_threads_do_not_matter() -> None:
    random = np.random.default_rng(0)
    one, many = (
        envpool.make("BigfishEasy-v0", num_envs=6, seed=1, engine="own", num_threads=threads)
        for threads in (1, 3)
    )
    with one, many:
        np.testing.assert_array_equal(one.reset()[0], many.reset()[0])
        for _ in range(60):
            actions = random.integers(0, 15, 6)
            np.testing.assert_array_equal(one.step(actions)[0], many.step(actions)[0])


def test_the_library_is_not_loaded() -> None:
    """It would take 340 MB and seconds; an own game takes less of both."""
    program = (
        "import resource, time, envpool\n"
        "def used(): return resource.getrusage(resource.RUSAGE_SELF)\n"
        "envpool.make('PlunderEasy-v0', engine='own')  # imports what all families need\n"
        "before = used()\n"
        "pool = envpool.make('MazeEasy-v0', engine='own', num_threads=1)\n"
        "pool.reset()\n"
        "after = used()\n"
        "print(after.ru_maxrss - before.ru_maxrss, after.ru_utime - before.ru_utime)\n"
        "assert 'libenv' not in open('/proc/self/maps').read()\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kilobytes, seconds = done.stdout.split()
    assert int(kilobytes) < 60_000
    assert float(seconds) < 0.3


def test_images_that_are_missing(tmp_path: Path) -> None:
    library = tmp_path / "data" / "prebuilt" / "libenv.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"is not loaded")
    with pytest.raises(ConfigError, match="mouse_move"):
        envpool.make("MazeEasy-v0", engine="own", engine_path=str(tmp_path))
