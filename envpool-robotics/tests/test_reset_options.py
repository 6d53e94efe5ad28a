# SPDX-License-Identifier: Apache-2.0
"""Options of a reset: the state that Adroit begins with, the cells of a maze."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import envpool
import gymnasium
import mujoco
import numpy as np
import pytest
import robotics_reference  # noqa: F401 (registers the reference, and lets it run)
from envpool.errors import ConfigError

TASKS = ("AdroitHandDoor-v1", "AdroitHandHammer-v1", "AdroitHandPen-v1", "AdroitHandRelocate-v1")


def state_of(env: Any) -> dict[str, Any]:
    """The reference's state in the form of its options."""
    told = env.unwrapped.get_env_state()
    return {key: told[key] for key in env.unwrapped._state_space}


def same(pool: Any, envs: list[Any], seed: int) -> None:
    """Five steps, bit for bit."""
    rng = np.random.default_rng(seed)
    for _ in range(5):
        action = rng.uniform(-1, 1, (len(envs), *pool.action_space.shape)).astype(np.float32)
        obs, reward, *_ = pool.step(action)
        for i, env in enumerate(envs):
            wanted, wanted_reward, *_ = env.step(action[i])
            np.testing.assert_array_equal(obs[i], wanted)
            assert reward[i] == np.float32(wanted_reward)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task_id", TASKS)
def test_the_episode_begins_as_the_references(task_id: str) -> None:
    envs = [gymnasium.make(task_id) for _ in range(2)]
    for i, env in enumerate(envs):
        env.reset(seed=i)
        for _ in range(7):
            env.step(np.full(env.action_space.shape, 0.3, np.float32))
    state = state_of(envs[0])
    with envpool.make(task_id, num_envs=2) as pool:
        for seed in (5, 9):
            options = {"initial_state_dict": state}
            obs, _ = pool.reset(seed=seed, options=options)
            for i, env in enumerate(envs):
                np.testing.assert_array_equal(obs[i], env.reset(seed=seed + i, options=options)[0])
            same(pool, envs, seed)
        # The next episode is drawn.
        obs, _ = pool.reset()
        for i, env in enumerate(envs):
            np.testing.assert_array_equal(obs[i], env.reset()[0])
        same(pool, envs, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"qpos": None},
        {"qvel": np.zeros(29)},
        {"door_body_pos": [1.0, 2.0]},
        {"board_pos": [0.0, 0.0, 0.0]},
    ],
    ids=str,
)
def test_a_state_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    state: dict[str, Any] = {"qpos": np.zeros(30), "qvel": np.zeros(30), "door_body_pos": [0, 0, 0]}
    state = {key: value for key, value in {**state, **change}.items() if value is not None}
    with envpool.make("AdroitHandDoor-v1", seed=1) as pool:
        first = pool.reset(seed=1)[0]
        with pytest.raises(ConfigError, match="door_body_pos of 3, qpos of 30, qvel of 30 numbers"):
            pool.reset(seed=1, options={"initial_state_dict": state})
        np.testing.assert_array_equal(pool.reset(seed=1)[0], first)


@pytest.mark.parametrize("state", [3, "qpos", [1.0], {"qpos": "much"}, {1: [0.0]}], ids=str)
def test_what_is_no_state_is_refused(state: Any) -> None:
    with (
        envpool.make("AdroitHandDoor-v1") as pool,
        pytest.raises(ConfigError, match="initial_state_dict"),
    ):
        pool.reset(options={"initial_state_dict": state})


def test_a_model_of_another_size(tmp_path: Path) -> None:
    """Its observation would be longer than the task's."""
    folder = Path(envpool.make_spec("AdroitHandDoor-v1").options["base_path"]) / "adroit_hand"
    model = mujoco.MjSpec.from_file(str(folder / "adroit_door.xml"))
    model.meshdir = str((folder / model.meshdir).resolve())
    model.texturedir = str((folder / model.texturedir).resolve())
    body = model.worldbody.add_body()
    body.add_joint(name="more", range=[-1, 1])
    body.add_geom(size=[0.01, 0, 0])
    model.compile()
    path = tmp_path / "more.xml"
    path.write_text(model.to_xml())
    with pytest.raises(ConfigError, match="one with 30, and as many velocities"):
        envpool.make("AdroitHandDoor-v1", xml_file=str(path))


MAZES = {
    "PointMaze_UMaze-v3": ([3, 1], [1, 1]),
    "PointMaze_Medium_Diverse_G-v3": ([1, 2], [6, 6]),
    "AntMaze_UMaze-v5": ([3, 2], [1, 3]),
    "AntMaze_Large-v4": ([7, 10], [1, 1]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task_id", MAZES)
def test_cells_of_a_maze(task_id: str) -> None:
    goal, start = MAZES[task_id]
    env: Any = gymnasium.make(task_id)
    with envpool.make(task_id, num_envs=1) as pool:
        for seed, options in enumerate(
            ({"goal_cell": goal}, {"reset_cell": start}, {"goal_cell": goal, "reset_cell": start})
        ):
            cells = {key: np.array(cell) for key, cell in options.items()}
            wanted, _ = env.reset(seed=seed, options=cells)
            obs, _ = pool.reset(seed=seed, options=options)
            for key in ("desired_goal", "achieved_goal"):
                np.testing.assert_array_equal(obs[key][0], wanted[key])
            # And the next episode, which is drawn.
            wanted, _ = env.reset()
            obs, _ = pool.reset()
            np.testing.assert_array_equal(obs["observation"][0], wanted["observation"])


@pytest.mark.parametrize("name", ["goal_cell", "reset_cell"])
@pytest.mark.parametrize("cell", [[0, 0], [5, 1], [-1, 1], [1], [1, 1, 1], [1, 1.5], 3], ids=str)
def test_what_is_no_free_cell_is_refused(name: str, cell: Any) -> None:
    with (
        envpool.make("PointMaze_UMaze-v3") as pool,
        pytest.raises(ConfigError, match=name),
    ):
        pool.reset(options={name: cell})


def test_a_goal_on_the_only_start() -> None:
    options = {"maze_map": [[1] * 6, [1, "r", 0, 0, "g", 1], [1] * 6]}
    with envpool.make("PointMaze_UMaze-v3", **options) as pool:
        with pytest.raises(ConfigError, match="Pass reset_cell"):
            pool.reset(options={"goal_cell": [1, 1]})
        pool.reset(options={"goal_cell": [1, 1], "reset_cell": [1, 2]})
        pool.reset(options={"goal_cell": [1, 2]})
