# SPDX-License-Identifier: Apache-2.0
"""PPO in PyTorch plays CoinRun on 200 levels, and is scored on levels that it never learns from.

    pip install envpool-procgen torch
    envpool procgen fetch
    python ppo_coinrun.py --steps 8e6 --device cuda --log coinrun.csv

The network is IMPALA's (Espeholt et al., 2018), the settings are those of Cobbe et al. (2020). The
log has the mean return of the last 200 episodes, on the 200 levels and on held-out ones;
draw_curve.py draws them. Without arguments it stops after three updates.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import envpool
import torch
from _ppo import Network, Settings, options, train
from torch import nn

LEVELS = 200
SETTINGS = Settings(
    num_envs=64,
    horizon=256,
    epochs=3,
    minibatch=2048,
    learning_rate=5e-4,
    discount=0.999,
    clip=0.2,
    reward_scale=0.1,  # a coin is worth 10
    scored=200,
)


class Residual(nn.Module):
    """Two convolutions whose result is added to their input."""

    def __init__(self, channels: int) -> None:
        """For this number of channels."""
        super().__init__()
        self.layers = nn.Sequential(
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """float32 (rows, channels, height, width), as `x`."""
        added: torch.Tensor = self.layers(x)
        return x + added


def body() -> nn.Sequential:
    """Three times a convolution, a pool and two residual blocks; for 64 x 64 pixels."""
    layers: list[nn.Module] = []
    for before, channels in ((3, 16), (16, 32), (32, 32)):
        layers += [nn.Conv2d(before, channels, 3, padding=1), nn.MaxPool2d(3, 2, 1)]
        layers += [Residual(channels), Residual(channels)]
    layers += [nn.Flatten(), nn.ReLU(), nn.Linear(32 * 8 * 8, 256), nn.ReLU()]
    return nn.Sequential(*layers)


def pool(num_envs: int, seed: int, first: int, levels: int) -> Any:
    """Environments that draw from `levels` levels beginning with `first`; 0: from all."""
    return envpool.make(
        "CoinrunEasy-v0", "vector", num_envs=num_envs, seed=seed, start_level=first,
        num_levels=levels, engine="own", autoreset_mode="same_step",
    )  # fmt: skip


def main() -> None:
    """Trains."""
    parser = options(__doc__, SETTINGS)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    s = Settings(**{field.name: getattr(given, field.name) for field in fields(Settings)})
    torch.manual_seed(given.seed)
    with (
        pool(s.num_envs, given.seed, 0, LEVELS) as envs,
        pool(s.num_envs, given.seed + s.num_envs, LEVELS, 0) as held_out,
    ):
        network = Network(body(), envs.single_observation_space.shape, envs.single_action_space.n)
        network = network.to(given.device, memory_format=torch.channels_last)
        train(envs, network, s, given, held_out)


if __name__ == "__main__":
    main()
