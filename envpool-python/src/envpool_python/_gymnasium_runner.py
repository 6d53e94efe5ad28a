# SPDX-License-Identifier: Apache-2.0
"""GymnasiumRunner: a `gymnasium.Env`."""

from __future__ import annotations

from typing import Any

from ._messages import EnvDescription, WorkerSetup
from ._runner import NEXT_EPISODE, Runner
from ._spaces import reader, writer
from ._values import check_info, flag_of, reset_values, reward_of, step_values


class GymnasiumRunner(Runner):
    """A `gymnasium.Env`."""

    def describe(self) -> EnvDescription:
        """Spaces and metadata."""
        return describe(self.env)

    def open(self, endpoint: Any, setup: WorkerSetup) -> None:
        """Makes the functions that read actions and write observations."""
        super().open(endpoint, setup)
        space = self.env.observation_space
        where = f"env {self.env_id}: the observation"
        self._write = [writer(space, endpoint.states(self.env_id, i), where) for i in range(3)]
        actions = [array[0, ...] for array in endpoint.actions(self.env_id)]  # arrays of one player
        self._read = reader(self.env.action_space, actions)
        self._finish = endpoint.finish_step
        values = ("the reward of step()", "terminated of step()", "truncated of step()", "the info")
        self._names = [f"env {self.env_id}: {value}" for value in values]

    def _step(self, buffer: int) -> None:
        result = self.env.step(self._read())
        if type(result) is not tuple or len(result) != 5:
            result = step_values(self.env_id, result)
        obs, reward, terminated, truncated, info = result
        self._write[buffer](obs)
        if type(reward) is not float:
            reward = reward_of(self._names[0], reward)
        if type(terminated) is not bool:
            terminated = flag_of(self._names[1], terminated)
        if type(truncated) is not bool:
            truncated = flag_of(self._names[2], truncated)
        if type(info) is not dict or info:
            self._set_checked_info(0, info)
        if self._finish(self.env_id, reward, terminated, truncated):
            self._begin_episode(NEXT_EPISODE, 1, self.env.reset())
            self._endpoint.finish_next(self.env_id, 1)

    def _reset(self, buffer: int, request: int) -> None:
        self._begin_episode(buffer, 0, self._call_reset(request))
        self._endpoint.finish_reset(self.env_id, 1)

    def _begin_episode(self, buffer: int, which: int, result: Any) -> None:
        obs, info = reset_values(self.env_id, result)
        self._write[buffer](obs)
        if type(info) is not dict or info:
            self._set_checked_info(which, info)

    def _set_checked_info(self, which: int, info: Any) -> None:
        check_info(self._names[3], info)
        if info:
            self._set_info(which, info)


def describe(env: Any) -> EnvDescription:
    """The description of a `gymnasium.Env`: spaces and metadata."""
    spec = getattr(env, "spec", None)
    metadata = getattr(env, "metadata", None) or {}
    return EnvDescription(
        name=spec.id if spec is not None else type(env.unwrapped).__name__,
        observation_space=env.observation_space,
        action_space=env.action_space,
        render_modes=tuple(metadata.get("render_modes", ())),
        render_fps=metadata.get("render_fps"),
        max_episode_steps=getattr(spec, "max_episode_steps", None),
        reward_threshold=getattr(spec, "reward_threshold", None),
        agent_num=int(getattr(env.unwrapped, "agent_num", 1)),
    )
