# SPDX-License-Identifier: Apache-2.0
"""Observations, memory, lives, rewards and ends are those of EnvPool 1.2.5, for the same seed.

data/upstream.npz records EnvPool 1.2.5, see record_upstream.py. Two things are left out:
the newest screen of a result in which the game is over, where EnvPool 1.2.5 shows an older image if
the game ended before the last frame of the step; and the lines below 210, which it does not show.
"""

from __future__ import annotations

import json
from pathlib import Path

import envpool
import numpy as np
import pytest
import upstream_cases
from sampling import sampled
from upstream_cases import ARRAYS, BLOCK, Case

_DATA = Path(__file__).parents[1] / "data"
_RECORDED = np.load(_DATA / "upstream.npz")
_TASKS = sorted(json.loads((_DATA / "manifest.json").read_text())["actions"])
_CASES = [*upstream_cases.cases(_TASKS)]


def test_all_cases_are_recorded() -> None:
    assert sorted(map(str, _CASES)) == sorted(_RECORDED)


@pytest.mark.parametrize("case", sampled(_CASES, 50, salt="upstream"), ids=str)
def test_equal(case: Case) -> None:
    with envpool.make(
        case.task_id,
        num_envs=upstream_cases.NUM_ENVS,
        seed=upstream_cases.SEED,
        crop="210",
        **case.config,
    ) as pool:
        ours = upstream_cases.digests(case, pool, lambda info: info["terminated"].astype(bool))
    different = np.argwhere(ours != _RECORDED[str(case)])
    found = [
        f"{ARRAYS[array]} of environment {env} in steps {block * BLOCK} .. "
        for block, env, array in different[:8]
    ]
    assert not found
