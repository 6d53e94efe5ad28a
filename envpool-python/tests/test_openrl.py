# SPDX-License-Identifier: Apache-2.0
"""OpenRL's documentation of its package `vec_env`, method by method."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError, EnvPoolError, RenderError, StateError, WorkerError
from envpool_python.openrl import (
    AlreadyPendingCallError,
    AsyncState,
    AsyncVectorEnv,
    BaseReward,
    BaseVecEnv,
    ClosedEnvironmentError,
    EpisodeInfo,
    NoAsyncCallError,
    PoolVecEnv,
    RewardWrapper,
    SyncVectorEnv,
    TimeoutError,
    VecEnvWrapper,
    VecMonitorWrapper,
)
from gated import Gated
from gymnasium.wrappers import TimeLimit, TransformReward
from gymnasium.wrappers.vector import RecordEpisodeStatistics

NUM_ENVS = 3
TIMEOUT = 60.0


class Shop(gymnasium.Env[Any, Any]):
    """A CartPole with things that can be asked for."""

    def __init__(self) -> None:
        self._inner = gymnasium.make("CartPole-v1").unwrapped
        self.observation_space = self._inner.observation_space
        self.action_space = self._inner.action_space
        self.price = 7
        self.order: Any = None
        self.agent_num = 2
        self.metadata = {"render_modes": ["rgb_array"]}
        self.render_mode = "rgb_array"

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.order = options
        return self._inner.reset(seed=seed)

    def step(self, action: Any) -> Any:
        obs, reward, terminated, truncated, _ = self._inner.step(action)
        return obs, reward, terminated, truncated, {"price": self.price}

    def sell(self, count: int, discount: int = 0) -> int:
        if count < 0:
            raise ValueError("nothing to sell")
        return self.price * count - discount

    def render(self) -> Any:
        return np.full((2, 3, 3), self.price, np.uint8)


def make_shop() -> Any:
    return TimeLimit(Shop(), 12)


@pytest.fixture(scope="module")
def made() -> Iterator[dict[str, BaseVecEnv]]:
    kinds = {
        "async": AsyncVectorEnv([make_shop] * NUM_ENVS, num_workers=2, render_mode="rgb_array"),
        "sync": SyncVectorEnv([make_shop] * NUM_ENVS, render_mode="rgb_array"),
    }
    yield kinds
    for env in kinds.values():
        env.close()


@pytest.fixture(params=["async", "sync"])
def env(request: pytest.FixtureRequest, made: dict[str, BaseVecEnv]) -> BaseVecEnv:
    return made[request.param]


@pytest.fixture
def workers(made: dict[str, BaseVecEnv]) -> Any:
    return made["async"]


def test_base(env: BaseVecEnv) -> None:
    assert isinstance(env, BaseVecEnv)
    assert env.parallel_env_num == len(env) == NUM_ENVS
    assert env.observation_space.shape == (4,) and env.action_space == gymnasium.spaces.Discrete(2)
    assert env.env_name == "Shop" and env.agent_num == 2
    assert env.unwrapped is env and not env.closed and env.auto_reset
    assert "group_rgb_array" in env.metadata["render.modes"]
    with pytest.raises(TypeError, match="abstract"):
        BaseVecEnv(1, env.observation_space, env.action_space)  # type: ignore[abstract]


def test_both_kinds_are_equal(made: dict[str, BaseVecEnv]) -> None:
    rng = np.random.default_rng(0)
    results = [env.reset(seed=5) for env in made.values()]
    np.testing.assert_array_equal(results[0][0], results[1][0])
    assert results[0][1] == [{"elapsed_step": 0}] * NUM_ENVS and results[1][1] == [{}] * NUM_ENVS
    seen = 0
    for _ in range(40):
        actions = rng.integers(0, 2, NUM_ENVS)
        (obs, rewards, dones, infos), theirs = (env.step(actions) for env in made.values())
        for one, other in zip((obs, rewards, dones), theirs[:3], strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        for info, other in zip(infos, theirs[3], strict=True):
            assert info["price"] == 7 if "price" in info else "final_info" in info
            assert ("final_observation" in info) == ("final_observation" in other)
            assert info.get("TimeLimit.truncated") == other.get("TimeLimit.truncated")
            if "final_observation" in info:
                seen += 1
                np.testing.assert_array_equal(info["final_observation"], other["final_observation"])
                assert info["final_info"]["price"] == other["final_info"]["price"] == 7
    assert seen > NUM_ENVS


def test_step_send_and_fetch(env: BaseVecEnv) -> None:
    env.reset_send(seed=[3, 4, 5])
    obs, infos = env.reset_fetch()
    assert obs.shape == (NUM_ENVS, 4) and len(infos) == NUM_ENVS
    env.step_send(np.zeros(NUM_ENVS, np.int64))
    obs, rewards, terminated, truncated, infos = env.step_fetch()
    assert (rewards == 1).all() and terminated.dtype == truncated.dtype == np.bool_
    assert [info["price"] for info in infos] == [7] * NUM_ENVS


def test_states_and_errors_in_the_wrong_order(env: Any) -> None:
    workers = env
    workers.reset()
    assert workers._state is AsyncState.DEFAULT
    assert [state.value for state in AsyncState] == ["default", "reset", "step", "call"]
    actions = np.zeros(NUM_ENVS, np.int64)
    fetches = {
        "reset": workers.reset_fetch,
        "step": workers.step_fetch,
        "call": workers.call_fetch,
    }
    sends = {
        "reset": workers.reset_send,
        "step": lambda: workers.step_send(actions),
        "call": lambda: workers.call_send("price"),
        "exec_func": lambda: workers.exec_func_send(len, None),
        "set_attr": lambda: workers.set_attr("price", 7),
        "render": lambda: workers.render(),
    }
    for what, fetch in fetches.items():
        with pytest.raises(NoAsyncCallError, match=f"{what}_fetch.*Call {what}_send") as error:
            fetch()
        assert error.value.name == what
        assert isinstance(error.value, (gymnasium.error.NoAsyncCallError, EnvPoolError))
    with pytest.raises(NoAsyncCallError):
        workers.exec_func_fetch()
    for what in ("reset", "step", "call"):
        sends[what]()
        assert workers._state is AsyncState[f"WAITING_{what.upper()}"]
        for send in sends.values():
            with pytest.raises(AlreadyPendingCallError, match=f"pending {what}") as pending:
                send()
            assert pending.value.name == what
            assert isinstance(pending.value, gymnasium.error.AlreadyPendingCallError)
        for other, fetch in fetches.items():
            if other != what:
                with pytest.raises(NoAsyncCallError):
                    fetch()
        fetches[what]()
        assert workers._state is AsyncState.DEFAULT


def test_reset_cancels_a_step(env: BaseVecEnv) -> None:
    first, _ = env.reset(seed=1)
    env.step_send(np.zeros(NUM_ENVS, np.int64))
    again, _ = env.reset(seed=1)
    np.testing.assert_array_equal(first, again)
    with pytest.raises(NoAsyncCallError):
        env.step_fetch()


def test_options_of_reset(env: BaseVecEnv) -> None:
    env.reset(seed=3, options={"sale": [1, 2]})
    assert env.get_attr("order") == [{"sale": [1, 2]}] * NUM_ENVS
    env.step_send(np.zeros(NUM_ENVS, np.int64))
    env.reset(options={"sale": 3})  # the step is cancelled
    assert env.get_attr("order") == [{"sale": 3}] * NUM_ENVS
    env.reset_send(options={"sale": "all"})
    env.reset_fetch()
    assert env.get_attr("order") == [{"sale": "all"}] * NUM_ENVS
    env.reset()
    assert env.get_attr("order") == [None] * NUM_ENVS


def test_calls(env: BaseVecEnv) -> None:
    assert env.call("sell", 2) == [14] * NUM_ENVS
    assert env.call("sell", 2, discount=1) == [13] * NUM_ENVS
    assert env.call("price") == env.get_attr("price") == [7] * NUM_ENVS
    env.call_send("sell", 3)
    assert env.call_fetch() == [21] * NUM_ENVS
    assert list(env.exec_func(lambda one, x: one.unwrapped.price + x, None, 5)) == [12] * NUM_ENVS
    assert list(env.exec_func(lambda one: 1, [2])) == [1] and len(env.exec_func(repr, 0)) == 1
    env.exec_func_send(lambda one, *, x: x, [0, 1], x="y")
    assert env.exec_func_fetch() == ["y", "y"]
    with pytest.raises(IndexError, match=r"0 \.\. 2"):
        env.exec_func(repr, [NUM_ENVS])


def test_what_a_call_raises_comes_back(workers: Any) -> None:
    with pytest.raises(WorkerError, match=r"(?s)ValueError: nothing to sell.*in sell") as error:
        workers.call("sell", -1)
    assert error.value.env_id in range(NUM_ENVS)
    assert workers.call("sell", 1) == [7] * NUM_ENVS
    with pytest.raises(ConfigError, match="cannot be pickled"):
        workers.call("sell", multiprocessing.Lock())


def test_set_attr(env: BaseVecEnv) -> None:
    env.set_attr("price", 9)
    assert env.get_attr("price") == [9] * NUM_ENVS
    env.set_attr("price", [1, 2, 3])
    assert env.get_attr("price") == [1, 2, 3] and env.call("sell", 2) == [2, 4, 6]
    with pytest.raises(ValueError, match="got 2 values"):
        env.set_attr("price", (1, 2))
    env.set_attr("price", (7, 7, 7))


def test_env_is_wrapped(env: BaseVecEnv) -> None:
    assert env.env_is_wrapped(TimeLimit) == [True] * NUM_ENVS
    assert env.env_is_wrapped(TransformReward, [1]) == [False]
    assert env.env_is_wrapped(TimeLimit, 2) == [True]


def test_random_action(env: BaseVecEnv) -> None:
    actions = env.random_action()
    assert actions.shape == (NUM_ENVS,) and env.action_space.contains(actions[0])
    masks = [{"action_masks": [0, 1]}, {"action_masks": np.array([1, 0])}, {}]
    for _ in range(8):
        assert env.random_action(masks)[:2].tolist() == [1, 0]


def test_seed(env: BaseVecEnv) -> None:
    assert env.seed(5) == [5, 6, 7]
    first, _ = env.reset()
    again, _ = env.reset(seed=5)
    np.testing.assert_array_equal(first, again)
    assert env.seed() == [None] * NUM_ENVS
    assert env.seed([9, 4, 5]) == [9, 4, 5]
    first, _ = env.reset()
    again, _ = env.reset(seed=[9, 4, 5])
    np.testing.assert_array_equal(first, again)
    for call in (lambda: env.seed([1, 2]), lambda: env.reset(seed=[1, 2])):
        with pytest.raises(ConfigError, match="got 2 seeds"):
            call()


def test_render(env: BaseVecEnv) -> None:
    env.reset()
    assert env.render().shape == (2, 3, 3) and (env.render("rgb_array") == 7).all()
    frame = env.render("group_rgb_array")
    assert frame.shape == (4, 6, 3) and (frame[2:, 3:] == 0).all() and (frame[:2] == 7).all()
    np.testing.assert_array_equal(env.render("single_rgb_array"), env.render())
    with pytest.raises(RenderError, match=r"got 'ansi'.*'group_rgb_array'"):
        env.render("ansi")


def test_windows(env: BaseVecEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Window:
        def __init__(self, title: str) -> None:
            assert "Shop" in title

        def show(self, frame: Any) -> None:
            shown.append(frame.shape)

    monkeypatch.setattr("envpool_python.openrl.base_venv.Viewer", Window)
    monkeypatch.setattr(env, "_viewer", None)
    env.reset()
    for mode in ("human", "single_human", "group_human"):
        assert env.render(mode) is None
    assert shown == [(2, 3, 3), (2, 3, 3), (4, 6, 3)]


def test_timeouts(tmp_path: Any) -> None:
    gate = tmp_path / "gate"
    env = AsyncVectorEnv([lambda: Gated(str(gate))])
    env.reset_send()
    env.reset_fetch(timeout=TIMEOUT)
    env.step_send(np.zeros(1, np.int64))
    with pytest.raises(TimeoutError, match="nothing was lost") as error:
        env.step_fetch(timeout=0.02)
    assert isinstance(error.value, (multiprocessing.TimeoutError, OSError, StateError))
    gate.touch()
    assert env.step_fetch(timeout=TIMEOUT)[0].shape == (1, 1)
    env.call_send("step", 0)
    with pytest.raises(TimeoutError):
        env.call_fetch(timeout=0.02)
    gate.touch()
    assert len(env.call_fetch(timeout=TIMEOUT)) == 1
    env.step_send(np.zeros(1, np.int64))
    with pytest.raises(TimeoutError, match="close"):
        env.close(timeout=0.02)
    assert env.closed
    env.close()


@pytest.mark.parametrize("make", [AsyncVectorEnv, SyncVectorEnv])
def test_a_closed_environment_says_so(make: Any) -> None:
    env = make([make_shop])
    env.reset()
    env.close(terminate=True)
    assert env.closed
    for call in (
        lambda: env.reset_send(),
        lambda: env.step_send(np.zeros(1, np.int64)),
        lambda: env.call_send("price"),
        lambda: env.reset_fetch(),
        lambda: env.step_fetch(),
        lambda: env.call_fetch(),
        lambda: env.exec_func_fetch(),
    ):
        with pytest.raises(ClosedEnvironmentError, match="was closed") as error:
            call()
        assert isinstance(error.value, gymnasium.error.ClosedEnvironmentError)


def test_arguments_of_async_vector_env() -> None:
    shop = Shop()
    env = AsyncVectorEnv(
        [make_shop],
        shop.observation_space,
        shop.action_space,
        True,
        False,
        "spawn",
        False,
        None,
        "rgb_array",
        False,
    )
    env.reset()
    over = False
    while not over:  # without automatic reset the last observation stays, and a step is refused
        _, _, dones, infos = env.step(np.zeros(1, np.int64))
        over = bool(dones[0])
        assert "final_observation" not in infos[0]
    with pytest.raises(StateError, match="Reset it"):
        env.step(np.zeros(1, np.int64))
    env.close()
    for make in (AsyncVectorEnv, SyncVectorEnv):
        with pytest.raises(ConfigError, match=r"render_mode='group_rgb'.*Did you mean"):
            make([make_shop], render_mode="group_rgb")
    with pytest.raises(ConfigError, match="forkserver"):
        AsyncVectorEnv([make_shop], context="fork")
    with pytest.raises(ConfigError, match="action_space"):
        AsyncVectorEnv([make_shop], action_space=gymnasium.spaces.Discrete(3))


def generous(
    index: int,
    env_fn: Any,
    pipe: Any,
    parent_pipe: Any,
    shared_memory: Any,
    error_queue: Any,
    auto_reset: bool,
) -> None:
    """A worker function as OpenRL's, with every reward index + 2."""
    parent_pipe.close()
    assert shared_memory is None
    env = env_fn()
    try:
        while True:
            command, data = pipe.recv()
            answer: Any = None
            if command == "reset":
                answer = env.reset(**data)
            elif command == "step":
                obs, _, terminated, truncated, info = env.step(data)
                if auto_reset and (terminated or truncated):
                    last = {"final_observation": obs, "final_info": info}
                    obs, info = env.reset()
                    info = {**info, **last, "by": index}
                answer = obs, index + 2, terminated, truncated, info
            elif command == "_call":
                name, args, kwargs = data
                found = env.get_wrapper_attr(name)
                answer = found(*args, **kwargs) if callable(found) else found
            elif command == "_setattr":
                setattr(env.unwrapped, *data)
            elif command == "_func_exec":
                func, _, args, kwargs = data
                answer = func(env, *args, **kwargs)
            pipe.send((answer, True))
            if command == "close":
                return
    except Exception as error:
        error_queue.put((index, type(error), error))
        pipe.send((None, False))
    finally:
        env.close()


