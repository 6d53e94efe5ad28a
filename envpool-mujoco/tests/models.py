# SPDX-License-Identifier: Apache-2.0
"""Models of the tests."""

from __future__ import annotations

CART = """<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" range="-2 2" limited="true"/>
      <geom size=".1" mass="1"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 .6" size=".03" mass=".2"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="slide" gear="10" ctrlrange="-1 1" ctrllimited="true"/></actuator>
  <sensor>
    <jointpos name="x" joint="slide"/>
    <jointpos name="angle" joint="hinge"/>
    <framepos name="place" objtype="body" objname="pole"/>
  </sensor>
  <keyframe><key name="leaning" qpos="0.3 0.1"/></keyframe>
</mujoco>"""
