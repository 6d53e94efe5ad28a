# SPDX-License-Identifier: Apache-2.0
"""PPO in JAX learns to balance a pole, to land, to open a door, NetHack, Breakout or football.

    pip install jax optax envpool-classic
    python ppo.py                          # CartPole, until 100 episodes return 475 on average
    python ppo.py lander                   # needs envpool-box2d
    python ppo.py lander --reference sync  # the same on Gymnasium's environments
    python ppo.py doorkey                  # envpool-minigrid
    python ppo.py room                     # envpool-nethack: a room of MiniHack
    python ppo.py score                    # envpool-nethack: NetHack for points
    python ppo.py breakout                 # envpool-atari[roms]
    python ppo.py close                    # envpool-gfootball: until 0.9 of episodes have a goal
    python ppo.py keeper                   # envpool-gfootball: three against one and a keeper
    python ppo.py jax:gymnax/Breakout-MinAtar --steps 1500000    # envpool-jax gymnax six

A rollout and the update from it are one compiled program: `pool.xla()` puts a pool's steps into it.
With `--reference` the program calls environments in Python: `sync` and `async` are those of
Gymnasium, minigrid or minihack, and `pool` is a pool, of EnvPool 1.2.5 as well. A training that
ends below its task's goal is an error.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import string
import sys
import time
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import envpool
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from jax import lax, random
from jax.experimental import io_callback
from jax.nn.initializers import orthogonal

HIDDEN, VALUE = 64, 0.5
CONVOLUTIONS = ((16, 6, 3), (32, 4, 2))  # channels, size and stride of their kernels
OPTIMIZER = optax.chain(optax.clip_by_global_norm(0.5), optax.scale_by_adam(eps=1e-5))


@dataclass(frozen=True)
class Task:
    """The settings of a training.

    Attributes:
        name: The task's id.
        goal: The mean return of 100 episodes, or the share of won ones, at which training stops.
        steps: The largest number of steps of all environments together.
        num_envs: The number of environments.
        rollout: The number of steps of every environment between two updates.
        epochs: The number of times that an update uses each step.
        minibatches: The number per epoch.
        gamma: The discount of a reward that comes a step later.
        lam: GAE's lambda, the horizon of advantages.
        clip: The limit of the ratio of probabilities, on either side of 1.
        entropy: The weight of the entropy in the loss.
        decays: Whether the learning rate and `clip` fall linearly to 0.
        scale: The factor of rewards.
        scaled: Whether advantages are scaled. If a random agent gets a reward in one of thirty
            episodes, they are not: the noise of the others would become as large.
        options: The pool's.
        won: The least return of a won episode, if the way to the goal gives rewards, too.
    """

    name: str
    goal: float | None = None
    steps: int = 500_000
    num_envs: int = 64
    rollout: int = 128
    epochs: int = 4
    minibatches: int = 8
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    decays: bool = False
    scale: float = 1
    scaled: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    won: float | None = None


# The meaning of each letter of NetHack's map; the last kind are objects.
_KINDS = (" ", ".", "#", "|-", "+", "<", ">", "@", string.ascii_lowercase, string.ascii_uppercase)
KIND_OF = np.full(256, len(_KINDS), np.uint8)
for number, letters in enumerate(_KINDS):
    KIND_OF[[ord(letter) for letter in letters]] = number
AROUND: dict[str, Any] = {"observation_keys": ["chars_crop"]}  # 9 x 9 letters around the player
SCREEN = {"img_height": 42, "img_width": 42, "episodic_life": True, "reward_clip": True}
# A goal brings the rest of the ten payments for the way to it, 2 in all.
FOOTBALL: dict[str, Any] = {
    "minibatches": 16,
    "options": {"observation": "simple115v2", "rewards": "scoring,checkpoints"},
    "won": 1.9,
}
USUAL: dict[str, Any] = {"rollout": 32, "epochs": 10}
TASKS = {
    "cartpole": Task("CartPole-v1", 475, scale=0.1, **USUAL),
    "lander": Task("LunarLander-v3", 200, 2_000_000, gamma=0.999, lam=0.98, scale=0.02),
    "doorkey": Task(
        *("MiniGrid-DoorKey-8x8-v0", 0.9, 4_000_000),
        minibatches=16,
        scaled=False,
        options={"obs_mode": "onehot"},
    ),
    "room": Task("MiniHack-Room-5x5-v0", 0.9, options=AROUND),
    "score": Task(
        *("NetHackScore-v0", None, 2_500_000),
        gamma=0.995,
        scale=0.05,
        options={**AROUND, "max_episode_steps": 1000},
    ),
    "breakout": Task("Breakout-v5", num_envs=16, epochs=3, clip=0.1, options=SCREEN),
    "close": Task("gfootball/academy_empty_goal_close-v1", 0.9, 1_000_000, **FOOTBALL),
    "keeper": Task("gfootball/academy_3_vs_1_with_keeper-v1", 0.5, 3_000_000, **FOOTBALL),
}


class Environments(NamedTuple):
    """Environments that compiled programs step."""

    carry: Any
    """The argument of the first step."""
    step: Callable[[Any, Any], tuple[Any, Any]]
    """From the last carry and actions to a carry and what a pool's `step` returns."""
    obs: Any
    num_actions: int


