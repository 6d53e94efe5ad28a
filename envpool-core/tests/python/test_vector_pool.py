# SPDX-License-Identifier: Apache-2.0
"""VectorPool against Gymnasium's own SyncVectorEnv, and under Gymnasium's wrappers."""

from __future__ import annotations

import functools

import envpool
import gymnasium
import numpy as np
import pytest
from envpool._pools import kept_observation
from envpool.errors import ConfigError, EnvIdError, StateError, WorkerError
from fake_family import CounterEnv
from gymnasium import wrappers
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, SyncVectorEnv

NUM_ENVS = 3


def same(ours, theirs):
    """Both trees have the same keys and numbers; dtypes of rewards and infos may differ."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for key in theirs:
            same(ours[key], theirs[key])
    elif isinstance(theirs, tuple) or getattr(theirs, "dtype", None) == np.object_:
        for our_item, their_item in zip(ours, theirs, strict=True):
            same(our_item, their_item)
    elif theirs is None:
        assert ours is None
    else:
        assert ours.dtype.kind == theirs.dtype.kind
        np.testing.assert_array_equal(ours, theirs)


def both(mode, **config):
    """A pool and Gymnasium's vector of the same environments; they end at different times."""
    pool = envpool.make(
        "Counter-v0", "vector", num_envs=NUM_ENVS, seed=1, autoreset_mode=mode, **config
    )
    name = {"next_step": "NextStep", "same_step": "SameStep", "disabled": "Disabled"}[mode]
    return pool, SyncVectorEnv(
        [functools.partial(CounterEnv, 1 + i, **config) for i in range(NUM_ENVS)],
        autoreset_mode=name,
    )


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("limit", [2, 3, 9])
def test_the_same_as_gymnasium(mode, limit):
    pool, reference = both(mode, goal=3, max_episode_steps=limit)
    action = np.zeros(NUM_ENVS, np.int32)
    same(pool.reset()[0], reference.reset()[0])
    for step in range(20):
        same(pool.step(action), reference.step(action))
        if step in (4, 8, 9):
            # Out of step with each other, so that some rows end and others go on.
            mask = np.array([step == 4, step == 8, step > 4])
            options = {"reset_mask": mask}
            seed = [None, 70, None] if step == 9 else 30 + step if step == 8 else None
            ours = pool.reset(seed=seed, options=options)
            same(ours, reference.reset(seed=seed, options=dict(options)))


def test_disabled_is_the_same_as_gymnasium():
    pool, reference = both("disabled", goal=2)
    action = np.zeros(NUM_ENVS, np.int32)
    same(pool.reset(seed=4), reference.reset(seed=4))
    for _ in range(2):
        same(pool.step(action), reference.step(action))
    with pytest.raises(StateError):
        pool.step(action)
    done = {"reset_mask": np.ones(NUM_ENVS, bool)}
    same(pool.reset(options=done), reference.reset(options=dict(done)))


def test_seeds():
    pool, reference = both("next_step")
    for seed in (7, [4, 5, 6], [4, None, 6], [None, None, None], None):
        same(pool.reset(seed=seed), reference.reset(seed=seed))
    assert pool.reset(seed=np.array([3, 2, 1]))[0][:, 0].tolist() == [3, 2, 1]
    with pytest.raises(ConfigError, match="3 ints"):
        pool.reset(seed=[1, None])
    for seed in (12, np.int64(3)):
        pool.reset(seed=seed)
        assert pool.np_random_seed == seed
        assert pool.np_random.random() == np_random(int(seed))[0].random()
    pool.seed(30)
    assert pool.reset(seed=[9, None, 8])[0][:, 0].tolist() == [9, 4, 8]
    assert pool.reset()[0][:, 0].tolist() == [9, 4, 8]


