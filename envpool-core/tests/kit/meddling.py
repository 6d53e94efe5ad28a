# SPDX-License-Identifier: Apache-2.0
"""Pools that break one promise each: someone meddles with what goes in and out of a healthy pool.

Each class says what it does; test_kit_flaws.py says which checks have to notice.
"""

from __future__ import annotations

import contextlib

import dm_env
import numpy as np
import walks
from envpool.errors import ActionError, ConfigError, EnvIdError, SavedStateError


class Raw:
    """A RawPool that passes everything on; results go through `change`."""

    def __init__(self, raw, config):
        self.raw, self.config = raw, config

    def __getattr__(self, name):  # noqa: D105
        return getattr(self.raw, name)

    def change(self, result):
        return result

    def step(self, action, env_id=None):
        return self.change(self.raw.step(action, env_id))

    def recv(self, reset=False, timeout=None):
        return self.change(self.raw.recv(reset, timeout))

    def reset(self, env_id=None, seed=None):
        return self.change(self.raw.reset(env_id, seed))


class EnvType:
    """The compiled Walk, with meddled pools."""

    def __init__(self, raw=Raw, autoreset_mode=None, **facts):
        self.raw, self.autoreset_mode = raw, autoreset_mode
        self.__dict__.update(facts)

    def __getattr__(self, name):  # noqa: D105
        return getattr(walks.Walk, name)

    def make(self, config, task_id, autoreset_mode):
        mode = self.autoreset_mode or autoreset_mode
        return self.raw(walks.Walk.make(config, task_id, mode), config)


def tree_map(function, tree):
    if isinstance(tree, dict):
        return {key: tree_map(function, leaf) for key, leaf in tree.items()}
    if isinstance(tree, tuple):
        leaves = [tree_map(function, leaf) for leaf in tree]
        return type(tree)(*leaves) if hasattr(tree, "_fields") else tuple(leaves)
    return function(tree)


class LosesRow(Raw):
    """The last row of a batch does not arrive."""

    def change(self, result):
        return tree_map(lambda array: array[:-1], result)