class Row(NamedTuple):
    """Steps of all environments, (rollout, num_envs, ...), or a part of them, (rows, ...)."""

    obs: Any
    action: Any
    log_prob: Any
    value: Any
    reward: Any
    terminated: Any
    ended: Any
    played: Any
    """False after the end of an episode: such a step resets, and its action is ignored."""


def in_pool(task: Task, seed: int) -> Environments:
    """A pool, whose steps are part of the program."""
    pool = envpool.make(task.name, num_envs=task.num_envs, seed=seed, **task.options)
    obs, _ = pool.reset()
    handle, _, _, step = pool.xla()
    return Environments(handle, step, jax.tree.map(jnp.asarray, obs), _count(pool.action_space))


def in_python(task: Task, envs: Any, seed: int) -> Environments:
    """Environments that the program calls: Gymnasium's interface of many environments."""

    def told(info: Any) -> dict[str, Any]:
        return {name: np.asarray(info[name]) for name in ("reward", "terminated") if name in info}

    def call(action: Any) -> Any:
        obs, reward, terminated, truncated, info = envs.step(np.asarray(action))
        return obs, np.asarray(reward, np.float32), terminated, truncated, told(info)

    obs, info = envs.reset(seed=seed) if hasattr(envs, "single_action_space") else envs.reset()
    reward, ended = np.zeros(task.num_envs, np.float32), np.zeros(task.num_envs, bool)
    results = jax.eval_shape(lambda: jax.tree.map(
        jnp.asarray, (obs, reward, ended, ended, told(info))
    ))  # fmt: skip

    def step(carry: Any, action: Any) -> tuple[Any, Any]:
        return carry, io_callback(call, results, action, ordered=True)

    space = getattr(envs, "single_action_space", envs.action_space)
    return Environments(jnp.zeros(()), step, jax.tree.map(jnp.asarray, obs), _count(space))


def _count(space: Any) -> int:
    return int(space.n)


def reference(task: Task, kind: str, seed: int) -> Any:
    """Environments in Python that continue after an end; those of MiniGrid observe bits."""
    if kind == "pool":
        return envpool.make(
            task.name, env_type="gymnasium", num_envs=task.num_envs, seed=seed, **task.options
        )
    import gymnasium

    bits = task.name.startswith("MiniGrid")
    wrappers: Any = importlib.import_module("minigrid.wrappers") if bits else None
    hack = task.name.startswith("MiniHack")
    keys: dict[str, Any] = AROUND if hack else {}
    return gymnasium.make_vec(
        f"minihack:{task.name}" if hack else task.name,
        task.num_envs,
        vectorization_mode=kind,
        wrappers=[wrappers.OneHotPartialObsWrapper, wrappers.ImgObsWrapper] if bits else [],
        **keys,
    )


def numbers(obs: Any) -> Any:
    """The observation of each environment: a row of numbers, or screens, channels last."""
    if obs.shape[1:] == (9, 9):  # letters
        obs = jnp.asarray(KIND_OF)[obs][..., None] == jnp.arange(len(_KINDS) + 1)
    if obs.shape[1:] == (4, SCREEN["img_height"], SCREEN["img_width"]):
        return jnp.moveaxis(obs, 1, -1).astype(jnp.float32) / 255
    return obs.reshape(len(obs), -1).astype(jnp.float32)


def only_array(obs: Any) -> Any:
    """The observation without the other arrays of MiniGrid."""
    return obs.get("image", obs.get("chars_crop")) if isinstance(obs, dict) else obs


