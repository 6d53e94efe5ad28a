# SPDX-License-Identifier: Apache-2.0
"""envpool.integrations against Gymnasium's own wrappers, and against sums by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import envpool
import envpool.video
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool.integrations import (
    ClipReward,
    EpisodeStatistics,
    FrameStack,
    NormalizeObservation,
    NormalizeReward,
)
from gymnasium.wrappers import vector

NUM_ENVS = 4
FLAVOURS = ["gymnasium", "vector"]
MODES = ["next_step", "same_step"]


def _pool(env_type: str = "gymnasium", **config: Any) -> Any:
    return envpool.make("Pole-v0", env_type, **{"num_envs": NUM_ENVS, "seed": 3} | config)


def _steps(env: Any, count: int = 200) -> list[Any]:
    """Results under the same actions, of either."""
    rng = np.random.default_rng(0)
    env.reset(seed=7)
    return [env.step(rng.integers(2, size=NUM_ENVS)) for _ in range(count)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_type", FLAVOURS)
def test_statistics_are_gymnasiums(env_type: str, mode: str) -> None:
    ours = _steps(EpisodeStatistics(_pool(env_type, autoreset_mode=mode)))
    theirs = _steps(vector.RecordEpisodeStatistics(_pool("vector", autoreset_mode=mode)))
    ends = 0
    for mine, other in zip(ours, theirs, strict=True):
        assert ("episode" in mine[4]) == ("episode" in other[4])
        if "episode" not in mine[4]:
            continue
        ends += int(mine[4]["_episode"].sum())
        np.testing.assert_array_equal(mine[4]["_episode"], other[4]["_episode"])
        for key in "rl":
            np.testing.assert_array_equal(mine[4]["episode"][key], other[4]["episode"][key])
    assert ends > 10


def test_statistics_of_an_asynchronous_pool() -> None:
    """The same episodes as a synchronous one has, whatever the order of results."""
    rng = np.random.default_rng(0)
    actions = rng.integers(2, size=(NUM_ENVS, 150))

    def lengths(batch_size: int) -> list[list[int]]:
        env = EpisodeStatistics(_pool(batch_size=batch_size))
        found: list[list[int]] = [[] for _ in range(NUM_ENVS)]
        taken = np.zeros(NUM_ENVS, int)
        env.async_reset()
        while taken.min() < 149:
            info = env.recv(timeout=60)[4]
            ids = info["env_id"]
            for row in np.flatnonzero(info.get("_episode", np.zeros(len(ids), bool))):
                assert info["episode"]["r"][row] == info["episode"]["l"][row]
                if len(found[ids[row]]) < 4:
                    found[ids[row]].append(int(info["episode"]["l"][row]))
            env.send(actions[ids, taken[ids] % 150], ids)
            taken[ids] += 1
        assert env.episode_count == len(env.return_queue)
        env.close()
        return found

    assert lengths(2) == lengths(NUM_ENVS)


def test_statistics_begin_anew_with_a_reset() -> None:
    env = EpisodeStatistics(_pool(max_episode_steps=5))
    env.reset()
    for _ in range(3):
        env.step(np.zeros(NUM_ENVS, int))
    env.reset(np.array([1]))
    infos = [env.step(np.zeros(NUM_ENVS, int))[4] for _ in range(5)]
    assert infos[1]["episode"]["l"].tolist() == [5, 0, 5, 5]
    assert infos[4]["episode"]["l"][1] == 5


@pytest.mark.parametrize("env_type", FLAVOURS)
def test_normalized_observations(env_type: str) -> None:
    """Equal to Gymnasium's but for the last bits, since sums are in another order there."""
    ours = _steps(NormalizeObservation(_pool(env_type)))
    theirs = _steps(vector.NormalizeObservation(_pool("vector")))
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine[0], other[0], rtol=1e-5, atol=1e-6)  # float32
        assert mine[0].dtype == np.float32


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", [500, 7], ids=["terminated", "truncated"])
def test_normalized_rewards_are_gymnasiums(limit: int, mode: str) -> None:
    config: dict[str, Any] = {"autoreset_mode": mode, "max_episode_steps": limit}
    ours = _steps(NormalizeReward(_pool(**config), gamma=0.9))
    theirs = _steps(vector.NormalizeReward(_pool("vector", **config), gamma=0.9))
    assert any(row[2 if limit == 500 else 3].any() for row in ours)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine[1], other[1], rtol=2e-6)  # its sums are float32


