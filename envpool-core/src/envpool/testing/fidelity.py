# SPDX-License-Identifier: Apache-2.0
"""Runs a pool and its reference with equal seeds and actions, and compares their results.

    import envpool
    import gymnasium
    from envpool.testing.fidelity import play_beside

    references = [gymnasium.make("CartPole-v1") for _ in range(4)]
    with envpool.make("CartPole-v1", "gymnasium", num_envs=4, seed=7) as pool:
        comparison = play_beside(pool, references, steps=500, seed=7)
    assert comparison.equal, comparison.columns()

A reference is any object with the `reset` and `step` of `gymnasium.Env`. If its results have
another form than the pool's, a small class around it converts them. Arrays are compared in shape,
dtype and bits: 0.0 is not -0.0. A tolerance is given by name, and the largest difference reported.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError

_KINDS = ("observation", "reward", "ends", "infos")


class Reference(Protocol):
    """A single environment to compare with, with Gymnasium's interface.

    An observation or a value of the info may be None: it is not compared. Infos that only the pool
    has are not compared; an info that the pool lacks is a difference.
    """

    def reset(self, *, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Begins an episode; with a seed before the first one, without afterwards."""

    def step(self, action: Any, /) -> tuple[Any, Any, bool, bool, Mapping[str, Any]]:
        """Returns observation, reward, terminated, truncated, info."""


@dataclass
class Difference:
    """The difference of an array from the reference's.

    Attributes:
        values: The number of compared values.
        differing: The number of values that differ by more than the tolerance.
        largest: The largest difference of two numbers, tolerated ones included.
        first: The place of the first difference beyond the tolerance.
    """

    values: int = 0
    differing: int = 0
    largest: float = 0.0
    first: str = ""

    def __str__(self) -> str:
        """The text for a table."""
        if self.differing:
            away = f", off by up to {self.largest:.2g}" if self.largest else ""
            return f"{self.differing} of {self.values} differ, first {self.first}{away}"
        return f"within {self.largest:.1g}" if self.largest else "equal"


@dataclass
class Comparison:
    """The counts and differences of a comparison.

    Attributes:
        counts: "episodes" that ended, "steps" without resets, of all environments together, and the
            names given to `count`.
        arrays: Differences, by array; the first word of a name is its column in a table.
        within: Tolerances by name of an array, as {"observation": 1e-6, "infos energy": 1e-15}.
        skip: Names of arrays that are not compared, as "infos prob" if a pool has no "prob".
    """

    counts: dict[str, int] = field(default_factory=lambda: {"episodes": 0, "steps": 0})
    arrays: dict[str, Difference] = field(default_factory=dict)
    within: Mapping[str, float] = field(default_factory=dict)
    skip: Collection[str] = ()

    def count(self, name: str, more: int = 1) -> None:
        """Adds to a count, which is a column of the table."""
        self.counts[name] = self.counts.get(name, 0) + int(more)

    def compare(self, name: str, ours: Any, theirs: Any, where: str = "") -> None:
        """Compares trees of arrays: mappings, and objects that NumPy makes arrays of.

        Args:
            name: The array's name; below a mapping, its keys follow.
            ours: The pool's value.
            theirs: The reference's value; None is not compared. A Python number is rounded to the
                dtype of ours, and a NumPy scalar may have a smaller dtype.
            where: Environment and step, for the report.
        """
        if theirs is None or name in self.skip:
            return
        if isinstance(theirs, Mapping):
            for key, value in theirs.items():
                if isinstance(ours, Mapping) and key in ours:
                    self.compare(f"{name} {key}", ours[key], value, where)
                elif value is not None and f"{name} {key}" not in self.skip:
                    self._report(f"{name} {key}", 1, 1, f"missing {where}".strip())
            return
        got = np.asarray(ours)
        expected = _of_kind(theirs, got.dtype)
        if got.shape != expected.shape or got.dtype != expected.dtype:
            kinds = f"{got.dtype} {got.shape}, not {expected.dtype} {expected.shape}"
            self._report(name, expected.size, expected.size, f"{where}: {kinds}")
            return
        bits, largest = f"V{got.itemsize}", 0.0
        # Bytes are compared: 0.0 equals -0.0 and no NaN equals a NaN.
        unequal = np.frombuffer(got.tobytes(), bits) != np.frombuffer(expected.tobytes(), bits)
        if got.dtype.kind in "biuf" and unequal.any():
            with np.errstate(invalid="ignore"):  # infinity minus infinity
                away = np.abs(np.subtract(got, expected, dtype=np.float64)).ravel()
            largest = float(np.fmax.reduce(away, initial=0.0))
            if name in self.within:
                unequal &= ~(away <= self.within[name])
        self._report(name, got.size, int(unequal.sum()), where, largest)

    def _report(
        self, name: str, values: int, differing: int = 0, where: str = "", away: float = 0.0
    ) -> None:
        found = self.arrays.setdefault(name, Difference())
        found.values += values
        found.largest = max(found.largest, away)
        if differing:
            found.first = found.first if found.differing else where
            found.differing += differing

    @property
    def equal(self) -> bool:
        """Whether nothing differs by more than its tolerance, and something was compared."""
        return bool(self.arrays) and not self.differing

    @property
    def differing(self) -> dict[str, str]:
        """The differences, in words, by array."""
        return {name: str(found) for name, found in self.arrays.items() if found.differing}

    def columns(self) -> dict[str, str]:
        """A row of a table: counts, then "equal" or the difference, by first word of names."""
        row = {name: str(number) for name, number in self.counts.items()}
        kinds = dict.fromkeys((*_KINDS, *(name.split()[0] for name in self.arrays)))
        for kind in kinds:
            of_kind = {n: f for n, f in self.arrays.items() if n.split()[0] == kind}
            said = [
                f"{name}: {text}" if name != kind else text
                for name, found in of_kind.items()
                if (text := str(found)) != "equal"
            ]
            row[kind] = "; ".join(said) or ("equal" if of_kind else "none")
        return row