@pytest.mark.parametrize("auto_reset", [True, False])
def test_a_worker_function_of_ones_own(auto_reset: bool) -> None:
    env = AsyncVectorEnv(
        [make_shop] * NUM_ENVS, worker=generous, auto_reset=auto_reset, num_workers=2
    )
    reference = SyncVectorEnv([make_shop] * NUM_ENVS, auto_reset=auto_reset)
    assert (env.env_name, env.agent_num) == ("Shop", 2)
    for one in (env, reference):
        one.reset(seed=4, options={"sale": 1})
    assert env.get_attr("order") == [{"sale": 1}] * NUM_ENVS
    ended = 0
    while not ended:
        action = env.random_action()
        obs, rewards, dones, infos = env.step(action)
        theirs = reference.step(action)
        np.testing.assert_array_equal(obs, theirs[0])
        np.testing.assert_array_equal(dones, theirs[2])
        assert rewards.tolist() == [2, 3, 4]
        ended = int(dones.sum())
    for i in np.flatnonzero(dones):
        assert ("final_observation" in infos[i]) == auto_reset
        if auto_reset:
            wanted = theirs[3][i]["final_observation"]
            np.testing.assert_array_equal(infos[i]["final_observation"], wanted)
            assert infos[i]["by"] == i and infos[i]["final_info"]["price"] == 7
    env.set_attr("price", [1, 2, 3])
    assert env.call("sell", 2, discount=1) == [1, 3, 5] and env.get_attr("price") == [1, 2, 3]
    assert env.exec_func(lambda one, x: one.unwrapped.price + x, [2], 5) == [8]
    assert env.env_is_wrapped(TimeLimit) == [True] * NUM_ENVS
    with pytest.raises(WorkerError, match="ValueError: nothing to sell"):
        env.call("sell", -1)
    with pytest.raises(WorkerError, match="worker function ended"):
        env.call("price")
    obs, _ = env.reset(seed=4)  # environments whose function has ended are made anew
    np.testing.assert_array_equal(obs, reference.reset(seed=4)[0])
    for one in (env, reference):
        one.close()