class RepeatsRow(Raw):
    """An asynchronous batch has its first row twice."""

    def change(self, result):
        return tree_map(lambda array: array[np.arange(len(array)) // 2], result)


class KeepsBuffers(Raw):
    """All results are in the same arrays."""

    buffers = None

    def change(self, result):
        arrays = []
        tree_map(arrays.append, result)
        if self.buffers is None or len(arrays) != len(self.buffers):
            self.buffers = [array.copy() for array in arrays]
        rest = iter(self.buffers)

        def keep(array):
            buffer = next(rest)
            buffer[...] = array
            return buffer

        return tree_map(keep, result)


class OverlapsArrays(Raw):
    """Two arrays of the info lie in the same memory."""

    def change(self, result):
        info = result[-1]
        both = np.append(info["side"], np.int32(0))
        both[1:] = info["elapsed_step"]
        info["side"], info["elapsed_step"] = both[:-1], both[1:]
        return result


class ReadOnly(Raw):
    """Results cannot be written."""

    def change(self, result):
        tree_map(lambda array: array.setflags(write=False), result)
        return result


class IgnoresSeedOfReset(Raw):
    """`reset(seed=...)` is `reset()`."""

    def reset(self, env_id=None, seed=None):
        return self.raw.reset(env_id, None)


class ResetIsStale(Raw):
    """What was sent before a reset comes after it."""

    stale = None

    def async_reset(self, env_id=None, seed=None):
        if self.raw.num_in_flight == self.config["num_envs"]:
            self.stale = self.raw.recv()
        self.raw.async_reset(env_id, seed)

    def recv(self, reset=False, timeout=None):
        stale, self.stale = self.stale, None
        return stale if stale is not None else self.raw.recv(reset, timeout)


class ReadsActionsLate(Raw):
    """`send` keeps the caller's array and looks at it in `recv`."""

    late = ()

    def send(self, action, env_id=None):
        self.late = (*self.late, (action, env_id))

    def recv(self, reset=False, timeout=None):
        for action, env_id in self.late:
            self.raw.send(action, env_id)
        self.late = ()
        return self.raw.recv(reset, timeout)


class AcceptsActions(Raw):
    """A wrong action is as good as 0."""

    def step(self, action, env_id=None):
        try:
            return self.raw.step(action, env_id)
        except ActionError:
            return self.raw.step([0] * self.config["num_envs"], env_id)


class AcceptsIds(Raw):
    """Wrong ids stand for environment 0."""

    def step(self, action, env_id=None):
        try:
            return self.raw.step(action, env_id)
        except EnvIdError:
            return self.raw.step([0], [0])


class RaisesOtherClass(Raw):
    """A plain ValueError for a wrong action."""

    def step(self, action, env_id=None):
        try:
            return self.raw.step(action, env_id)
        except ActionError as error:
            raise ValueError(str(error)) from None


class SaysNothing(Raw):
    """The right class, and a message that helps nobody."""

    def step(self, action, env_id=None):
        try:
            return self.raw.step(action, env_id)
        except ActionError:
            raise ActionError("invalid action") from None


class NamesNothing(Raw):
    """A message with all parts that does not name what was wrong."""

    def step(self, action, env_id=None):
        try:
            return self.raw.step(action, env_id)
        except ActionError:
            raise ActionError("it: got that; allowed: this. Do so.") from None


class StepsBeforeRefusal(Raw):
    """A wrong action is refused after environment 0 has moved."""

    def step(self, action, env_id=None):
        try:
            return self.raw.step(action, env_id)
        except ActionError:
            self.raw.step([0], [0])
            raise


class AcceptsSeeds(Raw):
    """A wrong seed is no seed."""

    def reset(self, env_id=None, seed=None):
        try:
            return self.raw.reset(env_id, seed)
        except ConfigError:
            return self.raw.reset(env_id)


class NeverTruncates(Raw):
    """The limit ends episodes without saying so."""

    def change(self, result):
        if len(result) == 5:
            result[3][...] = False
        return result


class LosesTermination(Raw):
    """A terminal state on the last step is the time limit only."""

    def change(self, result):
        if len(result) == 5:
            result[2][result[3]] = False
        return result


class CountsTwice(Raw):
    """elapsed_step goes up by two."""

    def change(self, result):
        if isinstance(result[-1], dict):
            result[-1]["elapsed_step"] *= 2
        return result


class NeverCloses(Raw):
    """A closed pool goes on."""

    def close(self):
        pass


class IgnoresLoad(Raw):
    """`load_state` checks states and leaves them alone."""

    def load_state(self, states, env_ids):
        before = self.raw.save_state(env_ids)
        self.raw.load_state(states, env_ids)
        self.raw.load_state(before, env_ids)


class AcceptsDamage(Raw):
    """Damaged states are passed over."""

    def load_state(self, states, env_ids):
        with contextlib.suppress(SavedStateError):
            self.raw.load_state(states, env_ids)


class DrawsFloats(Raw):
    """Pictures are numbers from 0 to 1."""

    def render(self, env_ids, width, height, camera_id):
        return self.raw.render(env_ids, width, height, camera_id) / np.float32(255)


class ThreadsMatter(Raw):
    """Two threads see another world."""

    def change(self, result):
        if self.config["num_threads"] == 2:
            result[0][..., 0] += 1
        return result


class BatchesMatter(Raw):
    """Asynchronous pools see another world."""

    def change(self, result):
        if self.config["batch_size"] < self.config["num_envs"]:
            result[0][..., 0] += 1
        return result


class FlavoursMatter(Raw):
    """dm_env sees another world."""

    def change(self, result):
        if isinstance(result, dm_env.TimeStep):
            result.observation.obs[..., 0] += 1
        return result


class RefusesLists(Raw):
    """Actions have to be arrays."""

    def step(self, action, env_id=None):
        if isinstance(action, list):
            raise ActionError("a list")
        return self.raw.step(action, env_id)


class SortsRows(Raw):
    """Rows come in the order of the environments, whatever was asked."""

    def step(self, action, env_id=None):
        if env_id is None:
            return self.raw.step(action)
        order = np.argsort(env_id)
        return self.raw.step(action[order], np.asarray(env_id)[order])


class ResetsAll(Raw):
    """A reset of some environments resets all."""

    def reset(self, env_id=None, seed=None):
        result = self.raw.reset(None, seed)
        return result if env_id is None else tree_map(lambda array: array[env_id], result)


class StartsWithStep(Raw):
    """The first step without a reset is said to be one."""

    started = False

    def change(self, result):
        if not self.started and len(result) == 5:
            result[4]["elapsed_step"] += 1
        self.started = True
        return result


class FinalIsNext(Raw):
    """final_obs is the first observation of the next episode."""

    def change(self, result):
        if len(result) == 5 and "final_obs" in result[4]:
            result[4]["final_obs"] = result[0].copy()
        return result


class AddsKey(Raw):
    """The info has a key that is in no spec."""

    def change(self, result):
        if isinstance(result[-1], dict):
            result[-1]["extra"] = np.zeros(len(result[0]))
        return result


class LosesMask(Raw):
    """A key of the info has no mask."""

    def change(self, result):
        if isinstance(result[-1], dict):
            result[-1].pop("_side", None)
        return result


class DmIsWide(Raw):
    """dm_env gets float64."""

    def change(self, result):
        if not isinstance(result, dm_env.TimeStep):
            return result
        wide = result.observation._replace(obs=result.observation.obs.astype(np.float64))
        return result._replace(reward=result.reward.astype(np.float64), observation=wide)


class ResetPays(Raw):
    """A reset has a reward in dm_env."""

    def reset(self, env_id=None, seed=None):
        result = self.raw.reset(env_id, seed)
        if isinstance(result, dm_env.TimeStep):
            result.reward[...] = 1
        return result


class SplitsBatches(Raw):
    """`recv` returns the rows of one `send` only, and loses the others."""

    sent = None

    def send(self, action, env_id=None):
        self.sent = 0 if env_id is None else len(env_id)
        self.raw.send(action, env_id)

    def recv(self, reset=False, timeout=None):
        result = self.raw.recv(reset, timeout)
        if self.config["batch_size"] < self.config["num_envs"] or not self.sent:
            return result
        return tree_map(lambda array: array[-self.sent :], result)


ENV = EnvType()
