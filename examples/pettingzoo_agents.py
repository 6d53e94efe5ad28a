# SPDX-License-Identifier: Apache-2.0
"""A game of PettingZoo for two players, 32 times in parallel: rock, paper, scissors.

One player throws scissors more often than not. The other sees the last throw of its opponent,
counts, and answers the most frequent one: it wins more and more.
"""

from __future__ import annotations

from typing import Any

import envpool_python
import numpy as np

NUM_GAMES, NUM_STEPS = 32, 300
HABIT = (0.2, 0.2, 0.6)  # how often rock, paper and scissors are thrown


def make_game() -> Any:
    """One game, a PettingZoo parallel environment."""
    from pettingzoo.classic import rps_v2  # type: ignore[import-untyped]

    return rps_v2.parallel_env()


def main() -> None:
    """Prints how much the player that counts wins."""
    rng = np.random.default_rng(0)
    counts = np.zeros((NUM_GAMES, 3))
    won = []
    with envpool_python.make([make_game] * NUM_GAMES) as pool:
        obs, info = pool.reset()
        for _ in range(NUM_STEPS):
            players = info["players"]
            second = players["id"] == 1  # a row for each player in a game
            game = players["env_id"]
            seen = ~second & (obs < 3)  # 3: nothing has been thrown yet
            np.add.at(counts, (game[seen], obs[seen]), 1)
            action = rng.choice(3, size=len(game), p=HABIT)
            action[~second] = (counts.argmax(1)[game[~second]] + 1) % 3  # the throw that beats it
            obs, reward, _terminated, _truncated, info = pool.step(
                {"players.env_id": game, "action": action}
            )
            won.append(reward[info["players"]["id"] == 0].mean())
    print(f"won per throw: {np.mean(won[:10]):.2f} at first, {np.mean(won[-100:]):.2f} at last")


if __name__ == "__main__":
    main()
