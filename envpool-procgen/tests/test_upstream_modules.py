# SPDX-License-Identifier: Apache-2.0
"""The classes of EnvPool 1.2.5 by their names: `envpool.procgen`."""

from __future__ import annotations

import numpy as np


def test_classes() -> None:
    from envpool import procgen

    assert sorted(procgen.__all__) == [
        "ProcgenDMEnvPool",
        "ProcgenEnvSpec",
        "ProcgenGymnasiumEnvPool",
    ]
    spec_class = procgen.ProcgenEnvSpec
    spec = spec_class(spec_class.gen_config(env_name="maze", num_envs=2))
    with procgen.ProcgenGymnasiumEnvPool(spec) as pool:
        assert pool.reset()[0].shape == (2, 3, 64, 64)
        obs, *_ = pool.step(np.array([1, 2]))
        assert obs.dtype == np.uint8
