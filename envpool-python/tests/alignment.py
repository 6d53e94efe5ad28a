# SPDX-License-Identifier: Apache-2.0
"""A pool beside `gymnasium.vector.SyncVectorEnv`, for tools/fidelity.py and for tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import envpool
import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from references import Case

UNIT = "steps"
LIMIT = 100  # steps of an episode at most, so that there are ends to compare
NUM_ENVS = 3
MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


def assert_equal(ours: Any, theirs: Any, where: str) -> None:
    """Equal in structure, dtype, shape and value; a lone number may be of Python or of NumPy."""
    if isinstance(theirs, (int, float, np.generic)) or getattr(theirs, "shape", None) == ():
        assert ours == theirs, (where, ours, theirs)
        return
    assert isinstance(ours, type(theirs)) or isinstance(theirs, type(ours)), (where, ours, theirs)
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), (where, ours, theirs)
        for key in theirs:
            assert_equal(ours[key], theirs[key], f"{where}[{key!r}]")
    elif isinstance(theirs, tuple):
        assert len(ours) == len(theirs), where
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_equal(one, other, f"{where}[{i}]")
    elif isinstance(theirs, np.ndarray) and theirs.dtype != object:
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (where, ours, theirs)
        np.testing.assert_array_equal(ours, theirs, where)
    elif isinstance(theirs, np.ndarray):
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_equal(one, other, f"{where}[{i}]")
    else:
        assert ours == theirs, (where, ours, theirs)


def without_steps(info: dict[str, Any]) -> dict[str, Any]:
    """An info of a pool without the keys that SyncVectorEnv lacks."""
    counts = ("elapsed_step", "_elapsed_step")
    own = {key: value for key, value in info.items() if key not in counts}
    if "final_info" in own:
        own["final_info"] = without_steps(own["final_info"])
        if not own["final_info"]:  # which SyncVectorEnv has, empty, as well
            own["final_info"] = {}
    return own


def compare(pool: Any, reference: SyncVectorEnv, mode: str, steps: int, seed: int = 5) -> int:
    """Steps both side by side; returns the number of ended episodes."""
    obs, info = pool.reset(seed=seed)
    their_obs, their_info = reference.reset(seed=seed)
    assert_equal(obs, their_obs, "reset")
    assert_equal(without_steps(info), their_info, "info of reset")
    reference.action_space.seed(seed)
    ended = 0
    for step in range(steps):
        action = reference.action_space.sample()
        obs, reward, terminated, truncated, info = pool.step(action)
        theirs = reference.step(action)
        assert_equal(obs, theirs[0], f"observation {step}")
        assert_equal(reward, theirs[1].astype(np.float32), f"reward {step}")
        assert_equal(terminated, theirs[2], f"terminated {step}")
        assert_equal(truncated, theirs[3], f"truncated {step}")
        assert_equal(without_steps(info), theirs[4], f"info {step}")
        over = terminated | truncated
        ended += int(over.sum())
        if mode == "disabled" and over.any():
            obs, info = pool.reset(options={"reset_mask": over})
            theirs = reference.reset(options={"reset_mask": over})
            assert_equal(obs, theirs[0], f"partial reset {step}")
            assert_equal(without_steps(info), theirs[1], f"info of partial reset {step}")
    return ended


@dataclass
class Alignment:
    """The comparisons and their differences."""

    steps: int
    ends: int = 0
    modes: dict[str, str] = field(default_factory=dict)

    def columns(self) -> dict[str, str]:
        """Names and contents of the table's columns."""
        return {
            "steps": f"{NUM_ENVS} x {self.steps}",
            "episodes ended": str(self.ends),
            **self.modes,
        }


def align(case: Case, steps: int) -> Alignment:
    """Plays a task in each autoreset mode."""
    found = Alignment(steps)
    options = {"max_episode_steps": LIMIT}
    for mode, name in MODES.items():
        make = [lambda: gymnasium.make(case.id, **options)] * NUM_ENVS
        reference = SyncVectorEnv(make, autoreset_mode=name)
        with envpool.make(
            str(case), "vector", num_envs=NUM_ENVS, autoreset_mode=mode, **options
        ) as pool:
            try:
                found.ends += compare(pool, reference, mode, found.steps)
                found.modes[mode] = "equal"
            except AssertionError as error:
                found.modes[mode] = str(error).splitlines()[0]
        reference.close()
    return found
