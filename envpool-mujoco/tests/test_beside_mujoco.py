# SPDX-License-Identifier: Apache-2.0
"""Beside the installed package `mujoco`, imported in either order.

The session `beside` runs this file with versions other than the wheel's library.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import pytest
from envpool_mujoco import _mujoco

BALL = "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"


@pytest.mark.parametrize("first", ["mujoco", "envpool"])
def test_beside_mujoco(first: str, in_new_process: Callable[[str], str]) -> None:
    """An equal version is loaded once for both; each side gets its own messages."""
    imports = {"mujoco": "import mujoco", "envpool": "import envpool"}
    second = next(name for name in imports if name != first)
    code = f"""
{imports[first]}
{'pool = envpool.make("Ant-v5"); pool.reset()' if first == "envpool" else ""}
{imports[second]}
pool = envpool.make("Ant-v5", seed=3)
print("starts:", pool.reset()[0][0, :3])
try:
    mujoco.MjModel.from_xml_string("<mujoco><bad/></mujoco>")
except ValueError as error:
    print("mujoco:", str(error).splitlines()[0])
try:
    envpool.make("MujocoXml-v0", xml_file="<mujoco><bad/></mujoco>")
except envpool.errors.ConfigError as error:
    print("envpool:", "unrecognized element" in str(error))
model = mujoco.MjModel.from_xml_string({BALL!r})
data = mujoco.MjData(model)
data.qpos[0] = float("nan")
mujoco.mj_step(model, data)
print("warned:", data.warning[int(mujoco.mjtWarning.mjWARN_BADQPOS)].number)
mapped = [line.split()[-1] for line in open("/proc/self/maps")]
print("libraries:", len({{path for path in mapped if "libmujoco.so" in path}}))
"""
    # Old versions print their warnings, too.
    said = dict(line.split(": ", 1) for line in in_new_process(code).splitlines() if ": " in line)
    same = mujoco.__version__ == _mujoco.mujoco_version()
    assert said["starts"].startswith("[")
    assert said["mujoco"].startswith("XML Error")
    assert said["envpool"] == "True"
    assert said["warned"] == "1"
    assert said["libraries"] == ("1" if same else "2")