def new_network(key: Any, obs: Any, num_actions: int) -> Any:
    """Kernel and bias of every layer: convolutions, hidden, policy, value."""
    shapes: list[tuple[tuple[int, ...], float]] = []
    if obs.ndim == 4:
        width, channels = obs.shape[2:]
        for out, size, stride in CONVOLUTIONS:
            shapes.append(((size * size * channels, out), 2**0.5))
            channels, width = out, (width - size) // stride + 1
        shapes.append(((width * width * channels, 4 * HIDDEN), 2**0.5))
    else:
        shapes += [((obs.shape[1], HIDDEN), 2**0.5), ((HIDDEN, HIDDEN), 2**0.5)]
    last = shapes[-1][0][1]
    shapes += [((last, num_actions), 0.01), ((last, 1), 1.0)]
    return [
        (orthogonal(gain)(one, shape), jnp.zeros(shape[-1]))
        for one, (shape, gain) in zip(random.split(key, len(shapes)), shapes, strict=True)
    ]


def patches(x: Any, size: int, stride: int) -> Any:
    """The inputs of a convolution, a row for each of its outputs.

    XLA's own convolution is many times slower on the CPU in a loop of a compiled program.
    """
    end = (x.shape[1] - size) // stride * stride + 1
    places = itertools.product(range(size), range(size))
    cuts = [x[:, i : i + end : stride, j : j + end : stride] for i, j in places]
    return jnp.concatenate(cuts, axis=-1)


def apply(network: Any, obs: Any) -> tuple[Any, Any]:
    """Log probabilities of actions, (rows, actions), and values, (rows,)."""
    *layers, policy, value = network
    x = numbers(obs)
    activation = jax.nn.relu if x.ndim == 4 else jnp.tanh
    if x.ndim == 4:
        for (kernel, bias), (_, size, stride) in zip(layers, CONVOLUTIONS, strict=False):
            x = activation(patches(x, size, stride) @ kernel + bias)
        x, layers = x.reshape(len(x), -1), layers[len(CONVOLUTIONS) :]
    for kernel, bias in layers:
        x = activation(x @ kernel + bias)
    return jax.nn.log_softmax(x @ policy[0] + policy[1]), (x @ value[0] + value[1])[:, 0]


def advantages(task: Task, rows: Row, last: Any) -> Any:
    """Generalised advantage estimation (Schulman et al., 2016), (rollout, num_envs).

    Args:
        task: Discount and lambda.
        rows: A rollout.
        last: The values of the observations after it, (num_envs,). After an episode that was cut
            off, the next row has the value of its last observation.
    """
    following = jnp.concatenate([rows.value[1:], last[None]])
    delta = rows.reward + task.gamma * following * ~rows.terminated - rows.value

    def back(later: Any, row: Any) -> tuple[Any, Any]:
        advantage = row[0] + task.gamma * task.lam * ~row[1] * later
        return advantage, advantage

    return lax.scan(back, jnp.zeros_like(last), (delta, rows.ended), reverse=True)[1]


def loss(network: Any, task: Task, part: tuple[Row, Any], left: Any) -> Any:
    """The clipped objective, the error of values and the entropy, over the steps that were played.

    Args:
        network: The network that learns.
        task: Settings.
        part: Steps, and their advantages.
        left: The factor of the clipping limit.
    """
    rows, advantage = part

    def mean(x: Any) -> Any:
        return (x * rows.played).sum() / rows.played.sum()

    log_probs, value = apply(network, rows.obs)
    chosen = jnp.take_along_axis(log_probs, rows.action[:, None], 1)[:, 0]
    ratio, error = jnp.exp(chosen - rows.log_prob), value - rows.value - advantage
    if task.scaled:
        advantage = advantage - mean(advantage)
        advantage /= jnp.sqrt(mean(advantage**2)) + 1e-8
    limited = jnp.clip(ratio, 1 - task.clip * left, 1 + task.clip * left)
    gain = jnp.minimum(ratio * advantage, limited * advantage)
    entropy = -(jnp.exp(log_probs) * log_probs).sum(1)
    return mean(VALUE * error**2 - gain - task.entropy * entropy)


