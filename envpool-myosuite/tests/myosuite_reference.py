# SPDX-License-Identifier: Apache-2.0
"""Plays a task of MyoSuite beside ours, and lists the differences.

    comparison = compare("myoHandPoseRandom-v0", steps=500)
    assert comparison.equal, comparison.differing

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
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import envpool
import gymnasium
import mujoco
import numpy as np
from envpool.testing.fidelity import Comparison, StepResult, play_beside

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
    """A step's results: observation, reward, whether the episode ended, False, infos."""
    with _quiet():  # NumPy warns of numbers that are arrays
        return env.step(action)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Reference:
    """MyoSuite's environment with a limit of steps, and the infos of KINDS."""

    def __init__(self, env: Any, limit: int) -> None:
        """Takes one that is seeded."""
        self.env, self.limit = env, limit

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        del seed
        self.length = 0
        return reset(self.env), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step."""
        observation, reward, done, _, told = step(self.env, action)
        self.length += 1
        info = {key: np.squeeze(told[key]).astype(KINDS[key]) for key in KINDS}
        return observation, reward, bool(done), self.length == self.limit, info


def compare(
    task_id: str,
    steps: int,
    num_envs: int = 4,
    seed: int = 5,
    limit: int | None = 100,
    ours: Mapping[str, Any] | None = None,
    theirs: Mapping[str, Any] | None = None,
    turn: float = TURN,
    comparison: Comparison | None = None,
    also: Callable[[Comparison, StepResult], None] | None = None,
) -> Comparison:
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
        comparison: The findings of other comparisons, to which this one adds.
        also: As `play_beside` has it.
    """
    if limit is None:
        limit = time_limit(task_id)
    envs = [make_reference(task_id, seed + i, **(theirs or {})) for i in range(num_envs)]
    comparison = Comparison() if comparison is None else comparison
    if isinstance(envs[0], myodm_v0.TrackEnv):
        comparison.within = {"infos rwd_dense": turn}
    rng = np.random.default_rng(seed)
    shape = envs[0].action_space.shape
    with envpool.make(
        task_id, num_envs=num_envs, seed=seed, max_episode_steps=limit, **(ours or {})
    ) as pool:
        assert pool.action_space == envs[0].action_space
        return play_beside(
            pool,
            [Reference(env, limit) for env in envs],
            steps=steps,
            choose=lambda *_: rng.uniform(-1.2, 1.2, shape).astype(np.float32),
            comparison=comparison,
            also=also,
        )
