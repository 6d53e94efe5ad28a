# SPDX-License-Identifier: Apache-2.0
"""GymnasiumPool: the documented interface, and real libraries that use it."""

from __future__ import annotations

import copy
import pickle

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError, EnvIdError, StateError
from gymnasium.vector import AutoresetMode


@pytest.fixture
def pool():
    with envpool.make("Counter-v0", num_envs=3, seed=10) as pool:
        yield pool


def test_reset_and_step(pool):
    obs, info = pool.reset()
    assert obs.tolist() == [[10, 0], [11, 0], [12, 0]]
    assert info["env_id"].tolist() == info["players"]["env_id"].tolist() == [0, 1, 2]
    assert info["elapsed_step"].tolist() == [0, 0, 0]
    assert info["deep"]["half"].dtype == np.float64
    obs, reward, terminated, truncated, info = pool.step(np.zeros(3, np.int32))
    assert obs.tolist() == [[10, 1], [11, 1], [12, 1]]
    assert reward.tolist() == [1, 1, 1]
    assert terminated.tolist() == truncated.tolist() == [False] * 3
    assert info["deep"]["half"].tolist() == [0.5] * 3


def test_the_documented_autoreset():
    pool = envpool.make("Counter-v0", goal=9, max_episode_steps=3)
    steps = [pool.step([0]) for _ in range(5)]
    assert [step[4]["elapsed_step"][0] for step in steps] == [0, 1, 2, 3, 0]
    assert [step[1][0] for step in steps] == [0, 1, 2, 3, 0]
    assert [bool(step[3][0]) for step in steps] == [False, False, False, True, False]
    assert not any(step[2][0] for step in steps)


def test_subsets(pool):
    pool.reset()
    obs, *_, info = pool.step(np.zeros(2), np.array([2, 0]))
    assert obs[:, 0].tolist() == [12, 10]
    assert info["env_id"].tolist() == [2, 0]
    obs, info = pool.reset(np.array([1]))
    assert obs.tolist() == [[11, 0]]
    obs, info = pool.reset(options={"reset_mask": np.array([True, False, True])})
    assert info["env_id"].tolist() == [0, 2]
    obs, info = pool.reset(options={})
    assert len(obs) == 3
    with pytest.raises(EnvIdError):
        pool.step([0], [3])


def test_seeds(pool):
    assert pool.reset(seed=5)[0][:, 0].tolist() == [5, 6, 7]
    assert pool.reset(seed=[9, 8, 7])[0][:, 0].tolist() == [9, 8, 7]
    assert pool.reset([2], seed=20)[0][:, 0].tolist() == [22]
    assert pool.reset()[0][:, 0].tolist() == [9, 8, 22]
    pool.seed(30)
    assert pool.reset([0])[0][0, 0] == 9  # seed() is for a reset of all
    assert pool.reset()[0][:, 0].tolist() == [30, 31, 32]
    pool.seed([3, 2, 1])
    pool.async_reset()
    assert pool.recv(reset=True)[0][:, 0].tolist() == [3, 2, 1]
    pool.seed(40)
    assert pool.reset(seed=50)[0][0, 0] == 50
    assert pool.reset()[0][0, 0] == 50
    for seed in (-1, 2.5, "3", None, [1, 2], [1, 2, -3]):
        with pytest.raises(ConfigError):
            pool.seed(seed)


@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
@pytest.mark.parametrize("call", ["reset", "async_reset"])
def test_a_refused_reset_leaves_the_seed_for_the_next(env_type, call, last_raw, monkeypatch):
    pool = envpool.make("Counter-v0", env_type, num_envs=2)
    pool.seed(30)

    def refuse(*_):
        raise ConfigError("no")

    with monkeypatch.context() as patch:
        patch.setattr(last_raw(), "async_reset", refuse)
        with pytest.raises(ConfigError):
            getattr(pool, call)()
    pool.async_reset()
    result = pool.recv(reset=True)
    obs = result.observation.obs if env_type == "dm" else result[0]
    assert obs[:, 0].tolist() == [30, 31]
    pool.async_reset(seed=1)
    pool.recv()
    assert (pool.reset()[-1].obs if env_type == "dm" else pool.reset()[0])[0, 0] == 1


