#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dm_control 1.0.50 asks for `mujoco>=3.10.0`, without an upper end, and loads no model beside 4.0.0.
#
# pip installs both without a word, and every `suite.load` then raises AttributeError: dm_control's
# list of fields has one of flexible bodies, `flex_vertedge`, that MuJoCo 4.0.0 no longer has. Beside
# 3.17.0 the same call works. Who installs dm_control has to name `mujoco<4`.
#
# Seen with Python 3.11. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
see() {
  python3 -m venv "$folder/$1"
  "$folder/$1/bin/pip" install --quiet "dm_control==1.0.50" "mujoco==$1"
  MUJOCO_GL=disabled "$folder/$1/bin/python" - <<'PY'
import mujoco
from dm_control import suite

try:
    print(mujoco.__version__, suite.load("cartpole", "balance").action_spec().shape)
except AttributeError as error:
    print(mujoco.__version__, error)
PY
}
output=$(see 3.17.0 2>/dev/null; see 4.0.0 2>/dev/null)
echo "version of MuJoCo, and the shape of an action or the error"
echo "$output"
test "$output" = "3.17.0 (1,)
4.0.0 'MjModel' object has no attribute 'flex_vertedge'"
