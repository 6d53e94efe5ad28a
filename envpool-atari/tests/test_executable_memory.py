# SPDX-License-Identifier: Apache-2.0
"""If a system forbids a program to execute memory that it wrote, the interpreter plays the same."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_PROGRAM = """
import ctypes, hashlib, sys
PR_SET_MDWE, REFUSE = 65, 1  # of Linux 6.3 and newer
if sys.argv[1] == "refused" and ctypes.CDLL(None).prctl(PR_SET_MDWE, REFUSE, 0, 0, 0):
    sys.exit(77)
import envpool, numpy as np
pool = envpool.make("Pong-v5", num_envs=2, num_threads=1, seed=1)
pool.reset()
played = hashlib.sha256()
for i in range(200):
    played.update(pool.step(np.full(2, i % 6))[0].tobytes())
maps = [line.split() for line in open("/proc/self/maps")]
print(played.hexdigest(), sum(one[1] == "r-xp" and len(one) == 5 for one in maps))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be asked to refuse")
def test_a_system_that_refuses_executable_memory() -> None:
    allowed, refused = (
        subprocess.run([sys.executable, "-c", _PROGRAM, how], capture_output=True, text=True)
        for how in ("allowed", "refused")
    )
    assert allowed.returncode == 0, allowed.stderr
    if refused.returncode == 77:
        pytest.skip("this kernel cannot refuse it: PR_SET_MDWE came with Linux 6.3")
    assert refused.returncode == 0, refused.stderr
    (played, made), (played_by_interpreter, none) = allowed.stdout.split(), refused.stdout.split()
    assert played == played_by_interpreter
    assert int(none) == 0
    assert int(made) == (platform.machine() == "x86_64")