@pytest.mark.parametrize(
    "options",
    [
        {"reset_mask": [True, False]},
        {"reset_mask": np.array([1, 0, 1])},
        {"reset_mask": np.zeros(3, bool)},
        {"reset_mask": np.ones((3, 1), bool)},
        {"mask": np.ones(3, bool)},
    ],
)
def test_wrong_reset_options(pool, options):
    with pytest.raises(ConfigError, match="reset_mask"):
        pool.reset(options=options)


def test_ids_and_mask(pool):
    with pytest.raises(ConfigError, match="both"):
        pool.reset([0], options={"reset_mask": np.ones(3, bool)})


def test_same_step():
    pool = envpool.make("Counter-v0", num_envs=2, autoreset_mode="same_step", goal=2)
    pool.reset(seed=3)
    *_, info = pool.step([0, 0])
    assert info["_final_obs"].tolist() == info["_final_info"].tolist() == [False, False]
    pool.reset([1])
    obs, reward, terminated, _, info = pool.step([0, 0])
    assert terminated.tolist() == info["_final_obs"].tolist() == [True, False]
    assert reward.tolist() == [2, 1]
    assert obs.tolist() == [[3, 0], [4, 1]]
    assert info["elapsed_step"].tolist() == [0, 1]
    assert info["final_obs"][0].tolist() == [3, 2]
    assert info["final_info"]["elapsed_step"][0] == 2
    assert info["final_info"]["deep"]["half"][0] == 1.0


def test_disabled():
    pool = envpool.make("Counter-v0", autoreset_mode="disabled", goal=1)
    pool.reset()
    assert pool.step([0])[2][0]
    with pytest.raises(StateError):
        pool.step([0])


def test_send_and_recv():
    pool = envpool.make("Counter-v0", num_envs=4, batch_size=2)
    assert pool.is_async
    pool.async_reset()
    seen = []
    for _ in range(2):
        obs, *_, info = pool.recv()
        seen += info["env_id"].tolist()
        assert len(obs) == 2
        pool.send(np.zeros(2), info["env_id"])
    assert sorted(seen) == [0, 1, 2, 3]
    obs, info = pool.recv(True, return_info=True, timeout=1.0)
    assert obs[:, 1].tolist() == [1, 1]
    with pytest.raises(ConfigError, match=r"Write `obs, info = pool.recv\(reset=True\)`"):
        pool.recv(reset=True, return_info=False)
    pool.step(np.zeros(2))  # for those of the last batch
    assert not envpool.make("Counter-v0", num_envs=4).is_async


def test_nested_actions(last_raw):
    import fake_family

    pool = envpool.make("Nested-v0", num_envs=2)
    pool.reset()
    aim = np.zeros((2, 2))
    pool.step({"move": np.zeros(2), "players": {"aim": aim, "env_id": np.arange(2)}})
    _, action, env_id = fake_family.NESTED.pools[-1].calls[-1]
    assert set(action) == {"move", "players.aim", "players.env_id"}
    assert action["players.aim"] is aim
    assert env_id is None
    flat = {"move": np.zeros(2), "players.aim": aim}
    pool.send(flat, np.array([0, 1]))
    assert fake_family.NESTED.pools[-1].calls[-1][1] is flat
    assert pool.action_space["players"]["aim"].shape == (2,)


