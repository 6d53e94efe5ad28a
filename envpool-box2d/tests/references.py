# SPDX-License-Identifier: Apache-2.0
"""The reference of every task: Gymnasium's environments, and the policies that play them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

Policy = Callable[[NDArray[Any]], Any]


@dataclass(frozen=True)
class Case:
    """One task with some options, and its reference.

    Attributes:
        task_id: The task of this wheel.
        source: Gymnasium's id.
        config: Options of both, by the names that both have.
        policy: Makes a function that chooses an action from an observation, one for each
        environment; None takes random actions.
        dtype: Of the actions of continuous tasks, as the pool gets them.
        frames: A frame is compared every so many steps; 0 never. With frames both have a
        render_mode, with which Gymnasium also simulates the parts that are only drawn.
        steps: Steps of each environment; enough to show every rule of the task.
        theirs: Options of the reference that differ: a control, whose difference must show.
    """

    task_id: str
    source: str
    config: Mapping[str, Any] = field(default_factory=dict)
    policy: Callable[[], Policy] | None = None
    dtype: str = "float32"
    frames: int = 0
    steps: int = 2000
    theirs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The task and its special options, as the name of the test."""
        words = [f"{key}={value}" for key, value in self.config.items()]
        words += ["heuristic"] if self.policy else []
        words += [self.dtype] if self.dtype != "float32" else []
        words += ["frames"] if self.frames else []
        words += [f"control: there {key}={value}" for key, value in self.theirs.items()]
        return f"{self.task_id}({', '.join(words)})" if words else self.task_id

    @property
    def reference(self) -> str:
        """The reference, for people."""
        return f"gymnasium {gymnasium.__version__}, {self.source}"

    def make(self) -> gymnasium.Env[Any, Any]:
        """Makes the reference environment."""
        mode = {"render_mode": "rgb_array"} if self.frames else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # wind beyond the recommended range
            return gymnasium.make(
                self.source, disable_env_checker=True, **mode, **{**self.config, **self.theirs}
            )


def _lander(continuous: bool) -> Callable[[], Policy]:
    """Lands: turns towards the pad, and brakes when it falls faster than its height allows."""

    def act(state: NDArray[Any]) -> Any:
        x, y, speed_x, speed_y, angle, spin, left, right = map(float, state)
        landed = left > 0 or right > 0
        turn = 0.0 if landed else (np.clip(0.5 * x + speed_x, -0.4, 0.4) - angle) / 2 - spin
        rise = -0.5 * speed_y + (0.0 if landed else 0.5 * (0.55 * abs(x) - y))
        if continuous:
            return np.clip(np.array([20 * rise - 1, -20 * turn]), -1, 1)
        if rise > max(abs(turn), 0.05):
            return 2
        return 3 if turn < -0.05 else 1 if turn > 0.05 else 0

    return lambda: act


class _Walker:
    """Walks, and falls now and then: one leg swings ahead, is put down, and the other one pushes.

    A controller of Gymnasium's kind (its `BipedalWalkerHeuristics` is the model), with targets for
    hips and knees in three phases.
    """

    def __init__(self) -> None:
        self.phase, self.ahead, self.knee = "swing", 0, 0.1

    def __call__(self, state: NDArray[Any]) -> Any:
        """The four torques."""
        s = state.astype(float)
        swing, stand = 4 + 5 * self.ahead, 4 + 5 * (1 - self.ahead)
        hip: list[float | None] = [None, None]
        knee: list[float | None] = [None, None]
        if self.phase == "swing":
            hip[self.ahead], knee[self.ahead] = 1.1, -0.6
            self.knee = min(self.knee + (0.06 if s[2] > 0.29 else 0.03), 0.1)
            knee[1 - self.ahead] = self.knee
            if s[stand] < 0.1:
                self.phase = "put down"
        if self.phase == "put down":
            hip[self.ahead], knee[self.ahead] = 0.1, 0.1
            knee[1 - self.ahead] = self.knee
            if s[swing + 4]:
                self.phase, self.knee = "push", min(s[swing + 2], 0.1)
        if self.phase == "push":
            knee[self.ahead], knee[1 - self.ahead] = self.knee, 1.0
            if s[stand + 2] > 0.88 or s[2] > 0.348:
                self.phase, self.ahead = "swing", 1 - self.ahead
        torques = []
        for side in (0, 1):
            at = 4 + 5 * side
            turn = 0.9 * (hip[side] - s[at]) - 0.25 * s[at + 1] if hip[side] else 0.0
            bend = 4 * (knee[side] - s[at + 2]) - 0.25 * s[at + 3] if knee[side] else 0.0
            torques += [turn + 0.9 * s[0] + 1.5 * s[1], bend - 15 * s[3]]
        return np.clip(0.5 * np.array(torques), -1, 1)


