# SPDX-License-Identifier: Apache-2.0
"""The reference of every task: Gymnasium's environment, or the rules written in Python.

Gymnasium has no Catch, no NChain and no Pendulum-v0; these three are written here from their
documents, slowly and plainly, with Gymnasium's generator of random numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.classic_control.acrobot import AcrobotEnv
from gymnasium.envs.classic_control.pendulum import PendulumEnv, angle_normalize
from gymnasium.wrappers import TimeLimit
from numpy.typing import NDArray

Policy = Callable[[NDArray[Any], np.random.Generator], Any]


@dataclass(frozen=True)
class Case:
    """One task with some options, and its reference.

    Attributes:
        task_id: The task of this wheel.
        make: Makes the reference environment.
        reference: The reference, for people.
        config: Options of the task that differ from its defaults.
        policy: Chooses an action from an observation; None takes random actions.
        episodes: Enough episodes to show every rule of the task.
    """

    task_id: str
    make: Callable[[], gymnasium.Env[Any, Any]]
    reference: str
    config: Mapping[str, Any] = field(default_factory=dict)
    policy: Policy | None = None
    episodes: int = 100

    def __str__(self) -> str:
        """The task and its options, the name of the test."""
        options = ", ".join(f"{key}={value}" for key, value in self.config.items())
        return f"{self.task_id}({options})" if options else self.task_id


class OldPendulum(PendulumEnv):
    """Pendulum-v0 of OpenAI Gym 0.20: the angle moves with the speed before its limit."""

    def step(self, u: NDArray[np.float32]) -> Any:
        """One step of 0.05 s."""
        theta, speed = self.state
        torque = np.clip(u, -self.max_torque, self.max_torque)[0]
        cost = angle_normalize(theta) ** 2 + 0.1 * speed**2 + 0.001 * (torque**2)
        fall = -3 * self.g / (2 * self.l) * np.sin(theta + np.pi)
        speed = speed + (fall + 3.0 / (self.m * self.l**2) * torque) * self.dt
        self.state = np.array(
            [theta + speed * self.dt, np.clip(speed, -self.max_speed, self.max_speed)]
        )
        return self._get_obs(), -cost, False, False, {}


class Catch(gymnasium.Env[Any, Any]):
    """Catch of bsuite (Osband et al., 2020)."""

    def __init__(self, height: int = 10, width: int = 5) -> None:
        """A board of `height` rows and `width` columns."""
        self.board_shape = (height, width)
        self.observation_space = spaces.Box(0, 1, (height, width), np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Puts the ball in a random column of the first row, the paddle in the middle."""
        super().reset(seed=seed)
        self.ball = [0, int(self.np_random.integers(0, self.board_shape[1]))]
        self.paddle = self.board_shape[1] // 2
        return self._board(), {}

    def step(self, action: int) -> Any:
        """Moves the paddle, then the ball."""
        self.paddle = min(max(self.paddle + action - 1, 0), self.board_shape[1] - 1)
        self.ball[0] += 1
        terminated = self.ball[0] == self.board_shape[0] - 1
        reward = 0 if not terminated else 1 if self.ball[1] == self.paddle else -1
        return self._board(), reward, terminated, False, {}

    def _board(self) -> NDArray[np.float32]:
        board = np.zeros(self.board_shape, np.float32)
        board[tuple(self.ball)] = board[-1, self.paddle] = 1
        return board