def test_attributes(pool):
    assert len(pool) == pool.num_envs == pool.config["num_envs"] == pool.spec.config.num_envs == 3
    assert pool.is_vector_env is True
    assert pool.single_observation_space is pool.observation_space
    assert pool.single_action_space is pool.action_space
    assert pool.action_space.n == 2
    assert pool.observation_space.shape == (2,)
    assert pool.render_mode is None
    assert pool.unwrapped is pool
    assert pool.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert pool.metadata["render_modes"] == ["rgb_array", "human"]
    assert envpool.make("Quiet-v0").metadata["render_modes"] == []
    # Gymnasium's HumanRendering and RecordVideo go at this speed.
    assert envpool.make("Quiet-v0").metadata["render_fps"] == 30
    assert envpool.make("Images-v0", "vector").metadata["render_fps"] == 12
    ids = pool.all_env_ids
    assert ids.dtype == np.int32
    ids[:] = 7
    assert pool.all_env_ids.tolist() == [0, 1, 2]
    pool.config["num_envs"] = 9
    assert len(pool) == 3


def test_libraries_set_attributes(pool):
    space = gymnasium.spaces.Discrete(3)
    for name, value in {
        "num_envs": 7,
        "single_action_space": space,
        "single_observation_space": space,
        "observation_space": space,
        "action_space": space,
        "is_vector_env": False,
        "name": "a name",
        "render_mode": None,
    }.items():
        setattr(pool, name, value)
        assert getattr(pool, name) == value
    pool.spec.id = "Other"
    pool.unwrapped.spec.id = "Another"
    pool.spec = None
    assert len(pool) == 3
    assert len(pool.reset()[0]) == 3
    assert "num_envs=3" in repr(pool)


def test_under_gymnasium_wrappers(pool):
    wrapped = gymnasium.Wrapper(pool)
    assert wrapped.observation_space is pool.observation_space
    assert wrapped.reset()[0].shape == (3, 2)
    assert wrapped.spec.additional_wrappers[0].name == "Wrapper"
    assert pool.spec.additional_wrappers == ()
    single = gymnasium.wrappers.RecordEpisodeStatistics(envpool.make("Counter-v0"))
    single.reset()
    for _ in range(3):
        *_, info = single.step([0])
    assert info["episode"]["l"] == 3
    assert info["episode"]["r"] == 6


def test_copies_and_pickles_are_recipes(pool):
    pool.reset()
    for again in (pickle.loads(pickle.dumps(pool)), copy.copy(pool), copy.deepcopy(pool)):
        assert type(again) is type(pool)
        assert again.config == pool.config
        assert again.reset()[0].tolist() == [[10, 0], [11, 0], [12, 0]]


def test_pools_of_classes_have_no_recipe(pool):
    spec = type(pool.spec)(type(pool.spec).gen_config(num_envs=2))
    with pytest.raises(ConfigError, match="Register a task"):
        pickle.dumps(type(pool)(spec))


def test_a_pool_is_made_of_a_spec(pool):
    with pytest.raises(ConfigError, match="make_spec"):
        type(pool)("Counter-v0")


def test_close(pool):
    pool.reset()
    assert not pool.closed
    pool.close()
    pool.close()
    assert pool.closed
    with pytest.raises(StateError):
        pool.step(np.zeros(3))
    pool.reset()
    assert not pool.closed
    with pytest.raises(ZeroDivisionError), envpool.make("Counter-v0") as other:
        _ = 1 / 0
    assert other.closed


def test_states(pool):
    pool.reset()
    pool.step(np.zeros(3))
    states = pool.save_state()
    one = pool.save_state(1)
    assert len(states) == 3
    assert one == states[1:2]
    before = pool.step(np.zeros(3))
    pool.load_state(states)
    after = pool.step(np.zeros(3))
    assert before[0].tolist() == after[0].tolist()
    pool.load_state(one, [2])
    assert pool.step(np.zeros(3))[0][2].tolist() == [11, 2]
    for ids in ([3], [-1], [0.5], [[0]], [True], "a", [2**40]):
        with pytest.raises(EnvIdError, match=r"0 \.\. 2"):
            pool.save_state(ids)
    assert pool.save_state([]) == []
