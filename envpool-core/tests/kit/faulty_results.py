# SPDX-License-Identifier: Apache-2.0
"""Pools whose results differ from those that environments wrote; see fault_injection.py."""

from __future__ import annotations

import dm_env
import numpy as np
from fault_injection import FaultyPool, tree_map


class LosesRow(FaultyPool):
    """The last row of a batch does not arrive."""

    def change(self, result):
        return tree_map(lambda array: array[:-1], result)


class RepeatsRow(FaultyPool):
    """An asynchronous batch has its first row twice."""

    def change(self, result):
        return tree_map(lambda array: array[np.arange(len(array)) // 2], result)


class KeepsBuffers(FaultyPool):
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


class OverlapsArrays(FaultyPool):
    """Two arrays of the info lie in the same memory."""

    def change(self, result):
        info = result[-1]
        both = np.append(info["side"], np.int32(0))
        both[1:] = info["elapsed_step"]
        info["side"], info["elapsed_step"] = both[:-1], both[1:]
        return result


class ReadOnly(FaultyPool):
    """Results cannot be written."""

    def change(self, result):
        tree_map(lambda array: array.setflags(write=False), result)
        return result


class NeverTruncates(FaultyPool):
    """The limit ends episodes without saying so."""

    def change(self, result):
        if len(result) == 5:
            result[3][...] = False
        return result


class LosesTermination(FaultyPool):
    """A terminal state on the last step is the time limit only."""

    def change(self, result):
        if len(result) == 5:
            result[2][result[3]] = False
        return result


class CountsTwice(FaultyPool):
    """elapsed_step goes up by two."""

    def change(self, result):
        if isinstance(result[-1], dict):
            result[-1]["elapsed_step"] *= 2
        return result


class ThreadsMatter(FaultyPool):
    """Two threads see another world."""

    def change(self, result):
        if self.config["num_threads"] == 2:
            result[0][..., 0] += 1
        return result


class BatchesMatter(FaultyPool):
    """Asynchronous pools see another world."""

    def change(self, result):
        if self.config["batch_size"] < self.config["num_envs"]:
            result[0][..., 0] += 1
        return result


class FlavoursMatter(FaultyPool):
    """dm_env sees another world."""

    def change(self, result):
        if isinstance(result, dm_env.TimeStep):
            result.observation.obs[..., 0] += 1
        return result


class StartsWithStep(FaultyPool):
    """The first step without a reset is said to be one."""

    started = False

    def change(self, result):
        if not self.started and len(result) == 5:
            result[4]["elapsed_step"] += 1
        self.started = True
        return result


class FinalIsNext(FaultyPool):
    """final_obs is the first observation of the next episode."""

    def change(self, result):
        if len(result) == 5 and "final_obs" in result[4]:
            result[4]["final_obs"] = result[0].copy()
        return result


class AddsKey(FaultyPool):
    """The info has a key that is in no spec."""

    def change(self, result):
        if isinstance(result[-1], dict):
            result[-1]["extra"] = np.zeros(len(result[0]))
        return result


class LosesMask(FaultyPool):
    """A key of the info has no mask."""

    def change(self, result):
        if isinstance(result[-1], dict):
            result[-1].pop("_side", None)
        return result


class DmIsWide(FaultyPool):
    """dm_env gets float64."""

    def change(self, result):
        if not isinstance(result, dm_env.TimeStep):
            return result
        wide = result.observation._replace(obs=result.observation.obs.astype(np.float64))
        return result._replace(reward=result.reward.astype(np.float64), observation=wide)
