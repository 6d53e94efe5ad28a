# SPDX-License-Identifier: Apache-2.0
"""Pools whose calls do something else than they should; see fault_injection.py."""

from __future__ import annotations

import contextlib
import math
import time

import dm_env
import numpy as np
from envpool.errors import ActionError, EnvIdError, SavedStateError
from fault_injection import FaultyPool, tree_map


class IgnoresSeedOfReset(FaultyPool):
    """`reset(seed=...)` is `reset()`."""

    def reset(self, env_id=None, seed=None):
        return self.pool.reset(env_id, None)


class ResetIsStale(FaultyPool):
    """The results of sends before a reset come after it."""

    stale = None

    def async_reset(self, env_id=None, seed=None):
        if self.pool.num_in_flight == self.config["num_envs"]:
            self.stale = self.pool.recv()
        self.pool.async_reset(env_id, seed)

    def recv(self, reset=False, timeout=None):
        stale, self.stale = self.stale, None
        return stale if stale is not None else self.pool.recv(reset, timeout)


class IgnoresPlayers(FaultyPool):
    """The rows of an action are in the order of the ids, whatever `players.env_id` says."""

    def step(self, action, env_id=None):
        if isinstance(action, dict):
            action = {key: rows for key, rows in action.items() if key != "players.env_id"}
        return self.pool.step(action, env_id)


class StepReceivesAll(FaultyPool):
    """A step of no environment returns results in flight."""

    def step(self, action, env_id=None):
        none = env_id is not None and len(env_id) == 0
        return self.pool.recv() if none else self.pool.step(action, env_id)


class StartsUnasked(FaultyPool):
    """The first step of an environment is its reset, in every mode."""

    has_begun = False

    def reset(self, env_id=None, seed=None):
        self.has_begun = True
        return self.pool.reset(env_id, seed)

    def step(self, action, env_id=None):
        if not self.has_begun:
            self.reset()
        return self.pool.step(action, env_id)


class ReadsActionsLate(FaultyPool):
    """`send` keeps the caller's array and looks at it in `recv`."""

    late = ()

    def send(self, action, env_id=None):
        self.late = (*self.late, (action, env_id))

    def recv(self, reset=False, timeout=None):
        for action, env_id in self.late:
            self.pool.send(action, env_id)
        self.late = ()
        return self.pool.recv(reset, timeout)


class HoldsBack(FaultyPool):
    """`recv` of single rows has the first one of environment 0 only after some seconds."""

    seconds = math.inf

    def __init__(self, pool, config):
        super().__init__(pool, config)
        self.held, self.until = None, time.monotonic() + self.seconds

    def recv(self, reset=False, timeout=None):
        late = time.monotonic() > self.until
        if late and self.held is not None:
            held, self.held = self.held, None
            return held
        result = self.pool.recv(reset, timeout)
        if not late and self.config["batch_size"] == 1 and result[-1]["env_id"][0] == 0:
            self.held, result = result, self.pool.recv(reset, timeout)
        return result


class IsLateOnce(HoldsBack):
    """It is there after a second."""

    seconds = 1.0


class AcceptsActions(FaultyPool):
    """A wrong action is as good as 0."""

    def step(self, action, env_id=None):
        try:
            return self.pool.step(action, env_id)
        except ActionError:
            return self.pool.step([0] * self.config["num_envs"], env_id)


class AcceptsIds(FaultyPool):
    """Wrong ids stand for environment 0."""

    def step(self, action, env_id=None):
        try:
            return self.pool.step(action, env_id)
        except EnvIdError:
            return self.pool.step([0], [0])


class RaisesOtherClass(FaultyPool):
    """A plain ValueError for a wrong action."""

    def step(self, action, env_id=None):
        try:
            return self.pool.step(action, env_id)
        except ActionError as error:
            raise ValueError(str(error)) from None


class SaysNothing(FaultyPool):
    """The right class, and a message without help."""

    def step(self, action, env_id=None):
        try:
            return self.pool.step(action, env_id)
        except ActionError:
            raise ActionError("invalid action") from None


class NamesNothing(FaultyPool):
    """A message with all parts that does not name the wrong value."""

    def step(self, action, env_id=None):
        try:
            return self.pool.step(action, env_id)
        except ActionError:
            raise ActionError("it: got that; allowed: this. Do so.") from None


class StepsBeforeRefusal(FaultyPool):
    """A wrong action is refused after environment 0 has moved."""

    def step(self, action, env_id=None):
        try:
            return self.pool.step(action, env_id)
        except ActionError:
            self.pool.step([0], [0])
            raise


class NeverTimesOut(FaultyPool):
    """A wrong timeout is none."""

    def recv(self, reset=False, timeout=None):
        return self.pool.recv(reset, None if timeout is None else max(timeout, 0))


class NeverCloses(FaultyPool):
    """A closed pool goes on."""

    def close(self):
        pass


class IgnoresLoad(FaultyPool):
    """`load_state` checks states and leaves them alone."""

    def load_state(self, states, env_ids):
        before = self.pool.save_state(env_ids)
        self.pool.load_state(states, env_ids)
        self.pool.load_state(before, env_ids)


class AcceptsDamage(FaultyPool):
    """Damaged states are passed over."""

    def load_state(self, states, env_ids):
        with contextlib.suppress(SavedStateError):
            self.pool.load_state(states, env_ids)


class DrawsFloats(FaultyPool):
    """Frames are numbers from 0 to 1."""

    def render(self, env_ids, width, height, camera_id):
        return self.pool.render(env_ids, width, height, camera_id) / np.float32(255)


class RefusesLists(FaultyPool):
    """Actions have to be arrays."""

    def step(self, action, env_id=None):
        arrays = action.values() if isinstance(action, dict) else [action]
        if any(isinstance(array, list) for array in arrays):
            raise ActionError("a list")
        return self.pool.step(action, env_id)


class WantsPlayersTold(FaultyPool):
    """Rows of several players have to come with players.env_id."""

    def step(self, action, env_id=None):
        if "players.env_id" not in action:
            raise ActionError("whose rows?")
        return self.pool.step(action, env_id)


class SortsRows(FaultyPool):
    """Rows come in the order of the environments, whatever was asked."""

    def step(self, action, env_id=None):
        if env_id is None:
            return self.pool.step(action)
        order = np.argsort(env_id)
        return self.pool.step(action[order], np.asarray(env_id)[order])


class ResetsAll(FaultyPool):
    """A reset of some environments resets all."""

    def reset(self, env_id=None, seed=None):
        result = self.pool.reset(None, seed)
        return result if env_id is None else tree_map(lambda array: array[env_id], result)


class ResetPays(FaultyPool):
    """A reset has a reward in dm_env."""

    def reset(self, env_id=None, seed=None):
        result = self.pool.reset(env_id, seed)
        if isinstance(result, dm_env.TimeStep):
            result.reward[...] = 1
        return result


class SplitsBatches(FaultyPool):
    """`recv` returns the rows of one `send` only, and loses the others."""

    sent = None

    def send(self, action, env_id=None):
        self.sent = 0 if env_id is None else len(env_id)
        self.pool.send(action, env_id)

    def recv(self, reset=False, timeout=None):
        result = self.pool.recv(reset, timeout)
        if self.config["batch_size"] < self.config["num_envs"] or not self.sent:
            return result
        return tree_map(lambda array: array[-self.sent :], result)
