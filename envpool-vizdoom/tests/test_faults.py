# SPDX-License-Identifier: Apache-2.0
"""Engines that die or hang, processes that are killed, machines without room: nothing is lost."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError, WorkerError
from processes import TIMEOUT, alive, engines, run, wait_until

SHM = Path("/dev/shm")
NOTHING = np.zeros((2, 3))


def _names() -> set[str]:
    return {path.name for path in SHM.iterdir() if path.name.startswith("ViZDoom")}


def _new(before: list[int]) -> list[int]:
    return [number for number in engines() if number not in before]


def test_a_killed_engine_ends_the_episode() -> None:
    before = engines()
    # Its own arguments, so that no parked engine is taken.
    with envpool.make("Basic-v1", num_envs=2, seed=3, game_args="+name killed") as pool:
        first, _ = pool.reset()
        obs, *_ = pool.step(NOTHING)
        numbers = _new(before)
        assert len(numbers) == 2
        for number in numbers:
            os.kill(number, signal.SIGKILL)
        last, reward, terminated, truncated, info = pool.step(NOTHING)
        assert truncated.all() and not terminated.any() and info["engine_restarted"].all()
        assert (reward == 0).all()
        np.testing.assert_array_equal(last, obs)
        again, _, terminated, truncated, info = pool.step(NOTHING)
        assert not truncated.any() and not info["engine_restarted"].any()
        assert again.shape == first.shape and (info["elapsed_step"] == 0).all()
        _, _, _, truncated, info = pool.step(NOTHING)
        assert not truncated.any() and (info["elapsed_step"] == 1).all()
        assert set(_new(before)).isdisjoint(numbers)


def test_an_engine_that_is_stopped_is_replaced() -> None:
    before = engines()
    options = {"game_args": "+name stopped", "engine_timeout": 5.0}
    with envpool.make("Basic-v1", num_envs=1, **options) as pool:
        pool.reset()
        (number,) = _new(before)
        os.kill(number, signal.SIGSTOP)
        *_, truncated, info = pool.step(NOTHING[:1])
        assert truncated[0] and info["engine_restarted"][0]
        wait_until(lambda: not alive(number), "the stopped engine has ended")
        pool.step(NOTHING[:1])
        *_, truncated, info = pool.step(NOTHING[:1])
        assert not truncated[0]


def test_a_pause_of_pool_and_engine_is_no_fault(tmp_path: Path) -> None:
    timeout = 3
    code = (
        "import envpool, numpy as np, sys\n"
        f"pool = envpool.make('Basic-v1', num_envs=1, engine_timeout={timeout})\n"
        "pool.reset(); print('ready', flush=True)\n"
        "restarts = 0\n"
        "for _ in range(2000):\n"
        "    restarts += int(pool.step(np.zeros((1, 3)))[4]['engine_restarted'][0])\n"
        "print(restarts)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as player:
        assert player.stdout is not None and player.stdout.readline() == "ready\n"
        (number,) = engines(player.pid)
        # Like a paused container: the pool has asked, and both wake long after the answer was due.
        os.kill(number, signal.SIGSTOP)
        player.send_signal(signal.SIGSTOP)
        time.sleep(timeout + 1)
        player.send_signal(signal.SIGCONT)
        os.kill(number, signal.SIGCONT)
        assert player.communicate(timeout=2 * TIMEOUT)[0] == "0\n"


def test_others_go_on_while_one_engine_is_replaced() -> None:
    before = engines()
    with (
        envpool.make("Basic-v1", num_envs=2, seed=3, game_args="+name two") as pool,
        envpool.make("Basic-v1", num_envs=2, seed=3, game_args="+name undisturbed") as other,
    ):
        pool.reset()
        other.reset()
        victim = next(
            number
            for number in _new(before)
            if b"two" in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        )
        os.kill(victim, signal.SIGKILL)
        for _ in range(5):
            obs, reward, _, truncated, info = pool.step(NOTHING)
            right, rewards, *_ = other.step(NOTHING)
            alone = ~info["engine_restarted"] & (info["elapsed_step"] == other_steps(other, info))
            assert alone.any() or truncated.any()
            if truncated.any():
                untouched = int(np.flatnonzero(~truncated)[0])
            np.testing.assert_array_equal(obs[untouched], right[untouched])
            assert reward[untouched] == rewards[untouched]


def other_steps(pool: envpool.GymnasiumPool, info: dict[str, np.ndarray]) -> np.ndarray:
    """The step count of the environment that was not disturbed."""
    del pool
    return np.full_like(info["elapsed_step"], info["elapsed_step"].max())


def test_an_engine_that_does_not_start_again_is_an_error(tmp_path: Path) -> None:
    real = envpool.make_spec("Basic-v1").options["vzd_path"]
    broken = tmp_path / "broken"
    program = tmp_path / "vizdoom"
    program.write_text(f'#!/bin/sh\ntest -e "{broken}" && exit 3\nexec "{real}" "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    before = engines()
    with envpool.make("Basic-v1", num_envs=1, vzd_path=program) as pool:
        pool.reset()
        broken.touch()
        for number in _new(before):
            os.kill(number, signal.SIGKILL)
        *_, truncated, _ = pool.step(NOTHING[:1])
        assert truncated[0]
        with pytest.raises(WorkerError, match="exited with status 3"):
            pool.step(NOTHING[:1])
        broken.unlink()
        pool.reset()
        *_, truncated, _ = pool.step(NOTHING[:1])
        assert not truncated[0]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"vzd_path": "/bin/true"}, "exited with status 0"),
        ({"vzd_path": "/etc/passwd"}, "Permission denied"),
        ({"map_id": "map77"}, "MAP01"),
        ({"wad_path": "/none.wad"}, "/none.wad"),
    ],
    ids=str,
)
def test_an_engine_that_does_not_start_is_an_error(options: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        envpool.make("Basic-v1", **options)


def test_a_pool_leaves_nothing_behind(tmp_path: Path) -> None:
    names = run(
        "import envpool, numpy as np\n"
        "pool = envpool.make('Basic-v1', num_envs=2)\n"
        "pool.reset(); pool.step(np.zeros((2, 3)))\n"
        "maps = [line.split()[-1] for line in open('/proc/self/maps')]\n"
        "print(*{path.rpartition('/')[2] for path in maps if path.startswith('/dev/shm/')})\n"
        "pool.close()",
        tmp_path,
        TMPDIR=str(tmp_path),
    ).split()
    assert len(names) == 6  # a screen and two queues for each; others' names lie beside them
    assert not _names().intersection(names)
    assert not [*tmp_path.iterdir()]  # neither in the working directory nor among temporary files


def test_engines_end_with_a_killed_parent_and_the_next_sweeps(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    code = (
        "import envpool, sys\n"
        "pool = envpool.make('Basic-v1', num_envs=2); pool.reset()\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    before = _names()
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        numbers = engines(parent.pid)
        assert len(numbers) == 2
        assert all(os.getpgid(number) != os.getpgid(parent.pid) for number in numbers)
        parent.kill()
        parent.wait(TIMEOUT)
    for number in numbers:
        wait_until(lambda: not alive(number), "the engines have ended")  # noqa: B023
    left = _names() - before
    assert len(left) > 2
    assert [*folder.iterdir()]
    run("import envpool; envpool.make('Basic-v1').close()", tmp_path)
    # Another process that starts at the same time may remove them.
    wait_until(lambda: not _names() & left and not [*folder.iterdir()], "all has been swept")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's file")
def test_what_another_user_left_is_not_swept(tmp_path: Path) -> None:
    token, other = "otheruser0", 65534
    left = [SHM / f"ViZDoomOwnerEP{token}", SHM / f"ViZDoomSMEP{token}x0"]
    folder = tmp_path / f"envpool-vizdoom-{token}"
    folder.mkdir()
    try:
        left[0].write_text(str(folder))
        left[1].write_text("")
        for path in (*left, folder):
            os.chown(path, other, other)
        run("import envpool; envpool.make('Basic-v1').close()", tmp_path)
        assert all(path.exists() for path in (*left, folder))
    finally:
        for path in left:
            path.unlink(missing_ok=True)


def _in_little_shared_memory(size: str) -> list[str]:
    """A command prefix that gives a /dev/shm of this size; [] if the system forbids it."""
    mount = f'mount -t tmpfs -o size={size} tmpfs /dev/shm && exec "$@"'
    prefix = ["unshare", "-rm", "sh", "-c", mount, "sh"]
    allowed = subprocess.run([*prefix, "true"], capture_output=True, timeout=60, check=False)
    return prefix if allowed.returncode == 0 else []


def test_ctrl_c_while_engines_start(tmp_path: Path) -> None:
    """All 64 take tens of seconds of CPU time; started engines end with the `make`."""
    code = (
        "import envpool, os, time\n"
        "print('making', flush=True)\n"
        "try:\n"
        "    envpool.make('Basic-v1', num_envs=64)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
        "input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as maker:
        assert maker.stdout is not None
        assert maker.stdout.readline() == "making\n"
        wait_until(lambda: len(engines(maker.pid)) >= 3, "three engines have started")
        (folder,) = tmp_path.iterdir()
        pressed = time.monotonic()
        maker.send_signal(signal.SIGINT)
        assert maker.stdout.readline() == "interrupted\n"
        # The pool waits for a start that has begun: 0.3 s, and more on a busy machine.
        assert time.monotonic() - pressed < 5
        # Complete engines are parked for two seconds.
        wait_until(lambda: not engines(maker.pid), "the engines have ended")
        maker.communicate("\n", timeout=TIMEOUT)
    assert maker.returncode == 0
    token = folder.name.rpartition("-")[2]
    assert not [name for name in _names() if token in name] and not folder.exists()


@pytest.mark.parametrize("size", ["4k", "64k", "900k"])
def test_no_room_in_shared_memory_is_an_error(tmp_path: Path, size: str) -> None:
    # With 4k the first queue finds no room, with more an engine's own memory, then that of the
    # third.
    prefix = _in_little_shared_memory(size)
    # Elsewhere a limit for files makes the same call fail as a full /dev/shm.
    limit = "" if prefix else "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    text = run(
        f"import envpool, resource\n{limit}"
        "from envpool.errors import ConfigError\n"
        "try:\n"
        "    envpool.make('Basic-v1', num_envs=4)\n"
        "except ConfigError as error:\n"
        "    print(error)",
        tmp_path,
        prefix=prefix,
    )
    assert "room in /dev/shm" in text and "--shm-size" in text


def test_no_folder_for_temporary_files_is_an_error(tmp_path: Path) -> None:
    code = (
        "import envpool\n"
        "from envpool.errors import ConfigError\n"
        "try:\n"
        "    envpool.make('Basic-v1')\n"
        "except ConfigError as error:\n"
        "    print(error)"
    )
    for folder in ("/proc", str(tmp_path / "none")):
        assert "TMPDIR" in run(code, tmp_path, TMPDIR=folder)


def test_a_forked_process_has_engines_of_its_own(tmp_path: Path) -> None:
    text = run(
        "import envpool, os, numpy as np, warnings\n"
        "pool = envpool.make('Basic-v1', num_envs=1, seed=1); pool.reset()\n"
        "warnings.simplefilter('ignore')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    with envpool.make('Basic-v1', num_envs=1, seed=1) as own:\n"
        "        own.reset(); *_, truncated, info = own.step(np.zeros((1, 3)))\n"
        "    os._exit(5 if not truncated[0] else 6)\n"
        "_, status = os.waitpid(child, 0)\n"
        "*_, truncated, info = pool.step(np.zeros((1, 3)))\n"
        "print(os.waitstatus_to_exitcode(status), truncated[0])",
        tmp_path,
    )
    assert text.split() == ["5", "False"]
