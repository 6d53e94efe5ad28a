# SPDX-License-Identifier: Apache-2.0
"""Users' models: plugins, files that change, and a system that allows no more threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import envpool
import mujoco
import numpy as np
import pytest

TASK = "MujocoXml-v0"
PID = """<mujoco>
  <extension><plugin plugin="mujoco.pid"><instance name="pid">
    <config key="kp" value="20"/><config key="ki" value="5"/><config key="kd" value="0.5"/>
  </instance></plugin></extension>
  <worldbody><body><joint name="hinge" damping="1"/>
    <geom size="0.1 0.2" type="capsule" pos="0.1 0 0"/></body></worldbody>
  <actuator><plugin joint="hinge" plugin="mujoco.pid" instance="pid" actdim="1"/></actuator>
</mujoco>"""
CABLE = """<mujoco>
  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
  <worldbody><composite type="cable" curve="s" count="8 1 1" size="1" offset="0 0 1" initial="none">
    <plugin plugin="mujoco.elasticity.cable">
      <config key="twist" value="1e7"/><config key="bend" value="4e6"/></plugin>
    <joint kind="main" damping=".015"/><geom type="capsule" size=".005" density="1000"/>
  </composite></worldbody>
</mujoco>"""
TOUCH = """<mujoco>
  <extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
  <worldbody><geom type="plane" size="1 1 .1"/><body pos="0 0 0.09"><freejoint/>
    <geom size="0.1"/><site name="skin" size="0.1"/></body></worldbody>
  <sensor><plugin name="touch" plugin="mujoco.sensor.touch_grid" objtype="site" objname="skin">
    <config key="size" value="4 4"/><config key="fov" value="120 90"/>
    <config key="gamma" value="0"/><config key="nchannel" value="3"/></plugin></sensor>
</mujoco>"""
SDF = """<mujoco>
  <extension><plugin plugin="mujoco.sdf.torus"><instance name="torus">
    <config key="radius1" value="0.35"/><config key="radius2" value="0.15"/>
  </instance></plugin></extension>
  <asset><mesh name="torus"><plugin instance="torus"/></mesh></asset>
  <worldbody><geom type="plane" size="3 3 .1"/><body pos="0 0 1"><freejoint/>
    <geom type="sdf" mesh="torus"><plugin instance="torus"/></geom></body></worldbody>
</mujoco>"""
BOX = "v {0} {0} 0\nv -{0} {0} 0\nv -{0} -{0} 0\nv {0} -{0} 0\nv 0 0 {0}\n"
FACES = "f 1 2 3\nf 1 3 4\nf 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n"
MESH = """<mujoco><asset><mesh name="shape" file="shape.obj"/></asset>
  <worldbody><body><joint axis="0 1 0" pos="1 0 0"/><geom type="mesh" mesh="shape"/></body>
  </worldbody></mujoco>"""


@pytest.mark.parametrize("text", [PID, CABLE, TOUCH, SDF], ids=["pid", "cable", "touch", "sdf"])
def test_plugins_simulate_as_in_mujoco(text: str) -> None:
    """States and sensors are those of the package `mujoco`, which uses the same plugins."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    options = {"observation": ["qpos", "qvel", "sensordata"], "xml_file": text}
    with envpool.make(TASK, num_envs=2, **options) as pool:
        obs = pool.reset()[0]
        for _ in range(60):
            want = np.concatenate((data.qpos, data.qvel, data.sensordata))
            np.testing.assert_array_equal(obs, [want, want])
            obs = pool.step(np.full((2, model.nu), 0.4, np.float32))[0]
            data.ctrl[:] = np.float32(0.4)
            mujoco.mj_step(model, data)
            mujoco.mj_forward(model, data)


@pytest.mark.parametrize("first", ["envpool", "mujoco", "none"])
def test_plugins_are_loaded_once(first: str) -> None:
    """A second copy of a plugin would end the process. "none": the package is not on the path."""
    code = f"""
{"import mujoco" if first == "mujoco" else ""}
import envpool_mujoco._plugins as plugins
if {first == "none"}:
    plugins.find_spec = lambda name: None
import envpool
envpool.make("MujocoXml-v0", num_envs=1, xml_file={PID!r}).close()
{"import mujoco" if first == "envpool" else ""}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_changed_mesh_is_read_anew(tmp_path: Path) -> None:
    """Also a file of the same size, changed at once, with its old time restored."""
    (tmp_path / "model.xml").write_text(MESH)
    mesh = tmp_path / "shape.obj"
    velocities = []
    times = None
    for size in (1, 2):
        mesh.write_text(BOX.format(size) + FACES)
        times = times or (mesh.stat().st_atime_ns, mesh.stat().st_mtime_ns)
        os.utime(mesh, ns=times)
        with envpool.make(TASK, num_envs=1, xml_file=str(tmp_path / "model.xml")) as pool:
            pool.reset()
            for _ in range(50):
                obs = pool.step(np.zeros((1, 0), np.float32))[0]
        velocities.append(obs[0, 1])
    assert velocities[0] != velocities[1]


def test_no_threads_are_left() -> None:
    """If the system refuses threads, MuJoCo compiles a model without them: it once aborted."""
    meshes = "".join(
        f'<mesh name="m{i}" vertex="0 0 0 1 0 0 0 1 0 0 0 {i + 1}"/>' for i in range(8)
    )
    geoms = "".join(f'<geom type="mesh" mesh="m{i}"/>' for i in range(8))
    body = f"<body><joint/>{geoms}</body>"
    text = f"<mujoco><asset>{meshes}</asset><worldbody>{body}</worldbody></mujoco>"
    code = f"""
import os, resource
import envpool, numpy
from envpool.errors import EnvPoolError
envpool.make("MujocoXml-v0", num_envs=1).close()
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
if os.geteuid() == 0:  # whom the limit does not concern
    os.setgid(65534)
    os.setuid(65534)
print(envpool.make_spec("MujocoXml-v0", xml_file={text!r}).observation_space.shape)
try:
    envpool.make("MujocoXml-v0", xml_file={text!r}, num_envs=4, num_threads=4).close()
except EnvPoolError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "(2,)" in done.stdout
