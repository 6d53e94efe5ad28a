# SPDX-License-Identifier: Apache-2.0
"""What `envpool bench --vs` compares with: the same task, as Gymnasium, ALE or upstream has it."""

from __future__ import annotations

import enum
import importlib
import json
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import ConfigError, MissingPackageError

_WORKER = Path(__file__).with_name("_upstream_worker.py")
_PATIENCE = 60  # seconds for the other Python to answer, beside what it measures
# Where Gymnasium has a task, in order: a module that registers ids, and what they look like.
_IDS = (("", "{}"), ("ale_py", "ALE/{}"), ("vizdoom.gymnasium_wrapper", "Vizdoom{}"))


class Peer(str, enum.Enum):
    """What a pool can be compared with."""

    GYMNASIUM = "gymnasium"
    ALE = "ale"
    ENVPOOL = "envpool"


class Envs:
    """Environments of a peer.

    Attributes:
        name: What they are called in tables.
        envs: A vector environment of this process; None if they are in another.
    """

    def __init__(self, name: str, envs: Any, close: Callable[[], object]) -> None:
        """Keeps them, and how they are closed."""
        self.name = name
        self.envs = envs
        self.close = close


def gymnasium_envs(task_id: str, num_envs: int, num_threads: int) -> Envs:
    """Gymnasium's fastest within a process: its own vectorised version, else one after another.

    Raises:
        ConfigError: If Gymnasium does not have the task, under none of the names that it may have.
    """
    import gymnasium

    for module, pattern in _IDS:
        name = pattern.format(task_id)
        with suppress(ImportError):
            if module:
                importlib.import_module(module)
        if name in gymnasium.registry:
            break
    else:
        tried = ", ".join(repr(pattern.format(task_id)) for _, pattern in _IDS)
        raise ConfigError(
            f"bench {task_id} --vs gymnasium",
            f"a task that Gymnasium has under none of these ids: {tried}",
            "tasks of Gymnasium, of ale-py and of vizdoom, if that is installed",
            "Use --vs envpool, or leave --vs out",
        )
    # ALE's environments are the only ones with threads of their own.
    options: dict[str, Any] = {"num_threads": num_threads} if name.startswith("ALE/") else {}
    try:
        envs: Any = gymnasium.make_vec(name, num_envs=num_envs, **options)
    except (gymnasium.error.Error, ImportError) as error:
        raise ConfigError(
            f"bench {task_id} --vs gymnasium",
            f"{type(error).__name__}: {error}",
            "tasks that this Gymnasium can make",
            "Install what the text names, for instance with `pip install "
            "'gymnasium[mujoco,box2d]'`, or leave --vs out",
        ) from error
    return Envs(type(envs.unwrapped).__name__, envs, envs.close)


def ale_envs(task_id: str, num_envs: int, num_threads: int, task: Any) -> Envs:
    """ALE's own vector environment of a game.

    Raises:
        ConfigError: If the task is no game of Atari.
        MissingPackageError: If ale-py is not installed.
    """
    game = task.defaults.get("task")
    if not isinstance(game, str) or not task.env.startswith("envpool_atari."):
        raise ConfigError(
            f"bench {task_id} --vs ale",
            "a task that is no game of Atari",
            "games, as Pong-v5",
            "Use --vs gymnasium or --vs envpool",
        )
    try:
        ale: Any = importlib.import_module("ale_py.vector_env")
    except ImportError as cause:
        raise MissingPackageError(
            f"bench {task_id} --vs ale",
            f"no ale-py ({cause})",
            "a Python that has ale-py",
            "Run `pip install ale-py`",
        ) from cause
    envs = ale.AtariVectorEnv(game, num_envs=num_envs, num_threads=num_threads)
    return Envs("AtariVectorEnv", envs, envs.close)


class Upstream(Envs):
    """A pool of upstream's distribution, in the process of a Python that has it.

    Two distributions with the import name `envpool` cannot be in one.
    """

    def __init__(self, python: str, task_id: str, config: dict[str, Any]) -> None:
        """Starts the process and has it make the pool.

        Args:
            python: A Python that has upstream's distribution.
            task_id: What it makes.
            config: With which options.

        Raises:
            ConfigError: If there is no such Python, or it cannot make the task.
        """
        self._asked = f"bench {task_id} --vs envpool --peer-python {python}"
        try:
            # -I: that Python looks for modules neither here nor where variables say.
            self._process = subprocess.Popen(
                [python, "-I", str(_WORKER), json.dumps({"task_id": task_id, "config": config})],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        except OSError as error:
            raise self._error(str(error)) from error
        version = self._read()["version"]
        super().__init__(f"envpool {version}", None, self._close)

    def run(self, seconds: float) -> dict[str, Any]:
        """Has it step for so long; returns the fields of a Round.

        Raises:
            ConfigError: If it ends before it answers.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        complaint = self._process.communicate(timeout=_PATIENCE)[1].strip()
        raise self._error(complaint.splitlines()[-1] if complaint else "a program that ended")

    def _error(self, got: str) -> ConfigError:
        return ConfigError(
            self._asked,
            got,
            "a Python that has upstream's distribution, which has this task",
            "Make one: `python -m venv upstream; upstream/bin/pip install envpool`, and pass "
            "--peer-python upstream/bin/python",
        )

    def _close(self) -> None:
        if self._process.poll() is None:
            self._process.communicate(timeout=_PATIENCE)  # the end of its input ends it
