# SPDX-License-Identifier: Apache-2.0
"""PPO and Collector of Tianshou 2: `pip install tianshou envpool-classic`."""

from __future__ import annotations

import envpool
import gymnasium
import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

pool, steps = in_pool(100_000)
if pool:
    envs = envpool.make(TASK, num_envs=NUM_ENVS, seed=1)
else:
    envs = DummyVectorEnv([lambda: gymnasium.make(TASK) for _ in range(NUM_ENVS)])

torch.manual_seed(1)
torch.set_num_threads(1)
space = gymnasium.make(TASK).action_space
policy = DiscreteActorPolicy(
    actor=DiscreteActor(
        preprocess_net=Net(state_shape=(4,), hidden_sizes=[64, 64]),
        action_shape=2,
        softmax_output=False,
    ),
    action_space=space,
    deterministic_eval=True,
)
algorithm = PPO(
    policy=policy,
    critic=DiscreteCritic(preprocess_net=Net(state_shape=(4,), hidden_sizes=[64, 64])),
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=0.98,
    gae_lambda=0.9,
    ent_coef=0.0,
    max_grad_norm=0.5,
)
collector = Collector(algorithm, envs, VectorReplayBuffer(NUM_ENVS * 128, NUM_ENVS))

clock = Clock("Tianshou, PPO and Collector", "tianshou")
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=collector,
        max_epochs=10,
        epoch_num_steps=steps // 10,
        collection_step_num_env_steps=NUM_ENVS * 64,
        batch_size=256,
        update_step_num_repetitions=10,
        show_progress=False,
        verbose=False,
    )
)
clock.stop()
with torch.no_grad():
    score = evaluate(lambda obs: int(policy.actor(obs[None])[0].argmax()))
clock.report(score, collector.collect_step)
