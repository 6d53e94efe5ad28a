# SPDX-License-Identifier: Apache-2.0
"""Teaches foxes to hunt in half a minute, by an evolution strategy (Salimans et al. 2017).

    python train.py [--seconds 25] [--seed 0] [--out video.gif]

A fox's policy is a linear function of its observation, with equal weights for left and right. In
every generation one pool plays all candidates at once, a few meadows for each; the centre moves
towards those whose foxes caught more. Hares wander at random.
"""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path
from typing import Any

import envpool
import numpy as np
from envpool_meadow import policies
from numpy.typing import NDArray

PAIRS = 24  # candidates are the centre plus and minus these many random steps
MEADOWS = 3  # for each candidate
STEPS = 120  # 12 s of the meadow
SIGMA = 0.3  # length of a random step, in each weight
RATE = 0.5  # how far the centre goes in a generation
RAYS = 32

Array = NDArray[np.float64]

_EVEN = 2 * (RAYS // 2 + 1) + 1  # barrier and hare, by angle from straight ahead, and a constant
_ODD = 2 * (RAYS // 2 - 1)  # left minus right, without straight ahead and behind
WEIGHTS = 2 * _EVEN + _ODD


def act(weights: Array, players: policies.Players) -> policies.Action:
    """Actions of foxes.

    Args:
        weights: (rows, WEIGHTS), a row of weights for each row of players.
        players: Rows of foxes.
    """
    seen = players["lidar"][:, :, [policies.BARRIER, policies.HARE]].astype(np.float64)
    half = RAYS // 2
    left, right = seen[:, : half + 1], np.roll(seen[:, ::-1], 1, axis=1)[:, : half + 1]
    even = ((left + right) / 2).reshape(len(seen), -1)
    even = np.hstack([even, np.ones((len(seen), 1))])
    odd = ((left - right) / 2)[:, 1:half].reshape(len(seen), -1)
    drive, leap, turn = np.split(weights, [_EVEN, 2 * _EVEN], axis=1)
    move = np.stack([(drive * even).sum(axis=1), (turn * odd).sum(axis=1)], axis=1)
    leaps = (leap * even).sum(axis=1) > 0
    return {"players.move": np.tanh(move), "players.leap": leaps.astype(np.int64)}


def score(pool: Any, candidates: Array, hares: policies.Policy) -> Array:
    """Catches of each candidate's foxes per meadow: (candidates,)."""
    total = np.zeros(len(candidates))
    obs, info = pool.reset()
    for _ in range(STEPS):
        candidate = info["players"]["env_id"] // MEADOWS
        foxes = candidates[candidate[~info["players"]["is_hare"]]]
        policy = policies.by_kind(functools.partial(act, foxes), hares)
        obs, reward, _, _, info = pool.step(policy(obs["players"]))
        caught = np.where(info["players"]["is_hare"], 0.0, reward)
        np.add.at(total, info["players"]["env_id"] // MEADOWS, caught)
    return total / MEADOWS


def ranked(scores: Array) -> Array:
    """The ranks of scores, -0.5 .. 0.5: one lucky hunt must not decide everything."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores)] = np.linspace(-0.5, 0.5, len(scores))
    return ranks


def train(seconds: float, seed: int) -> Array:
    """The weights after so many seconds; prints the curve."""
    rng = np.random.default_rng(seed)
    hares = policies.random_policy(seed)
    centre = np.zeros(WEIGHTS)
    count = 2 * PAIRS
    start = time.perf_counter()
    with envpool.make("Meadow/Tag-v0", num_envs=count * MEADOWS, seed=seed) as pool:
        generation = 0
        while time.perf_counter() - start < seconds:
            steps = rng.standard_normal((PAIRS, WEIGHTS))
            candidates = np.concatenate([centre + SIGMA * steps, centre - SIGMA * steps])
            scores = score(pool, candidates, hares)
            ranks = ranked(scores)
            slope = (ranks[:PAIRS] - ranks[PAIRS:]) @ steps / (PAIRS * SIGMA)
            centre = 0.995 * centre + RATE * slope
            if generation % 5 == 0:
                mean = scores.mean()
                clock = time.perf_counter() - start
                print(f"{clock:5.1f} s  generation {generation:3d}  {mean:5.2f} catches", end="  ")
                print("#" * round(8 * mean), flush=True)
            generation += 1
    return centre


def compare(centre: Array, seed: int) -> None:
    """Prints the foxes' catches of hares as in training, and of hares that flee."""
    with envpool.make("Meadow/Tag-v0", num_envs=20 * MEADOWS, seed=seed + 10_000) as pool:
        for name, weights in (("learnt", centre), ("untrained", np.zeros(WEIGHTS))):
            for hares in (policies.random_policy(seed), policies.flee):
                mean = score(pool, np.tile(weights, (20, 1)), hares).mean()
                kind = "that flee" if hares is policies.flee else "at random"
                print(f"{name} foxes, hares {kind}: {mean:.2f} catches in {STEPS / 10:g} s")


def main() -> None:
    """Trains, compares and draws."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=25.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a .gif of a hunt with the learnt foxes")
    options = parser.parse_args()
    centre = train(options.seconds, options.seed)
    compare(centre, options.seed)
    if options.out is not None:
        from envpool_meadow._match import play, write_gif

        def fox(players: policies.Players) -> policies.Action:
            return act(np.tile(centre, (len(players["body"]), 1)), players)

        policy = policies.by_kind(fox, policies.random_policy(options.seed))
        _, frames = play("Meadow/Tag-v0", policy, {"seed": options.seed}, draw=True)
        write_gif(options.out, frames)


if __name__ == "__main__":
    main()
