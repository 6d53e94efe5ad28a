# SPDX-License-Identifier: Apache-2.0
"""Pools against each library by hand: every observation, reward and flag of 200 steps, bit for bit.

The step limits give truncations as well as ends. XLA may fuse floats otherwise in another program;
`TOLERANCE` has the limits for these cases, and whole numbers always agree.
"""

from __future__ import annotations

from typing import Any

import by_hand
import envpool
import numpy as np
import pytest
from by_hand import SEED, Event
from envpool.testing import random_actions

STEPS = 200
NUM_ENVS = 8
LIMITS = {
    "jax:gymnax/CartPole-v1": 25,
    "jax:gymnax/MountainCar-v0": None,  # its own limit is 200 steps
    "jax:gymnax/Catch-bsuite": 9,  # a ball falls for 9 steps: both at once
    "jax:gymnax/Breakout-MinAtar": 20,
    "jax:gymnax/FrozenLake-misc": 5,
    "jax:pgx/tic_tac_toe": 6,
    "jax:pgx/connect_four": 12,
    "jax:pgx/go_9x9": 5,
    "jax:pgx/minatar-breakout": 20,
    "jax:jumanji/Game2048-v1": 110,
    "jax:jumanji/Snake-v1": 9,
    "jax:jumanji/Maze-v0": 40,
}
SAMPLE = ("jax:gymnax/CartPole-v1",)
# These take half of the total time, which is XLA's.
LONG = ("jax:pgx/go_9x9", "jax:pgx/minatar-breakout", "jax:jumanji/Maze-v0")
# Floats that XLA rounds otherwise in a batch than alone: those of simulations over at most 12
# steps, and craftax's light, a cosine between 0 and 1, by two units in its last place.
TOLERANCE = {
    "jax:brax/inverted_pendulum": 1e-4,
    "jax:playground/CartpoleBalance": 1e-4,
    "jax:craftax/Craftax-Classic-Symbolic-v1": 1.2e-7,
}
# Libraries that take minutes of compiling.
LARGE = {
    "jax:brax/inverted_pendulum": pytest.mark.needs_brax,
    "jax:playground/CartpoleBalance": pytest.mark.needs_playground,
    "jax:craftax/Craftax-Classic-Symbolic-v1": pytest.mark.needs_craftax,
}
NO_END = ("jax:gymnax/MountainCar-v0", *LARGE)  # in so few steps
LIMITS.update(dict.fromkeys(LARGE, 12))


def number_of(task_id: str) -> int:
    return 2 if task_id in LARGE else NUM_ENVS


def marked(task_id: str, *marks: Any) -> Any:
    """The task, with its library's marks as well."""
    large = [pytest.mark.full, LARGE[task_id]] if task_id in LARGE else []
    return pytest.param(task_id, marks=[*marks, *large])


def actions_of(task_id: str) -> list[Any]:
    space = envpool.make_spec(task_id).action_space
    rng = np.random.default_rng(1)
    return [random_actions(space, number_of(task_id), rng) for _ in range(STEPS)]


def played(task_id: str, actions: list[Any], **config: Any) -> tuple[list[Any], list[Any]]:
    """The first result and the results of all steps."""
    config = {
        "num_envs": number_of(task_id),
        "seed": SEED,
        "max_episode_steps": LIMITS[task_id],
        **config,
    }
    with envpool.make(task_id, **config) as pool:
        first = pool.reset()
        return first, [pool.step(action) for action in actions]


def require_row(task_id: str, obs: Any, row: int, event: Event, where: str) -> None:
    found = by_hand.named(obs)
    assert set(found) == set(event.observation), where
    for name, array in event.observation.items():
        mine = found[name][row]
        atol = TOLERANCE.get(task_id, 0.0)
        assert mine.dtype == array.dtype, (where, name)
        np.testing.assert_allclose(mine, array, rtol=0, atol=atol, err_msg=f"{where} {name}")


@pytest.mark.filterwarnings("ignore:Brax System:UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "task_id", [marked(i, *([pytest.mark.full] if i in LONG else [])) for i in LIMITS]
)
def test_next_step_equals_the_library(task_id: str) -> None:
    actions = actions_of(task_id)
    first, results = played(task_id, actions)
    library = by_hand.library_of(task_id)
    ended = truncated = 0
    for env_id in range(number_of(task_id)):
        mine = [action[env_id] for action in actions]
        expected = list(by_hand.events(library, env_id, mine, LIMITS[task_id]))
        require_row(task_id, first[0], env_id, expected[0], f"env {env_id}, reset")
        for number, (result, event) in enumerate(zip(results, expected[1:], strict=True)):
            obs, reward, terminated, trunc, info = result
            where = f"env {env_id}, step {number}"
            require_row(task_id, obs, env_id, event, where)
            assert (terminated[env_id], trunc[env_id]) == event[2:4], where
            assert abs(reward[env_id] - event.reward) <= TOLERANCE.get(task_id, 0), where
            assert info["elapsed_step"][env_id] == event.elapsed, where
            ended, truncated = ended + event.terminated, truncated + event.truncated
    assert truncated, "no episode was cut off"
    assert ended or task_id in NO_END, "no episode came to its end"