def _of_kind(theirs: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """As an array; a single number gets our dtype, if that dtype has all its values."""
    expected = np.asarray(theirs)
    if isinstance(theirs, np.ndarray):
        return expected
    if isinstance(theirs, np.generic):
        fits = np.can_cast(expected.dtype, dtype, "safe")
    else:
        fits = np.can_cast(expected.dtype, dtype, "same_kind")
    return expected.astype(dtype) if fits else expected


@dataclass
class AutoresetReference:
    """A reference with the autoreset of the pool, and its last result.

    Attributes:
        env: The reference itself.
        same_step: Whether the pool resets in the step that ends an episode.
        observation: The last observation.
        final_observation: The last episode's last observation, if the pool resets in the same step.
        reward: The last reward, in the reference's precision.
        terminated: Whether the last step ended the episode in a terminal state.
        truncated: Whether the last step cut the episode off.
        info: The last info.
        is_reset: Whether an episode began in this row, so that its action was not used.
    """

    env: Reference
    same_step: bool
    observation: Any = None
    final_observation: Any = None
    reward: Any = 0.0
    terminated: bool = False
    truncated: bool = False
    info: Mapping[str, Any] = field(default_factory=dict)
    is_reset: bool = True

    @property
    def over(self) -> bool:
        """Whether the last step ended an episode."""
        return bool(self.terminated or self.truncated)

    def step(self, action: Any) -> None:
        """A step, or the reset that follows the end of an episode."""
        self.is_reset = self.over and not self.same_step
        if self.is_reset:
            self.observation, self.info = self.env.reset()
            self.reward, self.terminated, self.truncated = 0.0, False, False
            return
        result = self.env.step(action)
        self.observation, self.reward, self.terminated, self.truncated, self.info = result
        if self.over and self.same_step:
            self.final_observation = self.observation
            self.observation, self.info = self.env.reset()


class StepResult(NamedTuple):
    """A result of a pool, and the references with their results.

    Attributes:
        number: 0 for the reset, then the number of the step.
        observation: The pool's, all arrays; row i is environment i.
        reward: The pool's; None for the reset, like the two flags.
        terminated: The pool's.
        truncated: The pool's.
        info: The pool's.
        references: A reference for each environment.
    """

    number: int
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Mapping[str, Any]
    references: Sequence[AutoresetReference]


def play_beside(
    pool: Any,
    references: Sequence[Reference],
    *,
    steps: int | None = None,
    episodes: int | None = None,
    seed: int = 0,
    choose: Callable[[int, Any], Any] | None = None,
    select: Callable[[Any, int], Any] = operator.getitem,
    frames: int = 0,
    also: Callable[[Comparison, StepResult], None] | None = None,
    comparison: Comparison | None = None,
) -> Comparison:
    """Plays a pool and its references side by side, from the first reset on.

    Rewards are compared as float32, the pool's type; other arrays in their own type. Reset rows
    have the reward 0 and the info of the reference's reset.

    Args:
        pool: A synchronous pool of `env_type="gymnasium"`, with autoreset_mode "next_step" or
            "same_step".
        references: A reference for each environment. Number i is seeded with `seed + i`.
        steps: The number of calls of `step`, those that reset included.
        episodes: The number of episodes ended in the references, after which the run stops.
        seed: The pool's seed.
        choose: The action of an environment, by its number and the reference's last observation; by
            default random actions of the reference's space, else of the pool's.
        select: The part of environment i in an array of the pool; by default row i.
        frames: The period of compared frames, in results; 0: none. References have `render()`,
            which is called for every result, since some environments' drawings depend on it.
        also: Is called after the reset and each step, for additional comparisons and counts.
        comparison: A comparison with tolerances, or an earlier one to continue.

    Returns:
        The counts and differences.

    Raises:
        ConfigError: If the pool and the references do not fit together, or no length is given.
    """
    _check(pool, references, steps, episodes)
    result = Comparison() if comparison is None else comparison
    same_step = str(pool.config["autoreset_mode"]) == "same_step"
    sides = [AutoresetReference(env, same_step) for env in references]
    space = getattr(references[0], "action_space", None) or pool.action_space
    space.seed(seed)
    observation, info = pool.reset()
    for i, side in enumerate(sides):
        side.observation, side.info = side.env.reset(seed=seed + i)
    rows = StepResult(0, observation, None, None, None, info, sides)
    ended = 0
    while True:
        for i in range(len(sides)):
            _compare_row(result, rows, i, select)
        if frames:
            drawn = [side.env.render() for side in sides]  # type: ignore[attr-defined]
            if rows.number % frames == 0:
                _compare_frames(result, rows.number, pool.render(env_ids=range(len(sides))), drawn)
        if also is not None:
            also(result, rows)
        if rows.number == steps or (episodes is not None and ended >= episodes):
            return result
        actions = [
            space.sample() if choose is None else choose(i, side.observation)
            for i, side in enumerate(sides)
        ]
        observation, reward, terminated, truncated, info = pool.step(_together(actions))
        number = rows.number + 1
        rows = StepResult(number, observation, reward, terminated, truncated, info, sides)
        for side, action in zip(sides, actions, strict=True):
            side.step(action)
        over = sum(side.over for side in sides)
        ended += over
        result.count("episodes", over)
        result.count("steps", sum(not side.is_reset for side in sides))


def _compare_row(
    result: Comparison, rows: StepResult, i: int, select: Callable[[Any, int], Any]
) -> None:
    side, where = rows.references[i], f"in env {i}, step {rows.number}"

    def compare(name: str, ours: Any, theirs: Any) -> None:
        result.compare(name, _row_of(ours, theirs, i, select), theirs, where)

    compare("observation", rows.observation, side.observation)
    compare("infos", rows.info, side.info)
    if rows.number == 0:
        return
    if side.reward is not None:
        ours = select(rows.reward, i)
        result.compare("reward", ours, _of_players(np.float32(side.reward), ours), where)
    for ends, theirs in ((rows.terminated, side.terminated), (rows.truncated, side.truncated)):
        ours = select(ends, i)
        result.compare("ends", ours, _of_players(np.bool_(theirs), ours), where)
    if side.same_step and side.over:
        compare("observation", rows.info, {"final_obs": side.final_observation})


def _of_players(theirs: Any, ours: Any) -> Any:
    """Repeats a single number for each player."""
    return theirs if np.ndim(theirs) else np.full(np.shape(ours), theirs)


def _row_of(ours: Any, theirs: Any, i: int, select: Callable[[Any, int], Any]) -> Any:
    """The arrays of environment i, if the reference has a value to compare with."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        return {k: _row_of(ours[k], v, i, select) for k, v in theirs.items() if k in ours}
    return ours if theirs is None or isinstance(theirs, Mapping) else select(ours, i)


def _compare_frames(result: Comparison, number: int, got: Any, expected: Sequence[Any]) -> None:
    for i, frame in enumerate(expected):
        result.count("frames")
        result.compare("pixels", got[i], frame, f"in env {i}, step {number}")


def _together(actions: Sequence[Any]) -> NDArray[Any]:
    """The actions of all environments, with a row for each player if an environment has several."""
    if isinstance(actions[0], tuple):
        return np.array([player for action in actions for player in action])
    return np.array(actions)


def _check(
    pool: Any, references: Sequence[Reference], steps: int | None, episodes: int | None
) -> None:
    asked = f"play_beside({pool!r}, ...)"
    if len(references) != pool.config["num_envs"]:
        raise ConfigError(
            asked,
            f"{len(references)} references",
            f"{pool.config['num_envs']}, one for each environment",
            "Make as many of both",
        )
    mode = str(pool.config["autoreset_mode"])
    if mode not in ("next_step", "same_step"):
        raise ConfigError(
            asked, f"autoreset_mode={mode!r}", "'next_step' or 'same_step'", "Make such a pool"
        )
    if (steps is None) == (episodes is None):
        raise ConfigError(
            asked,
            f"steps={steps} and episodes={episodes}",
            "one of them",
            "Say how long to play",
        )