def test_spaces_and_attributes():
    pool, reference = both("same_step")
    for name in ("observation_space", "action_space"):
        assert getattr(pool, name) == getattr(reference, name)
        assert getattr(pool, f"single_{name}") == getattr(reference, f"single_{name}")
    assert pool.num_envs == NUM_ENVS
    assert pool.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert pool.autoreset_mode is AutoresetMode.SAME_STEP
    assert not pool.closed
    assert pool.unwrapped is pool
    assert not isinstance(pool, gymnasium.Env)
    obs, _ = pool.reset()
    assert obs in pool.observation_space
    pool.action_space = "set"
    assert pool.action_space == "set"


def test_rows_that_are_not_reset_need_an_observation():
    pool, _ = both("next_step")
    mask = {"reset_mask": np.array([True, False, False])}
    with pytest.raises(StateError, match=r"Call reset\(\) first"):
        pool.reset(options=mask)
    obs, info = pool.reset(options={"reset_mask": np.ones(NUM_ENVS, bool)})
    assert obs.shape == (NUM_ENVS, 2)
    assert info["_total"].all()
    pool.reset(options=mask)
    pool.close()
    assert pool.closed
    with pytest.raises(StateError, match=r"Call reset\(\) first"):
        pool.reset(options=mask)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_what_the_caller_writes_is_in_no_later_result(mode):
    pool, reference = both(mode, goal=9)
    action = np.zeros(NUM_ENVS, np.int32)
    calls = [
        lambda env: env.reset(seed=3),
        lambda env: env.reset(options={"reset_mask": np.array([True, False, False])}),
        lambda env: env.step(action),
        lambda env: env.reset(options={"reset_mask": np.array([False, True, False])}),
        lambda env: env.reset(
            seed=[7, None, None], options={"reset_mask": np.array([True, False, True])}
        ),
    ]
    for number, call in enumerate(calls):
        ours, theirs = call(pool), call(reference)
        same(ours, theirs)
        if number > 0 or mode == "disabled":  # the others keep copies once a mask was used
            ours[0][...] *= 0


def test_observations_are_copied_only_where_masks_are_used(monkeypatch):
    """At each step it took longer than the step of many a task."""
    copies = []
    monkeypatch.setattr(kept_observation, "_copy", lambda tree: copies.append(1) or tree.copy())
    pool, _ = both("next_step", goal=9)
    pool.reset()
    pool.step(np.zeros(NUM_ENVS, np.int32))
    assert not copies
    pool.reset(options={"reset_mask": np.array([True, False, False])})
    copies.clear()
    pool.step(np.zeros(NUM_ENVS, np.int32))
    assert copies


def test_the_last_observation_may_have_come_through_recv():
    pool, _ = both("disabled", goal=9)
    pool.async_reset()
    pool.recv(reset=True)[0][...] = -1
    pool.send(np.zeros(NUM_ENVS))
    pool.recv()[0][...] = -1
    obs, _ = pool.reset(options={"reset_mask": np.array([True, False, False])})
    assert obs.tolist() == [[1, 0], [2, 1], [3, 1]]


def test_a_step_that_failed_leaves_rows_unknown(last_raw, monkeypatch):
    pool, _ = both("next_step")
    pool.reset()

    def fail(*_):
        raise WorkerError("env 1 failed")

    monkeypatch.setattr(last_raw(), "step", fail)
    with pytest.raises(WorkerError):
        pool.step(np.zeros(NUM_ENVS))
    # The results of the others are still to be received.
    with pytest.raises(StateError, match=r"Call reset\(\) first"):
        pool.reset(options={"reset_mask": np.array([False, True, False])})
    monkeypatch.setattr(last_raw(), "async_reset", fail)
    with pytest.raises(WorkerError):
        pool.reset()


@pytest.mark.parametrize("ids", [[0], [2, 1, 0], 1])
def test_a_vector_has_all_rows(ids):
    pool, _ = both("next_step")
    pool.reset()
    action = np.zeros(np.size(ids))
    for call in (
        lambda: pool.send(action, ids),
        lambda: pool.send({"action": action, "env_id": ids}),
        lambda: pool.step({"action": action, "env_id": ids}),
        lambda: pool.async_reset(ids),
    ):
        with pytest.raises(EnvIdError, match="env_type='gymnasium'"):
            call()
    pool.send({"action": np.zeros(NUM_ENVS), "env_id": [0, 1, 2]})
    assert pool.recv()[0].shape == (NUM_ENVS, 2)


