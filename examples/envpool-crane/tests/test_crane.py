# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, the crane's physics, and families beside each other."""

from __future__ import annotations

import subprocess
import sys

import envpool
import numpy as np
import pytest
from envpool.testing import check_task

SMALL = {"render_width": 32, "render_height": 32, "render_quality": "fast"}
FAMILIES = {
    "crane": "envpool.make('Crane-v0')",
    "gymnasium": "envpool.make('Reacher-v5')",
    "own model": "envpool.make('MujocoXml-v0')",
}


def _python(code: str) -> str:
    """The output of a program, in a process of its own."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_contract() -> None:
    check_task("Crane-v0", num_envs=2, **SMALL)


def test_contract_of_images() -> None:
    check_task("Crane-v0", num_envs=2, steps=16, from_pixels=True, max_episode_steps=12, **SMALL)


def test_load_swings_back_when_the_trolley_goes_ahead() -> None:
    with envpool.make("Crane-v0", num_envs=4, seed=0) as pool:
        before, _ = pool.reset()
        obs, reward, _, _, info = pool.step(np.ones((4, 1), np.float32))
        assert (obs[:, 0] > before[:, 0]).all() and (obs[:, 1] > 0).all()
        load = obs[:, 0] - 2 * np.sin(obs[:, 1])
        np.testing.assert_allclose(info["distance"], np.abs(load - obs[:, 4]), atol=1e-12)
        assert not reward.any()


def test_a_frame_shows_the_goal_and_changes_nothing() -> None:
    with (
        envpool.make("Crane-v0", num_envs=2, seed=[1, 1], render_mode="rgb_array", **SMALL) as a,
        envpool.make("Crane-v0", num_envs=2, seed=[1, 1]) as b,
    ):
        a.reset(), b.reset()
        for _ in range(5):
            action = np.full((2, 1), 0.5, np.float32)
            assert a.render().any()
            np.testing.assert_array_equal(a.step(action)[0], b.step(action)[0])


@pytest.mark.parametrize("first", FAMILIES)
def test_beside_other_families(first: str) -> None:
    """Only one library and one owner of its log handler, in any order of loading."""
    order = [first, *(name for name in FAMILIES if name != first)]
    pools = "\n".join(f"pools.append({FAMILIES[name]}); pools[-1].reset()" for name in order)
    said = _python(
        f"""
import envpool
pools = []
{pools}
for task in ("Crane-v0", "MujocoXml-v0", "Crane-v0"):
    try:
        envpool.make(task, xml_file="<mujoco><bad/></mujoco>")
    except envpool.errors.ConfigError as error:
        print("refused:", "unrecognized element" in str(error))
mapped = {{line.split()[-1] for line in open("/proc/self/maps")}}
print("libraries:", sum("libmujoco.so" in path for path in mapped),
      sum("libenvpool_mujoco-" in path for path in mapped))
"""
    )
    assert said.splitlines() == ["refused: True"] * 3 + ["libraries: 1 1"]


def test_another_interface_is_refused() -> None:
    """A wheel that was built for another envpool-mujoco names the wheel to upgrade."""
    said = _python(
        """
from envpool_mujoco import _mujoco
_mujoco.api = (_mujoco.api[0] + 1, _mujoco.api[1])
import envpool
try:
    envpool.make("Crane-v0")
except envpool.errors.EnvPoolError as error:
    print(error)
"""
    )
    assert "envpool-crane was built for interface" in said
    assert "upgrade envpool-crane" in said
