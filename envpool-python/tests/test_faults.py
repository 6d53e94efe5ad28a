# SPDX-License-Identifier: Apache-2.0
"""Failures of environments, of workers, and of the parent."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import envpool
import envpool_python
import numpy as np
import psutil
import pytest
from envpool.errors import ConfigError, StateError, WorkerError
from envpool_python._process import ChildProcess
from faulty import CRASH, GO, HANG, KILL, LEAVE, NO_MEMORY, QUIT, RAISE, Faulty

TIMEOUT = 60.0  # seconds; for a machine that is slow and busy


def _memory_can_be_bounded() -> bool:
    """True if the system enforces memory bounds. An emulator, qemu, does not."""
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))\n"
        "try: bytearray(2**29)\n"
        "except MemoryError: print('bounded')"
    )
    command = [sys.executable, "-I", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return done.stdout == "bounded\n"


def pool_of(num_envs: int = 4, **options: Any) -> Any:
    return envpool_python.make([Faulty] * num_envs, num_workers=2, **options)


@pytest.fixture(scope="module")
def raising() -> Iterator[Any]:
    """A pool of four, two workers: 0 and 1, 2 and 3."""
    with pool_of() as pool:
        yield pool


@pytest.fixture(scope="module")
def restarting() -> Iterator[Any]:
    with pool_of(on_error="restart", step_timeout=3.0) as pool:
        yield pool


def actions(**of: int) -> Any:
    """GO for all but the named environments, as env2=KILL."""
    chosen = np.full(4, GO, np.int64)
    for name, action in of.items():
        chosen[int(name.removeprefix("env"))] = action
    return chosen


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (RAISE, "_fail_inside.*ZeroDivisionError: the door is locked"),
        pytest.param(
            NO_MEMORY,
            "_use_all_memory.*MemoryError",
            marks=pytest.mark.skipif(
                not _memory_can_be_bounded(), reason="this system ignores RLIMIT_AS"
            ),
        ),
        (QUIT, "in step.*SystemExit: no more today"),
        (KILL, "was ended by SIGKILL: was the machine out of memory?"),
        (CRASH, "was ended by SIGSEGV.*Segmentation fault.*faulty.py.*in step"),
        (LEAVE, "has ended with exit status 7"),
    ],
)
def test_a_failure_names_the_environment_and_shows_its_traceback(
    raising: Any, action: int, said: str
) -> None:
    raising.reset()
    with pytest.raises(WorkerError, match=r"env 2") as caught:
        raising.step(actions(env2=action))
    assert caught.value.failures[0][0] == 2 or action not in (RAISE, NO_MEMORY, QUIT)
    text = "\n".join(text for _, text in caught.value.failures)
    assert re.search(said, text, re.DOTALL), text
    failed = {env_id for env_id, _ in caught.value.failures}
    obs, *_, info = raising.recv()
    assert failed | set(info["env_id"]) == {0, 1, 2, 3} and 2 in failed
    assert (obs[:, 0] == 1).all()
    with pytest.raises(StateError, match="Reset it"):
        raising.step(actions())
    obs, _ = raising.reset()
    assert (obs[:, 0] == 0).all()
    assert (raising.step(actions())[0][:, 0] == 1).all()


def test_neighbours_of_a_killed_environment_are_told_apart(raising: Any) -> None:
    raising.reset()
    raising.send(np.array([KILL]), np.array([0]))
    with pytest.raises(WorkerError, match="in this environment"):
        raising.recv()
    # Environment 1 had nothing to do then, and has ended nevertheless.
    with pytest.raises(WorkerError, match="in a neighbour") as caught:
        raising.step(np.array([GO, GO, GO]), np.array([1, 2, 3]))
    assert [env_id for env_id, _ in caught.value.failures] == [1]
    assert set(raising.recv()[4]["env_id"]) == {2, 3}
    assert (raising.reset()[0][:, 0] == 0).all()


@pytest.mark.parametrize("action", [RAISE, KILL, HANG, CRASH])
def test_restart_truncates_the_row_and_goes_on(restarting: Any, action: int) -> None:
    obs, _ = restarting.reset()
    workers = set(obs[:, 1])
    restarting.step(actions())
    obs, reward, terminated, truncated, info = restarting.step(actions(env3=action))
    assert truncated[3] and not terminated.any() and not truncated[:2].any()
    # The row shows the values before; its info names the reason.
    assert obs[3, 0] == 1 and reward[3] == 0
    assert (obs[:2, 0] == 2).all() and (reward[:2] == 1).all()
    words = {RAISE: "the door", KILL: "SIGKILL", HANG: "_hang_inside", CRASH: "SIGSEGV"}
    assert info["_error"][3] and words[action] in info["error"][3]
    if action == HANG:
        assert "step_timeout=3" in info["error"][3]
    gone = truncated.copy()
    obs, _, _, truncated, info = restarting.step(actions())
    while truncated.any():  # a neighbor that was done is cut off one step later
        gone |= truncated
        obs, _, _, truncated, info = restarting.step(actions())
    obs = restarting.step(actions())[0]
    assert (obs[gone, 0] < 4).all() and (obs[~gone, 0] >= 4).all()
    assert (len(workers - set(obs[:, 1])) == 1) == (action != RAISE)


def test_restart_in_the_mode_same_step() -> None:
    with pool_of(on_error="restart", autoreset_mode="same_step") as pool:
        pool.reset()
        pool.step(actions())
        obs, _, _, truncated, info = pool.step(actions(env1=KILL))
        assert truncated[1] and info["_final_obs"][1]
        assert info["final_obs"][1, 0] == 1 and obs[1, 0] == 0
        assert "SIGKILL" in info["final_info"]["error"][1]


class Unlucky(Faulty):
    """Ends its process if a file says so: in `reset`, or while it is made."""

    def __init__(self, folder: Path, lasts: bool = False) -> None:
        super().__init__()
        self._folder, self._lasts = folder, lasts
        self._end_if("make")

    def reset(self, **given: Any) -> Any:
        self._end_if("reset")
        return super().reset(**given)

    def _end_if(self, name: str) -> None:
        path = self._folder / name
        if path.exists():
            if not self._lasts:
                path.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("autoreset_mode", ["next_step", "same_step"])
@pytest.mark.parametrize("when", ["reset", "make"])
def test_restart_repeats_a_reset_whose_worker_was_killed(
    when: str, autoreset_mode: str, tmp_path: Path
) -> None:
    make = functools.partial(Unlucky, tmp_path)
    options: Any = {"on_error": "restart", "autoreset_mode": autoreset_mode, "num_workers": 1}
    with envpool_python.make([make] * 2, **options) as pool:
        pool.reset()
        (tmp_path / when).touch()
        if when == "make":
            assert pool.step(np.array([KILL, GO]))[3][0]
            while (tmp_path / when).exists():
                pool.step(np.array([GO, GO]))
        else:
            assert (pool.reset()[0][:, 0] == 0).all()
        for _ in range(2):
            obs, _, _, truncated, _ = pool.step(np.array([GO, GO]))
        assert not truncated.any() and (obs[:, 0] > 0).all()


def test_restart_gives_up_a_reset_that_always_ends_the_worker(tmp_path: Path) -> None:
    make = functools.partial(Unlucky, tmp_path, lasts=True)
    with envpool_python.make([make], on_error="restart") as pool:
        pool.reset()
        (tmp_path / "reset").touch()
        with pytest.raises(WorkerError, match=r"in this environment: .*SIGKILL"):
            pool.reset()
        (tmp_path / "reset").unlink()
        assert pool.reset()[0][0, 0] == 0


def test_a_lone_environment_has_no_neighbour() -> None:
    with envpool_python.make([Faulty]) as pool:
        pool.reset()
        (worker,) = pool.compiled.workers.workers.values()
        os.kill(worker.pid, signal.SIGKILL)
        worker.has_ended(TIMEOUT)
        with pytest.raises(WorkerError, match=r"between two calls: .*SIGKILL"):
            pool.step(np.array([GO]))


@pytest.mark.parametrize("count", [1, 2])
def test_ctrl_c_in_close_leaves_a_pool_that_can_be_reset(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes while the parent waits for its workers to end, once or twice."""
    before = _children()
    with pool_of() as pool:
        pool.reset()
        left = [None] * count
        has_ended = ChildProcess.has_ended

        def interrupted(process: ChildProcess, timeout: float = 0.0) -> bool:
            if left:
                left.pop()
                raise KeyboardInterrupt
            return has_ended(process, timeout)

        monkeypatch.setattr(ChildProcess, "has_ended", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.close()
        assert (pool.reset()[0][:, 0] == 0).all()
        assert (pool.step(actions())[0][:, 0] == 1).all()
    assert not _children() - before


def test_a_worker_that_starts_does_not_hear_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal comes before its Python has started, and prints nothing."""
    real = subprocess.Popen

    def signalled(command: Any, **options: Any) -> Any:
        child = real(command, **options, stderr=subprocess.PIPE)
        os.kill(child.pid, signal.SIGINT)
        return child

    monkeypatch.setattr("envpool_python._process.subprocess.Popen", signalled)
    process = ChildProcess.spawn()
    assert process._child is not None and process._child.stderr is not None
    process.hang_up()
    assert process.has_ended(TIMEOUT)
    assert process._child.stderr.read() == b""
    process.release()
    process._child.stderr.close()


def test_a_launcher_that_answers_late_is_understood() -> None:
    """It is asked for a worker's exit status, and does not answer in time."""
    with pool_of(2) as pool:
        pool.reset()
        launcher = psutil.Process(pool.compiled.workers.launcher.pid)
        launcher.suspend()
        try:
            with pytest.raises(WorkerError, match="has ended"):
                pool.step(np.array([KILL, GO]))
        finally:
            launcher.resume()
        pool.recv()
        assert (pool.reset()[0][:, 0] == 0).all()
        assert (pool.step(np.array([GO, GO]))[0][:, 0] == 1).all()


class Unpaid(Faulty):
    """Has no reward."""

    def step(self, action: Any) -> Any:
        return (super().step(action)[0], None, False, False, {})


def test_what_is_no_reward_is_explained() -> None:
    with envpool_python.make([Unpaid]) as pool:
        pool.reset()
        with pytest.raises(WorkerError, match=r"env 0: the reward of step.*: got None, a NoneType"):
            pool.step(np.array([GO]))


class Stuck(Faulty):
    """Fails, and cannot be closed."""

    def close(self) -> None:
        raise OSError("the lid is stuck")


def test_what_fails_and_cannot_be_closed_is_made_anew() -> None:
    with envpool_python.make([Stuck]) as pool:
        pool.reset()
        with pytest.raises(WorkerError, match="the door is locked"):
            pool.step(np.array([RAISE]))
        assert pool.reset()[0][0, 0] == 0


def test_restarted_environments_are_seeded_and_do_not_repeat_themselves() -> None:
    runs = []
    for _ in range(2):
        with envpool.make(
            "python:CartPole-v1", num_envs=2, num_workers=1, on_error="restart", seed=3
        ) as pool:
            first, _ = pool.reset()
            (worker,) = pool.compiled.workers.workers.values()
            os.kill(worker.pid, signal.SIGKILL)
            worker.has_ended(TIMEOUT)
            for _ in range(3):
                obs, *_ = pool.step(np.zeros(2, np.int64))
            runs.append((first, obs))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(*runs[0])


def test_no_process_is_left_by_close_or_by_dropping_a_pool() -> None:
    before = _children()
    pool = pool_of()
    pool.reset()
    assert len(_children() - before) == 3
    pool.close()
    assert not _children() - before
    pool.reset()
    assert len(_children() - before) == 3
    del pool
    assert not _children() - before


def _children() -> set[psutil.Process]:
    """All child processes, including zombies."""
    return set(psutil.Process().children(recursive=True))


PROGRAM = """
import envpool_python, numpy as np, os, psutil, sys
sys.path.insert(0, {tests!r})
from faulty import Faulty, HANG
pool = envpool_python.make([Faulty] * 4, num_workers=2, start_method={method!r})
pool.reset()
print(*(child.pid for child in psutil.Process().children(recursive=True)), flush=True)
{then}
"""


def start(method: str, then: str) -> tuple[subprocess.Popen[str], list[psutil.Process]]:
    code = PROGRAM.format(tests=str(Path(__file__).parent), method=method, then=then)
    # Its input stays open: at end of file it would end by itself, and not be killed.
    pipe = subprocess.PIPE
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )
    assert program.stdout is not None
    children = [psutil.Process(int(pid)) for pid in program.stdout.readline().split()]
    assert len(children) >= 2
    return program, children


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
@pytest.mark.parametrize("then", ["input()", "pool.step(np.full(4, HANG))"])
def test_a_killed_parent_leaves_no_process_and_no_memory(method: str, then: str) -> None:
    program, children = start(method, then)
    program.kill()
    program.communicate(timeout=TIMEOUT)
    _, alive = psutil.wait_procs(children, timeout=TIMEOUT)
    assert not alive
    # The memory never had a name: only a process that maps it could keep it.
    assert not list(Path("/dev/shm").glob("*envpool*"))


