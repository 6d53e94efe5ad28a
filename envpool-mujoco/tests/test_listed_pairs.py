# SPDX-License-Identifier: Apache-2.0
"""A model with listed pairs has the same contacts in the same order, or no list is made."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from compiling import library

TESTS = Path(__file__).parent
MODEL = """<mujoco>
  <option timestep="0.01" {option}><flag {flag}/></option>
  <default><geom type="capsule" size=".08" margin=".004" {geom}/></default>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 1"/>
    <body name="trunk" pos="0 0 .3">
      <freejoint/>
      <camera name="eye" mode="trackcom" pos="0 -1 0"/>
      <light mode="trackcom" pos="0 0 1"/>
      <geom fromto="-.3 0 0 .3 0 0"/>
      <body name="arm" pos=".3 0 0">
        <joint type="ball"/>
        <geom fromto="0 0 0 .2 .2 0"/>
        <body pos=".2 .2 0">
          <joint name="hinge" type="hinge" axis="0 0 1"/>
          <geom fromto="0 0 0 -.2 .2 0" friction=".3 .02 .001" condim="4" gap=".01"/>
          <geom type="sphere" pos="-.2 .2 0" margin=".02" solimp=".8 .9 .01"/>
        </body>
      </body>
      <body pos="0 0 .2"><geom type="sphere"/></body>
    </body>
    <body name="ball" pos="0 .1 .6"><freejoint/><geom name="ball" type="sphere" {ball}/></body>
    <body pos="-.2 .2 0"><geom fromto="0 0 0 0 0 .4"/></body>
    {body}
  </worldbody>
  <contact>{contact}</contact>
  <actuator><motor name="motor" joint="hinge"/></actuator>
  <sensor>
    <jointpos name="angle" joint="hinge"/>
    <framepos objtype="camera" objname="eye"/>
    <subtreelinvel body="trunk"/>
  </sensor>
  <keyframe><key name="start"/></keyframe>
</mujoco>"""
PLACES = dict.fromkeys(("option", "flag", "geom", "ball", "body", "contact"), "")

LISTED = {
    "as it is": {},
    "children touch parents": {"flag": 'filterparent="disable"'},
    "two bodies are excluded": {"contact": '<exclude body1="trunk" body2="ball"/>'},
    "masks": {"geom": 'contype="5" conaffinity="2"', "ball": 'conaffinity="4"'},
    "it adheres": {"ball": 'adhesion="3"'},
    "energy is computed": {"flag": 'energy="enable"'},
    "another integrator": {"option": 'integrator="implicitfast"'},
    "another metric": {"option": 'integrator="discrete"'},
    "a dual solver": {"option": 'solver="PGS"'},
    "all contacts are alike": {"flag": 'override="enable"'},
}
# MuJoCo has other rules for these models, or is quicker without a list.
REFUSED = {
    "priority": {"ball": 'priority="1" friction="3"'},
    "weights": {"ball": 'solmix="3" solref=".05 1"'},
    "stiffness": {"geom": 'solref="-1000 -10"'},
    "a box": {"geom": 'solref=".02 1"', "body": '<geom type="box" pos="1 1 0" size=".1 .1 .1"/>'},
    "a mocap body": {"body": '<body mocap="true" pos="1 1 .2"><geom type="sphere"/></body>'},
    "a listed pair": {"contact": '<pair geom1="floor" geom2="ball" friction="2 2 .1 .1 .1"/>'},
    "sleep": {"flag": 'sleep="enable"'},
    "many pairs": {"body": "<body><freejoint/>" + '<geom type="sphere"/>' * 30 + "</body>"},
}


@cache
def _tool() -> ctypes.CDLL:
    found = find_spec("mujoco")
    assert found is not None and found.submodule_search_locations
    mujoco = Path(found.submodule_search_locations[0])
    (own,) = mujoco.glob("libmujoco.so.*")
    # The library that the tool calls.
    ctypes.CDLL(str(own), ctypes.RTLD_GLOBAL)
    flags = "-O1", f"-I{TESTS.parent / 'include'}", f"-isystem{mujoco / 'include'}"
    ours = TESTS.parent / "cpp" / "shared" / "listed_pairs.cc"
    return ctypes.CDLL(str(library(TESTS / "listed_pairs.cc", *flags, others=[ours])))


def _tried(parts: dict[str, str], folder: Path) -> list[int]:
    """Listed pairs or -1, contacts, and steps that differ with the list."""
    path = folder / "model.xml"
    path.write_text(MODEL.format(**PLACES | parts))
    result = (ctypes.c_int * 3)(-2, -2, -2)
    _tool().try_listed_pairs(str(path).encode(), result)
    return list(result)


@pytest.mark.parametrize("parts", LISTED.values(), ids=LISTED)
def test_the_same_contacts(parts: dict[str, str], tmp_path: Path) -> None:
    pairs, contacts, differing = _tried(parts, tmp_path)
    assert pairs > 0
    assert contacts > 500
    assert differing == 0


@pytest.mark.parametrize("parts", REFUSED.values(), ids=REFUSED)
def test_no_list(parts: dict[str, str], tmp_path: Path) -> None:
    assert _tried(parts, tmp_path)[0] == -1