def start(task: Task, envs: Environments, seed: int, rate: float = 1e-3) -> tuple[Any, Any]:
    """The state of a training, and the compiled function that continues it.

    Returns:
        The state, whose first part is the network, and a function of a state and of the share of
        the training that is left: it returns the next state, and the returns of the episodes that
        ended, (rollout, num_envs), NaN for other steps.
    """

    def play(network: Any, state: Any, key: Any) -> tuple[Any, Any]:
        carry, obs, over, score = state
        log_probs, value = apply(network, obs)
        action = random.categorical(key, log_probs).astype(jnp.int32)
        log_prob = jnp.take_along_axis(log_probs, action[:, None], 1)[:, 0]
        carry, (new, reward, terminated, truncated, info) = envs.step(carry, action)
        ended = terminated | truncated
        row = Row(*(obs, action, log_prob, value, reward * task.scale, terminated, ended, ~over))
        # In Atari an episode is one life; a game has several, and rewards that are not clipped.
        score = score + info.get("reward", reward)
        is_whole = (info["terminated"] == 1) | truncated if "terminated" in info else ended
        state = carry, only_array(new), ended, jnp.where(is_whole, 0, score)
        return state, (row, jnp.where(is_whole, score, jnp.nan))

    def learn(left: Any, learner: Any, part: Any) -> tuple[Any, None]:
        network, adam = learner
        gradient = jax.grad(loss)(network, task, part, left)
        moves, adam = OPTIMIZER.update(gradient, adam)
        return (jax.tree.map(lambda w, m: w - rate * left * m, network, moves), adam), None

    def update(state: Any, left: Any) -> tuple[Any, Any]:
        network, adam, played, key = state
        key, orders, plays = random.split(key, 3)
        left = left if task.decays else 1.0
        played, (rows, returns) = lax.scan(
            lambda state, key: play(network, state, key), played, random.split(plays, task.rollout)
        )
        advantage = advantages(task, rows, apply(network, played[1])[1])
        data = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (rows, advantage))

        def epoch(learner: Any, key: Any) -> Any:
            order = random.permutation(key, task.rollout * task.num_envs)
            return lax.scan(
                lambda learner, part: learn(left, learner, jax.tree.map(lambda x: x[part], data)),
                learner,
                order.reshape(task.minibatches, -1),
            )

        (network, adam), _ = lax.scan(epoch, (network, adam), random.split(orders, task.epochs))
        return (network, adam, played, key), returns

    first, key = random.split(random.key(seed))
    obs = only_array(envs.obs)
    network = new_network(first, numbers(obs), envs.num_actions)
    played = (envs.carry, obs, jnp.zeros(task.num_envs, bool), jnp.zeros(task.num_envs))
    state = (network, OPTIMIZER.init(network), played, key)
    return state, jax.jit(update).lower(state, jnp.float32(1)).compile()


def main() -> None:
    """Learns, and prints the progress."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("task", nargs="?", default="cartpole", help=f"{', '.join(TASKS)}, or an id")
    parser.add_argument("--steps", type=int, help="at most")
    parser.add_argument("--scale", type=float, help="the factor of rewards")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reference", choices=("sync", "async", "pool"))
    options = parser.parse_args()
    task = TASKS.get(options.task) or Task(options.task, decays=True, **USUAL)
    task = task if options.scale is None else replace(task, scale=options.scale)
    kind, seed = options.reference, options.seed
    envs = in_python(task, reference(task, kind, seed), seed) if kind else in_pool(task, seed)
    begin, cpu_begin = time.perf_counter(), time.process_time()
    state, update = start(task, envs, seed)
    compiling = time.perf_counter() - begin
    size = task.num_envs * task.rollout
    updates = max(1, (options.steps or task.steps) // size)
    recent: deque[float] = deque(maxlen=100)
    for number in range(1, updates + 1):
        state, returns = update(state, jnp.float32(1 - (number - 1) / updates))
        ended = np.asarray(returns)[~np.isnan(returns)]
        recent.extend(ended if task.won is None else ended >= task.won)
        mean = float(np.mean(recent)) if recent else 0.0
        learned = len(recent) == 100 and task.goal is not None and mean > task.goal
        if number % 10 == 0 or learned or number == updates:
            seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu_begin
            print(
                f"{number * size:9,} steps, {seconds:6.1f} s, {cpu:6.1f} s of a CPU: {mean:.3f}",
                flush=True,
            )
        if learned:
            break
    weights = b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(state[0]))
    print(f"compiled in {compiling:.1f} s; the weights' checksum is {zlib.crc32(weights):08x}")
    what = "mean return" if task.won is None else "share won"
    print(f"{what} of the last {len(recent)} episodes: {mean:.3f}, after {number * size} steps")
    if task.goal is not None and not learned:
        sys.exit(f"{task.name} is learned above {task.goal}: train for more --steps")


if __name__ == "__main__":
    main()
