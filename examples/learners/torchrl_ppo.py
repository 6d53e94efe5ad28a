# SPDX-License-Identifier: Apache-2.0
"""PPO of TorchRL with its collector: `pip install torchrl envpool-classic`."""

from __future__ import annotations

import gymnasium
import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import GymEnv, GymWrapper, SerialEnv
from torchrl.modules import MLP, OneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

pool, steps = in_pool(100_000)
if pool:
    # TorchRL works best with a Gymnasium vector environment that resets when it is told to.
    envs = GymWrapper(
        gymnasium.make_vec(
            f"envpool.gymnasium:envpool/{TASK}", num_envs=NUM_ENVS, autoreset_mode="disabled"
        )
    )
else:
    envs = SerialEnv(NUM_ENVS, lambda: GymEnv(TASK))
envs.set_seed(1)

torch.manual_seed(1)
torch.set_num_threads(1)
ROLLOUT = 64
net = MLP(in_features=4, out_features=2, num_cells=[64, 64], activation_class=nn.Tanh)
actor = ProbabilisticActor(
    TensorDictModule(net, in_keys=["observation"], out_keys=["logits"]),
    in_keys=["logits"],
    distribution_class=OneHotCategorical,
    return_log_prob=True,
)
critic = ValueOperator(
    MLP(in_features=4, out_features=1, num_cells=[64, 64], activation_class=nn.Tanh)
)
loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_bonus=False, normalize_advantage=True)
advantage = GAE(gamma=0.98, lmbda=0.9, value_network=critic)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
collector = Collector(
    envs, actor, frames_per_batch=ROLLOUT * NUM_ENVS, total_frames=steps, device="cpu"
)

clock = Clock("TorchRL, PPO and collector", "torchrl")
taken = 0
for data in collector:
    taken += data.numel()
    with torch.no_grad():
        advantage(data)
    flat = data.reshape(-1)
    for _ in range(10):
        for rows in torch.randperm(len(flat)).split(256):
            losses = loss(flat[rows])
            optimizer.zero_grad()
            (losses["loss_objective"] + 0.5 * losses["loss_critic"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
clock.stop()
collector.shutdown()
with torch.no_grad():
    score = evaluate(lambda obs: int(net(torch.from_numpy(obs)).argmax()))
clock.report(score, taken)
