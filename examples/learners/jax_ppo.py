# SPDX-License-Identifier: Apache-2.0
"""PPO of ../ppo.py, in JAX: `pip install jax optax envpool-classic`.

A rollout and the update from it are one compiled program, which contains the pool's steps. With
`--envs default` the program calls Gymnasium's SyncVectorEnv.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gymnasium
import jax
import jax.numpy as jnp
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool

sys.path.insert(0, str(Path(__file__).parents[1]))
import ppo

pool, steps = in_pool(200_000)
task = ppo.Task(
    TASK,
    num_envs=NUM_ENVS,
    rollout=32,
    epochs=20,
    minibatches=1,
    gamma=0.98,
    lam=0.8,
    entropy=0,
    decays=True,
)
if pool:
    envs = ppo.in_pool(task, 1)
else:
    envs = ppo.in_python(task, gymnasium.make_vec(TASK, NUM_ENVS, "sync"), 1)
state, update = ppo.start(task, envs, 1)
updates = steps // (NUM_ENVS * task.rollout)
clock = Clock("PPO, JAX", "jax")
for number in range(updates):
    state, _ = update(state, jnp.float32(1 - number / updates))
jax.block_until_ready(state)
clock.stop()
greedy = jax.jit(lambda obs: ppo.apply(state[0], obs[None])[0].argmax())
clock.report(evaluate(lambda obs: int(greedy(obs))), updates * NUM_ENVS * task.rollout)