@pytest.mark.filterwarnings("ignore:Brax System:UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "task_id", [marked(i, *([] if i in SAMPLE else [pytest.mark.full])) for i in LIMITS]
)
def test_the_modes_play_the_same_episodes(task_id: str) -> None:
    """The other modes have the rows of `next_step`, which is compared with the library."""
    actions = actions_of(task_id)[:60]
    limit = LIMITS[task_id] or 50
    first, results = played(task_id, actions, max_episode_steps=limit)
    # Rows of steps, by environment, and the observations after resets that follow their ends.
    for env_id in range(number_of(task_id)):
        steps, starts = [], [(first[0], env_id)]
        over, used = False, []
        for action, result in zip(actions, results, strict=True):
            if over:
                starts.append((result[0], env_id))
                over = False
                continue
            used.append(action[env_id])
            steps.append(result)
            over = bool(result[2][env_id] or result[3][env_id])
        for mode in ("same_step", "disabled"):
            _compare_mode(task_id, mode, env_id, used, steps, starts, limit)


def _compare_mode(
    task_id: str,
    mode: str,
    env_id: int,
    used: list[Any],
    steps: list[Any],
    starts: list[Any],
    limit: int,
) -> None:
    config = {"num_envs": 1, "seed": SEED + env_id, "max_episode_steps": limit}
    with envpool.make(task_id, autoreset_mode=mode, **config) as pool:
        obs, _ = pool.reset()
        begun = 1
        atol = TOLERANCE.get(task_id, 0.0)
        same(obs, 0, *starts[0], where=f"{mode} env {env_id} reset", atol=atol)
        for number, (action, expected) in enumerate(zip(used, steps, strict=True)):
            where = f"{mode}, env {env_id}, step {number}"
            obs, reward, terminated, truncated, info = pool.step(np.asarray(action)[None])
            assert abs(reward[0] - expected[1][env_id]) <= atol, where
            assert (terminated[0], truncated[0]) == (expected[2][env_id], expected[3][env_id]), (
                where
            )
            over = terminated[0] or truncated[0]
            if mode == "same_step":
                assert info["_final_obs"].tolist() == [over], where
                seen = info["final_obs"] if over else obs
                same(seen, 0, expected[0], env_id, where=where, atol=atol)
            else:
                same(obs, 0, expected[0], env_id, where=where, atol=atol)
                if over:
                    obs, _ = pool.reset()
            if over and begun < len(starts):
                same(obs, 0, *starts[begun], where=f"{where}, the reset after it", atol=atol)
                begun += 1
    assert begun == len(starts)


def same(obs: Any, row: int, other: Any, other_row: int, where: str, atol: float = 0.0) -> None:
    theirs = by_hand.named(other)
    for name, array in by_hand.named(obs).items():
        np.testing.assert_allclose(
            array[row], theirs[name][other_row], rtol=0, atol=atol, err_msg=where
        )


@pytest.mark.parametrize(
    "task_id",
    [marked(i, *([] if i in SAMPLE else [pytest.mark.full])) for i in LIMITS if i not in LARGE],
)
def test_rows_do_not_depend_on_how_many_there_are(task_id: str) -> None:
    """Pools of 1, of 4, and of 4 in two slices of 2 have the same rows."""
    actions = [action[:4] for action in actions_of(task_id)]
    first, results = played(task_id, actions, num_envs=4)
    limit = LIMITS[task_id]
    for env_id in range(4):
        config = {"num_envs": 1, "seed": SEED + env_id}
        alone_first, alone = played(task_id, [a[env_id : env_id + 1] for a in actions], **config)
        same(alone_first[0], 0, first[0], env_id, "alone")
        for mine, theirs in zip(alone, results, strict=True):
            same(mine[0], 0, theirs[0], env_id, "alone")
            assert [mine[k][0] for k in (1, 2, 3)] == [theirs[k][env_id] for k in (1, 2, 3)]
    config = {"num_envs": 4, "batch_size": 2, "seed": SEED, "max_episode_steps": limit}
    with envpool.make(task_id, **config) as pool:
        pool.async_reset()
        taken = np.zeros(4, np.int64)
        while taken.min() <= STEPS:
            obs, reward, terminated, truncated, info = pool.recv(timeout=60)
            for row, env_id in enumerate(info["env_id"].tolist()):
                number = taken[env_id]
                if number <= STEPS:
                    theirs = results[number - 1] if number else first
                    same(obs, row, theirs[0], env_id, f"slices, env {env_id}, event {number}")
                    if number:
                        got = reward[row], terminated[row], truncated[row]
                        assert got == tuple(theirs[k][env_id] for k in (1, 2, 3))
            ids = info["env_id"]
            pool.send(np.stack([actions[min(taken[i], STEPS - 1)][i] for i in ids]), ids)
            taken[ids] += 1