class NChain(gymnasium.Env[Any, Any]):
    """NChain-v0 of OpenAI Gym 0.17: n=5, slip=0.2, small=2, large=10."""

    def __init__(self) -> None:
        """A chain of five states."""
        self.observation_space = spaces.Discrete(5)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins at the first state."""
        super().reset(seed=seed)
        self.state = 0
        return self.state, {}

    def step(self, action: int) -> Any:
        """Action 1 goes back to the start, 0 on; with probability 0.2 the moves are exchanged."""
        if self.np_random.random() < 0.2:
            action = 1 - action
        if action == 1:
            reward, self.state = 2, 0
        elif self.state < 4:
            reward, self.state = 0, self.state + 1
        else:
            reward = 10
        return self.state, reward, False, False, {}


class AnglesInInfo(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Acrobot with the two angles in `info["state"]`, where EnvPool has them."""

    def reset(self, **kwargs: Any) -> Any:
        """Adds the angles."""
        observation, _ = super().reset(**kwargs)
        return observation, self._info()

    def step(self, action: Any) -> Any:
        """Adds the angles."""
        *result, _ = super().step(action)
        return *result, self._info()

    def _info(self) -> dict[str, Any]:
        env = self.unwrapped
        assert isinstance(env, AcrobotEnv) and env.state is not None
        return {"state": env.state[:2].astype(np.float32)}


