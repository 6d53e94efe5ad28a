# SPDX-License-Identifier: Apache-2.0
"""Plays a task of Meta-World beside ours, and says what differs.

    comparison = compare("pick-place-v3", steps=500)
    assert comparison.equal, comparison.differing

Nothing is allowed to differ: both compute with the same library, and what Python adds to it is
rounded as NumPy rounds it. The reward is the reference's as float32, which a pool returns, and in
float64 as the info `unscaled_reward`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import envpool
import mujoco
import numpy as np
from envpool.testing.fidelity import Comparison, StepResult, play_beside

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import metaworld
    from metaworld import policies, sawyer_xyz_env
    from metaworld.env_dict import ALL_V3_ENVIRONMENTS

NAMES = tuple(ALL_V3_ENVIRONMENTS)
INFOS = (
    *("success", "near_object", "grasp_success", "grasp_reward", "in_place_reward"),
    *("obj_to_target", "unscaled_reward"),
)


def _reset_mocap_welds(self: Any) -> None:
    """Lets the reference run on MuJoCo 3.17, whose rows of eq_data have a twelfth number."""
    weld = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 5.0]
    for i in range(self.model.neq):
        if self.model.eq_type[i] == mujoco.mjtEq.mjEQ_WELD:
            self.model.eq_data[i][: len(weld)] = weld


sawyer_xyz_env.SawyerMocapBase.reset_mocap_welds = _reset_mocap_welds


def scripted(name: str, observation: Any) -> Any:
    """The actions of the reference's own policy for a task."""
    with warnings.catch_warnings():
        # It warns that its wishes are clipped.
        warnings.simplefilter("ignore")
        wish = policies.ENV_POLICY_MAP[name]().get_action(observation)
    return np.clip(wish, -1.0, 1.0).astype(np.float32)


class Reference:
    """Meta-World's environment of a task, as the option `goals` and a seed make it."""

    def __init__(self, name: str, seed: int, goals: str, hidden: bool, limit: int = 500) -> None:
        """Makes and seeds it; an episode has `limit` steps."""
        self.env: Any = ALL_V3_ENVIRONMENTS[name]()
        self.tasks: list[Any] = []
        if goals == "random":
            self.env._freeze_rand_vec = False
            self.env.seeded_rand_vec = True
            self.env._set_task_called = True
        else:
            # The same vectors; whether the goal is seen is decided below.
            benchmark = metaworld.ML1(name, seed=seed)
            self.tasks = benchmark.test_tasks if goals == "ml1-test" else benchmark.train_tasks
            if goals == "single":
                self.tasks = self.tasks[:1]
            self.env.set_task(self.tasks[0])
        self.env.seed(seed)
        self.hidden, self.limit = hidden, limit
        self.episodes = -1

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, float]]:
        """Begins an episode; it is seeded when it is made."""
        del seed
        if len(self.tasks) > 1:
            self.env.set_task(self.tasks[self.env.np_random.choice(len(self.tasks))])
        if self.env._partially_observable != self.hidden:
            self.env._partially_observable = self.hidden
            del self.env.sawyer_observation_space
        self.length = 0
        self.episodes += 1
        return self.env.reset()[0], dict.fromkeys(INFOS, 0.0)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, float]]:
        """One step."""
        observation, reward, *_, info = self.env.step(action)
        self.length += 1
        told = {key: float(info[key]) for key in INFOS}
        return observation, reward, False, self.length == self.limit, told


def compare(
    name: str,
    steps: int,
    num_envs: int = 4,
    seed: int = 5,
    limit: int = 500,
    goals: str = "random",
    hidden: bool = False,
    ours: Mapping[str, Any] | None = None,
) -> Comparison:
    """Steps both with the same actions; environments that end begin again.

    The first half of the environments is led by the reference's own scripted policy, whose actions
    are disturbed in every second episode; the others' actions are random.

    Args:
        name: The task, as "reach-v3".
        steps: Steps of each environment.
        num_envs: How many environments.
        seed: Of the first one, and of the actions.
        limit: Steps of an episode, at most 500.
        goals: As the option.
        hidden: Whether the goal is.
        ours: Options of ours only.
    """
    references = [Reference(name, seed + i, goals, hidden, limit) for i in range(num_envs)]
    rng = np.random.default_rng(seed)
    options: dict[str, Any] = {"goals": goals, "partially_observable": hidden, **(ours or {})}

    def choose(i: int, observation: Any) -> Any:
        action = rng.uniform(-1.0, 1.0, 4).astype(np.float32)
        if i >= (num_envs + 1) // 2:
            return action
        noise = 0.5 * action if references[i].episodes % 2 else 0.0
        return np.clip(scripted(name, observation) + noise, -1.0, 1.0)

    def count_successes(comparison: Comparison, rows: StepResult) -> None:
        comparison.count("successes", sum(bool(one.info["success"]) for one in rows.references))

    with envpool.make(
        f"MetaWorld/{name}", num_envs=num_envs, seed=seed, max_episode_steps=limit, **options
    ) as pool:
        return play_beside(
            pool,
            references,
            steps=steps,
            choose=choose,
            also=count_successes,
            comparison=Comparison({"episodes": 0, "successes": 0, "steps": 0}),
        )


def compare_starts(name: str, seeds: int) -> list[int]:
    """The seeds, from 0 on, whose first observation or whose second one differs."""
    differing = []
    env = Reference(name, 0, "random", hidden=False)
    with envpool.make(f"MetaWorld/{name}", num_envs=1, seed=0, partially_observable=False) as pool:
        for seed in range(seeds):
            env.env.seed(seed)
            first = pool.reset(seed=[seed])[0]
            if any(
                np.asarray(ours)[0].tobytes() != env.reset()[0].tobytes()
                for ours in (first, pool.reset()[0])
            ):
                differing.append(seed)
    return differing
