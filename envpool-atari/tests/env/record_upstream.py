# SPDX-License-Identifier: Apache-2.0
"""Writes data/upstream.npz: checksums of what EnvPool 1.2.5 does in the cases of upstream_cases.py.

    python -m venv peer && peer/bin/pip install envpool==1.2.5
    peer/bin/python record_upstream.py

Two packages of the name envpool cannot live in one process, so the tests read what this recorded.
The newest screen of a result in which the game is over is left out: if the game ends before the
last frame of a step, EnvPool 1.2.5 shows an older image there.
"""

from __future__ import annotations

import json
from pathlib import Path

import envpool
import numpy as np
import upstream_cases

_DATA = Path(__file__).parents[1] / "data"


def main() -> None:
    """Plays all cases; takes some minutes."""
    assert envpool.__version__ == "1.2.5"
    manifest = json.loads((_DATA / "manifest.json").read_text())
    sums = {}
    for case in upstream_cases.cases(sorted(manifest["actions"])):
        pool = envpool.make(
            case.task_id,
            env_type="gymnasium",
            num_envs=upstream_cases.NUM_ENVS,
            seed=upstream_cases.SEED,
            **case.config,
        )
        sums[str(case)] = upstream_cases.digests(
            case, pool, lambda info: info["terminated"].astype(bool)
        )
        print(case, flush=True)
    np.savez_compressed(_DATA / "upstream.npz", allow_pickle=False, **sums)


if __name__ == "__main__":
    main()
