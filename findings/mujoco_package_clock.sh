#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where the package `mujoco` 3.17.0 is imported, every mj_step reads a clock some twenty times.
#
# The import sets MuJoCo's callback `mjcb_time`, with which a step takes times of its parts. It is of
# the library, so that others in the process pay as well, and `mujoco.set_mjcb_time(None)` leaves it
# there, although `get_mjcb_time()` is None from the beginning. On a small model a step takes twice
# as long. A benchmark of a C library on MuJoCo must not import the package in the same process.
#
# Seen with Python 3.11. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet "mujoco==3.17.0"
output=$("$folder/bin/python" - <<'PY'
import ctypes
import glob
import os
import sys
import time

import mujoco

model = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body><joint/><geom size='.1' pos='.3 0 0'/></body></worldbody></mujoco>"
)
(path,) = glob.glob(os.path.join(os.path.dirname(mujoco.__file__), "libmujoco.so.*"))
clock = ctypes.c_void_p.in_dll(ctypes.CDLL(path), "mjcb_time")


def show(when):
    data, best = mujoco.MjData(model), 9e9
    for _ in range(5):
        start = time.process_time()
        mujoco.mj_step(model, data, 20000)
        best = min(best, time.process_time() - start)
    timed = data.timer[mujoco.mjtTimer.mjTIMER_STEP].duration > 0
    print(f"{when}: get_mjcb_time() {mujoco.get_mjcb_time()}, steps are timed: {timed}")
    print(f"{when}: {best / 20000 * 1e6:.2f} us a step", file=sys.stderr)


show("after import")
mujoco.set_mjcb_time(None)
show("after set_mjcb_time(None)")
clock.value = None
show("without the callback")
PY
)
echo "$output"
test "$output" = "after import: get_mjcb_time() None, steps are timed: True
after set_mjcb_time(None): get_mjcb_time() None, steps are timed: True
without the callback: get_mjcb_time() None, steps are timed: False"