class Doubled(BaseReward):
    """Twice the reward, plus the call's extra data."""

    def step_reward(self, data: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
        assert data["observations"].shape[0] == len(data["actions"]) == len(data["infos"])
        return 2 * data["rewards"] + data.get("bonus", 0), [{"was": r} for r in data["rewards"]]

    def batch_rewards(self, buffer: Any) -> dict[str, Any]:
        buffer["rewards"] *= 3
        return {"scale": 3}


def wrapped(kind: str) -> Any:
    """The same CartPole from workers, from this process and from a native pool's interface."""
    if kind == "pool":
        return envpool.make(
            "python:CartPole-v1",
            "vector",
            num_envs=NUM_ENVS,
            autoreset_mode="same_step",
            max_episode_steps=10,
        )
    make = AsyncVectorEnv if kind == "async" else SyncVectorEnv
    return make([lambda: gymnasium.make("CartPole-v1", max_episode_steps=10)] * NUM_ENVS)


@pytest.mark.parametrize("kind", ["async", "sync", "pool"])
def test_wrappers(kind: str) -> None:
    inner = wrapped(kind)
    env = VecMonitorWrapper(EpisodeInfo(NUM_ENVS), RewardWrapper(inner, Doubled()))
    assert env.use_monitor and env.parallel_env_num == NUM_ENVS and env.agent_num == 1
    assert isinstance(env.unwrapped, PoolVecEnv if kind != "sync" else SyncVectorEnv)
    env.reset(seed=0)
    episodes = []
    for step in range(1, 31):
        _, rewards, dones, infos = env.step(np.zeros(NUM_ENVS, np.int64), {"bonus": 1})
        assert (rewards == 3).all() and all(info["was"] == 1 for info in infos)
        assert [("episode" in info) for info in infos] == dones.tolist()
        episodes += [info["episode"] for info in infos if "episode" in info]
        del step
    assert episodes and all(e["r"] == 3 * e["l"] and 8 <= e["l"] <= 10 for e in episodes)
    figures = env.statistics()
    assert figures["FPS"] > 0 and figures["episodes"] == len(episodes)
    assert figures["episode_rewards/mean"] == np.mean([e["r"] for e in episodes])
    assert figures["episode_rewards/max"] <= 30
    assert figures["episode_lengths/mean"] == np.mean([e["l"] for e in episodes])
    assert env.statistics()["episodes"] == 0
    buffer = {"rewards": np.ones(2)}
    reward = env.env
    assert isinstance(reward, RewardWrapper)
    assert reward.batch_rewards(buffer) == {"scale": 3} and (buffer["rewards"] == 3).all()
    env.close()
    assert env.unwrapped.closed


def test_wrappers_pass_everything_on(made: dict[str, BaseVecEnv]) -> None:
    env = VecEnvWrapper(made["async"])
    assert env.env_name == "Shop" and env.agent_num == 2
    assert env.seed(3) == [3, 4, 5]
    env.reset_send()
    env.reset_fetch()
    env.step_send(env.random_action())
    env.step_fetch()
    assert env.call("sell", 1) == [7] * NUM_ENVS
    env.set_attr("price", 7)
    assert env.get_attr("price") == [7] * NUM_ENVS
    assert env.render().shape == (2, 3, 3)
    assert list(env.exec_func(repr, 0)) == list(made["async"].exec_func(repr, 0))
    assert env.env_is_wrapped(TimeLimit) == [True] * NUM_ENVS and env.unwrapped is made["async"]


def test_pools_that_do_not_fit_are_explained() -> None:
    with (
        envpool.make("python:CartPole-v1", num_envs=2, batch_size=1) as pool,
        pytest.raises(ConfigError, match="asynchronous"),
    ):
        PoolVecEnv(pool)
    with (
        envpool.make("python:CartPole-v1", "vector", num_envs=1) as pool,
        pytest.raises(ConfigError, match="same_step"),
    ):
        PoolVecEnv(pool)
    with pytest.raises(ConfigError, match="no pool"):
        PoolVecEnv(object())


def test_gymnasiums_vector_wrappers_take_a_pool() -> None:
    with envpool.make("python:CartPole-v1", "vector", num_envs=2, max_episode_steps=5) as pool:
        env = RecordEpisodeStatistics(pool)
        env.reset()
        for _ in range(5):
            info = env.step(np.zeros(2, np.int64))[4]
        assert (info["episode"]["l"] == 5).all()
