#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# MuJoCo 3.17.0: whether a member of an enum equals a NumPy integer depends on the side.
#
# A member, as mujoco.mjtJoint.mjJNT_HINGE, equals the Python int 3, and `np.int32(3) == member` is
# true, but `member == np.int32(3)` is false: an element of model.jnt_type has to stand on the left.
# In MuJoCo 3.3.0 both are true. Code that compares an element of a model's array with a member, in
# that order, works with both; the other order, and `in` or dict look-ups by such elements, fail
# without an error. gymnasium-robotics 1.4.2 has such a comparison.
#
# Seen with Python 3.11 and NumPy 2.3.5. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
see() {
  python3 -m venv "$folder/$1"
  "$folder/$1/bin/pip" install --quiet "mujoco==$1" "numpy==2.3.5"
  "$folder/$1/bin/python" - <<'PY'
import mujoco
import numpy as np

member, element = mujoco.mjtJoint.mjJNT_HINGE, np.int32(3)
print(mujoco.__version__, bool(element == member), bool(member == element), member == 3)
PY
}
output=$(see 3.3.0; see 3.17.0)
echo "version, element == member, member == element, member == 3"
echo "$output"
test "$output" = "3.3.0 True True True
3.17.0 True False True"
