# SPDX-License-Identifier: Apache-2.0
"""Trains a controller for a MuJoCo model of your own, described by options alone.

The model is a cart with a pole, as text; it could be the path of your robot. Its sensors define
the reward and the end of an episode. The controller is linear in the observation and found by the
cross-entropy method: 64 controllers play at once, one in each environment, and the best are
the middle of the next 64.
"""

from __future__ import annotations

import envpool
import numpy as np

MODEL = """<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" damping="0.1"/>
      <geom type="box" size="0.15 0.1 0.06" mass="1" contype="0" conaffinity="0"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.03" mass="0.1"
              contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="slide" gear="10" ctrlrange="-1 1" ctrllimited="true"/>
  </actuator>
  <sensor>
    <jointpos name="place" joint="slide"/>
    <jointpos name="angle" joint="hinge"/>
    <framezaxis name="up" objtype="xbody" objname="pole"/>
  </sensor>
</mujoco>"""

NUM_ENVS = 64
STEPS = 200  # of an episode: 8 seconds
GENERATIONS = 8


def main() -> None:
    """Prints the return of the best controllers, generation by generation."""
    rng = np.random.default_rng(0)
    with envpool.make(
        "MujocoXml-v0",
        num_envs=NUM_ENVS,
        seed=0,
        xml_file=MODEL,
        frame_skip=4,
        observation=["qpos", "qvel"],
        reward={"up[2]": 1.0},  # 1 for each step in which the pole is upright
        terminate={"angle": (-0.5, 0.5), "place": (-2.0, 2.0)},
        reset_noise_scale=0.1,
        max_episode_steps=STEPS,
    ) as pool:
        size = pool.reset()[0].shape[1]
        mean, spread = np.zeros(size), np.ones(size)
        for generation in range(1, GENERATIONS + 1):
            controllers = rng.normal(mean, spread, (NUM_ENVS, size))
            returns = play(pool, controllers)
            best = controllers[np.argsort(returns)[-8:]]
            mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
            print(
                f"generation {generation}: mean return {returns.mean():6.1f}, "
                f"best {returns.max():6.1f} of {STEPS}"
            )
    assert returns.max() > 0.9 * STEPS, "the pole should stand by now"


def play(pool: envpool.GymnasiumEnvPool, controllers: np.ndarray) -> np.ndarray:
    """The return of an episode of each controller."""
    observations, _ = pool.reset()
    returns = np.zeros(NUM_ENVS)
    alive = np.ones(NUM_ENVS, bool)
    while alive.any():
        actions = (controllers * observations).sum(axis=1, keepdims=True)
        observations, rewards, terminated, truncated, _ = pool.step(
            np.clip(actions, -1, 1).astype(np.float32)
        )
        returns += rewards * alive
        alive &= ~(terminated | truncated)
    return returns


if __name__ == "__main__":
    main()
