# SPDX-License-Identifier: Apache-2.0
"""A family without a compiled module: the classes that `envpool::Register` would add, in Python.

It keeps the contract of `envpool.typing` and is slow. Its environment counts: the observation is
`[seed, n]`, the reward `n`, and an episode ends when `n` reaches the option `goal`. `CounterEnv` is
the same as a Gymnasium environment.
"""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
from envpool import pixels
from envpool._version import API_VERSION
from envpool.errors import EnvIdError, StateError
from envpool.pool_backend import EnvBackend, PoolBackend

COMMON_CONFIG = {
    "num_envs": 1,
    "batch_size": 0,
    "num_threads": 0,
    "max_num_players": 1,
    "thread_affinity_offset": -1,
    "base_path": "",
    "seed": 42,
    "env_seed": [],
    "gym_reset_return_info": True,
    "max_episode_steps": 2**31 - 1,
}
INT, PLAYER_INT, PLAYER_FLOAT = ("int32", ()), ("int32", (-1,)), ("float32", (-1,))
COMMON_STATE = {
    "info:env_id": INT,
    "info:players.env_id": PLAYER_INT,
    "elapsed_step": INT,
    "done": ("bool", ()),
    "reward": PLAYER_FLOAT,
    "discount": PLAYER_FLOAT,
    "step_type": INT,
    "trunc": ("bool", ()),
    "terminated": ("bool", ()),
}
COMMON_ACTION = {"env_id": INT, "players.env_id": PLAYER_INT}
# The ranges of include/envpool/env_spec.h.
OPTION_RANGES = {
    "num_envs": (1, 2**24),
    "batch_size": (0, 2**24),
    "num_threads": (0, 4096),
    "max_num_players": (1, 2**16),
    "thread_affinity_offset": (-1, 2**16),
    "max_episode_steps": (1, 2**31 - 1),
}


def raw_array(
    name, dtype, shape, low=None, high=None, dynamic=False, inner_shape=(), own=True,
    categorical=False,
):  # fmt: skip
    """One array as the compiled side describes it."""
    dtype = np.dtype(dtype)
    if low is None:
        low = -np.inf if dtype.kind == "f" else 0 if dtype.kind == "b" else np.iinfo(dtype).min
        high = np.inf if dtype.kind == "f" else 1 if dtype.kind == "b" else np.iinfo(dtype).max
    low, high = (np.asarray(bound).astype(dtype) for bound in (low, high))
    return name, dtype, tuple(shape), low, high, dynamic, tuple(inner_shape), own, categorical


class FakeEnvType(EnvBackend):
    """A compiled module's object for an environment, with given arrays and options."""

    compiler = "none"
    renders = True
    saves = True
    option_ranges = OPTION_RANGES

    def __init__(
        self, name="Counter", state=None, action=None, config=None, api_version=API_VERSION
    ):
        self.name = name
        self.api_version = api_version
        self.config = {"goal": 3, "reward_threshold": 1.5, "scale": 1.0, "title": "a"}
        self.config |= {"is_fast": False, "sizes": [1, 2], "nested.key": 7} | (config or {})
        self.state = state or [
            raw_array("obs", "float32", (2,)),
            raw_array("info:total", "int64", ()),
            raw_array("info:deep.half", "float64", ()),
        ]
        self.action = action or [raw_array("action", "int32", (-1,), 0, 1)]
        self.pools = []

    def default_config(self):
        return COMMON_CONFIG | self.config

    def describe(self, config):
        state = [raw_array(name, *spec, own=False) for name, spec in COMMON_STATE.items()]
        action = [raw_array(name, *spec, own=False) for name, spec in COMMON_ACTION.items()]
        return dict(config), state + self.state, action + self.action

    def make(self, config, task_id, autoreset_mode):
        pool = FakePool(self, config, task_id, autoreset_mode)
        self.pools.append(pool)
        return pool