class _Driver:
    """Drives with noise, slowly enough to stay on the road for a while, then too fast."""

    def __init__(self) -> None:
        self.rng, self.step = np.random.default_rng(5), 0

    def __call__(self, picture: NDArray[Any]) -> Any:
        """Steers to the side with more grey ahead."""
        self.step += 1
        grey = np.abs(picture[60:66].astype(int) - 104).max(-1) < 12
        columns = np.nonzero(grey)[1]
        turn = (columns.mean() - 47.5) / 24 if columns.size else self.rng.uniform(-1, 1)
        gas = 0.25 if self.step % 400 < 250 else 1.0
        return np.clip([turn + self.rng.normal(0, 0.1), gas, self.step % 90 > 80], (-1, 0, 0), 1)


_CAR = ("CarRacing-v3", "CarRacing-v3")
_LANDER = ("LunarLander-v3", "LunarLander-v3")
_CONTINUOUS = ("LunarLanderContinuous-v3", "LunarLanderContinuous-v3")
_WALKER = ("BipedalWalker-v3", "BipedalWalker-v3")
_HARDCORE = ("BipedalWalkerHardcore-v3", "BipedalWalkerHardcore-v3")
_WIND = {"enable_wind": True}
_STORM = {"enable_wind": True, "wind_power": 20.0, "turbulence_power": 2.0, "gravity": -6.25}

CASES = (
    Case(*_LANDER),
    Case(*_LANDER, policy=_lander(False)),
    Case("LunarLander-v2", "LunarLander-v3"),
    Case(*_LANDER, {"gravity": -3.7}, policy=_lander(False)),
    Case(*_LANDER, _WIND),
    Case(*_LANDER, _STORM, policy=_lander(False)),
    Case(*_LANDER, {"continuous": True}),
    Case(*_CONTINUOUS),
    Case(*_CONTINUOUS, policy=_lander(True)),
    Case(*_CONTINUOUS, dtype="float64"),
    Case(*_CONTINUOUS, _WIND, policy=_lander(True), dtype="float64"),
    Case(*_LANDER, frames=1),
    Case(*_CONTINUOUS, _WIND, policy=_lander(True), frames=1),
    Case("LunarLanderContinuous-v2", "LunarLanderContinuous-v3"),
    Case(*_WALKER),
    Case(*_WALKER, policy=_Walker),
    Case(*_WALKER, policy=_Walker, dtype="float64"),
    Case(*_WALKER, {"hardcore": True}, dtype="float64"),
    Case(*_HARDCORE),
    Case(*_HARDCORE, policy=_Walker),
    Case(*_WALKER, policy=_Walker, frames=1),
    Case(*_CAR),
    Case("CarRacing-v2", "CarRacing-v3", policy=_Driver),
    Case(*_CAR, policy=_Driver, dtype="float64"),
    Case(*_CAR, {"continuous": False}),
    Case(*_CAR, {"domain_randomize": True, "lap_complete_percent": 0.5}, policy=_Driver),
    Case(*_CAR, policy=_Driver, frames=10),
    # Short episodes: one world over many tracks.
    Case(*_CAR, {"max_episode_steps": 20, "domain_randomize": True}, policy=_Driver),
    Case(*_HARDCORE, policy=_Walker, frames=1),
    # A few steps, before an episode ends elsewhere.
    Case(*_LANDER, steps=20, theirs={"gravity": -10.0001}),
    Case(*_LANDER, _WIND, steps=20, theirs={"wind_power": 15.001}),
    Case(*_CAR, steps=20, theirs={"domain_randomize": True}),
)
