# SPDX-License-Identifier: Apache-2.0
"""Tests the players' rows, their rewards, and the end of episodes."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError, WorkerError
from envpool_meadow import policies

TASKS = ("Meadow/Tag-v0", "Meadow/Duel-v0", "Meadow/Pack-v0", "Meadow/Warren-v0")


def episodes(task: str, num_envs: int, steps: int, **config: Any) -> Any:
    """Plays foxes that hunt against hares that wander; yields the options, and every result."""
    policy = policies.by_kind(policies.hunt, policies.random_policy(1))
    with envpool.make(task, num_envs=num_envs, seed=5, **config) as pool:
        obs, info = pool.reset()
        yield pool.config, (obs, np.zeros(len(info["players"]["id"])), info)
        for _ in range(steps):
            obs, reward, terminated, truncated, info = pool.step(policy(obs["players"]))
            info["over"] = terminated
            assert not truncated.any() or (info["elapsed_step"][truncated] == 300).all()
            yield pool.config, (obs, reward, info)


@pytest.mark.parametrize("task", TASKS)
def test_rows_are_those_who_were_in_the_game(task: str) -> None:
    num_envs = 6
    alive: dict[int, list[int]] = {}
    caught = 0
    for config, (obs, _, info) in episodes(task, num_envs, 320):
        players = info["players"]
        assert len(obs["players"]["lidar"]) == len(obs["players"]["body"]) == len(players["id"])
        for env_id in range(num_envs):
            mine = players["env_id"] == env_id
            ids = players["id"][mine].tolist()
            if info["elapsed_step"][env_id] == 0:
                alive[env_id] = list(range(config["num_foxes"] + config["num_hares"]))
            assert ids == alive[env_id]
            gone = players["id"][mine & players["caught"]].tolist()
            caught += len(gone)
            assert all(number >= config["num_foxes"] for number in gone)
            alive[env_id] = [number for number in ids if number not in gone]
            hares = len(alive[env_id]) - config["num_foxes"]
            assert info["hares"]["left"][env_id] == hares
            if "over" in info:
                assert bool(info["over"][env_id]) == (hares == 0)
        assert (players["is_hare"] == (players["id"] >= config["num_foxes"])).all()
        assert (obs["players"]["body"][:, 8] == players["is_hare"]).all()
        assert ((players["caught_by"] >= 0) == players["caught"]).all()
    assert caught > 2 * num_envs


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_rewards_add_up(share: float) -> None:
    catches = grazed = 0
    clovers = np.zeros(8, int)
    for config, (_, reward, info) in episodes("Meadow/Tag-v0", 8, 200, share=share, num_clovers=40):
        players = info["players"]
        for env_id in range(8):
            mine = players["env_id"] == env_id
            hares = players["is_hare"][mine]
            caught, catchers = players["caught"][mine], players["caught_by"][mine]
            paid, foxes = reward[mine], config["num_foxes"]
            # float32 sums of a few tenths
            assert paid[~hares].sum() == pytest.approx(caught.sum(), abs=1e-6)
            own = np.bincount(catchers[caught], minlength=foxes)
            expected = (1 - share) * own + share * caught.sum() / foxes
            assert paid[~hares] == pytest.approx(expected, abs=1e-6)
            total = int(info["hares"]["clovers"][env_id])
            eaten = 0 if info["elapsed_step"][env_id] == 0 else total - clovers[env_id]
            clovers[env_id] = total
            assert paid[hares].sum() == pytest.approx(0.1 * eaten - caught.sum(), abs=1e-6)
            catches, grazed = catches + caught.sum(), grazed + eaten
    assert catches > 10 and grazed > 10


def test_the_game_of_a_hare_is_over_when_it_is_caught() -> None:
    policy = policies.by_kind(policies.hunt, policies.random_policy(1))
    seen = 0
    with envpool.make("Meadow/Tag-v0", "dm", num_envs=8, seed=5) as pool:
        step = pool.reset()
        for _ in range(150):
            state = step.observation
            players = {"lidar": state.players.lidar, "body": state.players.body}
            step = pool.step(policy(players))
            players = step.observation.players
            last = (step.step_type == 2)[players.env_id]
            assert (step.discount == np.where(players.caught | last, 0.0, 1.0)).all()
            seen += (players.caught & ~last).sum()
    assert seen > 5


def test_an_episode_starts_with_room_for_everybody() -> None:
    heads: list[float] = []
    places = []
    with envpool.make("Meadow/Tag-v0", num_envs=200, seed=0) as pool:
        obs, info = pool.reset()
        body = obs["players"]["body"].astype(np.float64)
        for env_id in range(200):
            mine = info["players"]["env_id"] == env_id
            place = body[mine, 4:6] * (8.0, 6.0)
            apart = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1))
            # A fox and a hare together are less than 0.7 m across.
            assert apart[~np.eye(6, dtype=bool)].min() > 0.7
            heads.append(float(apart[:3, 3:].min()))
            places.append(place)
    assert np.median(heads) > 4.0 and min(heads) > 1.5
    # No corner, direction or half of the meadow is preferred: 4 standard errors of the mean.
    for values, width in ((np.concatenate(places), (8.0, 6.0)), (body[:, 6:8], (1.0, 1.0))):
        error = 4 * values.std(axis=0) / np.sqrt(len(values))
        assert (np.abs(values.mean(axis=0)) < error).all()
        assert (values.max(axis=0) > 0.8 * np.array(width)).all()


def test_rows_of_other_environments_do_not_matter() -> None:
    """An environment plays the same episode alone and beside others."""
    policy = policies.by_kind(policies.hunt, policies.flee)
    ends = []
    for num_envs, seed in ((1, 12), (5, 10)):
        with envpool.make("Meadow/Tag-v0", num_envs=num_envs, seed=seed, num_threads=2) as pool:
            obs, info = pool.reset()
            for _ in range(250):
                obs, _, _, _, info = pool.step(policy(obs["players"]))
        ends.append(obs["players"]["body"][info["players"]["env_id"] == num_envs // 2])
    np.testing.assert_array_equal(*ends)


def test_a_saved_hunt_goes_on_with_those_who_are_left() -> None:
    """A state from the middle of a hunt, in another pool with other meadows and fewer rows then."""
    policy = policies.by_kind(policies.hunt, policies.flee)
    with envpool.make("Meadow/Warren-v0", num_envs=1, seed=2) as pool:
        obs, info = pool.reset()
        while info["hares"]["left"][0] > 5:
            obs, _, _, _, info = pool.step(policy(obs["players"]))
        action = policy(obs["players"])
        states = pool.save_state()
        futures = [_future(pool, action, policy)]
    with envpool.make("Meadow/Warren-v0", num_envs=1, seed=77) as pool:
        pool.reset()
        pool.load_state(states)
        # The pool only knows its own last result, so the action names the owners of rows.
        players = np.zeros(len(action["players.leap"]), np.int32)
        futures.append(_future(pool, action | {"players.env_id": players}, policy))
    for one, other in zip(*futures, strict=True):
        np.testing.assert_array_equal(one, other)


def _future(pool: Any, action: Any, policy: policies.Policy) -> list[Any]:
    bodies = []
    for _ in range(60):
        obs, reward, _, _, _ = pool.step(action)
        bodies += [obs["players"]["body"], reward]
        action = policy(obs["players"])
    return bodies


def test_what_cannot_be_is_refused() -> None:
    for config, text in (
        ({"num_foxes": 9}, "pass max_num_players as well"),
        ({"num_hares": 0}, "at least one hare"),
        ({"num_foxes": -1}, "at least one hare, and no fewer than 0 foxes"),
        ({"width": 2.0}, "6 to 200 m"),
        ({"num_rays": 0}, "num_rays"),
        ({"share": 1.5}, "share is 0 to 1"),
    ):
        with pytest.raises(ConfigError, match=text):
            envpool.make("Meadow/Tag-v0", **config)
    with pytest.raises(ConfigError, match="image_size"):
        envpool.make("Meadow/TagPixels-v0", image_size=4)


def test_actions_of_the_wrong_players_are_refused() -> None:
    with envpool.make("Meadow/Tag-v0", num_envs=1) as pool:
        pool.reset()
        action = {"players.move": np.zeros((5, 2)), "players.leap": np.zeros(5, int)}
        with pytest.raises(WorkerError, match="actions of 5 players; the last result has 6"):
            pool.step(action | {"players.env_id": np.zeros(5, np.int32)})


def test_actions_beyond_the_bounds_are_the_bounds() -> None:
    bodies = []
    for scale in (1.0, 1000.0):
        with envpool.make("Meadow/Tag-v0", num_envs=1, seed=0) as pool:
            pool.reset()
            move = scale * np.tile([1.0, -1.0], (6, 1))
            for _ in range(5):
                obs, *_ = pool.step({"players": {"move": move, "leap": np.zeros(6, int)}})
        bodies.append(obs["players"]["body"])
    np.testing.assert_array_equal(*bodies)