class FakePool(PoolBackend):
    """A pool in Python, one environment after the other."""

    closed, num_threads, task_id, last_ids = False, 1, "", None

    def __init__(self, env_type, config, task_id, autoreset_mode):
        self.config, self.task_id, self.mode = config, task_id, autoreset_mode
        self.names = [array[0] for array in env_type.describe(config)[1]]
        self.calls = []
        self.closed = False
        self.num_threads = config["num_threads"] or 1
        self.ready = []
        self.last_ids = None
        seeds = config["env_seed"] or [config["seed"] + i for i in range(config["num_envs"])]
        self.envs = [{"seed": seed, "n": 0, "total": 0, "over": True} for seed in seeds]

    def set_result_layouts(self, step, reset):
        self.step_layout, self.reset_layout = step, reset

    def _ids(self, env_id):
        if env_id is None:
            return list(range(len(self.envs)))
        ids = np.atleast_1d(np.asarray(env_id)).tolist()
        if any(not 0 <= i < len(self.envs) for i in ids):
            raise EnvIdError(f"env id {ids}")
        return ids

    def _reset_env(self, env, seed=None):
        if seed is not None:
            env["seed"], env["total"] = seed, 0
        env["n"], env["over"] = 0, False

    def _columns(self, i, first):
        env = self.envs[i]
        terminated = env["n"] >= self.config["goal"]
        truncated = not first and env["n"] >= self.config["max_episode_steps"]
        done = terminated or truncated
        values = {
            "info:env_id": i,
            "info:players.env_id": i,
            "elapsed_step": env["n"],
            "done": done,
            "reward": float(env["n"]),
            "discount": float(not terminated),
            "step_type": 0 if first else 2 if done else 1,
            "trunc": truncated,
            "terminated": terminated,
            "obs": [env["seed"], env["n"]],
            "info:total": env["total"],
            "info:deep.half": env["n"] / 2,
        }
        return [values.get(name, 0) for name in self.names]

    def _step_env(self, i):
        env = self.envs[i]
        if env["over"]:
            if self.mode == "disabled":
                raise StateError(f"env {i} is over")
            self._reset_env(env)
            return self._columns(i, True), self._columns(i, True)
        env["n"] += 1
        env["total"] += 1
        last = self._columns(i, False)
        env["over"] = last[3]
        if not (env["over"] and self.mode == "same_step"):
            return last, [0] * len(last)
        self._reset_env(env)
        row = self._columns(i, True)
        row[3:9] = last[3:9]
        return row, last

    def _build(self, layout, rows):
        if isinstance(layout, dict):
            return {key: self._build(leaf, rows) for key, leaf in layout.items()}
        if isinstance(layout, tuple):
            return tuple(self._build(leaf, rows) for leaf in layout)
        if isinstance(layout, list):
            return layout[0](*(self._build(leaf, rows) for leaf in layout[1:]))
        if layout == "*":
            return np.ones(len(rows), np.bool_)
        final = layout.startswith("final ")
        name = layout.removeprefix("final ")
        column = self.names.index(name)
        dtype = {"obs": "float32", "info:total": "int64", "info:deep.half": "float64"}.get(name)
        dtype = dtype or COMMON_STATE.get(name, ("float32",))[0]
        zero = [0, 0] if name == "obs" else 0
        return np.array([row[final][column] or zero for row in rows], dtype)

    def _take(self, reset):
        size = self.config["batch_size"]
        if len(self.ready) < (size if size < len(self.envs) else 1):
            raise StateError("too few results in flight")
        size = size if size < len(self.envs) else len(self.ready)
        rows, self.ready = self.ready[:size], self.ready[size:]
        self.last_ids = [row[0][0] for row in rows]
        return self._build(self.reset_layout if reset else self.step_layout, rows)

    def send(self, action, env_id=None):
        self.calls.append(("send", action, env_id))
        if self.closed:
            raise StateError("closed")
        if isinstance(action, dict) and env_id is None:
            env_id = action.get("env_id")
        if env_id is None and self.config["batch_size"] < len(self.envs):
            env_id = self.last_ids
        self.ready += [self._step_env(i) for i in self._ids(env_id)]

    def recv(self, reset=False, timeout=None):
        self.calls.append(("recv", reset, timeout))
        return self._take(reset)

    def step(self, action, env_id=None):
        self.send(action, env_id)
        return self._take(False)

    def async_reset(self, env_id=None, seed=None):
        self.calls.append(("reset", env_id, seed))
        self.closed = False
        for k, i in enumerate(self._ids(env_id)):
            new = seed if seed is None else seed + i if np.ndim(seed) == 0 else seed[k]
            self._reset_env(self.envs[i], new)
            self.ready.append((self._columns(i, True), self._columns(i, True)))

    def reset(self, env_id=None, seed=None):
        self.async_reset(env_id, seed)
        return self._take(True)

    def render(self, env_ids, width, height, camera_id):
        self.calls.append(("render", env_ids, width, height, camera_id))
        frames = np.zeros((len(env_ids), height or 4, width or 6, 3), np.uint8)
        frames[..., 0] = env_ids[:, None, None]
        frames[..., 2] = 9
        return frames

    def save_state(self, env_ids):
        return [pickle.dumps(self.envs[i]) for i in env_ids]

    def load_state(self, states, env_ids):
        for state, i in zip(states, env_ids, strict=True):
            self.envs[i] = pickle.loads(state)

    def close(self):
        self.closed = True


class CounterEnv(gymnasium.Env):
    """The environment of the family as Gymnasium would have it."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, seed, goal=3, max_episode_steps=2**31 - 1):
        self.seed, self.goal, self.limit, self.total = seed, goal, max_episode_steps, 0

    def _result(self):
        info = {"total": np.int64(self.total), "deep": {"half": self.n / 2}}
        return np.array([self.seed, self.n], np.float32), info | {"elapsed_step": np.int32(self.n)}

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.seed, self.total = seed, 0
        self.n = 0
        return self._result()

    def step(self, action):
        self.n += 1
        self.total += 1
        obs, info = self._result()
        return obs, float(self.n), self.n >= self.goal, self.n >= self.limit, info


COUNTER = FakeEnvType()
QUIET = FakeEnvType("Quiet")
QUIET.renders = QUIET.saves = False
IMAGES = FakeEnvType("Images", config={"frame_stack": 1, "render_width": 84, "render_height": 84})
OLD = FakeEnvType("Old", api_version=0)
NEW = FakeEnvType("New", api_version=99)
NESTED = FakeEnvType(
    "Nested",
    action=[
        raw_array("move", "int32", (-1,), 0, 3),
        raw_array("players.aim", "float32", (-1, 2), -1, 1),
    ],
)


def no_env():
    """An object that is no environment."""


def images(task, options, build):
    """The hook envpool_prepare of a family with images as observations."""
    return pixels.prepare(task, options, "fake_family:IMAGES")