def _from_gymnasium(
    task_id: str,
    source: str,
    config: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    episodes: int = 100,
) -> Case:
    # Gymnasium derives FrozenLake's size and Pendulum's version from the id.
    options = {k: v for k, v in (config or {}).items() if k not in ("size", "version")}

    def make() -> gymnasium.Env[Any, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # CartPole-v0 has a successor
            env = gymnasium.make(source, disable_env_checker=True, **options)
        return AnglesInInfo(env) if source == "Acrobot-v1" else env

    reference = f"gymnasium {gymnasium.__version__}, {source}"
    return Case(task_id, make, reference, config or {}, policy, episodes)


def _swing(position: NDArray[Any], rng: np.random.Generator) -> int:
    """Pushes MountainCar the way it moves, so that it reaches the goal."""
    return 2 if position[1] > 0 else int(rng.integers(2))


def _swing_continuous(position: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float32]:
    """The same for the continuous car, with forces on both sides of the limit."""
    return np.array([np.copysign(rng.uniform(0, 1.4), position[1])], np.float32)


def _any_torque(_: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float32]:
    """Torques on both sides of Pendulum's limit, long enough one way to reach the speed limit."""
    return np.array([rng.uniform(-1, 3)], np.float32)


def _pump(state: NDArray[Any], rng: np.random.Generator) -> int:
    """Turns Acrobot's second link the way it moves, which adds energy; sometimes at random."""
    return int(rng.integers(3)) if rng.random() < 0.2 else (2 if state[5] > 0 else 0)


def _cross(cell: NDArray[Any], _: np.random.Generator) -> int:
    """The best moves on FrozenLake's small map: three of four times they reach the goal."""
    return int("0333000031000210"[int(cell)])


def _keep_off(cell: NDArray[Any], _: np.random.Generator) -> int:
    """The large map: along the upper side, then down the right side, which have no holes."""
    return 3 if int(cell) % 8 < 7 else 2


def _deliver(code: NDArray[Any], rng: np.random.Generator) -> int:
    """Drives a taxi about, and serves the passenger where that is possible."""
    place, passenger, destination = int(code) // 20, int(code) // 4 % 5, int(code) % 4
    stands = (0, 4, 20, 23)
    if passenger < 4 and place == stands[passenger]:
        return 4
    if passenger == 4 and place == stands[destination]:
        return 5
    return int(rng.integers(6))


def _walk(cell: NDArray[Any], rng: np.random.Generator) -> int:
    """Walks to CliffWalking's goal on most days, over the cliff on others."""
    odds = (0.05, 0.55, 0.3, 0.1) if int(cell) < 36 else (0.6, 0.3, 0.05, 0.05)
    return int(rng.choice(4, p=odds))


# Several starts, a map that is not square, and its own probabilities and rewards.
_OWN_LAKE = {
    "desc": ["SFFHS", "FHFFF", "SFFFG"],
    "success_rate": 0.7,
    "reward_schedule": (10, -3, -0.5),
}
_RAIN = {"is_rainy": True, "rainy_probability": 0.6}
_FICKLE = {"fickle_passenger": True, "fickle_probability": 0.7}
CASES = (
    _from_gymnasium("CartPole-v0", "CartPole-v0"),
    _from_gymnasium("CartPole-v1", "CartPole-v1"),
    _from_gymnasium("CartPole-v1", "CartPole-v1", {"sutton_barto_reward": True}),
    _from_gymnasium("phys2d/CartPole-v0", "CartPole-v0"),
    _from_gymnasium("phys2d/CartPole-v1", "CartPole-v1"),
    _from_gymnasium("MountainCar-v0", "MountainCar-v0", policy=_swing),
    _from_gymnasium(
        "MountainCarContinuous-v0", "MountainCarContinuous-v0", policy=_swing_continuous
    ),
    _from_gymnasium("MountainCar-v0", "MountainCar-v0", {"goal_velocity": 0.02}, _swing),
    _from_gymnasium(
        "MountainCarContinuous-v0",
        "MountainCarContinuous-v0",
        {"goal_velocity": 0.03},
        _swing_continuous,
    ),
    Case(
        "Pendulum-v0",
        lambda: TimeLimit(OldPendulum(), 200),
        "the equations of gym 0.20, Pendulum-v0",
        policy=_any_torque,
    ),
    Case(
        "phys2d/Pendulum-v0",
        lambda: TimeLimit(OldPendulum(), 200),
        "the equations of gym 0.20, Pendulum-v0",
        policy=_any_torque,
    ),
    _from_gymnasium("Pendulum-v1", "Pendulum-v1", policy=_any_torque),
    _from_gymnasium("Pendulum-v1", "Pendulum-v1", {"g": 9.81}, _any_torque),
    _from_gymnasium("Acrobot-v1", "Acrobot-v1", policy=_pump),
    Case("Catch-v0", Catch, "the rules of bsuite's Catch"),
    Case("Catch-v0", lambda: Catch(7, 8), "the rules of bsuite's Catch", {"height": 7, "width": 8}),
    _from_gymnasium("FrozenLake-v1", "FrozenLake-v1", policy=_cross),
    _from_gymnasium("FrozenLake8x8-v1", "FrozenLake8x8-v1", policy=_keep_off),
    _from_gymnasium("FrozenLake-v1", "FrozenLake-v1", {"map_name": "8x8"}),
    _from_gymnasium("FrozenLake-v1", "FrozenLake-v1", {"is_slippery": False}, _cross),
    _from_gymnasium("FrozenLake-v1", "FrozenLake-v1", _OWN_LAKE),
    _from_gymnasium("Taxi-v3", "Taxi-v4", policy=_deliver),
    _from_gymnasium("Taxi-v4", "Taxi-v4", policy=_deliver),
    _from_gymnasium("Taxi-v4", "Taxi-v4", {"is_rainy": True}, _deliver),
    _from_gymnasium("Taxi-v4", "Taxi-v4", _FICKLE, _deliver),
    _from_gymnasium("Taxi-v4", "Taxi-v4", _FICKLE | _RAIN, _deliver),
    Case("NChain-v0", lambda: TimeLimit(NChain(), 1000), "the rules of gym 0.17, NChain-v0"),
    _from_gymnasium("CliffWalking-v0", "CliffWalking-v1", policy=_walk),
    _from_gymnasium("tabular/CliffWalking-v0", "CliffWalking-v1", policy=_walk),
    _from_gymnasium("CliffWalking-v1", "CliffWalking-v1", policy=_walk),
    _from_gymnasium("CliffWalkingSlippery-v1", "CliffWalkingSlippery-v1", policy=_walk),
    _from_gymnasium("Blackjack-v1", "Blackjack-v1", episodes=1000),
    _from_gymnasium("tabular/Blackjack-v0", "Blackjack-v1", episodes=1000),
    _from_gymnasium("Blackjack-v1", "Blackjack-v1", {"natural": True, "sab": False}, episodes=1000),
    _from_gymnasium("Blackjack-v1", "Blackjack-v1", {"sab": False}, episodes=1000),
)
