# SPDX-License-Identifier: Apache-2.0
"""PPO in PyTorch plays Pong from its screens, on a pool or on Gymnasium's vector environments.

    pip install "envpool-atari[roms]" torch
    python ppo_pong.py --steps 600000 --log pool.csv
    pip install opencv-python-headless          # of Gymnasium's wrapper for Atari
    python ppo_pong.py --steps 600000 --envs gymnasium --log gymnasium.csv

Both give gray screens of 42 x 42, four stacked, each action held for four frames, up to 30 frames
without an action at the start of a game; the learner does not know which it has. The log has the
mean score of the last 40 games; draw_curve.py draws it. Without arguments it stops after three
updates.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import torch
from _ppo import Network, Settings, options, orthogonal, train
from torch import nn

SIZE = 42  # height and width of a screen


def body() -> nn.Sequential:
    """Two convolutions and a hidden layer; 220,000 weights."""
    side = ((SIZE - 6) // 3 + 1 - 4) // 2 + 1
    return nn.Sequential(
        orthogonal(nn.Conv2d(4, 16, 6, 3)),
        nn.ReLU(),
        orthogonal(nn.Conv2d(16, 32, 4, 2)),
        nn.ReLU(),
        nn.Flatten(),
        orthogonal(nn.Linear(32 * side * side, 256)),
        nn.ReLU(),
    )


def pool(num_envs: int, seed: int) -> Any:
    """A pool: the step that ends a game also begins the next one."""
    import envpool

    return envpool.make(
        "Pong-v5", "vector", num_envs=num_envs, seed=seed, img_height=SIZE, img_width=SIZE,
        autoreset_mode="same_step",
    )  # fmt: skip


def gymnasium_envs(num_envs: int, seed: int) -> Any:
    """The same from ale-py and Gymnasium, one environment after the other in this process."""
    import ale_py
    import gymnasium
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

    def make() -> Any:
        game = gymnasium.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
        return FrameStackObservation(AtariPreprocessing(game, screen_size=SIZE), 4)

    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    return gymnasium.vector.SyncVectorEnv([make] * num_envs, autoreset_mode=mode)


def main() -> None:
    """Trains."""
    parser = options(__doc__, Settings(rewards_end=True))
    parser.add_argument("--envs", choices=("pool", "gymnasium"), default="pool")
    given = parser.parse_args()
    s = Settings(**{field.name: getattr(given, field.name) for field in fields(Settings)})
    envs = (pool if given.envs == "pool" else gymnasium_envs)(s.num_envs, given.seed)
    torch.manual_seed(given.seed)
    shape, actions = envs.single_observation_space.shape, int(envs.single_action_space.n)
    network = Network(body(), shape, actions).to(memory_format=torch.channels_last)
    train(envs, network, s, given)
    envs.close()


if __name__ == "__main__":
    main()