@pytest.mark.parametrize("mode", MODES)
def test_second_reset_of_an_asynchronous_pool(mode: str) -> None:
    """`reset` returns the first rows of two environments; those of the others are new, too."""
    pool = _pool(batch_size=2, autoreset_mode=mode, max_episode_steps=9)
    env = EpisodeStatistics(FrameStack(NormalizeReward(pool), 3))
    env.reset()
    for _ in range(6):
        info = env.recv(timeout=60)[4]
        env.send(np.ones(2, int), info["env_id"])
    env.recv(timeout=60)
    obs, info = env.reset()
    rows = [(obs, info)]
    for _ in range(12):
        obs, _, terminated, truncated, info = env.recv(timeout=60)
        over = terminated | truncated
        if over.any():
            steps = info["final_info"] if mode == "same_step" else info
            np.testing.assert_array_equal(info["episode"]["l"][over], steps["elapsed_step"][over])
        rows.append((obs, info))
        env.send(np.ones(2, int), info["env_id"])
    begun: dict[int, tuple[Any, int]] = {}
    for obs, info in rows:
        for row, env_id in enumerate(info["env_id"].tolist()):
            begun.setdefault(env_id, (obs[row], info["elapsed_step"][row]))
    assert set(begun) == set(range(NUM_ENVS))
    for frames, elapsed in begun.values():
        assert elapsed == 0
        np.testing.assert_array_equal(frames, np.repeat(frames[:1], 3, 0))
    env.close()


@pytest.mark.parametrize("wrapper", [NormalizeObservation, NormalizeReward])
def test_moments_are_saved_and_loaded(wrapper: Any, tmp_path: Path) -> None:
    trained = wrapper(_pool())
    _steps(trained, 50)
    trained.save(tmp_path / "moments")
    fresh = wrapper(_pool())
    fresh.load(tmp_path / "moments")
    trained.update = fresh.update = False
    for mine, other in zip(_steps(trained, 20), _steps(fresh, 20), strict=True):
        np.testing.assert_array_equal(mine[0], other[0])
        np.testing.assert_array_equal(mine[1], other[1])
    np.testing.assert_array_equal(trained.moments.var, fresh.moments.var)
    stacked = NormalizeObservation(FrameStack(_pool(), 2))
    with pytest.raises(ConfigError, match=r"allowed: \(2, 4\)"):
        stacked.load(tmp_path / "moments")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_type", FLAVOURS)
def test_frame_stack(env_type: str, mode: str) -> None:
    env = FrameStack(_pool(env_type, autoreset_mode=mode), 3)
    assert env.single_observation_space.shape == (3, 4)
    strict = (NUM_ENVS, 3, 4) if env_type == "vector" else (3, 4)
    assert env.observation_space.shape == strict
    plain = _pool(autoreset_mode=mode)
    first, _ = plain.reset(seed=7)
    frames = [[row] * 3 for row in first]
    rng = np.random.default_rng(0)
    stacked, _ = env.reset(seed=7)
    fresh = np.zeros(NUM_ENVS, bool)
    finals = 0
    for _ in range(150):
        np.testing.assert_array_equal(stacked, np.array(frames))
        actions = rng.integers(2, size=NUM_ENVS)
        stacked, _, _, _, info = env.step(actions)
        obs, _, terminated, truncated, raw = plain.step(actions)
        over = terminated | truncated
        for i in range(NUM_ENVS):
            if mode == "same_step" and over[i]:
                last = [*frames[i][1:], raw["final_obs"][i]]
                np.testing.assert_array_equal(info["final_obs"][i], np.array(last))
                finals += 1
            start = over[i] if mode == "same_step" else fresh[i]
            frames[i] = [obs[i]] * 3 if start else [*frames[i][1:], obs[i]]
        fresh = over
    assert finals > 5 or mode == "next_step"


def test_frames_of_a_masked_reset_stay() -> None:
    env = FrameStack(_pool("vector"), 2)
    env.reset(seed=1)
    before, *_ = env.step(np.ones(NUM_ENVS, int))
    mask = np.array([True, False, False, True])
    after, _ = env.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(after[~mask], before[~mask])
    np.testing.assert_array_equal(after[mask, 0], after[mask, 1])


def test_a_masked_reset_leaves_other_episodes_where_they_are() -> None:
    """All have ended; the reset is of one, and the next row of the others begins an episode."""
    env = EpisodeStatistics(_pool("vector", max_episode_steps=3))
    actions = np.zeros(NUM_ENVS, int)
    env.reset(seed=7)
    for _ in range(3):
        env.step(actions)
    env.reset(options={"reset_mask": np.array([True, False, False, False])})
    lengths = [env.step(actions)[4].get("episode", {}).get("l") for _ in range(4)]
    assert lengths[:2] == [None, None]
    assert lengths[2].tolist() == [3, 0, 0, 0] and lengths[3].tolist() == [0, 3, 3, 3]


def test_with_closes_the_pool() -> None:
    pool = _pool()
    with ClipReward(EpisodeStatistics(pool), -1, 1) as envs:
        envs.reset()
        assert not pool.closed
    assert pool.closed


def test_they_go_around_each_other() -> None:
    env = EpisodeStatistics(ClipReward(NormalizeObservation(FrameStack(_pool(), 2)), 0, 0.5))
    results = _steps(env, 60)
    assert results[-1][0].shape == (NUM_ENVS, 2, 4)
    assert env.return_queue[0] == env.length_queue[0] / 2
    assert len(env) == NUM_ENVS
    assert env.num_envs == NUM_ENVS


@pytest.mark.parametrize("env", [None, 3, "dm"])
def test_what_is_no_pool_is_refused(env: Any) -> None:
    env = envpool.make("Pole-v0", "dm") if env == "dm" else env
    with pytest.raises(ConfigError, match="pools of env_type 'gymnasium' or 'vector'"):
        ClipReward(env)