MAKING = """
import envpool_python, os, sys
sys.path.insert(0, {tests!r})
from faulty import Faulty
class Slow(Faulty):
    def __init__(self):
        with open({fifo!r}, "w") as fifo:
            fifo.write(str(os.getpid()))
        self._hang_inside()
envpool_python.make([Slow] * 2, start_method={method!r})
"""


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_a_parent_that_is_killed_while_it_makes_environments_leaves_no_process(
    method: str, tmp_path: Path
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    code = MAKING.format(tests=str(Path(__file__).parent), fifo=str(fifo), method=method)
    program = subprocess.Popen([sys.executable, "-c", code])
    maker = psutil.Process(int(fifo.read_text()))
    children = psutil.Process(program.pid).children(recursive=True)
    assert maker in children
    program.kill()
    program.wait(TIMEOUT)
    _, alive = psutil.wait_procs(children, timeout=TIMEOUT)
    assert not alive


def test_ctrl_c_is_the_parents() -> None:
    then = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in a job of a script
print("ready", flush=True)
try:
    pool.step(np.full(4, HANG))
except KeyboardInterrupt:
    print("interrupted", pool.compiled.num_in_flight, flush=True)
pool.close()
print("closed", flush=True)
"""
    program, children = start("forkserver", then)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    everybody = [program.pid, *(child.pid for child in children)]  # as a terminal does
    stop = threading.Event()

    def press() -> None:
        while not stop.wait(0.5):  # the first may come before the step
            for pid in everybody:
                if psutil.pid_exists(pid):
                    os.kill(pid, signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    line = program.stdout.readline()
    stop.set()
    thread.join()
    rest, errors = program.communicate(timeout=TIMEOUT)
    assert (line, rest) == ("interrupted 4\n", "closed\n"), errors


@pytest.mark.parametrize("moment", ["_dump_traceback", "_read_log", "kill", "has_ended"])
def test_ctrl_c_while_a_hung_worker_is_killed(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """It arrives during the kill: the worker and the program end nevertheless."""
    with pool_of(step_timeout=1.0) as pool:
        pool.reset()
        hung = psutil.Process(pool.compiled.workers.workers[0].pid)
        process_type = type(pool.compiled.workers.workers[0])
        original = getattr(process_type, moment)
        pressed = []

        def press(self: Any, *arguments: Any) -> Any:
            if not pressed:
                pressed.append(True)
                signal.raise_signal(signal.SIGINT)
            return original(self, *arguments)

        monkeypatch.setattr(process_type, moment, press)
        with pytest.raises(KeyboardInterrupt):
            pool.step(actions(env0=HANG))
        assert pressed
        hung.wait(TIMEOUT)
        assert (pool.reset()[0][:, 0] == 0).all()
        assert (pool.step(actions())[0][:, 0] == 1).all()


def test_ctrl_c_while_a_worker_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pool_of() as pool:
        pool.reset()
        with pytest.raises(WorkerError):
            pool.step(actions(env0=KILL))
        group_type = type(pool.compiled.workers)
        original = group_type._new_process

        def press(self: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            return original(self)

        monkeypatch.setattr(group_type, "_new_process", press)
        with pytest.raises(KeyboardInterrupt):
            pool.reset()
        monkeypatch.undo()
        assert (pool.reset()[0][:, 0] == 0).all()
        assert (pool.step(actions())[0][:, 0] == 1).all()


def test_what_cannot_be_pickled_is_explained() -> None:
    lock = threading.Lock()
    with pytest.raises(ConfigError, match=r"cannot be pickled.*lock") as caught:
        envpool_python.make([lambda: (Faulty(), lock)])
    assert "inside the function" in str(caught.value)


def test_an_environment_that_cannot_be_made_is_explained() -> None:
    before = _children()

    def broken() -> Any:
        raise ValueError("no map of this name")

    with pytest.raises(WorkerError, match=r"ValueError: no map of this name.*env 0") as caught:
        envpool_python.make([broken])
    assert caught.value.env_id == 0
    with pytest.raises(WorkerError, match=r"no map of this name.*env 2"):
        envpool_python.make([Faulty, Faulty, broken, Faulty])
    with pytest.raises(WorkerError, match="exit status 3"):
        envpool_python.make([lambda: os._exit(3)])
    with pytest.raises(WorkerError, match=r"TypeError.*has no 'reset'"):
        envpool_python.make([lambda: 5])
    assert not _children() - before


def test_memory_that_the_system_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise RuntimeError("shared memory: Cannot allocate memory")

    monkeypatch.setattr("envpool_python._env._python.make_file", refuse)
    with pytest.raises(ConfigError, match=r"num_envs=2.*Cannot allocate memory.*ulimit -v"):
        envpool.make("python:CartPole-v1", num_envs=2)