def test_a_reset_returns_new_arrays():
    pool, _ = both("next_step")
    first, _ = pool.reset()
    kept = first.copy()
    second, _ = pool.reset(options={"reset_mask": np.array([True, False, False])})
    second[:] = -1
    np.testing.assert_array_equal(first, kept)


def test_send_and_recv():
    pool, _ = both("same_step", goal=1)
    pool.async_reset()
    obs, _ = pool.recv(reset=True)
    assert obs.shape == (NUM_ENVS, 2)
    pool.send(np.zeros(NUM_ENVS))
    info = pool.recv()[4]
    assert [obs.tolist() for obs in info["final_obs"]] == [[1, 1], [2, 1], [3, 1]]
    obs, _ = pool.reset(options={"reset_mask": np.array([True, False, False])})
    assert obs.tolist() == [[1, 0], [2, 0], [3, 0]]


def test_what_cannot_be_a_vector():
    with pytest.raises(ConfigError, match="batch_size"):
        envpool.make("Counter-v0", "vector", num_envs=4, batch_size=2)
    with pytest.raises(ConfigError, match="max_num_players") as refused:
        envpool.make("Counter-v0", "vector", max_num_players=2)
    assert str(refused.value).endswith("environment. Use env_type='gymnasium'.")


def test_render():
    pool = envpool.make("Counter-v0", "vector", num_envs=NUM_ENVS, render_mode="rgb_array")
    pool.reset()
    frames = pool.render()
    assert isinstance(frames, tuple)
    assert [frame[0, 0, 0] for frame in frames] == [0, 1, 2]
    assert frames[0].shape == (4, 6, 3)
    assert [frame[0, 0, 0] for frame in pool.render([2])] == [2]
    with pytest.raises(EnvIdError):
        pool.render([3])


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_under_gymnasium_wrappers(mode):
    pool, reference = both(mode, goal=3)
    for env in (pool, reference):
        env.results = []
        wrapped = wrappers.vector.RecordEpisodeStatistics(env)
        wrapped = wrappers.vector.NormalizeReward(wrapped)
        if mode == "next_step":  # Gymnasium refuses it with the other
            wrapped = wrappers.vector.NormalizeObservation(wrapped)
            wrapped = wrappers.vector.DtypeObservation(wrapped, np.float64)
        wrapped.reset(seed=1)
        for _ in range(9):
            obs, reward, _, _, info = wrapped.step(wrapped.action_space.sample())
            episode = info.get("episode", {})
            env.results.append((obs, reward, episode.get("r"), episode.get("l")))
        wrapped.close()
        assert env.closed
    for ours, theirs in zip(pool.results, reference.results, strict=True):
        for our_part, their_part in zip(ours, theirs, strict=True):
            # float32 and float64 rewards: the wrappers' own arithmetic differs in the last digits
            np.testing.assert_allclose(
                np.asarray(our_part, np.float64), np.asarray(their_part, np.float64), rtol=1e-6
            )


def test_dict_info_to_list():
    pool, _ = both("same_step", goal=1)
    wrapped = wrappers.vector.DictInfoToList(pool)
    wrapped.reset()
    infos = wrapped.step(np.zeros(NUM_ENVS, np.int32))[4]
    assert len(infos) == NUM_ENVS
    assert infos[1]["final_info"]["elapsed_step"] == 1
    assert infos[1]["elapsed_step"] == 0


def test_gymnasium_that_is_too_old(monkeypatch):
    from envpool._pools.pool_classes import _pool_class

    _pool_class.cache_clear()
    monkeypatch.setattr(gymnasium, "__version__", "0.29.1")
    with pytest.raises(ConfigError, match=r"Gymnasium 0\.29\.1.*upgrade gymnasium"):
        envpool.make("Counter-v0", "vector")
    envpool.make("Counter-v0", "gymnasium").reset()
