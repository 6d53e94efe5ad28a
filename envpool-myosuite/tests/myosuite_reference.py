# SPDX-License-Identifier: Apache-2.0
"""Plays a task of MyoSuite beside ours, and says what differs.

    differences = compare("myoHandPoseRandom-v0", steps=500)
    assert not differences.found, differences

Nothing is allowed to differ: both compute with the same library, and what Python adds to it is
rounded as NumPy rounds it. The reward is the reference's as float32, which a pool returns, and in
float64 as the info `rwd_dense`.

But in tasks that follow a motion: there the reference has the object's turn, which is a part of
`rwd_dense`, from the eigenvectors of a 4 x 4 matrix, whose last bits depend on the LAPACK.
`rwd_dense` may be `TURN` away there. With `plain_turns` the reference has the quaternion from
MuJoCo, as ours, and nothing may differ.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import envpool
import gymnasium
import mujoco
import numpy as np
from differences import Differences

with (
    contextlib.redirect_stdout(io.StringIO()),
    contextlib.redirect_stderr(io.StringIO()),
    warnings.catch_warnings(),
):
    warnings.simplefilter("ignore")
    import myosuite  # noqa: F401 (it registers its ids)
    from myosuite.envs.myo.myochallenge import run_track_v0
    from myosuite.envs.myo.myodm import myodm_v0

# Some tasks of the reference say 0 and 1 as other types.
KINDS: dict[str, Any] = {
    **dict.fromkeys(("time", "rwd_dense", "rwd_sparse"), np.float64),
    **dict.fromkeys(("solved", "done"), np.bool_),
}

TURN = 1e-15
"""Most that `rwd_dense` may differ where it depends on eigenvectors: it is between -2 and 3, and an
error of one rounding in each number of a quaternion is 5 / pi times as large in it."""


@contextlib.contextmanager
def plain_turns() -> Iterator[None]:
    """Meanwhile, the reference has an object's quaternion as MuJoCo has it."""

    def quaternion(matrix: Any) -> Any:
        found = np.zeros(4)
        mujoco.mju_mat2Quat(found, matrix.ravel())
        return found if found[0] >= 0 else -found

    before = myodm_v0.mat2quat
    myodm_v0.mat2quat = quaternion
    try:
        yield
    finally:
        myodm_v0.mat2quat = before


def make_reference(task_id: str, seed: int, **options: Any) -> Any:
    """MyoSuite's environment, which is seeded when it is made and never again."""
    with _quiet():
        return gymnasium.make(task_id, seed=seed, disable_env_checker=True, **options).unwrapped


def time_limit(task_id: str) -> int:
    """Steps after which an episode ends, as MyoSuite registers them."""
    found = gymnasium.spec(task_id).max_episode_steps
    assert found is not None
    return found


def reset(env: Any) -> Any:
    """The observation of a reset.

    Rough ground for a run is drawn from the environment's generator, as ours is: the reference
    takes NumPy's global one, which no seed of an environment reaches.
    """
    before = np.random.uniform
    if isinstance(env, run_track_v0.RunTrack):
        np.random.uniform = env.np_random.uniform
    try:
        with _quiet():
            found = env.reset()
    finally:
        np.random.uniform = before
    # The run with a prosthesis returns the observation alone.
    return found[0] if isinstance(found, tuple) else found


def step(env: Any, action: Any) -> Any:
    """What a step returns: observation, reward, whether the episode ended, False, infos."""
    with _quiet():  # NumPy warns of numbers that are arrays
        return env.step(action)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compare(
    task_id: str,
    steps: int,
    num_envs: int = 4,
    seed: int = 5,
    limit: int | None = 100,
    ours: Mapping[str, Any] | None = None,
    theirs: Mapping[str, Any] | None = None,
    turn: float = TURN,
    differences: Differences | None = None,
) -> Differences:
    """Steps both with the same random actions; environments that end begin again.

    Args:
        task_id: The task.
        steps: Steps of each environment.
        num_envs: How many environments.
        seed: Of the first one, and of the actions.
        limit: Steps of an episode; None for the task's own.
        ours: Options of ours only.
        theirs: Options of the reference only.
        turn: Most that `rwd_dense` may be away where a motion is followed.
        differences: What other comparisons found, to which this one adds.
    """
    differences = differences or Differences()
    if limit is None:
        limit = time_limit(task_id)
    references = [make_reference(task_id, seed + i, **(theirs or {})) for i in range(num_envs)]
    rng = np.random.default_rng(seed)
    shape = references[0].action_space.shape
    follows = isinstance(references[0], myodm_v0.TrackEnv)
    with envpool.make(
        task_id, num_envs=num_envs, seed=seed, max_episode_steps=limit, **(ours or {})
    ) as pool:
        assert pool.action_space == references[0].action_space
        observations, _ = pool.reset()
        for i, env in enumerate(references):
            differences.look("observation", observations[i], reset(env))
        length, ended = [0] * num_envs, [False] * num_envs
        for _ in range(steps):
            actions = rng.uniform(-1.2, 1.2, (num_envs, *shape)).astype(np.float32)
            obs, rewards, terminated, truncated, info = pool.step(actions)
            differences.steps += num_envs
            for i, env in enumerate(references):
                if ended[i]:
                    wanted, reward, done, length[i] = reset(env), 0.0, False, 0
                    differences.episodes += 1
                else:
                    wanted, reward, done, _, told = step(env, actions[i])
                    length[i] += 1
                    for key in KINDS:
                        value = np.squeeze(told[key]).astype(KINDS[key])
                        within = turn if follows and key == "rwd_dense" else 0.0
                        differences.look(f"infos {key}", info[key][i], value, within)
                    differences.successes += bool(told["solved"])
                ended[i] = done or length[i] == limit
                differences.look("observation", obs[i], wanted)
                differences.look("reward", rewards[i], np.float32(reward))
                differences.look("ends terminated", terminated[i], np.bool_(done))
                differences.look("ends truncated", truncated[i], np.bool_(length[i] == limit))
    return differences
